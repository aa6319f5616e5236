#include "tui/plan_json.h"

#include <stdlib.h>

#include "collectors/json.h"

static const char *const busy_names[] = {
	[SWEEP_BUSY_UNKNOWN] = "unknown",
	[SWEEP_BUSY_TOLD] = "told",
	[SWEEP_BUSY_SEEN] = "seen",
};

static void add_test(cJSON *o, const struct sweep_text *t)
{
	cJSON *test = cJSON_AddObjectToObject(o, "test");

	json_add_str(test, "tool", t->trainium ? "nccom-test" : "nccl-tests");
	json_add_str(test, "collective", t->collective);
	json_add_u64(test, "min_size_bytes", t->min_bytes);
	json_add_u64(test, "max_size_bytes", t->max_bytes);
	json_add_u64(test, "iterations", t->iterations);
	json_add_u64(test, "ranks_per_node", t->gpus_per_node);
	json_add_u64(test, "timeout_s", t->timeout_s);
	json_add_str(test, "output_dir", t->output_dir);
}

static void add_estimate(
	cJSON *o, const struct sweep_plan *p, enum sweep_runner r, const struct sweep_text *t)
{
	cJSON *estimate = cJSON_AddObjectToObject(o, "estimate");

	cJSON_AddNumberToObject(estimate, "pair_s", sweep_pair_seconds(t));
	cJSON_AddNumberToObject(estimate, "plan_s", sweep_plan_seconds(p, r, t));
	cJSON_AddNumberToObject(estimate, "most_s", sweep_plan_most_seconds(p, t));
	cJSON_AddNumberToObject(estimate, "line_gbit_s", t->line_gbit_s);
}

static void add_names(cJSON *o, const char *key, const struct plan_names *names)
{
	cJSON *list = cJSON_AddArrayToObject(o, key);

	for (size_t i = 0; i < names->n; i++)
		cJSON_AddItemToArray(list, cJSON_CreateString(names->v[i]));
}

static cJSON *head(const struct sweep_plan *p, enum sweep_runner r, const struct sweep_text *t,
	const struct plan_nodes *nodes)
{
	cJSON *o = cJSON_CreateObject();

	json_add_str(o, "schema", "hyperpod-perf/plan/1");
	json_add_str(o, "strategy", sweep_strategy_name(p->strategy));
	json_add_str(o, "runner", sweep_runner_name(r));
	json_add_str(o, "instance_type", t->type_assumed ? NULL : t->instance_type);
	cJSON_AddBoolToObject(o, "placeholders", t->placeholders);
	json_add_str(o, "busy_known", busy_names[t->busy_known]);
	add_names(o, "busy", &nodes->busy_names);
	add_names(o, "left_out", &nodes->left_names);
	add_test(o, t);
	add_estimate(o, p, r, t);
	json_add_u64(o, "n_nodes", p->n);
	json_add_u64(o, "n_rounds", p->rounds);
	json_add_u64(o, "n_pairs", p->n_pairs);
	cJSON_AddBoolToObject(o, "complete", p->complete);
	cJSON_AddItemToObject(o, "nodes", cJSON_CreateStringArray(t->names, (int)p->n));
	return o;
}

/* Names were checked: none needs escaping. Half a million pairs as cJSON would be 200 MB. */
static enum err_code add_rounds(
	struct buf *out, const struct sweep_plan *p, const struct sweep_text *t)
{
	enum err_code rc = buf_add_str(out, ",\n\t\"rounds\":\t[");

	for (size_t r = 0; r < p->rounds && rc == ERR_OK; r++) {
		rc = buf_add_str(out, r ? ",\n\t\t[" : "\n\t\t[");
		for (size_t i = p->first[r]; i < p->first[r + 1] && rc == ERR_OK; i++)
			rc = buf_addf(out, "%s[\"%s\", \"%s\"]", i > p->first[r] ? ", " : "",
				t->names[p->pairs[i].a], t->names[p->pairs[i].b]);
		if (rc == ERR_OK)
			rc = buf_add_str(out, "]");
	}
	return rc ? rc : buf_add_str(out, "]\n}\n");
}

enum err_code plan_json(struct buf *out, const struct sweep_plan *p, enum sweep_runner r,
	const struct sweep_text *t, const struct plan_nodes *nodes)
{
	cJSON *o = head(p, r, t, nodes);
	char *text = cJSON_Print(o);
	enum err_code rc = text ? buf_add_str(out, text) : ERR_NOMEM;

	free(text);
	cJSON_Delete(o);
	if (rc)
		return rc;
	/* Open again: the rounds go before the closing "\n}". */
	out->len -= 2;
	return add_rounds(out, p, t);
}
