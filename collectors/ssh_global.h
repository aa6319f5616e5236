/* Process-wide set-up of libssh2, which is not thread-safe: before any thread. */
#ifndef COLLECTORS_SSH_GLOBAL_H
#define COLLECTORS_SSH_GLOBAL_H

#include "collectors/err.h"

enum err_code ssh_global_init(struct err *e) ATTR_MUST_CHECK;
void ssh_global_release(void);

#endif
