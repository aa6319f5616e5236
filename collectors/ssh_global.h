/*
 * libssh2's process-wide set-up: not thread-safe, so once, before any thread.
 * Also ignores SIGPIPE, which a write to a dead proxy would raise.
 */
#ifndef COLLECTORS_SSH_GLOBAL_H
#define COLLECTORS_SSH_GLOBAL_H

#include "collectors/err.h"

enum err_code ssh_global_init(struct err *e) ATTR_MUST_CHECK;

/* After all transports are freed: also ends helper programs that are still there. */
void ssh_global_release(void);

#endif
