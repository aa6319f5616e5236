#include "tui/node_columns.h"

#include <math.h>
#include <string.h>
#include <strings.h>

#include "collectors/compiler.h"
#include "collectors/xmalloc.h"
#include "tui/widgets.h"

/* ---- orders ---- */

static int compare_numbers(double a, double b)
{
	return isnan(a) ? (isnan(b) ? 0 : 2) : isnan(b) ? -2 : a < b ? -1 : a > b;
}

static int compare_text(const char *a, const char *b)
{
	return !a ? (b ? 2 : 0) : !b ? -2 : strcasecmp(a, b) < 0 ? -1 : strcasecmp(a, b) > 0;
}

static int by_state(const struct node_row *a, const struct node_row *b)
{
	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	return a->concerns == b->concerns ? 0 : a->concerns > b->concerns ? -1 : 1;
}

static int by_name(const struct node_row *a, const struct node_row *b)
{
	return compare_text(a->node->name, b->node->name);
}

static int by_group(const struct node_row *a, const struct node_row *b)
{
	return compare_text(a->node->group, b->node->group);
}

static int by_type(const struct node_row *a, const struct node_row *b)
{
	return compare_text(a->type, b->type);
}

static int by_finding(const struct node_row *a, const struct node_row *b)
{
	const char *x = node_row_message(a);
	const char *y = node_row_message(b);

	return compare_text(x[0] ? x : NULL, y[0] ? y : NULL);
}

static int by_age(const struct node_row *a, const struct node_row *b)
{
	/* The longest silent node has the oldest answer; one that never answered comes last. */
	return compare_numbers(a->last_ok_mono_ms ? -(double)a->last_ok_mono_ms : (double)NAN,
		b->last_ok_mono_ms ? -(double)b->last_ok_mono_ms : (double)NAN);
}

#define BY_NUMBER(name, expr)                                                    \
	static int by_##name(const struct node_row *a, const struct node_row *b) \
	{                                                                        \
		return compare_numbers(a->expr, b->expr);                        \
	}
BY_NUMBER(gpu, gpu.listed)
BY_NUMBER(temp, gpu.temp_max)
BY_NUMBER(util, gpu.util_mean)
BY_NUMBER(efa, efa_active)
BY_NUMBER(iowait, iowait_pct)
BY_NUMBER(root, root_pct)

/* ---- cells ---- */

static void put(const struct node_cell *c, int style, const char *s)
{
	grid_put_cut(c->g, c->at, c->at.x, c->at.y, c->at.w, style, s);
}

static void put_number(const struct node_cell *c, const struct node_row *r, unsigned flag,
	const char *s, bool known)
{
	int style = !known                         ? STYLE_DIM
		    : r->flagged & flag            ? STYLE_CONCERN
		    : r->node->state == NODE_STALE ? STYLE_DIM
						   : STYLE_TEXT;

	grid_put_right(c->g, c->at, c->at.x, c->at.y, c->at.w, style, s);
}

static void draw_state(const struct node_cell *c, const struct node_row *r)
{
	int style = node_row_style(r);
	int x = c->at.x;

	x += grid_put(c->g, c->at, x, c->at.y, style, node_row_glyph(c->ui->gl, r), 1) + 1;
	if (c->at.w >= 9)
		grid_put_cut(c->g, c->at, x, c->at.y, c->at.w - 2,
			r->rank >= RANK_INFO ? STYLE_DIM : style, node_row_word(r));
}

static void draw_name(const struct node_cell *c, const struct node_row *r)
{
	put(c, r->rank <= RANK_LOST ? STYLE_BRIGHT : STYLE_TEXT, r->node->name);
}

static void draw_group(const struct node_cell *c, const struct node_row *r)
{
	put(c, STYLE_DIM, r->node->group ? r->node->group : "-");
}

static void draw_type(const struct node_cell *c, const struct node_row *r)
{
	put(c, STYLE_DIM, r->type ? r->type : "-");
}

static void draw_finding(const struct node_cell *c, const struct node_row *r)
{
	const char *text = node_row_message(r);
	int style = r->rank == RANK_LOST           ? STYLE_LOST
		    : r->worst == SEVERITY_CONCERN ? STYLE_CONCERN
		    : r->worst == SEVERITY_INFO    ? STYLE_INFO
						   : STYLE_DIM;
	char more[24] = "";

	if (r->rank != RANK_LOST && r->concerns > 1)
		snprintf(more, sizeof(more), " +%zu", r->concerns - 1);
	int tail = grid_width(more);
	int x = c->at.x;

	x += grid_put_cut(c->g, c->at, x, c->at.y, c->at.w - tail, style, text);
	grid_put(c->g, c->at, x, c->at.y, STYLE_DIM, more, tail);
}

static void draw_of(const struct node_cell *c, const struct node_row *r, unsigned flag, double have,
	double expected)
{
	char text[FMT_MAX];
	char a[FMT_MAX];
	char b[FMT_MAX];

	snprintf(text, sizeof(text), "%.9s/%.9s", fmt_number(a, have), fmt_number(b, expected));
	if (!isfinite(have))
		snprintf(text, sizeof(text), "-");
	/* Fewer than it should have, though no rule is sure of it yet. */
	if (have < expected && !(r->flagged & flag)) {
		grid_put_right(c->g, c->at, c->at.x, c->at.y, c->at.w, STYLE_BRIGHT, text);
		return;
	}
	put_number(c, r, flag, text, isfinite(have));
}

static void draw_gpu(const struct node_cell *c, const struct node_row *r)
{
	draw_of(c, r, FLAG_GPU, r->gpu.listed, r->gpu_expected);
}

static void draw_efa(const struct node_cell *c, const struct node_row *r)
{
	draw_of(c, r, FLAG_EFA, r->efa_active, r->efa_expected);
}

static void draw_temp(const struct node_cell *c, const struct node_row *r)
{
	char text[FMT_MAX];

	put_number(c, r, FLAG_TEMP, fmt_number(text, r->gpu.temp_max), isfinite(r->gpu.temp_max));
}

#define DRAW_PCT(name, flag, expr)                                                   \
	static void draw_##name(const struct node_cell *c, const struct node_row *r) \
	{                                                                            \
		char text[FMT_MAX];                                                  \
                                                                                     \
		put_number(c, r, flag, fmt_pct(text, r->expr), isfinite(r->expr));   \
	}
DRAW_PCT(util, 0, gpu.util_mean)
DRAW_PCT(iowait, FLAG_IOWAIT, iowait_pct)
DRAW_PCT(root, FLAG_ROOT, root_pct)

static void draw_age(const struct node_cell *c, const struct node_row *r)
{
	char text[FMT_MAX];
	int64_t age = r->last_ok_mono_ms ? c->ui->now_mono_ms - r->last_ok_mono_ms : -1;
	int style = r->node->state == NODE_STALE ? STYLE_LOST : STYLE_DIM;

	grid_put_right(c->g, c->at, c->at.x, c->at.y, c->at.w, style, fmt_age(text, age));
}

static void draw_trend(const struct node_cell *c, const struct node_row *r)
{
	widget_trend(c->g, c->ui, c->at, c->at.x, c->at.y, c->at.w, r->index, c->metric, STYLE_BAR);
}

/* ---- the table ---- */

static const struct node_column columns[COLUMN_COUNT] = {
	[COLUMN_STATE] = {"state", {"STATE", 1, 13, 0, 2, false, false}, by_state, false,
		draw_state},
	[COLUMN_NAME] = {"name", {"NODE", 10, 14, 1, 1, false, false}, by_name, false, draw_name},
	[COLUMN_GROUP] = {"group", {"GROUP", 8, 12, 0, 11, false, false}, by_group, false,
		draw_group},
	[COLUMN_TYPE] = {"type", {"TYPE", 11, 14, 0, 12, false, false}, by_type, false, draw_type},
	[COLUMN_FINDING] = {"finding", {"WORST FINDING", 18, 34, 6, 3, false, false}, by_finding,
		false, draw_finding},
	[COLUMN_GPU] = {"gpu", {"GPU", 5, 5, 0, 7, true, false}, by_gpu, false, draw_gpu},
	[COLUMN_TEMP] = {"temp", {"\302\260C", 4, 4, 0, 6, true, false}, by_temp, true, draw_temp},
	[COLUMN_USE] = {"use", {"USE", 4, 5, 0, 6, true, false}, by_util, true, draw_util},
	[COLUMN_EFA] = {"efa", {"EFA", 5, 5, 0, 7, true, false}, by_efa, false, draw_efa},
	[COLUMN_IOWAIT] = {"iowait", {"IOWAIT", 7, 7, 0, 8, true, false}, by_iowait, true,
		draw_iowait},
	[COLUMN_ROOT] = {"root", {"ROOT", 5, 5, 0, 9, true, false}, by_root, true, draw_root},
	[COLUMN_AGE] = {"age", {"AGE", 4, 4, 0, 4, true, false}, by_age, false, draw_age},
	[COLUMN_TREND] = {"trend", {"TREND", 8, 16, 1, 10, false, false}, by_util, true,
		draw_trend},
};

size_t node_columns_count(void)
{
	return ARRAY_LEN(columns);
}

const struct node_column *node_columns_at(size_t i)
{
	return &columns[i];
}

size_t node_columns_find(const char *name)
{
	size_t found = SIZE_MAX;
	size_t len = strlen(name);

	for (size_t i = 0; i < ARRAY_LEN(columns); i++) {
		if (strcasecmp(columns[i].name, name) == 0)
			return i;
		if (len && strncasecmp(columns[i].name, name, len) == 0)
			found = found == SIZE_MAX ? i : SIZE_MAX - 1;
	}
	return found < ARRAY_LEN(columns) ? found : SIZE_MAX;
}

static int compare_rows(
	const struct node_row *a, const struct node_row *b, size_t column, bool descending)
{
	int c = columns[column].compare(a, b);

	if (c == 2 || c == -2) /* not known: last, whatever the direction */
		return c;
	if (c)
		return descending ? -c : c;
	return a->index < b->index ? -1 : a->index > b->index;
}

/* Merge sort: the order is not a plain function of two rows for qsort's context-free callback. */
void node_columns_sort(struct node_row *rows, size_t n, size_t column, bool descending)
{
	struct node_row *tmp = xreallocarray(NULL, n ? n : 1, sizeof(*tmp));

	for (size_t width = 1; width < n; width *= 2) {
		for (size_t lo = 0; lo < n; lo += 2 * width) {
			size_t mid = lo + width < n ? lo + width : n;
			size_t hi = lo + 2 * width < n ? lo + 2 * width : n;
			size_t a = lo;
			size_t b = mid;

			for (size_t k = lo; k < hi; k++) {
				bool left =
					a < mid && (b >= hi || compare_rows(&rows[a], &rows[b],
								       column, descending) <= 0);

				tmp[k] = left ? rows[a++] : rows[b++];
			}
		}
		memcpy(rows, tmp, n * sizeof(*rows));
	}
	free(tmp);
}
