/*
 * Host keys as OpenSSH checks them: known_hosts files, their reader and writer.
 *
 * Read here and not by libssh2, whose reader gives up at lines that OpenSSH
 * takes. Understood: plain names, comma lists, [host]:port, * ? and !, hashed
 * names (|1|salt|hash), @revoked. @cert-authority lines are passed over: libssh2
 * offers no host certificates. See sshd(8), "SSH_KNOWN_HOSTS FILE FORMAT".
 *
 * Each file is parsed once and again when its size or time of change differ.
 * Plain names are found by hash; every hashed line costs one HMAC a look-up.
 * One thread at a time.
 */
#ifndef COLLECTORS_SSH_KNOWNHOSTS_H
#define COLLECTORS_SSH_KNOWNHOSTS_H

#include <stdbool.h>
#include <stddef.h>

#include "collectors/err.h"
#include "collectors/text.h"

struct ssh_hmac;
struct ssh_knownhosts;

struct ssh_knownhosts *ssh_knownhosts_new(void);
void ssh_knownhosts_free(struct ssh_knownhosts *k);             /* NULL is allowed */
struct ssh_hmac *ssh_knownhosts_hmac(struct ssh_knownhosts *k); /* borrowed; may be NULL */

/* One key that the files hold for a host; owned by the struct ssh_known it is in. */
struct ssh_known_key {
	bool revoked;
	char type[32];
	unsigned char *blob;
	size_t blob_len;
	char *path;
	unsigned line;
};

/* All keys of one host. SSH_KNOWN_INIT or ssh_known_release before the first use. */
struct ssh_known {
	struct ssh_known_key *keys;
	size_t n;
	size_t cap;
};

#define SSH_KNOWN_INIT     \
	{                  \
		NULL, 0, 0 \
	}

void ssh_known_release(struct ssh_known *known);

/*
 * Appends the keys that the files hold for name. Files that are missing or
 * cannot be read count as empty.
 */
void ssh_knownhosts_find(struct ssh_knownhosts *k, const char *const *paths, size_t npaths,
	const char *name, struct ssh_known *known);

/*
 * The name to look up, in lower case: "host", "[host]:port" for a port other
 * than 22. Caller frees.
 */
char *ssh_knownhosts_name(const char *host, unsigned port);

enum ssh_known_verdict {
	SSH_KNOWN_OK,
	SSH_KNOWN_NONE,       /* no key of this host is known */
	SSH_KNOWN_CHANGED,    /* another key of the same type is known */
	SSH_KNOWN_OTHER_TYPE, /* only keys of other types are known */
	SSH_KNOWN_REVOKED
};

/* *which (may be NULL): the key that decided, NULL for SSH_KNOWN_NONE. */
enum ssh_known_verdict ssh_known_check(
	const struct ssh_known *known, struct span blob, const struct ssh_known_key **which);

/*
 * Host key algorithms in the order to ask for, comma-separated: those of known
 * keys first, since a server with several keys sends the first that we name.
 */
void ssh_known_preference(const struct ssh_known *known, char *out, size_t size);

/*
 * Appends one line with a single write, making the file (0600) and its folder
 * (0700) where they are missing. hashed: the name is stored as OpenSSH's
 * HashKnownHosts does. ERR_IO names the file.
 */
enum err_code ssh_knownhosts_add(struct ssh_knownhosts *k, const char *path, const char *name,
	struct span blob, bool hashed, struct err *e) ATTR_MUST_CHECK;

#endif
