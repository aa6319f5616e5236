/* Measured pairs as log figures, seen from both ends. */
#include "rules/attribution_model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "rules/robust.h"

/* Pairs whose repeats tell the noise of readings; more make it no better. */
#define NOISE_PAIRS 32768
/* Within this many standard deviations of the median a repeat counts. */
#define REPEAT_REACH 3.5

/*
 * Median of (largest - smallest) of m normal values, in standard deviations, m from 2
 * (computed by numerical integration of the distribution of the range).
 */
static const double range_median[] = {0.954, 1.588, 1.978, 2.257, 2.472, 2.645, 2.791};
#define RANGE_MAX (2 + sizeof(range_median) / sizeof(range_median[0]) - 1)

bool reading_counts(double busbw_gbps)
{
	return busbw_gbps > BUSBW_MIN && busbw_gbps < BUSBW_MAX;
}

double noise_share(size_t readings)
{
	/* A mean of few readings near their median loses a little to the plain mean. */
	return readings <= 1 ? 1 : 1.15 / (double)readings;
}

/* The readings of pair p that count, into v; returns how many. */
static size_t take(const struct pair_set *set, size_t p, float *v)
{
	size_t n = 0;

	for (size_t i = set->first[p]; i < set->first[p + 1]; i++)
		if (reading_counts(set->readings[i].busbw_gbps))
			v[n++] = set->readings[i].busbw_gbps;
	return n;
}

/* Most readings of one pair; counts repeated pairs. */
static size_t longest(const struct pair_set *set, struct pair_graph *g)
{
	size_t most = 1;

	for (size_t p = 0; p < pair_count(set->n); p++) {
		size_t n = set->first[p + 1] - set->first[p];

		if (n > 1)
			g->repeated_pairs++;
		if (n > most)
			most = n;
	}
	return most;
}

/* The standard deviation that the repeats of one pair suggest, in log. */
static double range_sd(float *v, size_t n)
{
	float lo = v[0];
	float hi = v[0];

	if (n > RANGE_MAX) {
		double median = robust_median(v, n);

		return robust_spread(v, n, median) / median;
	}
	for (size_t i = 1; i < n; i++) {
		lo = v[i] < lo ? v[i] : lo;
		hi = v[i] > hi ? v[i] : hi;
	}
	return log((double)hi / lo) / range_median[n - 2];
}

static double repeat_noise(const struct pair_set *set, const struct pair_graph *g, float *v)
{
	size_t step = g->repeated_pairs / NOISE_PAIRS + 1;
	size_t seen = 0;
	size_t n = 0;

	for (size_t p = 0; p < pair_count(set->n); p++) {
		size_t k = set->first[p + 1] - set->first[p];

		if (k < 2 || seen++ % step != 0)
			continue;
		k = take(set, p, v);
		if (k > 1)
			g->scratch[n++] = (float)range_sd(v, k);
	}
	return robust_median(g->scratch, n);
}

/* The log figure of one pair; false when no reading counts. */
static bool summarize(
	const struct pair_set *set, struct pair_graph *g, size_t p, float *v, struct edge *e)
{
	size_t n = take(set, p, v);
	double figure;

	g->ignored += set->first[p + 1] - set->first[p] - n;
	if (n == 0)
		return false;
	figure = v[0];
	if (n > 1) {
		double median = robust_median(v, n);
		double sd = isnan(g->reading_sd) ? 0 : g->reading_sd;

		figure = robust_mean(v, n, median * REPEAT_REACH * sd);
	}
	g->readings += n;
	g->mean_share += noise_share(n);
	e->y = (float)log(figure);
	e->readings = (unsigned)(n > READINGS_MAX ? READINGS_MAX : n) & READINGS_MAX;
	e->cell = 0;
	return true;
}

static size_t *degrees(const struct pair_set *set, struct pair_graph *g)
{
	size_t p = 0;

	for (size_t a = 0; a < set->n; a++) {
		for (size_t b = a + 1; b < set->n; b++, p++) {
			bool any = false;

			for (size_t i = set->first[p]; i < set->first[p + 1] && !any; i++)
				any = reading_counts(set->readings[i].busbw_gbps);
			if (!any)
				continue;
			g->first[a + 1]++;
			g->first[b + 1]++;
			g->n_pairs++;
		}
	}
	for (size_t a = 0; a < set->n; a++)
		g->first[a + 1] += g->first[a];
	return g->first;
}

static void fill(const struct pair_set *set, struct pair_graph *g, size_t *next, float *v)
{
	size_t p = 0;

	memcpy(next, g->first, set->n * sizeof(*next));
	for (size_t a = 0; a < set->n; a++) {
		for (size_t b = a + 1; b < set->n; b++, p++) {
			struct edge e;

			if (set->first[p] == set->first[p + 1] || !summarize(set, g, p, v, &e))
				continue;
			e.to = (uint16_t)b;
			g->edges[next[a]++] = e;
			e.to = (uint16_t)a;
			g->edges[next[b]++] = e;
		}
	}
	if (g->n_pairs)
		g->mean_share /= (double)g->n_pairs;
}

static struct pair_graph *graph_new(size_t n)
{
	struct pair_graph *g = calloc(1, sizeof(*g));

	if (!g)
		return NULL;
	g->n = n;
	g->first = calloc(n + 1, sizeof(*g->first));
	if (g->first)
		return g;
	graph_free(g);
	return NULL;
}

static bool graph_room(struct pair_graph *g)
{
	g->edges = malloc((2 * g->n_pairs + 1) * sizeof(*g->edges));
	g->scratch = malloc((g->n_pairs + g->n + 1) * sizeof(*g->scratch));
	return g->edges && g->scratch;
}

struct pair_graph *graph_make(const struct pair_set *set)
{
	struct pair_graph *g = graph_new(set->n);
	size_t *next = calloc(set->n + 1, sizeof(*next));
	float *v = NULL;
	bool ok = false;

	if (!g || !next)
		goto out;
	degrees(set, g);
	v = malloc(longest(set, g) * sizeof(*v));
	if (!v || !graph_room(g))
		goto out;
	g->reading_sd = repeat_noise(set, g, v);
	fill(set, g, next, v);
	ok = true;
out:
	free(v);
	free(next);
	if (ok)
		return g;
	graph_free(g);
	return NULL;
}

/* ---- sample ---- */

/* How near two nodes are: 0 nothing known in common, up to LEVELS. */
static size_t nearness(const struct layout *p, size_t a, size_t b)
{
	for (int l = LEVEL_ULTRASERVER; l >= LEVEL_AZ; l--)
		if (p->group[l][a] != GROUP_NONE && p->group[l][a] == p->group[l][b])
			return (size_t)l + 1;
	return 0;
}

/* Spreads pairs evenly over 32 bits: which are taken has nothing to do with who they are. */
static uint32_t mixed(uint32_t a, uint32_t b)
{
	uint32_t h = (a < b ? a << 16 | b : b << 16 | a) * 2654435761u;

	h ^= h >> 15;
	h *= 2246822519u;
	return h ^ h >> 13;
}

static void sample_limits(const struct pair_graph *g, const struct layout *p, size_t pairs,
	uint32_t limit[LEVELS + 1])
{
	size_t count[LEVELS + 1] = {0};

	for (size_t a = 0; a < g->n; a++)
		for (size_t i = g->first[a]; i < g->first[a + 1]; i++)
			if (g->edges[i].to > a)
				count[nearness(p, a, g->edges[i].to)]++;
	for (size_t k = 0; k <= LEVELS; k++) {
		/* The far ones are most of the classes' cross pairs, hence half of all. */
		double share = (double)pairs / (k == 0 ? 2 : 4) / (double)(count[k] + 1);

		limit[k] = share >= 1 ? UINT32_MAX : (uint32_t)(share * UINT32_MAX);
	}
}

/* With edges of s NULL only counts. */
static void sample_edges(const struct pair_graph *g, const struct layout *p,
	const uint32_t limit[LEVELS + 1], struct pair_graph *s)
{
	size_t n = 0;

	for (size_t a = 0; a < g->n; a++) {
		s->first[a] = n;
		for (size_t i = g->first[a]; i < g->first[a + 1]; i++) {
			const struct edge *e = &g->edges[i];

			if (mixed((uint32_t)a, e->to) > limit[nearness(p, a, e->to)])
				continue;
			if (s->edges)
				s->edges[n] = *e;
			n++;
		}
	}
	s->first[g->n] = n;
	s->n_pairs = n / 2;
}

struct pair_graph *graph_sample(const struct pair_graph *g, const struct layout *p, size_t pairs)
{
	struct pair_graph *s = graph_new(g->n);
	uint32_t limit[LEVELS + 1];

	if (!s)
		return NULL;
	sample_limits(g, p, pairs, limit);
	sample_edges(g, p, limit, s);
	if (!graph_room(s)) {
		graph_free(s);
		return NULL;
	}
	sample_edges(g, p, limit, s);
	s->reading_sd = g->reading_sd;
	s->mean_share = g->mean_share;
	return s;
}

void graph_classify(struct pair_graph *g, const struct layout *p, const struct class_spec *spec)
{
	for (size_t a = 0; a < g->n; a++)
		for (size_t i = g->first[a]; i < g->first[a + 1]; i++)
			g->edges[i].cell =
				(unsigned)class_cell(p, spec, a, g->edges[i].to) & CELL_MASK;
}

void graph_free(struct pair_graph *g)
{
	if (!g)
		return;
	free(g->first);
	free(g->edges);
	free(g->scratch);
	free(g);
}
