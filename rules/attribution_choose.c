/*
 * Which placement makes classes: none, one level, instance types, or several; by what
 * it explains against what it costs.
 *
 * Cost is -2 log likelihood of all pairs, where one pair may be off at the price of a
 * slow link, plus a price for every node, group and class that is blamed. Prices grow with the
 * number of things that could have been blamed instead, so that chance alone blames no one.
 */
#include "rules/attribution_model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "rules/robust.h"

/* What chance alone explains of a cost, to one in some ten thousand: 3.5 standard deviations. */
#define PRICE_SURE 12
/* A cause that is there for all pairs of a class. */
#define PRICE_CLASS  16
#define PRICE_CELL   4
#define PRICE_UPLINK 16
/* Explanations whose costs differ by less are alike. */
#define PRICE_ALIKE 6
/* Nothing makes a pair faster than its class: beyond this it costs in proportion. */
#define FAST_LINEAR 3
/* Pairs on which classes are chosen; more make the choice no surer. */
#define CHOICE_PAIRS 24576

double price_node(size_t nodes)
{
	return PRICE_SURE + 2 * log((double)nodes + 1);
}

double price_link(size_t pairs)
{
	return PRICE_SURE + 2 * log((double)pairs + 1);
}

struct noise noise_of(const struct pair_graph *g, double scale)
{
	struct noise noise = {scale * scale, 0};

	if (isnan(g->reading_sd))
		return noise;
	noise.reading_var = g->reading_sd * g->reading_sd;
	noise.own_var -= noise.reading_var * g->mean_share;
	if (noise.own_var < 0)
		noise.own_var = 0;
	return noise;
}

double noise_sd(const struct noise *noise, size_t readings)
{
	return sqrt(noise->own_var + noise->reading_var * noise_share(readings));
}

double residual_cost(double z, double most)
{
	if (z > FAST_LINEAR)
		return 2 * FAST_LINEAR * z - FAST_LINEAR * FAST_LINEAR;
	return z * z < most ? z * z : most;
}

void fit_set_cost(struct fit *f, const struct pair_graph *g, const struct layout *p,
	const struct noise *noise)
{
	double most = price_link(g->n_pairs);
	double cost = 0;

	for (size_t a = 0; a < g->n; a++) {
		for (size_t i = g->first[a + 1]; i-- > g->first[a] && g->edges[i].to > a;) {
			const struct edge *e = &g->edges[i];
			double r = e->y - fit_base(f, p, a, e) - fit_nodes(f, a, e->to);

			if (!isnan(r))
				cost += residual_cost(r / noise_sd(noise, e->readings), most);
		}
	}
	for (size_t a = 0; a < g->n; a++)
		if (!isnan(f->term[a]) && !f->healthy[a])
			cost += price_node(g->n);
	if (f->spec.types)
		cost += PRICE_CLASS;
	for (int l = 0; l < LEVELS; l++)
		if (f->spec.level[l])
			cost += PRICE_CLASS;
	if (f->spec.uplinks >= 0)
		cost += (double)f->n_uplinks *
			(PRICE_UPLINK + 2 * log((double)p->n_groups[f->spec.uplinks]));
	f->cost = cost + PRICE_CELL * (double)f->n_cells;
}

/* ---- candidates ---- */

#define CANDIDATES (LEVELS + 1)

/* Candidate c added to spec: a level, or the types. False: already there or not possible. */
static bool add(struct class_spec *spec, const struct layout *p, size_t c)
{
	if (c == LEVELS) {
		if (spec->types || p->n_types < 2)
			return false;
		spec->types = true;
		return true;
	}
	if (spec->level[c] || !layout_has_level(p, (int)c))
		return false;
	spec->level[c] = true;
	if (spec->uplinks < 0)
		spec->uplinks = (int)c;
	return true;
}

static enum topology_class topology_of(size_t c)
{
	if (c == CANDIDATES)
		return TOPOLOGY_NONE;
	return c == LEVELS ? TOPOLOGY_INSTANCE_TYPE : (enum topology_class)(TOPOLOGY_AZ + c);
}

struct search {
	struct pair_graph *g;
	const struct layout *p;
	struct fit *fits[CANDIDATES + 1]; /* the last: the one to beat */
	bool valid[CANDIDATES + 1];
};

static void try_all(struct search *s)
{
	struct fit *now = s->fits[CANDIDATES];

	for (size_t c = 0; c < CANDIDATES; c++) {
		struct class_spec spec = now->spec;

		s->valid[c] = add(&spec, s->p, c);
		if (!s->valid[c])
			continue;
		fit_run(s->fits[c], s->g, s->p, &spec, NULL);
		s->valid[c] = class_effect(s->fits[c], topology_of(c)) > DEFICIT_MIN;
	}
}

/* Costs compare only under one noise: that of the best fit, but not below that of the repeats. */
static void set_costs(struct search *s)
{
	double scale = INFINITY;
	struct noise noise;

	for (size_t c = 0; c <= CANDIDATES; c++)
		if (s->valid[c] && s->fits[c]->scale < scale)
			scale = s->fits[c]->scale;
	noise = noise_of(s->g, scale);
	for (size_t c = 0; c <= CANDIDATES; c++) {
		if (!s->valid[c])
			continue;
		graph_classify(s->g, s->p, &s->fits[c]->spec);
		fit_set_cost(s->fits[c], s->g, s->p, &noise);
	}
}

/*
 * Behind slow uplinks the smallest group that explains them as well: where a spine has but one
 * leaf measured, it is that leaf.
 */
static size_t narrowest(const struct search *s, size_t best)
{
	double most = s->fits[best]->cost + PRICE_ALIKE;

	if (best >= LEVELS || s->fits[best]->n_uplinks == 0)
		return best;
	for (size_t c = LEVELS - 1; c > best; c--)
		if (s->valid[c] && s->fits[c]->n_uplinks > 0 && s->fits[c]->cost < most)
			return c;
	return best;
}

/* The best candidate, or CANDIDATES when none is better than what there is; *second the next. */
static size_t best_of(const struct search *s, size_t *second)
{
	size_t best = CANDIDATES;

	*second = SIZE_MAX;
	/* Of levels that split the nodes alike the widest: what is far away is slow. */
	for (size_t c = 0; c < CANDIDATES; c++)
		if (s->valid[c] && s->fits[c]->cost < s->fits[best]->cost)
			best = c;
	best = narrowest(s, best);
	for (size_t c = 0; c <= CANDIDATES; c++)
		if (c != best && s->valid[c] &&
			(*second == SIZE_MAX || s->fits[c]->cost < s->fits[*second]->cost))
			*second = c;
	return best;
}

static void search_classes(struct search *s, struct choice *choice)
{
	static const struct class_spec none = {.uplinks = -1};

	*choice = (struct choice){.spec = none, .rival = INFINITY};
	fit_run(s->fits[CANDIDATES], s->g, s->p, &none, NULL);
	for (size_t step = 0; step < CANDIDATES; step++) {
		size_t second;
		size_t best;
		struct fit *t;

		s->valid[CANDIDATES] = true;
		try_all(s);
		set_costs(s);
		best = best_of(s, &second);
		if (step == 0) {
			choice->topology = topology_of(best);
			choice->gain = s->fits[CANDIDATES]->cost - s->fits[best]->cost;
			if (second != SIZE_MAX) {
				choice->rival = s->fits[second]->cost - s->fits[best]->cost;
				choice->runner_up = topology_of(second);
			}
		}
		if (best == CANDIDATES)
			break;
		t = s->fits[CANDIDATES];
		s->fits[CANDIDATES] = s->fits[best];
		s->fits[best] = t;
	}
	choice->spec = s->fits[CANDIDATES]->spec;
}

struct fit *choose_classes(struct pair_graph *g, const struct layout *p, struct choice *choice)
{
	struct search s = {.g = g, .p = p};
	struct pair_graph *sample = NULL;
	struct fit *best = NULL;
	bool ok = true;

	if (g->n_pairs > 2 * CHOICE_PAIRS) {
		sample = graph_sample(g, p, CHOICE_PAIRS);
		ok = sample != NULL;
		s.g = sample;
	}
	for (size_t c = 0; c <= CANDIDATES; c++) {
		s.fits[c] = fit_new(g->n);
		ok &= s.fits[c] != NULL;
	}
	if (ok) {
		search_classes(&s, choice);
		best = s.fits[0];
		fit_run(best, g, p, &choice->spec, s.fits[CANDIDATES]);
		s.fits[0] = NULL;
	}
	for (size_t c = 0; c <= CANDIDATES; c++)
		fit_free(s.fits[c]);
	graph_free(sample);
	return best;
}
