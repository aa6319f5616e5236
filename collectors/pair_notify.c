#include "collectors/pair_notify.h"

#ifdef __linux__

#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "collectors/err.h"
#include "collectors/log.h"
#include "collectors/xmalloc.h"

/* Watched directories at most; the kernel's own limit is often 8192. */
#define DIRS_MAX 65536

#define EVENTS                                                                              \
	(IN_CREATE | IN_MODIFY | IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | \
		IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR)

struct dir {
	char *path; /* NULL: no such watch */
	unsigned look;
};

struct pair_notify {
	int fd;
	struct dir *dirs; /* by watch descriptor: small numbers, given out in order */
	size_t n;
	size_t cap;
	unsigned look;
	bool full; /* no more watches: said once */
};

struct pair_notify *pair_notify_new(void)
{
	int fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	struct pair_notify *n;

	if (fd < 0)
		return NULL;
	n = xcalloc(1, sizeof(*n));
	n->fd = fd;
	return n;
}

void pair_notify_free(struct pair_notify *n)
{
	if (!n)
		return;
	close(n->fd);
	for (size_t i = 0; i < n->n; i++)
		free(n->dirs[i].path);
	free(n->dirs);
	free(n);
}

int pair_notify_fd(const struct pair_notify *n)
{
	return n ? n->fd : -1;
}

void pair_notify_begin_look(struct pair_notify *n)
{
	if (n)
		n->look++;
}

void pair_notify_dir(struct pair_notify *n, const char *path)
{
	int wd;

	if (!n)
		return;
	wd = inotify_add_watch(n->fd, path, EVENTS);
	if (wd < 0 || wd >= DIRS_MAX) {
		if (!n->full && (wd >= 0 || errno == ENOSPC))
			log_write(LOG_WARN, "pair_notify", NULL,
				"no more directories can be watched (raise "
				"fs.inotify.max_user_watches): changes show within seconds");
		n->full = true;
		return;
	}
	while (n->n <= (size_t)wd) {
		xgrow((void **)&n->dirs, &n->cap, n->n, sizeof(*n->dirs));
		n->dirs[n->n++] = (struct dir){NULL, 0};
	}
	struct dir *d = &n->dirs[wd];

	/* The same directory by another name: it was moved. */
	if (!d->path || strcmp(d->path, path) != 0) {
		free(d->path);
		d->path = xstrdup(path);
	}
	d->look = n->look;
}

void pair_notify_end_look(struct pair_notify *n)
{
	for (size_t i = 0; n && i < n->n; i++) {
		if (!n->dirs[i].path || n->dirs[i].look == n->look)
			continue;
		inotify_rm_watch(n->fd, (int)i);
		free(n->dirs[i].path);
		n->dirs[i].path = NULL;
	}
}

static void take_event(
	struct pair_notify *n, const struct inotify_event *e, const struct pair_notify_events *ev)
{
	char path[PATH_MAX];

	if (e->mask & IN_Q_OVERFLOW) {
		ev->look(ev->ctx);
		return;
	}
	if (e->wd < 0 || (size_t)e->wd >= n->n || !n->dirs[e->wd].path)
		return;
	if (e->mask & IN_IGNORED) {
		free(n->dirs[e->wd].path);
		n->dirs[e->wd].path = NULL;
		return;
	}
	if (e->mask & (IN_ISDIR | IN_DELETE_SELF | IN_MOVE_SELF)) {
		ev->look(ev->ctx);
		return;
	}
	if (!e->len)
		return;
	int len = snprintf(path, sizeof(path), "%s/%s", n->dirs[e->wd].path, e->name);

	if (len > 0 && (size_t)len < sizeof(path))
		ev->file(ev->ctx, path, (e->mask & IN_CLOSE_WRITE) != 0);
}

bool pair_notify_take(struct pair_notify *n, const struct pair_notify_events *ev)
{
	union {
		struct inotify_event align;
		char bytes[16384];
	} buf;

	if (!n)
		return false;
	ssize_t got = read(n->fd, buf.bytes, sizeof(buf.bytes));

	if (got <= 0)
		return false;
	for (ssize_t at = 0; at < got;) {
		const struct inotify_event *e = (const void *)(buf.bytes + at);

		take_event(n, e, ev);
		at += (ssize_t)(sizeof(*e) + e->len);
	}
	return true;
}

#else

#include <stddef.h>

struct pair_notify *pair_notify_new(void)
{
	return NULL;
}

void pair_notify_free(struct pair_notify *n)
{
	(void)n;
}

int pair_notify_fd(const struct pair_notify *n)
{
	(void)n;
	return -1;
}

void pair_notify_begin_look(struct pair_notify *n)
{
	(void)n;
}

void pair_notify_dir(struct pair_notify *n, const char *path)
{
	(void)n;
	(void)path;
}

void pair_notify_end_look(struct pair_notify *n)
{
	(void)n;
}

bool pair_notify_take(struct pair_notify *n, const struct pair_notify_events *ev)
{
	(void)n;
	(void)ev;
	return false;
}

#endif
