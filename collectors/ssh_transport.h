/*
 * A node over SSH: resolve options, resolve the name, connect (or start the
 * proxy), exchange keys, check the host key, authenticate, open a channel, run
 * `sh -s`. One state machine; each step has a deadline of its own and fails
 * with a sentence that names the step.
 *
 * Everything that the hosts of one source share lives in a struct ssh_context:
 * known_hosts files, keys, the answers of ssh -G, the threads that look up names.
 *
 * Blocking calls that remain: reading key files and known_hosts (local files,
 * once each) and connecting to the agent's local socket.
 */
#ifndef COLLECTORS_SSH_TRANSPORT_H
#define COLLECTORS_SSH_TRANSPORT_H

#include <stdint.h>

#include "collectors/err.h"
#include "collectors/source.h"
#include "collectors/transport.h"

struct ssh_context;

/* Copies what it needs. NULL settings: all defaults, ssh -G used. */
struct ssh_context *ssh_context_new(const struct ssh_settings *set);

/* After all transports made with it are freed. Never waits. NULL is allowed. */
void ssh_context_free(struct ssh_context *c);

/*
 * A transport to host, not yet connected; strings are copied. user NULL and port 0:
 * what ssh's configuration says. NULL with ERR_USAGE for a name that could be
 * taken for an option or for shell text. The context must outlive it.
 */
struct transport *ssh_transport_new(struct ssh_context *c, const char *host, const char *user,
	uint16_t port, int64_t now_mono_ms, struct err *e);

/* source->connect for a source whose private_data is a struct ssh_context. */
struct transport *ssh_source_connect(
	struct source *src, const struct target *t, int64_t now_mono_ms, struct err *e);
void ssh_source_free(struct source *src);

#endif
