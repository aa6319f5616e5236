#include <stdlib.h>

#include "collectors/xmalloc.h"
#include "tui/heat.h"

/* ---- groups ---- */

/* Ends of stretches without a border inside, from lo on. */
static size_t stretch_end(const struct heat_axis *a, size_t lo, size_t hi)
{
	size_t i = lo + 1;

	while (i < hi && !a->border[i])
		i++;
	return i;
}

/* Groups needed when none is larger than size and none reaches over a border. */
static size_t groups_needed(const struct heat_axis *a, size_t lo, size_t hi, size_t size)
{
	size_t n = 0;

	while (lo < hi) {
		size_t end = stretch_end(a, lo, hi);

		n += (end - lo + size - 1) / size;
		lo = end;
	}
	return n;
}

/* [lo, hi) in parts as equal as can be, none larger than size. */
static void split(struct heat_groups *g, size_t lo, size_t hi, size_t size)
{
	size_t parts = (hi - lo + size - 1) / size;

	for (size_t k = 0; k < parts; k++)
		g->first[g->n++] = (uint16_t)(lo + (hi - lo) * k / parts);
}

void heat_groups_make(
	struct heat_groups *g, const struct heat_axis *a, size_t lo, size_t hi, size_t most)
{
	heat_groups_release(g);
	if (hi > a->n)
		hi = a->n;
	if (lo >= hi || most == 0)
		return;
	size_t size = (hi - lo + most - 1) / most;
	/* Borders are kept for up to twice the size that would do without them. */
	size_t with_borders = size;

	while (with_borders <= 2 * size && groups_needed(a, lo, hi, with_borders) > most)
		with_borders++;
	g->first = xcalloc(hi - lo + 2, sizeof(*g->first));
	if (with_borders > 2 * size) {
		split(g, lo, hi, size);
	} else {
		for (size_t at = lo; at < hi;) {
			size_t end = stretch_end(a, at, hi);

			split(g, at, end, with_borders);
			at = end;
		}
	}
	g->first[g->n] = (uint16_t)hi;
}

void heat_groups_release(struct heat_groups *g)
{
	free(g->first);
	*g = (struct heat_groups){0};
}

size_t heat_groups_find(const struct heat_groups *g, size_t position)
{
	size_t lo = 0;
	size_t hi = g->n;

	while (lo + 1 < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (g->first[mid] <= position)
			lo = mid;
		else
			hi = mid;
	}
	return lo;
}

/* ---- cells ---- */

static uint8_t level_at(
	const struct heat_axis *a, size_t row, size_t col, const uint8_t *levels, size_t n)
{
	return row == col ? HEAT_NONE : levels[pair_index(n, a->node[row], a->node[col])];
}

uint8_t *heat_fold(const struct heat_axis *a, const struct heat_groups *rows,
	const struct heat_groups *cols, const uint8_t *levels, size_t n)
{
	uint8_t *worst = xcalloc(rows->n * cols->n + 1, 1);

	for (size_t r = 0; r < rows->n; r++)
		for (size_t row = rows->first[r]; row < rows->first[r + 1]; row++)
			for (size_t c = 0; c < cols->n; c++) {
				uint8_t *cell = &worst[r * cols->n + c];

				for (size_t col = cols->first[c]; col < cols->first[c + 1]; col++) {
					uint8_t level = level_at(a, row, col, levels, n);

					if (level > *cell)
						*cell = level;
				}
			}
	return worst;
}

struct heat_cell heat_cell_look(const struct heat_axis *a, const struct heat_groups *rows,
	const struct heat_groups *cols, size_t r, size_t c, const uint8_t *levels, size_t n)
{
	struct heat_cell cell = {.row = rows->first[r], .col = rows->first[r]};

	for (size_t row = rows->first[r]; row < rows->first[r + 1]; row++)
		for (size_t col = cols->first[c]; col < cols->first[c + 1]; col++) {
			uint8_t level = level_at(a, row, col, levels, n);

			if (row == col)
				continue;
			cell.pairs++;
			cell.failed += level == HEAT_FAILED;
			cell.measured += level != HEAT_NONE && level != HEAT_FAILED;
			if (level > cell.worst || cell.row == cell.col) {
				cell.worst = level;
				cell.row = row;
				cell.col = col;
			}
		}
	return cell;
}
