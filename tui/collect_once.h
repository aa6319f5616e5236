/*
 * One round over a source: every node asked once, progress on a terminal,
 * Ctrl-C keeps what has arrived. Used by the commands that print.
 */
#ifndef TUI_COLLECT_ONCE_H
#define TUI_COLLECT_ONCE_H

#include <stdbool.h>

#include "collectors/collector.h"
#include "collectors/snapshot.h"

struct collect_once {
	struct snapshot *snap; /* the newest picture; caller frees. NULL after an error */
	bool interrupted;      /* Ctrl-C came before all had answered */
};

/*
 * Takes ownership of src. opt->once is set here. Shows progress when standard
 * error is a terminal. The first Ctrl-C ends the wait; a second one kills.
 * seen (may be NULL) is called with every picture on the way, the last included.
 */
typedef void collect_seen_fn(void *ctx, const struct snapshot *snap);
enum err_code collect_once(struct collect_once *out, struct source *src,
	struct collector_options *opt, collect_seen_fn *seen, void *ctx,
	struct err *e) ATTR_MUST_CHECK;

/* "18/24 nodes, waiting for ip-10-1-2-9 (key exchange), ..." in at most width columns. */
void collect_progress(const struct snapshot *snap, size_t width, char *out, size_t size);

#endif
