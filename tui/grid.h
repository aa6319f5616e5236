/*
 * A screen in memory: cells of one grapheme and one style. Pure: no terminal.
 *
 * Everything that is shown is first drawn here, so that screens can be tested as
 * text and painted as differences. Invariants: every cell holds a printable
 * grapheme of width 1 or 2, or is the empty right half of a wide one (width 0,
 * always just after a cell of width 2). Drawing is clipped, never refused; half
 * a wide character is never left behind.
 *
 * Widths come from wcwidth, so the locale must be set before.
 */
#ifndef TUI_GRID_H
#define TUI_GRID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collectors/buf.h"
#include "collectors/compiler.h"

/* Bytes of one grapheme: a character and the marks that combine with it. */
#define GRID_TEXT_MAX 20

/* Largest side of a grid; a terminal that claims more is drawn in part. */
#define GRID_SIDE_MAX 1000

struct rect {
	int x, y, w, h;
};

/* What lies behind the text; a style says what the text itself means. */
enum grid_back {
	BACK_NONE,
	BACK_BAR,
	BACK_SELECTED,
	BACK_CURSOR, /* the heatmap's crosshair */
	BACK_HEAT0,  /* the heatmap's ramp: healthy */
	BACK_HEAT7 = BACK_HEAT0 + 7,
	BACK_COUNT
};

struct grid_cell {
	char text[GRID_TEXT_MAX]; /* terminated UTF-8; "" for the right half of a wide one */
	uint8_t width;
	uint8_t style; /* enum style of theme.h */
	uint8_t back;  /* enum grid_back */
};

struct grid {
	int w, h;
	struct grid_cell *cells; /* w * h, row by row */
	enum grid_back back;     /* of what is drawn next */
	bool ascii;              /* draw what is not ASCII as the nearest ASCII character, or '?' */
};

#define GRID_INIT                            \
	{                                    \
		0, 0, NULL, BACK_NONE, false \
	}

void grid_release(struct grid *g);

/* Sets the size (clamped to 0..GRID_SIDE_MAX) and erases. */
void grid_resize(struct grid *g, int w, int h);

/* Blanks every cell. */
void grid_erase(struct grid *g);

struct rect grid_rect(const struct grid *g);
struct rect rect_intersect(struct rect a, struct rect b);

/*
 * Draws s at (x, y) within clip, at most max_w cells of it (< 0: no limit).
 * Control bytes and broken UTF-8 become '?'. Returns the cells used.
 */
int grid_put(struct grid *g, struct rect clip, int x, int y, int style, const char *s, int max_w);

/* The same, aligned right so that it ends before x + w; text that is too wide loses its end. */
int grid_put_right(struct grid *g, struct rect clip, int x, int y, int w, int style, const char *s);

/* Text too wide for w ends in "…" ("~" in ASCII). Returns the cells used. */
int grid_put_cut(struct grid *g, struct rect clip, int x, int y, int w, int style, const char *s);

int grid_putf(struct grid *g, struct rect clip, int x, int y, int style, const char *fmt, ...)
	ATTR_PRINTF(6, 7);

/* n times the one-cell text s. */
void grid_repeat(struct grid *g, struct rect clip, int x, int y, int style, const char *s, int n);

/* Blanks r with the background that is set. */
void grid_fill(struct grid *g, struct rect r, int style);

/* Changes the background of what r already shows. */
void grid_set_back(struct grid *g, struct rect r, enum grid_back back);

/* NULL outside. */
const struct grid_cell *grid_at(const struct grid *g, int x, int y);

/* Cells that s takes. */
int grid_width(const char *s);

/*
 * Bytes of s that fit in w cells; *used (may be NULL) gets the cells. Never
 * splits a grapheme.
 */
size_t grid_fit(const char *s, int w, int *used);

/* Appends the text, one line a row, without trailing blanks. */
enum err_code grid_dump(const struct grid *g, struct buf *out) ATTR_MUST_CHECK;

/* Where text stands on the grid; false when nowhere. First match, row by row. */
bool grid_find(const struct grid *g, const char *text, int *x, int *y);

#endif
