/*
 * Grid to curses, by difference: only cells that changed since the last frame are
 * handed over. UI thread, between term_open and term_close.
 */
#ifndef TUI_PAINT_H
#define TUI_PAINT_H

#include "tui/grid.h"
#include "tui/theme.h"

struct paint {
	struct grid last; /* what curses was told */
	enum theme_depth depth;
	int pairs;                              /* colour pairs in use */
	short pair_of[STYLE_COUNT][BACK_COUNT]; /* 0 not made yet */
};

void paint_init(struct paint *p, enum theme_depth depth);
void paint_release(struct paint *p);

/* The screen's content is not known any more (resize, continued): paint everything next time. */
void paint_forget(struct paint *p);

void paint_flush(struct paint *p, const struct grid *g);

#endif
