#include "collectors/ssh_proxy.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collectors/spawn.h"
#include "collectors/stderr_tail.h"
#include "collectors/text.h"

bool ssh_proxy_wanted(const struct ssh_options *o)
{
	return o->proxy_command || o->proxy_jump;
}

static bool copy(char *out, size_t size, struct span s)
{
	if (s.n >= size)
		return false;
	memcpy(out, s.n ? s.p : "", s.n);
	out[s.n] = '\0';
	return true;
}

/* The position of the last c in s, or -1. */
static ptrdiff_t last_of(struct span s, char c)
{
	for (size_t i = s.n; i-- > 0;)
		if (s.p[i] == c)
			return (ptrdiff_t)i;
	return -1;
}

bool ssh_proxy_split_jump(struct span jump, char *user, size_t user_size, char *host,
	size_t host_size, char *port, size_t port_size)
{
	struct span name = SPAN_INIT;
	struct span number = SPAN_INIT;

	if (span_starts(jump, "ssh://")) {
		jump.p += 6;
		jump.n -= 6;
	}
	ptrdiff_t at = last_of(jump, '@');

	if (at >= 0) {
		name = (struct span){jump.p, (size_t)at};
		jump.p += at + 1;
		jump.n -= (size_t)at + 1;
	}
	ptrdiff_t colon = last_of(jump, ':');
	ptrdiff_t bracket = last_of(jump, ']');
	/* A second colon without brackets is a bare IPv6 address. */
	bool has_port = colon >= 0 && colon > bracket &&
			(bracket >= 0 || memchr(jump.p, ':', jump.n) == jump.p + colon);

	if (has_port) {
		number = (struct span){jump.p + colon + 1, jump.n - (size_t)colon - 1};
		jump.n = (size_t)colon;
	}
	if (jump.n >= 2 && jump.p[0] == '[' && jump.p[jump.n - 1] == ']') {
		jump.p++;
		jump.n -= 2;
	}
	return jump.n > 0 && copy(user, user_size, name) && copy(host, host_size, jump) &&
	       copy(port, port_size, number) && ssh_options_name_ok(host) &&
	       (!*user || ssh_options_name_ok(user));
}

/* The child and its two channels; argv as for spawn_start. */
static enum err_code start(struct ssh_proxy *p, const char *const *argv, int *fd, struct err *e)
{
	int pair[2];
	int err[2];
	enum err_code rc = spawn_socketpair(pair, e);

	if (rc)
		return rc;
	rc = spawn_pipe(err, e);
	if (rc) {
		close(pair[0]);
		close(pair[1]);
		return rc;
	}
	rc = spawn_start(&p->pid, argv, pair[1], pair[1], err[1], e);
	close(pair[1]);
	close(err[1]);
	if (rc) {
		close(pair[0]);
		close(err[0]);
		return rc;
	}
	*fd = pair[0];
	p->err_fd = err[0];
	return ERR_OK;
}

static enum err_code start_command(
	struct ssh_proxy *p, const struct ssh_options *o, int *fd, struct err *e)
{
	const char *shell = getenv("SHELL");
	size_t size = strlen(o->proxy_command) + sizeof("exec ");
	char *text = malloc(size);

	if (!text)
		return err_set(e, ERR_NOMEM, "out of memory");
	snprintf(text, size, "exec %s", o->proxy_command);
	const char *argv[] = {shell && *shell ? shell : "/bin/sh", "-c", text, NULL};
	enum err_code rc = start(p, argv, fd, e);

	free(text);
	return rc;
}

static enum err_code start_jump(struct ssh_proxy *p, const struct ssh_options *o,
	const char *config_file, int *fd, struct err *e)
{
	struct span jumps = span_of(o->proxy_jump);
	ptrdiff_t comma = last_of(jumps, ',');
	struct span last = jumps;
	char before[1024] = "";
	char user[256];
	char host[256];
	char port[8];
	char to[300];
	const char *argv[20];
	size_t n = 0;

	/* As ssh: the last jump is connected to through the ones before it. */
	if (comma >= 0) {
		last = (struct span){jumps.p + comma + 1, jumps.n - (size_t)comma - 1};
		if (!copy(before, sizeof(before), (struct span){jumps.p, (size_t)comma}))
			return err_set(e, ERR_USAGE, "ProxyJump is too long");
	}
	if (!ssh_proxy_split_jump(last, user, sizeof(user), host, sizeof(host), port, sizeof(port)))
		return err_set(e, ERR_USAGE, "ProxyJump \"%.100s\": not [user@]host[:port]",
			o->proxy_jump);
	snprintf(to, sizeof(to), "[%s]:%u", o->hostname, (unsigned)o->port);
	argv[n++] = "ssh";
	argv[n++] = "-oBatchMode=yes";
	if (o->strict == SSH_STRICT_ACCEPT_NEW)
		argv[n++] = "-oStrictHostKeyChecking=accept-new";
	if (config_file) {
		argv[n++] = "-F";
		argv[n++] = config_file;
	}
	if (*user) {
		argv[n++] = "-l";
		argv[n++] = user;
	}
	if (*port) {
		argv[n++] = "-p";
		argv[n++] = port;
	}
	if (*before) {
		argv[n++] = "-J";
		argv[n++] = before;
	}
	argv[n++] = "-W";
	argv[n++] = to;
	argv[n++] = "--";
	argv[n++] = host;
	argv[n] = NULL;
	return start(p, argv, fd, e);
}

enum err_code ssh_proxy_start(struct ssh_proxy *p, const struct ssh_options *o,
	const char *config_file, int *fd, struct err *e)
{
	if (!ssh_options_name_ok(o->hostname) || !ssh_options_name_ok(o->user))
		return err_set(e, ERR_USAGE,
			"\"%.80s\" as \"%.40s\": a name that cannot go into a proxy's command",
			o->hostname, o->user);
	if (o->proxy_command)
		return start_command(p, o, fd, e);
	return start_jump(p, o, config_file, fd, e);
}

void ssh_proxy_listen(struct ssh_proxy *p)
{
	if (p->err_fd >= 0 && stderr_tail_read(p->err_fd, p->said, sizeof(p->said))) {
		close(p->err_fd);
		p->err_fd = -1;
	}
}

void ssh_proxy_release(struct ssh_proxy *p, int64_t now_mono_ms)
{
	if (p->err_fd >= 0)
		close(p->err_fd);
	p->err_fd = -1;
	spawn_abandon(p->pid, now_mono_ms);
	p->pid = 0;
}
