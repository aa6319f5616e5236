#include <math.h>
#include <stdlib.h>

#include "collectors/xmalloc.h"
#include "tui/heat.h"

static uint8_t level_of(double busbw, double reference)
{
	double lost = 100 * (1 - busbw / reference);

	if (!isfinite(lost) || lost < 0)
		lost = 0;
	return (uint8_t)(HEAT_LOST + (lost > 100 ? 100 : (int)(lost + 0.5)));
}

/* What the best class of healthy pairs reaches; the fastest reading where no class is known. */
static double fastest(const struct pair_set *set, const struct attribution *at)
{
	double top = NAN;

	for (size_t i = 0; i < at->n_classes; i++)
		if (isfinite(at->classes[i].expected_gbps) &&
			!(at->classes[i].expected_gbps <= top))
			top = at->classes[i].expected_gbps;
	if (isfinite(top))
		return top;
	for (size_t i = 0; i < set->n_readings; i++)
		if (!(set->readings[i].busbw_gbps <= top))
			top = set->readings[i].busbw_gbps;
	return top;
}

struct sums {
	double lost;
	size_t pairs;
};

static void fill(struct heat_levels *l, const struct pair_set *set, const struct attribution *at,
	struct sums *sums)
{
	size_t p = 0;

	for (size_t a = 0; a < set->n; a++) {
		for (size_t b = a + 1; b < set->n; b++, p++) {
			if (set->first[p + 1] == set->first[p])
				continue;
			double busbw = pair_set_busbw(set, a, b);
			double expected = attribution_expected(at, a, b);

			l->speed[p] = level_of(busbw, l->top_gbps);
			l->deficit[p] =
				isfinite(expected) ? level_of(busbw, expected) : l->speed[p];
			sums[a].lost += l->deficit[p] - HEAT_LOST;
			sums[b].lost += l->deficit[p] - HEAT_LOST;
			sums[a].pairs++;
			sums[b].pairs++;
		}
	}
}

/* A run that failed says nothing of the bandwidth, but a lot: unless a later one gave a figure. */
static void mark_failures(struct heat_levels *l, const struct pair_set *set)
{
	for (size_t i = 0; i < set->n_failures; i++) {
		const struct pair_failure *f = &set->failures[i];

		if (f->a == f->b || f->b >= set->n || f->status != BW_FAILED)
			continue;
		size_t p = pair_index(set->n, f->a, f->b);

		if (l->deficit[p] != HEAT_NONE)
			continue;
		l->deficit[p] = l->speed[p] = HEAT_FAILED;
		l->failed++;
	}
}

struct heat_levels *heat_levels_make(const struct pair_set *set, const struct attribution *at)
{
	struct heat_levels *l = xcalloc(1, sizeof(*l));
	struct sums *sums = xcalloc(set->n + 1, sizeof(*sums));
	size_t pairs = pair_count(set->n);

	l->n = set->n;
	l->deficit = xcalloc(pairs + 1, 1);
	l->speed = xcalloc(pairs + 1, 1);
	l->node_mean = xcalloc(set->n + 1, sizeof(*l->node_mean));
	l->top_gbps = fastest(set, at);
	fill(l, set, at, sums);
	for (size_t i = 0; i < set->n; i++)
		l->node_mean[i] =
			sums[i].pairs ? (float)(sums[i].lost / (double)sums[i].pairs) : NAN;
	mark_failures(l, set);
	free(sums);
	return l;
}

void heat_levels_free(struct heat_levels *l)
{
	if (!l)
		return;
	free(l->deficit);
	free(l->speed);
	free(l->node_mean);
	free(l);
}
