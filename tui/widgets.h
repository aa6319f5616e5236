/*
 * Small things that several screens draw.
 */
#ifndef TUI_WIDGETS_H
#define TUI_WIDGETS_H

#include <stddef.h>

#include "tui/grid.h"
#include "tui/layout.h"
#include "tui/view.h"

/* A row of column titles; sorted (index, SIZE_MAX none) gets an arrow. */
void widget_titles(struct grid *g, const struct ui *ui, struct rect r, const struct column *cols,
	size_t n, const int *widths, int gap, size_t sorted, bool descending);

/* The last column of r; nothing when all rows are seen. */
void widget_scrollbar(struct grid *g, const struct ui *ui, struct rect r, const struct scroll *s);

/* A gauge of w cells for 0..100; NAN draws as not known. */
void widget_gauge(struct grid *g, const struct ui *ui, struct rect clip, int x, int y, int w,
	double pct, int style);

/* The newest samples of a node, the newest at the right end of w cells. */
void widget_trend(struct grid *g, const struct ui *ui, struct rect clip, int x, int y, int w,
	size_t node, enum trend_metric m, int style);

/* Words in the middle of an empty screen. */
void widget_empty(struct grid *g, struct rect r, const char *text);

/*
 * Takes the next line of at most w cells off *text, broken at blanks where there
 * are any: bytes of the line; *text moves past it. 0 at the end.
 */
size_t widget_wrap(const char **text, int w);

/* Scrolls by one of the movement actions; false for any other action. */
bool widget_scroll_act(struct scroll *s, enum action a);

#endif
