/*
 * lustre_df: `lfs df`, one piece a mount ("#@ /fsx") or bare. lfs stops at the
 * first target that does not answer, so only a summary line proves a full list;
 * the summary itself leaves out dead OSTs and hides uneven ones.
 */
#include "collectors/section.h"

#include <string.h>

#include "collectors/marks.h"

#define MOUNT_BYTES 512

struct lustre_parse {
	struct section *s;
	struct lustre_df_reading *r;
	struct span mark; /* "/fsx", or empty */
	size_t first_row; /* of this mount's list */
	bool human;       /* -h: a size without suffix has no known unit */
	bool inodes;      /* -i: the columns are not sizes */
	bool summary;     /* this piece has its summary line */
	bool complete;    /* every piece so far had it */
	bool any;
	uint64_t skipped; /* mounts that the probe did not ask for: they hang, as capacity tells */
	/* A row that a terminal has wrapped: "/lustre/storeA[M" and then "DT:0]". */
	struct lustre_df_row *wrapped;
	char mount[MOUNT_BYTES];
	size_t mount_n;
};

static struct opt_f64 size_of(const struct lustre_parse *p, struct span v)
{
	double kib;
	bool plain = v.n && v.p[v.n - 1] >= '0' && v.p[v.n - 1] <= '9';

	if (p->inodes)
		return (struct opt_f64){OPT_UNKNOWN, 0};
	if (!span_size_kib(v, &kib) || (p->human && plain && kib > 0))
		return (struct opt_f64){OPT_ERROR, 0};
	return opt_f64(kib);
}

static struct opt_f64 pct_of(struct span v)
{
	double pct;

	if (v.n < 2 || v.p[v.n - 1] != '%')
		return (struct opt_f64){OPT_ERROR, 0};
	v.n--;
	return span_f64_locale(v, &pct) ? opt_f64(pct) : (struct opt_f64){OPT_ERROR, 0};
}

/* "fsx-OST0010_UUID": kind, and the index, which is hexadecimal. */
static bool set_target(struct section *s, struct lustre_df_row *row, struct span name)
{
	static const char *const kinds[] = {"MDT", "OST"};

	if (span_ends(name, "_UUID"))
		name.n -= strlen("_UUID");
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
		uint64_t index;

		if (name.n < 7 || !span_starts((struct span){name.p + name.n - 7, 7}, kinds[i]) ||
			!span_hex((struct span){name.p + name.n - 4, 4}, &index))
			continue;
		if (row) {
			row->target = section_str(s, name);
			row->kind = section_str(s, span_of(kinds[i]));
			row->index = opt_u64(index);
		}
		return true;
	}
	return false;
}

/* Adds to the mount text; complete once it holds "[OST:1]". */
static void add_mount(struct lustre_parse *p, struct lustre_df_row *row, struct span part)
{
	for (size_t i = 0; i < part.n && p->mount_n < MOUNT_BYTES; i++)
		p->mount[p->mount_n++] = part.p[i];
	struct span all = {p->mount, p->mount_n};

	p->wrapped = span_ends(all, "]") ? NULL : row;
	ptrdiff_t bracket = span_find(all, "[");

	if (bracket > 0)
		all.n = (size_t)bracket;
	row->mount = bracket > 0 ? section_str(p->s, all) : row->mount;
}

static bool read_row(struct lustre_parse *p, struct span line)
{
	struct span rest = line;
	struct span w[5];

	for (size_t i = 0; i < ARRAY_LEN(w); i++)
		if (!span_word(&rest, &w[i]))
			return false;
	if (!set_target(p->s, NULL, w[0]) || !span_ends(w[4], "%"))
		return false;
	struct lustre_df_row *row = SECTION_ROW(p->s, p->r, target);

	if (!row)
		return true;
	set_target(p->s, row, w[0]);
	row->available = opt_bool(true);
	row->size_kib = size_of(p, w[1]);
	row->used_kib = size_of(p, w[2]);
	row->avail_kib = size_of(p, w[3]);
	row->used_pct = p->inodes ? (struct opt_f64){OPT_UNKNOWN, 0} : pct_of(w[4]);
	p->mount_n = 0;
	add_mount(p, row, span_trim(rest));
	return true;
}

/* "OST0001             : Resource temporarily unavailable", "fsx-OST0001_UUID : inactive device" */
static bool read_dead(struct lustre_parse *p, struct span line)
{
	ptrdiff_t colon = span_find(line, ": ");
	struct span name;

	if (colon <= 0)
		return false;
	name = span_trim((struct span){line.p, (size_t)colon});
	if (!set_target(p->s, NULL, name))
		return false;
	struct lustre_df_row *row = SECTION_ROW(p->s, p->r, target);

	if (row) {
		set_target(p->s, row, name);
		row->available = opt_bool(false);
		row->error = section_str(
			p->s, (struct span){line.p + colon + 2, line.n - (size_t)colon - 2});
	}
	return true;
}

/* With several mounts: sizes add up, the fullest counts. */
static bool read_summary(struct lustre_parse *p, struct span line)
{
	static const char *const heads[] = {"filesystem_summary:", "filesystem summary:"};
	struct lustre_df_reading *r = p->r;
	struct span w[4];
	size_t head = 0;

	while (head < ARRAY_LEN(heads) && !span_starts(line, heads[head]))
		head++;
	if (head == ARRAY_LEN(heads))
		return false;
	p->summary = true;
	line = (struct span){line.p + strlen(heads[head]), line.n - strlen(heads[head])};
	for (size_t i = 0; i < ARRAY_LEN(w); i++) {
		if (!span_word(&line, &w[i])) {
			section_unread(p->s, "summary", "columns are missing");
			return true;
		}
	}
	struct opt_f64 size = size_of(p, w[0]);
	struct opt_f64 pct = p->inodes ? (struct opt_f64){OPT_UNKNOWN, 0} : pct_of(w[3]);

	if (opt_has(size) && opt_has(r->summary_size_kib))
		r->summary_size_kib.v += size.v;
	else
		r->summary_size_kib = size;
	if (!opt_has(r->summary_pct) || (opt_has(pct) && pct.v > r->summary_pct.v))
		r->summary_pct = pct;
	return true;
}

struct range {
	double max, min;
	bool any;
};

static bool is_ost(const struct lustre_df_row *row)
{
	return opt_has(row->kind) && strcmp(row->kind.v, "OST") == 0;
}

static void widen(struct range *w, double v)
{
	if (!w->any || v > w->max)
		w->max = v;
	if (!w->any || v < w->min)
		w->min = v;
	w->any = true;
}

/* What is known once a mount's list has ended. */
static void end_list(struct lustre_parse *p)
{
	struct lustre_df_reading *r = p->r;
	struct range ost = {0, 0, false};

	if (r->target_n == p->first_row)
		return;
	p->complete = p->complete && p->summary;
	for (size_t i = p->first_row; i < r->target_n; i++) {
		struct lustre_df_row *row = &r->target[i];

		if (!opt_has(row->mount) && span_starts(p->mark, "/"))
			row->mount = section_str(p->s, p->mark);
		if (opt_has(row->used_pct) && is_ost(row))
			widen(&ost, row->used_pct.v);
	}
	/* Uneven within one filesystem; two filesystems may differ as they like. */
	if (ost.any && (!opt_has(r->ost_spread_pct) || ost.max - ost.min > r->ost_spread_pct.v))
		r->ost_spread_pct = opt_f64(ost.max - ost.min);
}

static void begin_list(struct lustre_parse *p)
{
	p->first_row = p->r->target_n;
	p->human = p->inodes = p->summary = false;
	p->wrapped = NULL;
	p->any = true;
}

static void read_line(struct lustre_parse *p, struct span line)
{
	/* Each mount's list begins with the heading, with or without a mark before it. */
	if (span_starts(line, "UUID")) {
		end_list(p);
		begin_list(p);
		p->human = span_find(line, "bytes") >= 0;
		p->inodes = span_find(line, "Inodes") >= 0;
		return;
	}
	if (read_summary(p, line) || read_row(p, line) || read_dead(p, line))
		return;
	if (line.p[0] == '/' && span_ends(line, ": skipped, the mount does not answer")) {
		p->skipped++;
		return;
	}
	if (p->wrapped && span_find(line, " ") < 0) {
		add_mount(p, p->wrapped, line);
		return;
	}
	if (marks_missing(line) && p->r->target_n == 0) {
		section_set_status(p->s, SECTION_UNAVAILABLE);
		return;
	}
	section_unread(p->s, "line", "\"%.*s\"", (int)(line.n > 100 ? 100 : line.n), line.p);
}

static void read_piece(struct lustre_parse *p, const struct marks_piece *piece)
{
	struct span text = piece->body;
	struct span line;

	p->mark = piece->mark;
	begin_list(p);
	while (span_line(&text, &line))
		if (span_trim(line).n)
			read_line(p, span_trim(line));
	end_list(p);
}

/* Comma list of the dead targets. */
static void set_unavailable(struct section *s, struct lustre_df_reading *r, uint64_t n)
{
	char list[1000];
	size_t used = 0;

	r->unavailable_n = opt_u64(n);
	for (size_t i = 0; i < r->target_n; i++) {
		const struct lustre_df_row *row = &r->target[i];

		if (!opt_has(row->available) || row->available.v || !opt_has(row->target))
			continue;
		size_t len = strlen(row->target.v);

		if (used + len + 1 >= sizeof(list))
			break;
		if (used)
			list[used++] = ',';
		memcpy(list + used, row->target.v, len);
		used += len;
	}
	r->unavailable = section_str(s, (struct span){list, used});
}

static void set_totals(struct section *s, struct lustre_df_reading *r)
{
	struct range ost = {0, 0, false};
	struct range mdt = {0, 0, false};
	uint64_t mdts = 0;
	uint64_t osts = 0;
	uint64_t dead = 0;

	for (size_t i = 0; i < r->target_n; i++) {
		const struct lustre_df_row *row = &r->target[i];
		if (!row->available.v) {
			dead++;
			continue;
		}
		osts += is_ost(row);
		mdts += !is_ost(row);
		if (opt_has(row->used_pct))
			widen(is_ost(row) ? &ost : &mdt, row->used_pct.v);
	}
	r->mdts = opt_u64(mdts);
	r->osts = opt_u64(osts);
	if (ost.any) {
		r->max_ost_pct = opt_f64(ost.max);
		r->min_ost_pct = opt_f64(ost.min);
	}
	if (mdt.any)
		r->max_mdt_pct = opt_f64(mdt.max);
	set_unavailable(s, r, dead);
}

/* What the targets of a mount that was not asked would have changed. */
static void forget_sums(struct lustre_df_reading *r)
{
	r->complete = opt_bool(false);
	r->mdts.state = r->osts.state = r->unavailable_n.state = OPT_UNKNOWN;
	r->summary_size_kib.state = r->summary_pct.state = OPT_UNKNOWN;
}

void parse_lustre_df(struct section *s, struct span text)
{
	struct lustre_parse p = {.s = s, .r = s->mutable_reading, .complete = true};
	struct marks m;
	struct marks_piece piece;

	marks_init(&m, s, text);
	while (marks_next(&m, &piece))
		read_piece(&p, &piece);
	if (!p.any || s->status == SECTION_UNAVAILABLE)
		return;
	if (m.cut) {
		p.r->ost_spread_pct.state = OPT_UNKNOWN;
		p.r->summary_pct.state = OPT_UNKNOWN;
		p.r->summary_size_kib.state = OPT_UNKNOWN;
		return;
	}
	p.r->complete = opt_bool(p.complete);
	if (!p.complete)
		section_unread(
			s, "lfs df", "no summary line: targets may be missing from the list");
	set_totals(s, p.r);
	p.r->skipped = opt_u64(p.skipped);
	if (p.skipped)
		forget_sums(p.r);
}
