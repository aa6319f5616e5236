/*
 * Private key files: what kind they are, and whether they can be used unattended.
 *
 * A passphrase is never asked for: an encrypted key is for the agent. A plain
 * Ed25519 key in OpenSSH's format is read here and signs here (a fifth of the
 * CPU of a connection is saved against libssh2, which parses the file through
 * OpenSSL's decoders twice a connection); all others are left to libssh2.
 */
#ifndef COLLECTORS_SSH_KEY_H
#define COLLECTORS_SSH_KEY_H

#include <stdbool.h>
#include <stddef.h>

#include "collectors/err.h"
#include "collectors/text.h"

enum ssh_key_state {
	SSH_KEY_MISSING,    /* no such file */
	SSH_KEY_UNREADABLE, /* there, but not readable or no private key: see why */
	SSH_KEY_ENCRYPTED,  /* needs the agent */
	SSH_KEY_USABLE
};

#define SSH_ED25519_SIGNATURE_BYTES 64

struct ssh_key {
	char *path;
	enum ssh_key_state state;
	char type[32];       /* "ssh-ed25519", "ssh-rsa"; "" unknown */
	unsigned char *blob; /* public key; NULL where the file does not tell */
	size_t blob_len;
	void *signer; /* can sign here (Ed25519); NULL: libssh2 reads the file */
	char why[96];
	unsigned refs;
};

/*
 * Reads path and, for the public key, path.pub. Never NULL; one reference.
 * As ssh, refuses a file of ours that others may read.
 */
struct ssh_key *ssh_key_load(const char *path);
struct ssh_key *ssh_key_ref(struct ssh_key *k);
void ssh_key_unref(struct ssh_key *k); /* NULL is allowed */

/* What a key's text is; for tests. k: zeroed but for its path. */
void ssh_key_parse(struct ssh_key *k, struct span text);

/* Only when k->signer. */
bool ssh_key_sign(
	const struct ssh_key *k, struct span data, unsigned char out[SSH_ED25519_SIGNATURE_BYTES]);

#endif
