/*
 * A screen is a const table of functions (struct view_ops) and a state of its own.
 * To add one: a file view_<name>.c and a line in view_table.c.
 *
 * Views are pure towards the outside: they read struct ui, draw into a grid and
 * answer keys with flags and a request; the loop acts on them. Pointers that a view
 * keeps into the snapshot or the judgement are good until its next update, which
 * comes before either is freed.
 */
#ifndef TUI_VIEW_H
#define TUI_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collectors/snapshot.h"
#include "rules/judge.h"
#include "tui/action.h"
#include "tui/grid.h"
#include "tui/theme.h"
#include "tui/trend.h"

struct sweep_picture; /* tui/sweep.h */

/* What every screen shows from. Borrowed by views during a call. */
struct ui {
	const struct snapshot
		*snap;              /* never NULL: before the first answer, all nodes are pending */
	const struct judgement *jm; /* of snap; NULL before the first judgement */
	const struct sweep_picture *sweep; /* NULL: no sweep is read */
	const struct trend *trend;
	const struct glyphs *gl;
	bool ascii;
	bool paused;
	int64_t now_mono_ms; /* of this frame: ages are against it */
	int64_t now_wall_ms;
	const char *filter; /* words that a row must have; "" all */
};

/* What a view wants done; flags of act. */
#define VIEW_IGNORED 0u
#define VIEW_HANDLED 1u
#define VIEW_REDRAW  2u /* implies handled */
#define VIEW_DETAIL  4u /* open the panel for req.node_id / req.finding_id */
#define VIEW_COPY    8u /* put req.text on the clipboard */
#define VIEW_CLOSE   16u

struct view_request {
	char node_id[256];   /* "" the cluster */
	char finding_id[20]; /* "" none in particular */
	char text[1024];
};

struct view_ops {
	const char *name; /* for ":name" and start_view */
	const char *title;
	char key;       /* its digit; 0: no tab */
	unsigned where; /* one of IN_... of action.h */

	void *(*open)(void);
	void (*close)(void *view);
	/* The picture or the filter changed: make rows anew, keep what was selected. */
	void (*update)(void *view, const struct ui *ui);
	void (*draw)(void *view, const struct ui *ui, struct grid *g, struct rect r);
	/* One action; returns VIEW_ flags. */
	unsigned (*act)(void *view, const struct ui *ui, enum action a, struct view_request *req);
	/* Short words for the tab line: what is shown, how it is sorted. May be NULL. */
	void (*caption)(void *view, const struct ui *ui, char *out, size_t size);
	/* Sorts by the column with this name; false when there is none. May be NULL. */
	bool (*sort_by)(void *view, const struct ui *ui, const char *column);
	/* Shows one node or finding ("" none). May be NULL. */
	void (*show)(void *view, const struct ui *ui, const char *node_id, const char *finding_id);
};

/* The i-th screen, NULL after the last. The first is the start. */
const struct view_ops *view_at(size_t i);
const struct view_ops *view_by_name(const char *name); /* a unique prefix is enough; NULL none */

/* The panel that Enter opens, and the help: not in the list, no tab. */
extern const struct view_ops view_node_ops;
extern const struct view_ops view_help_ops;

#endif
