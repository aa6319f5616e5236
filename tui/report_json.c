#include "tui/report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collectors/clock.h"
#include "collectors/json.h"

static void add_age(cJSON *object, const char *name, int64_t age_ms)
{
	if (age_ms < 0)
		cJSON_AddNullToObject(object, name);
	else
		json_add_i64(object, name, age_ms);
}

/* ---- nodes ---- */

/*
 * The table that stands for the whole section: named like it, or its singular
 * (mounts). NULL: the section is an object.
 */
static const struct table *main_table(const struct section_desc *d)
{
	size_t len = strlen(d->name);

	for (size_t i = 0; i < d->schema.ntables; i++) {
		const char *name = d->schema.tables[i].name;
		size_t n = strlen(name);

		if (strncmp(name, d->name, n) == 0 &&
			(n == len || (n + 1 == len && d->name[n] == 's')))
			return &d->schema.tables[i];
	}
	return NULL;
}

static void add_reading(cJSON *readings, const struct section *s)
{
	const struct section_desc *d = section_desc(s->id);
	const struct table *rows = main_table(d);
	cJSON *whole = json_of_reading(s, 1);
	char info[64];

	if (!rows) {
		cJSON_AddItemToObject(readings, d->name, whole);
		return;
	}
	cJSON_AddItemToObject(
		readings, d->name, cJSON_DetachItemFromObjectCaseSensitive(whole, rows->name));
	snprintf(info, sizeof(info), "%s_info", d->name);
	cJSON_AddItemToObject(readings, info, whole);
}

static void add_error(cJSON *errors, const char *section, const char *what, const char *why)
{
	cJSON *object = cJSON_CreateObject();

	json_add_str(object, "section", section);
	json_add_str(object, "what", what);
	json_add_str(object, "why", why);
	cJSON_AddItemToArray(errors, object);
}

static void add_sections(cJSON *node, const struct snapshot *snap, const struct node *n)
{
	cJSON *readings = cJSON_AddObjectToObject(node, "readings");
	cJSON *sections = cJSON_AddObjectToObject(node, "sections");
	cJSON *errors = cJSON_AddArrayToObject(node, "errors");

	if (n->error && n->err)
		add_error(errors, NULL, err_code_name(n->err), n->error);
	for (int id = 0; id < SECTION_COUNT; id++) {
		const struct section *s = n->section[id];

		if (!s)
			continue;
		const char *name = section_desc(s->id)->name;
		cJSON *meta = cJSON_AddObjectToObject(sections, name);

		json_add_str(meta, "status", section_status_name(s->status));
		add_age(meta, "age_ms", snapshot_age_ms(snap, s));
		add_age(meta, "run_ms", s->meta.run_ms);
		add_reading(readings, s);
		for (size_t i = 0; i < s->unread_n; i++)
			add_error(errors, name, s->unread[i].what, s->unread[i].why);
	}
}

static void add_node(cJSON *nodes, const struct report *r, size_t i)
{
	const struct node *n = &r->snap->nodes[i];
	cJSON *node = cJSON_CreateObject();

	json_add_str(node, "id", n->id);
	json_add_str(node, "name", n->name);
	json_add_str(node, "address", n->address);
	json_add_str(node, "group", n->group);
	json_add_str(node, "instance_type", node_instance_type(n));
	cJSON *placement = cJSON_AddObjectToObject(node, "placement");

	json_add_str(placement, "az", n->placement.az);
	json_add_str(placement, "spine", n->placement.spine);
	json_add_str(placement, "leaf", n->placement.leaf);
	json_add_str(placement, "ultraserver", n->placement.ultraserver);
	json_add_str(node, "status", node_state_name(n->state));
	add_age(node, "age_ms", n->last_ok_mono_ms ? r->snap->mono_ms - n->last_ok_mono_ms : -1);
	if (i < r->judgement->nnodes) {
		const struct node_tally *t = &r->judgement->nodes[i];

		json_add_str(node, "worst", severity_name(t->worst));
		json_add_u64(node, "unknown_rules", t->unknown);
	}
	add_sections(node, r->snap, n);
	cJSON_AddItemToArray(nodes, node);
}

/* ---- findings ---- */

static void add_threshold(cJSON *evidence, const struct finding *f)
{
	const struct rule *rule = f->rule;

	if (rule->compare == COMPARE_DIFFERS)
		json_add_str(evidence, "threshold", f->expected);
	else if (rule->threshold_text)
		json_add_str(evidence, "threshold", rule->threshold_text);
	else if (isnan(rule->threshold))
		cJSON_AddNullToObject(evidence, "threshold");
	else
		cJSON_AddNumberToObject(evidence, "threshold", rule->threshold);
}

static void add_evidence(cJSON *object, const struct finding *f)
{
	cJSON *evidence = cJSON_AddObjectToObject(object, "evidence");

	json_add_str(evidence, "signal", f->rule->signal);
	if (isnan(f->number))
		json_add_str(evidence, "value", f->value);
	else
		cJSON_AddNumberToObject(evidence, "value", f->number);
	json_add_str(evidence, "compare", rule_compare_name(f->rule->compare));
	add_threshold(evidence, f);
	json_add_str(evidence, "unit", f->rule->unit);
	json_add_str(evidence, "source", f->rule->source);
	json_add_str(evidence, "detail", f->detail);
	add_age(evidence, "age_ms", f->age_ms);
	json_add_u64(evidence, "samples", f->samples);
}

static void add_list(cJSON *object, const char *name, const char *const *list)
{
	cJSON *array = cJSON_AddArrayToObject(object, name);

	for (size_t i = 0; i < RULE_LIST_MAX && list[i]; i++)
		cJSON_AddItemToArray(array, cJSON_CreateString(list[i]));
}

/* Of a finding of several nodes: their ids. */
static void add_names(cJSON *object, const struct report *r, const struct finding *f)
{
	cJSON *array = f->nodes_n ? cJSON_AddArrayToObject(object, "nodes") : NULL;

	for (size_t i = 0; i < f->nodes_n; i++)
		cJSON_AddItemToArray(array, cJSON_CreateString(r->snap->nodes[f->nodes[i]].id));
}

static void add_finding(cJSON *findings, const struct report *r, const struct finding *f)
{
	const struct rule *rule = f->rule;
	cJSON *object = cJSON_CreateObject();

	json_add_str(object, "id", f->id);
	json_add_str(object, "rule", rule->id);
	json_add_str(object, "severity", severity_name(f->severity));
	json_add_str(object, "scope", rule_scope_name(rule->scope));
	json_add_str(object, "node", f->node < r->snap->n ? r->snap->nodes[f->node].id : NULL);
	add_names(object, r, f);
	json_add_str(object, "part", f->part);
	json_add_str(object, "subject", f->subject);
	json_add_str(object, "title", f->title);
	json_add_str(object, "why", rule->why);
	add_evidence(object, f);
	if (rule->compare == COMPARE_DIFFERS) {
		json_add_str(object, "differing", f->differing);
		json_add_u64(object, "same", f->same_n);
		json_add_u64(object, "differ", f->differ_n);
	}
	json_add_str(object, "section", rule->section ? rule->section : "");
	cJSON *route = cJSON_AddObjectToObject(object, "route");

	json_add_str(route, "owner", rule->owner);
	json_add_str(route, "section", rule->owner_section);
	add_list(object, "checks", f->checks);
	add_list(object, "commands", f->commands);
	cJSON_AddItemToArray(findings, object);
}

static void add_tallies(cJSON *root, const struct report *r)
{
	cJSON *rules = cJSON_AddArrayToObject(root, "rules");

	for (size_t i = 0; i < r->judgement->nrules; i++) {
		const struct rule_tally *t = &r->judgement->rules[i];
		cJSON *object = cJSON_CreateObject();

		json_add_str(object, "id", catalog_at(r->catalog, i)->id);
		json_add_u64(object, "ok", t->ok);
		json_add_u64(object, "fired", t->fired);
		json_add_u64(object, "unknown", t->unknown);
		json_add_u64(object, "not_applicable", t->not_applicable);
		cJSON_AddItemToArray(rules, object);
	}
}

static void add_coverage(cJSON *root, const struct report *r)
{
	cJSON *coverage = cJSON_AddObjectToObject(root, "coverage");

	json_add_u64(coverage, "reached", r->snap->reached);
	json_add_u64(coverage, "total", r->snap->n);
	cJSON_AddBoolToObject(coverage, "complete", r->snap->complete && !r->interrupted);
}

enum err_code report_json(struct buf *out, const struct report *r)
{
	cJSON *root = cJSON_CreateObject();
	char stamp[32];

	json_add_str(root, "schema", "hyperpod-perf/snapshot/1");
	json_add_str(root, "version", HP_VERSION);
	json_add_str(root, "taken_at", clock_format_utc(r->snap->wall_ms, stamp, sizeof(stamp)));
	json_add_str(root, "source", r->snap->source);
	add_coverage(root, r);
	cJSON *nodes = cJSON_AddArrayToObject(root, "nodes");

	for (size_t i = 0; i < r->snap->n; i++)
		add_node(nodes, r, i);
	cJSON_AddArrayToObject(root, "filesystems");
	cJSON_AddObjectToObject(root, "coverage_features");
	cJSON *findings = cJSON_AddArrayToObject(root, "findings");

	for (size_t i = 0; i < r->judgement->n; i++)
		add_finding(findings, r, &r->judgement->findings[i]);
	add_tallies(root, r);

	char *text = cJSON_Print(root);
	enum err_code rc = text ? buf_add_str(out, text) : ERR_NOMEM;

	if (rc == ERR_OK)
		rc = buf_add_str(out, "\n");
	cJSON_free(text);
	cJSON_Delete(root);
	return rc;
}
