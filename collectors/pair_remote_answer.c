/* What the answers of pair_remote's requests mean: lists of files, pieces of them. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collectors/clock.h"
#include "collectors/log.h"
#include "collectors/pair_files.h"
#include "collectors/pair_remote_private.h"
#include "collectors/xmalloc.h"

#define LOOK_MS      3000
#define LOOK_MOST_MS 30000
#define LOOK_REST    10
#define FULL_LOOK_MS 60000
/* Read of one file at most: less than locally, it goes over the head node's line. */
#define FILE_MAX_BYTES (16u << 20)

void remote_say(struct pair_remote *r, const char *what)
{
	if (strncmp(r->error, what, sizeof(r->error) - 1) == 0)
		return;
	snprintf(r->error, sizeof(r->error), "%.199s", what);
	if (what[0])
		log_write(LOG_WARN, "pair_remote", r->label, "%s", what);
}

void remote_drop_large(struct pair_remote *r)
{
	buf_release(&r->large);
	free(r->large_path);
	r->large_path = NULL;
}

static void on_line(void *ctx, const struct remote_line *line)
{
	struct pair_remote *r = ctx;
	char path[PATH_MAX];

	r->list_lines++;
	if (!line->name.n)
		return;
	size_t base = line->name.n;
	char name[NAME_MAX + 1];

	while (base > 0 && line->name.p[base - 1] != '/')
		base--;
	snprintf(name, sizeof(name), "%.*s", (int)(line->name.n - base), line->name.p + base);
	if (!r->single && !pair_files_wants(name))
		return;
	size_t head = r->single ? r->label_dir : strlen(r->label);
	int n = snprintf(path, sizeof(path), "%.*s%s%.*s", (int)head, r->label,
		r->single ? "" : "/", (int)line->name.n, line->name.p);

	if (n < 0 || (size_t)n >= sizeof(path))
		return;
	struct pair_seen seen = {
		.size = line->size < FILE_MAX_BYTES ? line->size : FILE_MAX_BYTES,
		.mtime_ms = line->mtime_s * 1000,
		.age_ms = clock_wall_ms() - line->mtime_s * 1000,
	};

	pair_book_see(&r->book, path, &seen, r->now_mono_ms);
}

void remote_take_list(struct pair_remote *r)
{
	struct remote_list list = {.ctx = r, .line = on_line};
	char what[200];

	if (r->frame.exit_code == 124) {
		remote_say(r, "the filesystem does not answer there");
		r->list_cut = true;
		return;
	}
	/* Known before the first line: it says how lines become names. */
	r->single = remote_list_is_file(r->frame.text);
	remote_list_read(r->frame.text, r->frame.text_cut, &list);
	if (list.complaint.n) {
		text_printable(what, sizeof(what), list.complaint.p, list.complaint.n);
		remote_say(r, what);
		r->list_cut = r->frame.exit_code != 0;
	} else {
		remote_say(r, "");
	}
}

void remote_finish_list(struct pair_remote *r)
{
	int64_t took = (r->now_mono_ms - r->asked_mono_ms) * LOOK_REST;

	if (!r->list_cut && r->list_lines >= REMOTE_LIST_MAX / 2 &&
		(r->list_lines >= REMOTE_LIST_MAX || r->frame.text_cut)) {
		r->list_skip += (unsigned)r->list_lines;
		return;
	}
	/* A file that came between two pages may be missed once. */
	if (r->full && !r->list_cut) {
		pair_book_end_look(&r->book, 2, r->store);
		r->next_full_mono_ms = r->now_mono_ms + FULL_LOOK_MS;
	}
	r->looked |= !r->list_cut;
	r->list_skip = 0;
	took = took > LOOK_MOST_MS ? LOOK_MOST_MS : took;
	r->next_look_mono_ms = r->now_mono_ms + (took > LOOK_MS ? took : LOOK_MS);
}

static void give(struct pair_remote *r, struct pair_entry *entry, struct span text)
{
	bool growing = pair_book_growing(entry, r->now_mono_ms);
	struct pair_file *file = pair_store_open(r->store, entry->path, entry->seen.mtime_ms);

	pair_file_feed(file, text.p, text.n);
	pair_file_close(file, growing);
	pair_book_was_read(entry, growing, r->now_mono_ms, r->now_mono_ms - r->asked_mono_ms);
}

/* A piece of a file that takes several. */
static void gather(struct pair_remote *r, struct pair_entry *entry, struct span text, size_t want)
{
	if (!r->large_path) {
		r->large_path = xstrdup(entry->path);
		buf_init(&r->large, FILE_MAX_BYTES + REMOTE_PIECE_MAX);
	}
	/* Fewer bytes than there are: no text (the shell drops NULs), or it became shorter. */
	bool whole = text.n >= want && buf_add(&r->large, text.p, text.n) == ERR_OK;

	if (whole && r->large.len < entry->seen.size)
		return;
	give(r, entry, whole ? (struct span){r->large.data, r->large.len} : (struct span)SPAN_INIT);
	remote_drop_large(r);
}

static void on_piece(void *ctx, size_t i, struct span text)
{
	struct pair_remote *r = ctx;
	struct remote_piece *piece = &r->pieces[i];
	char path[PATH_MAX];
	size_t head = r->single ? r->label_dir : strlen(r->label);

	snprintf(path, sizeof(path), "%.*s%s%s", (int)head, r->label, r->single ? "" : "/",
		piece->name);
	struct pair_entry *entry = pair_book_find(&r->book, path);

	piece->answered = true;
	if (!entry)
		return;
	if (text.n == 0 && piece->want > 0) {
		char what[200];

		snprintf(what, sizeof(what), "%.120s: cannot be read there", piece->name);
		remote_say(r, what);
		pair_book_was_read(entry, false, r->now_mono_ms, 0);
	} else if (entry->seen.size > REMOTE_PIECE_MAX) {
		gather(r, entry, text, piece->want);
	} else {
		give(r, entry, text);
	}
}

void remote_take_read(struct pair_remote *r)
{
	if (r->frame.exit_code == 124)
		remote_say(r, "the filesystem does not answer there");
	remote_pieces_read(r->frame.text, r->frame.nonce, r->n_pieces, r, on_piece);
}

void remote_finish_read(struct pair_remote *r)
{
	/* What was not answered is asked again, but not at once. */
	for (size_t i = 0; i < r->n_pieces; i++) {
		if (r->pieces[i].answered)
			continue;
		r->next_look_mono_ms = r->now_mono_ms + LOOK_MS;
		remote_drop_large(r);
	}
	r->n_pieces = 0;
}
