/*
 * The sweep: a thread of its own that reads benchmark output as it comes, keeps
 * what it says, and works out who is slow.
 *
 * DESIGN. It owns the feeds, the pair_store, a fleet, and its only sleep is a poll on
 * the feeds and a pipe. It is apart from the collector because files may lie on
 * the very filesystem that hangs, and because an attribution of half a million pairs
 * takes longer than a key press may. Down to the reader goes one slot with the newest
 * picture (as mailbox in collector.h); up go the fleet (newest wins) and the selection.
 * After an attribution it rests several times as long as that took, so that a
 * live sweep costs a small part of one core.
 */
#ifndef TUI_SWEEP_H
#define TUI_SWEEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collectors/err.h"
#include "collectors/pair_feed.h"
#include "collectors/pair_set.h"
#include "collectors/pair_store.h"
#include "collectors/snapshot.h"
#include "rules/attribution.h"

struct heat_levels;

#define SWEEP_FEEDS_MAX 16

/* What the screens show from; immutable; caller owns it. */
struct sweep_picture {
	uint64_t generation; /* grows by one with each picture */
	int64_t mono_ms;
	int64_t wall_ms;
	const struct pair_set *set;       /* never NULL */
	const struct attribution *at;     /* of set; never NULL */
	const struct heat_levels *levels; /* of both: see heat.h; NULL: made by who needs them */
	struct {
		char label[160];
		char error[200]; /* "" none stands */
		bool first_look;
		size_t files;
		size_t growing;
	} feeds[SWEEP_FEEDS_MAX];
	size_t n_feeds;
};

struct sweep;

/*
 * Starts the thread. Takes ownership of the feeds, also on failure. fleet: where
 * nodes stand before the first snapshot (nodes.csv); taken; NULL none.
 */
enum err_code sweep_start(struct sweep **out, struct pair_feed *const *feeds, size_t n,
	const struct pair_select *sel, struct fleet *fleet, struct err *e) ATTR_MUST_CHECK;

int sweep_fd(const struct sweep *s); /* readable when a picture waits */

/* The newest picture, or NULL when there is nothing new. Caller owns it. Empties the fd. */
struct sweep_picture *sweep_take(struct sweep *s);
void sweep_picture_free(struct sweep_picture *p); /* NULL is allowed */

/* Tells it of the cluster's nodes and placement; copies what it needs, cheap when nothing changed. */
void sweep_set_nodes(struct sweep *s, const struct snapshot *snap);

/* Another size, collective or half from now on: everything is read again. */
void sweep_select(struct sweep *s, const struct pair_select *sel);

/*
 * Ends the thread; waits at most half a second for one that hangs in a filesystem, then
 * leaves it behind. NULL is allowed.
 */
void sweep_stop(struct sweep *s);

#endif
