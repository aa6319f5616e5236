/*
 * A TCP connection to the first of several addresses that answers: families in
 * turn, the next address 300 ms after the last or at once when one fails (the
 * idea of RFC 8305). Non-blocking. At most three attempts are in flight.
 */
#ifndef COLLECTORS_SSH_DIAL_H
#define COLLECTORS_SSH_DIAL_H

#include <netdb.h>
#include <stddef.h>
#include <stdint.h>

#include "collectors/err.h"
#include "collectors/transport.h"

#define SSH_DIAL_FLIGHT    3
#define SSH_DIAL_ADDRESSES 8

struct ssh_dial {
	struct addrinfo *list; /* owned */
	const struct addrinfo *order[SSH_DIAL_ADDRESSES];
	size_t n;
	size_t next;
	struct {
		int fd;
		const struct addrinfo *to;
	} flight[SSH_DIAL_FLIGHT];
	size_t nflight;
	int64_t next_at_ms; /* when to start the next address */
	struct err err;     /* of the newest failure */
};

/* Takes ownership of list. */
void ssh_dial_init(struct ssh_dial *d, struct addrinfo *list);
void ssh_dial_release(struct ssh_dial *d); /* also legal on a zeroed one */

/* ERR_OK: *fd is connected and the caller's. ERR_NET names address and reason. */
enum err_code ssh_dial_step(
	struct ssh_dial *d, int64_t now_mono_ms, int *fd, struct err *e) ATTR_MUST_CHECK;

/* Adds what to wait for; lowers the deadline where it must. */
void ssh_dial_poll(const struct ssh_dial *d, struct transport_poll *p);

#endif
