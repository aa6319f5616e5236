/*
 * The part of an SSH transport that calls libssh2: session, channel, stream.
 * Internal to ssh_transport.c; nobody else includes this.
 *
 * Facts of libssh2 that shape it: after EAGAIN the same call is made again with
 * the same arguments; while a packet is half sent no other may be begun; bytes
 * may be queued inside while the socket is idle, so reads go on until EAGAIN; a
 * loop inside a single call ends only when the socket has no more, so the
 * receive call hands out a bounded number of bytes each turn.
 */
#ifndef COLLECTORS_SSH_LINK_H
#define COLLECTORS_SSH_LINK_H

#include <libssh2.h>
#include <stdbool.h>
#include <stdint.h>

#include "collectors/ssh_auth.h"
#include "collectors/ssh_context.h"
#include "collectors/ssh_dial.h"
#include "collectors/ssh_hostcheck.h"
#include "collectors/ssh_proxy.h"
#include "collectors/transport.h"

enum ssh_state {
	SSH_OPTIONS,
	SSH_RESOLVING,
	SSH_CONNECTING,
	SSH_PROXY,
	SSH_HANDSHAKE,
	SSH_AUTH,
	SSH_CHANNEL,
	SSH_EXEC,
	SSH_READY,
	SSH_FAILED
};

#define SSH_AHEAD_BYTES 2048

struct ssh_transport {
	struct transport base; /* first */
	struct ssh_context *ctx;
	char *host;
	char *user;
	uint16_t port;
	enum ssh_state state;
	int64_t state_ms;    /* when it began */
	int64_t deadline_ms; /* of the state; 0 none */
	struct err failed;

	struct ssh_query *query;
	struct ssh_options opts;
	struct ssh_lookup *lookup;
	struct ssh_dial dial;
	struct ssh_proxy proxy;
	struct ssh_hostcheck hostcheck;
	struct ssh_auth auth;
	bool auth_used;

	int fd; /* -1 until connected */
	LIBSSH2_SESSION *session;
	LIBSSH2_CHANNEL *channel;
	bool closing;       /* the socket is not to be touched any more */
	bool write_pending; /* a packet is half sent */
	bool more;          /* the turn's bytes are used up: there may be more */
	size_t turn_bytes;  /* what this turn may still receive */
	uint64_t rx_bytes;
	int64_t rx_ms;        /* newest byte */
	int64_t keepalive_ms; /* next one */
	int64_t eof_ms;       /* end of the stream seen, exit status awaited; 0 not yet */
	char said[160];       /* the remote shell's last line on standard error */
	size_t ahead_len;     /* bytes received but not asked for yet */
	size_t ahead_at;
	char ahead[SSH_AHEAD_BYTES];
};

enum err_code ssh_link_begin(
	struct ssh_transport *t, const char *host_keys, int64_t now, struct err *e);
enum err_code ssh_link_handshake(struct ssh_transport *t, struct err *e);
enum err_code ssh_link_open(struct ssh_transport *t, struct err *e);
enum err_code ssh_link_exec(struct ssh_transport *t, struct err *e);
enum err_code ssh_link_read(
	struct ssh_transport *t, char *out, size_t size, size_t *got, struct err *e);
enum err_code ssh_link_write(
	struct ssh_transport *t, const char *bytes, size_t len, size_t *put, struct err *e);
/* ERR_NET when the peer has not answered for too long. */
enum err_code ssh_link_keepalive(struct ssh_transport *t, int64_t now, struct err *e);
void ssh_link_poll(struct ssh_transport *t, bool want_write, struct transport_poll *p);

/* A new turn: allows as many bytes to be received again. */
void ssh_link_refill(struct ssh_transport *t);

/* Frees channel and session; never waits. The caller closes the socket afterwards. */
void ssh_link_close(struct ssh_transport *t);

#endif
