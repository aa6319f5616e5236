/*
 * Where things go. Pure geometry.
 */
#ifndef TUI_LAYOUT_H
#define TUI_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>

#include "tui/grid.h"

#define LAYOUT_COLUMNS_MAX 24

/* A column of a table; how it wants to be placed. */
struct column {
	const char *title;
	int min;      /* cells it needs to be worth showing */
	int want;     /* cells it takes when there is room; 0: min */
	int grow;     /* share of what is left over; 0 none */
	int priority; /* the highest numbers go first when there is no room; 0 stays to the end */
	bool right;   /* numbers: aligned right */
	bool hidden;  /* never shown */
};

/*
 * Widths of n columns in w cells with one gap of `gap` cells between those that are
 * shown; 0 for those that are not. Columns go by priority, the later one of equals
 * first; a last one that is left gets all of w even below its min. What is left over
 * goes first to what columns want, least priority first, then to those that grow.
 */
void layout_columns(const struct column *cols, size_t n, int w, int gap, int *widths);

/* Cuts h rows off the top / bottom of *r (fewer when it has fewer) and returns them. */
struct rect layout_top(struct rect *r, int h);
struct rect layout_bottom(struct rect *r, int h);

/* A position in a list of n rows of which `page` are seen at once. */
struct scroll {
	size_t n;
	size_t at;  /* selected; < n unless n is 0 */
	size_t top; /* first row seen */
	size_t page;
};

/* Keeps at and top within bounds, and at in sight. Call after any change. */
void scroll_fix(struct scroll *s);
void scroll_by(struct scroll *s, long rows);
void scroll_to(struct scroll *s, size_t at);

/* Thumb of a scroll bar of h cells: first cell and length; length 0 when all is seen. */
void scroll_thumb(const struct scroll *s, int h, int *first, int *len);

#endif
