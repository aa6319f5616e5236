/*
 * What the kernel tells of changes in a tree of directories (inotify); on
 * systems without it nothing is told, and looks do all the work.
 */
#ifndef COLLECTORS_PAIR_NOTIFY_H
#define COLLECTORS_PAIR_NOTIFY_H

#include <stdbool.h>

struct pair_notify;

/* NULL where there is none. */
struct pair_notify *pair_notify_new(void);
void pair_notify_free(struct pair_notify *n);    /* NULL is allowed */
int pair_notify_fd(const struct pair_notify *n); /* -1: none */

/* A look has begun; directories that it does not name are watched no longer at its end. */
void pair_notify_begin_look(struct pair_notify *n);
void pair_notify_dir(struct pair_notify *n, const char *path);
void pair_notify_end_look(struct pair_notify *n);

struct pair_notify_events {
	void *ctx;
	/* A file came, changed or went. closed: its writer is done with it for now. */
	void (*file)(void *ctx, const char *path, bool closed);
	/* Directories changed, or events were lost: look at everything. */
	void (*look)(void *ctx);
};

/* Takes what waits, at most a buffer of it. True when there may be more. */
bool pair_notify_take(struct pair_notify *n, const struct pair_notify_events *ev);

#endif
