#include "collectors/ssh_agent.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "collectors/spawn.h"
#include "collectors/ssh_bytes.h"
#include "collectors/transport.h"

#ifndef MSG_NOSIGNAL /* macOS: SIGPIPE is ignored in the whole process instead */
#define MSG_NOSIGNAL 0
#endif

#define MESSAGE_CAP (256u * 1024) /* what OpenSSH's agent takes and gives at most */
#define KEYS_MAX    256u

/* Message numbers, draft-miller-ssh-agent § 5.1. */
enum {
	AGENT_REQUEST_IDENTITIES = 11,
	AGENT_IDENTITIES_ANSWER = 12,
	AGENT_SIGN_REQUEST = 13,
	AGENT_SIGN_RESPONSE = 14,
};

void ssh_agent_init(struct ssh_agent *a)
{
	a->fd = -1;
	a->sent = 0;
	buf_init(&a->out, MESSAGE_CAP + 4);
	buf_init(&a->in, MESSAGE_CAP + 4);
}

void ssh_agent_close(struct ssh_agent *a)
{
	if (a->fd >= 0)
		close(a->fd);
	buf_release(&a->out);
	buf_release(&a->in);
	ssh_agent_init(a);
}

enum err_code ssh_agent_connect(struct ssh_agent *a, const char *path, struct err *e)
{
	struct sockaddr_un sa;
	size_t len = strlen(path);

	memset(&sa, 0, sizeof(sa));
	sa.sun_family = AF_UNIX;
	if (len >= sizeof(sa.sun_path))
		return err_set(e, ERR_USAGE, "ssh-agent: the path %.80s is too long", path);
	memcpy(sa.sun_path, path, len);
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	if (fd < 0)
		return err_set(e, ERR_IO, "ssh-agent: socket: %s", err_errno(errno));
	if (!spawn_set_flags(fd, true) ||
		connect(fd, (const struct sockaddr *)&sa, sizeof(sa)) != 0) {
		enum err_code rc =
			err_set(e, ERR_IO, "ssh-agent: %.100s: %s", path, err_errno(errno));

		close(fd);
		return rc;
	}
	a->fd = fd;
	return ERR_OK;
}

static enum err_code add_u32(struct buf *b, uint32_t v)
{
	unsigned char bytes[4];

	ssh_put_u32(bytes, v);
	return buf_add(b, bytes, sizeof(bytes));
}

static enum err_code add_string(struct buf *b, struct span s)
{
	enum err_code rc = add_u32(b, (uint32_t)s.n);

	return rc ? rc : buf_add(b, s.p, s.n);
}

static enum err_code begin(struct ssh_agent *a, size_t body_len, unsigned char type)
{
	buf_reset(&a->out);
	buf_reset(&a->in);
	a->sent = 0;
	enum err_code rc = add_u32(&a->out, (uint32_t)body_len + 1);

	return rc ? rc : buf_add(&a->out, &type, 1);
}

enum err_code ssh_agent_ask_keys(struct ssh_agent *a, struct err *e)
{
	enum err_code rc = begin(a, 0, AGENT_REQUEST_IDENTITIES);

	return rc ? err_set(e, rc, "ssh-agent: no memory for a request") : ERR_OK;
}

enum err_code ssh_agent_ask_sign(
	struct ssh_agent *a, struct span blob, struct span data, uint32_t flags, struct err *e)
{
	enum err_code rc = begin(a, 4 + blob.n + 4 + data.n + 4, AGENT_SIGN_REQUEST);

	if (rc == ERR_OK)
		rc = add_string(&a->out, blob);
	if (rc == ERR_OK)
		rc = add_string(&a->out, data);
	if (rc == ERR_OK)
		rc = add_u32(&a->out, flags);
	return rc ? err_set(e, rc, "ssh-agent: no memory for a request") : ERR_OK;
}

/* The answer's body (type first) once all of it is there. */
static bool answer(const struct ssh_agent *a, struct span *body)
{
	struct span in = {buf_str(&a->in), a->in.len};

	return ssh_take_string(&in, body);
}

static enum err_code send_rest(struct ssh_agent *a, struct err *e)
{
	while (a->sent < a->out.len) {
		ssize_t n = send(a->fd, a->out.data + a->sent, a->out.len - a->sent, MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
			return ERR_AGAIN;
		if (n < 0)
			return err_set(e, ERR_IO, "ssh-agent: %s", err_errno(errno));
		a->sent += (size_t)n;
	}
	return ERR_OK;
}

enum err_code ssh_agent_step(struct ssh_agent *a, struct err *e)
{
	char chunk[4096];
	struct span body;
	enum err_code rc = send_rest(a, e);

	while (rc == ERR_OK && !answer(a, &body)) {
		ssize_t n = recv(a->fd, chunk, sizeof(chunk), 0);

		if (n > 0)
			rc = buf_add(&a->in, chunk, (size_t)n);
		else if (n == 0)
			return err_set(e, ERR_IO, "ssh-agent: closed the connection");
		else if (errno == EAGAIN || errno == EWOULDBLOCK)
			return ERR_AGAIN;
		else if (errno != EINTR)
			return err_set(e, ERR_IO, "ssh-agent: %s", err_errno(errno));
		if (rc)
			return err_set(e, rc, "ssh-agent: an answer over %u bytes", MESSAGE_CAP);
	}
	return rc;
}

int ssh_agent_events(const struct ssh_agent *a)
{
	return a->sent < a->out.len ? TRANSPORT_OUT : TRANSPORT_IN;
}

static bool answer_of_type(const struct ssh_agent *a, char type, struct span *rest)
{
	struct span head;

	return answer(a, rest) && ssh_take_bytes(rest, 1, &head) && head.p[0] == type;
}

enum err_code ssh_agent_keys(struct ssh_agent *a,
	void (*each)(void *ctx, struct span blob, struct span comment), void *ctx, struct err *e)
{
	struct span in;
	uint32_t n;

	if (!answer_of_type(a, AGENT_IDENTITIES_ANSWER, &in) || !ssh_take_u32(&in, &n))
		return err_set(e, ERR_PROTO, "ssh-agent: refused to list its keys");
	for (uint32_t i = 0; i < n && i < KEYS_MAX; i++) {
		struct span blob;
		struct span comment;

		if (!ssh_take_string(&in, &blob) || !ssh_take_string(&in, &comment))
			return err_set(e, ERR_PROTO, "ssh-agent: a list of keys that is cut off");
		each(ctx, blob, comment);
	}
	return ERR_OK;
}

enum err_code ssh_agent_signature(struct ssh_agent *a, struct span *signature, struct err *e)
{
	struct span in;
	struct span whole;
	struct span type;

	if (!answer_of_type(a, AGENT_SIGN_RESPONSE, &in) || !ssh_take_string(&in, &whole) ||
		!ssh_take_string(&whole, &type) || !ssh_take_string(&whole, signature))
		return err_set(e, ERR_AUTH, "ssh-agent: refused to sign");
	return ERR_OK;
}
