#include "tui/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collectors/clock.h"
#include "collectors/hostlist.h"
#include "collectors/xmalloc.h"
#include "tui/cmd.h"
#include "tui/page.h"
#include "tui/report_facts.h"
#include "tui/report_findings.h"
#include "tui/report_fine.h"
#include "tui/report_group.h"

#define NAMES_SIZE 1024

static const char *const part_titles[REPORT_PARTS] = {
	[REPORT_COVERAGE] = "Coverage",
	[REPORT_NCCL] = "§ A Uneven NCCL performance",
	[REPORT_FILES] = "§ B Poor filesystem performance",
	[REPORT_ROUTED] = "Evidence for other owners",
	[REPORT_PEERS] = "Peers that differ",
};

/* ---- coverage ---- */

static void node_ages(const struct report *r, int64_t *low, int64_t *high)
{
	*low = -1;
	*high = -1;
	for (size_t i = 0; i < r->snap->n; i++) {
		const struct node *n = &r->snap->nodes[i];
		int64_t age = r->snap->mono_ms - n->last_ok_mono_ms;

		if (n->state != NODE_OK || !n->last_ok_mono_ms)
			continue;
		*low = *low < 0 || age < *low ? age : *low;
		*high = age > *high ? age : *high;
	}
}

struct failure {
	const struct node *node;
	const char *why;
};

static int by_why(const void *a, const void *b)
{
	const struct failure *x = a;
	const struct failure *y = b;
	int c = strcmp(x->why, y->why);

	if (c)
		return c;
	return x->node < y->node ? -1 : x->node > y->node;
}

/* Nodes without an answer, one line for each reason. */
static void write_failures(struct page *p, const struct report *r, enum node_state state)
{
	struct failure *list = xcalloc(r->snap->n ? r->snap->n : 1, sizeof(*list));
	const char **names = xcalloc(r->snap->n ? r->snap->n : 1, sizeof(*names));
	char folded[NAMES_SIZE];
	size_t n = 0;

	for (size_t i = 0; i < r->snap->n; i++) {
		const struct node *node = &r->snap->nodes[i];

		if (node->state == state)
			list[n++] = (struct failure){
				node, node->error ? node->error : "no reason known"};
	}
	if (n)
		qsort(list, n, sizeof(*list), by_why);
	for (size_t i = 0; i < n;) {
		size_t j = i;

		for (; j < n && strcmp(list[i].why, list[j].why) == 0; j++)
			names[j - i] = list[j].node->name;
		hostlist_fold(names, j - i, folded, sizeof(folded));
		page_item(p, PAGE_INDENT,
			state == NODE_STALE ? "old values: " : "unreachable: ", "%s: %s", folded,
			list[i].why);
		i = j;
	}
	free(names);
	free(list);
}

#define WAITING (1u << NODE_PENDING | 1u << NODE_CONNECTING | 1u << NODE_PROBING)

static void write_coverage(struct page *p, const struct report *r)
{
	char young[32];
	char old[32];
	char names[NAMES_SIZE];
	int64_t low;
	int64_t high;
	bool all = r->snap->reached == r->snap->n;

	node_ages(r, &low, &high);
	report_age(low, young, sizeof(young));
	report_age(high, old, sizeof(old));
	if (r->snap->reached == 0)
		page_tagged(p, SEVERITY_CONCERN, "0 of %zu nodes answered", r->snap->n);
	else
		page_tagged(p, all ? SEVERITY_OK : SEVERITY_CONCERN,
			"%zu of %zu nodes answered; their values are %s%s%s old", r->snap->reached,
			r->snap->n, young, strcmp(young, old) ? " to " : "",
			strcmp(young, old) ? old : "");
	write_failures(p, r, NODE_FAILED);
	write_failures(p, r, NODE_STALE);
	if (report_nodes_in(r, WAITING, names, sizeof(names)))
		page_item(p, PAGE_INDENT, "not waited for: ", "%s", names);
}

/* ---- the whole ---- */

static size_t count_part(const struct report_groups *groups, enum report_part part)
{
	size_t n = 0;

	for (size_t i = 0; i < groups->n; i++)
		n += groups->items[i].part == part;
	return n;
}

static void write_part(struct page *p, const struct report *r, const struct report_groups *groups,
	enum report_part part)
{
	size_t n = count_part(groups, part);
	bool in_scope = part == REPORT_NCCL || part == REPORT_FILES;

	if (!n && !in_scope)
		return;
	page_heading(p, part_titles[part]);
	report_findings(p, r, groups, part);
	/* The two problems in scope are always answered, also when nothing was found. */
	if (in_scope)
		report_fine(p, r, part, n == 0);
}

static void write_head(struct page *p, const struct report *r)
{
	char stamp[32];

	page_item(p, 0, "", "hyperpod-perf snapshot · %s · %s · read-only",
		r->snap->source ? r->snap->source : "unknown source",
		clock_format_utc(r->snap->wall_ms, stamp, sizeof(stamp)));
	if (r->snap->mode == SOURCE_DEMO)
		page_item(p, 0, "", "DEMO: a simulated cluster; nothing here is real");
	if (r->interrupted)
		page_item(p, 0, "", "INTERRUPTED: what had arrived when you stopped it");
}

enum err_code report_text(struct buf *out, const struct report *r, const struct report_style *style)
{
	struct page p;
	struct report_groups groups;

	page_init(&p, out, style);
	report_groups_init(&groups, r);
	write_head(&p, r);
	page_heading(&p, part_titles[REPORT_COVERAGE]);
	write_coverage(&p, r);
	report_findings(&p, r, &groups, REPORT_COVERAGE);
	for (int part = REPORT_COVERAGE + 1; part < REPORT_PARTS; part++)
		write_part(&p, r, &groups, (enum report_part)part);
	report_facts_stack(&p, r);
	report_fine(&p, r, REPORT_ROUTED, false);
	report_facts_unread(&p, r);
	report_facts_summary(&p, r, &groups);
	report_groups_release(&groups);
	return page_error(&p);
}

int report_status(const struct report *r)
{
	size_t read = 0;

	for (size_t i = 0; i < r->snap->n; i++)
		read += node_reached(&r->snap->nodes[i]) != 0;
	if (read == 0)
		return CMD_NOTHING;
	if (r->judgement->concerns || r->snap->reached < r->snap->n)
		return CMD_CONCERNS;
	return CMD_OK;
}
