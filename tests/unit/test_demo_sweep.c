/* The simulation's sweep: rounds, texts, and what the real parser and store make of them. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collectors/demo_sweep.h"
#include "rules/attribution.h"
#include "tests/lib/feed.h"

static struct demo_scenario *load(const char *name)
{
	struct demo_scenario *sc = NULL;
	struct err e = ERR_INIT;

	if (demo_scenario_load(&sc, name, &e) != ERR_OK)
		fail_msg("%s: %s", name, e.msg);
	return sc;
}

/* A scenario of nodes nodes with that text as its sweep; NULL with *e filled. */
static struct demo_scenario *with_sweep(int nodes, const char *sweep, struct err *e)
{
	struct demo_scenario *sc = NULL;
	char text[1024];

	snprintf(text, sizeof(text),
		"{\"name\":\"t\",\"groups\":[{\"name\":\"g\",\"nodes\":%d,\"first_ip\":"
		"\"10.1.2.17\"}],\"sweep\":%s}",
		nodes, sweep);
	if (demo_scenario_parse(&sc, "t.json", text, strlen(text), e) != ERR_OK)
		return NULL;
	return sc;
}

static void every_pair_is_in_one_round(void **state)
{
	(void)state;
	for (int n = 2; n <= 33; n++) {
		struct demo_scenario *sc = with_sweep(n, "{}", NULL);
		char seen[33][33] = {{0}};

		assert_non_null(sc);
		const struct demo_plan *p = &sc->sweep;

		for (size_t r = 0; r < demo_plan_rounds(p); r++) {
			char busy[33] = {0};

			for (size_t k = 0; k < demo_plan_round_pairs(p); k++) {
				size_t a;
				size_t b;

				if (!demo_plan_pair(p, r, k, &a, &b))
					continue;
				assert_true(a < b && b < (size_t)n);
				assert_false(busy[a] || busy[b] || seen[a][b]);
				busy[a] = busy[b] = seen[a][b] = 1;
			}
		}
		for (int a = 0; a < n; a++)
			for (int b = a + 1; b < n; b++)
				assert_true(seen[a][b]);
		demo_scenario_free(sc);
	}
}

static void effects_are_in_the_figures(void **state)
{
	struct err e = ERR_INIT;
	struct demo_scenario *sc = with_sweep(8,
		"{\"busbw_gbps\":400,\"noise_pct\":0.5,\"effects\":["
		"{\"kind\":\"slow_node\",\"node\":2,\"pct\":20},"
		"{\"kind\":\"slow_link\",\"a\":4,\"b\":3,\"pct\":50},"
		"{\"kind\":\"transient\",\"a\":5,\"b\":6,\"pct\":40},"
		"{\"kind\":\"absent\",\"node\":7}]}",
		&e);

	(void)state;
	if (!sc)
		fail_msg("%s", e.msg);
	assert_true(fabs(demo_plan_busbw(sc, 0, 1, 0) - 400) < 12);
	assert_true(fabs(demo_plan_busbw(sc, 0, 2, 0) - 320) < 10);
	assert_true(fabs(demo_plan_busbw(sc, 3, 4, 0) - 200) < 6);
	assert_true(fabs(demo_plan_busbw(sc, 5, 6, 0) - 240) < 8);
	assert_true(fabs(demo_plan_busbw(sc, 5, 6, 1) - 400) < 12);
	assert_true(demo_plan_busbw(sc, 0, 1, 0) != demo_plan_busbw(sc, 0, 1, 1));
	assert_int_equal(sc->sweep.n, 7);
	assert_int_equal(demo_plan_rounds(&sc->sweep), 7);
	demo_scenario_free(sc);
}

static void wrong_scenarios_say_where(void **state)
{
	static const struct {
		const char *sweep;
		const char *says;
	} cases[] = {
		{"3", "sweep: must be an object"},
		{"{\"round_s\":0}", "round_s: must be a number from 0.1"},
		{"{\"speed\":1}", "sweep: speed: no such key"},
		{"{\"cross\":\"rack\"}", "cross: must be az, spine or leaf"},
		{"{\"effects\":{}}", "effects: must be a list"},
		{"{\"effects\":[{\"kind\":\"slow\"}]}", "effects[0]: kind: must be"},
		{"{\"effects\":[{\"kind\":\"slow_node\",\"node\":9,\"pct\":3}]}", "no such node"},
		{"{\"effects\":[{\"kind\":\"slow_node\",\"node\":1}]}", "pct: must be"},
		{"{\"effects\":[{\"kind\":\"cut\",\"a\":1,\"b\":1}]}", "b: must be another node"},
		{"{\"effects\":[{\"kind\":\"cut\",\"a\":1,\"b\":2,\"pct\":3}]}", "does not have"},
		{"{\"effects\":[{\"kind\":\"absent\",\"node\":0},{\"kind\":\"absent\",\"node\":1}]"
		 "}",
			"fewer than two"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct err e = ERR_INIT;

		assert_null(with_sweep(3 - (i + 1 == ARRAY_LEN(cases)), cases[i].sweep, &e));
		if (!strstr(e.msg, cases[i].says))
			fail_msg("\"%s\" is not in \"%s\"", cases[i].says, e.msg);
	}
}

static void texts_repeat(void **state)
{
	struct demo_scenario *sc = load("sweep");
	struct buf one = BUF_INIT(1 << 16);
	struct buf two = BUF_INIT(1 << 16);

	(void)state;
	assert_int_equal(demo_sweep_text(&one, sc, 1, 2, 0, false), ERR_OK);
	assert_int_equal(demo_sweep_text(&two, sc, 1, 2, 0, false), ERR_OK);
	assert_string_equal(buf_str(&one), buf_str(&two));
	assert_non_null(strstr(buf_str(&one), "#  Rank 15 Group  0 Pid "));
	assert_non_null(strstr(buf_str(&one), "# Avg bus bandwidth    : "));
	/* A half is the beginning of the whole. */
	buf_reset(&two);
	assert_int_equal(demo_sweep_text(&two, sc, 1, 2, 0, true), ERR_OK);
	assert_true(two.len < one.len);
	assert_memory_equal(buf_str(&one), buf_str(&two), two.len);
	assert_int_not_equal(buf_str(&two)[two.len - 1], '\n');
	/* Each row is as wide as the header over it. */
	const char *row = strstr(buf_str(&one), "\n  8589934592");
	const char *head = strstr(buf_str(&one), "\n#       size");

	assert_non_null(row);
	assert_non_null(head);
	assert_int_equal(strcspn(row + 1, "\n") + 1, strcspn(head + 1, "\n"));
	buf_release(&one);
	buf_release(&two);
	demo_scenario_free(sc);
}

/* The feed with a clock of the test's own. */
static void play(struct feed *f, const char *scenario)
{
	struct pair_feed *feed = NULL;
	struct err e = ERR_INIT;

	if (demo_sweep_new(&feed, scenario, &e) != ERR_OK)
		fail_msg("%s", e.msg);
	assert_non_null(feed);
	feed_init(f, feed);
}

static void at_second(struct feed *f, double s)
{
	while (f->feed->ops->step(f->feed, f->store, 1000 + (int64_t)(s * 1000)) == ERR_OK)
		continue;
}

static void the_map_fills_round_by_round(void **state)
{
	struct feed f;
	size_t before = 0;
	bool growing = false;

	(void)state;
	play(&f, "sweep");
	at_second(&f, 0);
	assert_int_equal(feed_measured(&f), 0);
	for (int s = 2; s <= 64; s++) {
		at_second(&f, s);
		size_t now = feed_measured(&f);

		assert_true(now >= before);
		growing |= feed_state(&f).growing > 0;
		before = now;
	}
	assert_true(growing);
	/* All pairs but the one that fails and the one that is cut. */
	assert_int_equal(feed_measured(&f), 32 * 31 / 2 - 2);
	assert_int_equal(feed_state(&f).growing, 0);
	at_second(&f, 200);
	assert_int_equal(feed_measured(&f), 32 * 31 / 2);
	assert_int_equal(feed_state(&f).files, 2 * 32 * 31 / 2);
	assert_int_equal(f.feed->ops->step(f.feed, f.store, 300000), ERR_AGAIN);
	feed_release(&f);
}

/* Late or in time: the same is known in the end. */
static void it_catches_up(void **state)
{
	static const struct pair_select largest;
	struct feed f;

	(void)state;
	play(&f, NULL);
	at_second(&f, 0);
	at_second(&f, 60);
	assert_int_equal(feed_measured(&f), 23 * 22 / 2);
	double busbw = feed_busbw(&f, "ip-10-1-2-17", "ip-10-1-3-41");

	pair_store_free(f.store);
	f.store = pair_store_new(&largest);
	f.feed->ops->again(f.feed);
	assert_false(feed_state(&f).first_look);
	at_second(&f, 60);
	assert_true(feed_state(&f).first_look);
	assert_int_equal(feed_measured(&f), 23 * 22 / 2);
	assert_true(fabs(feed_busbw(&f, "ip-10-1-2-17", "ip-10-1-3-41") - busbw) < 1e-9);
	feed_release(&f);
}

static void a_round_of_a_thousand(void **state)
{
	struct feed f;

	(void)state;
	play(&f, "thousand");
	at_second(&f, 0);
	at_second(&f, 1.7);
	assert_int_equal(feed_measured(&f), 510); /* 1,021 take part, one sits out */
	assert_int_equal(feed_state(&f).files, 1);
	at_second(&f, 2.9);
	assert_int_equal(feed_measured(&f), 3 * 510);
	feed_release(&f);
}

static void what_is_wrong_is_found(void **state)
{
	struct demo_scenario *sc = load("sweep");
	struct fleet *fleet = fleet_new();
	struct feed f;
	struct snapshot *snap = snapshot_new(sc->n);

	(void)state;
	for (size_t i = 0; i < sc->n; i++) {
		struct node *n = &snap->nodes[i];

		n->id = snapshot_str(snap, sc->nodes[i].instance_id);
		n->name = snapshot_str(snap, sc->nodes[i].name);
		n->placement.spine = snapshot_str(snap, sc->nodes[i].group->spine);
		n->placement.leaf = snapshot_str(snap, sc->nodes[i].leaf);
	}
	fleet_add_snapshot(fleet, snap);
	play(&f, "sweep");
	at_second(&f, 0);
	at_second(&f, 200);
	struct pair_set *set = pair_store_freeze(f.store, fleet);
	struct attribution *at = attribution_run(set);

	assert_int_equal(at->n_nodes, 1);
	assert_string_equal(set->nodes[at->nodes[0].node].name, "ip-10-3-2-14");
	assert_int_equal(at->n_links, 1);
	assert_int_equal(at->topology, TOPOLOGY_SPINE);
	assert_int_equal(at->n_transients, 1);
	assert_int_equal(set->n_failures, 2);
	attribution_free(at);
	pair_set_free(set);
	snapshot_free(snap);
	fleet_free(fleet);
	feed_release(&f);
	demo_scenario_free(sc);
}

static void a_scenario_without(void **state)
{
	struct pair_feed *feed = NULL;
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(demo_sweep_new(&feed, "healthy", &e), ERR_OK);
	assert_null(feed);
	assert_int_equal(demo_sweep_new(&feed, "nonesuch", &e), ERR_USAGE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_pair_is_in_one_round),
		cmocka_unit_test(effects_are_in_the_figures),
		cmocka_unit_test(wrong_scenarios_say_where),
		cmocka_unit_test(texts_repeat),
		cmocka_unit_test(the_map_fills_round_by_round),
		cmocka_unit_test(it_catches_up),
		cmocka_unit_test(a_round_of_a_thousand),
		cmocka_unit_test(what_is_wrong_is_found),
		cmocka_unit_test(a_scenario_without),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
