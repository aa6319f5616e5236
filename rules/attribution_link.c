/*
 * Pairs slower than their class and both nodes explain. Where the pair's own repeats say
 * the same it is the link; where they do not, or there is but one reading, a transient.
 */
#include "rules/attribution_model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "rules/robust.h"

/* So many standard deviations between two low readings: they say the same. */
#define REPEAT_SAME 5
/* Below this share of what is expected a single reading is worth a line. */
#define TRANSIENT_DEFICIT 0.05
#define CONFIDENCE_MAX    0.99

struct hunt {
	struct attribution *at;
	struct attribution_model *m;
	const struct pair_graph *g;
	const struct pair_set *set;
	size_t cap_links;
	size_t cap_transients;
	double z_pair;    /* standard deviations that chance does not reach in any pair */
	double z_reading; /* nor in any reading */
	double reading_sd;
	float *v; /* room for the readings of one pair */
};

/* False when memory is short. Grows by doubling; the old array stays in the arena. */
static bool grow(struct arena *arena, void **items, size_t *cap, size_t n, size_t size)
{
	void *more;

	if (n < *cap)
		return true;
	more = arena_alloc(arena, (*cap * 2 + 16) * size);
	if (!more)
		return false;
	if (n)
		memcpy(more, *items, n * size);
	*items = more;
	*cap = *cap * 2 + 16;
	return true;
}

/* Readings that count, low ones at the front: below `limit`. */
static size_t readings_of(struct hunt *h, size_t p, double limit, size_t *low)
{
	size_t n = 0;

	*low = 0;
	for (size_t i = h->set->first[p]; i < h->set->first[p + 1]; i++) {
		float v = h->set->readings[i].busbw_gbps;

		if (!reading_counts(v))
			continue;
		h->v[n] = v;
		if (v < limit) {
			h->v[n] = h->v[*low];
			h->v[(*low)++] = v;
		}
		n++;
	}
	return n;
}

/*
 * The figure that the low readings agree on, GB/s; NAN when they do not. Of three or
 * more the lowest does not count: it may have been disturbed. *telling: how many do.
 */
static double agreed(struct hunt *h, size_t n, size_t low, size_t *telling)
{
	double sum = 0;
	float least = INFINITY;

	/* A quarter of the readings may have been good: with up to three, none. */
	if (n < 2 || low < n - n / 4)
		return NAN;
	if (low == 2 && fabs(log((double)h->v[0] / h->v[1])) >
				fmax(LINK_DEFICIT_MIN, REPEAT_SAME * h->reading_sd))
		return NAN;
	for (size_t i = 0; i < low; i++) {
		sum += h->v[i];
		least = fminf(least, h->v[i]);
	}
	*telling = low < 3 ? low : low - 1;
	return (low < 3 ? sum : sum - least) / (double)*telling;
}

/* Both nodes could be the cause where one of them has no other pair to speak for it. */
static double link_confidence(const struct hunt *h, size_t a, size_t b, double z)
{
	double sure = 1 / (1 + exp(-(z * z - h->z_pair * h->z_pair) / 4));
	double most = CONFIDENCE_MAX;

	if (h->at->tested[a] != TESTED_WELL || h->at->tested[b] != TESTED_WELL)
		most = 0.5;
	return most * (0.5 + 0.5 * sure);
}

static bool add_link(struct hunt *h, size_t a, const struct edge *e, double expected, double figure,
	double z, size_t readings)
{
	struct attribution *at = h->at;

	if (!grow(&at->arena, (void **)&at->links, &h->cap_links, at->n_links, sizeof(*at->links)))
		return false;
	at->links[at->n_links++] = (struct suspect_link){.a = a,
		.b = e->to,
		.deficit = 1 - figure / expected,
		.confidence = link_confidence(h, a, e->to, z),
		.readings = readings,
		.evidence = {(uint16_t)a, e->to, (float)figure, (float)expected}};
	return true;
}

static bool add_transient(
	struct hunt *h, size_t a, size_t b, double busbw, double expected, bool only)
{
	struct attribution *at = h->at;

	if (!grow(&at->arena, (void **)&at->transients, &h->cap_transients, at->n_transients,
		    sizeof(*at->transients)))
		return false;
	at->transients[at->n_transients++] = (struct transient){
		.a = a, .b = b, .busbw_gbps = busbw, .expected_gbps = expected, .retest = only};
	return true;
}

/* A pair this slow beyond its class and nodes: a link when its repeats say so. */
static bool judge_link(struct hunt *h, size_t a, const struct edge *e, double fit, bool *is_link)
{
	size_t p = pair_index(h->at->n, a, e->to);
	double expected = exp(fit);
	size_t telling = 0;
	size_t low;
	size_t n;
	double figure;
	double z;

	*is_link = false;
	if (e->y > fit + log(1 - LINK_DEFICIT_MIN) ||
		e->y > fit - h->z_pair * noise_sd(&h->m->noise, e->readings))
		return true;
	n = readings_of(h, p, exp((fit + e->y) / 2), &low);
	figure = agreed(h, n, low, &telling);
	if (isnan(figure) || figure > expected * (1 - LINK_DEFICIT_MIN))
		return true;
	z = log(figure / expected) / noise_sd(&h->m->noise, telling);
	if (z > -h->z_pair)
		return true;
	*is_link = true;
	return add_link(h, a, e, expected, figure, z, n);
}

static bool judge_readings(struct hunt *h, size_t a, const struct edge *e, double fit)
{
	double expected = exp(fit);
	double least = fmax(-log(1 - TRANSIENT_DEFICIT), h->z_reading * h->reading_sd);
	size_t low;
	size_t n = readings_of(h, pair_index(h->at->n, a, e->to), expected * exp(-least), &low);

	for (size_t i = 0; i < low; i++)
		if (!add_transient(h, a, e->to, h->v[i], expected, n == 1))
			return false;
	return true;
}

static bool look_at(struct hunt *h, size_t a, const struct edge *e)
{
	const struct fit *f = h->m->fit;
	double fit = fit_base(f, &h->m->place, a, e) + fit_nodes(f, a, e->to);
	bool is_link;

	if (isnan(fit))
		return true;
	if (!judge_link(h, a, e, fit, &is_link))
		return false;
	return is_link || judge_readings(h, a, e, fit);
}

static int by_confidence(const void *a, const void *b)
{
	const struct suspect_link *x = a;
	const struct suspect_link *y = b;

	if (x->confidence != y->confidence)
		return x->confidence > y->confidence ? -1 : 1;
	if (x->deficit != y->deficit)
		return x->deficit > y->deficit ? -1 : 1;
	return x->a != y->a ? (x->a < y->a ? -1 : 1) : (x->b > y->b) - (x->b < y->b);
}

static int by_depth(const void *a, const void *b)
{
	const struct transient *x = a;
	const struct transient *y = b;
	double dx = x->busbw_gbps / x->expected_gbps;
	double dy = y->busbw_gbps / y->expected_gbps;

	if (dx != dy)
		return dx < dy ? -1 : 1;
	return x->a != y->a ? (x->a < y->a ? -1 : 1) : (x->b > y->b) - (x->b < y->b);
}

static size_t most_readings(const struct pair_set *set)
{
	size_t most = 1;

	for (size_t p = 0; p < pair_count(set->n); p++)
		if (set->first[p + 1] - set->first[p] > most)
			most = set->first[p + 1] - set->first[p];
	return most;
}

bool blame_links(struct attribution *at, struct attribution_model *m, const struct pair_graph *g,
	const struct pair_set *set)
{
	struct hunt h = {.at = at, .m = m, .g = g, .set = set};
	bool ok = true;

	if (!at->enough)
		return true;
	h.z_pair = sqrt(price_link(g->n_pairs));
	h.z_reading = sqrt(price_link(g->readings));
	h.reading_sd = noise_sd(&m->noise, 1);
	h.v = malloc(most_readings(set) * sizeof(*h.v));
	ok = h.v != NULL;
	for (size_t a = 0; ok && a < g->n; a++)
		for (size_t i = g->first[a]; ok && i < g->first[a + 1]; i++)
			if (g->edges[i].to > a)
				ok = look_at(&h, a, &g->edges[i]);
	free(h.v);
	if (at->n_links)
		qsort(at->links, at->n_links, sizeof(*at->links), by_confidence);
	if (at->n_transients)
		qsort(at->transients, at->n_transients, sizeof(*at->transients), by_depth);
	return ok;
}
