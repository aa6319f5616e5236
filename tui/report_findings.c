#include "tui/report_findings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collectors/xmalloc.h"

#define FINDINGS_SHOWN 8 /* of one rule; the rest is folded into one line */
#define COMMANDS_SHOWN 4 /* of one kind; the rest is counted */
#define NAMES_SIZE     1024

static void write_titles(struct page *p, const struct report *r, const struct report_group *g)
{
	char names[NAMES_SIZE];
	size_t shown = g->n <= FINDINGS_SHOWN + 1 ? g->n : FINDINGS_SHOWN;

	for (size_t i = 0; i < shown; i++) {
		const struct finding *f = g->findings[i];
		const char *whose = report_subject(r, f);

		page_tagged(p, f->severity, "%s%s%s", whose, whose[0] ? ": " : "", f->title);
	}
	if (shown == g->n)
		return;
	report_group_nodes(r, g, shown, names, sizeof(names));
	page_tagged(p, g->findings[shown]->severity, "and %zu more alike%s%s", g->n - shown,
		names[0] ? ": " : "", names);
}

/* ", read 4 s ago" over all findings of the rule; "" where no age is known. */
static char *read_when(const struct report_group *g, char *out, size_t size)
{
	char young[32];
	char old[32];
	int64_t low = -1;
	int64_t high = -1;

	for (size_t i = 0; i < g->n; i++) {
		int64_t age = g->findings[i]->age_ms;

		if (age < 0)
			continue;
		low = low < 0 || age < low ? age : low;
		high = age > high ? age : high;
	}
	report_age(low, young, sizeof(young));
	report_age(high, old, sizeof(old));
	if (high < 0)
		snprintf(out, size, "%s", "");
	else if (strcmp(young, old) == 0)
		snprintf(out, size, ", read %s ago", old);
	else
		snprintf(out, size, ", read %s to %s ago", young, old);
	return out;
}

static void write_reasons(struct page *p, const struct report_group *g)
{
	const struct rule *rule = g->rule;
	char route[160];
	char condition[256];
	char when[96];

	if (*report_route(rule, route, sizeof(route)))
		page_item(p, PAGE_INDENT, "→ ", "%s", route);
	if (rule->why)
		page_item(p, PAGE_INDENT, "", "%s", rule->why);
	/* Of a benchmark's output: the line itself is the evidence, and nothing else shows it. */
	if (report_of_pairs(rule) && g->findings[0]->detail)
		page_item(p, PAGE_INDENT, "said ", "%s", g->findings[0]->detail);
	page_item(p, PAGE_INDENT, "rule ", "%s: %s%s%s%s%s", rule->id,
		report_condition(rule, condition, sizeof(condition)), rule->source ? " (" : "",
		rule->source ? rule->source : "", rule->source ? ")" : "",
		read_when(g, when, sizeof(when)));
	if (g->findings[0]->checks[0])
		page_item(p, PAGE_INDENT, "", "Look at%s:", g->n > 1 ? ", for the first" : "");
	for (size_t i = 0; i < RULE_LIST_MAX && g->findings[0]->checks[i]; i++)
		page_verbatim(p, PAGE_INDENT + 2, g->findings[0]->checks[i]);
}

/* ---- commands ---- */

/* One command that some findings suggest; blast NULL: it breaks nothing. */
struct command {
	const char *text;
	const char *blast;
};

struct commands {
	struct command *items;
	size_t n;
	size_t cap;
};

static void commands_add(struct commands *list, const char *text, const char *blast)
{
	for (size_t i = 0; i < list->n; i++)
		if (strcmp(list->items[i].text, text) == 0)
			return;
	xgrow((void **)&list->items, &list->cap, list->n, sizeof(*list->items));
	list->items[list->n++] = (struct command){text, blast};
}

static void commands_gather(struct commands *list, const struct report_group *g)
{
	for (size_t k = 0; k < RULE_LIST_MAX; k++)
		for (size_t i = 0; i < g->n; i++)
			if (g->findings[i]->commands[k])
				commands_add(list, g->findings[i]->commands[k], g->rule->blast[k]);
}

static bool same_blast(const struct command *a, const struct command *b)
{
	if (!a->blast || !b->blast)
		return a->blast == b->blast;
	return strcmp(a->blast, b->blast) == 0;
}

/* Those with one blast radius together: it is then said once, under all of them. */
static void write_kind(struct page *p, const struct commands *list, size_t first)
{
	size_t shown = 0;
	size_t left = 0;

	for (size_t i = first; i < list->n; i++) {
		if (!same_blast(&list->items[first], &list->items[i]))
			continue;
		if (shown++ < COMMANDS_SHOWN)
			page_verbatim(p, PAGE_INDENT + 2, list->items[i].text);
		else
			left++;
	}
	if (left)
		page_item(p, PAGE_INDENT + 2, "", "and %zu more like these (--json has them all)",
			left);
	if (list->items[first].blast)
		page_item(p, PAGE_INDENT + 2, "careful: ", "%s", list->items[first].blast);
}

static void write_commands(struct page *p, const struct commands *list)
{
	if (list->n == 0)
		return;
	page_item(p, PAGE_INDENT, "", "Suggested command (run this yourself):");
	for (size_t i = 0; i < list->n; i++) {
		bool done = false;

		for (size_t j = 0; j < i && !done; j++)
			done = same_blast(&list->items[i], &list->items[j]);
		if (!done)
			write_kind(p, list, i);
	}
}

/* ---- the part ---- */

static bool same_route(const struct rule *a, const struct rule *b)
{
	char x[160];
	char y[160];

	return strcmp(report_route(a, x, sizeof(x)), report_route(b, y, sizeof(y))) == 0;
}

/* All groups of the part with the owner of groups->items[first]. */
static size_t write_owner(struct page *p, const struct report *r,
	const struct report_groups *groups, enum report_part part, size_t first)
{
	struct commands commands = {NULL, 0, 0};
	size_t n = 0;

	for (size_t i = first; i < groups->n; i++) {
		const struct report_group *g = &groups->items[i];

		if (g->part != part || !same_route(g->rule, groups->items[first].rule))
			continue;
		if (n++ && part != REPORT_COVERAGE)
			page_blank(p);
		/* Coverage has named these nodes with their reasons already. */
		if (part != REPORT_COVERAGE)
			write_titles(p, r, g);
		write_reasons(p, g);
		commands_gather(&commands, g);
	}
	write_commands(p, &commands);
	free(commands.items);
	return n;
}

size_t report_findings(struct page *p, const struct report *r, const struct report_groups *groups,
	enum report_part part)
{
	size_t n = 0;

	for (size_t i = 0; i < groups->n; i++) {
		bool done = false;

		if (groups->items[i].part != part)
			continue;
		for (size_t j = 0; j < i && !done; j++)
			done = groups->items[j].part == part &&
			       same_route(groups->items[j].rule, groups->items[i].rule);
		if (done)
			continue;
		if (n && part != REPORT_COVERAGE)
			page_blank(p);
		n += write_owner(p, r, groups, part, i);
	}
	return n;
}
