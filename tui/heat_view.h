/* The heatmap screen's state, shared by view_heatmap.c and heat_*.c that draw for it. */
#ifndef TUI_HEAT_VIEW_H
#define TUI_HEAT_VIEW_H

#include "tui/doc.h"
#include "tui/heat.h"
#include "tui/sweep.h"
#include "tui/view.h"

enum heat_face { HEAT_MATRIX, HEAT_LIST, HEAT_PAIR };
enum heat_mode { HEAT_DEFICIT, HEAT_SPEED };

/* One line of the list of pairs. */
struct heat_line {
	uint16_t a;
	uint16_t b;
	uint8_t level;
};

#define HEAT_LINES_MAX 500

struct heat_view {
	/* of the picture; made again by update */
	struct heat_levels *own;          /* when the picture brings none */
	const struct heat_levels *levels; /* NULL: no picture */
	struct heat_axis axis;

	/* where the operator is: nodes, not positions, so that a new order does not move it */
	size_t row_node;
	size_t col_node;
	size_t row; /* positions on the axis */
	size_t col;
	bool touched;  /* the operator moved: else the crosshair shows the worst */
	unsigned zoom; /* 0: all; each step halves what is seen */
	size_t row_lo; /* first position seen */
	size_t col_lo;
	enum heat_mode mode;
	enum heat_face face;
	enum heat_face before; /* what the pair's panel returns to */
	size_t suspect;        /* the one that Tab showed last; SIZE_MAX none */

	/* cells as drawn last */
	struct heat_groups rows;
	struct heat_groups cols;
	uint8_t *worst;
	int cell_w;
	size_t rows_most; /* for which they were made */
	size_t cols_most;
	bool stale;

	struct heat_line lines[HEAT_LINES_MAX];
	size_t n_lines;
	struct scroll scroll; /* of the list */

	struct doc doc; /* the pair's panel */
	struct scroll doc_scroll;
	int64_t doc_s; /* the second for which ages were written; -1 make again */
};

/* Levels of the present mode, one a pair. */
const uint8_t *heat_view_levels(const struct heat_view *v);

/* The crosshair on a pair of nodes; a == b: on a node. Brings it in sight. */
void heat_view_to(struct heat_view *v, size_t a, size_t b);

/* Positions seen on an axis at the present zoom. */
size_t heat_view_span(const struct heat_view *v);

/* Groups and cells for so many rows and columns, from the cache where nothing changed. */
void heat_view_cells(struct heat_view *v, size_t rows_most, size_t cols_most);

/* ---- heat_head.c: two lines that say what is shown and what is wrong ---- */
void heat_head_draw(const struct heat_view *v, const struct ui *ui, struct grid *g, struct rect r);
/* For a screen without a matrix: why there is none and how to get one. */
void heat_empty_draw(const struct ui *ui, struct grid *g, struct rect r);

/* ---- heat_matrix.c ---- */
void heat_matrix_draw(struct heat_view *v, const struct ui *ui, struct grid *g, struct rect r);
void heat_legend_draw(
	const struct heat_view *v, const struct ui *ui, struct grid *g, struct rect r);

/* ---- heat_cross.c: what is under the crosshair ---- */
void heat_cross_draw(const struct heat_view *v, const struct ui *ui, struct grid *g, struct rect r);
/* "slow node", "slow link", "as its class", "passing, retest" ... of a pair; static. style: enum style. */
const char *heat_verdict(const struct ui *ui, size_t a, size_t b, int *style);

/* ---- heat_list.c ---- */
void heat_list_make(struct heat_view *v, const struct ui *ui);
void heat_list_draw(struct heat_view *v, const struct ui *ui, struct grid *g, struct rect r);

/* ---- heat_pair.c: the panel of one pair ---- */
void heat_pair_draw(struct heat_view *v, const struct ui *ui, struct grid *g, struct rect r);

#endif
