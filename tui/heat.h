/*
 * The heatmap's picture apart from any screen: one level a pair, the order of nodes,
 * and cells that stand for several pairs. Pure.
 *
 * A level is what one byte says of a pair: 0 not measured, 1 + percent lost
 * (0..100), HEAT_FAILED. Larger is worse, so that the worst of many is their maximum:
 * a slow pair never disappears in a cell that stands for a thousand.
 */
#ifndef TUI_HEAT_H
#define TUI_HEAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collectors/pair_set.h"
#include "rules/attribution.h"

#define HEAT_NONE   0
#define HEAT_LOST   1 /* + percent */
#define HEAT_FAILED 255

/* ---- levels: made once a picture, on the thread that makes it ---- */

struct heat_levels {
	size_t n;         /* nodes */
	uint8_t *deficit; /* one a pair: lost against what healthy nodes reach on that pair */
	uint8_t *speed;   /* one a pair: lost against top_gbps */
	float *node_mean; /* one a node: mean percent lost over its pairs; NAN none measured */
	double top_gbps;  /* of healthy pairs in the best places; NAN none */
	size_t failed;    /* pairs without a figure whose run failed */
};

/* Never NULL. set and at are borrowed during the call. */
struct heat_levels *heat_levels_make(const struct pair_set *set, const struct attribution *at);
void heat_levels_free(struct heat_levels *l); /* NULL is allowed */

/* ---- order: nodes beside their neighbours, suspects first among them ---- */

struct heat_axis {
	uint16_t *node; /* of each position */
	bool *border;   /* a switch, spine or zone begins at this position */
	size_t n;
	uint16_t *at; /* position of each node; UINT16_MAX not shown */
};

/*
 * By zone, spine, UltraServer and leaf; within a leaf suspects first, then by name (numbers in
 * order). words: of a filter; a node is shown when name, place or type has them all.
 */
void heat_axis_make(struct heat_axis *a, const struct pair_set *set, const struct attribution *at,
	const char *words);
void heat_axis_release(struct heat_axis *a);

/* ---- groups: neighbours that share a row or column ---- */

struct heat_groups {
	uint16_t *first; /* n + 1 positions: group g is [first[g], first[g + 1]) */
	size_t n;
};

/*
 * Positions [lo, hi) in at most `most` groups of about the same size, which do not reach over a
 * border as long as there is room for that.
 */
void heat_groups_make(
	struct heat_groups *g, const struct heat_axis *a, size_t lo, size_t hi, size_t most);
void heat_groups_release(struct heat_groups *g);
/* The group that holds a position; the nearest when none does. */
size_t heat_groups_find(const struct heat_groups *g, size_t position);

/* ---- cells ---- */

/* rows->n * cols->n levels, the worst of each; caller frees. levels: one a pair of n nodes. */
uint8_t *heat_fold(const struct heat_axis *a, const struct heat_groups *rows,
	const struct heat_groups *cols, const uint8_t *levels, size_t n);

/* What is in one cell. */
struct heat_cell {
	size_t pairs; /* without those of a node with itself */
	size_t measured;
	size_t failed;
	size_t row; /* positions of the worst pair; row == col: the cell has none */
	size_t col;
	uint8_t worst;
};
struct heat_cell heat_cell_look(const struct heat_axis *a, const struct heat_groups *rows,
	const struct heat_groups *cols, size_t r, size_t c, const uint8_t *levels, size_t n);

/* ---- the ramp ---- */

#define HEAT_STEPS 8

/* Step of a level that has percent: 0 healthy .. HEAT_STEPS - 1. */
int heat_step(uint8_t level);
/* Where a step begins, percent lost; step 0 begins at 0. */
int heat_step_from(int step);
/* One character of the ramp, which tells the step without colour; for HEAT_NONE and HEAT_FAILED too. */
const char *heat_glyph(uint8_t level, bool ascii);

#endif
