/*
 * Published rules of thumb for pairwise sweeps, for comparison with the attribution: a
 * reading is low against one limit for the whole run, a node when more than half
 * of its readings are.
 */
#include "rules/attribution.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "collectors/compiler.h"
#include "collectors/xmalloc.h"
#include "rules/attribution_model.h"
#include "rules/robust.h"

enum reference { OF_MEAN, OF_MEDIAN, OF_MAXIMUM };

static const struct rule {
	const char *name;
	const char *source;
	enum reference of;
	double share; /* of the reference; below it a reading is low */
} rules[SIMPLE_COUNT] = {
	[SIMPLE_MEAN5] = {"mean5", "AWS validation script: more than 5 % below the mean of the run",
		OF_MEAN, 0.95},
	[SIMPLE_MEDIAN10] = {"median10", "AWS text: more than 10 % below the median of the run",
		OF_MEDIAN, 0.9},
	[SIMPLE_MEDIAN20] = {"median20", "AWS text: more than 20 % below the median of the run",
		OF_MEDIAN, 0.8},
	[SIMPLE_MAX93] = {"max93", "NVIDIA ClusterKit: below 93 % of the maximum of the run",
		OF_MAXIMUM, 0.93},
};

const char *simple_rule_name(enum simple_rule r)
{
	return (size_t)r < ARRAY_LEN(rules) ? rules[r].name : "?";
}

const char *simple_rule_source(enum simple_rule r)
{
	return (size_t)r < ARRAY_LEN(rules) ? rules[r].source : "?";
}

bool simple_rule_by_name(const char *name, enum simple_rule *out)
{
	for (size_t r = 0; r < ARRAY_LEN(rules); r++) {
		if (strcmp(rules[r].name, name) != 0)
			continue;
		*out = (enum simple_rule)r;
		return true;
	}
	return false;
}

/* NAN without readings. */
static double reference_of(enum reference of, const struct pair_set *set)
{
	float *v = malloc((set->n_readings + 1) * sizeof(*v));
	double sum = 0;
	double most = NAN;
	size_t n = 0;
	double median;

	if (!v)
		return NAN;
	for (size_t i = 0; i < set->n_readings; i++) {
		float x = set->readings[i].busbw_gbps;

		if (!reading_counts(x))
			continue;
		v[n++] = x;
		sum += x;
		most = fmax(most, x);
	}
	median = robust_median(v, n);
	free(v);
	if (of == OF_MEDIAN)
		return median;
	return of == OF_MEAN && n ? sum / (double)n : most;
}

/* Readings of one node: how many count, how many of them are low. */
struct tally {
	uint32_t n;
	uint32_t low;
};

static void count_pair(const struct pair_set *set, const struct attribution *at,
	struct simple_verdict *v, size_t p, struct tally *ta, struct tally *tb, size_t a, size_t b)
{
	struct tally pair = {0, 0};
	double busbw;
	bool low;

	for (size_t i = set->first[p]; i < set->first[p + 1]; i++) {
		float x = set->readings[i].busbw_gbps;

		if (!reading_counts(x))
			continue;
		pair.n++;
		pair.low += x < v->limit_gbps;
	}
	if (pair.n == 0)
		return;
	ta->n += pair.n;
	ta->low += pair.low;
	tb->n += pair.n;
	tb->low += pair.low;
	busbw = pair_set_busbw(set, a, b);
	low = busbw < v->limit_gbps;
	v->pairs_low += low;
	if (at)
		v->pairs_differ += low != attribution_pair_low(at, a, b);
}

struct simple_verdict *simple_rule_run(
	enum simple_rule r, const struct pair_set *set, const struct attribution *at)
{
	const struct rule *rule = &rules[(size_t)r < ARRAY_LEN(rules) ? r : 0];
	struct simple_verdict *v = xcalloc(1, sizeof(*v));
	struct tally *tally = xcalloc(set->n + 1, sizeof(*tally));
	size_t p = 0;

	arena_init(&v->arena, FLEET_NODES_MAX + 64);
	v->node_low = arena_alloc(&v->arena, set->n + 1);
	v->limit_gbps = reference_of(rule->of, set) * rule->share;
	for (size_t a = 0; a < set->n; a++)
		for (size_t b = a + 1; b < set->n; b++, p++)
			if (set->first[p] < set->first[p + 1])
				count_pair(set, at, v, p, &tally[a], &tally[b], a, b);
	for (size_t a = 0; a < set->n && v->node_low; a++) {
		v->node_low[a] = 2 * tally[a].low > tally[a].n;
		v->n_nodes_low += v->node_low[a];
		/* Nodes that the attribution does not blame either are the same to both. */
		v->nodes_differ += at && v->node_low[a];
	}
	for (size_t i = 0; at && v->node_low && i < at->n_nodes; i++) {
		if (v->node_low[at->nodes[i].node])
			v->nodes_differ--;
		else
			v->nodes_differ++;
	}
	free(tally);
	return v;
}

void simple_verdict_free(struct simple_verdict *v)
{
	if (!v)
		return;
	arena_release(&v->arena);
	free(v);
}
