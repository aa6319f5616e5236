/*
 * The end of a run: which collective, which hosts, how it went, and what its log lines
 * show of the network.
 */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "collectors/compiler.h"
#include "collectors/nccl_state.h"

void nccl_run_touch(struct nccl *p)
{
	struct nccl_run *r = &p->run;

	if (r->first_line)
		return;
	r->first_line = p->line;
	if (p->command.collective != BW_COLL_UNKNOWN &&
		p->build.run.collective == BW_COLL_UNKNOWN) {
		p->build.run.collective = p->command.collective;
		p->build.run.collective_stated = true;
	}
	r->command_ranks = p->command.ranks;
	bw_hosts_copy(&p->command_hosts, &p->command.hosts);
	bw_hosts_reset(&p->command.hosts);
	bw_hosts_copy(&p->run_mapping, &p->mapping);
	r->mapping_is_old = p->mapping_used;
	p->mapping_used = p->mapping.n > 0;
	p->command.collective = BW_COLL_UNKNOWN;
	p->command.ranks.state = OPT_UNKNOWN;
}

/* ---- collective ---- */

/* Collectives by the letters that a file's name has of them, longest first. */
static const struct {
	const char *letters;
	enum bw_collective collective;
} in_names[] = {
	{"reducescatter", BW_REDUCE_SCATTER},
	{"allreduce", BW_ALL_REDUCE},
	{"allgather", BW_ALL_GATHER},
	{"alltoallv", BW_ALLTOALLV},
	{"alltoall", BW_ALLTOALL},
	{"all2all", BW_ALLTOALL},
	{"broadcast", BW_BROADCAST},
	{"sendrecv", BW_SENDRECV},
	{"hypercube", BW_HYPERCUBE},
	{"reduceperf", BW_REDUCE},
	{"gatherperf", BW_GATHER},
	{"scatterperf", BW_SCATTER},
};

enum bw_collective nccl_collective_of_name(const char *name)
{
	const char *slash = name ? strrchr(name, '/') : NULL;
	char letters[256];
	size_t n = 0;

	if (!name)
		return BW_COLL_UNKNOWN;
	for (const char *c = slash ? slash + 1 : name; *c && n + 1 < sizeof(letters); c++)
		if (*c != '_' && *c != '-')
			letters[n++] = (char)tolower((unsigned char)*c);
	letters[n] = '\0';
	for (size_t i = 0; i < ARRAY_LEN(in_names); i++)
		if (strstr(letters, in_names[i].letters))
			return in_names[i].collective;
	return BW_COLL_UNKNOWN;
}

/* busbw / algbw of the row that shows it with the most digits; 0 when none does. */
static double ratio(const struct bw_run *run)
{
	double best = 0;
	double r = 0;

	for (size_t i = 0; i < run->n_tables; i++)
		for (size_t k = 0; k < run->tables[i].n; k++) {
			const struct bw_row *row = &run->tables[i].rows[k];

			if (!opt_has(row->oop_busbw_gbps) || !opt_has(row->oop_algbw_gbps) ||
				row->oop_algbw_gbps.v <= best)
				continue;
			best = row->oop_algbw_gbps.v;
			r = row->oop_busbw_gbps.v / best;
		}
	/* Two digits behind the point: below 1 GB/s they are too few. */
	return best >= 0.5 ? r : 0;
}

static bool is_near(double a, double b)
{
	return fabs(a - b) < 0.03 * b;
}

/*
 * From the layout of rows, their operation and their factor: nccl-format.md § 2 and 3. What
 * cannot be told apart (all_gather and alltoall since 2.13) stays unknown.
 */
static enum bw_collective infer_nccl(const struct nccl *p, double r)
{
	const struct bw_run *run = &p->build.run;
	const char *redop = run->n_tables ? run->tables[0].redop : NULL;
	const struct nccl_layout *l = &p->layout;
	uint64_t n = opt_has(run->ranks) ? run->ranks.v : 0;

	if (!redop && l->known && !l->has_redop)
		return l->has_root ? BW_BROADCAST : BW_ALL_GATHER;
	if (!redop)
		return l->known && l->has_redop && !l->has_root ? BW_ALLTOALL : BW_COLL_UNKNOWN;
	if (r == 0)
		return BW_COLL_UNKNOWN;
	if (strcmp(redop, "none") == 0)
		return p->run.ip_wrong_na && r < 0.999 ? BW_ALLTOALL : BW_COLL_UNKNOWN;
	/* Before 2.13 the column was there for those that have a root only. */
	if (l->is_error && p->run.has_root)
		return BW_REDUCE;
	if (r > 1.02)
		return BW_ALL_REDUCE;
	if (r < 0.98)
		return BW_REDUCE_SCATTER;
	return p->run.ip_wrong_na || n > 2 ? BW_SENDRECV : BW_ALL_REDUCE;
}

/* Whether the rows can be of c. */
static bool is_possible(const struct nccl *p, enum bw_collective c, double r)
{
	const struct bw_run *run = &p->build.run;
	const char *redop = run->n_tables ? run->tables[0].redop : NULL;
	bool reduces = c == BW_ALL_REDUCE || c == BW_REDUCE_SCATTER || c == BW_REDUCE;
	uint64_t n = opt_has(run->ranks) ? run->ranks.v : 0;

	if (redop && strcmp(redop, "none") == 0 && reduces)
		return false;
	if (redop && strcmp(redop, "none") != 0 && !reduces && c != BW_SENDRECV)
		return false;
	if (r > 0 && n > 1)
		return is_near(r, bw_factor(c, n));
	return r <= 1.02 || c == BW_ALL_REDUCE;
}

static void set_collective(struct nccl *p)
{
	struct bw_run *run = &p->build.run;
	enum bw_collective named = nccl_collective_of_name(p->name);
	double r = ratio(run);

	if (run->collective != BW_COLL_UNKNOWN)
		return;
	if (named != BW_COLL_UNKNOWN && is_possible(p, named, r))
		run->collective = named;
	else if (run->tool == BW_NCCOM)
		run->collective = r > 1.02 ? BW_ALL_REDUCE : BW_COLL_UNKNOWN;
	else
		run->collective = infer_nccl(p, r);
}

/* ---- hosts ---- */

static bool is_name(const char *s, size_t n)
{
	bool alnum = false;

	for (size_t i = 0; i < n; i++) {
		if (!isalnum((unsigned char)s[i]) && !strchr(".-", s[i]))
			return false;
		alnum |= isalnum((unsigned char)s[i]) != 0;
	}
	return alnum && n > 0;
}

/* Takes "N2_" or "G8_" off the front. */
static bool take_count(const char **s, char letter)
{
	const char *c = *s;

	if (*c++ != letter || !isdigit((unsigned char)*c))
		return false;
	while (isdigit((unsigned char)*c))
		c++;
	if (*c != '_')
		return false;
	*s = c + 1;
	return true;
}

/* "nccl_N2_G8_a_b.log", "a--b.log": two names and no more. */
static void hosts_of_name(const char *name, struct bw_hosts *out)
{
	const char *slash = strrchr(name, '/');
	const char *base = slash ? slash + 1 : name;
	const char *dot = strrchr(base, '.');
	const char *end = dot ? dot : base + strlen(base);
	const char *mark = strstr(base, "_N2_G");
	const char *begin = mark ? mark + 1 : base;
	const char *sep = NULL;
	size_t width = 1;

	if (mark && take_count(&begin, 'N') && take_count(&begin, 'G')) {
		sep = strchr(begin, '_');
	} else {
		sep = strstr(begin = base, "--");
		width = 2;
	}
	if (!sep || sep >= end || !is_name(begin, (size_t)(sep - begin)) ||
		!is_name(sep + width, (size_t)(end - sep) - width))
		return;
	bw_hosts_add(out, (struct span){begin, (size_t)(sep - begin)});
	bw_hosts_add(out, (struct span){sep + width, (size_t)(end - sep) - width});
}

/*
 * In the order of nccl-format.md § 8. Log lines name only those that spoke: one host is no
 * answer while another source knows more.
 */
static struct bw_hosts *choose_hosts(struct nccl *p, struct bw_hosts *of_name)
{
	struct bw_hosts none = {.n = 0};
	const struct {
		struct bw_hosts *hosts;
		enum bw_hosts_from from;
	} sources[] = {
		{&p->build.ranks, BW_HOSTS_RANKS},
		{&p->build.info, BW_HOSTS_INFO},
		{p->run.mapping_is_old ? &none : &p->run_mapping, BW_HOSTS_MAPPING},
		{&p->nodelist, BW_HOSTS_NODELIST},
		{&p->command_hosts, BW_HOSTS_COMMAND},
		/* A list that an earlier run had too: the run's own command knows better. */
		{&p->run_mapping, BW_HOSTS_MAPPING},
		{of_name, BW_HOSTS_FILE_NAME},
	};
	size_t one = ARRAY_LEN(sources);

	if (p->name)
		hosts_of_name(p->name, of_name);
	for (size_t i = 0; i < ARRAY_LEN(sources); i++) {
		if (sources[i].hosts->n == 0)
			continue;
		if (sources[i].hosts->n > 1 || i == 0) {
			p->build.run.hosts_from = sources[i].from;
			return sources[i].hosts;
		}
		if (one == ARRAY_LEN(sources))
			one = i;
	}
	if (one == ARRAY_LEN(sources))
		return NULL;
	p->build.run.hosts_from = sources[one].from;
	return sources[one].hosts;
}

static void set_ranks(struct nccl *p)
{
	struct bw_run *run = &p->build.run;
	const struct nccl_run *r = &p->run;
	const struct bw_hosts *h = &p->build.ranks;

	if (r->has_ranks)
		run->ranks = opt_u64(
			r->rank_zeros > 1 || r->several_groups ? r->in_group : r->max_rank + 1);
	else
		run->ranks = r->command_ranks;
	/* Rank lines may be left out: only when all are there do hosts compare. */
	if (!r->has_ranks || h->n == 0 || run->ranks.v != r->in_group)
		return;
	for (size_t i = 0; i < h->n; i++)
		if (h->v[i].ranks != h->v[0].ranks)
			return;
	if (h->v[0].ranks * h->n == run->ranks.v)
		run->ranks_per_host = opt_u64(h->v[0].ranks);
}

/* ---- status ---- */

static double wrong_elements(const struct bw_run *run)
{
	double sum = 0;

	for (size_t i = 0; i < run->n_tables; i++)
		for (size_t k = 0; k < run->tables[i].n; k++)
			if (opt_has(run->tables[i].rows[k].wrong))
				sum += run->tables[i].rows[k].wrong.v;
	return sum;
}

static void set_why(struct nccl *p, enum bw_status status, const char *why)
{
	p->build.run.status = status;
	p->build.run.why = bw_build_text(&p->build, span_of(why));
}

static void set_truncated(struct nccl *p)
{
	char text[96];

	if (p->build.n_rows)
		snprintf(text, sizeof(text), "the output ends after %zu row%s, without a footer",
			p->build.n_rows, p->build.n_rows == 1 ? "" : "s");
	else
		snprintf(text, sizeof(text), "the output ends before the first row%s",
			p->run.headings ? "" : ", without a heading");
	set_why(p, BW_TRUNCATED, text);
}

static void set_status(struct nccl *p)
{
	const struct nccl_run *r = &p->run;
	const struct bw_run *run = &p->build.run;
	bool clean = run->tool == BW_NCCOM ? r->footers > 0 : r->has_bounds;
	double wrong = wrong_elements(run);
	char count[64];

	if (r->rank_zeros > 1) {
		set_why(p, BW_NONE,
			"runs of one rank side by side: nccl-tests was built without MPI");
	} else if (r->failed && r->failure) {
		set_why(p, BW_FAILED, r->failure);
	} else if (wrong > 0) {
		snprintf(count, sizeof(count), "%.0f wrong values", wrong);
		set_why(p, BW_FAILED, count);
	} else if (r->failed) {
		set_why(p, BW_FAILED, "the footer says FAILED");
	} else if (opt_has(run->ranks) && run->ranks.v == 1 && r->has_ranks) {
		set_why(p, BW_NONE, "one rank only: its bus bandwidth is 0 by definition");
	} else if (r->launcher_failed && !clean) {
		set_why(p, BW_FAILED, r->launcher);
	} else if (!clean) {
		set_truncated(p);
	} else {
		p->build.run.status = BW_OK;
	}
}

/* ---- trouble: what the run ended up using, not what was tried on the way ---- */

static void settle_trouble(struct nccl *p)
{
	struct bw_build *run = &p->build;
	const struct nccl_run *r = &p->run;
	bool went_well = run->run.status == BW_OK;

	/* InfiniBand has no external plugin, and libraries try providers in turn. */
	if (!r->saw_socket)
		bw_build_no_trouble(run, BW_TROUBLE_NO_PLUGIN);
	if (!r->saw_socket && (r->saw_network || went_well))
		bw_build_no_trouble(run, BW_TROUBLE_NO_PROVIDER);
	/* Sockets never have it: one finding is enough. */
	if (r->saw_socket)
		bw_build_no_trouble(run, BW_TROUBLE_NO_GDR);
	if (went_well) {
		if (!r->saw_socket)
			bw_build_no_trouble(run, BW_TROUBLE_MEMLOCK);
		bw_build_no_trouble(run, BW_TROUBLE_SHM);
		bw_build_no_trouble(run, BW_TROUBLE_TIMEOUT);
	}
}

static bool has_substance(const struct nccl *p)
{
	const struct nccl_run *r = &p->run;

	return r->has_version || r->has_start || r->banners || r->headings || r->has_ranks ||
	       p->build.n_rows || (r->failed && r->failure);
}

static void note_unread(struct nccl *p)
{
	if (!p->sink.unread)
		return;
	if (p->build.rows_lost)
		p->sink.unread(p->sink.ctx, p->run.first_line, "rows of a run",
			"more rows than are kept of one run");
}

void nccl_run_flush(struct nccl *p)
{
	struct bw_hosts of_name;
	struct bw_run *run = &p->build.run;

	bw_hosts_init(&of_name);
	if (has_substance(p)) {
		set_ranks(p);
		run = bw_build_finish(&p->build, choose_hosts(p, &of_name));
		run->first_line = p->run.first_line;
		set_collective(p);
		set_status(p);
		settle_trouble(p);
		p->seen = true;
		p->seen_tool = run->tool;
		note_unread(p);
		if (p->sink.run)
			p->sink.run(p->sink.ctx, run);
	}
	bw_hosts_release(&of_name);
	bw_build_reset(&p->build);
	bw_hosts_reset(&p->command_hosts);
	bw_hosts_reset(&p->run_mapping);
	bw_hosts_reset(&p->spoke);
	p->run = (struct nccl_run){0};
	p->layout = (struct nccl_layout){0};
	p->has_begun = false;
	p->fast.ready = false;
}
