/*
 * Names to addresses without blocking the caller.
 *
 * getaddrinfo has no deadline and no non-blocking form, so it runs on threads of
 * its own: at most eight, alive only while there are names to look up. A caller
 * that gives up (or goes away) leaves its look-up to the thread, which frees it.
 * Numeric addresses need no thread.
 *
 * DESIGN. One lock guards the queue and each look-up's flags; the result is
 * written before `done` is set under the lock, and one byte in the look-up's own
 * pipe wakes its poll. The queue is counted: the last of owner and threads frees it.
 */
#ifndef COLLECTORS_SSH_DNS_H
#define COLLECTORS_SSH_DNS_H

#include <netdb.h>
#include <stdint.h>

#include "collectors/err.h"

struct ssh_dns;
struct ssh_lookup;

struct ssh_dns *ssh_dns_new(void);
void ssh_dns_free(struct ssh_dns *d); /* never waits; NULL is allowed */

/* NULL with *e filled when no descriptor is left. family: AF_UNSPEC, AF_INET, AF_INET6. */
struct ssh_lookup *ssh_dns_start(
	struct ssh_dns *d, const char *host, uint16_t port, int family, struct err *e);

/* Readable once the look-up is done; -1 when it was done at once. */
int ssh_lookup_fd(const struct ssh_lookup *l);

/*
 * ERR_AGAIN until done; then ERR_OK with *out the addresses (caller calls
 * freeaddrinfo; given once), or ERR_NET.
 */
enum err_code ssh_lookup_take(
	struct ssh_lookup *l, struct addrinfo **out, struct err *e) ATTR_MUST_CHECK;

void ssh_lookup_free(struct ssh_lookup *l); /* at any time; NULL is allowed */

#endif
