/*
 * Reaching a host through ProxyCommand or ProxyJump: a child whose standard
 * input and output are one socket pair, over which SSH is then spoken.
 *
 * ProxyCommand is the operator's own shell text, run as ssh runs it: by $SHELL
 * -c "exec ...". Host and user names are checked (ssh_options_name_ok) before
 * they may become part of it. ProxyJump becomes `ssh -W [host]:port jump`, as
 * ssh makes it itself, without a shell and in batch mode, since nothing may ask
 * on our terminal. Each such host costs one ssh process.
 */
#ifndef COLLECTORS_SSH_PROXY_H
#define COLLECTORS_SSH_PROXY_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "collectors/err.h"
#include "collectors/ssh_options.h"

struct ssh_proxy {
	pid_t pid;      /* 0: none */
	int err_fd;     /* what it says on standard error; -1: none or ended */
	char said[160]; /* its newest line, printable */
};

#define SSH_PROXY_INIT    \
	{                 \
		0, -1, "" \
	}

/* True when the options ask for one. */
bool ssh_proxy_wanted(const struct ssh_options *o);

/* Starts it; *fd is our end of the socket pair. config_file: -F for a jump, or NULL. */
enum err_code ssh_proxy_start(struct ssh_proxy *p, const struct ssh_options *o,
	const char *config_file, int *fd, struct err *e) ATTR_MUST_CHECK;

/* Reads what it said. */
void ssh_proxy_listen(struct ssh_proxy *p);

/* Ends it without waiting. The caller closes fd before. */
void ssh_proxy_release(struct ssh_proxy *p, int64_t now_mono_ms);

/*
 * Splits "[user@]host[:port]" or "ssh://..." of a jump into argv parts; port ""
 * and user "" where not given. False when it is malformed. Pure.
 */
bool ssh_proxy_split_jump(struct span jump, char *user, size_t user_size, char *host,
	size_t host_size, char *port, size_t port_size);

#endif
