/*
 * Sweeps made by hand, one fault each: who is blamed for it, and that nobody is where
 * nothing can be told.
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

#include "collectors/xmalloc.h"
#include "tests/lib/sweep.h"

static void assert_blames_nobody(const struct attribution *at)
{
	assert_int_equal(at->n_nodes, 0);
	assert_int_equal(at->n_links, 0);
}

static void healthy(void **ctx)
{
	static const size_t sizes[] = {4, 5, 8, 16, 33, 64};

	(void)ctx;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		for (unsigned salt = 0; salt < 5; salt++) {
			struct sweep s = {
				.n = sizes[i], .leaf = 4, .salt = salt, .repeats = 1 + salt % 3};
			struct attribution *at = sweep_attribute(&s);

			assert_true(at->enough);
			assert_blames_nobody(at);
			assert_int_equal(at->topology, TOPOLOGY_NONE);
			assert_true(sweep_says(at, "No node and no link is slow"));
			if (s.n >= 16)
				assert_true(at->noise > 0.007 && at->noise < 0.014);
			assert_true(fabs(attribution_expected(at, 0, 1) - 400) < 8);
			attribution_free(at);
		}
	}
}

static void slow_node(void **ctx)
{
	struct sweep s = {.n = 32, .leaf = 4, .slow = {[7] = 0.82}};
	struct attribution *at = sweep_attribute(&s);
	const struct suspect_node *x = &at->nodes[0];

	(void)ctx;
	assert_int_equal(at->n_nodes, 1);
	assert_int_equal(at->n_links, 0);
	assert_int_equal(at->topology, TOPOLOGY_NONE);
	assert_int_equal(x->node, 7);
	assert_true(fabs(x->deficit - 0.18) < 0.01);
	assert_true(x->confidence > 0.9);
	assert_int_equal(x->pairs, 31);
	assert_int_equal(x->agree, 31);
	assert_int_equal(x->n_evidence, ATTRIBUTION_EVIDENCE_MAX);
	for (size_t i = 0; i < x->n_evidence; i++) {
		assert_true(x->evidence[i].a == 7 || x->evidence[i].b == 7);
		assert_true(x->evidence[i].a < x->evidence[i].b);
		assert_true(x->evidence[i].busbw_gbps < 0.9 * x->evidence[i].expected_gbps);
	}
	assert_true(fabs(at->node_term[7] - log(0.82)) < 0.01);
	assert_true(sweep_says(at, "node-7: 31 of 31 pairs are 18 % below"));
	assert_true(attribution_pair_low(at, 7, 3) && attribution_pair_low(at, 3, 7));
	assert_false(attribution_pair_low(at, 2, 3));
	assert_true(fabs(attribution_expected(at, 7, 3) - 400) < 8);
	assert_true(isnan(attribution_expected(at, 3, 3)));
	assert_true(isnan(attribution_expected(at, 3, 32)));
	attribution_free(at);
}

/* A loss that no published rule sees. */
static void mildly_slow_node(void **ctx)
{
	struct sweep s = {.n = 16, .leaf = 4, .slow = {[3] = 0.95}};
	struct attribution *at = sweep_attribute(&s);

	(void)ctx;
	assert_int_equal(at->n_nodes, 1);
	assert_int_equal(at->nodes[0].node, 3);
	assert_int_equal(at->n_links, 0);
	attribution_free(at);
}

static void many_slow_nodes(void **ctx)
{
	struct sweep s = {.n = 30, .leaf = 5, .cross_spine = 0.88};
	struct attribution *at;

	(void)ctx;
	for (size_t i = 0; i < 9; i++)
		s.slow[3 * i + i % 2] = 0.6 + 0.03 * (double)i;
	at = sweep_attribute(&s);
	assert_int_equal(at->n_nodes, 9);
	assert_int_equal(at->n_links, 0);
	assert_int_equal(at->topology, TOPOLOGY_SPINE);
	for (size_t i = 0; i < at->n_nodes; i++)
		assert_true(s.slow[at->nodes[i].node] > 0);
	attribution_free(at);
}

static void slow_link(void **ctx)
{
	struct sweep s = {.n = 16, .leaf = 4, .link_a = 2, .link_b = 9, .link = 0.7};
	struct attribution *at = sweep_attribute(&s);

	(void)ctx;
	assert_int_equal(at->n_nodes, 0);
	assert_int_equal(at->n_links, 1);
	assert_int_equal(at->links[0].a, 2);
	assert_int_equal(at->links[0].b, 9);
	assert_int_equal(at->links[0].readings, 3);
	assert_true(fabs(at->links[0].deficit - 0.3) < 0.03);
	assert_true(attribution_pair_low(at, 9, 2));
	assert_false(attribution_pair_low(at, 9, 3));
	attribution_free(at);
	/* One reading could have been anything. */
	s.repeats = 1;
	at = sweep_attribute(&s);
	assert_blames_nobody(at);
	assert_int_equal(at->n_transients, 1);
	assert_true(at->transients[0].retest);
	assert_int_equal(at->transients[0].a, 2);
	assert_int_equal(at->transients[0].b, 9);
	assert_true(sweep_says(at, "Measure again"));
	attribution_free(at);
}

static void transients(void **ctx)
{
	struct sweep s = {.n = 12, .leaf = 4};
	struct sweep_readings *r = xmalloc(sizeof(*r));
	struct attribution *at;

	(void)ctx;
	sweep_measure(&s, r);
	r->v[0] *= 0.5f;
	/* Two of three of one pair: still not what its third says. */
	r->v[30] *= 0.6f;
	r->v[31] *= 0.8f;
	at = sweep_judge(&s, r);
	assert_blames_nobody(at);
	assert_int_equal(at->n_transients, 3);
	assert_true(fabs(at->transients[0].busbw_gbps - 200) < 10);
	for (size_t i = 0; i < 3; i++)
		assert_false(at->transients[i].retest);
	attribution_free(at);
	free(r);
}

static void far_apart(void **ctx)
{
	struct sweep az = {.n = 18, .leaf = 3, .cross_az = 0.7};
	struct sweep spine = {.n = 16, .leaf = 4, .cross_spine = 0.9, .slow = {[5] = 0.75}};
	struct attribution *at = sweep_attribute(&az);

	(void)ctx;
	assert_blames_nobody(at);
	assert_int_equal(at->topology, TOPOLOGY_AZ);
	assert_string_equal(at->topology_where, "use1-az1 to use1-az2");
	assert_true(fabs(at->topology_effect - 0.3) < 0.02);
	assert_true(fabs(attribution_expected(at, 0, 17) - 280) < 8);
	assert_int_equal(at->n_classes, 2);
	attribution_free(at);

	at = sweep_attribute(&spine);
	assert_int_equal(at->topology, TOPOLOGY_SPINE);
	assert_int_equal(at->n_nodes, 1);
	assert_int_equal(at->nodes[0].node, 5);
	attribution_free(at);
}

/* All pairs that leave it are slow, those within are not. */
static void slow_leaf(void **ctx)
{
	static const size_t sizes[] = {8, 16, 48};

	(void)ctx;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct sweep s = {.n = sizes[i], .leaf = sizes[i] / 4, .bad_leaf = 0.75};
		struct attribution *at = sweep_attribute(&s);

		assert_blames_nobody(at);
		assert_int_equal(at->topology, TOPOLOGY_LEAF);
		assert_string_equal(at->topology_where, "leaf leaf1");
		attribution_free(at);
	}
}

/* The same pairs slow, and those within too: the nodes. */
static void all_nodes_of_a_leaf(void **ctx)
{
	struct sweep s = {.n = 16, .leaf = 4, .slow = {[4] = .8, .8, .8, .8}};
	struct attribution *at = sweep_attribute(&s);

	(void)ctx;
	assert_int_equal(at->n_nodes, 4);
	assert_int_equal(at->topology, TOPOLOGY_NONE);
	assert_true(sweep_says(at, "All 4 nodes of leaf leaf1 are slow"));
	attribution_free(at);
}

/* Nine nodes in leaves of two: the last has a leaf, and a spine, of its own. */
static void alone_in_its_leaf(void **ctx)
{
	struct sweep s = {.n = 9, .leaf = 2, .slow = {[8] = 0.8}};
	struct attribution *at = sweep_attribute(&s);

	(void)ctx;
	assert_int_equal(at->n_nodes, 1);
	assert_int_equal(at->nodes[0].node, 8);
	assert_true(at->nodes[0].confidence < 0.8);
	assert_true(sweep_says(at, "node-8 is alone in leaf leaf4"));
	attribution_free(at);
}

static void instance_types(void **ctx)
{
	struct sweep s = {.n = 16, .leaf = 4, .old = 4, .slow = {[2] = 0.8}};
	struct attribution *at = sweep_attribute(&s);

	(void)ctx;
	assert_int_equal(at->topology, TOPOLOGY_INSTANCE_TYPE);
	assert_int_equal(at->n_nodes, 1);
	assert_int_equal(at->nodes[0].node, 2);
	assert_int_equal(at->n_links, 0);
	assert_true(fabs(attribution_expected(at, 0, 15) - 120) < 4);
	attribution_free(at);
}

static void placement_not_known(void **ctx)
{
	struct sweep s = {.n = 24, .slow = {[20] = 0.8}};
	struct attribution *at = sweep_attribute(&s);

	(void)ctx;
	assert_int_equal(at->n_nodes, 1);
	assert_int_equal(at->topology, TOPOLOGY_NONE);
	assert_true(sweep_says(at, "Placement (AZ, spine, leaf) is not known"));
	attribution_free(at);
}

/* Nobody told of the two AZs: those of the smaller one are slow with most, yet not to blame. */
static void hidden_distance(void **ctx)
{
	struct sweep s = {.n = 24, .cross_az = 0.75};
	struct attribution *at = sweep_attribute(&s);

	(void)ctx;
	assert_blames_nobody(at);
	assert_true(sweep_says(at, "fast among each other"));
	attribution_free(at);
}

static void placement_half_known(void **ctx)
{
	struct sweep s = {
		.n = 32, .leaf = 4, .half_told = true, .cross_spine = 0.85, .slow = {[5] = 0.7}};
	struct attribution *at = sweep_attribute(&s);

	(void)ctx;
	assert_int_equal(at->topology, TOPOLOGY_SPINE);
	assert_int_equal(at->n_nodes, 1);
	assert_int_equal(at->nodes[0].node, 5);
	assert_true(sweep_says(at, "Placement is not known for 11 of 32"));
	attribution_free(at);
}

static void tested_little_or_not(void **ctx)
{
	struct sweep none = {.n = 12, .leaf = 4, .untested = true};
	struct sweep few = {.n = 12, .leaf = 4, .only_few = 2, .slow = {[11] = 0.7}};
	struct sweep one = {.n = 12, .leaf = 4, .only_few = 1, .slow = {[11] = 0.7}};
	struct attribution *at = sweep_attribute(&none);

	(void)ctx;
	assert_blames_nobody(at);
	assert_int_equal(at->tested[11], TESTED_NOT);
	assert_int_equal(at->tested[0], TESTED_WELL);
	assert_int_equal(at->n_untested, 1);
	assert_true(isnan(at->node_term[11]));
	assert_true(sweep_says(at, "node-11"));
	attribution_free(at);

	at = sweep_attribute(&few);
	assert_int_equal(at->tested[11], TESTED_LITTLE);
	assert_int_equal(at->n_little, 1);
	for (size_t i = 0; i < at->n_nodes; i++)
		assert_true(at->nodes[i].node == 11 && at->nodes[i].confidence <= 0.5);
	attribution_free(at);

	at = sweep_attribute(&one);
	assert_int_equal(at->n_nodes, 0);
	assert_int_equal(at->n_links, 1);
	assert_true(at->links[0].confidence <= 0.5);
	attribution_free(at);
}

static void too_little(void **ctx)
{
	(void)ctx;
	for (size_t n = 0; n < 4; n++) {
		struct sweep s = {.n = n, .leaf = 2, .slow = {[0] = 0.5}};
		struct attribution *at = sweep_attribute(&s);

		assert_false(at->enough);
		assert_blames_nobody(at);
		assert_true(sweep_says(at, "Too little was measured"));
		assert_true(isnan(attribution_expected(at, 0, 1)));
		assert_false(attribution_pair_low(at, 0, 1));
		attribution_free(at);
	}
}

static void all_equal(void **ctx)
{
	struct sweep s = {.n = 10, .leaf = 2};
	struct sweep_readings *r = xmalloc(sizeof(*r));
	struct attribution *at;

	(void)ctx;
	sweep_measure(&s, r);
	for (size_t i = 0; i < r->n; i++)
		r->v[i] = 100;
	at = sweep_judge(&s, r);
	assert_true(at->enough);
	assert_blames_nobody(at);
	assert_int_equal(at->n_transients, 0);
	attribution_free(at);
	free(r);
}

static void absurd_readings(void **ctx)
{
	static const float absurd[] = {0, -5, INFINITY, -INFINITY, NAN, 1e30f, 1e-30f};
	struct sweep s = {.n = 12, .leaf = 4, .slow = {[3] = 0.8}};
	struct sweep_readings *r = xmalloc(sizeof(*r));
	struct attribution *at;

	(void)ctx;
	sweep_measure(&s, r);
	for (size_t i = 0; i < 7; i++)
		r->v[9 * i] = absurd[i];
	at = sweep_judge(&s, r);
	assert_int_equal(at->n_nodes, 1);
	assert_int_equal(at->nodes[0].node, 3);
	assert_int_equal(at->n_links, 0);
	assert_true(sweep_says(at, "7 readings are no bandwidth"));
	attribution_free(at);
	for (size_t i = 0; i < r->n; i++)
		r->v[i] = absurd[i % 7];
	at = sweep_judge(&s, r);
	assert_false(at->enough);
	assert_int_equal(at->n_untested, 12);
	attribution_free(at);
	free(r);
}

/* The same down to the last bit, however the readings are ordered. */
static void assert_same(const struct attribution *x, const struct attribution *y)
{
	assert_int_equal(x->n_nodes, y->n_nodes);
	assert_int_equal(x->n_links, y->n_links);
	assert_int_equal(x->topology, y->topology);
	assert_int_equal(x->n_transients, y->n_transients);
	assert_int_equal(x->n_why, y->n_why);
	for (size_t i = 0; i < x->n_why; i++)
		assert_string_equal(x->why[i], y->why[i]);
	for (size_t i = 0; i < x->n; i++)
		assert_true(fabs(x->node_term[i] - y->node_term[i]) < 1e-6);
}

static const struct sweep everything = {.n = 32,
	.leaf = 4,
	.cross_spine = 0.86,
	.slow = {[6] = 0.7, [21] = 0.9},
	.link_a = 1,
	.link_b = 30,
	.link = 0.6};

static void order_does_not_matter(void **ctx)
{
	struct sweep_readings *r = xmalloc(sizeof(*r));
	struct attribution *x;
	struct attribution *y;
	uint32_t state = 3;

	(void)ctx;
	sweep_measure(&everything, r);
	x = sweep_judge(&everything, r);
	assert_int_equal(x->n_nodes, 2);
	assert_int_equal(x->n_links, 1);
	y = sweep_judge(&everything, r);
	assert_same(x, y);
	attribution_free(y);
	for (size_t i = r->n - 1; i > 0; i--) {
		size_t j = (size_t)(sweep_chance(&state) * (double)(i + 1));
		uint16_t a = r->a[i];
		uint16_t b = r->b[i];
		float v = r->v[i];

		r->a[i] = r->a[j];
		r->b[i] = r->b[j];
		r->v[i] = r->v[j];
		/* A pair has no direction either. */
		r->a[j] = i % 2 ? a : b;
		r->b[j] = i % 2 ? b : a;
		r->v[j] = v;
	}
	y = sweep_judge(&everything, r);
	assert_same(x, y);
	attribution_free(x);
	attribution_free(y);
	free(r);
}

/* Nodes in another order, with the same names and places. */
static void numbering_does_not_matter(void **ctx)
{
	struct pair_key key = {.tool = BW_CSV};
	struct sweep_readings *r = xmalloc(sizeof(*r));
	struct fleet *f = sweep_fleet(&everything);
	struct fleet *g = fleet_new();
	struct pair_set *set;
	struct attribution *x;
	struct attribution *y;
	size_t n = everything.n;

	(void)ctx;
	sweep_measure(&everything, r);
	x = sweep_judge(&everything, r);
	for (size_t i = 0; i < n; i++) {
		const char *name = f->nodes[(i * 5 + 3) % n].name;

		fleet_find_or_add(g, span_of(name));
		g->nodes[i].leaf = f->nodes[(i * 5 + 3) % n].leaf;
		g->nodes[i].spine = f->nodes[(i * 5 + 3) % n].spine;
		g->nodes[i].az = f->nodes[(i * 5 + 3) % n].az;
		g->nodes[i].instance_type = f->nodes[(i * 5 + 3) % n].instance_type;
	}
	for (size_t i = 0; i < r->n; i++) {
		r->a[i] = (uint16_t)fleet_find(g, span_of(f->nodes[r->a[i]].name));
		r->b[i] = (uint16_t)fleet_find(g, span_of(f->nodes[r->b[i]].name));
	}
	set = pair_set_make(g, &key, r->a, r->b, r->v, r->n);
	y = attribution_run(set);
	assert_int_equal(x->n_nodes, y->n_nodes);
	for (size_t i = 0; i < x->n_nodes; i++)
		assert_string_equal(
			f->nodes[x->nodes[i].node].name, g->nodes[y->nodes[i].node].name);
	assert_int_equal(y->n_links, 1);
	assert_int_equal(x->topology, y->topology);
	assert_string_equal(x->topology_where, y->topology_where);
	attribution_free(x);
	attribution_free(y);
	pair_set_free(set);
	fleet_free(f);
	fleet_free(g);
	free(r);
}

/* Half of one node's pairs are slow: not sixteen links, one node. */
static void half_of_a_nodes_pairs(void **ctx)
{
	struct sweep s = {.n = 33, .leaf = 4};
	struct sweep_readings *r = xmalloc(sizeof(*r));
	struct attribution *at;

	(void)ctx;
	sweep_measure(&s, r);
	for (size_t i = 0; i < r->n; i++)
		if (r->a[i] == 0 && r->b[i] % 2)
			r->v[i] *= 0.8f;
	at = sweep_judge(&s, r);
	assert_int_equal(at->n_nodes, 1);
	assert_int_equal(at->nodes[0].node, 0);
	assert_int_equal(at->n_links, 0);
	assert_true(at->nodes[0].confidence < 0.9);
	attribution_free(at);
	free(r);
}

/* One pair in ten is slow, without rhyme or reason: no link is blamed with any certainty. */
static void slow_pairs_everywhere(void **ctx)
{
	struct sweep s = {.n = 32, .leaf = 4};
	struct sweep_readings *r = xmalloc(sizeof(*r));
	struct attribution *at;

	(void)ctx;
	sweep_measure(&s, r);
	for (size_t i = 0; i < r->n; i++)
		if ((r->a[i] * 7 + r->b[i] * 3) % 10 == 0)
			r->v[i] *= 0.7f;
	at = sweep_judge(&s, r);
	assert_int_equal(at->n_nodes, 0);
	for (size_t i = 0; i < at->n_links; i++)
		assert_true(at->links[i].confidence <= 0.5);
	assert_true(sweep_says(at, "too many for broken links"));
	attribution_free(at);
	free(r);
}

/* Each level costs something, as in real networks: nodes of small groups are not to blame. */
static void several_levels(void **ctx)
{
	struct sweep s = {.n = 48, .leaf = 4, .cross_spine = 0.93, .cross_az = 0.7};
	struct attribution *at;

	(void)ctx;
	at = sweep_attribute(&s);
	assert_blames_nobody(at);
	assert_int_equal(at->topology, TOPOLOGY_AZ);
	assert_true(fabs(attribution_expected(at, 0, 20) - 372) < 8);
	s.slow[40] = 0.85;
	attribution_free(at);
	at = sweep_attribute(&s);
	assert_int_equal(at->n_nodes, 1);
	assert_int_equal(at->nodes[0].node, 40);
	attribution_free(at);
}

static void names_of_classes(void **ctx)
{
	(void)ctx;
	assert_string_equal(topology_class_name(TOPOLOGY_NONE), "none");
	assert_string_equal(topology_class_name(TOPOLOGY_AZ), "az");
	assert_string_equal(topology_class_name(TOPOLOGY_INSTANCE_TYPE), "instance_type");
	assert_string_equal(topology_class_name(TOPOLOGY_COUNT), "none");
	attribution_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(healthy),
		cmocka_unit_test(slow_node),
		cmocka_unit_test(mildly_slow_node),
		cmocka_unit_test(many_slow_nodes),
		cmocka_unit_test(slow_link),
		cmocka_unit_test(transients),
		cmocka_unit_test(far_apart),
		cmocka_unit_test(slow_leaf),
		cmocka_unit_test(all_nodes_of_a_leaf),
		cmocka_unit_test(alone_in_its_leaf),
		cmocka_unit_test(instance_types),
		cmocka_unit_test(placement_not_known),
		cmocka_unit_test(hidden_distance),
		cmocka_unit_test(placement_half_known),
		cmocka_unit_test(tested_little_or_not),
		cmocka_unit_test(too_little),
		cmocka_unit_test(all_equal),
		cmocka_unit_test(absurd_readings),
		cmocka_unit_test(order_does_not_matter),
		cmocka_unit_test(numbering_does_not_matter),
		cmocka_unit_test(half_of_a_nodes_pairs),
		cmocka_unit_test(slow_pairs_everywhere),
		cmocka_unit_test(several_levels),
		cmocka_unit_test(names_of_classes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
