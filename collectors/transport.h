/*
 * A transport is a non-blocking byte stream to `sh -s` on one node.
 *
 * One vtable per way of reaching a node (ssh_*, exec_*, demo_*, raw_*). All
 * calls come from the collector thread. The session above it (session.h) writes
 * the probe and its requests, reads frames, and owns all deadlines but those of
 * single connection steps, which the transport keeps itself.
 *
 *   open   -> step until ERR_OK (connected, shell running) or an error
 *   then read / write, each of which may return ERR_AGAIN
 *   free at any time, in any state: must not block
 */
#ifndef COLLECTORS_TRANSPORT_H
#define COLLECTORS_TRANSPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collectors/err.h"

#define TRANSPORT_MAX_FDS 3

/* What to wait for: each fd with TRANSPORT_IN / TRANSPORT_OUT bits. */
#define TRANSPORT_IN  1
#define TRANSPORT_OUT 2

struct transport_poll {
	struct {
		int fd;
		int events;
	} fds[TRANSPORT_MAX_FDS];
	size_t nfds;
	int64_t deadline_mono_ms; /* step again at this time at the latest; 0 none */
};

struct transport; /* begins with: const struct transport_ops *ops */

struct transport_ops {
	const char *name; /* "ssh", "exec", "demo", "raw" */
	/* One non-blocking step of the connection. ERR_OK: connected. ERR_AGAIN: wait as poll says. */
	enum err_code (*step)(struct transport *t, int64_t now_mono_ms, struct err *e);
	/*
	 * *got bytes into out; ERR_OK with *got == 0 is the end of the stream, and *e
	 * may then hold a sentence on how it ended ("the node's shell ended, exit 127").
	 */
	enum err_code (*read)(
		struct transport *t, char *out, size_t size, size_t *got, struct err *e);
	/* Takes *put of len bytes. */
	enum err_code (*write)(
		struct transport *t, const char *bytes, size_t len, size_t *put, struct err *e);
	/* want_write: the session has bytes that write did not take yet. */
	void (*poll)(struct transport *t, bool want_write, struct transport_poll *p);
	void (*free)(struct transport *t);
	/* Short words for the connection's present step ("key exchange"); static. May be NULL. */
	const char *(*phase)(const struct transport *t);
};

struct transport {
	const struct transport_ops *ops;
};

#endif
