/*
 * The strip above the nodes: how many stand how, the spread of each number, and
 * the whole fleet as one line of glyphs in the source's order.
 */
#ifndef TUI_NODE_SUMMARY_H
#define TUI_NODE_SUMMARY_H

#include "tui/node_row.h"
#include "tui/view.h"

/* Spread of one number over the nodes that know it. */
struct spread {
	size_t n;
	double min, median, max;
};

struct node_summary {
	size_t concern, lost, stale, busy, ok; /* ok includes those with only INFO */
	double gpus, gpus_expected;
	struct spread util, temp, iowait, root;
};

void node_summary_make(struct node_summary *s, const struct node_row *rows, size_t n);

/* Draws what fits: one row of counts, and below it the fleet. rows in the source's order. */
void node_summary_draw(const struct node_summary *s, const struct ui *ui, struct grid *g,
	struct rect r, const struct node_row *rows, size_t n);

#endif
