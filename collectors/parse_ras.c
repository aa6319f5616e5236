/*
 * ras: the answer of NCCL's own health service to `ncclras -v` (NCCL 2.24 and
 * later): version, a job summary, a table of communicator groups, and lists of
 * errors and warnings. One summary shape has all numbers in one row; when nodes
 * differ, rows of "per node" come first and a second header has the totals.
 */
#include "collectors/section.h"

#include <string.h>

#include "collectors/marks.h"

#define COLUMNS_MAX 12

enum part { PART_HEAD, PART_SUMMARY, PART_COMMS, PART_ERRORS, PART_WARNINGS };

struct ras_parse {
	struct section *s;
	struct ras_reading *r;
	enum part part;
	struct span heading;              /* the line before: names of the columns */
	struct span columns[COLUMNS_MAX]; /* "Nodes", "Processes" ... where the total stands */
	size_t columns_n;
	uint64_t groups;
	uint64_t errors, warnings, missing;
	size_t worst;
	bool seen[PART_WARNINGS + 1];
	struct span entry; /* the first entry, until its first detail line is known */
	bool unclear;
};

/* What a communicator group can be in, worst last; "Errors" column, then "Status". */
static const char *const states[] = {
	"", "RUNNING", "FINALIZE", "INIT", "NOCOMM", "ABORT", "MISMATCH", "ERROR", "INCOMPLETE"};

static bool read_title(struct ras_parse *p, struct span line)
{
	static const struct {
		const char *title;
		enum part part;
	} titles[] = {
		{"Job summary", PART_SUMMARY},
		{"Communicators...", PART_COMMS},
		{"Errors", PART_ERRORS},
		{"Warnings", PART_WARNINGS},
	};

	for (size_t i = 0; i < ARRAY_LEN(titles); i++) {
		if (!span_starts(line, titles[i].title) ||
			(titles[i].part >= PART_ERRORS && !span_eq(line, titles[i].title)))
			continue;
		p->part = titles[i].part;
		p->seen[p->part] = true;
		p->heading = (struct span)SPAN_INIT;
		p->columns_n = 0;
		return true;
	}
	return false;
}

/* "NCCL version 2.24.3 compiled with CUDA 12.6" */
static void read_head(struct ras_parse *p, struct span line)
{
	static const char version[] = "NCCL version ";
	static const char *const refusals[] = {"refused", "Failed to connect", "could not connect"};
	struct span rest;
	struct span word;

	if (span_starts(line, version)) {
		rest = (struct span){line.p + sizeof(version) - 1, line.n - (sizeof(version) - 1)};
		if (span_word(&rest, &word))
			p->r->nccl_version = section_str(p->s, word);
		p->r->listening = opt_bool(true);
		return;
	}
	for (size_t i = 0; i < ARRAY_LEN(refusals); i++)
		if (span_ifind(line, refusals[i]) >= 0 && !opt_has(p->r->listening))
			p->r->listening = opt_bool(false);
	if (span_ifind(line, "not found") >= 0)
		section_set_status(p->s, SECTION_UNAVAILABLE);
}

/*
 * Second header line: "(total)   per node  per process    (total)  (total)".
 * Remembers the name above each "(total)", and nothing for the others.
 */
static void read_units(struct ras_parse *p, struct span line)
{
	struct span names = p->heading;
	struct span name;
	struct span word;

	p->columns_n = 0;
	while (p->columns_n < COLUMNS_MAX && span_word(&line, &word)) {
		if (!span_word(&names, &name))
			break;
		bool total = span_eq(word, "(total)");

		if (!total && !span_word(&line, &word))
			break;
		p->columns[p->columns_n++] = total ? name : (struct span)SPAN_INIT;
	}
}

static void read_summary(struct ras_parse *p, struct span line)
{
	const struct {
		const char *name;
		struct opt_u64 *out;
	} totals[] = {
		{"Nodes", &p->r->nodes},
		{"Processes", &p->r->processes},
		{"GPUs", &p->r->gpus},
	};
	struct span word;
	struct span rest = line;

	if (span_starts(line, "Nodes")) {
		p->heading = line;
		return;
	}
	if (span_find(line, "per node") >= 0 || span_find(line, "(total)") >= 0) {
		read_units(p, line);
		return;
	}
	for (size_t i = 0; i < p->columns_n && span_word(&rest, &word); i++) {
		if (marks_u64(word).state != OPT_OK)
			return; /* "The outlier node:" and its details */
		for (size_t k = 0; k < ARRAY_LEN(totals); k++)
			if (span_eq(p->columns[i], totals[k].name))
				*totals[k].out = marks_u64(word);
	}
}

static size_t rank_of(struct span words)
{
	struct span one;
	size_t worst = 0;

	while (span_field(&words, ',', &one))
		for (size_t i = 1; i < ARRAY_LEN(states); i++)
			if (span_eq(one, states[i]) && i > worst)
				worst = i;
	return worst;
}

/* "    0         1         4         8        32        32   RUNNING  MISMATCH" */
static void read_group(struct ras_parse *p, struct span line)
{
	struct span rest = line;
	struct span w[8];
	uint64_t unused;

	for (size_t i = 0; i < ARRAY_LEN(w); i++)
		if (!span_word(&rest, &w[i]))
			return;
	if (!span_u64(w[0], &unused) || !span_u64(w[1], &unused))
		return;
	p->groups++;
	size_t status = rank_of(w[6]);
	size_t error = rank_of(w[7]);

	if (error == 0 && !span_eq(w[7], "OK")) {
		section_unread(
			p->s, "status", "\"%.*s\"", (int)(w[7].n > 40 ? 40 : w[7].n), w[7].p);
		p->unclear = true;
	}
	if (error > status)
		status = error;
	if (status > p->worst)
		p->worst = status;
	if (status == 0)
		p->unclear = true;
}

/* "Missing communicator data from 255 ranks" */
static void read_missing(struct ras_parse *p, struct span line)
{
	static const char head[] = "Missing communicator data from ";
	struct span rest;
	uint64_t n;

	if (!span_starts(line, head))
		return;
	if (span_lead_u64((struct span){line.p + sizeof(head) - 1, line.n - (sizeof(head) - 1)}, &n,
		    &rest) &&
		span_starts(rest, " rank"))
		p->missing += n;
}

/* The first entry with what it is about; once. */
static void set_error(struct ras_parse *p, struct span detail)
{
	struct span e = p->entry;

	if (!e.n)
		return;
	p->r->error = section_strf(p->s, "%.*s%s%.*s", (int)(e.n > 100 ? 100 : e.n), e.p,
		detail.n ? ": " : "", (int)(detail.n > 300 ? 300 : detail.n),
		detail.n ? detail.p : "");
	p->entry = (struct span)SPAN_INIT;
}

/* An entry begins at the margin ("INCOMPLETE", "#0-0 (hash) MISMATCH"); its details are indented. */
static void read_entry(struct ras_parse *p, struct span raw, struct span line)
{
	if (raw.p[0] == ' ' || raw.p[0] == '\t') {
		set_error(p, line);
		read_missing(p, line);
		return;
	}
	set_error(p, (struct span)SPAN_INIT);
	if (p->errors + p->warnings == 0)
		p->entry = line;
	if (p->part == PART_ERRORS)
		p->errors++;
	else
		p->warnings++;
}

static void read_line(struct ras_parse *p, struct span raw)
{
	struct span line = span_trim(raw);

	if (!line.n || span_starts(line, "===") || span_starts(line, "#@"))
		return;
	if (read_title(p, line))
		return;
	if (p->part == PART_HEAD)
		read_head(p, line);
	else if (p->part == PART_SUMMARY)
		read_summary(p, line);
	else if (p->part == PART_COMMS)
		read_group(p, line);
	else
		read_entry(p, raw, line);
}

void parse_ras(struct section *s, struct span text)
{
	struct ras_parse p = {.s = s, .r = s->mutable_reading};
	struct span line;
	bool cut;

	text = marks_whole_lines(s, text, &cut);
	while (span_line(&text, &line))
		read_line(&p, line);
	if (!cut)
		set_error(&p, (struct span)SPAN_INIT);
	/* Lists are known when the part after them has begun, or the text is whole. */
	if (p.seen[PART_COMMS] && (p.seen[PART_ERRORS] || !cut)) {
		p.r->communicators = opt_u64(p.groups);
		if (p.worst && !p.unclear)
			p.r->status = section_str(s, span_of(states[p.worst]));
	}
	if (p.seen[PART_ERRORS] && (p.seen[PART_WARNINGS] || !cut))
		p.r->errors = opt_u64(p.errors);
	if (!p.seen[PART_WARNINGS] || cut)
		return;
	p.r->warnings = opt_u64(p.warnings);
	p.r->missing_ranks = opt_u64(p.missing);
}
