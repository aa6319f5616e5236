#include "collectors/ssh_dial.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "collectors/spawn.h"

#define NEXT_AFTER_MS 300

/* The families in turn, beginning with the one that the resolver prefers. */
static void order_addresses(struct ssh_dial *d)
{
	const struct addrinfo *by[2] = {d->list, d->list};
	int first = d->list ? d->list->ai_family : 0;

	for (int turn = 0; d->n < SSH_DIAL_ADDRESSES && (by[0] || by[1]); turn ^= 1) {
		const struct addrinfo **at = &by[turn];

		while (*at && ((*at)->ai_family == first) == (turn == 1))
			*at = (*at)->ai_next;
		if (!*at)
			continue;
		d->order[d->n++] = *at;
		*at = (*at)->ai_next;
	}
}

void ssh_dial_init(struct ssh_dial *d, struct addrinfo *list)
{
	memset(d, 0, sizeof(*d));
	d->list = list;
	order_addresses(d);
}

void ssh_dial_release(struct ssh_dial *d)
{
	for (size_t i = 0; i < d->nflight; i++)
		close(d->flight[i].fd);
	if (d->list)
		freeaddrinfo(d->list);
	memset(d, 0, sizeof(*d));
}

static void note_failure(struct ssh_dial *d, const struct addrinfo *to, int errnum)
{
	char host[64];
	char port[8];

	if (getnameinfo(to->ai_addr, to->ai_addrlen, host, sizeof(host), port, sizeof(port),
		    NI_NUMERICHOST | NI_NUMERICSERV) != 0)
		host[0] = port[0] = '\0';
	const char *hint = errnum == ECONNREFUSED ? " (is sshd running there, on that port?)"
			   : errnum == EHOSTUNREACH || errnum == ENETUNREACH || errnum == ETIMEDOUT
				   ? " (is the node up, and reachable from here?)"
				   : "";

	err_set(&d->err, ERR_NET, "connect to %s port %s: %s%s", host, port, err_errno(errnum),
		hint);
}

static int open_socket(const struct addrinfo *to)
{
	int one = 1;
	int fd = socket(to->ai_family, to->ai_socktype, to->ai_protocol);

	if (fd < 0)
		return -1;
	if (!spawn_set_flags(fd, true)) {
		close(fd);
		return -1;
	}
	/* Many small packets each way: none is worth waiting for another. */
	(void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	(void)setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &one, sizeof(one));
	return fd;
}

static void start_next(struct ssh_dial *d, int64_t now)
{
	const struct addrinfo *to = d->order[d->next++];
	int fd = open_socket(to);

	if (fd < 0) {
		note_failure(d, to, errno);
		return;
	}
	if (connect(fd, to->ai_addr, to->ai_addrlen) != 0 && errno != EINPROGRESS) {
		note_failure(d, to, errno);
		close(fd);
		return;
	}
	d->flight[d->nflight].fd = fd;
	d->flight[d->nflight++].to = to;
	d->next_at_ms = now + NEXT_AFTER_MS;
}

/* The index of a connected attempt, or -1; failed ones are closed. */
static int check_flight(struct ssh_dial *d)
{
	for (size_t i = 0; i < d->nflight;) {
		struct pollfd p = {.fd = d->flight[i].fd, .events = POLLOUT};
		int error = 0;
		socklen_t len = sizeof(error);

		if (poll(&p, 1, 0) <= 0) {
			i++;
			continue;
		}
		if (getsockopt(p.fd, SOL_SOCKET, SO_ERROR, &error, &len) != 0)
			error = errno;
		if (error == 0)
			return (int)i;
		note_failure(d, d->flight[i].to, error);
		close(p.fd);
		d->flight[i] = d->flight[--d->nflight];
	}
	return -1;
}

enum err_code ssh_dial_step(struct ssh_dial *d, int64_t now_mono_ms, int *fd, struct err *e)
{
	for (;;) {
		int won = check_flight(d);

		if (won >= 0) {
			*fd = d->flight[won].fd;
			d->flight[won] = d->flight[--d->nflight];
			return ERR_OK;
		}
		bool due = d->nflight == 0 ||
			   (now_mono_ms >= d->next_at_ms && d->nflight < SSH_DIAL_FLIGHT);

		if (d->next < d->n && due) {
			start_next(d, now_mono_ms);
			continue;
		}
		if (d->nflight)
			return ERR_AGAIN;
		if (d->err.code)
			return err_set(e, d->err.code, "%s", d->err.msg);
		return err_set(e, ERR_NET, "no address to connect to");
	}
}

void ssh_dial_poll(const struct ssh_dial *d, struct transport_poll *p)
{
	for (size_t i = 0; i < d->nflight && p->nfds < TRANSPORT_MAX_FDS; i++) {
		p->fds[p->nfds].fd = d->flight[i].fd;
		p->fds[p->nfds++].events = TRANSPORT_OUT;
	}
	if (d->next < d->n && d->nflight < SSH_DIAL_FLIGHT &&
		(!p->deadline_mono_ms || d->next_at_ms < p->deadline_mono_ms))
		p->deadline_mono_ms = d->next_at_ms;
}
