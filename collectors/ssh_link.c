#include "collectors/ssh_link.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "collectors/clock.h"
#include "collectors/ssh_methods.h"
#include "collectors/stderr_tail.h"
#include "collectors/text.h"

#ifndef MSG_NOSIGNAL /* macOS: SIGPIPE is ignored in the whole process instead */
#define MSG_NOSIGNAL 0
#endif

#define TURN_BYTES      (256u * 1024)
#define HANDSHAKE_BYTES (256u * 1024) /* a key exchange is some 4 KiB */
#define KEEPALIVE_S     30
#define SILENCE_MS      (3 * KEEPALIVE_S * 1000 + 5000)
#define EXIT_WAIT_MS    1000
#define RETRY_MS        20 /* when libssh2 does not say what it waits for */

/* ---- the socket ---- */

static ssize_t receive(struct ssh_transport *t, void *out, size_t len)
{
	ssize_t n;

	do
		n = recv(t->fd, out, len, 0);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	if (n > 0) {
		t->rx_bytes += (uint64_t)n;
		t->turn_bytes -= (size_t)n < t->turn_bytes ? (size_t)n : t->turn_bytes;
		t->rx_ms = clock_mono_ms();
	}
	return n;
}

/* The server's greeting is read byte by byte inside libssh2: one system call serves them all. */
static LIBSSH2_RECV_FUNC(receive_call)
{
	struct ssh_transport *t = *abstract;

	(void)socket;
	(void)flags;
	if (t->closing)
		return 0;
	if (t->ahead_at == t->ahead_len) {
		if (t->turn_bytes == 0) {
			t->more = true;
			return -EAGAIN;
		}
		if (t->state == SSH_HANDSHAKE && t->rx_bytes > HANDSHAKE_BYTES)
			return -ECONNRESET;
		if (length >= sizeof(t->ahead))
			return receive(t, buffer, length);
		ssize_t n = receive(t, t->ahead, sizeof(t->ahead));

		if (n <= 0)
			return n;
		t->ahead_at = 0;
		t->ahead_len = (size_t)n;
	}
	size_t n = t->ahead_len - t->ahead_at;

	if (n > length)
		n = length;
	memcpy(buffer, t->ahead + t->ahead_at, n);
	t->ahead_at += n;
	return (ssize_t)n;
}

static LIBSSH2_SEND_FUNC(send_call)
{
	struct ssh_transport *t = *abstract;
	ssize_t n;

	(void)socket;
	(void)flags;
	if (t->closing)
		return -EPIPE;
	do
		n = send(t->fd, buffer, length, MSG_NOSIGNAL);
	while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : n;
}

void ssh_link_refill(struct ssh_transport *t)
{
	t->turn_bytes = TURN_BYTES;
	t->more = false;
}

/* ---- errors ---- */

static bool is_lost(int rc)
{
	return rc == LIBSSH2_ERROR_SOCKET_DISCONNECT || rc == LIBSSH2_ERROR_SOCKET_RECV ||
	       rc == LIBSSH2_ERROR_SOCKET_SEND || rc == LIBSSH2_ERROR_BANNER_RECV ||
	       rc == LIBSSH2_ERROR_BANNER_SEND;
}

/* ": what the proxy said", when there is one and it said something. */
static const char *proxy_words(const struct ssh_transport *t, char *out, size_t size)
{
	out[0] = '\0';
	if (*t->proxy.said)
		snprintf(out, size, ": %s", t->proxy.said);
	return out;
}

static enum err_code link_failed(
	struct ssh_transport *t, int rc, const char *what, enum err_code other, struct err *e)
{
	char words[180];
	char *text = NULL;
	char said[120];

	ssh_proxy_listen(&t->proxy);
	proxy_words(t, words, sizeof(words));
	if (is_lost(rc))
		return err_set(e, ERR_NET, "%s: %s closed the connection%s%s", what,
			t->proxy.pid ? "the proxy" : "the server", words,
			t->rx_bytes ? "" : " before saying anything (is sshd there?)");
	libssh2_session_last_error(t->session, &text, NULL, 0);
	text_printable(said, sizeof(said), text ? text : "", text ? strlen(text) : 0);
	return err_set(e, other, "%s: %s (libssh2 error %d)%s", what, said, rc, words);
}

static enum err_code bad_greeting(struct err *e)
{
	return err_set(e, ERR_PROTO,
		"key exchange: more than %u KiB and no SSH greeting among them (is that port an "
		"SSH "
		"server?)",
		HANDSHAKE_BYTES / 1024);
}

/* ---- connecting ---- */

/* The interface takes functions as void *, which POSIX allows and ISO C does not cast. */
static void set_calls(LIBSSH2_SESSION *session)
{
	LIBSSH2_RECV_FUNC((*in)) = receive_call;
	LIBSSH2_SEND_FUNC((*out)) = send_call;
	void *p;

	memcpy(&p, &in, sizeof(p));
	libssh2_session_callback_set(session, LIBSSH2_CALLBACK_RECV, p);
	memcpy(&p, &out, sizeof(p));
	libssh2_session_callback_set(session, LIBSSH2_CALLBACK_SEND, p);
}

enum err_code ssh_link_begin(
	struct ssh_transport *t, const char *host_keys, int64_t now, struct err *e)
{
	t->session = libssh2_session_init_ex(NULL, NULL, NULL, t);
	if (!t->session)
		return err_set(e, ERR_NOMEM, "out of memory for an SSH session");
	libssh2_session_set_blocking(t->session, 0);
	set_calls(t->session);
	ssh_methods_apply(&t->ctx->methods, t->session, host_keys);
	t->rx_ms = now;
	return ERR_OK;
}

enum err_code ssh_link_handshake(struct ssh_transport *t, struct err *e)
{
	int rc = libssh2_session_handshake(t->session, t->fd);

	if (rc == 0)
		return ERR_OK;
	if (t->rx_bytes > HANDSHAKE_BYTES)
		return bad_greeting(e);
	if (rc == LIBSSH2_ERROR_EAGAIN)
		return ERR_AGAIN;
	return link_failed(t, rc, "key exchange", ERR_PROTO, e);
}

enum err_code ssh_link_open(struct ssh_transport *t, struct err *e)
{
	t->channel = libssh2_channel_open_session(t->session);
	if (t->channel)
		return ERR_OK;
	int rc = libssh2_session_last_errno(t->session);

	if (rc == LIBSSH2_ERROR_EAGAIN)
		return ERR_AGAIN;
	return link_failed(t, rc, "opening a channel", ERR_PROTO, e);
}

enum err_code ssh_link_exec(struct ssh_transport *t, struct err *e)
{
	int rc = libssh2_channel_exec(t->channel, "sh -s");

	if (rc == LIBSSH2_ERROR_EAGAIN)
		return ERR_AGAIN;
	if (rc)
		return link_failed(t, rc, "starting the shell", ERR_PROTO, e);
	libssh2_keepalive_config(t->session, 1, KEEPALIVE_S);
	t->keepalive_ms = clock_mono_ms() + KEEPALIVE_S * 1000;
	return ERR_OK;
}

/* ---- the stream ---- */

/* True while a packet is half sent: only the write that began it may go on. */
static bool half_sent(const struct ssh_transport *t)
{
	return t->write_pending &&
	       (libssh2_session_block_directions(t->session) & LIBSSH2_SESSION_BLOCK_OUTBOUND);
}

static void read_stderr(struct ssh_transport *t)
{
	char chunk[1024];

	for (int i = 0; i < 64; i++) {
		ssize_t n = libssh2_channel_read_stderr(t->channel, chunk, sizeof(chunk));

		if (n <= 0)
			return;
		stderr_tail_add(t->said, sizeof(t->said), chunk, (size_t)n);
	}
}

/* The end of the stream: waits a little for the exit status, for the message. */
static enum err_code read_end(struct ssh_transport *t, size_t *got, struct err *e)
{
	int64_t now = clock_mono_ms();
	char how[64] = "";

	if (!t->eof_ms)
		t->eof_ms = now;
	int rc = libssh2_channel_wait_closed(t->channel);

	if (rc == LIBSSH2_ERROR_EAGAIN && now - t->eof_ms < EXIT_WAIT_MS)
		return ERR_AGAIN;
	if (rc == 0)
		snprintf(
			how, sizeof(how), ", exit %d", libssh2_channel_get_exit_status(t->channel));
	*got = 0;
	err_set(e, ERR_NET, "the node's shell ended%s%s%s", how, *t->said ? ": " : "", t->said);
	return ERR_OK;
}

enum err_code ssh_link_read(
	struct ssh_transport *t, char *out, size_t size, size_t *got, struct err *e)
{
	if (half_sent(t))
		return ERR_AGAIN;
	ssh_link_refill(t);
	ssize_t n = libssh2_channel_read(t->channel, out, size);

	if (n > 0) {
		*got = (size_t)n;
		return ERR_OK;
	}
	if (n < 0 && n != LIBSSH2_ERROR_EAGAIN)
		return link_failed(t, (int)n, "connection", ERR_PROTO, e);
	read_stderr(t);
	if (n == 0 && libssh2_channel_eof(t->channel))
		return read_end(t, got, e);
	return ERR_AGAIN;
}

enum err_code ssh_link_write(
	struct ssh_transport *t, const char *bytes, size_t len, size_t *put, struct err *e)
{
	if (len == 0) {
		*put = 0;
		return ERR_OK;
	}
	ssh_link_refill(t);
	ssize_t n = libssh2_channel_write(t->channel, bytes, len);

	t->write_pending = n == LIBSSH2_ERROR_EAGAIN;
	if (n == LIBSSH2_ERROR_EAGAIN)
		return ERR_AGAIN;
	if (n < 0)
		return link_failed(t, (int)n, "connection", ERR_NET, e);
	if (n == 0) {
		t->write_pending = true; /* the window is full: the peer must read first */
		return ERR_AGAIN;
	}
	*put = (size_t)n;
	return ERR_OK;
}

enum err_code ssh_link_keepalive(struct ssh_transport *t, int64_t now, struct err *e)
{
	int next_s = KEEPALIVE_S;

	if (now - t->rx_ms > SILENCE_MS)
		return err_set(e, ERR_NET,
			"connection: nothing from the node for %d s, not even to keepalives (is it "
			"up?)",
			SILENCE_MS / 1000);
	if (now < t->keepalive_ms || half_sent(t))
		return ERR_OK;
	int rc = libssh2_keepalive_send(t->session, &next_s);

	if (rc && rc != LIBSSH2_ERROR_EAGAIN)
		return link_failed(t, rc, "connection", ERR_NET, e);
	t->keepalive_ms = now + (next_s > 0 ? next_s : 1) * 1000;
	return ERR_OK;
}

void ssh_link_poll(struct ssh_transport *t, bool want_write, struct transport_poll *p)
{
	int dir = t->session ? libssh2_session_block_directions(t->session) : 0;
	int64_t soon = clock_mono_ms() + RETRY_MS;
	int64_t wake = t->state == SSH_READY ? t->keepalive_ms : t->deadline_ms;
	int events = 0;

	if (dir & LIBSSH2_SESSION_BLOCK_INBOUND)
		events |= TRANSPORT_IN;
	if (dir & LIBSSH2_SESSION_BLOCK_OUTBOUND)
		events |= TRANSPORT_OUT;
	if (t->state == SSH_READY && !half_sent(t))
		events |= TRANSPORT_IN;
	if (t->state == SSH_READY && want_write && !t->write_pending)
		events |= TRANSPORT_OUT;
	/* Between steps libssh2 may not say what it waits for. */
	if (dir == 0 && t->state != SSH_READY && soon < wake)
		wake = soon;
	if (t->eof_ms && t->eof_ms + EXIT_WAIT_MS < wake)
		wake = t->eof_ms + EXIT_WAIT_MS;
	if (t->more || t->ahead_at < t->ahead_len)
		wake = 1; /* more is here than a turn may take */
	p->deadline_mono_ms = wake;
	p->fds[p->nfds].fd = t->fd;
	p->fds[p->nfds++].events = events ? events : TRANSPORT_IN;
}

void ssh_link_close(struct ssh_transport *t)
{
	if (!t->session)
		return;
	/* A polite goodbye, if that takes no waiting; the peer closes the shell either way. */
	if (t->state == SSH_READY && !half_sent(t))
		(void)libssh2_session_disconnect(t->session, "done");
	t->closing = true;
	for (int i = 0; i < 16; i++)
		if (libssh2_session_free(t->session) != LIBSSH2_ERROR_EAGAIN)
			break;
	t->session = NULL;
	t->channel = NULL;
}
