/* The little that every thread of the program needs to start, be woken and tell. */
#ifndef COLLECTORS_WORKER_H
#define COLLECTORS_WORKER_H

#include <pthread.h>

#include "collectors/err.h"

/* A pipe whose ends neither block nor are inherited; -1, -1 on failure. */
enum err_code worker_pipe(int fds[2], struct err *e) ATTR_MUST_CHECK;

/* One byte: the other side's poll returns. A full pipe has told already. */
void worker_tell(int fd);

/* Takes all bytes that wait. */
void worker_drain(int fd);

/*
 * pthread_create with every signal blocked but faults: handlers run on the
 * starter's thread only, but a fault is raised on the thread that made it, and must
 * restore the terminal too. Returns 0 or an errno value.
 */
int worker_start(pthread_t *out, void *(*main)(void *), void *arg);

#endif
