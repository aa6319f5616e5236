#include "tui/sweep.h"

#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collectors/clock.h"
#include "collectors/log.h"
#include "collectors/compiler.h"
#include "collectors/text.h"
#include "collectors/worker.h"
#include "collectors/xmalloc.h"
#include "tui/heat.h"

/* Least time between pictures. */
#define PUBLISH_MS 250
/* After an attribution, rest this many times as long as it took. */
#define REST 5
/* How long sweep_stop waits for a thread that may hang in a filesystem. */
#define STOP_WAIT_MS 500
/* Longest sleep; only a guard, feeds say themselves when they want to be stepped. */
#define SLEEP_MOST_MS 2000
/* Whether a node is busy changes with every step of a job: asked no more often than so. */
#define BUSY_MS 10000

/* What goes up to the thread; under lock. */
struct orders {
	pthread_mutex_t lock;
	bool stop;
	bool has_select;
	struct pair_select select;
	struct fleet *fleet; /* the newest; NULL nothing new */
};

struct sweep {
	pthread_t thread;
	struct orders orders;
	_Atomic(struct sweep_picture *) slot;
	int notify[2]; /* read end given to the reader */
	int wake[2];   /* of the thread's poll */
	int ended[2];  /* tells sweep_stop that the thread is out of its loop */

	/* the reader's own */
	struct fleet *told; /* what the thread was told last */
	uint64_t snap_hash; /* of the inventory that told has */
	uint64_t told_hash; /* of told itself */
	int64_t told_mono_ms;

	/* the thread's own */
	struct pair_feed *feeds[SWEEP_FEEDS_MAX];
	size_t n_feeds;
	struct pair_store *store;
	struct fleet *fleet;
	bool stale;                /* fleet or store are others than at the last picture */
	uint64_t store_generation; /* of the last picture */
	uint64_t state_hash;       /* of the feeds' states at the last picture */
	uint64_t generation;
	int64_t next_mono_ms; /* no picture before */

	struct sweep *next_left; /* of left_behind */
};

/* Those whose thread hangs: never freed, and not lost. The reader's own. */
static struct sweep *left_behind;

/* ---- small sums that tell whether something changed (FNV-1a) ---- */

#define HASH_START 0xcbf29ce484222325u

static uint64_t hash_bytes(uint64_t h, const void *bytes, size_t n)
{
	const unsigned char *p = bytes;

	for (size_t i = 0; i < n; i++)
		h = (h ^ p[i]) * 0x100000001b3u;
	return h;
}

static uint64_t hash_str(uint64_t h, const char *s)
{
	return s ? hash_bytes(h, s, strlen(s) + 1) : hash_bytes(h, "\377", 1);
}

static uint64_t hash_snapshot(const struct snapshot *snap)
{
	uint64_t h = hash_bytes(HASH_START, &snap->n, sizeof(snap->n));

	for (size_t i = 0; i < snap->n; i++) {
		const struct node *n = &snap->nodes[i];
		const char *const words[] = {n->id, n->name, n->address, n->instance_type,
			n->placement.az, n->placement.spine, n->placement.leaf,
			n->placement.ultraserver};

		for (size_t k = 0; k < ARRAY_LEN(words); k++)
			h = hash_str(h, words[k]);
		h = hash_bytes(h, &n->section[SECTION_HOST], sizeof(n->section[SECTION_HOST]));
	}
	return h;
}

static uint64_t hash_fleet(const struct fleet *f)
{
	uint64_t h = hash_bytes(HASH_START, &f->n, sizeof(f->n));

	for (size_t i = 0; i < f->n; i++) {
		const struct fleet_node *n = &f->nodes[i];
		const char *const words[] = {n->name, n->id, n->instance_id, n->az, n->spine,
			n->leaf, n->ultraserver, n->instance_type, n->busy ? "busy" : "",
			n->ambiguous ? "ambiguous" : ""};

		for (size_t k = 0; k < ARRAY_LEN(words); k++)
			h = hash_str(h, words[k]);
	}
	return h;
}

static uint64_t hash_states(const struct sweep *s)
{
	uint64_t h = HASH_START;

	for (size_t i = 0; i < s->n_feeds; i++) {
		struct pair_feed_state st = {NULL, false, 0, 0, NULL};

		s->feeds[i]->ops->state(s->feeds[i], &st);
		h = hash_str(hash_str(h, st.label), st.error);
		h = hash_bytes(h, &st.first_look, sizeof(st.first_look));
		h = hash_bytes(h, &st.files, sizeof(st.files));
		h = hash_bytes(h, &st.growing, sizeof(st.growing));
	}
	return h;
}

/* ---- the thread ---- */

/* Takes what was ordered. False when asked to stop. */
static bool take_orders(struct sweep *s)
{
	struct orders *o = &s->orders;

	pthread_mutex_lock(&o->lock);
	bool stop = o->stop;
	bool has_select = o->has_select;
	struct pair_select sel = o->select;
	struct fleet *fleet = o->fleet;

	o->fleet = NULL;
	o->has_select = false;
	pthread_mutex_unlock(&o->lock);
	if (fleet) {
		fleet_free(s->fleet);
		s->fleet = fleet;
		s->stale = true;
	}
	if (has_select) {
		pair_store_free(s->store);
		s->store = pair_store_new(&sel);
		for (size_t i = 0; i < s->n_feeds; i++)
			s->feeds[i]->ops->again(s->feeds[i]);
		s->stale = true;
	}
	return !stop;
}

static void fill_feeds(const struct sweep *s, struct sweep_picture *p)
{
	p->n_feeds = s->n_feeds;
	for (size_t i = 0; i < s->n_feeds; i++) {
		struct pair_feed_state st = {NULL, false, 0, 0, NULL};

		s->feeds[i]->ops->state(s->feeds[i], &st);
		if (st.label)
			text_printable(p->feeds[i].label, sizeof(p->feeds[i].label), st.label,
				strlen(st.label));
		if (st.error)
			text_printable(p->feeds[i].error, sizeof(p->feeds[i].error), st.error,
				strlen(st.error));
		p->feeds[i].first_look = st.first_look;
		p->feeds[i].files = st.files;
		p->feeds[i].growing = st.growing;
	}
}

static void publish(struct sweep *s)
{
	struct sweep_picture *p = xcalloc(1, sizeof(*p));
	int64_t began = clock_mono_ms();
	uint64_t generation = pair_store_generation(s->store);
	uint64_t states = hash_states(s);

	p->generation = ++s->generation;
	p->set = pair_store_freeze(s->store, s->fleet);
	p->at = attribution_run(p->set);
	p->levels = heat_levels_make(p->set, p->at);
	p->mono_ms = clock_mono_ms();
	p->wall_ms = clock_wall_ms();
	fill_feeds(s, p);
	s->store_generation = generation;
	s->state_hash = states;
	s->stale = false;
	int64_t rest = REST * (p->mono_ms - began);

	s->next_mono_ms = p->mono_ms + (rest > PUBLISH_MS ? rest : PUBLISH_MS);
	/* One slot: a picture that nobody took is replaced by the newer one. */
	sweep_picture_free(atomic_exchange(&s->slot, p));
	worker_tell(s->notify[1]);
}

static bool has_news(const struct sweep *s)
{
	return s->stale || pair_store_generation(s->store) != s->store_generation ||
	       hash_states(s) != s->state_hash;
}

static bool asked_to_stop(struct sweep *s)
{
	pthread_mutex_lock(&s->orders.lock);
	bool stop = s->orders.stop;

	pthread_mutex_unlock(&s->orders.lock);
	return stop;
}

/* One step of each feed. True when one of them may have more at once. */
static bool step_feeds(struct sweep *s)
{
	bool more = false;

	for (size_t i = 0; i < s->n_feeds && !asked_to_stop(s); i++)
		more |= s->feeds[i]->ops->step(s->feeds[i], s->store, clock_mono_ms()) == ERR_OK;
	return more;
}

/* Until a feed has something, the wake pipe tells, or a picture may be made. */
static void sleep_until_news(struct sweep *s)
{
	struct pollfd fds[SWEEP_FEEDS_MAX * TRANSPORT_MAX_FDS + 1];
	nfds_t n = 0;
	int64_t now = clock_mono_ms();
	int64_t until = now + SLEEP_MOST_MS;

	fds[n++] = (struct pollfd){s->wake[0], POLLIN, 0};
	for (size_t i = 0; i < s->n_feeds; i++) {
		struct transport_poll p = {.nfds = 0, .deadline_mono_ms = 0};

		s->feeds[i]->ops->poll(s->feeds[i], &p);
		for (size_t k = 0; k < p.nfds; k++)
			fds[n++] = (struct pollfd){p.fds[k].fd,
				(short)((p.fds[k].events & TRANSPORT_IN ? POLLIN : 0) |
					(p.fds[k].events & TRANSPORT_OUT ? POLLOUT : 0)),
				0};
		if (p.deadline_mono_ms && p.deadline_mono_ms < until)
			until = p.deadline_mono_ms;
	}
	if (s->next_mono_ms < until && has_news(s))
		until = s->next_mono_ms;
	poll(fds, n, until > now ? (int)(until - now) : 0);
	worker_drain(s->wake[0]);
}

static void *sweep_main(void *arg)
{
	struct sweep *s = arg;

	publish(s); /* who there is, before anything was read */
	while (take_orders(s)) {
		bool more = step_feeds(s);

		if (clock_mono_ms() >= s->next_mono_ms && has_news(s))
			publish(s);
		if (!more)
			sleep_until_news(s);
	}
	worker_tell(s->ended[1]);
	return NULL;
}

/* ---- start and stop ---- */

static void sweep_free(struct sweep *s)
{
	int *const pipes[] = {s->notify, s->wake, s->ended};

	for (size_t i = 0; i < s->n_feeds; i++)
		s->feeds[i]->ops->free(s->feeds[i]);
	pair_store_free(s->store);
	fleet_free(s->fleet);
	fleet_free(s->told);
	fleet_free(s->orders.fleet);
	pthread_mutex_destroy(&s->orders.lock);
	sweep_picture_free(atomic_exchange(&s->slot, NULL));
	for (size_t i = 0; i < ARRAY_LEN(pipes); i++)
		for (int k = 0; k < 2; k++)
			if (pipes[i][k] >= 0)
				close(pipes[i][k]);
	free(s);
}

enum err_code sweep_start(struct sweep **out, struct pair_feed *const *feeds, size_t n,
	const struct pair_select *sel, struct fleet *fleet, struct err *e)
{
	static const struct pair_select largest;
	struct sweep *s = xcalloc(1, sizeof(*s));
	enum err_code rc = ERR_OK;
	int *const pipes[] = {s->notify, s->wake, s->ended};

	for (size_t i = 0; i < ARRAY_LEN(pipes); i++)
		pipes[i][0] = pipes[i][1] = -1;
	pthread_mutex_init(&s->orders.lock, NULL);
	atomic_init(&s->slot, NULL);
	s->store = pair_store_new(sel ? sel : &largest);
	s->fleet = fleet ? fleet : fleet_new();
	s->told = fleet_copy(s->fleet);
	for (size_t i = 0; i < n; i++) {
		if (i < SWEEP_FEEDS_MAX)
			s->feeds[s->n_feeds++] = feeds[i];
		else
			feeds[i]->ops->free(feeds[i]);
	}
	if (n > SWEEP_FEEDS_MAX)
		rc = err_set(e, ERR_USAGE,
			"--pairs: at most %d places (name a directory above them)",
			SWEEP_FEEDS_MAX);
	for (size_t i = 0; i < ARRAY_LEN(pipes) && rc == ERR_OK; i++)
		rc = worker_pipe(pipes[i], e);
	int failed = rc == ERR_OK ? worker_start(&s->thread, sweep_main, s) : 0;

	if (failed)
		rc = err_set(e, ERR_NOMEM, "cannot start a thread: %s", err_errno(failed));
	if (rc)
		sweep_free(s);
	else
		*out = s;
	return rc;
}

int sweep_fd(const struct sweep *s)
{
	return s->notify[0];
}

struct sweep_picture *sweep_take(struct sweep *s)
{
	/* Emptied before the slot is taken: a later picture makes it readable again. */
	worker_drain(s->notify[0]);
	return atomic_exchange(&s->slot, NULL);
}

void sweep_picture_free(struct sweep_picture *p)
{
	if (!p)
		return;
	heat_levels_free((struct heat_levels *)p->levels);
	attribution_free((struct attribution *)p->at);
	pair_set_free((struct pair_set *)p->set);
	free(p);
}

void sweep_set_nodes(struct sweep *s, const struct snapshot *snap)
{
	uint64_t inventory = hash_snapshot(snap);

	if (inventory == s->snap_hash && snap->mono_ms - s->told_mono_ms < BUSY_MS)
		return;
	s->snap_hash = inventory;
	s->told_mono_ms = snap->mono_ms;
	fleet_add_snapshot(s->told, snap);
	uint64_t now = hash_fleet(s->told);

	if (now == s->told_hash)
		return;
	s->told_hash = now;
	struct fleet *fleet = fleet_copy(s->told);

	pthread_mutex_lock(&s->orders.lock);
	struct fleet *stale = s->orders.fleet;

	s->orders.fleet = fleet;
	pthread_mutex_unlock(&s->orders.lock);
	fleet_free(stale);
	worker_tell(s->wake[1]);
}

void sweep_select(struct sweep *s, const struct pair_select *sel)
{
	pthread_mutex_lock(&s->orders.lock);
	s->orders.select = *sel;
	s->orders.has_select = true;
	pthread_mutex_unlock(&s->orders.lock);
	worker_tell(s->wake[1]);
}

void sweep_stop(struct sweep *s)
{
	if (!s)
		return;
	pthread_mutex_lock(&s->orders.lock);
	s->orders.stop = true;
	pthread_mutex_unlock(&s->orders.lock);
	worker_tell(s->wake[1]);
	struct pollfd fd = {s->ended[0], POLLIN, 0};

	if (poll(&fd, 1, STOP_WAIT_MS) == 1) {
		pthread_join(s->thread, NULL);
		sweep_free(s);
		return;
	}
	/*
	 * It hangs in a read that no signal ends. What it may touch when it comes
	 * back must stay: its memory is left behind on purpose.
	 */
	log_write(LOG_WARN, "sweep", NULL, "a read does not come back: its thread is left behind");
	pthread_detach(s->thread);
	s->next_left = left_behind;
	left_behind = s;
}
