/*
 * capacity: use of each mount. Either the probe's own lines, one question and
 * one answer a mount,
 *   ? fstype source mount              asked
 *   = mount bsize blocks bfree bavail files ffree ms
 *   ! mount error words
 *   ~ mount still not answering
 * with octal escapes as in /proc/mounts; or the output of any df.
 */
#include "collectors/section.h"

#include <string.h>

#include "collectors/marks.h"
#include "collectors/parse_df.h"

#define ANSWER_NUMBERS 7
#define PATH_BYTES     1024

/* Answers arrive in any order; a mount point may be asked for twice. */
static struct capacity_row *find_row(struct capacity_reading *r, struct span mount)
{
	struct capacity_row *found = NULL;

	for (size_t i = 0; i < r->mount_n; i++) {
		struct capacity_row *row = &r->mount[i];

		if (!opt_has(row->mount) || !span_eq(mount, row->mount.v))
			continue;
		if (!opt_has(row->state))
			return row;
		found = row;
	}
	return found;
}

static struct capacity_row *add_row(struct section *s, struct span mount)
{
	struct capacity_reading *r = s->mutable_reading;
	struct capacity_row *row = SECTION_ROW(s, r, mount);

	if (row)
		row->mount = section_str(s, mount);
	return row;
}

/* The row that an answer belongs to; an answer nobody asked for gets its own. */
static struct capacity_row *answer_row(struct section *s, struct span escaped)
{
	char path[PATH_BYTES];
	struct span mount = marks_unescape(escaped, path, sizeof(path));
	struct capacity_row *row = find_row(s->mutable_reading, mount);

	return row ? row : add_row(s, mount);
}

/* words may hold the whole message of stat, with the path in it. */
static void set_error(struct section *s, struct capacity_row *row, struct span words)
{
	struct span path;

	if (!row)
		return;
	df_read_error(words, &path, &words);
	row->state = section_str(s, span_of(df_error_state(words)));
	row->error = section_str(s, words);
}

static bool read_question(struct section *s, struct span rest)
{
	char text[PATH_BYTES];
	struct span fstype;
	struct span source;

	if (!span_word(&rest, &fstype) || !span_word(&rest, &source) || !span_trim(rest).n)
		return false;
	struct capacity_row *row = add_row(s, marks_unescape(span_trim(rest), text, sizeof(text)));

	if (row) {
		row->fstype = section_str(s, fstype);
		row->source = section_str(s, marks_unescape(source, text, sizeof(text)));
	}
	return true;
}

/* Takes the last word off *rest. */
static bool last_word(struct span *rest, struct span *word)
{
	*rest = span_trim(*rest);
	size_t n = rest->n;

	while (n && rest->p[n - 1] != ' ' && rest->p[n - 1] != '\t')
		n--;
	*word = (struct span){rest->p + n, rest->n - n};
	rest->n = n;
	return word->n > 0;
}

static struct opt_u64 kib_of(uint64_t block_bytes, uint64_t blocks)
{
	if (block_bytes == 0)
		return (struct opt_u64){OPT_ERROR, 0};
	if (blocks > UINT64_MAX / block_bytes)
		return block_bytes % 1024 == 0 && blocks <= UINT64_MAX / (block_bytes / 1024)
			       ? opt_u64(block_bytes / 1024 * blocks)
			       : (struct opt_u64){OPT_ERROR, 0};
	return opt_u64(block_bytes * blocks / 1024);
}

static void set_statfs(struct capacity_row *row, const uint64_t v[ANSWER_NUMBERS])
{
	uint64_t bsize = v[0];
	uint64_t blocks = v[1];
	uint64_t bfree = v[2];
	uint64_t files = v[4];
	uint64_t ffree = v[5];

	row->size_kib = kib_of(bsize, blocks);
	row->avail_kib = kib_of(bsize, v[3]);
	if (bfree <= blocks)
		row->used_kib = kib_of(bsize, blocks - bfree);
	else
		row->used_kib.state = OPT_ERROR;
	if (opt_has(row->used_kib) && opt_has(row->avail_kib)) {
		double used = (double)row->used_kib.v;
		double all = used + (double)row->avail_kib.v;

		if (all > 0)
			row->used_pct = opt_f64(100 * used / all);
	}
	row->answer_ms = opt_f64((double)v[6]);
	/* Some filesystems have no inode table and say 0. */
	if (files == 0) {
		row->inodes.state = OPT_UNSUPPORTED;
		row->inodes_free.state = OPT_UNSUPPORTED;
		row->inodes_used_pct.state = OPT_UNSUPPORTED;
		return;
	}
	row->inodes = opt_u64(files);
	row->inodes_free = opt_u64(ffree);
	if (ffree <= files)
		row->inodes_used_pct = opt_f64(100 * (double)(files - ffree) / (double)files);
}

static bool read_answer(struct section *s, struct span rest)
{
	uint64_t v[ANSWER_NUMBERS];
	struct span word;

	for (size_t i = ANSWER_NUMBERS; i-- > 0;)
		if (!last_word(&rest, &word) || !span_u64(word, &v[i]))
			return false;
	if (!span_trim(rest).n)
		return false;
	struct capacity_row *row = answer_row(s, span_trim(rest));

	if (row) {
		set_statfs(row, v);
		row->state = section_str(s, span_of("ok"));
	}
	return true;
}

static bool read_failure(struct section *s, struct span rest)
{
	struct span mount;

	if (!span_word(&rest, &mount) || !span_trim(rest).n)
		return false;
	set_error(s, answer_row(s, mount), span_trim(rest));
	return true;
}

static bool read_silent(struct section *s, struct span rest)
{
	struct span mount;

	if (!span_word(&rest, &mount))
		return false;
	struct capacity_row *row = answer_row(s, mount);

	if (row && !opt_has(row->state)) {
		row->state = section_str(s, span_of("hung"));
		row->error = section_str(s, span_trim(rest));
	}
	return true;
}

static bool read_probe_line(struct section *s, struct span line)
{
	static const struct {
		char mark;
		bool (*read)(struct section *s, struct span rest);
	} kinds[] = {
		{'?', read_question},
		{'=', read_answer},
		{'!', read_failure},
		{'~', read_silent},
	};

	if (line.n < 2 || line.p[1] != ' ')
		return false;
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
		if (line.p[0] != kinds[i].mark)
			continue;
		if (!kinds[i].read(s, (struct span){line.p + 2, line.n - 2}))
			section_unread(
				s, "line", "\"%.*s\"", (int)(line.n > 80 ? 80 : line.n), line.p);
		return true;
	}
	return false;
}

static void add_df_row(struct section *s, const struct df_state *st, const struct df_line *in)
{
	struct capacity_row *row = add_row(s, in->mount);

	if (!row)
		return;
	row->source = section_str(s, in->source);
	row->fstype = section_str(s, in->fstype);
	row->state = section_str(s, span_of("ok"));
	if (st->inodes) {
		row->inodes_used_pct = in->used_pct;
		return;
	}
	row->size_kib = in->size_kib;
	row->used_kib = in->used_kib;
	row->avail_kib = in->avail_kib;
	row->used_pct = in->used_pct;
}

static void read_df_line(struct section *s, struct df_state *st, struct span line)
{
	struct df_line in = df_read_line(st, line);

	if (in.kind == DF_ROW)
		add_df_row(s, st, &in);
	else if (in.kind == DF_ERROR)
		set_error(s, add_row(s, in.mount), in.error);
	else if (in.kind == DF_UNREAD && !marks_missing(line))
		section_unread(s, "line", "\"%.*s\"", (int)(line.n > 80 ? 80 : line.n), line.p);
}

/* Images that are full by construction and say nothing about space. */
static bool is_image(const struct capacity_row *row)
{
	static const char *const types[] = {"squashfs", "iso9660", "erofs"};

	for (size_t i = 0; opt_has(row->fstype) && i < ARRAY_LEN(types); i++)
		if (strcmp(row->fstype.v, types[i]) == 0)
			return true;
	return opt_has(row->source) && strncmp(row->source.v, "/dev/loop", 9) == 0;
}

static void set_totals(struct section *s, bool cut)
{
	struct capacity_reading *r = s->mutable_reading;
	uint64_t hung = 0;
	uint64_t failed = 0;
	/* A line that was not understood may be the answer that is missed. */
	bool unsure = cut || s->unread_n > 0;
	bool open = false;
	double worst = -1;

	for (size_t i = 0; i < r->mount_n; i++) {
		struct capacity_row *row = &r->mount[i];

		/* Asked and never answered; unless the answer may have been cut off. */
		if (!opt_has(row->state) && !unsure)
			row->state = section_str(s, span_of("hung"));
		if (!opt_has(row->state)) {
			open = true;
			continue;
		}
		if (strcmp(row->state.v, "hung") == 0)
			hung++;
		else if (strcmp(row->state.v, "ok") != 0)
			failed++;
		if (opt_has(row->used_pct) && opt_has(row->mount) && strcmp(row->mount.v, "/") == 0)
			r->root_used_pct = row->used_pct;
		if (opt_has(row->used_pct) && !is_image(row) && row->used_pct.v > worst)
			worst = row->used_pct.v;
	}
	if (cut || r->mount_n == 0)
		return;
	r->mounts = opt_u64(r->mount_n);
	if (!open) {
		r->hung = opt_u64(hung);
		r->failed = opt_u64(failed);
	}
	if (worst >= 0)
		r->worst_used_pct = opt_f64(worst);
}

void parse_capacity(struct section *s, struct span text)
{
	struct capacity_reading *r = s->mutable_reading;
	struct df_state st = DF_STATE_INIT;
	struct span line;
	bool cut;

	text = marks_whole_lines(s, text, &cut);
	while (span_line(&text, &line))
		if (span_trim(line).n && !read_probe_line(s, line))
			read_df_line(s, &st, line);
	set_totals(s, cut);
	if (r->mount_n == 0 && s->unread_n == 0 && s->status == SECTION_OK)
		section_unread(s, "capacity", "no mount was printed");
}
