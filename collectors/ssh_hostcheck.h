/*
 * Whether the key that a server showed is the host's: the decision of ssh's
 * StrictHostKeyChecking, with a sentence that says what to do. A changed or
 * revoked key is refused always, whatever the configuration says.
 */
#ifndef COLLECTORS_SSH_HOSTCHECK_H
#define COLLECTORS_SSH_HOSTCHECK_H

#include "collectors/err.h"
#include "collectors/ssh_knownhosts.h"
#include "collectors/ssh_options.h"
#include "collectors/text.h"

struct ssh_hostcheck {
	char *name; /* as looked up: alias, host or [host]:port */
	struct ssh_known known;
};

#define SSH_HOSTCHECK_INIT           \
	{                            \
		NULL, SSH_KNOWN_INIT \
	}

/* Looks up what is known, before the key exchange: its order of algorithms needs it. */
void ssh_hostcheck_begin(
	struct ssh_hostcheck *h, struct ssh_knownhosts *files, const struct ssh_options *o);
void ssh_hostcheck_release(struct ssh_hostcheck *h);

/* ERR_OK or ERR_HOSTKEY. May append the key to the first user file. */
enum err_code ssh_hostcheck_key(struct ssh_hostcheck *h, struct ssh_knownhosts *files,
	const struct ssh_options *o, struct span blob, struct err *e) ATTR_MUST_CHECK;

#endif
