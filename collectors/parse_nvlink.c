/*
 * nvidia-smi nvlink -s (state and speed of each link) and -e (error counters), in
 * both counter layouts: replay, recovery, CRC up to NVLink 4; packet, symbol
 * and FEC counters from NVLink 5. The two outputs may follow each other.
 */
#include "collectors/section.h"

#include <inttypes.h>
#include <string.h>

#include "collectors/answer.h"
#include "collectors/nvsmi.h"

/* Most links of one GPU that are told apart; NVLink 5 has 18. */
#define LINKS_MAX 64
#define GPUS_MAX  64
/* The counters of older links are 16 bits wide and stop there. */
#define SATURATED 65535

/* What is needed while reading and is no value: bit i is link i. */
struct seen {
	uint64_t listed;
	uint64_t inactive;
	uint64_t counted;
	uint64_t strange; /* a state that we do not know */
};

struct parse {
	struct section *s;
	struct nvlink_reading *r;
	struct nvlink_row *row;
	struct seen seen[GPUS_MAX];
	size_t strange_lines;
	bool cut;      /* the text may end early: within p->row, if that is set */
	bool counting; /* the last line of a link was a counter */
};

/* hard: any value above 0 is a fault. Replays and successful recoveries are repaired in flight. */
static const struct counter {
	const char *name;
	size_t offset; /* in nvlink_row, or NONE */
	bool hard;
} counters[] = {
#define NONE      SIZE_MAX
#define IN_ROW(m) offsetof(struct nvlink_row, m)
	{"Replay Errors", IN_ROW(replay), false},
	{"Recovery Errors", IN_ROW(recovery), true},
	{"CRC Errors", IN_ROW(crc), true},
	{"CRC Flit Errors", IN_ROW(crc), true},
	{"CRC FLIT Errors", IN_ROW(crc), true},
	{"CRC Data Errors", IN_ROW(crc), true},
	{"ECC Errors", NONE, true},
	{"Malformed packet Errors", NONE, true},
	{"Buffer overrun Errors", NONE, true},
	{"Rx Errors", IN_ROW(rx_errors), true},
	{"Rx remote Errors", NONE, true},
	{"Rx General Errors", NONE, true},
	{"Local link integrity Errors", NONE, true},
	{"Tx discards", NONE, false},
	{"Link recovery successful events", NONE, false},
	{"Link recovery failed events", IN_ROW(recovery_failed), true},
	{"Total link recovery events", NONE, false},
	{"Effective Errors", IN_ROW(effective_errors), true},
	{"Symbol Errors", IN_ROW(symbol_errors), true},
};

static struct seen *seen_of(struct parse *p)
{
	size_t i = (size_t)(p->row - p->r->gpu);

	return i < GPUS_MAX ? &p->seen[i] : NULL;
}

static void strange_line(struct parse *p, struct span line)
{
	if (p->strange_lines++ < 4)
		section_unread(p->s, "line", "not understood: %.*s",
			(int)(line.n < 120 ? line.n : 120), line.p);
}

/* "GPU 0: NVIDIA H200 (UUID: GPU-...)"; the UUID is not always there. */
static bool gpu_line(struct parse *p, struct span line)
{
	struct span rest;
	uint64_t index;

	if (!span_starts(line, "GPU "))
		return false;
	line = (struct span){line.p + 4, line.n - 4};
	if (!span_lead_u64(line, &index, &rest) || !span_starts(rest, ":"))
		return false;
	rest = (struct span){rest.p + 1, rest.n - 1};
	p->row = NULL;
	for (size_t i = 0; i < p->r->gpu_n; i++)
		if (p->r->gpu[i].index.v == index)
			p->row = &p->r->gpu[i];
	if (!p->row)
		p->row = SECTION_ROW(p->s, p->r, gpu);
	if (!p->row)
		return true;
	ptrdiff_t at = span_find(rest, " (UUID: ");
	struct span name = at >= 0 ? (struct span){rest.p, (size_t)at} : rest;

	p->row->index = opt_u64(index);
	p->row->name = section_str(p->s, name);
	if (at >= 0) {
		size_t skip = (size_t)at + strlen(" (UUID: ");
		struct span uuid = {rest.p + skip, rest.n - skip};

		if (span_ends(uuid, ")"))
			uuid.n--;
		p->row->uuid = section_str(p->s, uuid);
	}
	return true;
}

/* Sentences that stand in place of a GPU's links. */
static bool sentence_line(struct parse *p, struct span line)
{
	if (!p->row)
		return false;
	if (span_ifind(line, "not supported for devices in MIG mode") >= 0) {
		p->row->mig = opt_bool(true);
		p->row->links.state = OPT_UNSUPPORTED;
		return true;
	}
	if (span_ifind(line, "does not have or support nvlink") >= 0) {
		p->row->supported = opt_bool(false);
		p->row->links = opt_u64(0);
		return true;
	}
	if (span_ifind(line, "all links are inactive") >= 0) {
		p->row->all_inactive = opt_bool(true);
		return true;
	}
	return false;
}

static void state_line(struct parse *p, uint64_t link, struct span text)
{
	struct seen *seen = seen_of(p);
	struct opt_f64 *rate = &p->row->rate_gb_s;
	struct span rest;
	double v;

	p->row->supported = opt_bool(true);
	p->counting = false;
	if (seen)
		seen->listed |= 1ull << link;
	if (span_ieq(text, "<inactive>")) {
		if (seen)
			seen->inactive |= 1ull << link;
		return;
	}
	if (span_lead_f64(text, &v, &rest) && span_eq(span_trim(rest), "GB/s") && v > 0) {
		if (!opt_has(*rate) || v < rate->v)
			*rate = opt_f64(v);
		return;
	}
	if (seen)
		seen->strange |= 1ull << link;
	section_unread(p->s, "link", "GPU %" PRIu64 " link %" PRIu64 " is \"%.*s\"",
		p->row->index.v, link, (int)(text.n < 60 ? text.n : 60), text.p);
}

static void add_error(struct parse *p, uint64_t link, const struct counter *c, uint64_t v)
{
	struct nvlink_error *e = SECTION_ROW(p->s, p->r, errors);

	if (!e)
		return;
	e->gpu = p->row->index;
	e->link = opt_u64(link);
	e->counter = section_str(p->s, span_of(c->name));
	e->value = opt_u64(v);
	e->hard = opt_bool(c->hard);
}

/* Adds to a sum; a sum that lost a part is no sum, unless it is above 0 without it. */
static void sum_add(struct opt_u64 *sum, bool known, uint64_t v)
{
	if (!known) {
		if (sum->v == 0)
			sum->state = OPT_ERROR;
		return;
	}
	sum->v = v > UINT64_MAX - sum->v ? UINT64_MAX : sum->v + v;
	if (sum->state != OPT_ERROR || sum->v)
		sum->state = OPT_OK;
}

static const struct counter *counter_of(struct span name)
{
	for (size_t i = 0; i < ARRAY_LEN(counters); i++)
		if (span_ieq(name, counters[i].name))
			return &counters[i];
	return NULL;
}

static void counter_line(struct parse *p, uint64_t link, struct span name, struct span value)
{
	const struct counter *c = counter_of(name);
	struct seen *seen = seen_of(p);
	uint64_t v = 0;

	p->row->supported = opt_bool(true);
	p->counting = true;
	if (seen)
		seen->counted |= 1ull << link;
	if (!c || nvsmi_cell_state(value) == OPT_UNSUPPORTED)
		return;
	bool known = span_u64(value, &v);

	if (!known)
		section_unread(p->s, c->name, "GPU %" PRIu64 " link %" PRIu64 ": \"%.*s\"",
			p->row->index.v, link, (int)(value.n < 60 ? value.n : 60), value.p);
	if (c->offset != NONE)
		sum_add((struct opt_u64 *)((char *)p->row + c->offset), known, v);
	if (c->hard)
		sum_add(&p->row->hard_errors, known, v);
	if (known && v)
		add_error(p, link, c, v);
	if (known && v == SATURATED)
		p->row->saturated = opt_bool(true);
}

/* "Link 3: 26.562 GB/s", "Link 3: <inactive>", "Link 3: Replay Errors: 0" */
static bool link_line(struct parse *p, struct span line)
{
	struct span rest;
	struct span name;
	uint64_t link;

	if (!span_starts(line, "Link "))
		return false;
	line = (struct span){line.p + 5, line.n - 5};
	if (!p->row || !span_lead_u64(line, &link, &rest) || link >= LINKS_MAX ||
		!span_starts(rest, ":"))
		return false;
	rest = (struct span){rest.p + 1, rest.n - 1};
	rest = span_trim(rest);
	if (span_find(rest, ":") < 0) {
		state_line(p, link, rest);
		return true;
	}
	span_field(&rest, ':', &name);
	counter_line(p, link, span_trim(name), span_trim(rest));
	return true;
}

/* What a person put in place of lines that he left out. */
static bool elided_line(struct span line)
{
	return span_eq(line, "[...]") || span_eq(line, "...") || span_starts(line, "Links ");
}

static void one_line(struct parse *p, struct span line)
{
	struct nvsmi_failure f;

	if (line.n == 0 || gpu_line(p, line) || sentence_line(p, line) || link_line(p, line) ||
		elided_line(line))
		return;
	if (!nvsmi_failure(line, &f)) {
		strange_line(p, line);
		return;
	}
	if (!opt_has(p->r->error))
		p->r->error = section_str(p->s, f.error);
	if (!f.no_devices)
		section_set_status(p->s, SECTION_FAILED);
}

static size_t bits(uint64_t v)
{
	size_t n = 0;

	for (; v; v &= v - 1)
		n++;
	return n;
}

static void name_links(struct section *s, struct opt_str *out, uint64_t set)
{
	char list[LINKS_MAX * 3 + 1] = "";
	size_t n = 0;

	for (unsigned i = 0; i < LINKS_MAX; i++)
		if (set & 1ull << i)
			n += (size_t)snprintf(list + n, sizeof(list) - n, n ? ",%u" : "%u", i);
	*out = n ? section_str(s, (struct span){list, n}) : (struct opt_str){OPT_OK, ""};
}

static void finish_row(struct section *s, struct nvlink_row *row, const struct seen *seen)
{
	if (seen->listed) {
		row->links = opt_u64(bits(seen->listed));
		row->inactive = opt_u64(bits(seen->inactive));
		if (!seen->strange)
			row->active = opt_u64(row->links.v - row->inactive.v);
		name_links(s, &row->inactive_links, seen->inactive);
		row->all_inactive = opt_bool(seen->inactive == seen->listed);
	} else if (seen->counted) {
		row->links = opt_u64(bits(seen->counted));
	}
	if (seen->counted)
		row->links_with_counters = opt_u64(bits(seen->counted));
	if (opt_has(row->hard_errors) && !opt_has(row->saturated))
		row->saturated = opt_bool(false);
}

/*
 * Sums over GPUs. One that lacks a GPU's part is known only when it is above 0 without it, or
 * when the GPU has no NVLink at all.
 */
static void sum_rows(const struct nvlink_reading *r, size_t offset, struct opt_u64 *sum)
{
	enum opt_state missing = OPT_OK;
	bool any = false;

	for (size_t i = 0; i < r->gpu_n; i++) {
		const struct nvlink_row *row = &r->gpu[i];
		const struct opt_u64 *v = (const void *)((const char *)row + offset);

		if (opt_has(row->supported) && !row->supported.v)
			continue;
		any = true;
		if (opt_has(*v))
			sum->v = v->v > UINT64_MAX - sum->v ? UINT64_MAX : sum->v + v->v;
		else
			missing = v->state;
	}
	sum->state = missing == OPT_OK || sum->v ? OPT_OK : missing;
	if (!any)
		sum->state = OPT_UNKNOWN;
}

/* How many links there are is no lower bound: known when every GPU tells it. */
static void sum_links(const struct nvlink_reading *r, struct opt_u64 *sum)
{
	uint64_t total = 0;

	for (size_t i = 0; i < r->gpu_n; i++) {
		if (!opt_has(r->gpu[i].links)) {
			sum->state = r->gpu[i].links.state;
			return;
		}
		total += r->gpu[i].links.v;
	}
	if (r->gpu_n)
		*sum = opt_u64(total);
}

/* Of the GPU that the text ends in, more links may have followed. */
static void forget_last(struct parse *p)
{
	static const size_t sums[] = {IN_ROW(hard_errors), IN_ROW(replay), IN_ROW(recovery),
		IN_ROW(crc), IN_ROW(rx_errors), IN_ROW(symbol_errors), IN_ROW(effective_errors),
		IN_ROW(recovery_failed), IN_ROW(links_with_counters)};
	struct nvlink_row *row = p->row;

	if (!row)
		return;
	if (p->counting) {
		for (size_t i = 0; i < ARRAY_LEN(sums); i++)
			*(struct opt_u64 *)((char *)row + sums[i]) =
				(struct opt_u64){OPT_UNKNOWN, 0};
		row->saturated.state = OPT_UNKNOWN;
	}
	if (!p->counting || row->active.state == OPT_UNKNOWN) {
		row->links.state = OPT_UNKNOWN;
		row->active.state = row->inactive.state = OPT_UNKNOWN;
		row->inactive_links.state = OPT_UNKNOWN;
		row->all_inactive.state = OPT_UNKNOWN;
		row->rate_gb_s.state = OPT_UNKNOWN;
	}
}

static void finish(struct parse *p)
{
	struct nvlink_reading *r = p->r;
	for (size_t i = 0; i < r->gpu_n; i++) {
		struct seen none = {0};

		finish_row(p->s, &r->gpu[i], i < GPUS_MAX ? &p->seen[i] : &none);
	}
	if (p->cut) {
		forget_last(p);
		return;
	}
	r->gpus = opt_u64(r->gpu_n);
	sum_links(r, &r->links);
	sum_rows(r, IN_ROW(inactive), &r->inactive);
	sum_rows(r, IN_ROW(hard_errors), &r->hard_errors);
	sum_rows(r, IN_ROW(replay), &r->replay);
	sum_rows(r, IN_ROW(recovery), &r->recovery);
	sum_rows(r, IN_ROW(crc), &r->crc);
}

void parse_nvlink(struct section *s, struct span text)
{
	struct parse p = {.s = s, .r = s->mutable_reading};
	struct marks_piece piece;
	struct marks pieces;
	struct span line;

	if (answer_is_missing(s, text, &line)) {
		p.r->error = section_str(s, line);
		return;
	}
	pieces = answer_pieces(s, text);
	p.cut = pieces.cut;
	while (marks_next(&pieces, &piece)) {
		p.row = NULL;
		p.counting = span_find(piece.mark, "-e") >= 0;
		while (span_line(&piece.body, &line))
			one_line(&p, span_trim(line));
	}
	finish(&p);
	if (p.r->gpu_n == 0 && !opt_has(p.r->error))
		section_unread(s, "gpus", "nvidia-smi nvlink printed nothing");
}
