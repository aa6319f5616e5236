/*
 * Where benchmark output comes from, while the program runs: a directory that is
 * watched, a directory on another machine, the simulation.
 *
 * One vtable per kind (pair_watch, pair_remote, demo_sweep). All calls come from
 * the sweep's thread (tui/sweep.h), which has no other work that a hanging
 * filesystem could delay; the interface and the collector never wait for it.
 */
#ifndef COLLECTORS_PAIR_FEED_H
#define COLLECTORS_PAIR_FEED_H

#include <stddef.h>
#include <stdint.h>

#include "collectors/err.h"
#include "collectors/pair_store.h"
#include "collectors/transport.h"

struct pair_feed;

/* For the status line and the heatmap's caption. Strings: the feed's, until its next step. */
struct pair_feed_state {
	const char *label; /* "/fsx/sweep", "head:/fsx/sweep", "demo" */
	bool first_look;   /* everything that was there at the start has been read */
	size_t files;      /* read so far */
	size_t growing;    /* of these, still being written */
	const char *error; /* NULL: none stands */
};

struct pair_feed_ops {
	const char *name;
	/*
	 * Reads what is new into store, up to about a megabyte or 50 ms. ERR_OK: there
	 * may be more at once. ERR_AGAIN: wait as poll says. Trouble is state, not an
	 * error: a directory that went away may come back.
	 */
	enum err_code (*step)(struct pair_feed *f, struct pair_store *store, int64_t now_mono_ms);
	void (*poll)(const struct pair_feed *f, struct transport_poll *p);
	void (*state)(const struct pair_feed *f, struct pair_feed_state *out);
	/* Everything is to be read once more, into another store. */
	void (*again)(struct pair_feed *f);
	void (*free)(struct pair_feed *f);
};

struct pair_feed {
	const struct pair_feed_ops *ops;
};

#endif
