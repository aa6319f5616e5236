/*
 * The interface: one loop that shows what the collector publishes.
 *
 * DESIGN. The thread that calls app_run is the UI thread: it owns the terminal
 * and judges each new snapshot. It sleeps in one poll on the keyboard, the
 * collector's fd, the sweep's and the signal pipe, wakes for the next full second when only
 * ages change, and draws only when something did. Nothing here waits for a node.
 */
#ifndef TUI_APP_H
#define TUI_APP_H

#include <stdbool.h>

#include "collectors/collector.h"
#include "collectors/err.h"
#include "collectors/source.h"
#include "rules/rule.h"
#include "tui/cli.h"

struct app_options {
	const struct catalog *catalog;             /* borrowed while app_run runs */
	const struct collector_options *collector; /* NULL: all defaults */
	bool ascii;         /* draw with ASCII only, also in a UTF-8 locale */
	const char *colour; /* "auto", "256", "16", "none"; NULL is auto, which respects NO_COLOR */
	struct cli_sweep
		*sweep; /* what it holds is taken when the sweep starts; NULL or n 0: none */
	const char *start_view; /* name of a screen ("nodes", "findings", "log"); NULL is nodes */
};

/*
 * Runs until the operator quits. Takes src, also on failure. Call setlocale(LC_ALL, ""),
 * log_open and collector_global_init before; no thread may run yet.
 *
 * Returns the exit status: 0 nothing of concern in the last picture, 1 concerns,
 * 2 the interface cannot run here (no terminal, TERM=dumb, unknown view or colour),
 * 3 nothing could be collected, 128 + n ended by signal n. *e is filled for 2 and 3.
 * The terminal is as it was before, on every way out.
 */
int app_run(struct source *src, const struct app_options *opt, struct err *e);

#endif
