#include "tui/report.h"

#include <stdio.h>
#include <string.h>

#include "collectors/clock.h"
#include "tui/report_group.h"

#define NAMES_SIZE     1024
#define FINDINGS_SHOWN 20

struct markdown {
	struct buf *out;
	enum err_code rc;
};

static void raw(struct markdown *m, const char *text)
{
	if (m->rc == ERR_OK)
		m->rc = buf_add_str(m->out, text);
}

/* Text of a node cannot become markup: what Markdown or HTML would read is escaped. */
static void text(struct markdown *m, const char *s)
{
	for (; *s && m->rc == ERR_OK; s++) {
		if (strchr("\\`*_[]<>|#&~", *s))
			m->rc = buf_add(m->out, "\\", 1);
		if (m->rc == ERR_OK)
			m->rc = buf_add(m->out, s, 1);
	}
}

static void labelled(struct markdown *m, const char *label, const char *s)
{
	if (!s || !*s)
		return;
	raw(m, "- ");
	raw(m, label);
	raw(m, ": ");
	text(m, s);
	raw(m, "\n");
}

/* An indented block: unlike a fence, nothing in a command can end it. */
static void commands(struct markdown *m, const struct report_group *g)
{
	const struct finding *f = g->findings[0];

	if (!f->commands[0])
		return;
	raw(m, "\nSuggested command (run this yourself):\n\n");
	for (size_t i = 0; i < RULE_LIST_MAX && f->commands[i]; i++) {
		raw(m, "    ");
		raw(m, f->commands[i]);
		raw(m, "\n");
	}
	for (size_t i = 0; i < RULE_LIST_MAX && f->commands[i]; i++)
		if (g->rule->blast[i]) {
			raw(m, "\nCareful: ");
			text(m, g->rule->blast[i]);
			raw(m, "\n");
		}
}

/* A finding's title behind the name of whom it is about. */
static void titled(struct markdown *m, const struct report *r, const struct finding *f)
{
	const char *whose = report_subject(r, f);

	text(m, whose);
	raw(m, whose[0] ? ": " : "");
	text(m, f->title);
}

static void group(struct markdown *m, const struct report *r, const struct report_group *g)
{
	char line[512];
	char names[NAMES_SIZE];
	char age[32];
	size_t shown = g->n <= FINDINGS_SHOWN ? g->n : FINDINGS_SHOWN;

	raw(m, "\n### ");
	raw(m, g->severity == SEVERITY_CONCERN ? "[CONCERN] " : "[INFO] ");
	if (g->n == 1)
		titled(m, r, g->findings[0]);
	else
		text(m, report_label(g->rule, line, sizeof(line)));
	raw(m, "\n\n");
	for (size_t i = 0; g->n > 1 && i < shown; i++) {
		raw(m, g->findings[i]->severity == SEVERITY_CONCERN ? "- concern: " : "- info: ");
		titled(m, r, g->findings[i]);
		raw(m, "\n");
	}
	if (shown < g->n) {
		report_group_nodes(r, g, shown, names, sizeof(names));
		snprintf(line, sizeof(line), "and %zu more", g->n - shown);
		labelled(m, line, names);
	}
	labelled(m, "owner", report_route(g->rule, line, sizeof(line)));
	labelled(m, "rule", g->rule->id);
	labelled(m, "condition", report_condition(g->rule, line, sizeof(line)));
	snprintf(
		line, sizeof(line), "%s ago", report_age(g->findings[0]->age_ms, age, sizeof(age)));
	labelled(m, "read", line);
	labelled(m, "threshold from", g->rule->source);
	labelled(m, "why", g->rule->why);
	if (report_of_pairs(g->rule))
		labelled(m, "said", g->findings[0]->detail);
	for (size_t i = 0; i < RULE_LIST_MAX && g->findings[0]->checks[i]; i++)
		labelled(m, "look at", g->findings[0]->checks[i]);
	commands(m, g);
}

static void part(struct markdown *m, const struct report *r, const struct report_groups *groups,
	enum report_part which, const char *title)
{
	bool any = false;

	for (size_t i = 0; i < groups->n; i++) {
		if (groups->items[i].part != which)
			continue;
		if (!any) {
			raw(m, "\n## ");
			raw(m, title);
			raw(m, "\n");
		}
		group(m, r, &groups->items[i]);
		any = true;
	}
	if (!any && (which == REPORT_NCCL || which == REPORT_FILES)) {
		raw(m, "\n## ");
		raw(m, title);
		raw(m, "\n\nNo finding in what could be judged.\n");
	}
}

static void head(struct markdown *m, const struct report *r)
{
	char stamp[32];
	char line[256];

	raw(m, "# hyperpod-perf snapshot\n\n");
	labelled(m, "source", r->snap->source);
	labelled(m, "taken at", clock_format_utc(r->snap->wall_ms, stamp, sizeof(stamp)));
	if (r->snap->mode == SOURCE_DEMO)
		labelled(m, "DEMO", "a simulated cluster; nothing here is real");
	snprintf(line, sizeof(line), "%zu of %zu nodes answered%s", r->snap->reached, r->snap->n,
		r->interrupted ? "; interrupted before all had" : "");
	labelled(m, "coverage", line);
	snprintf(line, sizeof(line),
		"%zu, observations: %zu, judgements that could not be made: %zu",
		r->judgement->concerns, r->judgement->infos, r->judgement->unknown);
	labelled(m, "concerns", line);
}

static void unreached(struct markdown *m, const struct report *r)
{
	bool any = false;

	for (size_t i = 0; i < r->snap->n; i++) {
		const struct node *n = &r->snap->nodes[i];
		char label[160];

		if (n->state == NODE_OK)
			continue;
		if (!any)
			raw(m, "\n## Nodes without a current answer\n\n");
		any = true;
		snprintf(label, sizeof(label), "`%.100s` %s", n->name, node_state_name(n->state));
		labelled(m, label, n->error ? n->error : "no reason known");
	}
}

enum err_code report_markdown(struct buf *out, const struct report *r)
{
	struct markdown m = {out, ERR_OK};
	struct report_groups groups;

	report_groups_init(&groups, r);
	head(&m, r);
	unreached(&m, r);
	part(&m, r, &groups, REPORT_COVERAGE, "Coverage");
	part(&m, r, &groups, REPORT_NCCL, "§ A Uneven NCCL performance");
	part(&m, r, &groups, REPORT_FILES, "§ B Poor filesystem performance");
	part(&m, r, &groups, REPORT_ROUTED, "Evidence for other owners");
	part(&m, r, &groups, REPORT_PEERS, "Peers that differ");
	raw(&m, "\nRead on the hosts, read-only. Values inside containers may differ.\n");
	report_groups_release(&groups);
	return m.rc;
}
