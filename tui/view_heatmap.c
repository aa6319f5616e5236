#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collectors/xmalloc.h"
#include "tui/fmt.h"
#include "tui/heat_view.h"
#include "tui/widgets.h"

/* Fewest nodes on an axis when zoomed in as far as it goes. */
#define SPAN_LEAST 4
/* Rows and columns that PgUp and PgDn move by. */
#define PAGE 8
/* From this width on, the crosshair's panel stands beside the matrix. */
#define SIDE_FROM_COLUMNS 100
#define SIDE_COLUMNS      40
/* Rows of the crosshair's lines below the matrix. */
#define BELOW_ROWS      3
#define BELOW_FROM_ROWS 12

static void *heatmap_open(void)
{
	struct heat_view *v = xcalloc(1, sizeof(*v));

	doc_init(&v->doc);
	v->suspect = SIZE_MAX;
	return v;
}

static void heatmap_close(void *view)
{
	struct heat_view *v = view;

	heat_levels_free(v->own);
	heat_axis_release(&v->axis);
	heat_groups_release(&v->rows);
	heat_groups_release(&v->cols);
	free(v->worst);
	doc_release(&v->doc);
	free(v);
}

const uint8_t *heat_view_levels(const struct heat_view *v)
{
	return v->mode == HEAT_SPEED ? v->levels->speed : v->levels->deficit;
}

size_t heat_view_span(const struct heat_view *v)
{
	size_t span = v->axis.n >> v->zoom;

	if (span < SPAN_LEAST)
		span = SPAN_LEAST;
	return span < v->axis.n ? span : v->axis.n;
}

/* Moves the window of `span` positions so that `at` is inside. */
static size_t window(size_t lo, size_t at, size_t span, size_t n)
{
	if (at < lo)
		lo = at;
	if (at >= lo + span)
		lo = at + 1 - span;
	return lo + span > n ? n - span : lo;
}

static void keep_in_sight(struct heat_view *v)
{
	size_t span = heat_view_span(v);
	size_t row_lo = window(v->row_lo, v->row, span, v->axis.n);
	size_t col_lo = window(v->col_lo, v->col, span, v->axis.n);

	v->stale |= row_lo != v->row_lo || col_lo != v->col_lo;
	v->row_lo = row_lo;
	v->col_lo = col_lo;
}

static void set_position(struct heat_view *v, size_t row, size_t col)
{
	v->row = row;
	v->col = col;
	if (v->axis.n) {
		v->row_node = v->axis.node[row];
		v->col_node = v->axis.node[col];
	}
	v->doc_s = -1;
	keep_in_sight(v);
}

void heat_view_to(struct heat_view *v, size_t a, size_t b)
{
	if (a >= v->levels->n || b >= v->levels->n || v->axis.at[a] == UINT16_MAX ||
		v->axis.at[b] == UINT16_MAX)
		return;
	set_position(v, v->axis.at[a], v->axis.at[b]);
}

void heat_view_cells(struct heat_view *v, size_t rows_most, size_t cols_most)
{
	size_t span = heat_view_span(v);

	if (!v->stale && v->rows_most == rows_most && v->cols_most == cols_most)
		return;
	heat_groups_make(&v->rows, &v->axis, v->row_lo, v->row_lo + span, rows_most);
	heat_groups_make(&v->cols, &v->axis, v->col_lo, v->col_lo + span, cols_most);
	free(v->worst);
	v->worst = heat_fold(&v->axis, &v->rows, &v->cols, heat_view_levels(v), v->levels->n);
	v->rows_most = rows_most;
	v->cols_most = cols_most;
	v->stale = false;
}

/* ---- the picture ---- */

/* Until the operator moves, the crosshair shows what is worst. */
static void to_the_worst(struct heat_view *v, const struct attribution *at)
{
	if (at->n_nodes && at->nodes[0].n_evidence) {
		size_t a = at->nodes[0].node;
		const struct pair_evidence *e = &at->nodes[0].evidence[0];

		heat_view_to(v, a, e->a == a ? e->b : e->a);
	} else if (at->n_links) {
		heat_view_to(v, at->links[0].a, at->links[0].b);
	} else {
		set_position(v, 0, v->axis.n > 1 ? 1 : 0);
	}
}

static void place_crosshair(struct heat_view *v, const struct attribution *at)
{
	size_t n = v->axis.n;

	v->row_lo = v->row_lo < n ? v->row_lo : 0;
	v->col_lo = v->col_lo < n ? v->col_lo : 0;
	if (!n) {
		v->row = v->col = 0;
		return;
	}
	v->row = v->row < n ? v->row : n - 1;
	v->col = v->col < n ? v->col : n - 1;
	if (!v->touched)
		to_the_worst(v, at);
	else if (v->row_node < v->levels->n && v->col_node < v->levels->n &&
		 v->axis.at[v->row_node] != UINT16_MAX && v->axis.at[v->col_node] != UINT16_MAX)
		heat_view_to(v, v->row_node, v->col_node);
	else
		set_position(v, v->row, v->col);
}

static void heatmap_update(void *view, const struct ui *ui)
{
	struct heat_view *v = view;

	heat_levels_free(v->own);
	v->own = NULL;
	v->levels = NULL;
	v->stale = true;
	v->doc_s = -1;
	if (!ui->sweep)
		return;
	v->levels = ui->sweep->levels;
	if (!v->levels)
		v->levels = v->own = heat_levels_make(ui->sweep->set, ui->sweep->at);
	heat_axis_make(&v->axis, ui->sweep->set, ui->sweep->at, ui->filter);
	place_crosshair(v, ui->sweep->at);
	keep_in_sight(v);
	heat_list_make(v, ui);
}

static bool has_matrix(const struct heat_view *v, const struct ui *ui)
{
	return ui->sweep && v->levels && v->axis.n > 1 &&
	       (ui->sweep->set->measured || v->levels->failed);
}

static void heatmap_draw(void *view, const struct ui *ui, struct grid *g, struct rect r)
{
	struct heat_view *v = view;

	if (!has_matrix(v, ui)) {
		heat_empty_draw(ui, g, r);
		return;
	}
	if (v->face == HEAT_PAIR) {
		heat_pair_draw(v, ui, g, r);
		return;
	}
	heat_head_draw(v, ui, g, layout_top(&r, r.h >= BELOW_FROM_ROWS ? 2 : 1));
	if (v->face == HEAT_LIST) {
		heat_list_draw(v, ui, g, r);
		return;
	}
	if (r.h >= BELOW_FROM_ROWS)
		heat_legend_draw(v, ui, g, layout_bottom(&r, 1));
	if (r.w >= SIDE_FROM_COLUMNS) {
		struct rect side = {r.x + r.w - SIDE_COLUMNS, r.y, SIDE_COLUMNS, r.h};

		heat_cross_draw(v, ui, g, side);
		r.w -= SIDE_COLUMNS + 1;
	} else {
		heat_cross_draw(
			v, ui, g, layout_bottom(&r, r.h >= BELOW_FROM_ROWS - 3 ? BELOW_ROWS : 1));
	}
	heat_matrix_draw(v, ui, g, r);
}

/* ---- keys ---- */

/* One group further in a direction; to the next group's first position. */
static size_t step(const struct heat_groups *g, size_t at, int groups, size_t n)
{
	long k = (long)heat_groups_find(g, at) + groups;

	if (!g->n)
		return at;
	if (k < 0) /* beyond the window: one position, which moves it */
		return at >= (size_t)-k ? g->first[0] - (g->first[0] ? 1 : 0) : 0;
	if ((size_t)k >= g->n)
		return g->first[g->n] < n ? g->first[g->n] : n - 1;
	return g->first[k];
}

static unsigned move(struct heat_view *v, int rows, int cols)
{
	size_t n = v->axis.n;
	size_t row = rows ? step(&v->rows, v->row, rows, n) : v->row;
	size_t col = cols ? step(&v->cols, v->col, cols, n) : v->col;

	v->touched = true;
	set_position(v, row, col);
	return VIEW_REDRAW;
}

static unsigned zoom_to(struct heat_view *v, unsigned zoom)
{
	v->zoom = zoom;
	/* The crosshair in the middle of what is seen. */
	size_t half = heat_view_span(v) / 2;

	v->row_lo = v->row > half ? v->row - half : 0;
	v->col_lo = v->col > half ? v->col - half : 0;
	v->stale = true;
	keep_in_sight(v);
	return VIEW_REDRAW;
}

static unsigned zoom_in(struct heat_view *v)
{
	if (heat_view_span(v) <= SPAN_LEAST || (v->axis.n >> (v->zoom + 1)) < 2)
		return VIEW_HANDLED;
	return zoom_to(v, v->zoom + 1);
}

/* The next suspect: nodes, then links, then disturbances that passed. */
static unsigned to_suspect(struct heat_view *v, const struct attribution *at, int by)
{
	size_t n = at->n_nodes + at->n_links + at->n_transients;

	if (!n)
		return VIEW_HANDLED;
	v->suspect =
		v->suspect == SIZE_MAX ? (by > 0 ? 0 : n - 1) : (v->suspect + n + (size_t)by) % n;
	size_t k = v->suspect;

	v->touched = true;
	if (k < at->n_nodes) {
		const struct suspect_node *s = &at->nodes[k];
		const struct pair_evidence *e = &s->evidence[0];

		heat_view_to(v, s->node, !s->n_evidence ? s->node : e->a == s->node ? e->b : e->a);
	} else if (k < at->n_nodes + at->n_links) {
		heat_view_to(v, at->links[k - at->n_nodes].a, at->links[k - at->n_nodes].b);
	} else {
		const struct transient *t = &at->transients[k - at->n_nodes - at->n_links];

		heat_view_to(v, t->a, t->b);
	}
	return VIEW_REDRAW;
}

static unsigned open_node(const struct ui *ui, size_t node, struct view_request *req)
{
	const char *id = ui->sweep->set->nodes[node].id;

	if (!id)
		return VIEW_HANDLED;
	snprintf(req->node_id, sizeof(req->node_id), "%s", id);
	return VIEW_DETAIL;
}

static bool is_suspect(const struct attribution *at, size_t node)
{
	for (size_t i = 0; i < at->n_nodes; i++)
		if (at->nodes[i].node == node)
			return true;
	return false;
}

/* Enter: closer, until a cell is one pair; then the pair; from there, its node. */
static unsigned open_cell(struct heat_view *v, const struct ui *ui, struct view_request *req)
{
	if (v->face == HEAT_LIST && v->n_lines) {
		const struct heat_line *l = &v->lines[v->scroll.at];

		v->touched = true;
		heat_view_to(v, l->a, l->b);
	} else if (v->face == HEAT_MATRIX && v->rows.n && v->cols.n) {
		size_t r = heat_groups_find(&v->rows, v->row);
		size_t c = heat_groups_find(&v->cols, v->col);
		struct heat_cell cell = heat_cell_look(
			&v->axis, &v->rows, &v->cols, r, c, heat_view_levels(v), v->levels->n);

		if (cell.pairs > 1) {
			v->touched = true;
			set_position(v, cell.row, cell.col);
			while (heat_view_span(v) > v->rows_most && zoom_in(v) == VIEW_REDRAW)
				continue;
			return VIEW_REDRAW;
		}
	}
	if (v->face == HEAT_PAIR || v->row == v->col) {
		bool col = v->face == HEAT_PAIR && !is_suspect(ui->sweep->at, v->row_node) &&
			   is_suspect(ui->sweep->at, v->col_node);

		return open_node(ui, col ? v->col_node : v->row_node, req);
	}
	v->before = v->face;
	v->face = HEAT_PAIR;
	v->doc_s = -1;
	v->doc_scroll = (struct scroll){0};
	return VIEW_REDRAW;
}

static unsigned copy_pair(const struct heat_view *v, const struct ui *ui, struct view_request *req)
{
	const struct pair_set *set = ui->sweep->set;
	const char *a = set->nodes[v->row_node].name;
	const char *b = set->nodes[v->col_node].name;

	if (v->face == HEAT_PAIR && v->doc_scroll.at < v->doc.nlines &&
		v->doc.lines[v->doc_scroll.at].copy) {
		snprintf(req->text, sizeof(req->text), "%s", v->doc.lines[v->doc_scroll.at].copy);
		return VIEW_COPY;
	}
	if (v->row_node == v->col_node)
		snprintf(req->text, sizeof(req->text), "%s", a);
	else
		snprintf(req->text, sizeof(req->text),
			"hyperpod-perf plan --nodes %s,%s --strategy suspects --links %s:%s", a, b,
			a, b);
	return VIEW_COPY;
}

static unsigned back(struct heat_view *v)
{
	if (v->face == HEAT_PAIR)
		v->face = v->before;
	else if (v->face == HEAT_LIST)
		v->face = HEAT_MATRIX;
	else if (v->zoom)
		return zoom_to(v, 0);
	else
		return VIEW_IGNORED;
	return VIEW_REDRAW;
}

static unsigned act_matrix(struct heat_view *v, enum action a)
{
	switch (a) {
	case ACTION_UP:
		return move(v, -1, 0);
	case ACTION_DOWN:
		return move(v, 1, 0);
	case ACTION_LEFT:
		return move(v, 0, -1);
	case ACTION_RIGHT:
		return move(v, 0, 1);
	case ACTION_PAGE_UP:
		return move(v, -PAGE, 0);
	case ACTION_PAGE_DOWN:
		return move(v, PAGE, 0);
	case ACTION_HOME:
		v->touched = true;
		set_position(v, 0, 0);
		return VIEW_REDRAW;
	case ACTION_END:
		v->touched = true;
		set_position(v, v->axis.n - 1, v->axis.n - 1);
		return VIEW_REDRAW;
	case ACTION_ZOOM_IN:
		return zoom_in(v);
	case ACTION_ZOOM_OUT:
		return v->zoom ? zoom_to(v, v->zoom - 1) : VIEW_HANDLED;
	case ACTION_ZOOM_ALL:
		return zoom_to(v, 0);
	default:
		return VIEW_IGNORED;
	}
}

static unsigned heatmap_act(
	void *view, const struct ui *ui, enum action a, struct view_request *req)
{
	struct heat_view *v = view;

	if (!has_matrix(v, ui))
		return VIEW_IGNORED;
	struct scroll *scroll = v->face == HEAT_LIST   ? &v->scroll
				: v->face == HEAT_PAIR ? &v->doc_scroll
						       : NULL;

	if (scroll && widget_scroll_act(scroll, a))
		return VIEW_REDRAW;
	switch (a) {
	case ACTION_OPEN_CELL:
		return open_cell(v, ui, req);
	case ACTION_SUSPECT_NEXT:
		return to_suspect(v, ui->sweep->at, 1);
	case ACTION_SUSPECT_PREV:
		return to_suspect(v, ui->sweep->at, -1);
	case ACTION_MODE:
		v->mode = v->mode == HEAT_DEFICIT ? HEAT_SPEED : HEAT_DEFICIT;
		v->stale = true;
		return VIEW_REDRAW;
	case ACTION_WORST:
		v->face = v->face == HEAT_LIST ? HEAT_MATRIX : HEAT_LIST;
		return VIEW_REDRAW;
	case ACTION_COPY:
		return copy_pair(v, ui, req);
	case ACTION_BACK:
		return back(v);
	default:
		return v->face == HEAT_MATRIX ? act_matrix(v, a) : VIEW_IGNORED;
	}
}

static void heatmap_caption(void *view, const struct ui *ui, char *out, size_t size)
{
	const struct heat_view *v = view;

	if (!has_matrix(v, ui)) {
		snprintf(out, size, "no pairs");
		return;
	}
	size_t span = heat_view_span(v);

	if (v->face == HEAT_LIST)
		snprintf(out, size, "slowest pairs first");
	else if (span < v->axis.n)
		snprintf(out, size, "nodes %zu%s%zu by %zu%s%zu of %zu", v->row_lo + 1,
			ui->gl->dash, v->row_lo + span, v->col_lo + 1, ui->gl->dash,
			v->col_lo + span, v->axis.n);
	else if (v->axis.n < v->levels->n)
		snprintf(out, size, "%zu of %zu nodes", v->axis.n, v->levels->n);
	else
		snprintf(out, size, "%zu nodes", v->axis.n);
}

extern const struct view_ops view_heatmap_ops;
const struct view_ops view_heatmap_ops = {
	.name = "heatmap",
	.title = "Heatmap",
	.key = '2',
	.where = IN_HEATMAP,
	.open = heatmap_open,
	.close = heatmap_close,
	.update = heatmap_update,
	.draw = heatmap_draw,
	.act = heatmap_act,
	.caption = heatmap_caption,
};
