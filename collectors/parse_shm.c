/*
 * shm: df of /dev/shm on the host. df prints the parent's row when /dev/shm is
 * only a directory, so the mount point in the row decides.
 */
#include "collectors/section.h"

#include <string.h>

#include "collectors/marks.h"
#include "collectors/parse_df.h"

#define SHM "/dev/shm"

/*
 * The mount point of a row about /dev/shm, or of the filesystem it lies on, with
 * more behind it: nobody can tell which mount was meant.
 */
static bool is_garbled(struct span mount)
{
	static const char *const stems[] = {SHM, "/dev", "/"};
	struct span rest = mount;
	struct span word;

	if (!span_word(&rest, &word))
		return true;
	for (size_t i = 0; i < ARRAY_LEN(stems); i++)
		if (span_eq(word, stems[i]))
			return word.n < mount.n;
	return span_starts(word, SHM) && word.p[strlen(SHM)] != '/';
}

static void set_row(struct shm_reading *r, const struct df_state *st, const struct df_line *row)
{
	bool is_shm = span_eq(row->mount, SHM);

	/* A df of everything lists other mounts, and shm perhaps twice. */
	if (!is_shm) {
		if (!opt_has(r->present))
			r->present = opt_bool(false);
		return;
	}
	r->present = opt_bool(true);
	r->size_kib = row->size_kib;
	r->used_kib = row->used_kib;
	r->used_pct = row->used_pct;
	if (st->human || !opt_has(row->used_kib) || !opt_has(row->avail_kib))
		return;
	double used = (double)row->used_kib.v;
	double all = used + (double)row->avail_kib.v;

	if (all > 0)
		r->used_pct = opt_f64(100 * used / all);
}

static void set_error(struct section *s, struct span line, const struct df_line *in)
{
	struct shm_reading *r = s->mutable_reading;

	r->error = section_str(s, line);
	if (in->kind == DF_ERROR && span_starts(in->mount, SHM) && marks_missing(in->error))
		r->present = opt_bool(false);
	else if (in->kind == DF_ERROR || !marks_missing(line))
		section_unread(s, "shm", "%.*s", (int)(line.n > 120 ? 120 : line.n), line.p);
}

void parse_shm(struct section *s, struct span text)
{
	struct shm_reading *r = s->mutable_reading;
	struct df_state st = DF_STATE_INIT;
	struct span line;
	bool cut;
	bool garbled = false;

	text = marks_whole_lines(s, text, &cut);
	while (span_line(&text, &line)) {
		if (!span_trim(line).n)
			continue;
		struct df_line in = df_read_line(&st, line);

		if (in.kind == DF_ROW && is_garbled(in.mount)) {
			garbled = true;
			section_unread(
				s, "shm", "%.*s", (int)(line.n > 120 ? 120 : line.n), line.p);
		} else if (in.kind == DF_ROW)
			set_row(r, &st, &in);
		else if (in.kind != DF_HEADER)
			set_error(s, line, &in);
	}
	/* "Not listed" needs the whole list, every row of it readable. */
	if ((cut || garbled) && opt_has(r->present) && !r->present.v)
		r->present.state = OPT_UNKNOWN;
	if (!opt_has(r->present) && s->unread_n == 0 && s->status == SECTION_OK)
		section_unread(s, "shm", "nothing was printed");
}
