#include "tui/node_summary.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collectors/compiler.h"
#include "collectors/xmalloc.h"
#include "tui/fmt.h"
#include "tui/layout.h"

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a;
	double y = *(const double *)b;

	return x < y ? -1 : x > y;
}

/* offset: of the double in struct node_row. */
static struct spread spread_of(const struct node_row *rows, size_t n, size_t offset, double *tmp)
{
	struct spread s = {0, (double)NAN, (double)NAN, (double)NAN};

	for (size_t i = 0; i < n; i++) {
		double v;

		memcpy(&v, (const char *)&rows[i] + offset, sizeof(v));
		if (isfinite(v) && rows[i].node->state == NODE_OK)
			tmp[s.n++] = v;
	}
	if (s.n == 0)
		return s;
	qsort(tmp, s.n, sizeof(*tmp), compare_doubles);
	s.min = tmp[0];
	s.median = tmp[s.n / 2];
	s.max = tmp[s.n - 1];
	return s;
}

void node_summary_make(struct node_summary *s, const struct node_row *rows, size_t n)
{
	double *tmp = xreallocarray(NULL, n ? n : 1, sizeof(*tmp));

	memset(s, 0, sizeof(*s));
	for (size_t i = 0; i < n; i++) {
		const struct node_row *r = &rows[i];

		s->concern += r->rank == RANK_CONCERN;
		s->busy += r->rank == RANK_BUSY;
		s->ok += r->rank == RANK_OK || r->rank == RANK_INFO;
		s->lost += r->node->state == NODE_FAILED;
		s->stale += r->node->state == NODE_STALE;
		if (isfinite(r->gpu.listed) && r->node->state == NODE_OK) {
			s->gpus += r->gpu.listed;
			s->gpus_expected += r->gpu_expected;
		}
	}
	s->util = spread_of(rows, n, offsetof(struct node_row, gpu.util_mean), tmp);
	s->temp = spread_of(rows, n, offsetof(struct node_row, gpu.temp_max), tmp);
	s->iowait = spread_of(rows, n, offsetof(struct node_row, iowait_pct), tmp);
	s->root = spread_of(rows, n, offsetof(struct node_row, root_pct), tmp);
	free(tmp);
}

/* "▲ 4 concern  " */
static int put_count(struct grid *g, struct rect r, int x, const char *glyph, int style, size_t n,
	const char *word)
{
	char text[48];

	if (n == 0)
		return x;
	snprintf(text, sizeof(text), "%s %zu %s", glyph, n, word);
	if (x > r.x && x + grid_width(text) > r.x + r.w)
		return x;
	return x + grid_put(g, r, x, r.y, style, text, -1) + 2;
}

static int draw_counts(
	const struct node_summary *s, const struct ui *ui, struct grid *g, struct rect r)
{
	int x = r.x + 1;

	x = put_count(g, r, x, ui->gl->concern, STYLE_CONCERN, s->concern, "concern");
	x = put_count(g, r, x, ui->gl->lost, STYLE_LOST, s->lost, "unreachable");
	x = put_count(g, r, x, ui->gl->stale, STYLE_LOST, s->stale, "stale");
	x = put_count(g, r, x, ui->gl->busy, STYLE_UNKNOWN, s->busy, "waiting");
	return put_count(g, r, x, ui->gl->ok, STYLE_OK, s->ok, "ok");
}

/* One number's spread: label dim, median plain, range dim. Returns its width when g is NULL too. */
static int put_spread(struct grid *g, const struct ui *ui, struct rect r, int x, const char *label,
	const struct spread *s, bool pct)
{
	char mid[FMT_MAX];
	char lo[FMT_MAX];
	char hi[FMT_MAX];
	char range[2 * FMT_MAX + 8];

	if (pct) {
		fmt_pct(mid, s->median);
		fmt_pct(lo, s->min);
		fmt_pct(hi, s->max);
		lo[strcspn(lo, "%")] = '\0';
	} else {
		fmt_number(mid, s->median);
		fmt_number(lo, s->min);
		fmt_number(hi, s->max);
	}
	bool one = s->min == s->max;
	int w = grid_width(label) + 1 + grid_width(mid);

	snprintf(range, sizeof(range), "%s%s%s", lo, ui->gl->dash, hi);
	if (!one)
		w += 1 + grid_width(range);

	if (!g)
		return w;
	x += grid_put(g, r, x, r.y, STYLE_DIM, label, -1) + 1;
	x += grid_put(g, r, x, r.y, STYLE_TEXT, mid, -1) + 1;
	if (!one)
		grid_put(g, r, x, r.y, STYLE_DIM, range, -1);
	return w;
}

/* From the right edge leftwards, as many as there is room for, the first ones first. */
static void draw_spreads(
	const struct node_summary *s, const struct ui *ui, struct grid *g, struct rect r, int left)
{
	const struct {
		const char *label;
		const struct spread *s;
		bool pct;
	} items[] = {
		{"gpu use", &s->util, true},
		{ui->ascii ? "temp" : "°C", &s->temp, false},
		{"iowait", &s->iowait, true},
		{"root", &s->root, true},
	};
	size_t n = 0;
	int need = 0;

	for (size_t i = 0; i < ARRAY_LEN(items); i++) {
		int w = items[i].s->n ? put_spread(NULL, ui, r, 0, items[i].label, items[i].s,
						items[i].pct) +
						3
				      : 0;

		if (left + need + w > r.x + r.w)
			break;
		need += w;
		n = i + 1;
	}
	int x = r.x + r.w - need + 2;

	for (size_t i = 0; i < n; i++)
		if (items[i].s->n)
			x += put_spread(g, ui, r, x, items[i].label, items[i].s, items[i].pct) + 3;
}

/* One glyph a node; where there are more nodes than cells, the worst of each cell's nodes. */
static void draw_fleet(
	const struct ui *ui, struct grid *g, struct rect r, const struct node_row *rows, size_t n)
{
	size_t w = r.w > 2 ? (size_t)r.w - 2 : 0;
	size_t cells = n < w ? n : w;

	for (size_t c = 0; c < cells; c++) {
		const struct node_row *worst = &rows[c * n / cells];

		for (size_t i = c * n / cells; i < (c + 1) * n / cells; i++)
			if (rows[i].rank < worst->rank)
				worst = &rows[i];
		grid_put(g, r, r.x + 1 + (int)c, r.y, node_row_style(worst),
			node_row_glyph(ui->gl, worst), 1);
	}
}

void node_summary_draw(const struct node_summary *s, const struct ui *ui, struct grid *g,
	struct rect r, const struct node_row *rows, size_t n)
{
	int left = draw_counts(s, ui, g, r);

	draw_spreads(s, ui, g, (struct rect){r.x, r.y, r.w - 1, 1}, left);
	if (r.h > 1)
		draw_fleet(ui, g, (struct rect){r.x, r.y + 1, r.w, 1}, rows, n);
}
