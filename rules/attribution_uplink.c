/* What leaving a group (a leaf, a spine, ...) costs: the term of its uplinks. */
#include "rules/attribution_model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "rules/robust.h"

bool fit_leaves_group(const struct fit *f, const struct layout *p, size_t a, size_t b)
{
	const uint16_t *group = p->group[f->spec.uplinks];

	return group[a] != group[b] && group[a] != GROUP_NONE && group[b] != GROUP_NONE;
}

/* What pairs of a that leave its group lose, as far as the group or node beyond is no slower. */
static double outward(
	struct fit *f, struct pair_graph *g, const struct layout *p, size_t a, bool start)
{
	size_t n = 0;

	for (size_t i = g->first[a]; i < g->first[a + 1]; i++) {
		const struct edge *e = &g->edges[i];

		if (!fit_leaves_group(f, p, a, e->to) || isnan(f->mu[e->cell]))
			continue;
		if (start || (f->healthy[e->to] && f->uplink[e->to] > f->uplink[a] - DEFICIT_MIN))
			g->scratch[n++] = e->y - f->mu[e->cell];
	}
	return start ? robust_upper(g->scratch, n, START_QUANTILE)
		     : robust_mean(g->scratch, n, MEAN_REACH * f->scale);
}

/* A slow uplink slows everyone behind it: hence the upper part of the members to start with. */
static double group_outward(
	struct fit *f, const struct layout *p, const float *node, size_t g, float *v, bool start)
{
	int l = f->spec.uplinks;
	size_t n = 0;
	size_t members = 0;

	for (size_t i = p->first[l][g]; i < p->first[l][g + 1]; i++) {
		size_t a = p->member[l][i];

		members += !isnan(f->term[a]);
		if (!isnan(node[a]) && (start || f->healthy[a]))
			v[n++] = node[a];
	}
	if (members < 2 || n == 0)
		return NAN;
	return start ? robust_upper(v, n, START_QUANTILE) : robust_median(v, n);
}

/* Sets the terms of groups clearly slower than the others; of a majority of groups, none. */
static void set_uplinks(struct fit *f, const struct layout *p, const float *group, float *v)
{
	int l = f->spec.uplinks;
	size_t n = 0;
	double centre;
	double least = DEFICIT_MIN + 2 * f->scale / sqrt((double)f->n);

	for (size_t g = 0; g < p->n_groups[l]; g++)
		if (!isnan(group[g]))
			v[n++] = group[g];
	centre = robust_upper(v, n, 0.5);
	f->n_uplinks = 0;
	f->n_steps = 1;
	memset(f->uplink, 0, f->n * sizeof(*f->uplink));
	for (size_t g = 0; g < p->n_groups[l]; g++)
		f->n_uplinks += group[g] - centre < -least;
	if (n < 3 || 2 * f->n_uplinks >= n) {
		f->n_uplinks = 0;
		return;
	}
	for (size_t g = 0; g < p->n_groups[l]; g++) {
		float term = (float)(group[g] - centre);

		if (!(term < -least))
			continue;
		if (f->n_steps < UPLINK_STEPS)
			f->step[f->n_steps++] = term;
		for (size_t i = p->first[l][g]; i < p->first[l][g + 1]; i++)
			f->uplink[p->member[l][i]] = term;
	}
}

void fit_uplinks(struct fit *f, struct pair_graph *g, const struct layout *p, bool start)
{
	int l = f->spec.uplinks;
	float *node;
	float *group;

	if (l < 0)
		return;
	node = malloc((g->n + 1) * sizeof(*node));
	group = malloc((p->n_groups[l] + 1) * sizeof(*group));
	if (node && group) {
		for (size_t a = 0; a < g->n; a++)
			node[a] = (float)outward(f, g, p, a, start);
		for (size_t k = 0; k < p->n_groups[l]; k++)
			group[k] = (float)group_outward(f, p, node, k, g->scratch, start);
		set_uplinks(f, p, group, g->scratch);
	}
	free(node);
	free(group);
}
