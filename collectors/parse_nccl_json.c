#include "collectors/parse_nccl_json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collectors/bw_build.h"
#include "collectors/bw_json.h"
#include "collectors/bw_line.h"
#include "collectors/compiler.h"
#include "collectors/parse_nccl.h"
#include "collectors/xmalloc.h"

/* One object of "results". */
struct result {
	struct bw_row row;
	struct opt_f64 wrong[2]; /* out of place, in place */
	char dtype[16];
	char redop[16];
	bool has_size;
};

struct nccl_json {
	struct bw_sink sink;
	char *name;
	struct bw_json json;
	struct bw_build build;
	struct result result;
	uint64_t threads;
	uint64_t gpus;
	size_t devices;
	char host[256]; /* of the device that is being read */
	uint64_t rank;
	bool has_bounds;
	bool failed;
	char error[200];
	bool closed;
	bool seen;
	enum bw_tool tool;
};

static void on_json(void *ctx, const struct bw_json *j, enum bw_json_event e, struct span value);

static void forget(struct nccl_json *p)
{
	bw_build_reset(&p->build);
	p->result = (struct result){0};
	p->threads = p->gpus = 1;
	p->devices = 0;
	p->host[0] = p->error[0] = '\0';
	p->has_bounds = p->failed = p->closed = false;
}

struct nccl_json *nccl_json_new(const char *name, const struct bw_sink *sink)
{
	struct nccl_json *p = xcalloc(1, sizeof(*p));

	p->sink = *sink;
	p->name = name ? xstrdup(name) : NULL;
	p->json.on = on_json;
	p->json.ctx = p;
	bw_build_init(&p->build);
	forget(p);
	return p;
}

void nccl_json_free(struct nccl_json *p)
{
	if (!p)
		return;
	bw_build_release(&p->build);
	free(p->name);
	free(p);
}

bool nccl_json_seen(const struct nccl_json *p, enum bw_tool *tool)
{
	if (p->seen)
		*tool = p->tool;
	return p->seen;
}

static void copy(char *out, size_t size, struct span s)
{
	text_printable(out, size, s.p, s.n);
}

/* ---- results ---- */

/* null is "not checked"; everything else as on a terminal. */
static struct opt_f64 figure(struct span value)
{
	struct opt_f64 absent = {OPT_UNSUPPORTED, 0};

	return span_eq(value, "null") ? absent : bw_line_figure(value);
}

/* "out_of_place": {"alg_bw": ..., "bus_bw": ..., "nwrong": ...} */
static void on_half(struct nccl_json *p, bool in_place, const char *key, struct span value)
{
	struct bw_row *row = &p->result.row;

	if (strcmp(key, "bus_bw") == 0)
		*(in_place ? &row->ip_busbw_gbps : &row->oop_busbw_gbps) = figure(value);
	else if (strcmp(key, "alg_bw") == 0)
		*(in_place ? &row->ip_algbw_gbps : &row->oop_algbw_gbps) = figure(value);
	else if (strcmp(key, "nwrong") == 0)
		p->result.wrong[in_place] = figure(value);
}

static void on_result(struct nccl_json *p, const char *key, struct span value)
{
	struct result *r = &p->result;

	if (strcmp(key, "size") == 0 || strcmp(key, "size(B)") == 0)
		r->has_size = bw_line_u64(span_trim(value), &r->row.size_bytes);
	else if (strcmp(key, "type") == 0)
		copy(r->dtype, sizeof(r->dtype), value);
	else if (strcmp(key, "redop") == 0)
		copy(r->redop, sizeof(r->redop), value);
	else if (strcmp(key, "busbw(GB/s)") == 0)
		r->row.oop_busbw_gbps = figure(value);
	else if (strcmp(key, "algbw(GB/s)") == 0)
		r->row.oop_algbw_gbps = figure(value);
	if (key[0] && key[strlen(key) - 1] == ')')
		p->build.run.tool = BW_NCCOM;
}

static void end_result(struct nccl_json *p)
{
	struct result *r = &p->result;
	const struct opt_f64 *w = r->wrong;

	if (r->has_size && bw_build_table(&p->build, span_trim(span_of(r->dtype)),
				   span_trim(span_of(r->redop)))) {
		if (opt_has(w[0]) && opt_has(w[1]))
			r->row.wrong = opt_f64(w[0].v + w[1].v);
		else
			r->row.wrong = opt_has(w[0]) || !opt_has(w[1]) ? w[0] : w[1];
		bw_build_row(&p->build, &r->row);
	}
	p->result = (struct result){0};
}

/* ---- the rest ---- */

static void on_device(struct nccl_json *p, const char *key, struct span value)
{
	if (strcmp(key, "hostname") == 0)
		copy(p->host, sizeof(p->host), value);
	else if (strcmp(key, "rank") == 0 && !bw_line_u64(span_trim(value), &p->rank))
		p->rank = UINT64_MAX;
}

static void end_device(struct nccl_json *p)
{
	struct bw_host *host = bw_hosts_add(&p->build.ranks, span_of(p->host));

	p->devices++;
	if (host) {
		host->ranks++;
		if (p->rank < host->first_rank)
			host->first_rank = p->rank;
	}
	p->host[0] = '\0';
	p->rank = UINT64_MAX;
}

static void on_config(struct nccl_json *p, const char *key, struct span value)
{
	uint64_t v;

	if (!bw_line_u64(value, &v) || v == 0 || v > 65536)
		return;
	if (strcmp(key, "nthreads") == 0)
		p->threads = v;
	else if (strcmp(key, "ngpus") == 0)
		p->gpus = v;
}

/* The program's own name is the first that names a collective. */
static void on_argument(struct nccl_json *p, struct span value)
{
	size_t i = value.n;
	enum bw_collective c;

	while (i > 0 && value.p[i - 1] != '/')
		i--;
	value = (struct span){value.p + i, value.n - i};
	if (p->build.run.collective != BW_COLL_UNKNOWN || !span_ends(value, "_perf"))
		return;
	c = bw_collective_by_name(value);
	p->build.run.collective = c;
	p->build.run.collective_stated = c != BW_COLL_UNKNOWN;
}

/* "out_of_bounds" and the average, whose keys were misspelt before 2.17.9. */
static void on_footer(struct nccl_json *p, const char *object, const char *key, struct span value)
{
	struct opt_f64 v = figure(value);

	if (strcmp(key, "okay") == 0) {
		p->failed |= span_eq(value, "false");
		return;
	}
	for (size_t i = 0; i < p->build.n_tables; i++) {
		if (strcmp(object, "out_of_bounds") == 0)
			p->build.tables[i].out_of_bounds = v;
		else if (strncmp(key, "bandwi", 6) == 0)
			p->build.tables[i].avg_busbw_gbps = v;
	}
	p->has_bounds |= strcmp(object, "out_of_bounds") == 0;
}

static void on_value(struct nccl_json *p, const struct bw_json *j, struct span value)
{
	const char *top = j->key[0];
	const char *key = j->depth ? j->key[j->depth - 1] : "";

	if (strcmp(top, "results") == 0) {
		if (j->depth == 3)
			on_result(p, key, value);
		else if (j->depth == 4 && bw_json_key_is(j, 2, "out_of_place"))
			on_half(p, false, key, value);
		else if (j->depth == 4 && bw_json_key_is(j, 2, "in_place"))
			on_half(p, true, key, value);
	} else if (strcmp(top, "config") == 0) {
		if (j->depth == 2)
			on_config(p, key, value);
		else if (j->depth == 4 && bw_json_key_is(j, 1, "devices"))
			on_device(p, key, value);
	} else if (strcmp(top, "devices") == 0 && j->depth == 3) {
		on_device(p, key, value);
	} else if (strcmp(top, "args") == 0 && j->depth == 2) {
		on_argument(p, value);
	} else if (strcmp(top, "errors") == 0) {
		p->failed = true;
		if (!p->error[0])
			copy(p->error, sizeof(p->error), value);
	} else if (j->depth == 2 && (strcmp(top, "out_of_bounds") == 0 ||
					    strncmp(top, "average_bus_bandwi", 18) == 0)) {
		on_footer(p, top, key, value);
	}
}

static void set_ranks(struct nccl_json *p)
{
	struct bw_run *run = &p->build.run;
	const struct bw_hosts *h = &p->build.ranks;
	uint64_t each = p->threads * p->gpus;

	if (p->devices == 0)
		return;
	/* "devices" has the first device of each process only. */
	run->ranks = opt_u64(each * p->devices);
	run->hosts_from = BW_HOSTS_RANKS;
	for (size_t i = 0; i < h->n; i++)
		if (h->v[i].ranks != h->v[0].ranks)
			return;
	if (h->n && h->v[0].ranks * h->n == p->devices)
		run->ranks_per_host = opt_u64(each * h->v[0].ranks);
}

static bool has_wrong(const struct bw_run *run)
{
	for (size_t i = 0; i < run->n_tables; i++)
		for (size_t k = 0; k < run->tables[i].n; k++)
			if (opt_has(run->tables[i].rows[k].wrong) &&
				run->tables[i].rows[k].wrong.v > 0)
				return true;
	return false;
}

static void set_status(struct nccl_json *p)
{
	struct bw_run *run = &p->build.run;
	const char *why = NULL;

	if (p->failed || has_wrong(run)) {
		run->status = BW_FAILED;
		why = p->error[0] ? p->error : "the report says that values were wrong";
	} else if (opt_has(run->ranks) && run->ranks.v == 1) {
		run->status = BW_NONE;
		why = "one rank only: its bus bandwidth is 0 by definition";
	} else if (!p->closed) {
		run->status = BW_TRUNCATED;
		why = "the report is cut off";
	} else if (!p->has_bounds && run->tool != BW_NCCOM) {
		run->status = BW_TRUNCATED;
		why = "the report ends without a result of its checks";
	}
	run->why = why ? bw_build_text(&p->build, span_of(why)) : NULL;
}

static bool has_substance(const struct nccl_json *p)
{
	return p->build.n_rows || p->devices || p->has_bounds;
}

static void flush(struct nccl_json *p)
{
	struct bw_run *run;
	const struct bw_row *last;

	if (has_substance(p)) {
		set_ranks(p);
		run = bw_build_finish(&p->build, &p->build.ranks);
		run->first_line = 1;
		if (run->collective == BW_COLL_UNKNOWN)
			run->collective = nccl_collective_of_name(p->name);
		last = run->n_tables ? bw_table_largest(&run->tables[0]) : NULL;
		/* Only all_reduce moves more than its size. */
		if (run->collective == BW_COLL_UNKNOWN && last && opt_has(last->oop_busbw_gbps) &&
			opt_has(last->oop_algbw_gbps) &&
			last->oop_busbw_gbps.v > 1.02 * last->oop_algbw_gbps.v &&
			last->oop_algbw_gbps.v >= 0.5)
			run->collective = BW_ALL_REDUCE;
		set_status(p);
		p->seen = true;
		p->tool = run->tool;
		if (p->sink.run)
			p->sink.run(p->sink.ctx, run);
	}
	forget(p);
}

static void on_json(void *ctx, const struct bw_json *j, enum bw_json_event e, struct span value)
{
	struct nccl_json *p = ctx;

	if (e == BW_JSON_VALUE_READ) {
		on_value(p, j, value);
	} else if (e == BW_JSON_END) {
		if (j->depth == 0) {
			p->closed = true;
			flush(p);
		} else if (j->depth == 2 && bw_json_key_is(j, 0, "results")) {
			end_result(p);
		} else if ((j->depth == 3 && bw_json_key_is(j, 0, "config") &&
				   bw_json_key_is(j, 1, "devices")) ||
			   (j->depth == 2 && bw_json_key_is(j, 0, "devices"))) {
			end_device(p);
		}
	}
}

void nccl_json_feed(struct nccl_json *p, const char *bytes, size_t len)
{
	bw_json_feed(&p->json, bytes, len);
}

void nccl_json_end(struct nccl_json *p)
{
	flush(p);
}
