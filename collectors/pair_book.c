#include "collectors/pair_book.h"

#include <stdlib.h>
#include <string.h>

#include "collectors/xmalloc.h"

/* A file is read when it has not changed for this long, */
#define QUIET_MS 300
/* or when it has been changing for this long; */
#define PATIENCE_MS 2000
/* and reads of a file are this many times their own length apart. */
#define REST 20
/* Shown as being written when it changed so recently. */
#define GROWING_MS 10000
/*
 * After so long without a change a run that has no end is one that was cut. The
 * longest silence of a run that lives is its start (rendezvous and
 * connections of all ranks), well below half a minute on large clusters.
 */
#define SETTLED_MS 60000

static uint64_t hash_path(const char *path)
{
	uint64_t h = 0xcbf29ce484222325u;

	for (; *path; path++)
		h = (h ^ (unsigned char)*path) * 0x100000001b3u;
	return h;
}

void pair_book_release(struct pair_book *b)
{
	for (size_t i = 0; i < b->n; i++)
		free(b->entries[i].path);
	free(b->entries);
	free(b->index);
	*b = (struct pair_book)PAIR_BOOK_INIT;
}

static void index_add(struct pair_book *b, size_t at)
{
	size_t mask = b->index_cap - 1;
	size_t i = (size_t)hash_path(b->entries[at].path) & mask;

	while (b->index[i])
		i = (i + 1) & mask;
	b->index[i] = (uint32_t)at + 1;
}

static void index_make(struct pair_book *b, size_t cap)
{
	free(b->index);
	b->index = xcalloc(cap, sizeof(*b->index));
	b->index_cap = cap;
	for (size_t i = 0; i < b->n; i++)
		if (b->entries[i].path)
			index_add(b, i);
}

struct pair_entry *pair_book_find(const struct pair_book *b, const char *path)
{
	if (!b->index_cap)
		return NULL;
	size_t mask = b->index_cap - 1;

	/* A dropped entry keeps its place in the index until the book is tidied. */
	for (size_t i = (size_t)hash_path(path) & mask; b->index[i]; i = (i + 1) & mask) {
		struct pair_entry *entry = &b->entries[b->index[i] - 1];

		if (entry->path && strcmp(entry->path, path) == 0)
			return entry;
	}
	return NULL;
}

static struct pair_entry *add(struct pair_book *b, const char *path)
{
	if (b->n == PAIR_BOOK_MAX)
		return NULL;
	xgrow((void **)&b->entries, &b->cap, b->n, sizeof(*b->entries));
	b->entries[b->n] = (struct pair_entry){.path = xstrdup(path)};
	b->n++;
	if (b->n * 2 > b->index_cap)
		index_make(b, b->index_cap ? b->index_cap * 2 : 64);
	else
		index_add(b, b->n - 1);
	return &b->entries[b->n - 1];
}

struct pair_entry *pair_book_see(
	struct pair_book *b, const char *path, const struct pair_seen *seen, int64_t now_mono_ms)
{
	struct pair_entry *entry = pair_book_find(b, path);
	bool new = !entry;

	if (new)
		entry = add(b, path);
	if (!entry)
		return NULL;
	entry->look = b->look;
	if (!new && entry->seen.size == seen->size && entry->seen.mtime_ms == seen->mtime_ms &&
		entry->seen.ino == seen->ino)
		return entry;
	entry->seen = *seen;
	/* What changed since the last look changed just now; age tells only of a new one. */
	entry->changed_mono_ms = new && seen->age_ms > 0 ? now_mono_ms - seen->age_ms : now_mono_ms;
	if (!entry->pending)
		entry->since_mono_ms = now_mono_ms;
	entry->pending = true;
	return entry;
}

void pair_book_drop(struct pair_book *b, struct pair_entry *entry, struct pair_store *store)
{
	pair_store_forget(store, entry->path);
	free(entry->path);
	entry->path = NULL;
	entry->pending = false;
	entry->known = false;
	entry->growing = false;
	b->untidy = true;
}

void pair_book_begin_look(struct pair_book *b)
{
	b->look++;
}

void pair_book_end_look(struct pair_book *b, unsigned looks, struct pair_store *store)
{
	for (size_t i = 0; i < b->n; i++)
		if (b->entries[i].path && b->look - b->entries[i].look >= looks)
			pair_book_drop(b, &b->entries[i], store);
	pair_book_tidy(b);
}

void pair_book_tidy(struct pair_book *b)
{
	size_t kept = 0;

	if (!b->untidy)
		return;
	for (size_t i = 0; i < b->n; i++)
		if (b->entries[i].path)
			b->entries[kept++] = b->entries[i];
	b->n = kept;
	b->untidy = false;
	index_make(b, b->index_cap);
}

static int64_t least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

int64_t pair_book_due(const struct pair_entry *entry)
{
	int64_t due;

	if (entry->pending)
		due = least(entry->changed_mono_ms + QUIET_MS, entry->since_mono_ms + PATIENCE_MS);
	else if (entry->growing)
		due = entry->changed_mono_ms + SETTLED_MS;
	else
		return PAIR_BOOK_NEVER;
	if (entry->known && due < entry->read_mono_ms + entry->gap_ms)
		due = entry->read_mono_ms + entry->gap_ms;
	return due;
}

bool pair_book_growing(const struct pair_entry *entry, int64_t now_mono_ms)
{
	return now_mono_ms - entry->changed_mono_ms < SETTLED_MS;
}

void pair_book_was_read(
	struct pair_entry *entry, bool growing, int64_t now_mono_ms, int64_t cost_ms)
{
	entry->pending = false;
	entry->known = true;
	entry->growing = growing;
	entry->read_mono_ms = now_mono_ms;
	entry->gap_ms = cost_ms * REST > QUIET_MS ? cost_ms * REST : QUIET_MS;
}

void pair_book_again(struct pair_book *b)
{
	for (size_t i = 0; i < b->n; i++) {
		b->entries[i].pending = b->entries[i].path != NULL;
		b->entries[i].known = false;
		b->entries[i].since_mono_ms = INT64_MIN / 2;
	}
}

struct pair_counts pair_book_count(const struct pair_book *b, int64_t now_mono_ms)
{
	struct pair_counts c = {0, 0, 0, PAIR_BOOK_NEVER};

	for (size_t i = 0; i < b->n; i++) {
		const struct pair_entry *entry = &b->entries[i];

		if (!entry->path)
			continue;
		c.files += entry->known;
		c.unread += !entry->known;
		c.growing += entry->known && now_mono_ms - entry->changed_mono_ms < GROWING_MS;
		c.next_mono_ms = least(c.next_mono_ms, pair_book_due(entry));
	}
	return c;
}
