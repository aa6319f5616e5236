#include "collectors/ssh_transport.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collectors/clock.h"
#include "collectors/log.h"
#include "collectors/spawn.h"
#include "collectors/ssh_link.h"
#include "collectors/xmalloc.h"

#define STEP_TIMEOUT_MS 10000

/*
 * How long the state that follows a name look-up may take is not in our hands
 * alone: resolv.conf's own 5 s × attempts passes first, its message is better.
 */
static const struct {
	const char *phase;
	const char *hint;
} states[] = {
	[SSH_OPTIONS] = {"reading the ssh configuration", "does a Match exec hang?"},
	[SSH_RESOLVING] = {"resolving the name", "is DNS working here?"},
	[SSH_CONNECTING] = {"connecting", "is the node up, and its security group open to us?"},
	[SSH_PROXY] = {"connecting", "is the proxy's own connection working?"},
	[SSH_HANDSHAKE] = {"key exchange", "does sshd answer there, or is the node overloaded?"},
	[SSH_AUTH] = {"authentication", "is the node's home or directory service hung?"},
	[SSH_CHANNEL] = {"opening a channel", "is the node overloaded?"},
	[SSH_EXEC] = {"starting the shell", "does a login script hang?"},
	[SSH_READY] = {"connected", ""},
	[SSH_FAILED] = {"failed", ""},
};

/* The only writer of state. */
static void set_state(struct ssh_transport *t, enum ssh_state state, int64_t now)
{
	int timeout = t->ctx->step_timeout_ms;

	if (timeout <= 0 && state == SSH_CONNECTING)
		timeout = t->opts.connect_timeout_ms;
	t->state = state;
	t->deadline_ms = now + (timeout > 0 ? timeout : STEP_TIMEOUT_MS);
	if (state == SSH_READY || state == SSH_FAILED)
		t->deadline_ms = 0;
	log_write(LOG_DEBUG, "ssh_transport", t->host, "%s", states[state].phase);
}

static enum err_code fail(struct ssh_transport *t, enum err_code rc, struct err *e)
{
	if (!t->failed.code) {
		t->failed.code = rc;
		snprintf(t->failed.msg, sizeof(t->failed.msg), "%s", e ? e->msg : "");
	}
	set_state(t, SSH_FAILED, 0);
	return rc;
}

/* ---- the steps; each ERR_OK means that the state has moved on ---- */

static enum err_code step_options(struct ssh_transport *t, int64_t now, struct err *e)
{
	struct ssh_context *c = t->ctx;
	enum err_code rc =
		ssh_options_step(c->resolver, t->query, t->host, t->user, t->port, &t->opts, e);

	if (rc)
		return rc;
	ssh_hostcheck_begin(&t->hostcheck, c->known_hosts, &t->opts);
	if (ssh_proxy_wanted(&t->opts)) {
		rc = ssh_proxy_start(&t->proxy, &t->opts, c->config_file, &t->fd, e);
		if (rc == ERR_OK)
			set_state(t, SSH_PROXY, now);
		return rc;
	}
	t->lookup = ssh_dns_start(c->dns, t->opts.hostname, t->opts.port, t->opts.family, e);
	if (!t->lookup)
		return ERR_IO;
	set_state(t, SSH_RESOLVING, now);
	return ERR_OK;
}

static enum err_code step_resolving(struct ssh_transport *t, int64_t now, struct err *e)
{
	struct addrinfo *list;
	enum err_code rc = ssh_lookup_take(t->lookup, &list, e);

	if (rc)
		return rc;
	ssh_lookup_free(t->lookup);
	t->lookup = NULL;
	ssh_dial_init(&t->dial, list);
	set_state(t, SSH_CONNECTING, now);
	return ERR_OK;
}

static enum err_code begin_handshake(struct ssh_transport *t, int64_t now, struct err *e)
{
	char host_keys[256];

	ssh_known_preference(&t->hostcheck.known, host_keys, sizeof(host_keys));
	enum err_code rc = ssh_link_begin(t, host_keys, now, e);

	if (rc == ERR_OK)
		set_state(t, SSH_HANDSHAKE, now);
	return rc;
}

static enum err_code step_connecting(struct ssh_transport *t, int64_t now, struct err *e)
{
	enum err_code rc = ssh_dial_step(&t->dial, now, &t->fd, e);

	if (rc)
		return rc;
	ssh_dial_release(&t->dial);
	return begin_handshake(t, now, e);
}

static enum err_code step_handshake(struct ssh_transport *t, int64_t now, struct err *e)
{
	enum err_code rc = ssh_link_handshake(t, e);
	size_t len = 0;
	int type;

	if (rc)
		return rc;
	const char *blob = libssh2_session_hostkey(t->session, &len, &type);

	if (!blob || !len)
		return err_set(e, ERR_PROTO, "key exchange: the server showed no host key");
	rc = ssh_hostcheck_key(
		&t->hostcheck, t->ctx->known_hosts, &t->opts, (struct span){blob, len}, e);
	if (rc)
		return rc;
	ssh_hostcheck_release(&t->hostcheck);
	ssh_auth_init(&t->auth, t->session, &t->opts, &t->ctx->keys);
	t->auth_used = true;
	set_state(t, SSH_AUTH, now);
	return ERR_OK;
}

static enum err_code step_auth(struct ssh_transport *t, int64_t now, struct err *e)
{
	enum err_code rc = ssh_auth_step(&t->auth, now, e);

	if (rc)
		return rc;
	ssh_auth_release(&t->auth);
	t->auth_used = false;
	set_state(t, SSH_CHANNEL, now);
	return ERR_OK;
}

static enum err_code step_channel(struct ssh_transport *t, int64_t now, struct err *e)
{
	enum err_code rc = ssh_link_open(t, e);

	if (rc == ERR_OK)
		set_state(t, SSH_EXEC, now);
	return rc;
}

static enum err_code step_exec(struct ssh_transport *t, int64_t now, struct err *e)
{
	enum err_code rc = ssh_link_exec(t, e);

	if (rc == ERR_OK)
		set_state(t, SSH_READY, now);
	return rc;
}

static enum err_code timed_out(const struct ssh_transport *t, int64_t now, struct err *e)
{
	const char *phase = states[t->state].phase;
	int64_t ms = now - t->state_ms;

	if (t->state == SSH_AUTH && t->auth.sign_pending)
		return err_set(e, ERR_TIMEOUT,
			"%s: ssh-agent did not sign within %lld s (does it wait for a "
			"confirmation?)",
			phase, (long long)(ms / 1000));
	return err_set(e, ERR_TIMEOUT, "%s: no answer within %lld.%lld s%s%s (%s)", phase,
		(long long)(ms / 1000), (long long)(ms % 1000 / 100), *t->proxy.said ? ": " : "",
		t->proxy.said, states[t->state].hint);
}

static enum err_code ssh_step(struct transport *base, int64_t now, struct err *e)
{
	static enum err_code (*const steps[])(struct ssh_transport *, int64_t, struct err *) = {
		[SSH_OPTIONS] = step_options,
		[SSH_RESOLVING] = step_resolving,
		[SSH_CONNECTING] = step_connecting,
		[SSH_PROXY] = begin_handshake,
		[SSH_HANDSHAKE] = step_handshake,
		[SSH_AUTH] = step_auth,
		[SSH_CHANNEL] = step_channel,
		[SSH_EXEC] = step_exec,
		[SSH_READY] = ssh_link_keepalive,
	};
	struct ssh_transport *t = (struct ssh_transport *)base;
	struct err own = ERR_INIT;
	enum err_code rc = ERR_OK;

	if (!e)
		e = &own;
	if (t->state == SSH_FAILED)
		return err_set(e, t->failed.code, "%s", t->failed.msg);
	ssh_link_refill(t);
	ssh_proxy_listen(&t->proxy);
	while (rc == ERR_OK) {
		bool ready = t->state == SSH_READY;
		enum ssh_state was = t->state;

		rc = steps[t->state](t, now, e);
		if (ready)
			return rc ? fail(t, rc, e) : rc;
		if (t->state != was)
			t->state_ms = now;
	}
	if (rc == ERR_AGAIN && now >= t->deadline_ms)
		rc = timed_out(t, now, e);
	return rc == ERR_AGAIN ? rc : fail(t, rc, e);
}

/* ---- the stream ---- */

static enum err_code ssh_read(
	struct transport *base, char *out, size_t size, size_t *got, struct err *e)
{
	struct ssh_transport *t = (struct ssh_transport *)base;
	enum err_code rc = t->state == SSH_READY ? ssh_link_read(t, out, size, got, e)
						 : err_set(e, ERR_BUG, "read before connected");

	/* Nothing came: the time to see whether the peer is still there. */
	if (rc == ERR_AGAIN && !t->eof_ms) {
		enum err_code alive = ssh_link_keepalive(t, clock_mono_ms(), e);

		rc = alive ? alive : rc;
	}
	return rc == ERR_OK || rc == ERR_AGAIN ? rc : fail(t, rc, e);
}

static enum err_code ssh_write(
	struct transport *base, const char *bytes, size_t len, size_t *put, struct err *e)
{
	struct ssh_transport *t = (struct ssh_transport *)base;
	enum err_code rc = t->state == SSH_READY ? ssh_link_write(t, bytes, len, put, e)
						 : err_set(e, ERR_BUG, "write before connected");

	return rc == ERR_OK || rc == ERR_AGAIN ? rc : fail(t, rc, e);
}

static void add_fd(struct transport_poll *p, int fd, int events)
{
	if (fd < 0 || p->nfds >= TRANSPORT_MAX_FDS)
		return;
	p->fds[p->nfds].fd = fd;
	p->fds[p->nfds++].events = events;
}

/* Step again at once: a time long past. */
static void poll_now(struct transport_poll *p)
{
	p->deadline_mono_ms = 1;
}

static void ssh_poll(struct transport *base, bool want_write, struct transport_poll *p)
{
	struct ssh_transport *t = (struct ssh_transport *)base;
	int events = 0;

	p->nfds = 0;
	p->deadline_mono_ms = t->deadline_ms;
	switch (t->state) {
	case SSH_OPTIONS:
		add_fd(p, ssh_options_fd(t->ctx->resolver, t->query), TRANSPORT_IN);
		break;
	case SSH_RESOLVING:
		add_fd(p, ssh_lookup_fd(t->lookup), TRANSPORT_IN);
		break;
	case SSH_CONNECTING:
		ssh_dial_poll(&t->dial, p);
		return;
	case SSH_FAILED:
		break;
	default:
		ssh_link_poll(t, want_write, p);
		if (t->auth_used)
			add_fd(p, ssh_auth_fd(&t->auth, &events), events);
		add_fd(p, t->proxy.err_fd, TRANSPORT_IN);
	}
	if (p->nfds == 0)
		poll_now(p);
}

static void ssh_free(struct transport *base)
{
	struct ssh_transport *t = (struct ssh_transport *)base;
	int64_t now = clock_mono_ms();

	ssh_link_close(t);
	if (t->auth_used)
		ssh_auth_release(&t->auth);
	ssh_dial_release(&t->dial);
	ssh_lookup_free(t->lookup);
	if (t->fd >= 0)
		close(t->fd);
	ssh_proxy_release(&t->proxy, now);
	ssh_hostcheck_release(&t->hostcheck);
	ssh_options_release(&t->opts);
	spawn_reap(now);
	free(t->host);
	free(t->user);
	free(t);
}

static const char *ssh_phase(const struct transport *base)
{
	return states[((const struct ssh_transport *)base)->state].phase;
}

static const struct transport_ops ssh_ops = {
	.name = "ssh",
	.step = ssh_step,
	.read = ssh_read,
	.write = ssh_write,
	.poll = ssh_poll,
	.free = ssh_free,
	.phase = ssh_phase,
};

struct transport *ssh_transport_new(struct ssh_context *c, const char *host, const char *user,
	uint16_t port, int64_t now_mono_ms, struct err *e)
{
	if (!ssh_options_name_ok(host) || (user && !ssh_options_name_ok(user))) {
		err_set(e, ERR_USAGE,
			"\"%.100s%s%.100s\" is not a host name (letters, digits and . _ - : only, "
			"not beginning with -)",
			user ? user : "", user ? "@" : "", host);
		return NULL;
	}
	struct ssh_transport *t = xcalloc(1, sizeof(*t));

	t->base.ops = &ssh_ops;
	t->ctx = c;
	t->host = xstrdup(host);
	t->user = user ? xstrdup(user) : NULL;
	t->port = port;
	t->fd = -1;
	t->proxy = (struct ssh_proxy)SSH_PROXY_INIT;
	t->query = ssh_options_ask(c->resolver, host, user, port);
	t->state_ms = now_mono_ms;
	set_state(t, SSH_OPTIONS, now_mono_ms);
	return &t->base;
}
