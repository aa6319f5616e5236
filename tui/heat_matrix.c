/* The matrix itself: labels, axis, cells, means. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "collectors/compiler.h"
#include "tui/heat_view.h"

#define LABEL_MAX 26
#define LABEL_MIN 6
/* Names are cut to this before nodes are folded. */
#define LABEL_LEAST 10
/* Columns for the mean of a row. */
#define MEAN_COLUMNS 4
/* Widest cell: "-18%" has room. */
#define CELL_MAX 5
/* Cells from this width on hold digits. */
#define DIGITS_FROM 3

/* The last part of names tells nodes apart: it is what is kept when there is no room. */
static const char *short_name(const char *name, int w)
{
	int width = grid_width(name);

	while (width > w && *name) {
		size_t n = grid_fit(name, 1, NULL);

		name += n ? n : 1;
		while (*name == '-' || *name == '.')
			name++;
		width = grid_width(name);
	}
	return name;
}

static const struct fleet_node *node_at(const struct heat_view *v, const struct ui *ui, size_t pos)
{
	return &ui->sweep->set->nodes[v->axis.node[pos]];
}

static bool suspect_in(const struct heat_view *v, const struct ui *ui, size_t lo, size_t hi)
{
	const struct attribution *at = ui->sweep->at;

	for (size_t i = 0; i < at->n_nodes; i++) {
		uint16_t pos = v->axis.at[at->nodes[i].node];

		if (pos != UINT16_MAX && pos >= lo && pos < hi)
			return true;
	}
	return false;
}

/* Columns for names: all of the longest where there is room, less where cells need it more. */
static int label_width(const struct heat_view *v, const struct ui *ui, int room)
{
	int span = (int)heat_view_span(v);
	int most = room - 1 - MEAN_COLUMNS - span * DIGITS_FROM;
	int unfolded = room - 1 - MEAN_COLUMNS - span;
	int w = LABEL_MIN;

	for (size_t i = 0; i < v->axis.n; i++) {
		int name = 2 + grid_width(node_at(v, ui, i)->name);

		w = name > w ? name : w;
	}
	if (v->rows.n < heat_view_span(v))
		w += 4; /* "+63" behind the first of a group */
	w = w < LABEL_MAX ? w : LABEL_MAX;
	if (most < room / 4)
		most = unfolded >= LABEL_LEAST && unfolded < room / 4 ? unfolded : room / 4;
	return w < most ? w : most;
}

/* A node, or a group by its first name and how many more there are. */
static void draw_label(
	const struct heat_view *v, const struct ui *ui, struct grid *g, struct rect r, size_t group)
{
	size_t lo = v->rows.first[group];
	size_t hi = v->rows.first[group + 1];
	bool here = v->row >= lo && v->row < hi;
	bool bad = suspect_in(v, ui, lo, hi);
	char more[24] = "";
	int style = here ? STYLE_BRIGHT : bad ? STYLE_CONCERN : STYLE_DIM;

	if (hi - lo > 1)
		snprintf(more, sizeof(more), "+%zu", hi - lo - 1);
	int w = r.w - 2 - grid_width(more);
	const char *name = short_name(node_at(v, ui, lo)->name, w);
	int used = grid_put(g, r, r.x + 2, r.y, style, name, w);

	grid_put(g, r, r.x + 2 + used, r.y, STYLE_FAINT, more, -1);
	if (here)
		grid_put(g, r, r.x, r.y, STYLE_KEY, ui->gl->here, 1);
	if (bad)
		grid_put(g, r, r.x + 1, r.y, STYLE_CONCERN, ui->gl->concern, 1);
}

/* What a cell of w columns says; digits where there is room. */
static const char *cell_text(
	const struct heat_view *v, const struct ui *ui, uint8_t level, int w, char out[32])
{
	int lost = level - HEAT_LOST;

	if (w < DIGITS_FROM || level == HEAT_NONE || level == HEAT_FAILED ||
		(v->mode == HEAT_DEFICIT && heat_step(level) == 0)) {
		snprintf(out, 32, "%*s%s", (w - 1) / 2, "", heat_glyph(level, ui->ascii));
		return out;
	}
	if (v->mode == HEAT_SPEED && w > DIGITS_FROM)
		snprintf(out, 32, "%*.0f", w - 1, v->levels->top_gbps * (100 - lost) / 100);
	else
		snprintf(out, 32, "%*.0f", w - 1, (double)lost);
	return out;
}

static void draw_cell(const struct heat_view *v, const struct ui *ui, struct grid *g,
	struct rect cell, size_t r, size_t c)
{
	uint8_t level = v->worst[r * v->cols.n + c];
	bool here = v->row >= v->rows.first[r] && v->row < v->rows.first[r + 1] &&
		    v->col >= v->cols.first[c] && v->col < v->cols.first[c + 1];
	bool self = v->rows.first[r] == v->cols.first[c] &&
		    v->rows.first[r + 1] - v->rows.first[r] == 1 &&
		    v->cols.first[c + 1] - v->cols.first[c] == 1;
	char text[32];
	int style = STYLE_TEXT;

	if (self) {
		snprintf(text, sizeof(text), "%*s%s", (cell.w - 1) / 2, "", ui->ascii ? "\\" : "╲");
		style = STYLE_FAINT;
	} else {
		cell_text(v, ui, level, cell.w, text);
		if (level == HEAT_FAILED)
			style = STYLE_LOST;
		else if (level != HEAT_NONE)
			g->back = (enum grid_back)(BACK_HEAT0 + heat_step(level));
	}
	if (here) {
		style = STYLE_BRIGHT;
		g->back = BACK_CURSOR;
	}
	grid_fill(g, cell, style);
	grid_put(g, cell, cell.x, cell.y, style, text, cell.w);
	g->back = BACK_NONE;
}

/* Marks above the columns: the crosshair, suspects, where a switch begins. */
static void draw_axis(
	const struct heat_view *v, const struct ui *ui, struct grid *g, struct rect r, int w)
{
	for (size_t c = 0; c < v->cols.n; c++) {
		size_t lo = v->cols.first[c];
		size_t hi = v->cols.first[c + 1];
		int x = r.x + (int)c * w;
		int mid = x + (w - 1) / 2;

		if (v->axis.border[lo])
			grid_put(g, r, x, r.y, STYLE_FAINT, ui->ascii ? "|" : "╷", 1);
		if (v->col >= lo && v->col < hi)
			grid_put(g, r, mid, r.y, STYLE_KEY, ui->gl->down, 1);
		else if (suspect_in(v, ui, lo, hi))
			grid_put(g, r, mid, r.y, STYLE_CONCERN, ui->gl->concern, 1);
	}
}

/* Of the worst node of a group, so that a mean hides nobody either. */
static double mean_of(const struct heat_view *v, size_t lo, size_t hi)
{
	double worst = NAN;

	for (size_t i = lo; i < hi; i++) {
		double mean = v->levels->node_mean[v->axis.node[i]];

		if (!(mean <= worst) && isfinite(mean))
			worst = mean;
	}
	return worst;
}

static void draw_mean(const struct ui *ui, struct grid *g, struct rect r, double mean)
{
	char text[16];

	if (!isfinite(mean)) {
		grid_put_right(g, r, r.x, r.y, r.w, STYLE_UNKNOWN, "-");
		return;
	}
	snprintf(text, sizeof(text), "%.0f", mean);
	uint8_t level = (uint8_t)(HEAT_LOST + (int)(mean + 0.5));

	(void)ui;
	grid_put_right(g, r, r.x, r.y, r.w,
		heat_step(level) >= 3   ? STYLE_CONCERN
		: heat_step(level) >= 1 ? STYLE_TEXT
					: STYLE_DIM,
		text);
}

static void draw_column_means(
	const struct heat_view *v, const struct ui *ui, struct grid *g, struct rect r, int w)
{
	for (size_t c = 0; c < v->cols.n; c++) {
		double mean = mean_of(v, v->cols.first[c], v->cols.first[c + 1]);
		struct rect cell = {r.x + (int)c * w, r.y, w, 1};

		if (w >= DIGITS_FROM) {
			draw_mean(ui, g, (struct rect){cell.x, cell.y, w - 1, 1}, mean);
			continue;
		}
		uint8_t level =
			isfinite(mean) ? (uint8_t)(HEAT_LOST + (int)(mean + 0.5)) : HEAT_NONE;

		grid_put(g, cell, cell.x, cell.y, heat_step(level) >= 1 ? STYLE_CONCERN : STYLE_DIM,
			heat_glyph(level, ui->ascii), 1);
	}
}

/* A rule between rows of different switches has no room; a tick beside the label has. */
static void draw_rows(const struct heat_view *v, const struct ui *ui, struct grid *g, struct rect r,
	int label, int w)
{
	for (size_t k = 0; k < v->rows.n; k++) {
		struct rect line = {r.x, r.y + (int)k, label, 1};

		draw_label(v, ui, g, line, k);
		if (v->axis.border[v->rows.first[k]])
			grid_put(g, r, r.x + label, line.y, STYLE_FAINT, ui->ascii ? "-" : "╶", 1);
		for (size_t c = 0; c < v->cols.n; c++)
			draw_cell(v, ui, g,
				(struct rect){r.x + label + 1 + (int)c * w, line.y, w, 1}, k, c);
		int x = r.x + label + 1 + (int)v->cols.n * w;

		draw_mean(ui, g, (struct rect){x, line.y, MEAN_COLUMNS, 1},
			mean_of(v, v->rows.first[k], v->rows.first[k + 1]));
	}
}

static int cell_width(size_t span, int room)
{
	int w = span ? room / (int)span : CELL_MAX;

	return w < 1 ? 1 : w > CELL_MAX ? CELL_MAX : w;
}

void heat_matrix_draw(struct heat_view *v, const struct ui *ui, struct grid *g, struct rect r)
{
	bool axis = r.h >= 4;
	bool means = r.h >= 8;
	int rows_room = r.h - axis - means;
	int label = label_width(v, ui, r.w);
	int room = r.w - label - 1 - MEAN_COLUMNS;
	size_t span = heat_view_span(v);

	if (rows_room < 1 || room < 1)
		return;
	v->cell_w = cell_width(span, room);
	heat_view_cells(v, (size_t)rows_room, (size_t)(room / v->cell_w));
	struct rect cells = r;

	if (axis) {
		struct rect top = layout_top(&cells, 1);
		int x = top.x + label + 1;

		grid_put_cut(g, top, top.x + 2, top.y, label - 2, STYLE_HEAD,
			v->mode == HEAT_DEFICIT ? "% lost" : "GB/s");
		draw_axis(v, ui, g, (struct rect){x, top.y, room, 1}, v->cell_w);
		grid_put_right(g, top, x + (int)v->cols.n * v->cell_w, top.y, MEAN_COLUMNS,
			STYLE_HEAD, "mean");
	}
	draw_rows(v, ui, g, cells, label, v->cell_w);
	if (means) {
		struct rect line = {cells.x, cells.y + (int)v->rows.n, cells.w, 1};

		grid_put(g, line, line.x + 2, line.y, STYLE_HEAD, "mean", label - 2);
		draw_column_means(
			v, ui, g, (struct rect){line.x + label + 1, line.y, room, 1}, v->cell_w);
	}
}

/* The ramp with its numbers: "· <3  - 3  = 5 ...  x failed  blank not measured". */
void heat_legend_draw(const struct heat_view *v, const struct ui *ui, struct grid *g, struct rect r)
{
	int x = r.x + 1;
	char text[32];

	x += grid_put(g, r, x, r.y, STYLE_HEAD, v->mode == HEAT_DEFICIT ? "% lost" : "GB/s", -1) +
	     1;
	for (int k = 0; k < HEAT_STEPS; k++) {
		int from = heat_step_from(k);

		g->back = (enum grid_back)(BACK_HEAT0 + k);
		snprintf(text, sizeof(text), " %s ",
			heat_glyph((uint8_t)(HEAT_LOST + from), ui->ascii));
		x += grid_put(g, r, x, r.y, STYLE_TEXT, text, -1);
		g->back = BACK_NONE;
		if (v->mode == HEAT_SPEED)
			snprintf(text, sizeof(text), "%s%.0f ", k ? ui->gl->le : "",
				v->levels->top_gbps * (100 - from) / 100);
		else if (k == 0)
			snprintf(text, sizeof(text), "<%d ", heat_step_from(1));
		else
			snprintf(text, sizeof(text), "%s%d ", ui->gl->ge, from);
		x += grid_put(g, r, x, r.y, STYLE_DIM, text, -1);
	}
	x += grid_put(g, r, x + 1, r.y, STYLE_LOST, heat_glyph(HEAT_FAILED, ui->ascii), -1) + 2;
	x += grid_put(g, r, x, r.y, STYLE_DIM, "failed ", -1);
	if (r.x + r.w - x > 18)
		grid_put(g, r, x + 1, r.y, STYLE_DIM, "blank: not measured", -1);
}
