/*
 * The loop and its sessions against scripted transports: each target's id is
 * the behaviour of its node. The node speaks the wire format of frame.h.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collectors/buf.h"
#include "collectors/clock.h"
#include "collectors/collector.h"
#include "collectors/frame.h"

#define LIMIT_MS 600

/* What the scripted nodes of one test have seen. */
static struct {
	atomic_int connects;
	atomic_int steps;
	atomic_int open;
	atomic_int starting; /* connected to, probe not started */
	atomic_int most_starting;
	atomic_bool heal; /* "flaky" works from now on */
} seen;

struct fake {
	struct transport base;
	char behaviour[32];
	char nonce[FRAME_NONCE_LEN + 1];
	struct buf in;
	struct buf out;
	int64_t connect_at_ms;
	unsigned requests;
	bool ended;
};

static bool is(const struct fake *f, const char *behaviour)
{
	return strncmp(f->behaviour, behaviour, strlen(behaviour)) == 0;
}

static void say(struct fake *f, const char *text)
{
	assert_int_equal(buf_add_str(&f->out, text), ERR_OK);
}

static void frame_line(struct fake *f, const char *rest)
{
	assert_int_equal(buf_addf(&f->out, "@hp %s %s\n", f->nonce, rest), ERR_OK);
}

static void answer_section(struct fake *f, const char *name, const char *text)
{
	char line[80];

	snprintf(line, sizeof(line), "begin %s", name);
	frame_line(f, line);
	say(f, text);
	say(f, "\n");
	snprintf(line, sizeof(line), "end %s 0 3 0", name);
	frame_line(f, line);
}

static void answer(struct fake *f)
{
	char stat[120];

	f->requests++;
	if (is(f, "dies")) {
		frame_line(f, "begin cpu");
		say(f, "cpu 1 2 3");
		f->ended = true;
		return;
	}
	snprintf(stat, sizeof(stat), "cpu  %u 0 100 %u %u 0 0 0 0 0\n", 100 * f->requests,
		1000 * f->requests, 300 * f->requests);
	answer_section(f, "cpu", stat);
	if (is(f, "hangs")) {
		frame_line(f, "begin gpu");
		say(f, "index, name\n0, NVID");
		return;
	}
	if (is(f, "endless"))
		return;
	frame_line(f, "done");
}

static enum err_code fake_step(struct transport *t, int64_t now, struct err *e)
{
	struct fake *f = (struct fake *)t;

	atomic_fetch_add(&seen.steps, 1);
	if (is(f, "refused") || (is(f, "flaky") && !atomic_load(&seen.heal)))
		return err_set(e, ERR_NET, "connect: refused");
	if (is(f, "silent") || now < f->connect_at_ms)
		return ERR_AGAIN;
	return ERR_OK;
}

static void take_start(struct fake *f)
{
	/* The last line of the script's text starts it; the nonce is its 32 hex digits. */
	const char *p = strrchr(buf_str(&f->in), '\n');

	if (f->nonce[0] || !p || p[1])
		return;
	while (p > f->in.data && p[-1] != '\n')
		p--;
	for (; *p; p++) {
		if (strspn(p, "0123456789abcdef") >= FRAME_NONCE_LEN) {
			memcpy(f->nonce, p, FRAME_NONCE_LEN);
			break;
		}
	}
	assert_true(f->nonce[0]);
	atomic_fetch_sub(&seen.starting, 1);
	buf_reset(&f->in);
	say(f, "Welcome!\n@hp 00000000000000000000000000000000 done\n");
	if (is(f, "noshell"))
		return;
	frame_line(f, "ready 1");
	answer(f);
}

static enum err_code fake_write(
	struct transport *t, const char *bytes, size_t len, size_t *put, struct err *e)
{
	struct fake *f = (struct fake *)t;

	(void)e;
	/* Small pieces: the session must carry on where the transport stopped. */
	*put = len > 1000 ? 1000 : len;
	assert_int_equal(buf_add(&f->in, bytes, *put), ERR_OK);
	if (!f->nonce[0]) {
		if (*put == len)
			take_start(f);
	} else if (memchr(bytes, '\n', *put)) {
		buf_reset(&f->in);
		answer(f);
	}
	return ERR_OK;
}

static enum err_code fake_read(
	struct transport *t, char *out, size_t size, size_t *got, struct err *e)
{
	struct fake *f = (struct fake *)t;

	(void)e;
	if (f->out.len == 0 && is(f, "endless") && f->nonce[0]) {
		memset(out, 'x', size);
		*got = size;
		return ERR_OK;
	}
	if (f->out.len == 0) {
		*got = 0;
		return f->ended ? ERR_OK : ERR_AGAIN;
	}
	*got = f->out.len < size ? f->out.len : size;
	memcpy(out, f->out.data, *got);
	buf_consume(&f->out, *got);
	return ERR_OK;
}

static void fake_poll(struct transport *t, bool want_write, struct transport_poll *p)
{
	struct fake *f = (struct fake *)t;

	p->nfds = 0;
	p->deadline_mono_ms = 0;
	if (want_write || f->out.len)
		p->deadline_mono_ms = 1;
	else if (!f->nonce[0] && !is(f, "silent"))
		p->deadline_mono_ms = f->connect_at_ms;
}

static void fake_free(struct transport *t)
{
	struct fake *f = (struct fake *)t;

	if (!f->nonce[0])
		atomic_fetch_sub(&seen.starting, 1);
	buf_release(&f->in);
	buf_release(&f->out);
	free(f);
	atomic_fetch_sub(&seen.open, 1);
}

static const char *fake_phase(const struct transport *t)
{
	(void)t;
	return "key exchange";
}

static const struct transport_ops fake_ops = {
	.name = "fake",
	.step = fake_step,
	.read = fake_read,
	.write = fake_write,
	.poll = fake_poll,
	.free = fake_free,
	.phase = fake_phase,
};

static struct transport *fake_connect(
	struct source *src, const struct target *t, int64_t now, struct err *e)
{
	struct fake *f = calloc(1, sizeof(*f));

	(void)src;
	(void)e;
	f->base.ops = &fake_ops;
	snprintf(f->behaviour, sizeof(f->behaviour), "%s", t->id);
	buf_init(&f->in, 1 << 20);
	buf_init(&f->out, 1 << 20);
	f->connect_at_ms = now + 20;
	atomic_fetch_add(&seen.connects, 1);
	atomic_fetch_add(&seen.open, 1);
	int starting = atomic_fetch_add(&seen.starting, 1) + 1;

	if (starting > atomic_load(&seen.most_starting))
		atomic_store(&seen.most_starting, starting);
	return &f->base;
}

static struct source *make_source(const char *const *ids, size_t n)
{
	struct source *src = source_new(SOURCE_LIVE, "scripted nodes");
	struct err e = ERR_INIT;

	src->connect = fake_connect;
	for (size_t i = 0; i < n; i++)
		assert_int_equal(source_add(src, ids[i], NULL, &e), ERR_OK);
	atomic_store(&seen.connects, 0);
	atomic_store(&seen.steps, 0);
	atomic_store(&seen.heal, false);
	atomic_store(&seen.most_starting, 0);
	return src;
}

static struct collector *start(struct source *src, struct collector_options opt)
{
	struct collector *c = NULL;
	struct err e = ERR_INIT;

	opt.publish_ms = 10;
	if (!opt.answer_ms)
		opt.answer_ms = LIMIT_MS;
	assert_int_equal(collector_start(&c, src, &opt, &e), ERR_OK);
	return c;
}

/* Waits for a snapshot that satisfies done, at most 10 s. */
static struct snapshot *wait_for(struct collector *c, bool (*done)(const struct snapshot *snap))
{
	int64_t until = clock_mono_ms() + 10000;

	while (clock_mono_ms() < until) {
		struct pollfd p = {.fd = collector_fd(c), .events = POLLIN};

		poll(&p, 1, 100);
		struct snapshot *snap = collector_take(c);

		if (snap && done(snap))
			return snap;
		snapshot_free(snap);
	}
	return NULL;
}

static bool complete(const struct snapshot *snap)
{
	return snap->complete;
}

static void test_once_reads_all_and_takes_two_samples(void **state)
{
	static const char *const ids[] = {"good1", "good2", "good3"};
	struct collector *c = start(
		make_source(ids, 3), (struct collector_options){.once = true, .sample_gap_ms = 30});
	struct snapshot *snap = wait_for(c, complete);

	(void)state;
	assert_non_null(snap);
	assert_int_equal(snap->reached, 3);
	for (size_t i = 0; i < snap->n; i++) {
		const struct node *n = &snap->nodes[i];

		assert_int_equal(n->state, NODE_OK);
		assert_string_equal(n->id, ids[i]);
		assert_non_null(n->section[SECTION_CPU]);
		assert_non_null(n->prev[SECTION_CPU]);
		assert_null(n->section[SECTION_GPU]);
	}
	snapshot_free(snap);
	collector_stop(c);
	assert_int_equal(atomic_load(&seen.open), 0);
}

static const struct node *named(const struct snapshot *snap, const char *id)
{
	const struct node *n = snapshot_node(snap, id);

	assert_non_null(n);
	return n;
}

static void test_a_bad_node_costs_itself_alone(void **state)
{
	static const char *const ids[] = {
		"hangs", "good1", "endless", "good2", "refused", "dies", "good3"};
	struct collector *c = start(
		make_source(ids, 7), (struct collector_options){.once = true, .sample_gap_ms = -1});
	struct snapshot *snap = wait_for(c, complete);

	(void)state;
	assert_non_null(snap);
	assert_int_equal(snap->reached, 3);
	assert_int_equal(named(snap, "good3")->state, NODE_OK);

	const struct node *n = named(snap, "hangs");

	assert_int_equal(n->state, NODE_STALE);
	assert_int_equal(n->err, ERR_TIMEOUT);
	assert_non_null(strstr(n->error, "gpu"));
	assert_non_null(n->section[SECTION_CPU]);
	/* What had come of the open section is kept, and marked as cut. */
	assert_true(n->section[SECTION_GPU]->meta.cut);

	n = named(snap, "endless");
	assert_int_equal(n->err, ERR_TOOBIG);
	n = named(snap, "refused");
	assert_int_equal(n->state, NODE_FAILED);
	assert_string_equal(n->error, "connect: refused");
	n = named(snap, "dies");
	assert_int_equal(n->err, ERR_NET);
	snapshot_free(snap);
	collector_stop(c);
	assert_int_equal(atomic_load(&seen.open), 0);
}

static bool second_answer(const struct snapshot *snap)
{
	return snap->nodes[0].prev[SECTION_CPU] != NULL;
}

static void test_live_repeats_and_refreshes(void **state)
{
	static const char *const ids[] = {"good1"};
	struct collector *c =
		start(make_source(ids, 1), (struct collector_options){.fast_ms = 3600000});
	struct snapshot *snap = wait_for(c, complete);

	(void)state;
	assert_non_null(snap);
	assert_null(snap->nodes[0].prev[SECTION_CPU]);
	snapshot_free(snap);
	collector_refresh(c, "good1");
	snap = wait_for(c, second_answer);
	assert_non_null(snap);
	/* Both answers came over one connection. */
	assert_int_equal(atomic_load(&seen.connects), 1);
	snapshot_free(snap);
	collector_stop(c);
}

static bool failed(const struct snapshot *snap)
{
	return snap->nodes[0].state == NODE_FAILED;
}

static bool ok(const struct snapshot *snap)
{
	return snap->nodes[0].state == NODE_OK;
}

static void test_live_recovers(void **state)
{
	static const char *const ids[] = {"flaky"};
	struct collector *c = start(make_source(ids, 1), (struct collector_options){.fast_ms = 50});
	struct snapshot *snap = wait_for(c, failed);

	(void)state;
	assert_non_null(snap);
	assert_true(snap->nodes[0].next_try_mono_ms > snap->mono_ms);
	snapshot_free(snap);
	atomic_store(&seen.heal, true);
	collector_refresh(c, NULL); /* ends the back-off */
	snap = wait_for(c, ok);
	assert_non_null(snap);
	assert_null(snap->nodes[0].error);
	assert_int_equal(snap->nodes[0].failures, 0);
	snapshot_free(snap);
	collector_stop(c);
}

static void test_idle_does_not_spin(void **state)
{
	static const char *const ids[] = {"good1", "silent"};
	struct collector *c =
		start(make_source(ids, 2), (struct collector_options){.fast_ms = 3600000});
	struct pollfd nothing = {.fd = -1};

	(void)state;
	poll(&nothing, 1, 500);
	int before = atomic_load(&seen.steps);

	poll(&nothing, 1, 500);
	assert_true(atomic_load(&seen.steps) - before < 10);
	int64_t t0 = clock_mono_ms();

	collector_stop(c);
	assert_true(clock_mono_ms() - t0 < 5000);
	assert_int_equal(atomic_load(&seen.open), 0);
}

static void test_concurrency_limit(void **state)
{
	static char names[200][16];
	const char *ids[200];

	(void)state;
	for (int i = 0; i < 200; i++) {
		snprintf(names[i], sizeof(names[i]), "good%d", i);
		ids[i] = names[i];
	}
	struct collector *c = start(make_source(ids, 200),
		(struct collector_options){.once = true, .sample_gap_ms = -1, .concurrency = 64});
	struct snapshot *snap = wait_for(c, complete);

	assert_non_null(snap);
	assert_int_equal(snap->reached, 200);
	assert_int_equal(atomic_load(&seen.connects), 200);
	/* All places were used, and no more. */
	assert_int_equal(atomic_load(&seen.most_starting), 64);
	snapshot_free(snap);
	collector_stop(c);
}

static int group_setup(void **state)
{
	struct err e = ERR_INIT;

	(void)state;
	return collector_global_init(&e) == ERR_OK ? 0 : -1;
}

static int group_teardown(void **state)
{
	(void)state;
	collector_global_release();
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_once_reads_all_and_takes_two_samples),
		cmocka_unit_test(test_a_bad_node_costs_itself_alone),
		cmocka_unit_test(test_live_repeats_and_refreshes),
		cmocka_unit_test(test_live_recovers),
		cmocka_unit_test(test_idle_does_not_spin),
		cmocka_unit_test(test_concurrency_limit),
	};

	return cmocka_run_group_tests(tests, group_setup, group_teardown);
}
