#include "tests/lib/sweep_fixture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collectors/xmalloc.h"
#include "tui/heat.h"

#define LEAF_NODES  8
#define SPINE_NODES 32

/* Repeatable, of no quality: xorshift. */
static double uniform(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return (double)(*state >> 11) / 9007199254740992.0;
}

/* About normal, standard deviation 1: the sum of twelve. */
static double noise(uint64_t *state)
{
	double sum = -6;

	for (int i = 0; i < 12; i++)
		sum += uniform(state);
	return sum;
}

static struct fleet *make_fleet(size_t n, const char *const *names)
{
	struct fleet *f = fleet_new();
	char text[64];

	for (size_t i = 0; i < n; i++) {
		snprintf(text, sizeof(text), "ip-10-2-%zu-%zu", i / 200, i % 200 + 11);
		bool given = names && *names;
		const char *name = given ? *names++ : text;
		size_t at = fleet_find_or_add(f, span_of(name));
		struct fleet_node *node = &f->nodes[at];

		node->id = fleet_str(f, span_of(name));
		if (given) { /* as in ui_fixture */
			snprintf(text, sizeof(text), "i-0000000000abc%04zu", i);
			node->id = fleet_str(f, span_of(text));
		}
		node->az = fleet_str(f, span_of("usw2-az2"));
		snprintf(text, sizeof(text), "nn-spine%zu", i / SPINE_NODES + 1);
		node->spine = fleet_str(f, span_of(text));
		snprintf(text, sizeof(text), "nn-leaf%zu", i / LEAF_NODES + 1);
		node->leaf = fleet_str(f, span_of(text));
		node->instance_type = fleet_str(f, span_of("p5.48xlarge"));
	}
	return f;
}

static const struct pair_key key = {BW_NCCL_TESTS, BW_ALL_REDUCE, 16, (uint64_t)8 << 30};

struct trouble {
	size_t slow_node; /* SIZE_MAX none */
	size_t link_a, link_b;
	size_t untested;
	double spine;
};

static struct pair_set *make_set(struct fleet *fleet, double share, const struct trouble *t)
{
	size_t n = fleet->n;
	size_t most = pair_count(n) * 2 + 1;
	uint16_t *a = xcalloc(most, sizeof(*a));
	uint16_t *b = xcalloc(most, sizeof(*b));
	float *v = xcalloc(most, sizeof(*v));
	size_t k = 0;
	uint64_t state = 88172645463325252u;

	for (size_t i = 0; i < n; i++)
		for (size_t j = i + 1; j < n; j++) {
			bool link = i == t->link_a && j == t->link_b;
			double f = 1;

			if (i == t->untested || j == t->untested ||
				(uniform(&state) >= share && !link))
				continue;
			f *= i == t->slow_node || j == t->slow_node ? 0.82 : 1;
			f *= link ? 0.6 : 1;
			f *= i / SPINE_NODES != j / SPINE_NODES ? t->spine : 1;
			for (int rep = 0; rep < 2; rep++) {
				a[k] = (uint16_t)i;
				b[k] = (uint16_t)j;
				v[k++] = (float)(450 * f * (1 + 0.011 * noise(&state)));
			}
			if (i == 1 && j == 4 && n > 8)
				v[k - 1] = 201; /* once, and not again */
		}
	struct pair_set *set = pair_set_make(fleet, &key, a, b, v, k);

	set->sources[0] = (struct pair_source){.path = "/fsx/sweep/round-01.log",
		.line = 1,
		.wall_ms = SWEEP_FIXTURE_WALL_MS - 95000,
		.other_busbw_gbps = 448.5F,
		.hosts_from = BW_HOSTS_RANKS};
	set->newest_wall_ms = SWEEP_FIXTURE_WALL_MS - 95000;
	free(a);
	free(b);
	free(v);
	return set;
}

static struct sweep_picture *picture_of(struct pair_set *set)
{
	struct sweep_picture *p = xcalloc(1, sizeof(*p));

	p->generation = 1;
	p->mono_ms = 1000000;
	p->wall_ms = SWEEP_FIXTURE_WALL_MS;
	p->set = set;
	p->at = attribution_run(set);
	p->levels = heat_levels_make(set, p->at);
	p->n_feeds = 1;
	snprintf(p->feeds[0].label, sizeof(p->feeds[0].label), "/fsx/sweep");
	p->feeds[0].first_look = true;
	p->feeds[0].files = set->files;
	return p;
}

struct sweep_picture *sweep_fixture(size_t n, double share, const char *const *names)
{
	struct fleet *fleet = make_fleet(n, names);
	struct trouble t = {.slow_node = n > 8 ? 5 : 2,
		.link_a = n > 8 ? 9 : 4,
		.link_b = n > 8 ? 14 : 6,
		.untested = n > 8 ? 7 : SIZE_MAX,
		.spine = 0.88};
	struct pair_set *set = make_set(fleet, share, &t);

	if (n > 8) {
		set->failures = xcalloc(1, sizeof(*set->failures));
		set->failures[0] = (struct pair_failure){3, 7, BW_FAILED,
			"NCCL failure: remote process exited or there was a network error",
			"/fsx/sweep/round-03.log", SWEEP_FIXTURE_WALL_MS - 60000, false};
		set->n_failures = set->left_out.failed = 1;
	}
	fleet_free(fleet);
	return picture_of(set);
}

struct sweep_picture *sweep_fixture_healthy(size_t n)
{
	struct fleet *fleet = make_fleet(n, NULL);
	struct trouble t = {SIZE_MAX, SIZE_MAX, SIZE_MAX, SIZE_MAX, 1.0};
	struct pair_set *set = make_set(fleet, 1, &t);

	fleet_free(fleet);
	return picture_of(set);
}

struct sweep_picture *sweep_fixture_empty(void)
{
	struct fleet *fleet = fleet_new();
	struct pair_set *set = pair_set_make(fleet, &key, NULL, NULL, NULL, 0);

	set->files = 2;
	set->left_out.truncated = 1;
	set->left_out.not_a_pair = 1;
	fleet_free(fleet);
	struct sweep_picture *p = picture_of(set);

	p->feeds[0].files = 2;
	return p;
}
