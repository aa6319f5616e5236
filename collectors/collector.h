/*
 * The collector: one thread that reaches every node of a source, asks for
 * sections as their cadence says, parses the answers and publishes snapshots.
 *
 * DESIGN. The thread owns all transports, curl and cJSON objects; its only sleep
 * is curl_multi_poll, woken early by curl_multi_wakeup when a command is queued.
 * Down to the reader goes one slot: a new snapshot replaces one that was not
 * taken (newest wins), by atomic exchange, and one byte in a pipe makes the
 * reader's poll return. Up goes a short queue of commands. Nothing else is
 * shared, apart from sections, which are immutable and counted.
 */
#ifndef COLLECTORS_COLLECTOR_H
#define COLLECTORS_COLLECTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collectors/snapshot.h"
#include "collectors/source.h"

struct collector;

struct collector_options {
	bool once;            /* ask each node once (see sample_gap_ms), then stop asking */
	unsigned sections;    /* mask of 1 << SECTION_X to ask for; 0: all */
	unsigned concurrency; /* nodes being connected at the same time; 0: 64 */
	int64_t fast_ms;      /* 0: 5 s */
	int64_t slow_ms;      /* 0: 60 s */
	int64_t answer_ms;    /* deadline of one request; 0: 45 s */
	int64_t publish_ms;   /* least time between snapshots; 0: 250 ms */
	int64_t sample_gap_ms; /* once: a second sample of the counters after this; < 0 none, 0: 1 s */
};

/*
 * Starts the thread. Takes ownership of src, also on failure.
 * Call log_open, curl_global_init and ssh_global_init (collector_global_init) before.
 */
enum err_code collector_start(struct collector **out, struct source *src,
	const struct collector_options *opt, struct err *e) ATTR_MUST_CHECK;

/* Library set-up that is not thread-safe; once, before the first collector. */
enum err_code collector_global_init(struct err *e) ATTR_MUST_CHECK;
void collector_global_release(void);

/* Readable when a snapshot waits; stays the same for the collector's life. */
int collector_fd(const struct collector *c);

/* The newest snapshot, or NULL when there is nothing new. Caller owns it. Empties the fd. */
struct snapshot *collector_take(struct collector *c);

/* Ask every node (id NULL) or one node for all its sections now; also retries failed ones. */
void collector_refresh(struct collector *c, const char *node_id);

/* Stops asking (true) or goes on (false); sessions stay open. */
void collector_pause(struct collector *c, bool paused);

/* Stops and joins the thread (well under a second), closes all sessions. NULL is allowed. */
void collector_stop(struct collector *c);

#endif
