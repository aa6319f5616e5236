/*
 * The kernel log: Xid lines of GPUs, SXid lines of NVSwitches, and the few others that tell
 * of a GPU that is gone or of a job that died in NCCL.
 *
 * The probe prints /proc/uptime and date before the log, so that ages can be told. A log
 * that could not be read is never "no Xid".
 */
#include "collectors/section.h"

#include <string.h>

#include "collectors/answer.h"
#include "collectors/kmsg_time.h"
#include "collectors/xid_line.h"

/* Newest rows kept: a GPU in trouble can print thousands of lines, the last ones count. */
#define ROWS_MAX 512
/* How far back a repeated line is looked for. */
#define FOLD_BACK 16

struct parse {
	struct section *s;
	struct xid_reading *r;
	struct kmsg_now now;
	size_t skip_xid; /* lines to pass over so that only the newest are kept */
	size_t skip_sxid;
	struct span
		lost_bdf; /* of "The NVIDIA GPU 0000:0b:00.0", which goes on in the next lines */
	size_t lines;
	bool log_part; /* the probe marked a log as read */
	bool cut;
	struct span refusal;
	struct span strange; /* the first line that is not of a kernel log */
};

static bool same(struct opt_str a, struct span b)
{
	return opt_has(a) ? span_eq(b, a.v) : b.n == 0;
}

static bool same_minute(const struct xid_row *row, const struct kmsg_time *t)
{
	if (opt_has(row->time_unix_s) && opt_has(t->unix_s))
		return (int64_t)(row->time_unix_s.v / 60) == (int64_t)(t->unix_s.v / 60);
	if (opt_has(row->uptime_s) && opt_has(t->uptime_s))
		return (int64_t)(row->uptime_s.v / 60) == (int64_t)(t->uptime_s.v / 60);
	return opt_has(row->time) == (t->text[0] != '\0');
}

/* The row that says exactly the same for the same minute; its text was made printable. */
static struct xid_row *find_same(struct parse *p, const struct xid_line *x, struct span bdf,
	struct span text, const struct kmsg_time *t)
{
	struct xid_reading *r = p->r;

	for (size_t i = r->xid_n; i > 0 && r->xid_n - i < FOLD_BACK; i--) {
		struct xid_row *row = &r->xid[i - 1];

		if (row->code.v == x->code && same(row->bdf, bdf) && row->pid.v == x->pid.v &&
			same(row->text, text) && same_minute(row, t))
			return row;
	}
	return NULL;
}

static void add_off_bus(struct parse *p, struct span bdf)
{
	char normal[40];
	char list[512] = "";
	size_t n = xid_bdf_normal(bdf, normal, sizeof(normal));

	if (n == 0)
		return;
	if (opt_has(p->r->off_bus)) {
		struct span rest = span_of(p->r->off_bus.v);
		struct span one;

		while (span_field(&rest, ',', &one))
			if (span_eq(one, normal))
				return;
		snprintf(list, sizeof(list), "%s,%s", p->r->off_bus.v, normal);
	} else {
		snprintf(list, sizeof(list), "%s", normal);
	}
	p->r->off_bus = section_str(p->s, span_of(list));
}

static void add_xid(struct parse *p, const struct xid_line *x, const struct kmsg_time *t)
{
	char clean[512];
	char bdf[40];
	size_t n = text_printable(clean, sizeof(clean), x->text.p, x->text.n);
	struct span text = span_trim((struct span){clean, n});
	struct span address = {bdf, xid_bdf_normal(x->bdf, bdf, sizeof(bdf))};

	if (address.n == 0)
		address = x->bdf;
	if (x->code == 79 || span_find(text, "fallen off the bus") >= 0)
		add_off_bus(p, address);
	if (p->skip_xid) {
		p->skip_xid--;
		return;
	}
	struct xid_row *row = find_same(p, x, address, text, t);

	if (row) {
		row->count.v++;
		return;
	}
	row = SECTION_ROW(p->s, p->r, xid);
	if (!row)
		return;
	row->code = opt_u64(x->code);
	row->bdf = section_str(p->s, address);
	row->gpu_instance = x->gpu_instance;
	row->pid = x->pid;
	row->name = section_str(p->s, x->name);
	row->text = section_str(p->s, text);
	row->time = section_str(p->s, span_of(t->text));
	row->time_unix_s = t->unix_s;
	row->uptime_s = t->uptime_s;
	row->age_s = kmsg_time_age(t, &p->now);
	row->fatal = x->said.fatal;
	row->link = x->said.link;
	row->caused_by = x->caused_by;
	row->action_from = x->action_from;
	row->action_to = x->action_to;
	row->action = section_str(p->s, x->action);
	row->count = opt_u64(1);
}

static void add_sxid(struct parse *p, const struct sxid_line *x, const struct kmsg_time *t)
{
	p->r->sxid_lines.v++;
	p->r->sxid_data_lines.v += x->kind == SXID_DATA;
	if (x->kind != SXID_EVENT)
		return;
	p->r->sxid_events.v++;
	p->r->sxid_fatal.v += x->said.fatal.v;
	if (p->skip_sxid) {
		p->skip_sxid--;
		return;
	}
	struct xid_sxid *row = SECTION_ROW(p->s, p->r, sxid);

	if (!row)
		return;
	row->code = opt_u64(x->code);
	row->bdf = section_str(p->s, x->bdf);
	row->switch_index = x->switch_index;
	row->fatal = x->said.fatal;
	row->link = x->said.link;
	row->text = section_str(p->s, x->text);
	row->age_s = kmsg_time_age(t, &p->now);
}

static struct span from(struct span s, ptrdiff_t at, size_t skip)
{
	size_t n = (size_t)at + skip;

	return (struct span){s.p + n, s.n - n};
}

/*
 * A GPU can be gone without any Xid: "NVRM: GPU at 0000:01:00.0 has fallen off the bus.", "NVRM: GPU
 * 0000:91:00.0: GPU has fallen ...", or when the driver loads, in three lines:
 * "The NVIDIA GPU 0000:0b:00.0", "(PCI ID: 10de:2330)", "fallen off the bus and is ...".
 */
static void off_bus_line(struct parse *p, struct span line)
{
	static const char three[] = "The NVIDIA GPU ";
	ptrdiff_t at = span_find(line, three);
	struct span rest;
	struct span word;

	if (at >= 0) {
		rest = from(line, at, sizeof(three) - 1);
		p->lost_bdf = span_word(&rest, &word) ? word : (struct span)SPAN_INIT;
	}
	if (span_find(line, "fallen off the bus") < 0)
		return;
	at = span_find(line, "GPU ");
	if (at < 0) {
		add_off_bus(p, p->lost_bdf);
		return;
	}
	rest = from(line, at, 4);
	while (span_word(&rest, &word)) {
		if (span_starts(word, "PCI:"))
			word = (struct span){word.p + 4, word.n - 4};
		if (word.n && word.p[word.n - 1] == ':')
			word.n--;
		if (span_find(word, ":") > 0) {
			add_off_bus(p, word);
			return;
		}
	}
}

/* "pt_main_thread[2536443]: segfault at ... in libnccl.so.2[...]" */
static void segfault_line(struct parse *p, struct span line)
{
	ptrdiff_t at = span_find(line, "]: segfault at ");
	uint64_t pid;

	if (at < 0 || span_find(line, " in libnccl") < 0)
		return;
	struct span head = {line.p, (size_t)at};
	size_t n = head.n;

	while (n && head.p[n - 1] != '[')
		n--;
	if (n && span_u64((struct span){head.p + n, head.n - n}, &pid) && pid <= INT64_MAX)
		p->r->nccl_segfault_pid = opt_i64((int64_t)pid);
}

/* What dmesg and journalctl say when they may not read. */
static bool is_refusal(struct span line)
{
	return span_ifind(line, "operation not permitted") >= 0 ||
	       span_ifind(line, "permission denied") >= 0 ||
	       span_ifind(line, "insufficient permissions") >= 0 ||
	       span_find(line, "No journal files were found") >= 0 ||
	       span_find(line, "You are currently not seeing messages") >= 0;
}

/* Other text must not pass for a log in which nothing happened. */
static bool is_log_line(struct span text, const struct kmsg_time *t)
{
	return t->text[0] || span_find(text, "NVRM") >= 0 || span_find(text, "nvidia-") >= 0 ||
	       span_starts(text, "kernel:");
}

static void log_line(struct parse *p, struct span line)
{
	struct kmsg_time t;
	struct span text = kmsg_time_read(line, &p->now, &t);
	struct xid_line xid;
	struct sxid_line sxid;

	/* A driver's own line may speak of permissions; the tool's has no stamp and no NVRM. */
	if (!t.text[0] && span_find(text, "NVRM") < 0 && is_refusal(text)) {
		if (p->refusal.n == 0)
			p->refusal = text;
		return;
	}
	if (!is_log_line(text, &t)) {
		if (p->strange.n == 0)
			p->strange = text;
		return;
	}
	p->lines++;
	if (t.kmsg) {
		p->r->kmsg_prio = opt_u64(t.prio);
		p->r->kmsg_seq = opt_u64(t.seq);
		p->r->kmsg_usec = opt_u64(t.usec);
	}
	if (xid_line_read(text, &xid)) {
		add_xid(p, &xid, &t);
	} else if (sxid_line_read(text, &sxid)) {
		add_sxid(p, &sxid, &t);
	} else {
		off_bus_line(p, text);
		segfault_line(p, text);
		p->r->peermem_invalid_context.v += span_find(text, "nvidia-peermem") >= 0 &&
						   span_find(text, "invalid context") >= 0;
	}
}

/* Clocks first: they may stand behind the log. Counts lines, so that the newest are kept. */
static void look_ahead(struct parse *p, struct marks pieces)
{
	struct marks_piece piece;
	struct span line;
	struct xid_line xid;
	struct sxid_line sxid;
	size_t xids = 0;
	size_t sxids = 0;

	while (marks_next(&pieces, &piece)) {
		if (span_eq(piece.mark, "uptime"))
			kmsg_now_read_uptime(&p->now, piece.body);
		else if (span_eq(piece.mark, "date"))
			kmsg_now_read_date(&p->now, piece.body);
		while (span_line(&piece.body, &line)) {
			xids += xid_line_read(line, &xid);
			sxids += sxid_line_read(line, &sxid) && sxid.kind == SXID_EVENT;
		}
	}
	if (xids > ROWS_MAX)
		p->skip_xid = xids - ROWS_MAX;
	if (sxids > ROWS_MAX)
		p->skip_sxid = sxids - ROWS_MAX;
	if (p->skip_xid || p->skip_sxid)
		section_unread(
			p->s, "older lines", "only the last %d of each kind are kept", ROWS_MAX);
	p->r->now_s = p->now.uptime_s;
	p->r->now_unix_s = p->now.unix_s;
}

/* Xid 154 tells a state: of each GPU only the last one holds. */
static void mark_latest(struct xid_reading *r)
{
	for (size_t i = r->xid_n; i > 0; i--) {
		struct xid_row *row = &r->xid[i - 1];
		bool latest = true;

		if (row->code.v != 154)
			continue;
		for (size_t j = i; latest && j < r->xid_n; j++)
			if (r->xid[j].code.v == 154 && opt_has(row->bdf) &&
				same(r->xid[j].bdf, span_of(row->bdf.v)))
				latest = false;
		row->latest = opt_bool(latest);
	}
}

static void forget_counts(struct xid_reading *r)
{
	for (size_t i = 0; i < r->xid_n; i++)
		r->xid[i].count.state = OPT_UNKNOWN;
	r->kmsg_prio.state = OPT_UNKNOWN;
	r->kmsg_seq.state = OPT_UNKNOWN;
	r->kmsg_usec.state = OPT_UNKNOWN;
}

static void finish(struct parse *p)
{
	struct section *s = p->s;
	struct xid_reading *r = p->r;
	bool failed = s->meta.exit_code > 0 || s->status >= SECTION_FAILED;

	if (p->refusal.n && p->lines == 0) {
		r->readable = opt_bool(false);
		section_set_status(s, SECTION_FAILED);
		section_unread(s, "kernel log", "%.*s",
			(int)(p->refusal.n < 150 ? p->refusal.n : 150), p->refusal.p);
		return;
	}
	/* An empty answer means "nothing to tell" only from a command that is known to have worked. */
	if (p->lines == 0 && (failed || !(p->log_part && s->meta.exit_code == 0))) {
		if (p->strange.n)
			section_unread(s, "kernel log", "not understood: %.*s",
				(int)(p->strange.n < 120 ? p->strange.n : 120), p->strange.p);
		else
			section_unread(s, "kernel log", "nothing was printed");
		section_set_status(s, SECTION_FAILED);
		return;
	}
	r->readable = opt_bool(true);
	/* The end of a log is its news: without it nothing can be counted or called the latest. */
	if (p->cut) {
		forget_counts(r);
		return;
	}
	r->events = opt_u64(r->xid_n);
	mark_latest(r);
	r->sxid_events.state = OPT_OK;
	r->sxid_lines.state = OPT_OK;
	r->sxid_fatal.state = OPT_OK;
	r->sxid_data_lines.state = OPT_OK;
	r->peermem_invalid_context.state = OPT_OK;
	if (!opt_has(r->off_bus))
		r->off_bus = (struct opt_str){OPT_OK, ""};
}

void parse_xid(struct section *s, struct span text)
{
	struct parse p = {.s = s, .r = s->mutable_reading};
	struct marks_piece piece;
	struct marks pieces;
	struct span line;

	if (answer_is_missing(s, text, &line)) {
		section_unread(s, "kernel log", "%.*s", (int)(line.n < 150 ? line.n : 150), line.p);
		return;
	}
	pieces = answer_pieces(s, text);
	p.cut = pieces.cut;
	look_ahead(&p, pieces);
	while (marks_next(&pieces, &piece)) {
		if (span_eq(piece.mark, "uptime") || span_eq(piece.mark, "date"))
			continue;
		p.log_part |= piece.mark.n > 0;
		while (span_line(&piece.body, &line)) {
			line = span_trim(line);
			if (line.n)
				log_line(&p, line);
		}
	}
	finish(&p);
}
