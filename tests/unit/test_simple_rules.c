/* The published rules, by hand-made sweeps: limits, who is low, where they differ from ours. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "rules/attribution.h"

#define NODES 8

static struct pair_set *sweep(float busbw(size_t a, size_t b))
{
	struct pair_key key = {.tool = BW_CSV};
	struct fleet *f = fleet_new();
	uint16_t a[NODES * NODES];
	uint16_t b[NODES * NODES];
	float v[NODES * NODES];
	struct pair_set *set;
	size_t n = 0;

	for (size_t i = 0; i < NODES; i++) {
		char name[16];

		snprintf(name, sizeof(name), "n%zu", i);
		fleet_find_or_add(f, span_of(name));
	}
	for (size_t i = 0; i < NODES; i++)
		for (size_t j = i + 1; j < NODES; j++) {
			float x = busbw(i, j);

			if (isnan(x))
				continue;
			a[n] = (uint16_t)i;
			b[n] = (uint16_t)j;
			v[n++] = x;
		}
	set = pair_set_make(f, &key, a, b, v, n);
	fleet_free(f);
	return set;
}

static float all_100(size_t a, size_t b)
{
	(void)a;
	(void)b;
	return 100;
}

/* Node 2 loses 8 %. */
static float slow_node(size_t a, size_t b)
{
	return a == 2 || b == 2 ? 92 : 100;
}

/* Nodes 6 and 7 are far from the rest. */
static float far_nodes(size_t a, size_t b)
{
	return (a >= 6) != (b >= 6) ? 70 : 100;
}

static float one_pair_half_low(size_t a, size_t b)
{
	if (b == 7 && a > 1)
		return NAN;
	return b == 7 && a == 0 ? 50 : 100;
}

static float nothing(size_t a, size_t b)
{
	return a == 0 && b == 1 ? -1.0f : NAN;
}

static void limits(void **ctx)
{
	static const double share[SIMPLE_COUNT] = {0.95, 0.9, 0.8, 0.93};
	struct pair_set *set = sweep(all_100);

	(void)ctx;
	for (size_t r = 0; r < SIMPLE_COUNT; r++) {
		struct simple_verdict *v = simple_rule_run((enum simple_rule)r, set, NULL);

		assert_true(fabs(v->limit_gbps - 100 * share[r]) < 1e-9);
		assert_int_equal(v->n_nodes_low, 0);
		assert_int_equal(v->pairs_low, 0);
		assert_int_equal(v->nodes_differ, 0);
		simple_verdict_free(v);
	}
	pair_set_free(set);
}

static void references(void **ctx)
{
	struct pair_set *set = sweep(slow_node);
	struct simple_verdict *mean = simple_rule_run(SIMPLE_MEAN5, set, NULL);
	struct simple_verdict *max = simple_rule_run(SIMPLE_MAX93, set, NULL);
	struct simple_verdict *median = simple_rule_run(SIMPLE_MEDIAN10, set, NULL);

	(void)ctx;
	/* 7 of 28 pairs at 92: the mean is 98, its limit 93.1, the median's 90. */
	assert_true(fabs(mean->limit_gbps - 93.1) < 1e-6);
	assert_true(fabs(max->limit_gbps - 93) < 1e-6);
	assert_true(fabs(median->limit_gbps - 90) < 1e-6);
	assert_int_equal(mean->n_nodes_low, 1);
	assert_int_equal(mean->node_low[2], 1);
	assert_int_equal(mean->pairs_low, 7);
	assert_int_equal(max->n_nodes_low, 1);
	assert_int_equal(median->n_nodes_low, 0);
	simple_verdict_free(mean);
	simple_verdict_free(max);
	simple_verdict_free(median);
	pair_set_free(set);
}

/* More than half: with one low of two a node is not low. */
static void half_is_not_more_than_half(void **ctx)
{
	struct pair_set *set = sweep(one_pair_half_low);
	struct simple_verdict *v = simple_rule_run(SIMPLE_MEDIAN20, set, NULL);

	(void)ctx;
	assert_int_equal(v->pairs_low, 1);
	assert_int_equal(v->n_nodes_low, 0);
	simple_verdict_free(v);
	pair_set_free(set);
}

static void differs_from_the_attribution(void **ctx)
{
	struct pair_set *far = sweep(far_nodes);
	struct pair_set *slow = sweep(slow_node);
	struct attribution *at_far = attribution_run(far);
	struct attribution *at_slow = attribution_run(slow);
	struct simple_verdict *v = simple_rule_run(SIMPLE_MEDIAN10, far, at_far);

	(void)ctx;
	/* The rule blames two nodes that are only far away. */
	assert_int_equal(at_far->n_nodes, 0);
	assert_int_equal(v->n_nodes_low, 2);
	assert_int_equal(v->nodes_differ, 2);
	assert_int_equal(v->pairs_differ, 12);
	simple_verdict_free(v);
	/* It misses the one that the attribution finds. */
	v = simple_rule_run(SIMPLE_MEDIAN10, slow, at_slow);
	assert_int_equal(at_slow->n_nodes, 1);
	assert_int_equal(v->nodes_differ, 1);
	assert_int_equal(v->pairs_differ, 7);
	simple_verdict_free(v);
	/* And here they agree. */
	v = simple_rule_run(SIMPLE_MEAN5, slow, at_slow);
	assert_int_equal(v->nodes_differ, 0);
	assert_int_equal(v->pairs_differ, 0);
	simple_verdict_free(v);
	attribution_free(at_far);
	attribution_free(at_slow);
	pair_set_free(far);
	pair_set_free(slow);
}

static void no_readings(void **ctx)
{
	struct pair_set *set = sweep(nothing);
	struct attribution *at = attribution_run(set);

	(void)ctx;
	for (size_t r = 0; r < SIMPLE_COUNT; r++) {
		struct simple_verdict *v = simple_rule_run((enum simple_rule)r, set, at);

		assert_true(isnan(v->limit_gbps));
		assert_int_equal(v->n_nodes_low, 0);
		assert_int_equal(v->pairs_differ, 0);
		simple_verdict_free(v);
	}
	attribution_free(at);
	pair_set_free(set);
}

static void names(void **ctx)
{
	static const char *const want[SIMPLE_COUNT] = {"mean5", "median10", "median20", "max93"};
	enum simple_rule r = SIMPLE_COUNT;

	(void)ctx;
	for (size_t i = 0; i < SIMPLE_COUNT; i++) {
		assert_string_equal(simple_rule_name((enum simple_rule)i), want[i]);
		assert_true(strlen(simple_rule_source((enum simple_rule)i)) > 10);
		assert_true(simple_rule_by_name(want[i], &r));
		assert_int_equal(r, i);
	}
	r = SIMPLE_MAX93;
	assert_false(simple_rule_by_name("own", &r));
	assert_int_equal(r, SIMPLE_MAX93);
	simple_verdict_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(limits),
		cmocka_unit_test(references),
		cmocka_unit_test(half_is_not_more_than_half),
		cmocka_unit_test(differs_from_the_attribution),
		cmocka_unit_test(no_readings),
		cmocka_unit_test(names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
