/*
 * The bar that is always on screen: what is looked at, how much of it answered, how
 * old it is, that nothing is changed, and how many concerns there are.
 */
#ifndef TUI_STATUSBAR_H
#define TUI_STATUSBAR_H

#include "tui/grid.h"
#include "tui/view.h"

/*
 * Draws one row. As room shrinks, words get shorter and the least needed go first;
 * the mode, the coverage and the number of concerns stay to the end.
 */
void statusbar_draw(const struct ui *ui, struct grid *g, struct rect r);

/* "LIVE", "DEMO", "RAW", "REPLAY". */
const char *statusbar_mode(enum source_mode mode);

#endif
