#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collectors/xmalloc.h"
#include "tui/input.h"
#include "tui/node_columns.h"
#include "tui/node_summary.h"
#include "tui/view.h"
#include "tui/widgets.h"

#define GAP 1

/* Rows of the view below which the summary gives way to the table. */
#define SUMMARY_TWO_ROWS_MIN 14
#define SUMMARY_ONE_ROW_MIN  9

/* From this width on, columns are shown that say the same on every row. */
#define WIDE 150
/* From this width on, a finding has room for a sentence. */
#define MEDIUM 70
/* Cells in which a glyph and the longest word but one fit. */
#define STATE_WORD_MIN 9

struct view_nodes {
	struct node_row *all; /* in the source's order */
	size_t all_n;
	struct node_row *rows; /* those shown, sorted */
	size_t n;
	struct scroll scroll;
	size_t sort;
	bool descending;
	bool concerns_only;
	bool touched; /* the operator chose a row: stay on it */
	enum trend_metric metric;
	struct node_summary summary;
};

static int max_int(int a, int b)
{
	return a > b ? a : b;
}

static void *nodes_open(void)
{
	return xcalloc(1, sizeof(struct view_nodes));
}

static void nodes_close(void *view)
{
	struct view_nodes *v = view;

	free(v->all);
	free(v->rows);
	free(v);
}

static bool shown(const struct view_nodes *v, const struct ui *ui, const struct node_row *r)
{
	char text[1024];

	if (v->concerns_only && r->rank > RANK_LOST)
		return false;
	if (!ui->filter[0])
		return true;
	snprintf(text, sizeof(text), "%s %s %s %s %s %s", r->node->name, r->node->id,
		r->node->group ? r->node->group : "", r->type ? r->type : "", node_row_word(r),
		node_row_message(r));
	return input_matches(ui->filter, text);
}

/* Fills and sorts the shown rows; the selection follows its node. */
static void select_rows(struct view_nodes *v, const struct ui *ui)
{
	size_t keep = v->touched && v->scroll.at < v->n ? v->rows[v->scroll.at].index : SIZE_MAX;

	v->n = 0;
	for (size_t i = 0; i < v->all_n; i++)
		if (shown(v, ui, &v->all[i]))
			v->rows[v->n++] = v->all[i];
	node_columns_sort(v->rows, v->n, v->sort, v->descending);
	v->scroll.n = v->n;
	for (size_t i = 0; i < v->n && keep != SIZE_MAX; i++)
		if (v->rows[i].index == keep)
			v->scroll.at = i;
	scroll_fix(&v->scroll);
}

static void nodes_update(void *view, const struct ui *ui)
{
	struct view_nodes *v = view;
	size_t n = ui->snap->n;

	if (n != v->all_n) {
		v->all = xreallocarray(v->all, n ? n : 1, sizeof(*v->all));
		v->rows = xreallocarray(v->rows, n ? n : 1, sizeof(*v->rows));
		v->all_n = n;
		v->n = 0;
	}
	node_rows_make(v->all, ui->snap, ui->jm);
	node_summary_make(&v->summary, v->all, n);
	select_rows(v, ui);
}

static void draw_row(struct view_nodes *v, const struct ui *ui, struct grid *g, struct rect line,
	const int *widths, const struct node_row *r)
{
	struct node_cell c = {g, ui, line, v->metric};
	int x = line.x;

	for (size_t i = 0; i < node_columns_count(); i++) {
		if (widths[i] == 0)
			continue;
		c.at = rect_intersect(line, (struct rect){x, line.y, widths[i], 1});
		node_columns_at(i)->draw(&c, r);
		x += widths[i] + GAP;
	}
}

/* Width of the widest text of a column whose text differs in length from fleet to fleet. */
static void fit_text(struct column *c, int widest, int min_max, int want_max)
{
	if (widest == 0) {
		c->hidden = true;
		return;
	}
	int title = grid_width(c->title);

	if (widest < title)
		widest = title;
	c->min = widest < min_max ? widest : min_max;
	c->want = widest < want_max ? widest : want_max;
}

/*
 * Columns for this fleet: as wide as its names; without those that nobody has a
 * value for, and without the type where all are of one.
 */
static void make_columns(
	const struct view_nodes *v, const struct ui *ui, int w, struct column *cols)
{
	int name = 0;
	int group = 0;
	int type = 0;
	bool one_type = true;
	bool efa = false;
	bool gpu = false;

	for (size_t i = 0; i < node_columns_count(); i++)
		cols[i] = node_columns_at(i)->place;
	for (size_t i = 0; i < v->all_n; i++) {
		const struct node_row *r = &v->all[i];

		name = max_int(name, grid_width(r->node->name));
		group = max_int(group, r->node->group ? grid_width(r->node->group) : 0);
		type = max_int(type, r->type ? grid_width(r->type) : 0);
		one_type = one_type && r->type && strcmp(r->type, v->all[0].type) == 0;
		efa = efa || isfinite(r->efa_active) || isfinite(r->efa_expected);
		gpu = gpu || isfinite(r->gpu.listed);
	}
	bool answered = ui->snap->reached > 0;

	fit_text(&cols[COLUMN_NAME], name, 12, 30);
	fit_text(&cols[COLUMN_GROUP], group, 10, 20);
	fit_text(&cols[COLUMN_TYPE], one_type && w < WIDE ? 0 : type, 14, 16);
	if (w >= MEDIUM)
		cols[COLUMN_FINDING].min = 28;
	cols[COLUMN_EFA].hidden = answered && !efa;
	cols[COLUMN_GPU].hidden = cols[COLUMN_TEMP].hidden = cols[COLUMN_USE].hidden =
		answered && !gpu;
	cols[COLUMN_TREND].title = trend_title(v->metric);
	if (ui->ascii)
		cols[COLUMN_TEMP].title = "TEMP";
}

/* A state column too narrow for its words shows the glyph alone; the finding gets the rest. */
static void narrow_state(struct column *cols, int *widths)
{
	if (widths[COLUMN_STATE] >= STATE_WORD_MIN)
		return;
	widths[COLUMN_FINDING] += widths[COLUMN_FINDING] ? widths[COLUMN_STATE] - 1 : 0;
	widths[COLUMN_STATE] = 1;
	cols[COLUMN_STATE].title = "";
}

static void draw_table(struct view_nodes *v, const struct ui *ui, struct grid *g, struct rect r)
{
	struct column cols[LAYOUT_COLUMNS_MAX];
	int widths[LAYOUT_COLUMNS_MAX];
	size_t n = node_columns_count();

	make_columns(v, ui, r.w, cols);
	int w = v->n + 1 > (size_t)(r.h > 0 ? r.h : 0) ? r.w - 3
						       : r.w - 2; /* beside a scroll bar */

	layout_columns(cols, n, w, GAP, widths);
	narrow_state(cols, widths);
	struct rect head = layout_top(&r, 1);

	head.x++;
	head.w -= 2;
	widget_titles(g, ui, head, cols, n, widths, GAP, v->sort, v->descending);
	v->scroll.page = r.h > 0 ? (size_t)r.h : 0;
	scroll_fix(&v->scroll);
	if (v->n == 0)
		widget_empty(g, r,
			ui->filter[0] || v->concerns_only ? "no node matches (Esc shows all)"
							  : "the source has no nodes");
	for (int i = 0; i < r.h && v->scroll.top + (size_t)i < v->n; i++) {
		size_t at = v->scroll.top + (size_t)i;
		struct rect line = {r.x, r.y + i, r.w, 1};

		g->back = at == v->scroll.at ? BACK_SELECTED : BACK_NONE;
		grid_fill(g, line, STYLE_TEXT);
		line.x++;
		line.w -= 2;
		draw_row(v, ui, g, line, widths, &v->rows[at]);
	}
	g->back = BACK_NONE;
	widget_scrollbar(g, ui, r, &v->scroll);
}

static void nodes_draw(void *view, const struct ui *ui, struct grid *g, struct rect r)
{
	struct view_nodes *v = view;

	if (r.h >= SUMMARY_TWO_ROWS_MIN) {
		struct rect top = layout_top(&r, 3);

		node_summary_draw(&v->summary, ui, g, top, v->all, v->all_n);
	} else if (r.h >= SUMMARY_ONE_ROW_MIN) {
		node_summary_draw(&v->summary, ui, g, layout_top(&r, 1), v->all, v->all_n);
	}
	draw_table(v, ui, g, r);
}

static void sort_step(struct view_nodes *v, const struct ui *ui, int step)
{
	size_t n = node_columns_count();

	v->sort = (v->sort + n + (size_t)step) % n;
	v->descending = node_columns_at(v->sort)->descending;
	select_rows(v, ui);
}

static bool nodes_sort_by(void *view, const struct ui *ui, const char *column)
{
	struct view_nodes *v = view;
	size_t i = node_columns_find(column);

	if (i == SIZE_MAX)
		return false;
	v->sort = i;
	v->descending = node_columns_at(i)->descending;
	select_rows(v, ui);
	return true;
}

static unsigned open_row(const struct view_nodes *v, struct view_request *req)
{
	if (v->n == 0)
		return VIEW_HANDLED;
	const struct node_row *r = &v->rows[v->scroll.at];

	snprintf(req->node_id, sizeof(req->node_id), "%s", r->node->id);
	snprintf(req->finding_id, sizeof(req->finding_id), "%s", r->top ? r->top->id : "");
	return VIEW_DETAIL;
}

static unsigned nodes_act(void *view, const struct ui *ui, enum action a, struct view_request *req)
{
	struct view_nodes *v = view;

	if (widget_scroll_act(&v->scroll, a)) {
		v->touched = a != ACTION_HOME;
		return VIEW_REDRAW;
	}
	switch (a) {
	case ACTION_OPEN:
		return open_row(v, req);
	case ACTION_COPY:
		if (v->n)
			snprintf(req->text, sizeof(req->text), "%s",
				v->rows[v->scroll.at].node->name);
		return v->n ? VIEW_COPY : VIEW_HANDLED;
	case ACTION_SORT_NEXT:
		sort_step(v, ui, 1);
		return VIEW_REDRAW;
	case ACTION_SORT_PREV:
		sort_step(v, ui, -1);
		return VIEW_REDRAW;
	case ACTION_REVERSE:
		v->descending = !v->descending;
		select_rows(v, ui);
		return VIEW_REDRAW;
	case ACTION_CONCERNS:
		v->concerns_only = !v->concerns_only;
		select_rows(v, ui);
		return VIEW_REDRAW;
	case ACTION_TREND:
		v->metric = (enum trend_metric)((v->metric + 1) % TREND_COUNT);
		return VIEW_REDRAW;
	case ACTION_BACK:
		if (!v->concerns_only)
			return VIEW_IGNORED;
		v->concerns_only = false;
		select_rows(v, ui);
		return VIEW_REDRAW;
	default:
		return VIEW_IGNORED;
	}
}

static void nodes_caption(void *view, const struct ui *ui, char *out, size_t size)
{
	const struct view_nodes *v = view;
	const struct node_column *col = node_columns_at(v->sort);
	const char *arrow = v->descending ? ui->gl->down : ui->gl->up;

	if (v->n == v->all_n)
		snprintf(out, size, "%zu nodes, by %s %s", v->n, col->name, arrow);
	else
		snprintf(out, size, "%zu of %zu nodes%s, by %s %s", v->n, v->all_n,
			v->concerns_only ? " (concerns only)" : "", col->name, arrow);
}

extern const struct view_ops view_nodes_ops;
const struct view_ops view_nodes_ops = {
	.name = "nodes",
	.title = "Nodes",
	.key = '1',
	.where = IN_NODES,
	.open = nodes_open,
	.close = nodes_close,
	.update = nodes_update,
	.draw = nodes_draw,
	.act = nodes_act,
	.caption = nodes_caption,
	.sort_by = nodes_sort_by,
};
