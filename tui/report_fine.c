#include "tui/report_fine.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rules/facts.h"
#include "rules/signals.h"
#include "rules/verdict.h"

#define LIST_MAX (64u << 10)

/* Subjects: the sections, then the node itself, then comparisons of peers, then pairs. */
#define SUBJECT_NODE  SECTION_COUNT
#define SUBJECT_PEERS (SECTION_COUNT + 1)
#define SUBJECT_PAIRS (SECTION_COUNT + 2)
#define SUBJECTS      (SECTION_COUNT + 3)

static bool in_part(const struct rule *rule, enum report_part part)
{
	const char *section = rule->section ? rule->section : "";

	if (part == REPORT_ROUTED)
		return strcmp(section, "A") != 0 && strcmp(section, "B") != 0;
	return strcmp(section, part == REPORT_NCCL ? "A" : "B") == 0;
}

static int subject_of(const struct rule *rule)
{
	const char *dot = strchr(rule->signal, '.');
	size_t n = dot ? (size_t)(dot - rule->signal) : strlen(rule->signal);
	enum section_id id = section_by_name((struct span){rule->signal, n});

	if (rule->compare == COMPARE_DIFFERS)
		return SUBJECT_PEERS;
	if (report_of_pairs(rule))
		return SUBJECT_PAIRS;
	return id == SECTION_COUNT ? SUBJECT_NODE : (int)id;
}

static const char *subject_title(int subject)
{
	if (subject == SUBJECT_NODE)
		return "Nodes";
	if (subject == SUBJECT_PEERS)
		return "Peers alike";
	if (subject == SUBJECT_PAIRS)
		return "Pairwise bandwidth";
	return section_desc((enum section_id)subject)->title;
}

/* A limit that values come near to, unlike "more than 0 errors". */
static bool has_limit(const struct rule *rule)
{
	return rule->compare >= COMPARE_GT && rule->compare <= COMPARE_LE &&
	       !rule->threshold_text && !isnan(rule->threshold) && rule->threshold > 0;
}

/* The value nearest to the limit over all nodes, and how many values there are. */
static size_t nearest(const struct report *r, const struct rule *rule, struct value *worst)
{
	struct signal signal;
	struct fleet_facts fleet;
	struct sample_list samples = {NULL, 0, 0};
	size_t n = 0;

	if (!signal_resolve(rule->signal, &signal))
		return 0;
	fleet_facts_get(&fleet, r->snap);
	for (size_t i = 0; i < r->snap->n; i++) {
		struct node_facts facts;
		const struct signal_ctx ctx = {.snap = r->snap,
			.node = &r->snap->nodes[i],
			.facts = &facts,
			.fleet = &fleet,
			.out = &samples};

		node_facts_get(&facts, &r->snap->nodes[i], NULL);
		if (!facts.reached || signal_eval(&signal, &ctx) != SIGNAL_SAMPLED)
			continue;
		for (size_t k = 0; k < samples.n; k++) {
			double number;

			if (!value_number(&samples.items[k].value, &number))
				continue;
			if (n++ == 0 || verdict_worse(rule, &samples.items[k].value, worst))
				*worst = samples.items[k].value;
		}
	}
	free(samples.items);
	return n;
}

static void list_add(struct page *p, struct buf *list, const char *text)
{
	if (p->rc == ERR_OK && list->len)
		p->rc = buf_add_str(list, ", ");
	if (p->rc == ERR_OK)
		p->rc = buf_add_str(list, text);
}

/* "gpu temp at most 71 of 88 °C": false where there is no such number. */
static bool number_text(const struct report *r, const struct rule *rule, char *out, size_t size)
{
	struct value worst = VALUE_UNKNOWN;
	char label[80];
	char value[40];
	bool upper = rule->compare == COMPARE_GT || rule->compare == COMPARE_GE;

	if (!has_limit(rule) || nearest(r, rule, &worst) == 0)
		return false;
	snprintf(out, size, "%s at %s %s (limit %.10g%s%s)",
		report_label(rule, label, sizeof(label)), upper ? "most" : "least",
		verdict_value_text(&worst, value, sizeof(value)), rule->threshold,
		rule->unit && *rule->unit ? " " : "", rule->unit ? rule->unit : "");
	return true;
}

static bool is_clear(const struct rule_tally *t)
{
	return t->ok && !t->fired;
}

/* One line of one subject. Returns false when no rule of it is clear. */
static bool write_subject(
	struct page *p, const struct report *r, enum report_part part, int subject)
{
	struct buf numbers = BUF_INIT(LIST_MAX);
	struct buf none = BUF_INIT(LIST_MAX);
	size_t nodes = 0;

	for (size_t i = 0; i < r->judgement->nrules; i++) {
		const struct rule *rule = catalog_at(r->catalog, i);
		const struct rule_tally *t = &r->judgement->rules[i];
		char text[200];

		if (!is_clear(t) || !in_part(rule, part) || subject_of(rule) != subject)
			continue;
		nodes = t->ok > nodes ? t->ok : nodes; /* of mounts, there are more than nodes */
		nodes = nodes < r->snap->n ? nodes : r->snap->n;
		if (number_text(r, rule, text, sizeof(text)))
			list_add(p, &numbers, text);
		else
			list_add(p, &none, report_label(rule, text, sizeof(text)));
	}
	if (nodes)
		page_tagged(p, SEVERITY_OK, "%s, %zu node%s: %s%s%s%s", subject_title(subject),
			nodes, nodes == 1 ? "" : "s", buf_str(&numbers),
			numbers.len && none.len ? "; " : "", none.len ? "none of: " : "",
			buf_str(&none));
	buf_release(&numbers);
	buf_release(&none);
	return nodes != 0;
}

static bool any_clear(const struct report *r, enum report_part part)
{
	for (size_t i = 0; i < r->judgement->nrules; i++)
		if (is_clear(&r->judgement->rules[i]) && in_part(catalog_at(r->catalog, i), part))
			return true;
	return false;
}

void report_fine(struct page *p, const struct report *r, enum report_part part, bool say_empty)
{
	if (!any_clear(r, part)) {
		if (say_empty)
			page_tagged(p, SEVERITY_INFO, "nothing could be judged: no data");
		return;
	}
	if (part == REPORT_ROUTED)
		page_heading(p, "Fine");
	for (int subject = 0; subject < SUBJECTS; subject++)
		write_subject(p, r, part, subject);
}
