/*
 * Which algorithms are asked for: the cheapest good ones first, and only such as
 * this libssh2 knows.
 */
#ifndef COLLECTORS_SSH_METHODS_H
#define COLLECTORS_SSH_METHODS_H

#include <libssh2.h>

/* Comma lists, made by the first session; "" where libssh2's own order stays. */
struct ssh_methods {
	char *kex; /* NULL: not made yet */
	char *cipher;
	char *mac;
	char *host_keys; /* all that libssh2 knows */
};

#define SSH_METHODS_INIT               \
	{                              \
		NULL, NULL, NULL, NULL \
	}

void ssh_methods_release(struct ssh_methods *m);

/* Sets session's preferences, before its handshake. host_keys: as ssh_known_preference. */
void ssh_methods_apply(struct ssh_methods *m, LIBSSH2_SESSION *session, const char *host_keys);

#endif
