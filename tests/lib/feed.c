#include "tests/lib/feed.h"

#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "collectors/clock.h"
#include "tests/lib/sshd.h"

/* A look may be ten times as long away as the one before took. */
#define WAIT_MS 40000

void feed_init(struct feed *f, struct pair_feed *feed)
{
	static const struct pair_select largest;

	*f = (struct feed){.feed = feed, .store = pair_store_new(&largest)};
}

void feed_release(struct feed *f)
{
	f->feed->ops->free(f->feed);
	pair_store_free(f->store);
}

void feed_turn(struct feed *f, int ms)
{
	struct pollfd fds[TRANSPORT_MAX_FDS];
	struct transport_poll p = {.nfds = 0};
	int64_t now = clock_mono_ms() + f->skew_ms;

	while (f->feed->ops->step(f->feed, f->store, now) == ERR_OK)
		now = clock_mono_ms() + f->skew_ms;
	f->feed->ops->poll(f->feed, &p);
	for (size_t i = 0; i < p.nfds; i++)
		fds[i] = (struct pollfd){p.fds[i].fd,
			(short)((p.fds[i].events & TRANSPORT_IN ? POLLIN : 0) |
				(p.fds[i].events & TRANSPORT_OUT ? POLLOUT : 0)),
			0};
	if (p.deadline_mono_ms && p.deadline_mono_ms - now < ms)
		ms = p.deadline_mono_ms > now ? (int)(p.deadline_mono_ms - now) : 0;
	poll(fds, p.nfds, ms);
}

static struct pair_set *freeze(struct feed *f, struct fleet **fleet)
{
	*fleet = fleet_new();
	return pair_store_freeze(f->store, *fleet);
}

double feed_busbw(struct feed *f, const char *a, const char *b)
{
	struct fleet *fleet;
	struct pair_set *set = freeze(f, &fleet);
	size_t i = fleet_find(fleet, span_of(a));
	size_t k = fleet_find(fleet, span_of(b));
	double busbw = i == FLEET_NONE || k == FLEET_NONE ? NAN : pair_set_busbw(set, i, k);

	pair_set_free(set);
	fleet_free(fleet);
	return busbw;
}

size_t feed_measured(struct feed *f)
{
	struct fleet *fleet;
	struct pair_set *set = freeze(f, &fleet);
	size_t measured = set->measured;

	pair_set_free(set);
	fleet_free(fleet);
	return measured;
}

struct pair_feed_state feed_state(const struct feed *f)
{
	struct pair_feed_state st = {0};

	f->feed->ops->state(f->feed, &st);
	return st;
}

bool feed_until(struct feed *f, const char *a, const char *b, double busbw)
{
	int64_t end = clock_mono_ms() + WAIT_MS;

	do {
		feed_turn(f, 100);
		double now = feed_busbw(f, a, b);

		if (isnan(busbw) ? isnan(now) : fabs(now - busbw) < 0.01)
			return true;
	} while (clock_mono_ms() < end);
	return false;
}

bool feed_until_error(struct feed *f, const char *words)
{
	int64_t end = clock_mono_ms() + WAIT_MS;

	do {
		feed_turn(f, 100);
		const char *error = feed_state(f).error;

		if (words ? error && strstr(error, words) : !error)
			return true;
	} while (clock_mono_ms() < end);
	fprintf(stderr, "error: %s\n", feed_state(f).error ? feed_state(f).error : "none");
	return false;
}

bool feed_until_files(struct feed *f, size_t files)
{
	int64_t end = clock_mono_ms() + WAIT_MS;

	do {
		feed_turn(f, 100);
		if (feed_state(f).files == files && feed_state(f).first_look)
			return true;
	} while (clock_mono_ms() < end);
	return false;
}

static void put(const char *dir, const char *name, const char *mode, const char *text)
{
	char path[400];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	char *slash = strrchr(path, '/');

	*slash = '\0';
	mkdir(path, 0700);
	*slash = '/';
	FILE *out = fopen(path, mode);

	if (!out || fputs(text, out) < 0 || fclose(out) != 0)
		abort();
}

void feed_write(const char *dir, const char *name, const char *text)
{
	put(dir, name, "we", text);
}

void feed_append(const char *dir, const char *name, const char *text)
{
	put(dir, name, "ae", text);
}

const char *feed_csv(const char *a, const char *b, double busbw)
{
	static char text[200];

	snprintf(text, sizeof(text), "node_a,node_b,busbw_gbps\n%s,%s,%.2f\n", a, b, busbw);
	return text;
}

void feed_tmp_dir(char *out, size_t size)
{
	snprintf(out, size, "/tmp/hp-feed-XXXXXX");
	if (!mkdtemp(out))
		abort();
}

void feed_remove_dir(const char *dir)
{
	const char *argv[] = {"rm", "-rf", "--", dir, NULL};

	if (strncmp(dir, "/tmp/hp-feed-", 13) == 0)
		sshd_run(argv);
}
