/*
 * What ssh's configuration files could make of a host name, without reading
 * them as ssh does: this decides only how seldom `ssh -G` has to be run.
 *
 * `ssh -G HOST` is the authority on a host's options, but costs a process (5 to
 * 80 ms of CPU), too much for each of hundreds of hosts. Three cases:
 *
 *  1. No line of the files changes anything that we use (on a fresh Debian:
 *     SendEnv, HashKnownHosts, GSSAPIAuthentication). ssh is not run at all.
 *  2. Hosts that match the same Host lines get the same options: nothing else
 *     in the files depends on the name, apart from case 3. ssh runs once for
 *     each such class, and %-tokens are filled in here for each host.
 *  3. Match (which may run commands or look at users) or Canonicalize...: the
 *     answer may be different for each host, so it runs for each host. The same
 *     for hosts under a Host line with a HostName, and when a file is unreadable.
 *
 * Pure but for reading the files.
 */
#ifndef COLLECTORS_SSH_CONFIG_H
#define COLLECTORS_SSH_CONFIG_H

#include <stdbool.h>
#include <stddef.h>

#include "collectors/text.h"

struct ssh_config {
	bool matters;          /* some line changes an option that we use (case 2 or 3) */
	bool per_host;         /* case 3 */
	bool hash_known_hosts; /* HashKnownHosts yes somewhere, for case 1 */
	struct ssh_config_block {
		char *patterns; /* of the Host line */
		bool per_host;  /* has a HostName: case 3 for the hosts that match */
	} * blocks;
	size_t n;
	size_t cap;
	size_t current; /* block being read, plus 1; 0: before any Host line */
};

#define SSH_CONFIG_INIT                            \
	{                                          \
		false, false, false, NULL, 0, 0, 0 \
	}

/*
 * Reads what `ssh -F file` would: file alone, or for NULL the user's and the
 * system's files. home: the user's home folder.
 */
void ssh_config_read(struct ssh_config *c, const char *file, const char *home);
void ssh_config_release(struct ssh_config *c);

/* Adds one file's text; dir: what relative Include paths are relative to. For tests too. */
void ssh_config_scan(
	struct ssh_config *c, struct span text, const char *dir, const char *home, unsigned depth);

/*
 * The class of a host: equal strings, equal options (apart from tokens).
 * "" in case 1. Caller frees.
 */
char *ssh_config_class(const struct ssh_config *c, const char *host);

#endif
