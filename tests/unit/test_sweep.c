/* The sweep's thread with feeds that the test moves. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collectors/clock.h"
#include "collectors/pair_watch.h"
#include "collectors/xmalloc.h"
#include "tests/lib/feed.h"
#include "tui/sweep.h"

/* A feed that gives a file for each byte that waits in its pipe. */
struct played {
	struct pair_feed feed;
	int fd;
	int files;
	int again_at; /* files to give once more, after again */
	atomic_int *steps;
	atomic_bool *hang; /* hangs in its step while this is true; NULL never */
};

static void give(struct pair_store *store, int i)
{
	char path[40];
	char text[100];
	int n = snprintf(
		text, sizeof(text), "node_a,node_b,busbw_gbps\nn%d,n%d,%d\n", i, i + 1, 100 + i);

	snprintf(path, sizeof(path), "file-%d.csv", i);
	struct pair_file *f = pair_store_open(store, path, 0);

	pair_file_feed(f, text, (size_t)n);
	pair_file_close(f, false);
}

static enum err_code played_step(struct pair_feed *f, struct pair_store *store, int64_t now)
{
	struct played *p = (struct played *)f;
	char byte;

	(void)now;
	atomic_fetch_add(p->steps, 1);
	while (p->hang && atomic_load(p->hang))
		poll(NULL, 0, 10);
	while (p->again_at < p->files)
		give(store, p->again_at++);
	if (read(p->fd, &byte, 1) != 1)
		return ERR_AGAIN;
	give(store, p->files++);
	p->again_at = p->files;
	return ERR_OK;
}

static void played_poll(const struct pair_feed *f, struct transport_poll *out)
{
	out->nfds = 1;
	out->fds[0].fd = ((const struct played *)f)->fd;
	out->fds[0].events = TRANSPORT_IN;
	out->deadline_mono_ms = 0;
}

static void played_state(const struct pair_feed *f, struct pair_feed_state *out)
{
	const struct played *p = (const struct played *)f;

	*out = (struct pair_feed_state){
		.label = "play\033ed", .first_look = p->files > 0, .files = (size_t)p->files};
}

static void played_again(struct pair_feed *f)
{
	((struct played *)f)->again_at = 0;
}

static void played_free(struct pair_feed *f)
{
	close(((struct played *)f)->fd);
	free(f);
}

static const struct pair_feed_ops played_ops = {
	.name = "played",
	.step = played_step,
	.poll = played_poll,
	.state = played_state,
	.again = played_again,
	.free = played_free,
};

/* Outlives a thread that is left behind. */
static atomic_int steps;
static atomic_bool hang;

struct box {
	struct sweep *s;
	int in;
	struct sweep_picture *p;
};

static void begin(struct box *b, atomic_bool *hangs)
{
	struct played *p = xcalloc(1, sizeof(*p));
	struct pair_feed *feeds[1] = {&p->feed};
	struct err e = ERR_INIT;
	int fds[2];

	assert_int_equal(pipe(fds), 0);
	p->feed.ops = &played_ops;
	p->fd = fds[0];
	p->steps = &steps;
	p->hang = hangs;
	assert_int_equal(fcntl(fds[0], F_SETFL, O_NONBLOCK), 0);
	*b = (struct box){.in = fds[1]};
	atomic_store(&steps, 0);
	if (sweep_start(&b->s, feeds, 1, NULL, NULL, &e) != ERR_OK)
		fail_msg("%s", e.msg);
}

static void end(struct box *b)
{
	sweep_stop(b->s);
	sweep_picture_free(b->p);
	close(b->in);
}

/* The next picture, within ten seconds; the box keeps it. */
static const struct sweep_picture *next(struct box *b)
{
	struct pollfd fd = {sweep_fd(b->s), POLLIN, 0};
	struct sweep_picture *p = NULL;

	while (!p && poll(&fd, 1, 10000) == 1)
		p = sweep_take(b->s);
	if (!p)
		fail_msg("no picture came");
	assert_true(!b->p || p->generation > b->p->generation);
	sweep_picture_free(b->p);
	b->p = p;
	return p;
}

static void until_measured(struct box *b, size_t pairs)
{
	while (next(b)->set->measured != pairs)
		continue;
}

static void the_first_picture_is_empty(void **state)
{
	struct box b;

	(void)state;
	begin(&b, NULL);
	assert_int_equal(next(&b)->set->measured, 0);
	assert_int_equal(b.p->n_feeds, 1);
	assert_string_equal(b.p->feeds[0].label, "play?ed");
	assert_string_equal(b.p->feeds[0].error, "");
	assert_false(b.p->feeds[0].first_look);
	assert_non_null(b.p->at);
	assert_false(b.p->at->enough);
	end(&b);
}

static void what_is_read_is_shown(void **state)
{
	struct box b;

	(void)state;
	begin(&b, NULL);
	for (int i = 0; i < 20; i++)
		assert_int_equal(write(b.in, "x", 1), 1);
	until_measured(&b, 20);
	assert_int_equal(b.p->feeds[0].files, 20);
	assert_int_equal(b.p->at->n, b.p->set->n);
	assert_int_equal(write(b.in, "x", 1), 1);
	until_measured(&b, 21);
	end(&b);
}

/* A picture that nobody took is replaced by the newer one. */
static void the_newest_wins(void **state)
{
	struct box b;

	(void)state;
	begin(&b, NULL);
	next(&b);
	uint64_t before = b.p->generation;

	for (int i = 0; i < 3; i++) {
		assert_int_equal(write(b.in, "x", 1), 1);
		poll(NULL, 0, 400);
	}
	until_measured(&b, 3);
	assert_true(b.p->generation > before);
	assert_null(sweep_take(b.s));
	end(&b);
}

static void nothing_new_makes_no_picture(void **state)
{
	struct box b;

	(void)state;
	begin(&b, NULL);
	assert_int_equal(write(b.in, "x", 1), 1);
	until_measured(&b, 1);
	struct pollfd fd = {sweep_fd(b.s), POLLIN, 0};
	int before = atomic_load(&steps);

	assert_int_equal(poll(&fd, 1, 700), 0);
	assert_in_range(atomic_load(&steps) - before, 0, 3); /* it sleeps */
	end(&b);
}

static struct snapshot *cluster(const char *leaf)
{
	struct snapshot *snap = snapshot_new(3);

	for (size_t i = 0; i < snap->n; i++) {
		char name[32];

		snprintf(name, sizeof(name), "n%zu", i);
		snap->nodes[i].id = snap->nodes[i].name = snapshot_str(snap, name);
		snap->nodes[i].placement.leaf = snapshot_str(snap, leaf);
	}
	return snap;
}

static void nodes_are_told(void **state)
{
	struct snapshot *one = cluster("leaf-1");
	struct snapshot *two = cluster("leaf-2");
	struct box b;

	(void)state;
	begin(&b, NULL);
	next(&b);
	sweep_set_nodes(b.s, one);
	sweep_set_nodes(b.s, one);
	while (next(&b)->set->n != 3)
		continue;
	assert_string_equal(b.p->set->nodes[0].leaf, "leaf-1");
	snapshot_free(one);
	sweep_set_nodes(b.s, two);
	snapshot_free(two); /* what is needed was copied */
	while (strcmp(next(&b)->set->nodes[0].leaf, "leaf-2") != 0)
		continue;
	assert_int_equal(write(b.in, "x", 1), 1);
	until_measured(&b, 1);
	assert_int_equal(b.p->set->n, 3);
	end(&b);
}

static void another_selection_reads_again(void **state)
{
	const struct pair_select sel = {.in_place = true};
	struct box b;

	(void)state;
	begin(&b, NULL);
	for (int i = 0; i < 5; i++)
		assert_int_equal(write(b.in, "x", 1), 1);
	until_measured(&b, 5);
	assert_false(b.p->set->in_place);
	sweep_select(b.s, &sel);
	do
		until_measured(&b, 5);
	while (!b.p->set->in_place);
	end(&b);
}

static void too_many_feeds(void **state)
{
	struct pair_feed *feeds[SWEEP_FEEDS_MAX + 1];
	struct sweep *s = NULL;
	struct err e = ERR_INIT;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(feeds); i++)
		assert_int_equal(pair_watch_new(&feeds[i], "/tmp", &e), ERR_OK);
	assert_int_equal(sweep_start(&s, feeds, ARRAY_LEN(feeds), NULL, NULL, &e), ERR_USAGE);
	assert_null(s);
	assert_non_null(strstr(e.msg, "at most 16"));
	sweep_stop(NULL);
	sweep_picture_free(NULL);
}

/* Its read hangs: it is left behind, and nothing that it may touch is freed. */
static void a_read_that_hangs(void **state)
{
	struct box b;

	(void)state;
	atomic_store(&hang, true);
	begin(&b, &hang);
	next(&b); /* who there is, before the first read */
	int64_t before = clock_mono_ms();

	sweep_stop(b.s);
	assert_true(clock_mono_ms() - before < 5000);
	assert_true(atomic_load(&hang));
	/* When it comes back it touches only what is still there. */
	atomic_store(&hang, false);
	poll(NULL, 0, 200);
	sweep_picture_free(b.p);
	close(b.in);
}

static void a_real_directory(void **state)
{
	struct pair_feed *feed = NULL;
	struct err e = ERR_INIT;
	struct box b = {NULL, -1, NULL};
	char dir[100];

	(void)state;
	feed_tmp_dir(dir, sizeof(dir));
	feed_write(dir, "one.csv", feed_csv("n1", "n2", 100));
	assert_int_equal(pair_watch_new(&feed, dir, &e), ERR_OK);
	assert_int_equal(sweep_start(&b.s, &feed, 1, NULL, NULL, &e), ERR_OK);
	until_measured(&b, 1);
	feed_write(dir, "two.csv", feed_csv("n1", "n3", 100));
	until_measured(&b, 2);
	sweep_stop(b.s);
	sweep_picture_free(b.p);
	feed_remove_dir(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_picture_is_empty),
		cmocka_unit_test(what_is_read_is_shown),
		cmocka_unit_test(the_newest_wins),
		cmocka_unit_test(nothing_new_makes_no_picture),
		cmocka_unit_test(nodes_are_told),
		cmocka_unit_test(another_selection_reads_again),
		cmocka_unit_test(too_many_feeds),
		cmocka_unit_test(a_real_directory),
		cmocka_unit_test(a_read_that_hangs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
