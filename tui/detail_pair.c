#include "tui/detail_pair.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "rules/cause.h"
#include "tui/detail.h"
#include "tui/fmt.h"
#include "tui/heat_view.h"
#include "tui/heat_words.h"

/* Where values start, behind their labels. */
#define VALUE_X 14
/* Readings of a pair that are listed. */
#define READINGS_MAX 24

static void labelled(struct doc *d, const char *label, int style, const char *value)
{
	doc_line(d);
	doc_put(d, 3, STYLE_DIM, label);
	doc_wrap(d, VALUE_X, style, value);
}

static size_t node_in_snapshot(const struct ui *ui, size_t node)
{
	const char *id = ui->sweep->set->nodes[node].id;

	for (size_t i = 0; id && i < ui->snap->n; i++)
		if (strcmp(ui->snap->nodes[i].id, id) == 0)
			return i;
	return SIZE_MAX;
}

/* The other way round; SIZE_MAX when the sweep does not know it. */
static size_t node_in_sweep(const struct ui *ui, size_t node)
{
	const struct pair_set *set = ui->sweep->set;
	const char *id = ui->snap->nodes[node].id;

	for (size_t i = 0; i < set->n; i++)
		if (set->nodes[i].id && strcmp(set->nodes[i].id, id) == 0)
			return i;
	return SIZE_MAX;
}

static bool has_causes(const struct ui *ui, size_t node)
{
	struct cause c[CAUSES_MAX];

	return node != SIZE_MAX && cause_rank(ui->jm, node, c) > 0;
}

static void causes(struct doc *d, const struct ui *ui, size_t node)
{
	struct cause c[CAUSES_MAX];
	size_t n = node == SIZE_MAX ? 0 : cause_rank(ui->jm, node, c);

	if (n == 0) {
		labelled(d, "causes", STYLE_UNKNOWN,
			node == SIZE_MAX
				? "not known: no snapshot of this node is read"
				: "none of this node's own findings explains it; look at counters "
				  "under load, and measure it again with other partners");
		return;
	}
	for (size_t i = 0; i < n; i++) {
		const struct finding *f = c[i].finding;

		doc_line(d);
		doc_put(d, 3, STYLE_DIM, i == 0 ? "causes" : "");
		doc_put(d, VALUE_X, c[i].weight == CAUSE_LIKELY ? STYLE_CONCERN : STYLE_TEXT,
			cause_weight_name(c[i].weight));
		doc_wrap(d, VALUE_X + 10, theme_severity_style(f->severity), f->title);
		doc_line(d);
		doc_wrap(d, VALUE_X + 10, STYLE_DIM, c[i].reason);
	}
}

static void evidence(struct doc *d, const struct ui *ui, const struct suspect_node *s)
{
	const struct pair_set *set = ui->sweep->set;
	char text[256];

	for (size_t i = 0; i < s->n_evidence; i++) {
		const struct pair_evidence *e = &s->evidence[i];
		size_t other = e->a == s->node ? e->b : e->a;

		snprintf(text, sizeof(text), "%7.1f of %7.1f GB/s  with %s", (double)e->busbw_gbps,
			(double)e->expected_gbps, set->nodes[other].name);
		labelled(d, i == 0 ? "pairs" : "", STYLE_TEXT, text);
	}
}

static void retest(struct doc *d, const char *name)
{
	char text[512];

	snprintf(text, sizeof(text),
		"hyperpod-perf plan --nodes HOSTLIST --strategy suspects --suspects %s", name);
	doc_line(d);
	doc_put(d, 3, STYLE_DIM, "measure");
	doc_put(d, VALUE_X, STYLE_COMMAND, text);
	doc_copy(d, text);
}

void detail_node_pairs(struct doc *d, const struct ui *ui, size_t node)
{
	size_t at = ui->sweep ? node_in_sweep(ui, node) : SIZE_MAX;
	const struct suspect_node *s = NULL;
	char text[256];

	if (at == SIZE_MAX || !ui->sweep->set->measured)
		return;
	const struct attribution *a = ui->sweep->at;

	for (size_t i = 0; i < a->n_nodes; i++)
		if (a->nodes[i].node == at)
			s = &a->nodes[i];
	doc_line(d);
	heat_key_words(text, sizeof(text), &ui->sweep->set->key, ui->gl->sep);
	doc_heading(d, "Pairwise bandwidth", text, STYLE_DIM);
	if (s) {
		snprintf(text, sizeof(text),
			"slow: loses %.0f%% of what its pairs should reach; %zu of %zu pairs say "
			"so, "
			"%.0f%% sure",
			100 * s->deficit, s->agree, s->pairs, 100 * s->confidence);
		labelled(d, "verdict", STYLE_CONCERN, text);
		causes(d, ui, node);
		evidence(d, ui, s);
		retest(d, ui->sweep->set->nodes[at].name);
		return;
	}
	if (a->tested[at] == TESTED_NOT)
		labelled(d, "verdict", STYLE_UNKNOWN, "not tested: no pair of it has a figure");
	else if (a->tested[at] == TESTED_LITTLE)
		labelled(d, "verdict", STYLE_UNKNOWN,
			"tested with too few partners to tell it from them");
	else
		labelled(d, "verdict", STYLE_OK, "nothing points at this node");
	for (size_t i = 0; i < a->n_links; i++) {
		const struct suspect_link *l = &a->links[i];

		if (l->a != at && l->b != at)
			continue;
		snprintf(text, sizeof(text),
			"slow link to %s: loses %.0f%% beyond both nodes, %.0f%% sure",
			ui->sweep->set->nodes[l->a == at ? l->b : l->a].name, 100 * l->deficit,
			100 * l->confidence);
		labelled(d, "link", STYLE_CONCERN, text);
	}
}

/* ---- one pair ---- */

static void readings(struct doc *d, const struct ui *ui, size_t a, size_t b)
{
	const struct pair_set *set = ui->sweep->set;
	size_t n;
	const struct pair_reading *r = pair_set_readings(set, a, b, &n);
	char text[400];
	char age[FMT_MAX];

	for (size_t i = 0; i < n && i < READINGS_MAX; i++) {
		const struct pair_reading *one = &r[n - 1 - i];
		const struct pair_source *src =
			one->source < set->n_sources ? &set->sources[one->source] : NULL;
		char other[48] = "";

		if (src && isfinite(src->other_busbw_gbps))
			snprintf(other, sizeof(other), "  %s %.1f",
				set->in_place ? "out-of-place" : "in-place",
				(double)src->other_busbw_gbps);
		snprintf(text, sizeof(text), "%7.1f GB/s%s  %s  %s", (double)one->busbw_gbps, other,
			src && src->wall_ms ? fmt_ago(age, ui->now_wall_ms - src->wall_ms > 0
								   ? ui->now_wall_ms - src->wall_ms
								   : 0)
					    : "",
			src ? src->path : "");
		labelled(d, i == 0 ? "readings" : "", STYLE_TEXT, text);
	}
	if (n > READINGS_MAX) {
		snprintf(text, sizeof(text), "and %zu older ones", n - READINGS_MAX);
		labelled(d, "", STYLE_DIM, text);
	}
}

static void failures(struct doc *d, const struct ui *ui, size_t a, size_t b)
{
	const struct pair_set *set = ui->sweep->set;
	char text[600];

	for (size_t i = 0; i < set->n_failures; i++) {
		const struct pair_failure *f = &set->failures[i];

		if (!((f->a == a && f->b == b) || (f->a == b && f->b == a)))
			continue;
		snprintf(text, sizeof(text), "%s%s%s  %s",
			f->status == BW_FAILED ? "failed" : "cut off", f->why ? ": " : "",
			f->why ? f->why : "", f->path ? f->path : "");
		labelled(d, "run", STYLE_LOST, text);
	}
}

static void one_node(struct doc *d, const struct ui *ui, size_t node)
{
	const struct fleet_node *n = &ui->sweep->set->nodes[node];
	const struct attribution *at = ui->sweep->at;
	size_t snap = node_in_snapshot(ui, node);
	char text[300];

	doc_line(d);
	snprintf(text, sizeof(text), "%s%s%s%s%s%s", n->instance_type ? n->instance_type : "",
		n->az ? "  " : "", n->az ? n->az : "", n->leaf ? "  leaf " : "",
		n->leaf ? n->leaf : "", n->busy ? "  runs a job" : "");
	doc_heading(d, n->name, text, STYLE_DIM);
	doc_copy(d, n->name);
	for (size_t i = 0; i < at->n_nodes; i++)
		if (at->nodes[i].node == node) {
			snprintf(text, sizeof(text), "slow node: loses %.0f%%, %.0f%% sure",
				100 * at->nodes[i].deficit, 100 * at->nodes[i].confidence);
			labelled(d, "verdict", STYLE_CONCERN, text);
			causes(d, ui, snap);
			return;
		}
	/* A partner that is fine needs no explanation; what was found on it may matter to the path. */
	labelled(d, "verdict", STYLE_OK, "no suspect by itself");
	if (snap == SIZE_MAX || has_causes(ui, snap))
		causes(d, ui, snap);
}

void detail_pair(struct doc *d, const struct ui *ui, size_t a, size_t b)
{
	const struct pair_set *set = ui->sweep->set;
	double busbw = pair_set_busbw(set, a, b);
	double expected = attribution_expected(ui->sweep->at, a, b);
	char text[512];
	char key[96];
	int style;
	const char *verdict = heat_verdict(ui, a, b, &style);

	doc_line(d);
	snprintf(text, sizeof(text), "%s %s %s", set->nodes[a].name, ui->gl->dash,
		set->nodes[b].name);
	doc_put(d, 1, STYLE_BRIGHT, text);
	doc_copy(d, text);
	labelled(d, "verdict", style, verdict);
	if (isfinite(busbw) && isfinite(expected))
		snprintf(text, sizeof(text),
			"%.1f GB/s, %.1f%% %s the %.1f of healthy nodes in these places", busbw,
			fabs(100 * (1 - busbw / expected)), busbw < expected ? "below" : "above",
			expected);
	else if (isfinite(busbw))
		snprintf(text, sizeof(text),
			"%.1f GB/s; what healthy nodes reach here is not known", busbw);
	else
		snprintf(text, sizeof(text), "no figure");
	labelled(d, "busbw", STYLE_BRIGHT, text);
	labelled(d, "figure", STYLE_DIM, heat_key_words(key, sizeof(key), &set->key, ui->gl->sep));
	readings(d, ui, a, b);
	failures(d, ui, a, b);
	snprintf(text, sizeof(text),
		"hyperpod-perf plan --nodes HOSTLIST --strategy suspects --links %s:%s",
		set->nodes[a].name, set->nodes[b].name);
	doc_line(d);
	doc_put(d, 3, STYLE_DIM, "measure");
	doc_put(d, VALUE_X, STYLE_COMMAND, text);
	doc_copy(d, text);
	one_node(d, ui, a);
	one_node(d, ui, b);
}
