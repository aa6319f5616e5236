/* Which nodes are blamed, how surely, and by which pairs; who was tested too little. */
#include "rules/attribution_model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A pair agrees with a node's term when it is at least this share of it below its class. */
#define AGREE_SHARE 0.5
/* So many standard deviations above what a slow node allows: it is not that node. */
#define FAST_SURE 3
/* Fewer of its pairs agree: it is not the node, or not only. */
#define AGREE_MIN 0.6
/* Surest that anything is: a measurement never tells what it did not measure. */
#define CONFIDENCE_MAX   0.99
#define CONFIDENCE_ALONE 0.75
/* With so few partners a node may as well have bad luck with them. */
static const double confidence_few[] = {0, 0.3, 0.5, 0.8, 0.9};

/* What the graph says about one node. */
struct hearing {
	size_t pairs;
	size_t telling; /* with a partner that is not slower itself */
	size_t agree;
	size_t slow_slow; /* with a partner that is slow too */
	size_t fast;      /* of these, clearly faster than both can be */
	double gain;      /* cost without this node's term over cost with it */
};

/* The term that the partner alone would give. */
static double partner_term(const struct fit *f, size_t b)
{
	return f->healthy[b] || isnan(f->term[b]) ? 0 : f->term[b];
}

static struct hearing hear(const struct attribution_model *m, const struct pair_graph *g, size_t a)
{
	const struct fit *f = m->fit;
	double most = price_link(g->n_pairs);
	struct hearing h = {0};

	for (size_t i = g->first[a]; i < g->first[a + 1]; i++) {
		const struct edge *e = &g->edges[i];
		double base = fit_base(f, &m->place, a, e);
		double other = partner_term(f, e->to);
		double sd = noise_sd(&m->noise, e->readings);
		double r = e->y - base;

		h.pairs++;
		if (other < 0) {
			h.slow_slow++;
			h.fast += r > AGREE_SHARE * fmin(other, f->term[a]) &&
				  r > fmin(other, f->term[a]) + FAST_SURE * sd;
		}
		if (isnan(base) || other <= f->term[a] - sd)
			continue;
		h.telling++;
		h.agree += r < AGREE_SHARE * f->term[a];
		h.gain += residual_cost((r - other) / sd, most) -
			  residual_cost((r - fmin(other, f->term[a])) / sd, most);
	}
	return h;
}

static double confidence_of(const struct hearing *h, double price, double share)
{
	double sure = 1 / (1 + exp(-(h->gain - price) / 4));
	double agree = (double)h->agree / (double)h->telling;
	double most = h->telling < sizeof(confidence_few) / sizeof(confidence_few[0])
			      ? confidence_few[h->telling]
			      : CONFIDENCE_MAX;

	/* Where most nodes are slow, it may be the fast ones that are special. */
	if (share > 0.5)
		most *= 0.5;
	return fmin(most, CONFIDENCE_MAX * sure * (0.4 + 0.6 * agree));
}

/*
 * Only measured node of its leaf, where leaves have several: then its leaf's uplinks would look
 * the same.
 */
static bool is_alone(const struct attribution_model *m, const struct pair_graph *g, size_t a)
{
	const struct layout *p = &m->place;
	uint16_t leaf = p->group[LEVEL_LEAF][a];
	size_t n = 0;

	if (leaf == GROUP_NONE || !layout_has_level(p, LEVEL_LEAF))
		return false;
	for (size_t i = p->first[LEVEL_LEAF][leaf]; i < p->first[LEVEL_LEAF][leaf + 1]; i++) {
		size_t b = p->member[LEVEL_LEAF][i];

		n += g->first[b + 1] > g->first[b];
	}
	return n == 1;
}

/* The slowest pairs first. */
static void add_evidence(struct suspect_node *s, const struct pair_evidence *e)
{
	size_t at = s->n_evidence;

	while (at > 0 && e->busbw_gbps / e->expected_gbps <
				 s->evidence[at - 1].busbw_gbps / s->evidence[at - 1].expected_gbps)
		at--;
	if (at == ATTRIBUTION_EVIDENCE_MAX)
		return;
	if (s->n_evidence < ATTRIBUTION_EVIDENCE_MAX)
		s->n_evidence++;
	for (size_t i = s->n_evidence - 1; i > at; i--)
		s->evidence[i] = s->evidence[i - 1];
	s->evidence[at] = *e;
}

static void find_evidence(
	const struct attribution_model *m, const struct pair_graph *g, struct suspect_node *s)
{
	const struct fit *f = m->fit;
	size_t a = s->node;

	for (size_t i = g->first[a]; i < g->first[a + 1]; i++) {
		const struct edge *e = &g->edges[i];
		double base = fit_base(f, &m->place, a, e);
		struct pair_evidence v;

		if (isnan(base) || e->y - base > AGREE_SHARE * f->term[a] ||
			partner_term(f, e->to) < f->term[a])
			continue;
		v.a = (uint16_t)(a < e->to ? a : e->to);
		v.b = (uint16_t)(a < e->to ? e->to : a);
		v.busbw_gbps = (float)exp(e->y);
		v.expected_gbps = (float)exp(base);
		add_evidence(s, &v);
	}
}

static int surest_first(const void *a, const void *b)
{
	const struct suspect_node *x = a;
	const struct suspect_node *y = b;

	if (x->confidence != y->confidence)
		return x->confidence > y->confidence ? -1 : 1;
	if (x->deficit != y->deficit)
		return x->deficit > y->deficit ? -1 : 1;
	return (x->node > y->node) - (x->node < y->node);
}

static size_t count_slow(const struct fit *f)
{
	size_t n = 0;

	for (size_t a = 0; a < f->n; a++)
		n += !isnan(f->term[a]) && !f->healthy[a];
	return n;
}

/* Says which nodes were tested how well. */
static bool set_tested(
	struct attribution *at, const struct attribution_model *m, const struct pair_graph *g)
{
	at->tested = arena_alloc(&at->arena, at->n + 1);
	at->node_term = arena_alloc(&at->arena, (at->n + 1) * sizeof(float));
	if (!at->tested || !at->node_term)
		return false;
	for (size_t a = 0; a < at->n; a++) {
		size_t partners = g->first[a + 1] - g->first[a];
		bool known = at->enough && partners > 0 && m->fit->grounded[a];

		at->node_term[a] = known ? fminf(m->fit->term[a], 0) : NAN;
		at->tested[a] = partners == 0                                     ? TESTED_NOT
				: partners < PARTNERS_MIN || !m->fit->grounded[a] ? TESTED_LITTLE
										  : TESTED_WELL;
		at->n_untested += at->tested[a] == TESTED_NOT;
		at->n_little += at->tested[a] == TESTED_LITTLE;
	}
	return true;
}

/* Slow, but all partners (but one) are as slow: it may be they, or the one path. */
static void set_little(struct attribution *at, size_t a)
{
	at->n_little += at->tested[a] == TESTED_WELL;
	at->tested[a] = TESTED_LITTLE;
	at->node_term[a] = NAN;
}

/* Files one node that the fit has as slow under what it is. */
static void judge_node(struct attribution *at, struct attribution_model *m,
	const struct pair_graph *g, size_t a, double share)
{
	struct fit *f = m->fit;
	double price = price_node(m->place.measured);
	struct suspect_node *s = &at->nodes[at->n_nodes];
	struct hearing h = hear(m, g, a);

	if (h.fast > 0 && 2 * h.fast > h.slow_slow) {
		m->apart[a] = true;
		m->n_apart++;
		return;
	}
	if (h.telling < 2)
		set_little(at, a);
	if (h.telling < 2 || h.gain < price || (double)h.agree < AGREE_MIN * (double)h.telling) {
		f->healthy[a] = true;
		return;
	}
	*s = (struct suspect_node){.node = a,
		.deficit = 1 - exp(f->term[a]),
		.confidence = confidence_of(&h, price, share),
		.pairs = h.pairs,
		.agree = h.agree};
	s->confidence = fmin(s->confidence, is_alone(m, g, a) ? CONFIDENCE_ALONE : 1);
	find_evidence(m, g, s);
	m->blamed[a] = true;
	at->n_nodes++;
}

bool blame_nodes(struct attribution *at, struct attribution_model *m, const struct pair_graph *g)
{
	struct fit *f = m->fit;
	double share = (double)count_slow(f) / (double)(m->place.measured + 1);

	m->blamed = arena_alloc(&at->arena, (at->n + 1) * sizeof(*m->blamed));
	m->apart = arena_alloc(&at->arena, (at->n + 1) * sizeof(*m->apart));
	/* For all: gather_links adds some. */
	at->nodes = arena_alloc(&at->arena, (m->place.measured + 1) * sizeof(*at->nodes));
	if (!set_tested(at, m, g) || !m->blamed || !m->apart || !at->nodes)
		return false;
	for (size_t a = 0; a < at->n && at->enough; a++)
		if (!isnan(f->term[a]) && !f->healthy[a] && f->grounded[a])
			judge_node(at, m, g, a, share);
	qsort(at->nodes, at->n_nodes, sizeof(*at->nodes), surest_first);
	return true;
}
