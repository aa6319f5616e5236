#include "tui/collect_once.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tui/output.h"

/* Written by the handler, read by the wait: a flag alone could be missed before poll. */
static int signal_pipe[2] = {-1, -1};

static void on_interrupt(int signum)
{
	int saved = errno;
	char byte = (char)signum;

	if (write(signal_pipe[1], &byte, 1) < 0)
		_exit(128 + signum);
	errno = saved;
}

static enum err_code catch_interrupt(struct sigaction *old, struct err *e)
{
	/* Reset after the first: a second Ctrl-C must always end the program. */
	struct sigaction act = {.sa_handler = on_interrupt, .sa_flags = SA_RESETHAND | SA_RESTART};

	if (pipe(signal_pipe) != 0)
		return err_set(e, ERR_IO, "pipe: %s", err_errno(errno));
	for (int i = 0; i < 2; i++) {
		fcntl(signal_pipe[i], F_SETFD, FD_CLOEXEC);
		fcntl(signal_pipe[i], F_SETFL, O_NONBLOCK);
	}
	sigaction(SIGINT, NULL, old);
	if (old->sa_handler != SIG_IGN) /* started in the background: stays ignored */
		sigaction(SIGINT, &act, NULL);
	return ERR_OK;
}

static void release_interrupt(const struct sigaction *old)
{
	sigaction(SIGINT, old, NULL);
	for (int i = 0; i < 2; i++) {
		close(signal_pipe[i]);
		signal_pipe[i] = -1;
	}
}

static bool is_waiting(const struct node *n)
{
	return n->state == NODE_CONNECTING || n->state == NODE_PROBING;
}

void collect_progress(const struct snapshot *snap, size_t width, char *out, size_t size)
{
	size_t done = 0;
	size_t limit = width < size ? width : size - 1;
	bool any = false;

	for (size_t i = 0; i < snap->n; i++)
		done += snap->nodes[i].state == NODE_OK || snap->nodes[i].state == NODE_FAILED ||
			snap->nodes[i].state == NODE_STALE;
	int n = snprintf(out, size, "%zu/%zu nodes", done, snap->n);
	size_t used = n < 0 ? 0 : (size_t)n;

	for (size_t i = 0; i < snap->n; i++) {
		const struct node *node = &snap->nodes[i];
		char one[160];

		if (!is_waiting(node))
			continue;
		snprintf(one, sizeof(one), "%s%.60s (%.40s)", any ? ", " : ", waiting for ",
			node->name, node->error ? node->error : node_state_name(node->state));
		/* Room for " ..." keeps names whole. */
		if (used + strlen(one) + 4 > limit) {
			if (any && used + 5 <= limit)
				snprintf(out + used, size - used, ", ...");
			break;
		}
		memcpy(out + used, one, strlen(one) + 1);
		used += strlen(one);
		any = true;
	}
	if (strlen(out) > limit)
		out[limit] = '\0';
}

struct progress {
	bool on;
	size_t width;
	int64_t drawn_mono_ms;
	collect_seen_fn *seen; /* of the caller; may be NULL */
	void *ctx;
};

/* Drawn at most this often: a terminal far away takes its time. */
#define DRAW_MS 200

static void progress_show(struct progress *p, const struct snapshot *snap)
{
	char line[256];

	if (p->seen)
		p->seen(p->ctx, snap);
	if (!p->on || snap->complete || snap->mono_ms - p->drawn_mono_ms < DRAW_MS)
		return;
	p->drawn_mono_ms = snap->mono_ms;
	collect_progress(snap, p->width - 1, line, sizeof(line));
	fprintf(stderr, "\r%s\033[K", line);
	fflush(stderr);
}

static void progress_clear(const struct progress *p)
{
	if (p->on)
		fputs("\r\033[K", stderr);
}

/* Takes a newer picture, if there is one. */
static void take_newer(struct collect_once *out, struct collector *c, struct progress *p)
{
	struct snapshot *newer = collector_take(c);

	if (!newer)
		return;
	snapshot_free(out->snap);
	out->snap = newer;
	progress_show(p, newer);
}

/* Waits until the picture is complete or Ctrl-C comes. */
static enum err_code wait_for_all(
	struct collect_once *out, struct collector *c, struct progress *p, struct err *e)
{
	struct pollfd fds[2] = {{.fd = collector_fd(c), .events = POLLIN},
		{.fd = signal_pipe[0], .events = POLLIN}};

	for (;;) {
		take_newer(out, c, p);
		if (out->snap && out->snap->complete)
			return ERR_OK;
		if (poll(fds, 2, -1) < 0 && errno != EINTR)
			return err_set(e, ERR_IO, "poll: %s", err_errno(errno));
		if (fds[1].revents) {
			take_newer(out, c, p);
			out->interrupted = !out->snap->complete;
			return ERR_OK;
		}
	}
}

enum err_code collect_once(struct collect_once *out, struct source *src,
	struct collector_options *opt, collect_seen_fn *seen, void *ctx, struct err *e)
{
	struct collector *c = NULL;
	struct sigaction old;
	const char *term = getenv("TERM");
	struct progress progress = {
		.on = isatty(STDERR_FILENO) && term && strcmp(term, "dumb") != 0,
		.width = output_width(STDERR_FILENO),
		.seen = seen,
		.ctx = ctx,
	};
	enum err_code rc = catch_interrupt(&old, e);

	*out = (struct collect_once){NULL, false};
	if (rc) {
		source_free(src);
		return rc;
	}
	opt->once = true;
	rc = collector_start(&c, src, opt, e);
	if (rc == ERR_OK)
		rc = wait_for_all(out, c, &progress, e);
	progress_clear(&progress);
	collector_stop(c);
	release_interrupt(&old);
	if (rc) {
		snapshot_free(out->snap);
		out->snap = NULL;
	}
	return rc;
}
