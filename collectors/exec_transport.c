#include "collectors/exec_transport.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "collectors/clock.h"
#include "collectors/spawn.h"
#include "collectors/stderr_tail.h"
#include "collectors/xmalloc.h"

#ifndef MSG_NOSIGNAL /* macOS: SIGPIPE is ignored in the whole process instead */
#define MSG_NOSIGNAL 0
#endif

#define EXIT_WAIT_MS  1000 /* from the end of output to the exit status, for the message */
#define EXIT_RETRY_MS 20

struct exec_transport {
	struct transport base; /* first */
	char **argv;
	pid_t pid;  /* 0: not started, or reaped */
	int fd;     /* both ways; -1 before the start */
	int err_fd; /* -1: none or ended */
	int64_t eof_ms;
	bool exited;
	int status;
	char said[160];
};

static enum err_code exec_start(struct exec_transport *t, struct err *e)
{
	int pair[2];
	int err[2];
	enum err_code rc = spawn_socketpair(pair, e);

	if (rc)
		return rc;
	rc = spawn_pipe(err, e);
	if (rc == ERR_OK) {
		rc = spawn_start(
			&t->pid, (const char *const *)t->argv, pair[1], pair[1], err[1], e);
		close(err[1]);
		t->err_fd = err[0];
	}
	close(pair[1]);
	t->fd = pair[0];
	return rc;
}

static void listen_stderr(struct exec_transport *t)
{
	if (t->err_fd >= 0 && stderr_tail_read(t->err_fd, t->said, sizeof(t->said))) {
		close(t->err_fd);
		t->err_fd = -1;
	}
}

static enum err_code exec_step(struct transport *base, int64_t now_mono_ms, struct err *e)
{
	struct exec_transport *t = (struct exec_transport *)base;

	spawn_reap(now_mono_ms);
	if (t->fd < 0)
		return exec_start(t, e);
	listen_stderr(t);
	return ERR_OK;
}

/* The output has ended: waits a little for the exit status. */
static enum err_code exec_end(struct exec_transport *t, size_t *got, struct err *e)
{
	int64_t now = clock_mono_ms();
	char how[32] = "still running";

	if (!t->eof_ms)
		t->eof_ms = now;
	if (t->pid > 0 && spawn_exited(t->pid, &t->status)) {
		t->exited = true;
		t->pid = 0;
	}
	if (!t->exited && now - t->eof_ms < EXIT_WAIT_MS)
		return ERR_AGAIN;
	if (t->exited)
		spawn_status_text(t->status, how, sizeof(how));
	listen_stderr(t);
	*got = 0;
	err_set(e, ERR_NET, "%.60s ended, %s%s%s", t->argv[0], how, *t->said ? ": " : "", t->said);
	return ERR_OK;
}

static enum err_code exec_read(
	struct transport *base, char *out, size_t size, size_t *got, struct err *e)
{
	struct exec_transport *t = (struct exec_transport *)base;
	ssize_t n;

	listen_stderr(t);
	do
		n = recv(t->fd, out, size, 0);
	while (n < 0 && errno == EINTR);
	if (n > 0) {
		*got = (size_t)n;
		return ERR_OK;
	}
	if (n == 0 || errno == ECONNRESET)
		return exec_end(t, got, e);
	if (errno == EAGAIN || errno == EWOULDBLOCK)
		return ERR_AGAIN;
	return err_set(e, ERR_NET, "%.60s: read: %s", t->argv[0], err_errno(errno));
}

static enum err_code exec_write(
	struct transport *base, const char *bytes, size_t len, size_t *put, struct err *e)
{
	struct exec_transport *t = (struct exec_transport *)base;
	ssize_t n;

	do
		n = send(t->fd, bytes, len, MSG_NOSIGNAL);
	while (n < 0 && errno == EINTR);
	if (n >= 0) {
		*put = (size_t)n;
		return ERR_OK;
	}
	if (errno == EAGAIN || errno == EWOULDBLOCK)
		return ERR_AGAIN;
	/* It has gone: the end of its output tells why, so that goes first. */
	if (errno == EPIPE || errno == ECONNRESET) {
		*put = len;
		return ERR_OK;
	}
	return err_set(e, ERR_NET, "%.60s: write: %s", t->argv[0], err_errno(errno));
}

static void exec_poll(struct transport *base, bool want_write, struct transport_poll *p)
{
	struct exec_transport *t = (struct exec_transport *)base;

	p->nfds = 0;
	p->deadline_mono_ms = 0;
	if (t->fd < 0) {
		p->deadline_mono_ms = 1;
		return;
	}
	if (t->eof_ms) {
		/* The socket stays readable for ever now: only the child's end is awaited. */
		p->deadline_mono_ms = clock_mono_ms() + EXIT_RETRY_MS;
		return;
	}
	p->fds[p->nfds].fd = t->fd;
	p->fds[p->nfds++].events = TRANSPORT_IN | (want_write ? TRANSPORT_OUT : 0);
	if (t->err_fd >= 0) {
		p->fds[p->nfds].fd = t->err_fd;
		p->fds[p->nfds++].events = TRANSPORT_IN;
	}
}

static void exec_free(struct transport *base)
{
	struct exec_transport *t = (struct exec_transport *)base;
	int64_t now = clock_mono_ms();

	if (t->fd >= 0)
		close(t->fd);
	if (t->err_fd >= 0)
		close(t->err_fd);
	spawn_abandon(t->pid, now);
	spawn_reap(now);
	for (size_t i = 0; t->argv[i]; i++)
		free(t->argv[i]);
	free(t->argv);
	free(t);
}

static const char *exec_phase(const struct transport *base)
{
	const struct exec_transport *t = (const struct exec_transport *)base;

	return t->fd < 0 ? "starting the command" : "running";
}

static const struct transport_ops exec_ops = {
	.name = "exec",
	.step = exec_step,
	.read = exec_read,
	.write = exec_write,
	.poll = exec_poll,
	.free = exec_free,
	.phase = exec_phase,
};

struct transport *exec_transport_new(const char *const *argv)
{
	struct exec_transport *t = xcalloc(1, sizeof(*t));
	size_t n = 0;

	while (argv[n])
		n++;
	t->base.ops = &exec_ops;
	t->fd = t->err_fd = -1;
	t->argv = xcalloc(n + 1, sizeof(*t->argv));
	for (size_t i = 0; i < n; i++)
		t->argv[i] = xstrdup(argv[i]);
	return &t->base;
}
