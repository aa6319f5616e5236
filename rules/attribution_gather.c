/*
 * Many slow pairs of one node are not many slow links: it is the node, though only part of its
 * paths. Moves such pairs from the links and the readings to retest to their node.
 */
#include "rules/attribution_model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "rules/robust.h"

/* At least so many slow pairs, and one in so many of all that it has. */
#define GATHER_MIN   4
#define GATHER_SHARE 4
/* and so many times the share that all nodes have. */
#define GATHER_UNUSUAL 3
/* One in so many nodes: then it is something else. */
#define WIDESPREAD 4
/* More links than this, and one in so many pairs: something is not understood. */
#define LINKS_MANY  8
#define LINKS_SHARE 50
/* Less sure than a node that is slow with everyone. */
#define GATHER_CONFIDENCE 0.6

struct slow_pair {
	uint16_t a;
	uint16_t b;
	float busbw_gbps;
	float expected_gbps;
};

/* Links, and pairs whose only reading is low. */
static struct slow_pair *slow_pairs(const struct attribution *at, size_t *n)
{
	struct slow_pair *v = malloc((at->n_links + at->n_transients + 1) * sizeof(*v));

	*n = 0;
	for (size_t i = 0; v && i < at->n_links; i++) {
		const struct pair_evidence *e = &at->links[i].evidence;

		v[(*n)++] = (struct slow_pair){e->a, e->b, e->busbw_gbps, e->expected_gbps};
	}
	for (size_t i = 0; v && i < at->n_transients; i++) {
		const struct transient *t = &at->transients[i];

		if (t->retest)
			v[(*n)++] = (struct slow_pair){(uint16_t)t->a, (uint16_t)t->b,
				(float)t->busbw_gbps, (float)t->expected_gbps};
	}
	return v;
}

/* Whether a node has so many slow pairs that it is their cause; usual: share of all pairs. */
static bool stands_out(size_t slow, size_t pairs, double usual)
{
	return slow >= GATHER_MIN && GATHER_SHARE * slow >= pairs &&
	       (double)slow > GATHER_UNUSUAL * usual * (double)pairs;
}

/* The node with the largest share of slow pairs among those that stand out; FLEET_NONE. */
static size_t worst_node(const struct attribution_model *m, const struct pair_graph *g,
	const uint32_t *count, double usual)
{
	size_t worst = FLEET_NONE;
	double most = 0;

	for (size_t a = 0; a < g->n; a++) {
		size_t pairs = g->first[a + 1] - g->first[a];
		double share = (double)count[a] / (double)(pairs + 1);

		if (!m->blamed[a] && stands_out(count[a], pairs, usual) && share > most) {
			most = share;
			worst = a;
		}
	}
	return worst;
}

/* Takes the pairs of node a out of v, into s; returns how many are left. */
static size_t take_pairs(
	struct suspect_node *s, struct slow_pair *v, size_t n, uint32_t *count, float *loss)
{
	size_t left = 0;

	for (size_t i = 0; i < n; i++) {
		if (v[i].a != s->node && v[i].b != s->node) {
			v[left++] = v[i];
			continue;
		}
		count[v[i].a]--;
		count[v[i].b]--;
		loss[s->agree++] = 1 - v[i].busbw_gbps / v[i].expected_gbps;
		if (s->n_evidence < ATTRIBUTION_EVIDENCE_MAX)
			s->evidence[s->n_evidence++] = (struct pair_evidence){
				v[i].a, v[i].b, v[i].busbw_gbps, v[i].expected_gbps};
	}
	s->deficit = robust_median(loss, s->agree);
	return left;
}

static bool of_gathered(const bool *gathered, size_t a, size_t b)
{
	return gathered[a] || gathered[b];
}

/* Drops what is now told by a node. */
static void drop_pairs(struct attribution *at, const bool *gathered)
{
	size_t n = 0;

	for (size_t i = 0; i < at->n_links; i++)
		if (!of_gathered(gathered, at->links[i].a, at->links[i].b))
			at->links[n++] = at->links[i];
	at->n_links = n;
	n = 0;
	for (size_t i = 0; i < at->n_transients; i++)
		if (!at->transients[i].retest ||
			!of_gathered(gathered, at->transients[i].a, at->transients[i].b))
			at->transients[n++] = at->transients[i];
	at->n_transients = n;
}

/* Nodes with that many slow pairs. Of very many, none is the cause. */
static bool is_widespread(const struct attribution_model *m, const struct pair_graph *g,
	const uint32_t *count, double usual)
{
	size_t n = 0;

	for (size_t a = 0; a < g->n; a++)
		n += stands_out(count[a], g->first[a + 1] - g->first[a], usual);
	return WIDESPREAD * n > m->place.measured;
}

static void gather(struct attribution *at, struct attribution_model *m, const struct pair_graph *g,
	struct slow_pair *v, size_t n, uint32_t *count, float *loss, bool *gathered)
{
	double usual = (double)n / (double)(m->pairs + 1);
	size_t a;

	for (size_t i = 0; i < n; i++) {
		count[v[i].a]++;
		count[v[i].b]++;
	}
	if (is_widespread(m, g, count, usual))
		return;
	while ((a = worst_node(m, g, count, usual)) != FLEET_NONE) {
		struct suspect_node *s = &at->nodes[at->n_nodes++];

		*s = (struct suspect_node){.node = a,
			.pairs = g->first[a + 1] - g->first[a],
			.confidence = GATHER_CONFIDENCE};
		n = take_pairs(s, v, n, count, loss);
		m->blamed[a] = gathered[a] = true;
		at->node_term[a] = (float)log(1 - s->deficit);
	}
	drop_pairs(at, gathered);
}

/* Slow pairs all over, of no node or class: less sure of each, and a sentence about it. */
static void doubt_links(struct attribution *at, struct attribution_model *m)
{
	m->links_everywhere = at->n_links > LINKS_MANY && LINKS_SHARE * at->n_links > m->pairs;
	for (size_t i = 0; m->links_everywhere && i < at->n_links; i++)
		at->links[i].confidence *= 0.5;
}

bool gather_links(struct attribution *at, struct attribution_model *m, const struct pair_graph *g)
{
	size_t n;
	struct slow_pair *v = slow_pairs(at, &n);
	uint32_t *count = calloc(g->n + 1, sizeof(*count));
	bool *gathered = calloc(g->n + 1, sizeof(*gathered));
	float *loss = malloc((n + 1) * sizeof(*loss));
	bool ok = v && count && gathered && loss;

	if (ok && n >= GATHER_MIN)
		gather(at, m, g, v, n, count, loss, gathered);
	doubt_links(at, m);
	free(v);
	free(count);
	free(gathered);
	free(loss);
	return ok;
}
