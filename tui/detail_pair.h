/* What pairwise bandwidth says of a node or a pair, for the drill-down panels. Pure. */
#ifndef TUI_DETAIL_PAIR_H
#define TUI_DETAIL_PAIR_H

#include "tui/doc.h"
#include "tui/view.h"

/*
 * "Pairwise bandwidth" of a node of the snapshot: verdict, deficit, confidence, the pairs that
 * say so, and the likely causes among the node's own findings. Nothing without a sweep, or
 * when the sweep does not know the node.
 */
void detail_node_pairs(struct doc *d, const struct ui *ui, size_t node);

/* The panel of a pair of the sweep's nodes a and b. */
void detail_pair(struct doc *d, const struct ui *ui, size_t a, size_t b);

#endif
