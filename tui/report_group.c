#include "tui/report_group.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collectors/hostlist.h"
#include "collectors/xmalloc.h"

static enum report_part part_of(const struct rule *rule)
{
	if (strcmp(rule->signal, "node.unreachable") == 0)
		return REPORT_COVERAGE;
	if (rule->section && strcmp(rule->section, "A") == 0)
		return REPORT_NCCL;
	if (rule->section && strcmp(rule->section, "B") == 0)
		return REPORT_FILES;
	return rule->compare == COMPARE_DIFFERS ? REPORT_PEERS : REPORT_ROUTED;
}

static struct report_group *group_of(struct report_groups *g, size_t *cap, const struct rule *rule)
{
	for (size_t i = 0; i < g->n; i++)
		if (g->items[i].rule == rule)
			return &g->items[i];
	xgrow((void **)&g->items, cap, g->n, sizeof(*g->items));
	struct report_group *fresh = &g->items[g->n++];

	*fresh = (struct report_group){.rule = rule, .part = part_of(rule)};
	return fresh;
}

void report_groups_init(struct report_groups *g, const struct report *r)
{
	size_t cap = 0;

	*g = (struct report_groups){NULL, 0};
	for (size_t i = 0; i < r->judgement->n; i++) {
		const struct finding *f = &r->judgement->findings[i];
		struct report_group *group = group_of(g, &cap, f->rule);

		if (!group->findings)
			group->findings = xcalloc(r->judgement->n - i, sizeof(*group->findings));
		group->findings[group->n++] = f;
		if (f->severity > group->severity)
			group->severity = f->severity;
	}
}

void report_groups_release(struct report_groups *g)
{
	for (size_t i = 0; i < g->n; i++)
		free(g->items[i].findings);
	free(g->items);
	*g = (struct report_groups){NULL, 0};
}

bool report_of_pairs(const struct rule *rule)
{
	return strncmp(rule->signal, "pairs.", strlen("pairs.")) == 0;
}

const char *report_subject(const struct report *r, const struct finding *f)
{
	if (f->node < r->snap->n)
		return r->snap->nodes[f->node].name;
	return report_of_pairs(f->rule) && f->part && f->part[0] ? f->subject : "";
}

/* Names of the marked nodes, folded; returns how many are marked. */
static size_t fold_marked(const struct report *r, const bool *marked, char *out, size_t size)
{
	const char **names = xcalloc(r->snap->n ? r->snap->n : 1, sizeof(*names));
	size_t n = 0;

	for (size_t i = 0; i < r->snap->n; i++)
		if (marked[i])
			names[n++] = r->snap->nodes[i].name;
	if (out)
		hostlist_fold(names, n, out, size);
	free(names);
	return n;
}

static size_t group_nodes(
	const struct report *r, const struct report_group *g, size_t from, char *out, size_t size)
{
	bool *marked = xcalloc(r->snap->n ? r->snap->n : 1, sizeof(*marked));

	for (size_t i = from; i < g->n; i++)
		for (size_t k = 0; k < r->snap->n; k++)
			marked[k] |= finding_has_node(g->findings[i], k);
	size_t n = fold_marked(r, marked, out, size);

	free(marked);
	return n;
}

void report_group_nodes(
	const struct report *r, const struct report_group *g, size_t from, char *out, size_t size)
{
	group_nodes(r, g, from, out, size);
}

size_t report_group_node_count(const struct report *r, const struct report_group *g)
{
	return group_nodes(r, g, 0, NULL, 0);
}

size_t report_nodes_in(const struct report *r, unsigned states, char *out, size_t size)
{
	bool *marked = xcalloc(r->snap->n ? r->snap->n : 1, sizeof(*marked));

	for (size_t i = 0; i < r->snap->n; i++)
		marked[i] = states & 1u << r->snap->nodes[i].state;
	size_t n = fold_marked(r, marked, out, size);

	free(marked);
	return n;
}

char *report_age(int64_t age_ms, char *out, size_t size)
{
	if (age_ms < 0)
		snprintf(out, size, "an unknown time");
	else if (age_ms < 1000)
		snprintf(out, size, "%" PRId64 " ms", age_ms);
	else if (age_ms < 120 * 1000)
		snprintf(out, size, "%" PRId64 " s", age_ms / 1000);
	else if (age_ms < 120 * 60 * 1000)
		snprintf(out, size, "%" PRId64 " min", age_ms / 60000);
	else
		snprintf(out, size, "%" PRId64 " h", age_ms / 3600000);
	return out;
}

char *report_route(const struct rule *rule, char *out, size_t size)
{
	snprintf(out, size, "%s%s%s", rule->owner ? rule->owner : "",
		rule->owner && rule->owner_section ? " " : "",
		rule->owner_section ? rule->owner_section : "");
	return out;
}

char *report_condition(const struct rule *rule, char *out, size_t size)
{
	if (rule->compare == COMPARE_DIFFERS)
		snprintf(out, size, "%s differs between peers", rule->signal);
	else if (rule->threshold_text)
		snprintf(out, size, "%s %s %s", rule->signal, rule_compare_name(rule->compare),
			rule->threshold_text);
	else
		snprintf(out, size, "%s %s %.10g%s%s", rule->signal,
			rule_compare_name(rule->compare), rule->threshold,
			rule->unit && *rule->unit ? " " : "", rule->unit ? rule->unit : "");
	return out;
}

char *report_label(const struct rule *rule, char *out, size_t size)
{
	snprintf(out, size, "%s", rule->label ? rule->label : rule->id);
	if (rule->label)
		return out;
	for (char *p = out; *p; p++)
		if (*p == '_' || *p == '-' || *p == '.')
			*p = ' ';
	return out;
}
