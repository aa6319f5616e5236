#include "tests/lib/drive.h"

#include <poll.h>
#include <string.h>

#include "collectors/clock.h"

static unsigned polls;

unsigned drive_polls(void)
{
	return polls;
}

static void sleep_for(struct transport *t, bool want_write, int64_t end_ms)
{
	struct transport_poll p = {.nfds = 0};
	struct pollfd fds[TRANSPORT_MAX_FDS];

	t->ops->poll(t, want_write, &p);
	for (size_t i = 0; i < p.nfds; i++) {
		fds[i].fd = p.fds[i].fd;
		fds[i].events = (short)((p.fds[i].events & TRANSPORT_IN ? POLLIN : 0) |
					(p.fds[i].events & TRANSPORT_OUT ? POLLOUT : 0));
	}
	int64_t now = clock_mono_ms();
	int64_t until = end_ms;

	if (p.deadline_mono_ms && p.deadline_mono_ms < until)
		until = p.deadline_mono_ms;
	polls++;
	poll(fds, p.nfds, until > now ? (int)(until - now) : 0);
}

enum err_code drive_connect(struct transport *t, int max_ms, struct err *e)
{
	int64_t end = clock_mono_ms() + max_ms;

	polls = 0;
	for (;;) {
		enum err_code rc = t->ops->step(t, clock_mono_ms(), e);

		if (rc != ERR_AGAIN || clock_mono_ms() >= end)
			return rc;
		sleep_for(t, false, end);
	}
}

enum err_code drive_talk(struct transport *t, const char *text, const char *want, char *out,
	size_t size, int max_ms, struct err *e)
{
	int64_t end = clock_mono_ms() + max_ms;
	size_t left = strlen(text);
	size_t len = 0;

	out[0] = '\0';
	while (clock_mono_ms() < end) {
		size_t n = 0;
		enum err_code rc = left ? t->ops->write(t, text, left, &n, e) : ERR_OK;

		if (rc && rc != ERR_AGAIN)
			return rc;
		text += n;
		left -= n;
		n = 0;
		rc = t->ops->read(t, out + len, size - 1 - len, &n, e);
		if (rc == ERR_OK) {
			len += n;
			out[len] = '\0';
			if (n == 0 || (want && strstr(out, want)) || len + 1 >= size)
				return ERR_OK;
			continue;
		}
		if (rc != ERR_AGAIN)
			return rc;
		sleep_for(t, left > 0, end);
	}
	return ERR_TIMEOUT;
}
