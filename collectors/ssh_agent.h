/*
 * A client of the ssh-agent protocol (draft-miller-ssh-agent): list keys, sign.
 *
 * Own, since libssh2's blocks without a deadline. One request at a time on one
 * non-blocking local socket; connecting to a local socket does not wait.
 */
#ifndef COLLECTORS_SSH_AGENT_H
#define COLLECTORS_SSH_AGENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collectors/buf.h"
#include "collectors/err.h"
#include "collectors/text.h"

/* Flags of a sign request: which hash an RSA key is to use. */
#define SSH_AGENT_RSA_SHA2_256 2u
#define SSH_AGENT_RSA_SHA2_512 4u

struct ssh_agent {
	int fd; /* -1: not connected */
	struct buf out;
	size_t sent;
	struct buf in;
};

void ssh_agent_init(struct ssh_agent *a);
void ssh_agent_close(struct ssh_agent *a); /* in any state, also not connected */

enum err_code ssh_agent_connect(
	struct ssh_agent *a, const char *path, struct err *e) ATTR_MUST_CHECK;

/* Queues a request; then step until it does not return ERR_AGAIN. */
enum err_code ssh_agent_ask_keys(struct ssh_agent *a, struct err *e) ATTR_MUST_CHECK;
enum err_code ssh_agent_ask_sign(struct ssh_agent *a, struct span blob, struct span data,
	uint32_t flags, struct err *e) ATTR_MUST_CHECK;

/* ERR_OK: the answer is complete; read it with one of the two below. */
enum err_code ssh_agent_step(struct ssh_agent *a, struct err *e) ATTR_MUST_CHECK;

/* TRANSPORT_IN and TRANSPORT_OUT bits to wait for. */
int ssh_agent_events(const struct ssh_agent *a);

/*
 * Calls each for every key of the answer, which it consumes. Spans are valid
 * during the call only.
 */
enum err_code ssh_agent_keys(struct ssh_agent *a,
	void (*each)(void *ctx, struct span blob, struct span comment), void *ctx,
	struct err *e) ATTR_MUST_CHECK;

/* The signature without its type, valid until the next request. */
enum err_code ssh_agent_signature(
	struct ssh_agent *a, struct span *signature, struct err *e) ATTR_MUST_CHECK;

#endif
