#include "collectors/parse_nccl.h"

#include <stdlib.h>
#include <string.h>

#include "collectors/bw_reader.h"
#include "collectors/compiler.h"
#include "collectors/nccl_state.h"
#include "collectors/xmalloc.h"

struct nccl *nccl_new(const char *name, const struct bw_sink *sink)
{
	struct nccl *p = xcalloc(1, sizeof(*p));

	p->sink = *sink;
	p->name = name ? xstrdup(name) : NULL;
	bw_build_init(&p->build);
	bw_hosts_init(&p->command.hosts);
	bw_hosts_init(&p->command_hosts);
	bw_hosts_init(&p->nodelist);
	bw_hosts_init(&p->mapping);
	bw_hosts_init(&p->run_mapping);
	bw_hosts_init(&p->spoke);
	return p;
}

void nccl_free(struct nccl *p)
{
	if (!p)
		return;
	bw_build_release(&p->build);
	bw_hosts_release(&p->command.hosts);
	bw_hosts_release(&p->command_hosts);
	bw_hosts_release(&p->nodelist);
	bw_hosts_release(&p->mapping);
	bw_hosts_release(&p->run_mapping);
	bw_hosts_release(&p->spoke);
	free(p->name);
	free(p);
}

bool nccl_seen(const struct nccl *p, enum bw_tool *tool)
{
	if (p->seen)
		*tool = p->seen_tool;
	return p->seen;
}

static struct span after(struct span s, size_t n)
{
	return (struct span){s.p + n, s.n - n};
}

/* ---- what begins a run, and what continues one ---- */

/*
 * A binary that was built without MPI, started N times by mpirun, prints N runs of one rank
 * side by side: N banners before the first table ends. A second banner is therefore no new
 * run as long as the first could be one of these: nothing but banners so far, or one rank
 * and a table without a footer.
 */
static bool is_side_by_side(const struct nccl_run *r)
{
	if (r->failed || r->command_since)
		return false;
	if (!r->has_ranks)
		return r->headings == 0 && r->footers == 0;
	return r->max_rank == 0 && r->footers < (r->banners ? r->banners : 1);
}

static bool has_body(const struct nccl *p)
{
	return p->run.has_ranks || p->run.headings || p->run.footers || p->build.n_rows ||
	       p->run.failed;
}

/* Ends the run before when this line cannot belong to it. */
static void begin_unless(struct nccl *p, bool same_run)
{
	if (!same_run)
		nccl_run_flush(p);
	nccl_run_touch(p);
}

static void on_version(struct nccl *p, struct span rest)
{
	struct span word;

	begin_unless(p,
		(!has_body(p) && !p->run.has_version && !p->run.has_start && p->run.banners == 0) ||
			is_side_by_side(&p->run));
	p->run.has_version = true;
	if (span_word(&rest, &word))
		p->build.run.version = bw_build_text(&p->build, word);
}

static void on_start(struct nccl *p, struct span rest)
{
	struct span word;

	begin_unless(p, (!has_body(p) && !p->run.has_start && p->run.banners == 0) ||
				is_side_by_side(&p->run));
	p->run.has_start = true;
	if (!span_word(&rest, &word))
		return;
	p->build.run.collective = bw_collective_by_name(word);
	p->build.run.collective_stated = p->build.run.collective != BW_COLL_UNKNOWN;
}

static void on_threads(struct nccl *p, struct span rest)
{
	(void)rest;
	begin_unless(p, (!has_body(p) && p->run.banners == 0) || is_side_by_side(&p->run));
	p->run.banners++;
}

/* A comparison that compilers turn into one of integers. */
#define IS(s, literal) \
	((s).n == sizeof(literal) - 1 && memcmp((s).p, (literal), sizeof(literal) - 1) == 0)

struct rank_line {
	uint64_t rank;
	uint64_t group;
	uint64_t pid; /* 0: not printed */
	struct span host;
};

static bool take_word(struct span *rest, struct span *word)
{
	const char *c = rest->p;
	const char *end = rest->p + rest->n;

	while (c < end && *c == ' ')
		c++;
	word->p = c;
	while (c < end && *c != ' ')
		c++;
	word->n = (size_t)(c - word->p);
	*rest = (struct span){c, (size_t)(end - c)};
	return word->n > 0;
}

/* "0 Group  0 Pid 6899 on HOST device  0 [0x1b] NAME"; v1 has neither Group nor Pid. */
static bool read_rank_line(struct span rest, struct rank_line *r)
{
	struct span word;

	*r = (struct rank_line){0};
	if (!take_word(&rest, &word) || !bw_line_u64(word, &r->rank))
		return false;
	for (int i = 0; i < 3 && take_word(&rest, &word); i++) {
		if (IS(word, "on"))
			return take_word(&rest, &r->host) && take_word(&rest, &word) &&
			       IS(word, "device");
		uint64_t *to = IS(word, "Group") ? &r->group : IS(word, "Pid") ? &r->pid : NULL;

		if (!to || !take_word(&rest, &word) || !bw_line_u64(word, to))
			return false;
	}
	return false;
}

/* A rank 0 again: of another run, or of the next one-rank run side by side. */
static bool is_rank_of_run(const struct nccl *p, const struct rank_line *r)
{
	const struct nccl_run *run = &p->run;

	if (!run->has_ranks)
		return p->build.n_rows == 0 && run->footers == 0 && !run->failed;
	if (r->rank != 0 || run->rank_zeros == 0)
		return true;
	if (run->max_rank > 0)
		return r->pid && r->pid == run->rank_zero_pid;
	return run->banners > 1 || is_side_by_side(run);
}

static void on_rank(struct nccl *p, struct span rest)
{
	struct rank_line r;
	struct nccl_run *run = &p->run;
	struct bw_host *host;

	if (!read_rank_line(rest, &r))
		return;
	begin_unless(p, is_rank_of_run(p, &r));
	if (!run->has_ranks)
		run->group = r.group;
	run->has_ranks = true;
	if (r.group != run->group) {
		run->several_groups = true;
		return;
	}
	if (r.rank == 0 && run->rank_zeros++ == 0)
		run->rank_zero_pid = r.pid;
	run->in_group++;
	if (r.rank > run->max_rank)
		run->max_rank = r.rank;
	host = bw_hosts_add(&p->build.ranks, r.host);
	if (host) {
		host->ranks++;
		if (r.rank < host->first_rank)
			host->first_rank = r.rank;
	}
}

/* ---- tables ---- */

/* A table that follows a footer without a banner is of a run that nobody introduced. */
static bool is_table_of_run(const struct nccl *p)
{
	return p->run.footers == 0 || p->run.rank_zeros > 1 || p->run.banners > 1;
}

static void on_heading(struct nccl *p, struct span line)
{
	struct nccl_layout layout = p->layout;

	if (!nccl_layout_read(&layout, line))
		return;
	/* Streams of nccom-test: the next heading follows the average directly. */
	begin_unless(p, layout.nccom ? !p->run.command_since : is_table_of_run(p));
	p->layout = layout;
	if (p->layout.nccom)
		p->build.run.tool = BW_NCCOM;
	p->run.headings++;
	if (p->run.rank_zeros <= 1)
		bw_build_close_table(&p->build);
}

static void on_halves(struct nccl *p, struct span line)
{
	nccl_layout_halves(&p->layout, line);
}

static bool take_row(struct nccl *p, const struct nccl_row *row)
{
	if (p->run.footers && !p->layout.nccom && !is_table_of_run(p))
		nccl_run_flush(p);
	nccl_run_touch(p);
	p->run.has_root |= row->has_root;
	p->run.ip_wrong_na |= row->ip_unchecked;
	return bw_build_table(&p->build, row->dtype, row->redop) != NULL;
}

/* A line that begins with a digit: a row, the begin of one, or the rest of one. */
static bool on_row(struct nccl *p, struct span line)
{
	struct nccl_row row;

	if (p->fast.ready && nccl_fast_read(&p->fast, line, &row.row)) {
		bw_build_row(&p->build, &row.row);
		return true;
	}
	p->fast.ready = false;
	switch (nccl_row_read(&p->layout, line, &row)) {
	case NCCL_ROW_WHOLE:
		p->has_begun = false;
		if (take_row(p, &row)) {
			bw_build_row(&p->build, &row.row);
			nccl_fast_learn(&p->fast, &p->layout, &row);
		}
		return true;
	case NCCL_ROW_BEGUN:
		if (!take_row(p, &row))
			return true;
		p->begun = row;
		p->has_begun = true;
		p->begun.dtype = p->begun.redop = (struct span)SPAN_INIT;
		nccl_log_line(p, row.rest);
		return true;
	case NCCL_ROW_NONE:
		break;
	}
	if (!p->has_begun || !nccl_row_resume(&p->layout, line, &p->begun))
		return false;
	p->has_begun = false;
	bw_build_row(&p->build, &p->begun.row);
	return true;
}

/* The figure behind a colon: "Avg bus bandwidth:\t9.1966GB/s", "Out of bounds values : 0 OK" */
static bool figure_behind(struct span rest, double *v, struct span *tail)
{
	const char *colon = memchr(rest.p, ':', rest.n);

	if (!colon)
		return false;
	rest = span_trim(after(rest, (size_t)(colon - rest.p) + 1));
	return span_lead_f64(rest, v, tail) && *v >= 0;
}

static void fail(struct nccl *p)
{
	p->run.failed = true;
}

static void on_bounds(struct nccl *p, struct span rest)
{
	struct span tail;
	double v;

	if (!figure_behind(rest, &v, &tail))
		return;
	nccl_run_touch(p);
	p->run.has_bounds = true;
	p->run.bounds_last = true;
	p->run.footers++;
	for (size_t i = p->run.open_table; i < p->build.n_tables; i++)
		p->build.tables[i].out_of_bounds = opt_f64(v);
	if (v > 0 || span_find(tail, "FAILED") >= 0)
		fail(p);
}

static void on_average(struct nccl *p, struct span rest)
{
	struct span tail;
	double v;

	if (!figure_behind(rest, &v, &tail))
		return;
	nccl_run_touch(p);
	if (!p->run.bounds_last)
		p->run.footers++;
	p->run.bounds_last = false;
	for (size_t i = p->run.open_table; i < p->build.n_tables; i++)
		p->build.tables[i].avg_busbw_gbps = opt_f64(v);
	if (p->run.rank_zeros <= 1)
		p->run.open_table = p->build.n_tables;
	if (span_find(tail, "FAILED") >= 0)
		fail(p);
}

static void on_nothing(struct nccl *p, struct span rest)
{
	(void)p;
	(void)rest;
}

/* Lines of nccl-tests itself, by how they begin; the handler gets what follows. */
#define BEGIN(literal) (literal), sizeof(literal) - 1
static const struct {
	const char *begin;
	size_t n;
	bool whole; /* the handler wants the whole line */
	void (*on)(struct nccl *p, struct span rest);
} lines[] = {
	{BEGIN("nccl-tests version "), false, on_version},
	{BEGIN("Collective test starting:"), false, on_start},
	{BEGIN("Collective test concluded"), false, on_nothing},
	{BEGIN("nThread "), false, on_threads},
	{BEGIN("Rank "), false, on_rank},
	{BEGIN("Out of bounds values"), false, on_bounds},
	{BEGIN("Avg bus bandwidth"), false, on_average},
	{BEGIN("Using devices"), false, on_nothing},
	{BEGIN("Reducing maxBytes "), false, on_nothing},
	{BEGIN("(B) "), false, on_nothing},
	{BEGIN("size"), true, on_heading},
	{BEGIN("bytes "), true, on_heading},
	{BEGIN("out-of-place"), true, on_halves},
	{BEGIN("in-place"), true, on_halves},
};

static bool own_line(struct nccl *p, struct span bare)
{
	for (size_t i = 0; i < ARRAY_LEN(lines); i++) {
		if (bare.p[0] != lines[i].begin[0] || bare.n < 2 ||
			bare.p[1] != lines[i].begin[1] || bare.n < lines[i].n ||
			memcmp(bare.p, lines[i].begin, lines[i].n) != 0)
			continue;
		p->fast.ready = false;
		lines[i].on(p, lines[i].whole ? bare : after(bare, lines[i].n));
		return true;
	}
	return false;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool on_comment(struct nccl *p, struct span line)
{
	struct span bare = bw_line_bare(line);

	if (bare.n == 0)
		return true;
	return !is_digit(bare.p[0]) && !memchr(bare.p, '\033', bare.n) && own_line(p, bare);
}

void nccl_line(struct nccl *p, struct span line, unsigned number)
{
	struct span bare;
	size_t i = 0;

	p->line = number;
	while (i < line.n && line.p[i] == ' ')
		i++;
	if (i == line.n)
		return;
	/* Most lines of a long file are rows without a wrapper, or nccl-tests' own comments. */
	if (is_digit(line.p[i]) && on_row(p, line))
		return;
	if (line.p[i] == '#' && on_comment(p, after(line, i)))
		return;
	line = bw_line_strip(line, p->scratch);
	bare = bw_line_bare(line);
	if (bare.n == 0)
		return;
	if (is_digit(bare.p[0]) && on_row(p, bare))
		return;
	if (!own_line(p, bare))
		nccl_log_line(p, line);
}

void nccl_end(struct nccl *p)
{
	nccl_run_flush(p);
}
