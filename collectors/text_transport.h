/*
 * A transport without a wire: it plays the probe's part in this process.
 *
 * It takes what the session writes to `sh -s`, skips the script to the line
 * that starts it, and answers each request in the probe's own frames with texts
 * that an answerer gives. So simulated and captured texts go through the very
 * same framing, sessions and parsers as those of a real node.
 *
 * Collector thread only.
 */
#ifndef COLLECTORS_TEXT_TRANSPORT_H
#define COLLECTORS_TEXT_TRANSPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "collectors/buf.h"
#include "collectors/section.h"
#include "collectors/transport.h"

/* One section's answer. text: empty, with room for SECTION_TEXT_MAX bytes. */
struct text_answer {
	struct buf *text;
	int exit_code;
	int64_t run_ms; /* what the frame says */
	bool cut;
};

enum text_verdict {
	TEXT_ANSWERED,
	TEXT_NONE,   /* the probe has no such section here: no frame at all */
	TEXT_SILENT, /* nothing comes any more, for this and all later sections */
	TEXT_DROPPED /* the connection is reset */
};

struct text_server {
	const char *name; /* of the transport: "demo", "raw" */
	/*
	 * How long the section runs on the node, ms: it is answered that much later.
	 * May be NULL: at once.
	 */
	int64_t (*run_ms)(void *ctx, enum section_id id, int64_t now_mono_ms);
	enum text_verdict (*answer)(
		void *ctx, enum section_id id, int64_t now_mono_ms, struct text_answer *out);
	/* A request was answered to its end. May be NULL. */
	void (*answered)(void *ctx);
	void (*free_ctx)(void *ctx); /* may be NULL */
};

struct text_options {
	int64_t connect_ms; /* how long the connection takes */
	const char
		*refuse; /* the connection then fails with ERR_TIMEOUT and this sentence; or NULL */
	int64_t (*clock)(void); /* monotonic ms; NULL: clock_mono_ms */
};

/* Takes ownership of ctx (by server->free_ctx). server: static. now: monotonic. */
struct transport *text_transport_new(const struct text_server *server, void *ctx,
	const struct text_options *opt, int64_t now_mono_ms);

#endif
