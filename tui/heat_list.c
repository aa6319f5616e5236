/* The slowest pairs, worst first. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collectors/compiler.h"
#include "tui/fmt.h"
#include "tui/heat_view.h"
#include "tui/widgets.h"

enum { COL_PAIR, COL_BUSBW, COL_HEALTHY, COL_LOST, COL_N, COL_AGE, COL_VERDICT, COL_COUNT };

/* Level from which on pairs are in the list: so many of them are worse or as bad. */
static unsigned least_level(const struct heat_view *v)
{
	size_t count[256] = {0};
	size_t pairs = pair_count(v->levels->n);
	size_t sum = 0;

	for (size_t p = 0; p < pairs; p++)
		count[v->levels->deficit[p]]++;
	for (unsigned level = 255; level > HEAT_NONE; level--) {
		sum += count[level];
		if (sum >= HEAT_LINES_MAX)
			return level;
	}
	return HEAT_LOST;
}

static int by_level(const void *x, const void *y)
{
	const struct heat_line *a = x;
	const struct heat_line *b = y;

	if (a->level != b->level)
		return a->level > b->level ? -1 : 1;
	return a->a != b->a ? (int)a->a - (int)b->a : (int)a->b - (int)b->b;
}

/* The pairs of one level that are shown; false when the list is full. */
static bool take(struct heat_view *v, unsigned lo, unsigned hi)
{
	size_t n = v->levels->n;
	size_t p = 0;

	for (size_t a = 0; a < n; a++)
		for (size_t b = a + 1; b < n; b++, p++) {
			uint8_t level = v->levels->deficit[p];

			if (level < lo || level > hi || v->axis.at[a] == UINT16_MAX ||
				v->axis.at[b] == UINT16_MAX)
				continue;
			if (v->n_lines == HEAT_LINES_MAX)
				return false;
			v->lines[v->n_lines++] =
				(struct heat_line){(uint16_t)a, (uint16_t)b, level};
		}
	return true;
}

void heat_list_make(struct heat_view *v, const struct ui *ui)
{
	unsigned least = least_level(v);

	(void)ui;
	v->n_lines = 0;
	/* Those that surely have room first, then as many of the last level as fit. */
	if (least < 255)
		take(v, least + 1, 255);
	take(v, least, least);
	qsort(v->lines, v->n_lines, sizeof(v->lines[0]), by_level);
	v->scroll.n = v->n_lines;
	scroll_fix(&v->scroll);
}

static void age_of(const struct ui *ui, const struct heat_line *l, char out[FMT_MAX])
{
	const struct pair_set *set = ui->sweep->set;
	size_t n;
	const struct pair_reading *r = pair_set_readings(set, l->a, l->b, &n);
	int64_t wall =
		n && r[n - 1].source < set->n_sources ? set->sources[r[n - 1].source].wall_ms : 0;

	fmt_age(out, wall ? (ui->now_wall_ms > wall ? ui->now_wall_ms - wall : 0) : -1);
}

static void draw_line(const struct ui *ui, struct grid *g, struct rect line, const int *widths,
	const struct heat_line *l)
{
	const struct pair_set *set = ui->sweep->set;
	double busbw = pair_set_busbw(set, l->a, l->b);
	double expected = attribution_expected(ui->sweep->at, l->a, l->b);
	char cell[COL_COUNT][256] = {{0}};
	int verdict_style;
	size_t n;
	int x = line.x;

	pair_set_readings(set, l->a, l->b, &n);
	snprintf(cell[COL_PAIR], 256, "%s %s %s", set->nodes[l->a].name, ui->gl->dash,
		set->nodes[l->b].name);
	snprintf(cell[COL_BUSBW], 256, isfinite(busbw) ? "%.1f" : "-", busbw);
	snprintf(cell[COL_HEALTHY], 256, isfinite(expected) ? "%.1f" : "-", expected);
	if (isfinite(busbw) && isfinite(expected))
		snprintf(cell[COL_LOST], 256, "%.1f%%", 100 * (1 - busbw / expected));
	else
		snprintf(cell[COL_LOST], 256, "-");
	snprintf(cell[COL_N], 256, "%zu", n);
	age_of(ui, l, cell[COL_AGE]);
	snprintf(cell[COL_VERDICT], 256, "%s", heat_verdict(ui, l->a, l->b, &verdict_style));
	for (int c = 0; c < COL_COUNT; c++) {
		int style = c == COL_VERDICT ? verdict_style
			    : c == COL_LOST  ? STYLE_BRIGHT
					     : STYLE_TEXT;

		if (!widths[c])
			continue;
		if (c == COL_PAIR || c == COL_VERDICT)
			grid_put_cut(g, line, x, line.y, widths[c], style, cell[c]);
		else
			grid_put_right(g, line, x, line.y, widths[c], style, cell[c]);
		x += widths[c] + 2;
	}
}

static int pair_width(const struct heat_view *v, const struct ui *ui)
{
	int w = 0;

	for (size_t i = 0; i < v->n_lines; i++) {
		int x = grid_width(ui->sweep->set->nodes[v->lines[i].a].name) +
			grid_width(ui->sweep->set->nodes[v->lines[i].b].name) + 3;

		w = x > w ? x : w;
	}
	return w;
}

void heat_list_draw(struct heat_view *v, const struct ui *ui, struct grid *g, struct rect r)
{
	struct column cols[COL_COUNT] = {
		[COL_PAIR] = {.title = "PAIR", .min = 12, .want = pair_width(v, ui)},
		[COL_BUSBW] = {.title = "GB/s", .min = 7, .priority = 1, .right = true},
		[COL_HEALTHY] = {.title = "HEALTHY", .min = 7, .priority = 3, .right = true},
		[COL_LOST] = {.title = "LOST", .min = 6, .right = true},
		[COL_N] = {.title = "N", .min = 3, .priority = 5, .right = true},
		[COL_AGE] = {.title = "AGE", .min = 4, .priority = 4, .right = true},
		[COL_VERDICT] =
			{.title = "VERDICT", .min = 10, .want = 24, .grow = 1, .priority = 2},
	};
	int widths[COL_COUNT];
	struct rect head = layout_top(&r, 1);

	layout_columns(cols, COL_COUNT, r.w - 3, 2, widths);
	head.x++;
	head.w -= 2;
	widget_titles(g, ui, head, cols, COL_COUNT, widths, 2, COL_LOST, true);
	v->scroll.page = r.h > 0 ? (size_t)r.h : 0;
	scroll_fix(&v->scroll);
	if (!v->n_lines)
		widget_empty(g, r, "no pair has a figure");
	for (int i = 0; i < r.h && v->scroll.top + (size_t)i < v->n_lines; i++) {
		size_t at = v->scroll.top + (size_t)i;
		struct rect line = {r.x, r.y + i, r.w, 1};

		g->back = at == v->scroll.at ? BACK_SELECTED : BACK_NONE;
		grid_fill(g, line, STYLE_TEXT);
		line.x++;
		line.w -= 2;
		draw_line(ui, g, line, widths, &v->lines[at]);
	}
	g->back = BACK_NONE;
	widget_scrollbar(g, ui, r, &v->scroll);
}
