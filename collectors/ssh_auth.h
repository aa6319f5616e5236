/*
 * Proving who we are: the agent's keys, then key files. Never a password,
 * never a question. Order, as in ssh: a file asked for by name; configured
 * files whose key the agent holds; the agent's other keys (unless
 * IdentitiesOnly); the other files. RSA keys come last where libssh2 (before
 * 1.11) could sign with SHA-1 only, which servers since OpenSSH 8.8 refuse.
 *
 * libssh2 types stay in this file's pair and ssh_transport.c.
 */
#ifndef COLLECTORS_SSH_AUTH_H
#define COLLECTORS_SSH_AUTH_H

#include <libssh2.h>
#include <stdbool.h>
#include <stdint.h>

#include "collectors/err.h"
#include "collectors/ssh_agent.h"
#include "collectors/ssh_keyring.h"
#include "collectors/ssh_options.h"

struct ssh_candidate {
	struct ssh_key *key; /* NULL: only the agent has it */
	bool agent;          /* the agent signs */
	unsigned char *blob; /* public key; NULL: libssh2 finds it in the file */
	size_t blob_len;
	char type[32];
	char label[64]; /* the agent's comment */
};

struct ssh_auth {
	LIBSSH2_SESSION *session;       /* borrowed */
	const struct ssh_options *opts; /* borrowed */
	struct ssh_keyring *ring;       /* borrowed */
	bool rsa_sha2;                  /* libssh2 can sign RSA with SHA-2 */
	int state;
	struct ssh_agent agent;
	bool sign_pending;
	struct err sign_err;
	void *self; /* what libssh2 hands to the signing call */
	struct ssh_candidate *candidates;
	size_t n;
	size_t cap;
	size_t next;
	size_t tried_agent;
	char tried_files[160];
	char notes[200]; /* what could not be tried, and why */
	bool rsa_refused;
	bool other_refused;
};

void ssh_auth_init(struct ssh_auth *a, LIBSSH2_SESSION *session, const struct ssh_options *opts,
	struct ssh_keyring *ring);
void ssh_auth_release(struct ssh_auth *a); /* before the session is freed */

/* One step. ERR_OK: we are in. ERR_AUTH with a sentence on what was tried. */
enum err_code ssh_auth_step(struct ssh_auth *a, int64_t now_mono_ms, struct err *e) ATTR_MUST_CHECK;

/* The agent's socket while its answer is awaited, else -1; *events for it. */
int ssh_auth_fd(const struct ssh_auth *a, int *events);

/* True when the linked libssh2 can sign RSA with SHA-2 (1.11 or newer). */
bool ssh_auth_has_rsa_sha2(void);

#endif
