/* Of plan_nodes.c: fills its fleet. */
#ifndef TUI_PLAN_ADD_H
#define TUI_PLAN_ADD_H

#include "tui/plan_nodes.h"

/*
 * Whoever names nodes first: a source, --nodes, --from; none of them where --placement
 * names them all. *snap: the source's picture where there is one; caller frees.
 */
enum err_code plan_add_nodes(struct plan_nodes *p, const struct plan_wish *w, struct cli *c,
	struct snapshot **snap, struct err *e) ATTR_MUST_CHECK;

#endif
