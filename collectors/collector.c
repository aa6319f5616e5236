#include "collectors/collector.h"

#include <curl/curl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collectors/clock.h"
#include "collectors/log.h"
#include "collectors/session.h"
#include "collectors/ssh_global.h"
#include "collectors/worker.h"
#include "collectors/xmalloc.h"

#define REFRESH_QUEUE_MAX 64
/*
 * With this many nodes, those that have something to say are let gather for a
 * moment before all are served: a fleet that answers in trickles would
 * otherwise wake the loop, which looks at every node, once for each packet.
 */
#define GATHER_FROM_NODES 16
#define GATHER_MS         4
/* Longest sleep without any deadline; only a guard, everything due has one. */
#define SLEEP_MOST_MS 1000
/* A quarter of a thousand nodes' memory is holes after a burst; giving it back takes ~10 ms. */
#define TRIM_FROM_NODES 64
#define TRIM_MS         10000

/* What the reader asks for; under commands.lock. */
struct commands {
	pthread_mutex_t lock;
	bool stop;
	bool paused;
	bool refresh_all;
	char *refresh[REFRESH_QUEUE_MAX];
	size_t refresh_n;
};

struct collector {
	pthread_t thread;
	CURLM *multi;
	struct commands commands;
	_Atomic(struct snapshot *) slot;
	int notify[2]; /* read end given to the reader */

	/* the thread's own */
	struct source *source;
	struct session *sessions;
	struct session_limits limits;
	unsigned concurrency;
	int64_t publish_ms;
	int64_t published_at_ms;
	int64_t trimmed_at_ms;
	uint64_t generation;
	bool changed;
	bool paused;
	bool served; /* some session had something to do in this turn */
	struct curl_waitfd *waitfds;
	size_t *fd_owner; /* session of each waitfd */
	bool *ready;      /* session may have something to do */
};

enum err_code collector_global_init(struct err *e)
{
	struct sigaction ignore = {.sa_handler = SIG_IGN};

	/* A peer that closes is an error of that write, not the end of the program. */
	sigaction(SIGPIPE, &ignore, NULL);
	if (curl_global_init(CURL_GLOBAL_DEFAULT) != 0)
		return err_set(e, ERR_BUG, "libcurl: could not start (reinstall libcurl)");
	return ssh_global_init(e);
}

void collector_global_release(void)
{
	ssh_global_release();
	curl_global_cleanup();
}

/* ---- the thread ---- */

/* Drains the command queue. Returns false when asked to stop. */
static bool take_commands(struct collector *c)
{
	struct commands *q = &c->commands;
	char *ids[REFRESH_QUEUE_MAX];
	size_t n;

	pthread_mutex_lock(&q->lock);
	bool stop = q->stop;
	bool all = q->refresh_all;

	if (c->paused != q->paused)
		memset(c->ready, 1, c->source->n * sizeof(*c->ready));
	c->paused = q->paused;
	n = q->refresh_n;
	memcpy(ids, q->refresh, n * sizeof(ids[0]));
	q->refresh_n = 0;
	q->refresh_all = false;
	pthread_mutex_unlock(&q->lock);

	for (size_t i = 0; i < c->source->n; i++) {
		bool mine = all;

		for (size_t j = 0; j < n && !mine; j++)
			mine = strcmp(ids[j], c->source->targets[i].id) == 0;
		if (mine) {
			session_refresh(&c->sessions[i]);
			c->ready[i] = true;
		}
	}
	for (size_t j = 0; j < n; j++)
		free(ids[j]);
	return !stop;
}

/* Gives free places to sessions whose turn it is, in source order. */
static void start_connections(struct collector *c, int64_t now)
{
	unsigned busy = 0;

	for (size_t i = 0; i < c->source->n; i++)
		busy += session_is_connecting(&c->sessions[i]);
	for (size_t i = 0; i < c->source->n && busy < c->concurrency; i++) {
		if (!session_wants_connect(&c->sessions[i], now))
			continue;
		session_connect(&c->sessions[i], now);
		c->ready[i] = true;
		c->changed = true;
		busy++;
	}
}

static void step_sessions(struct collector *c)
{
	c->served = false;
	for (size_t i = 0; i < c->source->n; i++) {
		if (!c->ready[i])
			continue;
		c->ready[i] = false;
		c->served = true;
		c->changed |= session_step(&c->sessions[i], clock_mono_ms(), c->paused);
	}
}

static void publish(struct collector *c, int64_t now)
{
	struct snapshot *snap = snapshot_new(c->source->n);

	snap->generation = ++c->generation;
	snap->mono_ms = now;
	snap->wall_ms = clock_wall_ms();
	snap->mode = c->source->mode;
	snap->source = snapshot_str(snap, c->source->label);
	for (size_t i = 0; i < c->source->n; i++)
		session_fill(&c->sessions[i], snap, &snap->nodes[i]);
	snapshot_count(snap);
	c->published_at_ms = now;
	c->changed = false;

	/* One slot: a picture that nobody took is replaced by the newer one. */
	snapshot_free(atomic_exchange(&c->slot, snap));
	worker_tell(c->notify[1]);
}

static void publish_if_due(struct collector *c, int64_t now)
{
	if (c->changed && now - c->published_at_ms >= c->publish_ms)
		publish(c, now);
}

/* Fills waitfds and returns the time to sleep at most, ms. */
static int prepare_poll(struct collector *c, int64_t now, unsigned *nfds)
{
	int64_t next = now + SLEEP_MOST_MS;

	*nfds = 0;
	for (size_t i = 0; i < c->source->n; i++) {
		struct transport_poll p;

		session_poll(&c->sessions[i], now, c->paused, &p);
		for (size_t j = 0; j < p.nfds; j++) {
			struct curl_waitfd *w = &c->waitfds[*nfds];

			c->fd_owner[*nfds] = i;
			w->fd = p.fds[j].fd;
			w->events =
				(short)((p.fds[j].events & TRANSPORT_IN ? CURL_WAIT_POLLIN : 0) |
					(p.fds[j].events & TRANSPORT_OUT ? CURL_WAIT_POLLOUT : 0));
			w->revents = 0;
			(*nfds)++;
		}
		/* A session that waits for a place is woken by the one that frees it. */
		if (!p.deadline_mono_ms || c->sessions[i].state == SESSION_WAITING) {
			if (p.deadline_mono_ms > now && p.deadline_mono_ms < next)
				next = p.deadline_mono_ms;
			continue;
		}
		if (p.deadline_mono_ms <= now)
			c->ready[i] = true;
		if (p.deadline_mono_ms < next)
			next = p.deadline_mono_ms;
	}
	if (c->changed && c->published_at_ms + c->publish_ms < next)
		next = c->published_at_ms + c->publish_ms;
	return next > now ? (int)(next - now) : 0;
}

static void wait_for_events(struct collector *c)
{
	unsigned nfds;
	int timeout_ms = prepare_poll(c, clock_mono_ms(), &nfds);
	int got = 0;

	if (timeout_ms > 0 && c->served && c->source->n > GATHER_FROM_NODES) {
		curl_multi_poll(
			c->multi, NULL, 0, timeout_ms < GATHER_MS ? timeout_ms : GATHER_MS, &got);
		timeout_ms = timeout_ms > GATHER_MS ? timeout_ms - GATHER_MS : 0;
	}
	curl_multi_poll(c->multi, c->waitfds, nfds, timeout_ms, &got);
	for (unsigned i = 0; i < nfds; i++)
		if (c->waitfds[i].revents)
			c->ready[c->fd_owner[i]] = true;
	int64_t now = clock_mono_ms();

	for (size_t i = 0; i < c->source->n; i++) {
		struct transport_poll p;

		if (c->ready[i])
			continue;
		session_poll(&c->sessions[i], now, c->paused, &p);
		if (p.deadline_mono_ms && p.deadline_mono_ms <= now)
			c->ready[i] = true;
	}
}

/* Answers of many nodes at once leave holes between what is kept of them. */
static void trim_if_due(struct collector *c, int64_t now)
{
	if (c->source->n < TRIM_FROM_NODES || now - c->trimmed_at_ms < TRIM_MS)
		return;
	c->trimmed_at_ms = now;
	xtrim();
}

static void *collector_main(void *arg)
{
	struct collector *c = arg;

	c->trimmed_at_ms = clock_mono_ms();
	while (take_commands(c)) {
		start_connections(c, clock_mono_ms());
		step_sessions(c);
		publish_if_due(c, clock_mono_ms());
		trim_if_due(c, clock_mono_ms());
		wait_for_events(c);
	}
	return NULL;
}

/* ---- start and stop ---- */

static int64_t or_default(int64_t v, int64_t fallback)
{
	return v ? v : fallback;
}

static void set_limits(struct collector *c, const struct collector_options *opt)
{
	c->limits = (struct session_limits){
		.once = opt->once,
		.sections = opt->sections ? opt->sections : (1u << SECTION_COUNT) - 1,
		.fast_ms = or_default(opt->fast_ms, 5000),
		.slow_ms = or_default(opt->slow_ms, 60000),
		/* Each step has its own shorter deadline; a proxy may chain several. */
		.connect_ms = 60000,
		.start_ms = 20000,
		/* nvidia-smi on a sick GPU takes 25 s before its own deadline ends it. */
		.answer_ms = or_default(opt->answer_ms, 45000),
		.sample_gap_ms = or_default(opt->sample_gap_ms, 1000),
		.backoff_first_ms = 2000,
		.backoff_most_ms = 60000,
	};
	c->concurrency = opt->concurrency ? opt->concurrency : 64;
	c->publish_ms = or_default(opt->publish_ms, 250);
}

static void collector_free(struct collector *c)
{
	if (c->sessions)
		for (size_t i = 0; i < c->source->n; i++)
			session_release(&c->sessions[i]);
	free(c->sessions);
	snapshot_free(atomic_exchange(&c->slot, NULL));
	for (size_t i = 0; i < c->commands.refresh_n; i++)
		free(c->commands.refresh[i]);
	pthread_mutex_destroy(&c->commands.lock);
	if (c->multi)
		curl_multi_cleanup(c->multi);
	for (int i = 0; i < 2; i++)
		if (c->notify[i] >= 0)
			close(c->notify[i]);
	free(c->waitfds);
	free(c->fd_owner);
	free(c->ready);
	source_free(c->source);
	free(c);
}

enum err_code collector_start(struct collector **out, struct source *src,
	const struct collector_options *opt, struct err *e)
{
	struct collector *c = xcalloc(1, sizeof(*c));
	enum err_code rc;

	c->source = src;
	c->notify[0] = c->notify[1] = -1;
	pthread_mutex_init(&c->commands.lock, NULL);
	atomic_init(&c->slot, NULL);
	set_limits(c, opt);
	rc = worker_pipe(c->notify, e);
	if (rc)
		goto fail;
	c->multi = curl_multi_init();
	if (!c->multi) {
		rc = err_set(e, ERR_NOMEM, "libcurl: no multi handle");
		goto fail;
	}
	c->sessions = xcalloc(src->n, sizeof(*c->sessions));
	c->waitfds = xcalloc(src->n * TRANSPORT_MAX_FDS, sizeof(*c->waitfds));
	c->fd_owner = xcalloc(src->n * TRANSPORT_MAX_FDS, sizeof(*c->fd_owner));
	c->ready = xcalloc(src->n, sizeof(*c->ready));
	for (size_t i = 0; i < src->n; i++)
		session_init(&c->sessions[i], src, &src->targets[i], &c->limits, (unsigned)i);
	publish(c, clock_mono_ms()); /* the first picture: who there is */
	int failed = worker_start(&c->thread, collector_main, c);

	if (failed) {
		rc = err_set(e, ERR_NOMEM, "cannot start a thread: %s", err_errno(failed));
		goto fail;
	}
	*out = c;
	return ERR_OK;
fail:
	collector_free(c);
	return rc;
}

int collector_fd(const struct collector *c)
{
	return c->notify[0];
}

struct snapshot *collector_take(struct collector *c)
{
	/* Emptied before the slot is taken: a later picture makes it readable again. */
	worker_drain(c->notify[0]);
	return atomic_exchange(&c->slot, NULL);
}

void collector_refresh(struct collector *c, const char *node_id)
{
	struct commands *q = &c->commands;

	pthread_mutex_lock(&q->lock);
	if (!node_id || q->refresh_n == REFRESH_QUEUE_MAX)
		q->refresh_all = true;
	else
		q->refresh[q->refresh_n++] = xstrdup(node_id);
	pthread_mutex_unlock(&q->lock);
	curl_multi_wakeup(c->multi);
}

void collector_pause(struct collector *c, bool paused)
{
	pthread_mutex_lock(&c->commands.lock);
	c->commands.paused = paused;
	pthread_mutex_unlock(&c->commands.lock);
	curl_multi_wakeup(c->multi);
}

void collector_stop(struct collector *c)
{
	if (!c)
		return;
	pthread_mutex_lock(&c->commands.lock);
	c->commands.stop = true;
	pthread_mutex_unlock(&c->commands.lock);
	curl_multi_wakeup(c->multi);
	pthread_join(c->thread, NULL);
	collector_free(c);
}
