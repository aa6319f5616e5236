/*
 * Readings and placement without rhyme or reason: whatever is read, the result is well
 * formed, and within what its header promises.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collectors/arena.h"
#include "rules/attribution.h"

#define NODES_MAX    40
#define READINGS_MAX 6000

static uint32_t state;

static uint32_t below(uint32_t n)
{
	state = state * 1664525u + 1013904223u;
	return (uint32_t)((uint64_t)(state >> 8) * n >> 24);
}

static const char *place(struct fleet *f, uint32_t groups)
{
	uint32_t g = below(groups + 1);
	char name[700];

	if (g == groups)
		return NULL;
	/* Some names are long, and cut where a sentence ends. */
	snprintf(name, sizeof(name), "g%u%0*d\xc3\xa9", (unsigned)g, g % 3 == 2 ? 600 : 1, 0);
	return arena_strndup(&f->arena, name, strlen(name));
}

static struct fleet *some_fleet(size_t n)
{
	struct fleet *f = fleet_new();

	for (size_t i = 0; i < n; i++) {
		char name[32];
		size_t at;

		snprintf(name, sizeof(name), "n%zu", i);
		at = fleet_find_or_add(f, span_of(name));
		f->nodes[at].az = place(f, 1 + below(8));
		f->nodes[at].spine = place(f, 1 + below(5));
		f->nodes[at].leaf = place(f, 1 + below(12));
		f->nodes[at].ultraserver = place(f, 2);
		f->nodes[at].instance_type = place(f, 1 + below(9));
	}
	return f;
}

/* Mostly near 100, in few steps so that values tie; now and then anything. */
static float some_busbw(uint32_t kind)
{
	static const float odd[] = {0, -1, 1e30f, 1e-9f, NAN, INFINITY, 3e-4f, 99999};

	if (below(20) == 0)
		return odd[below(8)];
	if (kind == 0)
		return 90 + (float)below(10);
	if (kind == 1)
		return 0.01f + (float)below(100000);
	return below(2) ? 100 : 50;
}

static struct pair_set *some_set(void)
{
	static uint16_t a[READINGS_MAX];
	static uint16_t b[READINGS_MAX];
	static float v[READINGS_MAX];
	struct pair_key key = {.tool = BW_CSV};
	size_t n = 2 + below(NODES_MAX - 1);
	struct fleet *f = some_fleet(n);
	uint32_t kind = below(3);
	uint32_t repeats = 1 + below(6);
	uint32_t coverage = 1 + below(10);
	struct pair_set *set;
	size_t k = 0;

	for (size_t i = 0; i < n; i++)
		for (size_t j = i + 1; j < n; j++) {
			if (below(10) >= coverage)
				continue;
			for (uint32_t r = below(repeats + 1); r > 0 && k < READINGS_MAX; r--) {
				a[k] = (uint16_t)i;
				b[k] = (uint16_t)j;
				v[k++] = some_busbw(kind);
			}
		}
	set = pair_set_make(f, &key, a, b, v, k);
	fleet_free(f);
	return set;
}

static void assert_share(double x)
{
	assert_true(x >= 0 && x <= 1);
}

static void check_evidence(const struct attribution *at, const struct pair_evidence *e)
{
	assert_true(e->a < e->b && e->b < at->n);
	assert_true(e->busbw_gbps > 0 && e->expected_gbps > 0);
}

static void check_blames(const struct attribution *at)
{
	for (size_t i = 0; i < at->n_nodes; i++) {
		const struct suspect_node *s = &at->nodes[i];

		assert_true(s->node < at->n && s->agree <= s->pairs && s->pairs < at->n);
		assert_share(s->deficit);
		assert_share(s->confidence);
		assert_true(s->n_evidence <= ATTRIBUTION_EVIDENCE_MAX);
		for (size_t k = 0; k < s->n_evidence; k++)
			check_evidence(at, &s->evidence[k]);
		for (size_t k = 0; k < i; k++)
			assert_true(at->nodes[k].node != s->node);
	}
	for (size_t i = 0; i < at->n_links; i++) {
		assert_true(at->links[i].readings > 1);
		assert_share(at->links[i].deficit);
		assert_share(at->links[i].confidence);
		check_evidence(at, &at->links[i].evidence);
		assert_true(attribution_pair_low(at, at->links[i].a, at->links[i].b));
	}
	for (size_t i = 0; i < at->n_transients; i++) {
		assert_true(at->transients[i].a < at->transients[i].b);
		assert_true(at->transients[i].b < at->n);
		assert_true(at->transients[i].busbw_gbps < at->transients[i].expected_gbps);
	}
}

static void check_rest(const struct attribution *at, const struct pair_set *set)
{
	size_t untested = 0;

	assert_int_equal(at->n, set->n);
	assert_share(at->topology_confidence);
	assert_share(at->topology_effect);
	assert_true((at->topology == TOPOLOGY_NONE) == (at->topology_where == NULL));
	assert_true(at->n_why > 0);
	for (size_t i = 0; i < at->n_why; i++)
		assert_true(strlen(at->why[i]) > 10 && strlen(at->why[i]) < 400);
	for (size_t i = 0; i < at->n; i++) {
		untested += at->tested[i] == TESTED_NOT;
		assert_true(isnan(at->node_term[i]) || at->node_term[i] <= 0);
	}
	assert_int_equal(untested, at->n_untested);
	for (size_t i = 0; i < at->n_classes; i++)
		assert_true(at->classes[i].name && at->classes[i].pairs > 0);
	if (!at->enough)
		assert_int_equal(at->n_nodes + at->n_links + at->n_transients, 0);
}

static void whatever_is_read(void **ctx)
{
	(void)ctx;
	for (uint32_t seed = 1; seed <= 300; seed++) {
		struct pair_set *set;
		struct attribution *at;

		state = seed * 7919;
		set = some_set();
		at = attribution_run(set);
		check_blames(at);
		check_rest(at, set);
		for (size_t r = 0; r < SIMPLE_COUNT; r++) {
			struct simple_verdict *v = simple_rule_run((enum simple_rule)r, set, at);

			assert_true(v->n_nodes_low <= set->n && v->nodes_differ <= set->n);
			assert_true(
				v->pairs_low <= set->measured && v->pairs_differ <= set->measured);
			simple_verdict_free(v);
		}
		attribution_free(at);
		pair_set_free(set);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whatever_is_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
