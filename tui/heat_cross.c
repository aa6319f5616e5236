/* What is under the crosshair: a pair, a node, or the worst of many. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tui/fmt.h"
#include "tui/heat_view.h"

/* Readings that are listed beside the matrix. */
#define READINGS_SHOWN 6

const char *heat_verdict(const struct ui *ui, size_t a, size_t b, int *style)
{
	const struct attribution *at = ui->sweep->at;
	size_t n;

	*style = STYLE_CONCERN;
	for (size_t i = 0; i < at->n_links; i++)
		if ((at->links[i].a == a && at->links[i].b == b) ||
			(at->links[i].a == b && at->links[i].b == a))
			return "slow link";
	for (size_t i = 0; i < at->n_nodes; i++)
		if (at->nodes[i].node == a || at->nodes[i].node == b)
			return "slow node";
	*style = STYLE_INFO;
	for (size_t i = 0; i < at->n_transients; i++)
		if ((at->transients[i].a == a && at->transients[i].b == b) ||
			(at->transients[i].a == b && at->transients[i].b == a))
			return at->transients[i].retest ? "low once: measure again"
							: "a passing disturbance";
	pair_set_readings(ui->sweep->set, a, b, &n);
	if (n) {
		*style = STYLE_OK;
		return "as it should be";
	}
	for (size_t i = 0; i < ui->sweep->set->n_failures; i++) {
		const struct pair_failure *f = &ui->sweep->set->failures[i];

		if ((f->a == a && f->b == b) || (f->a == b && f->b == a)) {
			*style = STYLE_LOST;
			return f->status == BW_FAILED ? "the run failed" : "the run was cut off";
		}
	}
	*style = STYLE_UNKNOWN;
	return "not measured";
}

static const struct suspect_node *suspect_of(const struct attribution *at, size_t node)
{
	for (size_t i = 0; i < at->n_nodes; i++)
		if (at->nodes[i].node == node)
			return &at->nodes[i];
	return NULL;
}

/* "leaf nn-1" where both share it, else the first level that differs. */
static void place_words(const struct fleet_node *a, const struct fleet_node *b, const struct ui *ui,
	char *out, size_t size)
{
	const struct {
		const char *name;
		const char *a;
		const char *b;
	} levels[] = {{"zones", a->az, b->az}, {"spines", a->spine, b->spine},
		{"UltraServers", a->ultraserver, b->ultraserver}, {"leaves", a->leaf, b->leaf},
		{"types", a->instance_type, b->instance_type}};
	bool known = false;

	for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]); i++) {
		if (!levels[i].a || !levels[i].b)
			continue;
		known = true;
		if (strcmp(levels[i].a, levels[i].b) != 0) {
			snprintf(out, size, "%s %s %s %s", levels[i].name, levels[i].a,
				ui->gl->arrow, levels[i].b);
			return;
		}
	}
	if (known && a->leaf && b->leaf)
		snprintf(out, size, "both on leaf %s", a->leaf);
	else
		snprintf(out, size, known ? "same place, as far as known" : "places not known");
}

struct column_writer {
	struct grid *g;
	struct rect r;
	const struct ui *ui;
};

/* The next line; false when there is none left. */
static bool next(struct column_writer *w, struct rect *line)
{
	if (w->r.h < 1)
		return false;
	*line = layout_top(&w->r, 1);
	return true;
}

static void text(struct column_writer *w, int style, const char *s)
{
	struct rect l;

	if (next(w, &l))
		grid_put_cut(w->g, l, l.x + 1, l.y, l.w - 2, style, s);
}

static void labelled(struct column_writer *w, const char *label, int style, const char *s)
{
	struct rect l;

	if (!next(w, &l))
		return;
	grid_put(w->g, l, l.x + 1, l.y, STYLE_DIM, label, 10);
	grid_put_cut(w->g, l, l.x + 11, l.y, l.w - 12, style, s);
}

static void lost_words(double busbw, double expected, const struct ui *ui, char *out, size_t size)
{
	if (!isfinite(busbw) || !isfinite(expected))
		snprintf(out, size, "-");
	else
		snprintf(out, size, "%s%.1f%%",
			busbw >= expected ? "+"
			: ui->ascii       ? "-"
					  : "−",
			fabs(100 * (1 - busbw / expected)));
}

static void list_readings(struct column_writer *w, size_t a, size_t b)
{
	const struct pair_set *set = w->ui->sweep->set;
	size_t n;
	const struct pair_reading *r = pair_set_readings(set, a, b, &n);
	char value[96];
	char age[FMT_MAX];

	/* Newest first. */
	for (size_t i = 0; i < n && i < READINGS_SHOWN; i++) {
		const struct pair_reading *one = &r[n - 1 - i];
		const struct pair_source *src =
			one->source < set->n_sources ? &set->sources[one->source] : NULL;

		snprintf(value, sizeof(value), "%8.1f  %s", (double)one->busbw_gbps,
			src && src->wall_ms
				? fmt_ago(age, w->ui->now_wall_ms > src->wall_ms
						       ? w->ui->now_wall_ms - src->wall_ms
						       : 0)
				: "time not known");
		labelled(w, i == 0 ? "readings" : "", STYLE_TEXT, value);
	}
	if (n > READINGS_SHOWN) {
		snprintf(value, sizeof(value), "and %zu more", n - READINGS_SHOWN);
		labelled(w, "", STYLE_DIM, value);
	}
}

static void pair_column(struct column_writer *w, size_t a, size_t b)
{
	const struct pair_set *set = w->ui->sweep->set;
	double busbw = pair_set_busbw(set, a, b);
	double expected = attribution_expected(w->ui->sweep->at, a, b);
	char words[160];
	int style;
	const char *verdict = heat_verdict(w->ui, a, b, &style);

	text(w, STYLE_BRIGHT, set->nodes[a].name);
	text(w, STYLE_BRIGHT, set->nodes[b].name);
	place_words(&set->nodes[a], &set->nodes[b], w->ui, words, sizeof(words));
	text(w, STYLE_DIM, words);
	labelled(w, "verdict", style, verdict);
	if (isfinite(busbw)) {
		snprintf(words, sizeof(words), "%8.1f GB/s", busbw);
		labelled(w, "busbw", STYLE_BRIGHT, words);
	}
	if (isfinite(expected)) {
		snprintf(words, sizeof(words), "%8.1f GB/s", expected);
		labelled(w, "healthy", STYLE_TEXT, words);
	}
	if (isfinite(busbw) && isfinite(expected)) {
		char lost[32];

		lost_words(busbw, expected, w->ui, lost, sizeof(lost));
		snprintf(words, sizeof(words), "%s%s",
			w->ui->ascii || busbw >= expected ? "   " : "   ", lost);
		labelled(w, "deficit", style == STYLE_OK ? STYLE_TEXT : style, words);
	}
	list_readings(w, a, b);
}

static void node_column(struct column_writer *w, const struct heat_view *v, size_t node)
{
	const struct attribution *at = w->ui->sweep->at;
	const struct fleet_node *n = &w->ui->sweep->set->nodes[node];
	const struct suspect_node *s = suspect_of(at, node);
	char words[160];

	text(w, STYLE_BRIGHT, n->name);
	snprintf(words, sizeof(words), "%s%s%s%s%s", n->instance_type ? n->instance_type : "",
		n->instance_type ? " " : "", n->az ? n->az : "", n->leaf ? " leaf " : "",
		n->leaf ? n->leaf : "");
	text(w, STYLE_DIM, words);
	if (s) {
		snprintf(words, sizeof(words), "slow node, %.0f%% sure", 100 * s->confidence);
		labelled(w, "verdict", STYLE_CONCERN, words);
		snprintf(words, sizeof(words), "%.0f%% of what it should reach", 100 * s->deficit);
		labelled(w, "loses", STYLE_CONCERN, words);
		snprintf(words, sizeof(words), "%zu of %zu say so", s->agree, s->pairs);
		labelled(w, "pairs", STYLE_TEXT, words);
	} else if (at->tested[node] != TESTED_WELL) {
		labelled(w, "verdict", STYLE_UNKNOWN,
			at->tested[node] == TESTED_NOT ? "not tested" : "too few partners to tell");
	} else {
		labelled(w, "verdict", STYLE_OK, "nothing points at it");
	}
	if (isfinite(v->levels->node_mean[node])) {
		snprintf(words, sizeof(words), "%.1f%% lost", (double)v->levels->node_mean[node]);
		labelled(w, "mean", STYLE_TEXT, words);
	}
}

static void cell_column(struct column_writer *w, const struct heat_cell *cell)
{
	char words[120];

	snprintf(words, sizeof(words), "%zu pairs here, %zu measured%s", cell->pairs,
		cell->measured, cell->failed ? "" : "");
	text(w, STYLE_TEXT, words);
	if (cell->failed) {
		snprintf(words, sizeof(words), "%zu failed", cell->failed);
		text(w, STYLE_LOST, words);
	}
	text(w, STYLE_HEAD, "the worst of them");
}

/* Why, in the attribution's own sentences, with what room is left. */
static void why_column(struct column_writer *w)
{
	const struct attribution *at = w->ui->sweep->at;
	struct rect l;

	if (w->r.h < 4 || !next(w, &l))
		return;
	text(w, STYLE_HEAD, "what the whole says");
	for (size_t i = 0; i < at->n_why && w->r.h > 1; i++) {
		const char *rest = at->why[i];
		const char *lead = w->ui->gl->sep;

		while (*rest && w->r.h > 0) {
			const char *begin = rest;
			char piece[160];
			int fit = w->r.w - 4;
			size_t n = grid_fit(rest, fit, NULL);

			if (begin[n])
				for (size_t k = n; k > n / 2; k--)
					if (begin[k] == ' ') {
						n = k;
						break;
					}
			snprintf(piece, sizeof(piece), "%.*s", (int)n, begin);
			rest += n ? n : 1;
			while (*rest == ' ')
				rest++;
			if (!next(w, &l))
				return;
			grid_put(w->g, l, l.x + 1, l.y, STYLE_FAINT, lead, 1);
			grid_put(w->g, l, l.x + 3, l.y, STYLE_DIM, piece, fit);
			lead = "";
		}
	}
}

static struct heat_cell look(const struct heat_view *v)
{
	struct heat_cell none = {.pairs = 1, .row = v->row, .col = v->col};

	if (!v->rows.n || !v->cols.n || v->stale)
		return none;
	return heat_cell_look(&v->axis, &v->rows, &v->cols, heat_groups_find(&v->rows, v->row),
		heat_groups_find(&v->cols, v->col), heat_view_levels(v), v->levels->n);
}

/* One line for narrow screens: pair, figures, verdict. */
static void short_lines(const struct heat_view *v, const struct ui *ui, struct grid *g,
	struct rect r, const struct heat_cell *cell, size_t a, size_t b)
{
	const struct pair_set *set = ui->sweep->set;
	struct column_writer w = {g, r, ui};
	double busbw = pair_set_busbw(set, a, b);
	double expected = attribution_expected(ui->sweep->at, a, b);
	char lost[32];
	char line[320];
	char place[160];
	size_t n;
	int style;
	const char *verdict = heat_verdict(ui, a, b, &style);

	(void)v;
	pair_set_readings(set, a, b, &n);
	lost_words(busbw, expected, ui, lost, sizeof(lost));
	if (cell->pairs > 1)
		snprintf(line, sizeof(line), "worst of %zu pairs: %s %s %s", cell->pairs,
			set->nodes[a].name, ui->gl->dash, set->nodes[b].name);
	else
		snprintf(line, sizeof(line), "%s %s %s", set->nodes[a].name, ui->gl->dash,
			set->nodes[b].name);
	text(&w, STYLE_BRIGHT, line);
	if (isfinite(busbw) && isfinite(expected))
		snprintf(line, sizeof(line), "%s: %.1f GB/s of %.1f, %s, %zu %s", verdict, busbw,
			expected, lost, n, n == 1 ? "reading" : "readings");
	else
		snprintf(line, sizeof(line), "%s", verdict);
	text(&w, style, line);
	place_words(&set->nodes[a], &set->nodes[b], ui, place, sizeof(place));
	text(&w, STYLE_DIM, place);
}

void heat_cross_draw(const struct heat_view *v, const struct ui *ui, struct grid *g, struct rect r)
{
	struct heat_cell cell = look(v);
	bool many = cell.pairs > 1;
	size_t a = v->axis.node[many ? cell.row : v->row];
	size_t b = v->axis.node[many ? cell.col : v->col];
	struct column_writer w = {g, r, ui};

	if (r.h < 8 && a != b) {
		short_lines(v, ui, g, r, &cell, a, b);
		return;
	}
	if (many)
		cell_column(&w, &cell);
	if (a == b)
		node_column(&w, v, a);
	else
		pair_column(&w, a, b);
	why_column(&w);
}
