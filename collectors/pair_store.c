#include "collectors/pair_store.h"

#include <stdlib.h>
#include <string.h>

#include "collectors/pair_keep.h"
#include "collectors/xmalloc.h"

#define POOL_BYTES_MAX ((size_t)128 << 20)

struct pair_store *pair_store_new(const struct pair_select *sel)
{
	struct pair_store *s = xcalloc(1, sizeof(*s));

	if (sel)
		s->select = *sel;
	strpool_init(&s->pool, POOL_BYTES_MAX);
	strpool_init(&s->host_keys, POOL_BYTES_MAX);
	return s;
}

static void release_content(struct kept_file *f)
{
	for (size_t i = 0; i < f->n_runs; i++) {
		free(f->runs[i].hosts);
		free(f->runs[i].tables);
	}
	free(f->runs);
	free(f->other);
	free(f->readings);
	free(f->troubles);
	free(f->path);
}

static void close_reader(struct pair_file *f)
{
	bw_reader_free(f->reader);
	free(f->mapping);
	f->reader = NULL;
	f->mapping = NULL;
	f->n_mapping = f->mapping_cap = 0;
}

void pair_store_free(struct pair_store *s)
{
	if (!s)
		return;
	if (s->is_open) {
		close_reader(&s->open);
		release_content(&s->open.now);
	}
	for (size_t i = 0; i < s->n_files; i++) {
		release_content(s->files[i]);
		free(s->files[i]);
	}
	free(s->files);
	free(s->hosts);
	free(s->keys);
	strpool_release(&s->pool);
	strpool_release(&s->host_keys);
	free(s);
}

uint64_t pair_store_generation(const struct pair_store *s)
{
	return s->generation;
}

void pair_store_note(
	struct pair_store *s, const char *path, unsigned line, const char *what, const char *why)
{
	if (s->n_notes == PAIR_NOTES_MAX)
		return;
	s->notes[s->n_notes++] = (struct pair_note){strpool_str(&s->pool, path), line,
		strpool_str(&s->pool, what), strpool_str(&s->pool, why)};
}

const struct pair_note *pair_store_notes(const struct pair_store *s, size_t *n)
{
	*n = s->n_notes;
	return s->notes;
}

const char *pair_store_host(const struct pair_store *s, uint32_t host)
{
	return host < s->n_hosts ? s->pool.items[s->hosts[host].name] : "?";
}

/* ---- files ---- */

struct pair_file *pair_store_open(struct pair_store *s, const char *path, int64_t wall_ms)
{
	struct pair_file *f = &s->open;
	char printable[1024];
	const struct bw_sink sink = pair_take_sink(f);

	if (s->is_open)
		pair_file_close(f, false);
	text_printable(printable, sizeof(printable), path, strlen(path));
	*f = (struct pair_file){.store = s};
	f->now.path = xstrdup(printable);
	f->now.wall_ms = wall_ms;
	f->reader = bw_reader_new(path, &sink);
	s->is_open = true;
	return f;
}

void pair_file_feed(struct pair_file *f, const char *bytes, size_t len)
{
	bw_reader_feed(f->reader, bytes, len);
}

/* Position of a path among the files, or where it belongs; *found tells. */
static size_t place_of(const struct pair_store *s, const char *path, bool *found)
{
	size_t lo = 0;
	size_t hi = s->n_files;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		int c = strcmp(s->files[mid]->path, path);

		if (c == 0) {
			*found = true;
			return mid;
		}
		if (c < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	*found = false;
	return lo;
}

/* Arrays grew by doubling; half a million files must not keep the other half. */
static void *shrunk(void *p, size_t n, size_t size)
{
	void *q = n ? realloc(p, n * size) : NULL;

	if (!n)
		free(p);
	return n && !q ? p : q;
}

static void shrink(struct kept_file *k)
{
	k->runs = shrunk(k->runs, k->n_runs, sizeof(*k->runs));
	k->other = shrunk(k->other, k->n_runs, sizeof(*k->other));
	k->readings = shrunk(k->readings, k->n_readings, sizeof(*k->readings));
	k->troubles = shrunk(k->troubles, k->n_troubles, sizeof(*k->troubles));
	k->runs_cap = k->n_runs;
	k->readings_cap = k->n_readings;
	k->troubles_cap = k->n_troubles;
}

void pair_file_close(struct pair_file *f, bool growing)
{
	struct pair_store *s = f->store;
	bool found;

	bw_reader_end(f->reader);
	f->now.growing = growing;
	f->now.nothing = bw_reader_kind(f->reader) == BW_KIND_UNKNOWN;
	for (size_t i = 0; growing && i < f->now.n_runs; i++)
		f->now.runs[i].running = f->now.runs[i].status == BW_TRUNCATED;
	close_reader(f);
	shrink(&f->now);
	size_t at = place_of(s, f->now.path, &found);

	if (found) {
		release_content(s->files[at]);
	} else {
		xgrow((void **)&s->files, &s->files_cap, s->n_files, sizeof(struct kept_file *));
		memmove(&s->files[at + 1], &s->files[at],
			(s->n_files - at) * sizeof(struct kept_file *));
		s->files[at] = xmalloc(sizeof(struct kept_file));
		s->n_files++;
	}
	*s->files[at] = f->now;
	f->now = (struct kept_file){0};
	s->is_open = false;
	s->generation++;
}

void pair_store_forget(struct pair_store *s, const char *path)
{
	char printable[1024];
	bool found;

	text_printable(printable, sizeof(printable), path, strlen(path));
	size_t at = place_of(s, printable, &found);

	if (!found)
		return;
	release_content(s->files[at]);
	free(s->files[at]);
	memmove(&s->files[at], &s->files[at + 1],
		(s->n_files - at - 1) * sizeof(struct kept_file *));
	s->n_files--;
	s->generation++;
}

void pair_store_runs(const struct pair_store *s,
	bool (*fn)(void *ctx, const char *path, const struct pair_run *run), void *ctx)
{
	for (size_t i = 0; i < s->n_files; i++)
		for (size_t j = 0; j < s->files[i]->n_runs; j++)
			if (!fn(ctx, s->files[i]->path, &s->files[i]->runs[j]))
				return;
}
