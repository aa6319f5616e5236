/*
 * A session: one node, from the first connection through every later answer.
 *
 * Sits on a transport (a byte stream to `sh -s`), sends the probe once and then
 * requests, reads frames, parses sections, keeps the newest and the one before.
 * Owns the deadline of each phase, the back-off after a failure, and what the
 * fleet picture says of the node. All calls come from the collector thread;
 * none blocks.
 */
#ifndef COLLECTORS_SESSION_H
#define COLLECTORS_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "collectors/buf.h"
#include "collectors/frame.h"
#include "collectors/node.h"
#include "collectors/source.h"
#include "collectors/transport.h"

enum session_state {
	SESSION_WAITING,    /* for its turn, or for next_try after a failure */
	SESSION_CONNECTING, /* the transport is at work */
	SESSION_STARTING,   /* the probe was sent; login scripts may still print */
	SESSION_ANSWERING,  /* a request is under way */
	SESSION_IDLE,       /* open, nothing asked */
	SESSION_FINISHED    /* once mode: asked and answered, or failed for good */
};

/* Limits of one session; see session_limits_default for the values and why. */
struct session_limits {
	bool once;
	unsigned sections; /* mask that may be asked for */
	int64_t fast_ms;
	int64_t slow_ms;
	int64_t connect_ms;    /* whole connection: the last resort behind the transport's steps */
	int64_t start_ms;      /* from the script's first byte to "ready": login scripts */
	int64_t answer_ms;     /* one request */
	int64_t sample_gap_ms; /* once: second sample of the counters; < 0 none */
	int64_t backoff_first_ms;
	int64_t backoff_most_ms;
};

struct session {
	struct source *source;
	const struct target *target;
	const struct session_limits *limits;
	unsigned index; /* in the source: spreads requests over time */

	enum session_state state;
	struct transport *transport;
	struct frame frame;
	bool frame_ready;      /* frame is initialised */
	struct buf out;        /* bytes that the transport did not take yet */
	int64_t deadline_ms;   /* of the present state; 0 none */
	int64_t asked_ms;      /* when the open request went out */
	unsigned asked_mask;   /* sections of the open request */
	unsigned got_mask;     /* of these, answered */
	bool input_pending;    /* stopped reading before the transport said AGAIN */
	bool second_sample;    /* once: the second request was sent */
	uint64_t answer_bytes; /* input since the request */

	int64_t next_fast_ms;
	int64_t next_slow_ms;
	bool once_asked; /* CADENCE_ONCE sections were answered on this connection */
	bool refresh;    /* ask for everything at the next chance */

	bool answered; /* ever answered a request to its end */
	struct err last_err;
	unsigned failures;
	int64_t next_try_ms;
	int64_t last_ok_ms;
	int64_t answer_ms; /* of the newest answer; -1 none */
	struct section *cur[SECTION_COUNT];
	struct section *prev[SECTION_COUNT];
};

void session_init(struct session *s, struct source *src, const struct target *t,
	const struct session_limits *limits, unsigned index);
void session_release(struct session *s);

/* True when it could connect now, if there is a place. */
bool session_wants_connect(const struct session *s, int64_t now_ms);
/* True while it holds a place among those being connected. */
bool session_is_connecting(const struct session *s);
void session_connect(struct session *s, int64_t now_ms);

/*
 * Does what can be done now: connection steps, writes, reads, parsing, due
 * requests (unless paused), deadlines. True when the node's picture changed.
 */
bool session_step(struct session *s, int64_t now_ms, bool paused);

/* What to wait for. An absolute deadline of "now" means: step again at once. */
void session_poll(const struct session *s, int64_t now_ms, bool paused, struct transport_poll *p);

/* Ask for all sections as soon as possible; ends a back-off. */
void session_refresh(struct session *s);

/* Writes the node's part of a snapshot. */
void session_fill(const struct session *s, struct snapshot *snap, struct node *n);

#endif
