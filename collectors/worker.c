#include "collectors/worker.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

enum err_code worker_pipe(int fds[2], struct err *e)
{
	if (pipe(fds) != 0) {
		fds[0] = fds[1] = -1;
		return err_set(e, ERR_IO, "pipe: %s", err_errno(errno));
	}
	for (int i = 0; i < 2; i++) {
		fcntl(fds[i], F_SETFL, O_NONBLOCK);
		fcntl(fds[i], F_SETFD, FD_CLOEXEC);
	}
	return ERR_OK;
}

void worker_tell(int fd)
{
	char byte = 1;

	while (write(fd, &byte, 1) < 0 && errno == EINTR)
		continue;
}

void worker_drain(int fd)
{
	char drop[64];

	while (read(fd, drop, sizeof(drop)) > 0)
		continue;
}

int worker_start(pthread_t *out, void *(*main)(void *), void *arg)
{
	static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
	sigset_t all;
	sigset_t old;

	sigfillset(&all);
	for (size_t i = 0; i < ARRAY_LEN(faults); i++)
		sigdelset(&all, faults[i]);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	int rc = pthread_create(out, NULL, main, arg);

	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return rc;
}
