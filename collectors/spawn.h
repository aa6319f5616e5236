/*
 * Local helper programs: fork, exec, reap.
 *
 * Children are started without a shell, in a session of their own (so that
 * they can neither ask on our terminal nor be hit by its Ctrl-C), with all
 * signals at their defaults and no descriptor but their standard three; every
 * descriptor made here is close-on-exec. There is no SIGCHLD handler: an owner
 * asks with spawn_exited, and what nobody owns any more goes on a list that
 * spawn_reap works off. One thread at a time.
 */
#ifndef COLLECTORS_SPAWN_H
#define COLLECTORS_SPAWN_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "collectors/err.h"

/*
 * Starts argv (NULL-terminated; argv[0] is looked up in PATH unless it has a
 * slash). The three descriptors become 0, 1 and 2 of the child; -1 gives
 * /dev/null. They stay open here: the caller closes its copies.
 * ERR_USAGE when the program is not there, ERR_IO when it cannot be started.
 */
enum err_code spawn_start(pid_t *pid, const char *const *argv, int in, int out, int err,
	struct err *e) ATTR_MUST_CHECK;

/* The path that spawn_start would run, or NULL. Caller frees. */
char *spawn_find(const char *name);

/* Both ends close-on-exec; ours (fds[0]) also non-blocking. fds[1] is for the child. */
enum err_code spawn_socketpair(int fds[2], struct err *e) ATTR_MUST_CHECK;
enum err_code spawn_pipe(int fds[2], struct err *e) ATTR_MUST_CHECK;

/* Close-on-exec, and non-blocking when asked. False on failure (errno). */
bool spawn_set_flags(int fd, bool nonblocking);

/* True once the child has ended; *status as of waitpid. Reaps it: ask only until true. */
bool spawn_exited(pid_t pid, int *status);

/* "exit 127", "signal 9"; into out, returned. */
const char *spawn_status_text(int status, char *out, size_t size);

/* Gives up a child: TERM to its group now, KILL after 2 s. Never waits. pid <= 0: nothing. */
void spawn_abandon(pid_t pid, int64_t now_mono_ms);

/* Reaps abandoned children and kills the late ones. Returns how many are left. Cheap. */
size_t spawn_reap(int64_t now_mono_ms);

/* Kills and reaps what is left; for the end of the program. */
void spawn_release(void);

#endif
