#include <math.h>
#include <stdlib.h>

#include "collectors/json.h"
#include "tui/report_pairs.h"

static void add_f64(cJSON *o, const char *name, double v)
{
	if (isfinite(v))
		cJSON_AddNumberToObject(o, name, v);
	else
		cJSON_AddNullToObject(o, name);
}

static void add_opt(cJSON *o, const char *name, struct opt_f64 v)
{
	add_f64(o, name, opt_has(v) ? v.v : NAN);
}

/* Figures are kept as float: their two decimals, not float's seventeen. */
static double hundredths(double v)
{
	return isfinite(v) ? round(v * 100) / 100 : v;
}

/* ---- runs ---- */

struct run_writer {
	const struct report_pairs *r;
	cJSON *runs;
};

static void add_table(cJSON *tables, const struct pair_table *t)
{
	cJSON *o = cJSON_CreateObject();

	json_add_str(o, "dtype", t->dtype);
	json_add_str(o, "redop", t->redop);
	json_add_u64(o, "rows", t->rows);
	if (opt_has(t->max_size_bytes))
		json_add_u64(o, "max_size_bytes", t->max_size_bytes.v);
	else
		cJSON_AddNullToObject(o, "max_size_bytes");
	add_opt(o, "busbw_oop", t->oop_busbw_gbps);
	add_opt(o, "busbw_ip", t->ip_busbw_gbps);
	add_opt(o, "avg_busbw", t->avg_busbw_gbps);
	add_opt(o, "wrong", t->wrong);
	cJSON_AddItemToArray(tables, o);
}

static const char *hosts_from_name(enum bw_hosts_from from)
{
	static const char *const names[] = {
		[BW_HOSTS_UNKNOWN] = NULL,
		[BW_HOSTS_RANKS] = "ranks",
		[BW_HOSTS_INFO] = "log lines",
		[BW_HOSTS_MAPPING] = "host lines",
		[BW_HOSTS_NODELIST] = "node list",
		[BW_HOSTS_COMMAND] = "command",
		[BW_HOSTS_FILE_NAME] = "file name",
		[BW_HOSTS_COLUMNS] = "columns",
	};

	return (unsigned)from < sizeof(names) / sizeof(names[0]) ? names[from] : NULL;
}

static bool add_run(void *ctx, const char *path, const struct pair_run *run)
{
	struct run_writer *w = ctx;
	cJSON *o = cJSON_CreateObject();

	json_add_str(o, "file", path);
	json_add_u64(o, "line", run->first_line);
	json_add_str(o, "tool", bw_tool_name(run->tool));
	json_add_str(o, "version", run->version);
	json_add_str(o, "collective",
		run->collective == BW_COLL_UNKNOWN ? NULL : bw_collective_name(run->collective));
	cJSON_AddBoolToObject(o, "collective_stated", run->collective_stated);
	cJSON *hosts = cJSON_AddArrayToObject(o, "hosts");

	for (size_t i = 0; i < run->n_hosts; i++)
		cJSON_AddItemToArray(
			hosts, cJSON_CreateString(pair_store_host(w->r->store, run->hosts[i])));
	json_add_str(o, "hosts_from", hosts_from_name(run->hosts_from));
	if (run->ranks)
		json_add_u64(o, "ranks", run->ranks);
	else
		cJSON_AddNullToObject(o, "ranks");
	json_add_str(o, "status", bw_status_name(run->status));
	json_add_str(o, "why", run->why);
	cJSON *tables = cJSON_AddArrayToObject(o, "tables");

	for (size_t i = 0; i < run->n_tables; i++)
		add_table(tables, &run->tables[i]);
	cJSON_AddItemToArray(w->runs, o);
	return true;
}

/* ---- pairs ---- */

static void add_pair(cJSON *pairs, const struct report_pairs *r, size_t a, size_t b)
{
	cJSON *o = cJSON_CreateObject();
	size_t n;
	const struct pair_reading *reading = pair_set_readings(r->set, a, b, &n);
	double min = NAN;
	double max = NAN;

	for (size_t i = 0; i < n; i++) {
		double v = reading[i].busbw_gbps;

		min = v >= min ? min : v;
		max = v <= max ? max : v;
	}
	json_add_str(o, "a", r->set->nodes[a].name);
	json_add_str(o, "b", r->set->nodes[b].name);
	json_add_u64(o, "n", n);
	add_f64(o, "busbw", hundredths(pair_set_busbw(r->set, a, b)));
	add_f64(o, "min", hundredths(min));
	add_f64(o, "max", hundredths(max));
	add_f64(o, "expected", hundredths(attribution_expected(r->at, a, b)));
	json_add_str(o, "verdict", report_pairs_verdict(r, a, b));
	cJSON_AddItemToArray(pairs, o);
}

static void add_pairs(cJSON *root, const struct report_pairs *r)
{
	cJSON *pairs = cJSON_AddArrayToObject(root, "pairs");
	size_t p = 0;

	for (size_t a = 0; a < r->set->n; a++)
		for (size_t b = a + 1; b < r->set->n; b++, p++)
			if (r->set->first[p + 1] > r->set->first[p])
				add_pair(pairs, r, a, b);
}

/* ---- the diagnosis ---- */

static cJSON *pair_of(const struct report_pairs *r, size_t a, size_t b)
{
	cJSON *pair = cJSON_CreateArray();

	cJSON_AddItemToArray(pair, cJSON_CreateString(r->set->nodes[a].name));
	cJSON_AddItemToArray(pair, cJSON_CreateString(r->set->nodes[b].name));
	return pair;
}

static void add_confidence(cJSON *diagnosis, const struct report_pairs *r)
{
	const struct attribution *at = r->at;
	cJSON *c = cJSON_AddObjectToObject(diagnosis, "confidence");
	cJSON *nodes = cJSON_AddObjectToObject(c, "nodes");
	cJSON *links = cJSON_AddArrayToObject(c, "links");

	for (size_t i = 0; i < at->n_nodes; i++)
		add_f64(nodes, r->set->nodes[at->nodes[i].node].name,
			hundredths(at->nodes[i].confidence));
	for (size_t i = 0; i < at->n_links; i++)
		cJSON_AddItemToArray(
			links, cJSON_CreateNumber(hundredths(at->links[i].confidence)));
	add_f64(c, "topology",
		at->topology == TOPOLOGY_NONE ? NAN : hundredths(at->topology_confidence));
}

static void add_deficits(cJSON *diagnosis, const struct report_pairs *r)
{
	const struct attribution *at = r->at;
	cJSON *d = cJSON_AddObjectToObject(diagnosis, "deficit");
	cJSON *nodes = cJSON_AddObjectToObject(d, "nodes");
	cJSON *links = cJSON_AddArrayToObject(d, "links");

	for (size_t i = 0; i < at->n_nodes; i++)
		add_f64(nodes, r->set->nodes[at->nodes[i].node].name,
			round(at->nodes[i].deficit * 1000) / 1000);
	for (size_t i = 0; i < at->n_links; i++)
		cJSON_AddItemToArray(
			links, cJSON_CreateNumber(round(at->links[i].deficit * 1000) / 1000));
	add_f64(d, "topology",
		at->topology == TOPOLOGY_NONE ? NAN : round(at->topology_effect * 1000) / 1000);
}

static void add_diagnosis(cJSON *root, const struct report_pairs *r)
{
	const struct attribution *at = r->at;
	cJSON *d = cJSON_AddObjectToObject(root, "diagnosis");
	cJSON *nodes = cJSON_AddArrayToObject(d, "suspect_nodes");
	cJSON *links = cJSON_AddArrayToObject(d, "suspect_links");

	for (size_t i = 0; i < at->n_nodes; i++)
		cJSON_AddItemToArray(
			nodes, cJSON_CreateString(r->set->nodes[at->nodes[i].node].name));
	for (size_t i = 0; i < at->n_links; i++)
		cJSON_AddItemToArray(links, pair_of(r, at->links[i].a, at->links[i].b));
	json_add_str(d, "topology", topology_class_name(at->topology));
	json_add_str(d, "topology_where", at->topology_where);
	cJSON *transient = cJSON_AddArrayToObject(d, "transient_pairs");

	for (size_t i = 0; i < at->n_transients; i++)
		cJSON_AddItemToArray(
			transient, pair_of(r, at->transients[i].a, at->transients[i].b));
	cJSON *untested = cJSON_AddArrayToObject(d, "untested");
	cJSON *little = cJSON_AddArrayToObject(d, "little_tested");

	for (size_t i = 0; i < at->n; i++)
		if (at->tested[i] != TESTED_WELL)
			cJSON_AddItemToArray(at->tested[i] == TESTED_NOT ? untested : little,
				cJSON_CreateString(r->set->nodes[i].name));
	cJSON_AddBoolToObject(d, "enough", at->enough);
	add_confidence(d, r);
	add_deficits(d, r);
	cJSON *why = cJSON_AddArrayToObject(d, "why");

	for (size_t i = 0; i < at->n_why; i++)
		cJSON_AddItemToArray(why, cJSON_CreateString(at->why[i]));
}

/* ---- what is in no matrix ---- */

static void add_key(cJSON *o, const struct pair_key *key)
{
	json_add_str(o, "tool", bw_tool_name(key->tool));
	json_add_str(o, "collective",
		key->collective == BW_COLL_UNKNOWN ? NULL : bw_collective_name(key->collective));
	if (key->ranks)
		json_add_u64(o, "ranks", key->ranks);
	if (key->size_bytes)
		json_add_u64(o, "size_bytes", key->size_bytes);
}

static void add_left_out(cJSON *root, const struct pair_left_out *l)
{
	cJSON *o = cJSON_AddObjectToObject(root, "left_out");

	json_add_u64(o, "failed", l->failed);
	json_add_u64(o, "wrong_values", l->wrong);
	json_add_u64(o, "truncated", l->truncated);
	json_add_u64(o, "one_rank", l->one_rank);
	json_add_u64(o, "not_a_pair", l->not_a_pair);
	json_add_u64(o, "no_hosts", l->no_hosts);
	json_add_u64(o, "ambiguous", l->ambiguous);
	json_add_u64(o, "no_size", l->no_size);
	json_add_u64(o, "no_figure", l->no_figure);
	json_add_u64(o, "other_set", l->other_set);
	json_add_u64(o, "not_understood", l->unread);
	json_add_u64(o, "files_without_benchmark", l->nothing);
}

static void add_lists(cJSON *root, const struct report_pairs *r)
{
	const struct pair_set *set = r->set;
	cJSON *failures = cJSON_AddArrayToObject(root, "failures");
	cJSON *troubles = cJSON_AddArrayToObject(root, "troubles");
	cJSON *others = cJSON_AddArrayToObject(root, "alternatives");

	for (size_t i = 0; i < set->n_failures; i++) {
		const struct pair_failure *f = &set->failures[i];
		cJSON *o = cJSON_CreateObject();

		json_add_str(o, "a", set->nodes[f->a].name);
		json_add_str(o, "b", set->nodes[f->b].name);
		json_add_str(o, "status", bw_status_name(f->status));
		json_add_str(o, "why", f->why);
		json_add_str(o, "file", f->path);
		cJSON_AddItemToArray(failures, o);
	}
	for (size_t i = 0; i < set->n_troubles; i++) {
		const struct pair_trouble *t = &set->troubles[i];
		cJSON *o = cJSON_CreateObject();

		json_add_str(o, "trouble", bw_trouble_name(t->what));
		json_add_str(o, "node", t->node == FLEET_NONE ? NULL : set->nodes[t->node].name);
		json_add_str(o, "line", t->line);
		json_add_str(o, "file", t->path);
		cJSON_AddItemToArray(troubles, o);
	}
	for (size_t i = 0; i < set->n_alternatives; i++) {
		cJSON *o = cJSON_CreateObject();

		add_key(o, &set->alternatives[i].key);
		json_add_u64(o, "pairs", set->alternatives[i].pairs);
		json_add_u64(o, "readings", set->alternatives[i].runs);
		cJSON_AddItemToArray(others, o);
	}
}

static void add_simple(cJSON *root, const struct report_pairs *r)
{
	cJSON *o = cJSON_AddObjectToObject(root, "rule");
	const struct simple_verdict *v = r->simple;

	json_add_str(o, "name", v ? simple_rule_name(r->rule) : "own");
	if (!v)
		return;
	json_add_str(o, "source", simple_rule_source(r->rule));
	add_f64(o, "limit", hundredths(v->limit_gbps));
	cJSON *low = cJSON_AddArrayToObject(o, "suspect_nodes");

	for (size_t i = 0; i < r->set->n; i++)
		if (v->node_low[i])
			cJSON_AddItemToArray(low, cJSON_CreateString(r->set->nodes[i].name));
	json_add_u64(o, "pairs_low", v->pairs_low);
	json_add_u64(o, "nodes_differ", v->nodes_differ);
	json_add_u64(o, "pairs_differ", v->pairs_differ);
}

enum err_code report_pairs_json(struct buf *out, const struct report_pairs *r)
{
	cJSON *root = cJSON_CreateObject();
	struct run_writer w = {r, NULL};

	json_add_str(root, "schema", "hyperpod-perf/pairs/1");
	json_add_u64(root, "files", r->files);
	cJSON *key = cJSON_AddObjectToObject(root, "set");

	add_key(key, &r->set->key);
	json_add_str(key, "figure", r->set->in_place ? "busbw, in-place" : "busbw, out-of-place");
	w.runs = cJSON_AddArrayToObject(root, "runs");
	pair_store_runs(r->store, add_run, &w);
	add_pairs(root, r);
	add_diagnosis(root, r);
	add_simple(root, r);
	add_left_out(root, &r->set->left_out);
	add_lists(root, r);
	char *text = cJSON_Print(root);
	enum err_code rc = text ? buf_add_str(out, text) : ERR_NOMEM;

	free(text);
	cJSON_Delete(root);
	return rc ? rc : buf_add_str(out, "\n");
}
