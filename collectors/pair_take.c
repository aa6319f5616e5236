/* What the reader of a file gives, into what pair_store keeps of it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collectors/pair_keep.h"
#include "collectors/xmalloc.h"

/* Hosts and keys are numbered with 16 bits. */
#define HOSTS_MAX 65535
#define KEYS_MAX  65535
/* Mapping lines of one file, and troubles: more are no benchmark. */
#define MAPPING_MAX  BW_HOSTS_MAX
#define TROUBLES_MAX 4096

/* ---- hosts and keys by number ---- */

static uint32_t instance_of(const struct pair_file *f, uint32_t name)
{
	for (size_t i = 0; i < f->n_mapping; i++)
		if (f->mapping[i].name == name)
			return f->mapping[i].instance;
	return STRPOOL_NONE;
}

/* The number of a host of this file; STRPOOL_NONE when there are too many. */
static uint32_t host_id(struct pair_file *f, struct span name)
{
	struct pair_store *s = f->store;
	char printable[256];
	char key[384];
	struct kept_host h = {STRPOOL_NONE, STRPOOL_NONE};
	size_t len = text_printable(printable, sizeof(printable), name.p, name.n);

	h.name = strpool_id(&s->pool, (struct span){printable, len});
	if (h.name == STRPOOL_NONE)
		return STRPOOL_NONE;
	h.instance = instance_of(f, h.name);
	int n = snprintf(key, sizeof(key), "%s\t%.64s", printable,
		h.instance == STRPOOL_NONE ? "" : s->pool.items[h.instance]);
	uint32_t id = s->host_keys.n < HOSTS_MAX
			      ? strpool_id(&s->host_keys, (struct span){key, (size_t)n})
			      : STRPOOL_NONE;

	if (id == STRPOOL_NONE)
		return STRPOOL_NONE;
	if (id == s->n_hosts) {
		xgrow((void **)&s->hosts, &s->hosts_cap, s->n_hosts, sizeof(*s->hosts));
		s->hosts[s->n_hosts++] = h;
	}
	return id;
}

static bool key_is(const struct pair_key *a, const struct pair_key *b)
{
	return a->tool == b->tool && a->collective == b->collective && a->ranks == b->ranks &&
	       a->size_bytes == b->size_bytes;
}

static uint16_t key_id(struct pair_store *s, const struct pair_key *key)
{
	/* Newest first: runs of one sweep come together. */
	for (size_t i = s->n_keys; i-- > 0;)
		if (key_is(&s->keys[i], key))
			return (uint16_t)i;
	if (s->n_keys == KEYS_MAX)
		return KEYS_MAX;
	xgrow((void **)&s->keys, &s->keys_cap, s->n_keys, sizeof(*s->keys));
	s->keys[s->n_keys] = *key;
	return (uint16_t)s->n_keys++;
}

/* ---- what the reader gives ---- */

static void add_reading(struct pair_file *f, struct kept_reading r)
{
	struct kept_file *k = &f->now;

	if (r.a == r.b || r.key == KEYS_MAX || !(r.busbw_gbps > 0) || isinf(r.busbw_gbps)) {
		k->no_figure++;
		return;
	}
	xgrow((void **)&k->readings, &k->readings_cap, k->n_readings, sizeof(*k->readings));
	k->readings[k->n_readings++] = r;
}

static struct opt_f64 wrong_of(const struct bw_table *t)
{
	struct opt_f64 sum = {.state = OPT_UNSUPPORTED};

	for (size_t i = 0; i < t->n; i++)
		if (opt_has(t->rows[i].wrong))
			sum = opt_f64((opt_has(sum) ? sum.v : 0) + t->rows[i].wrong.v);
	return sum;
}

static struct pair_table summary_of(struct pair_store *s, const struct bw_table *t)
{
	struct pair_table sum = {
		.dtype = strpool_str(&s->pool, t->dtype),
		.redop = strpool_str(&s->pool, t->redop),
		.rows = t->n,
		.avg_busbw_gbps = t->avg_busbw_gbps,
		.wrong = wrong_of(t),
	};
	const struct bw_row *row = bw_table_largest(t);

	if (row) {
		sum.max_size_bytes = opt_u64(row->size_bytes);
		sum.oop_busbw_gbps = row->oop_busbw_gbps;
		sum.ip_busbw_gbps = row->ip_busbw_gbps;
	} else {
		/* Printed sizes without a figure still tell how far it went. */
		for (size_t i = 0; i < t->n; i++)
			if (!opt_has(sum.max_size_bytes) ||
				t->rows[i].size_bytes > sum.max_size_bytes.v)
				sum.max_size_bytes = opt_u64(t->rows[i].size_bytes);
	}
	return sum;
}

static const struct bw_row *row_of_size(const struct bw_table *t, uint64_t size)
{
	for (size_t i = 0; i < t->n; i++)
		if (t->rows[i].size_bytes == size)
			return &t->rows[i];
	return NULL;
}

/* The figures of a run of two hosts: one a table. */
static void take_figures(struct pair_file *f, const struct bw_run *run, uint32_t index)
{
	const struct pair_select *sel = &f->store->select;
	const struct pair_run *kept = &f->now.runs[index];

	for (size_t i = 0; i < run->n_tables; i++) {
		const struct bw_table *t = &run->tables[i];
		const struct bw_row *row =
			sel->size_bytes ? row_of_size(t, sel->size_bytes) : bw_table_largest(t);

		if (!row) {
			f->now.no_size++;
			continue;
		}
		bool ip = sel->in_place && run->tool == BW_NCCL_TESTS;
		struct opt_f64 taken = ip ? row->ip_busbw_gbps : row->oop_busbw_gbps;
		struct opt_f64 other = ip ? row->oop_busbw_gbps : row->ip_busbw_gbps;
		struct pair_key key = {run->tool, run->collective, kept->ranks, row->size_bytes};

		if (!opt_has(taken)) {
			f->now.no_figure++;
			continue;
		}
		if (opt_has(other))
			f->now.other[index] = (float)other.v;
		add_reading(f,
			(struct kept_reading){(uint16_t)kept->hosts[0], (uint16_t)kept->hosts[1],
				key_id(f->store, &key), (uint16_t)(i < UINT16_MAX ? i : UINT16_MAX),
				(float)taken.v, index});
	}
}

static void take_troubles(struct pair_file *f, const struct bw_run *run, uint32_t index)
{
	struct kept_file *k = &f->now;

	for (int t = 0; t < BW_TROUBLE_COUNT && k->n_troubles < TROUBLES_MAX; t++) {
		if (!(run->trouble & 1u << t))
			continue;
		xgrow((void **)&k->troubles, &k->troubles_cap, k->n_troubles, sizeof(*k->troubles));
		k->troubles[k->n_troubles++] = (struct kept_trouble){
			.what = (enum bw_trouble)t,
			.run = index,
			.host = run->trouble_host[t] ? host_id(f, span_of(run->trouble_host[t]))
						     : STRPOOL_NONE,
			.line = strpool_str(&f->store->pool, run->trouble_line[t]),
		};
	}
}

static struct pair_run *new_run(struct kept_file *k)
{
	size_t cap = k->runs_cap;

	xgrow((void **)&k->runs, &k->runs_cap, k->n_runs, sizeof(*k->runs));
	if (k->runs_cap != cap)
		k->other = xreallocarray(k->other, k->runs_cap, sizeof(*k->other));
	k->other[k->n_runs] = NAN;
	return &k->runs[k->n_runs++];
}

static void keep_hosts(struct pair_file *f, struct pair_run *kept, const struct bw_run *run)
{
	kept->hosts = xcalloc(run->n_hosts + 1, sizeof(*kept->hosts));
	for (size_t i = 0; i < run->n_hosts; i++) {
		uint32_t id = host_id(f, span_of(run->hosts[i]));

		if (id != STRPOOL_NONE)
			kept->hosts[kept->n_hosts++] = id;
	}
}

/*
 * Every host has as many ranks, as far as anybody says: Rank lines tell exactly, a command
 * tells only how many there are in all.
 */
static bool is_even(const struct bw_run *run)
{
	if (!opt_has(run->ranks) || run->n_hosts < 2 || opt_has(run->ranks_per_host))
		return true;
	return run->hosts_from != BW_HOSTS_RANKS && run->ranks.v % run->n_hosts == 0;
}

static void take_run(void *ctx, const struct bw_run *run)
{
	struct pair_file *f = ctx;
	struct pair_store *s = f->store;
	uint32_t index = (uint32_t)f->now.n_runs;
	struct pair_run *kept = new_run(&f->now);

	*kept = (struct pair_run){
		.tool = run->tool,
		.collective = run->collective,
		.collective_stated = run->collective_stated,
		.hosts_from = run->hosts_from,
		.status = run->status,
		.even = is_even(run),
		.first_line = run->first_line,
		.ranks = opt_has(run->ranks) ? (uint32_t)run->ranks.v : 0,
		.version = strpool_str(&s->pool, run->version),
		.why = strpool_str(&s->pool, run->why),
	};
	keep_hosts(f, kept, run);
	kept->tables = xcalloc(run->n_tables + 1, sizeof(*kept->tables));
	kept->n_tables = run->n_tables;
	for (size_t i = 0; i < run->n_tables; i++) {
		kept->tables[i] = summary_of(s, &run->tables[i]);
		kept->wrong |= (opt_has(kept->tables[i].wrong) && kept->tables[i].wrong.v > 0) ||
			       (opt_has(run->tables[i].out_of_bounds) &&
				       run->tables[i].out_of_bounds.v > 0);
	}
	if (run->status == BW_OK && !kept->wrong && kept->n_hosts == 2 && kept->even)
		take_figures(f, run, index);
	take_troubles(f, run, index);
}

static void take_pair(void *ctx, const struct bw_pair *pair)
{
	struct pair_file *f = ctx;
	uint32_t a = host_id(f, pair->a);
	uint32_t b = host_id(f, pair->b);
	struct pair_key key = {BW_CSV, pair->collective, 0, pair->size_bytes};

	if (f->store->select.size_bytes && pair->size_bytes &&
		pair->size_bytes != f->store->select.size_bytes) {
		f->now.no_size++;
		return;
	}
	if (a == STRPOOL_NONE || b == STRPOOL_NONE) {
		f->now.unread++;
		return;
	}
	add_reading(f, (struct kept_reading){(uint16_t)a, (uint16_t)b, key_id(f->store, &key), 0,
			       (float)pair->busbw_gbps, UINT32_MAX});
}

static void take_instance(void *ctx, struct span host, struct span instance_id)
{
	struct pair_file *f = ctx;
	char name[256];
	char id[64];
	size_t name_n = text_printable(name, sizeof(name), host.p, host.n);
	size_t id_n = text_printable(id, sizeof(id), instance_id.p, instance_id.n);

	if (f->n_mapping == MAPPING_MAX)
		return;
	struct kept_host h = {strpool_id(&f->store->pool, (struct span){name, name_n}),
		strpool_id(&f->store->pool, (struct span){id, id_n})};

	if (h.name == STRPOOL_NONE)
		return;
	/* A pod's name may come again for another node, for the runs behind it. */
	for (size_t i = 0; i < f->n_mapping; i++)
		if (f->mapping[i].name == h.name) {
			f->mapping[i] = h;
			return;
		}
	xgrow((void **)&f->mapping, &f->mapping_cap, f->n_mapping, sizeof(*f->mapping));
	f->mapping[f->n_mapping++] = h;
}

static void take_unread(void *ctx, unsigned line, const char *what, const char *why)
{
	struct pair_file *f = ctx;

	f->now.unread++;
	pair_store_note(f->store, f->now.path, line, what, why);
}

struct bw_sink pair_take_sink(struct pair_file *f)
{
	return (struct bw_sink){f, take_run, take_pair, take_instance, take_unread};
}
