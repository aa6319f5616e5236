#include "collectors/ssh_dns.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "collectors/spawn.h"
#include "collectors/xmalloc.h"

#define THREADS_MAX 8

struct ssh_lookup {
	struct ssh_dns *dns;
	struct ssh_lookup *next;
	char *host;
	char port[8];
	int family;
	int fds[2]; /* -1: done without a thread */
	bool done;
	bool abandoned; /* its owner is gone: the thread frees it */
	int rc;
	struct addrinfo *addresses;
};

struct ssh_dns {
	pthread_mutex_t lock;
	struct ssh_lookup *first; /* waiting */
	struct ssh_lookup **last;
	unsigned threads;
	unsigned refs; /* owner, threads and look-ups */
};

struct ssh_dns *ssh_dns_new(void)
{
	struct ssh_dns *d = xcalloc(1, sizeof(*d));

	pthread_mutex_init(&d->lock, NULL);
	d->last = &d->first;
	d->refs = 1;
	return d;
}

/* Called with the lock held; gives it back. */
static void dns_unref_unlock(struct ssh_dns *d)
{
	bool last = --d->refs == 0;

	pthread_mutex_unlock(&d->lock);
	if (!last)
		return;
	pthread_mutex_destroy(&d->lock);
	free(d);
}

void ssh_dns_free(struct ssh_dns *d)
{
	if (!d)
		return;
	pthread_mutex_lock(&d->lock);
	dns_unref_unlock(d);
}

static void lookup_destroy(struct ssh_lookup *l)
{
	for (int i = 0; i < 2; i++)
		if (l->fds[i] >= 0)
			close(l->fds[i]);
	if (l->addresses)
		freeaddrinfo(l->addresses);
	free(l->host);
	free(l);
}

static int resolve(const struct ssh_lookup *l, int flags, struct addrinfo **out)
{
	struct addrinfo hints;

	memset(&hints, 0, sizeof(hints));
	hints.ai_family = l->family;
	hints.ai_socktype = SOCK_STREAM;
	hints.ai_flags = flags;
	return getaddrinfo(l->host, l->port, &hints, out);
}

static void *thread_main(void *arg)
{
	struct ssh_dns *d = arg;

	pthread_mutex_lock(&d->lock);
	while (d->first) {
		struct ssh_lookup *l = d->first;
		struct addrinfo *found = NULL;

		d->first = l->next;
		if (!d->first)
			d->last = &d->first;
		pthread_mutex_unlock(&d->lock);
		int rc = resolve(l, AI_ADDRCONFIG, &found);

		pthread_mutex_lock(&d->lock);
		l->rc = rc;
		l->addresses = found;
		l->done = true;
		if (l->abandoned) {
			lookup_destroy(l);
			d->refs--; /* the thread's own keeps it alive */
		} else if (write(l->fds[1], "", 1) != 1) {
			/* The pipe is empty and open: it cannot fail; its owner has deadlines. */
			l->rc = rc;
		}
	}
	d->threads--;
	dns_unref_unlock(d);
	return NULL;
}

/* With the lock held. Signals stay with the threads that expect them. */
static bool thread_start(struct ssh_dns *d)
{
	pthread_attr_t attr;
	pthread_t id;
	sigset_t all;
	sigset_t old;

	if (pthread_attr_init(&attr) != 0)
		return false;
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	bool ok = pthread_create(&id, &attr, thread_main, d) == 0;

	pthread_sigmask(SIG_SETMASK, &old, NULL);
	pthread_attr_destroy(&attr);
	if (ok) {
		d->threads++;
		d->refs++;
	}
	return ok;
}

static bool enqueue(struct ssh_dns *d, struct ssh_lookup *l)
{
	pthread_mutex_lock(&d->lock);
	bool ok = d->threads >= THREADS_MAX || thread_start(d) || d->threads > 0;

	if (ok) {
		*d->last = l;
		d->last = &l->next;
	}
	pthread_mutex_unlock(&d->lock);
	return ok;
}

struct ssh_lookup *ssh_dns_start(
	struct ssh_dns *d, const char *host, uint16_t port, int family, struct err *e)
{
	struct ssh_lookup *l = xcalloc(1, sizeof(*l));

	l->dns = d;
	l->host = xstrdup(host);
	l->family = family;
	l->fds[0] = l->fds[1] = -1;
	snprintf(l->port, sizeof(l->port), "%u", (unsigned)port);
	pthread_mutex_lock(&d->lock);
	d->refs++;
	pthread_mutex_unlock(&d->lock);
	if (resolve(l, AI_NUMERICHOST, &l->addresses) == 0) {
		l->done = true;
		return l;
	}
	if (spawn_pipe(l->fds, e) == ERR_OK) {
		if (enqueue(d, l))
			return l;
		err_set(e, ERR_IO, "no thread can be started to look up %.100s", host);
	}
	l->done = true;
	ssh_lookup_free(l);
	return NULL;
}

int ssh_lookup_fd(const struct ssh_lookup *l)
{
	return l->fds[0];
}

enum err_code ssh_lookup_take(struct ssh_lookup *l, struct addrinfo **out, struct err *e)
{
	pthread_mutex_lock(&l->dns->lock);
	bool done = l->done;

	pthread_mutex_unlock(&l->dns->lock);
	if (!done)
		return ERR_AGAIN;
	if (l->rc != 0)
		return err_set(e, ERR_NET, "the name %.100s cannot be resolved: %s (check it)",
			l->host, gai_strerror(l->rc));
	*out = l->addresses;
	l->addresses = NULL;
	return ERR_OK;
}

void ssh_lookup_free(struct ssh_lookup *l)
{
	if (!l)
		return;
	struct ssh_dns *d = l->dns;

	pthread_mutex_lock(&d->lock);
	if (!l->done) {
		l->abandoned = true;
		pthread_mutex_unlock(&d->lock);
		return;
	}
	lookup_destroy(l);
	dns_unref_unlock(d);
}
