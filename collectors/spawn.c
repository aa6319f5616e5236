#include "collectors/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "collectors/xmalloc.h"

#define KILL_AFTER_MS 2000

/* Transports of several threads abandon and reap. */
static pthread_mutex_t orphans_lock = PTHREAD_MUTEX_INITIALIZER;

static struct {
	struct abandoned {
		pid_t pid;
		int64_t kill_at_ms;
		bool killed;
	} * items;
	size_t n;
	size_t cap;
} orphans;

static bool is_program(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

char *spawn_find(const char *name)
{
	char path[PATH_MAX];

	if (!*name)
		return NULL;
	if (strchr(name, '/'))
		return is_program(name) ? xstrdup(name) : NULL;
	const char *dirs = getenv("PATH");

	for (const char *d = dirs ? dirs : "/usr/local/bin:/usr/bin:/bin"; d;) {
		const char *end = strchr(d, ':');
		int len = end ? (int)(end - d) : (int)strlen(d);
		int n = snprintf(path, sizeof(path), "%.*s/%s", len ? len : 1, len ? d : ".", name);

		if (n > 0 && (size_t)n < sizeof(path) && is_program(path))
			return xstrdup(path);
		d = end ? end + 1 : NULL;
	}
	return NULL;
}

bool spawn_set_flags(int fd, bool nonblocking)
{
	if (fcntl(fd, F_SETFD, FD_CLOEXEC) < 0)
		return false;
	if (!nonblocking)
		return true;
	int flags = fcntl(fd, F_GETFL);

	return flags >= 0 && fcntl(fd, F_SETFL, flags | O_NONBLOCK) == 0;
}

static enum err_code set_pair(int fds[2], struct err *e)
{
	if (spawn_set_flags(fds[0], true) && spawn_set_flags(fds[1], false))
		return ERR_OK;
	enum err_code rc = err_set(e, ERR_IO, "pipe: %s", err_errno(errno));

	close(fds[0]);
	close(fds[1]);
	return rc;
}

enum err_code spawn_socketpair(int fds[2], struct err *e)
{
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, fds) != 0)
		return err_set(e, ERR_IO, "socket pair: %s (close other programs, raise ulimit -n)",
			err_errno(errno));
	return set_pair(fds, e);
}

enum err_code spawn_pipe(int fds[2], struct err *e)
{
	if (pipe(fds) != 0)
		return err_set(e, ERR_IO, "pipe: %s (close other programs, raise ulimit -n)",
			err_errno(errno));
	return set_pair(fds, e);
}

/* A copy of fd above the standard three, so that the dup2 calls cannot run over it. */
static int child_copy(int fd)
{
	int from = fd >= 0 ? fd : open("/dev/null", O_RDWR | O_CLOEXEC);

	return from < 0 ? -1 : fcntl(from, F_DUPFD, 3);
}

/* Between fork and exec: only calls that are safe there. */
static void child_run(const char *path, char *const *argv, int in, int out, int err)
{
	int want[3] = {child_copy(in), child_copy(out), child_copy(err)};
	struct sigaction dfl;
	sigset_t none;

	for (int i = 0; i < 3; i++)
		if (want[i] < 0 || dup2(want[i], i) < 0)
			_exit(126);
	for (int i = 0; i < 3; i++)
		close(want[i]);
	setsid();
	memset(&dfl, 0, sizeof(dfl));
	dfl.sa_handler = SIG_DFL;
	sigaction(SIGPIPE, &dfl, NULL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	execv(path, argv);
	_exit(127);
}

enum err_code spawn_start(
	pid_t *pid, const char *const *argv, int in, int out, int err, struct err *e)
{
	char *path = spawn_find(argv[0]);

	if (!path)
		return err_set(
			e, ERR_USAGE, "%s: not found (install it, or correct PATH)", argv[0]);
	size_t n = 0;

	while (argv[n])
		n++;
	/* execv takes char *const[] for historical reasons only; it changes nothing. */
	char **args = xcalloc(n + 1, sizeof(*args));

	memcpy(args, argv, n * sizeof(*args));
	pid_t child = fork();

	if (child == 0)
		child_run(path, args, in, out, err);
	int saved = errno;

	free(args);
	free(path);
	if (child < 0)
		return err_set(e, ERR_IO, "%s: cannot be started: %s", argv[0], err_errno(saved));
	*pid = child;
	return ERR_OK;
}

bool spawn_exited(pid_t pid, int *status)
{
	pid_t r;

	do
		r = waitpid(pid, status, WNOHANG);
	while (r < 0 && errno == EINTR);
	if (r < 0)
		*status = 0; /* somebody else reaped it: gone all the same */
	return r != 0;
}

const char *spawn_status_text(int status, char *out, size_t size)
{
	if (WIFSIGNALED(status))
		snprintf(out, size, "signal %d", WTERMSIG(status));
	else
		snprintf(out, size, "exit %d", WEXITSTATUS(status));
	return out;
}

/* To the child's whole session; to the child alone while it has not made one yet. */
static void child_kill(pid_t pid, int sig)
{
	if (kill(-pid, sig) != 0)
		kill(pid, sig);
}

void spawn_abandon(pid_t pid, int64_t now_mono_ms)
{
	int status;

	if (pid <= 0 || spawn_exited(pid, &status))
		return;
	child_kill(pid, SIGTERM);
	pthread_mutex_lock(&orphans_lock);
	xgrow((void **)&orphans.items, &orphans.cap, orphans.n, sizeof(*orphans.items));
	orphans.items[orphans.n++] =
		(struct abandoned){.pid = pid, .kill_at_ms = now_mono_ms + KILL_AFTER_MS};
	pthread_mutex_unlock(&orphans_lock);
}

size_t spawn_reap(int64_t now_mono_ms)
{
	pthread_mutex_lock(&orphans_lock);
	for (size_t i = 0; i < orphans.n;) {
		struct abandoned *o = &orphans.items[i];
		int status;

		if (spawn_exited(o->pid, &status)) {
			*o = orphans.items[--orphans.n];
			continue;
		}
		if (!o->killed && now_mono_ms >= o->kill_at_ms) {
			child_kill(o->pid, SIGKILL);
			o->killed = true;
		}
		i++;
	}
	size_t left = orphans.n;

	pthread_mutex_unlock(&orphans_lock);
	return left;
}

void spawn_release(void)
{
	spawn_reap(INT64_MAX);
	spawn_reap(INT64_MAX);
	pthread_mutex_lock(&orphans_lock);
	free(orphans.items);
	orphans.items = NULL;
	orphans.n = orphans.cap = 0;
	pthread_mutex_unlock(&orphans_lock);
}
