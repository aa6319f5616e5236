/*
 * Fits the terms of one spec: figures of classes, uplinks of groups, nodes.
 *
 * A pair is as slow as its slower node, so a healthy partner reveals a node and a slow
 * partner hides it. The fit starts at the upper part of all readings, where the healthy
 * pairs are, and then goes round: healthy pairs tell the classes, healthy partners tell
 * every node, nodes tell who is healthy; until nothing changes.
 */
#include "rules/attribution_model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "rules/robust.h"

/* Between nodes or groups rather than pairs: most of them are healthy. */
#define START_CENTRE 0.65
#define ROUNDS_MAX   10
/* Between the 0.75 and the 0.9 quantile of a normal distribution, in standard deviations. */
#define UPPER_WIDTH 0.607
/* How far below the others a node must be, in standard deviations of healthy nodes. */
#define FLOOR_SPREADS    5
#define SPREAD_BY_CHANCE 1.5
/* Pairs may differ by so many times what their own readings do. */
#define START_REPEATS 3
/* No measurement is better than this, whatever the figures pretend. */
#define SCALE_MIN 0.001

struct fit *fit_new(size_t n)
{
	struct fit *f = calloc(1, sizeof(*f));

	if (!f)
		return NULL;
	f->n = n;
	f->term = calloc(n + 1, sizeof(*f->term));
	f->se = calloc(n + 1, sizeof(*f->se));
	f->uplink = calloc(n + 1, sizeof(*f->uplink));
	f->healthy = calloc(n + 1, sizeof(*f->healthy));
	f->grounded = calloc(n + 1, sizeof(*f->grounded));
	if (f->term && f->se && f->uplink && f->healthy && f->grounded)
		return f;
	fit_free(f);
	return NULL;
}

void fit_free(struct fit *f)
{
	if (!f)
		return;
	free(f->term);
	free(f->se);
	free(f->uplink);
	free(f->healthy);
	free(f->grounded);
	free(f);
}

static float uplink_of(const struct fit *f, const struct layout *p, size_t a, size_t b)
{
	if (f->n_uplinks == 0 || !fit_leaves_group(f, p, a, b))
		return 0;
	return f->uplink[a] < f->uplink[b] ? f->uplink[a] : f->uplink[b];
}

/*
 * Placement is not known: the class of these types, behind any uplink, that comes nearest to
 * what was measured.
 */
static float nearest_mu(const struct fit *f, const struct edge *e)
{
	size_t from = e->cell - CODE_UNKNOWN;
	float best = NAN;

	for (size_t c = from; c < from + CODE_UNKNOWN; c++) {
		if (isnan(f->mu[c]))
			continue;
		for (size_t k = 0; k < f->n_steps; k++) {
			float mu = f->mu[c] + f->step[k];

			if (isnan(best) || fabsf(mu - e->y) < fabsf(best - e->y))
				best = mu;
		}
	}
	return isnan(best) ? f->mu[e->cell] : best;
}

double fit_base(const struct fit *f, const struct layout *p, size_t a, const struct edge *e)
{
	if (e->cell % CODES == CODE_UNKNOWN)
		return nearest_mu(f, e);
	return f->mu[e->cell] + uplink_of(f, p, a, e->to);
}

double fit_nodes(const struct fit *f, size_t a, size_t b)
{
	float ta = f->healthy[a] || isnan(f->term[a]) ? 0 : f->term[a];
	float tb = f->healthy[b] || isnan(f->term[b]) ? 0 : f->term[b];

	return ta < tb ? ta : tb;
}

/* ---- classes ---- */

static void count_cells(struct fit *f, const struct pair_graph *g)
{
	memset(f->pairs, 0, sizeof(f->pairs));
	f->n_cells = 0;
	for (size_t a = 0; a < g->n; a++)
		for (size_t i = g->first[a + 1]; i-- > g->first[a] && g->edges[i].to > a;)
			f->pairs[g->edges[i].cell]++;
	for (size_t c = 0; c < CELLS; c++) {
		f->mu[c] = NAN;
		f->n_cells += f->pairs[c] > 0;
	}
}

/* Where the figures of each class are to be in scratch. */
static void lay_out(const struct fit *f, uint32_t at[CELLS], uint32_t end[CELLS])
{
	uint32_t sum = 0;

	for (size_t c = 0; c < CELLS; c++) {
		at[c] = end[c] = sum;
		sum += f->pairs[c];
	}
}

static void fit_classes(struct fit *f, struct pair_graph *g, const struct layout *p, bool start)
{
	uint32_t at[CELLS];
	uint32_t end[CELLS];

	lay_out(f, at, end);
	for (size_t a = 0; a < g->n; a++) {
		if (!start && !f->healthy[a])
			continue;
		for (size_t i = g->first[a + 1]; i-- > g->first[a] && g->edges[i].to > a;) {
			const struct edge *e = &g->edges[i];

			if (start || f->healthy[e->to])
				g->scratch[end[e->cell]++] = e->y - uplink_of(f, p, a, e->to);
		}
	}
	for (size_t c = 0; c < CELLS; c++) {
		float *v = g->scratch + at[c];
		size_t n = end[c] - at[c];

		/* A class without healthy pairs keeps what all of its pairs said. */
		if (n > 0)
			f->mu[c] = (float)(start ? robust_quantile(v, n, START_QUANTILE)
						 : robust_mean(v, n, MEAN_REACH * f->scale));
	}
}

/* ---- spread ---- */

/* Healthy pairs about the fit, into scratch; all pairs to start with. */
static size_t residuals(struct fit *f, struct pair_graph *g, const struct layout *p, bool all)
{
	size_t n = 0;

	for (size_t a = 0; a < g->n; a++) {
		if (!all && !f->healthy[a])
			continue;
		for (size_t i = g->first[a + 1]; i-- > g->first[a] && g->edges[i].to > a;) {
			const struct edge *e = &g->edges[i];

			if (all || f->healthy[e->to])
				g->scratch[n++] = (float)(e->y - fit_base(f, p, a, e));
		}
	}
	return n;
}

/* Only the fast side: the slow one may be anything yet. */
static void start_scale(struct fit *f, struct pair_graph *g, const struct layout *p)
{
	size_t n = residuals(f, g, p, true);
	double middle = robust_quantile(g->scratch, n, START_QUANTILE);
	double upper = robust_quantile(g->scratch, n, 0.9);

	f->scale = (upper - middle) / UPPER_WIDTH;
	/* Where most pairs are slow even the upper part is wide; the repeats know better. */
	if (!isnan(g->reading_sd))
		f->scale = fmin(f->scale, START_REPEATS * g->reading_sd * sqrt(g->mean_share));
	if (!(f->scale > SCALE_MIN))
		f->scale = SCALE_MIN;
}

static void fit_scale(struct fit *f, struct pair_graph *g, const struct layout *p)
{
	size_t n = residuals(f, g, p, false);
	double lost = n > 2 * f->n_cells ? (double)n / (double)(n - f->n_cells) : 2;
	/* Few pairs may look closer together than they are, as Student's t has it. */
	double few = isnan(g->reading_sd) ? 1 + 3 / (double)(n + 1) : 1;

	if (n > 0)
		f->scale = robust_spread(g->scratch, n, 0) * sqrt(lost) * few;
	if (!(f->scale > SCALE_MIN))
		f->scale = SCALE_MIN;
}

/* ---- nodes ---- */

/* Figures of a against its class: with healthy partners, or with all. */
static size_t partners_of(
	struct fit *f, struct pair_graph *g, const struct layout *p, size_t a, bool all)
{
	size_t n = 0;

	for (size_t i = g->first[a]; i < g->first[a + 1]; i++) {
		const struct edge *e = &g->edges[i];
		double base;

		if (!all && !f->healthy[e->to])
			continue;
		base = fit_base(f, p, a, e);
		if (!isnan(base))
			g->scratch[n++] = (float)(e->y - base);
	}
	return n;
}

/* Slow partners tell something too: where a pair is slower than they are, it is not they. */
static size_t slow_partners_of(
	struct fit *f, struct pair_graph *g, const struct layout *p, size_t a, size_t n)
{
	for (size_t i = g->first[a]; i < g->first[a + 1]; i++) {
		const struct edge *e = &g->edges[i];
		double r;

		if (f->healthy[e->to])
			continue;
		r = e->y - fit_base(f, p, a, e);
		if (r < f->term[e->to] - f->floor - MEAN_REACH * f->scale)
			g->scratch[n++] = (float)r;
	}
	return n;
}

static void fit_term(struct fit *f, struct pair_graph *g, const struct layout *p, size_t a)
{
	size_t n = partners_of(f, g, p, a, false);

	if (n < PARTNERS_MIN)
		n = slow_partners_of(f, g, p, a, n);
	f->grounded[a] = n > 0;
	if (n > 0) {
		f->term[a] = (float)robust_mean(g->scratch, n, MEAN_REACH * f->scale);
		f->se[a] = (float)(1.1 * f->scale / sqrt((double)n));
	}
}

static void start_terms(struct fit *f, struct pair_graph *g, const struct layout *p)
{
	size_t measured = 0;
	double centre;

	for (size_t a = 0; a < g->n; a++) {
		size_t n = partners_of(f, g, p, a, true);

		f->term[a] = (float)robust_quantile(g->scratch, n, START_QUANTILE);
		f->se[a] = n ? (float)(1.36 * f->scale / sqrt((double)n)) : NAN;
	}
	for (size_t a = 0; a < g->n; a++)
		if (!isnan(f->term[a]))
			g->scratch[measured++] = f->term[a];
	centre = robust_quantile(g->scratch, measured, START_CENTRE);
	for (size_t a = 0; a < g->n; a++)
		f->healthy[a] = f->term[a] - centre > -DEFICIT_MIN - 3 * f->se[a];
}

/* Where healthy nodes differ from each other by nature, none is blamed for differing so much. */
static void set_floor(struct fit *f, struct pair_graph *g)
{
	size_t n = 0;
	double spread;
	double expected;

	for (size_t a = 0; a < g->n; a++)
		if (f->healthy[a] && !isnan(f->term[a]))
			g->scratch[n++] = f->term[a];
	spread = robust_spread(g->scratch, n, 0);
	n = 0;
	for (size_t a = 0; a < g->n; a++)
		if (f->healthy[a] && !isnan(f->term[a]))
			g->scratch[n++] = f->se[a];
	expected = robust_median(g->scratch, n);
	/* Of few nodes it may look larger than it is: only what is clearly more counts. */
	expected *= SPREAD_BY_CHANCE;
	spread = spread > expected ? sqrt(spread * spread - expected * expected) : 0;
	f->floor = fmax(-log(1 - DEFICIT_MIN), FLOOR_SPREADS * spread);
}

/* Returns how many nodes changed sides. */
static size_t sort_out(struct fit *f, const struct pair_graph *g)
{
	double z = sqrt(price_node(g->n));
	size_t changed = 0;

	for (size_t a = 0; a < g->n; a++) {
		bool healthy;

		if (isnan(f->term[a]) || !f->grounded[a])
			continue;
		healthy = f->term[a] > -fmax(f->floor, z * f->se[a]);
		changed += healthy != f->healthy[a];
		f->healthy[a] = healthy;
	}
	return changed;
}

static void start_from(struct fit *f, const struct fit *from)
{
	memcpy(f->healthy, from->healthy, f->n * sizeof(*f->healthy));
	memcpy(f->term, from->term, f->n * sizeof(*f->term));
	memcpy(f->se, from->se, f->n * sizeof(*f->se));
	memcpy(f->uplink, from->uplink, f->n * sizeof(*f->uplink));
	memcpy(f->mu, from->mu, sizeof(f->mu));
	memcpy(f->step, from->step, sizeof(f->step));
	f->n_steps = from->n_steps;
	f->n_uplinks = from->n_uplinks;
	f->scale = from->scale;
	f->floor = from->floor;
}

void fit_run(struct fit *f, struct pair_graph *g, const struct layout *p,
	const struct class_spec *spec, const struct fit *from)
{
	f->spec = *spec;
	f->n_uplinks = 0;
	f->n_steps = 1;
	f->step[0] = 0;
	f->floor = DEFICIT_MIN;
	graph_classify(g, p, spec);
	count_cells(f, g);
	if (from) {
		start_from(f, from);
	} else {
		fit_classes(f, g, p, true);
		start_scale(f, g, p);
		fit_uplinks(f, g, p, true);
		start_terms(f, g, p);
	}
	for (size_t round = 0; round < ROUNDS_MAX; round++) {
		fit_classes(f, g, p, false);
		fit_uplinks(f, g, p, false);
		for (size_t a = 0; a < g->n; a++)
			if (!isnan(f->term[a]))
				fit_term(f, g, p, a);
		fit_scale(f, g, p);
		set_floor(f, g);
		if (sort_out(f, g) == 0 && round > 0)
			break;
	}
}

void fit_spreads(struct fit *f, struct pair_graph *g, const struct layout *p, float spread[CELLS])
{
	uint32_t at[CELLS];
	uint32_t end[CELLS];

	lay_out(f, at, end);
	for (size_t a = 0; a < g->n; a++) {
		for (size_t i = g->first[a + 1]; i-- > g->first[a] && g->edges[i].to > a;) {
			const struct edge *e = &g->edges[i];

			if (f->healthy[a] && f->healthy[e->to])
				g->scratch[end[e->cell]++] = (float)(e->y - fit_base(f, p, a, e));
		}
	}
	for (size_t c = 0; c < CELLS; c++)
		spread[c] = (float)robust_spread(g->scratch + at[c], end[c] - at[c], 0);
}
