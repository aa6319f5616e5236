#include "rules/attribution.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "collectors/compiler.h"
#include "collectors/xmalloc.h"
#include "rules/attribution_model.h"

/* Of the result: names, evidence, transients; sized by the number of readings. */
#define RESULT_BYTES (256u << 20)
#define NODES_MIN    4
#define PAIRS_MIN    6

const char *topology_class_name(enum topology_class t)
{
	static const char *const names[TOPOLOGY_COUNT] = {
		"none", "az", "spine", "leaf", "ultraserver", "instance_type"};

	return (size_t)t < ARRAY_LEN(names) ? names[t] : names[TOPOLOGY_NONE];
}

/* Two partners for the average node, in a set in which somebody can be the odd one out. */
static bool is_enough(const struct attribution_model *m)
{
	return m->place.measured >= NODES_MIN && m->pairs >= PAIRS_MIN &&
	       m->pairs >= m->place.measured;
}

static int ascending(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a;
	uint32_t y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

static bool index_links(struct attribution *at, struct attribution_model *m)
{
	m->slow_links = arena_alloc(&at->arena, (at->n_links + 1) * sizeof(*m->slow_links));
	if (!m->slow_links)
		return false;
	for (size_t i = 0; i < at->n_links; i++)
		m->slow_links[i] = (uint32_t)pair_index(at->n, at->links[i].a, at->links[i].b);
	m->n_slow_links = at->n_links;
	qsort(m->slow_links, m->n_slow_links, sizeof(*m->slow_links), ascending);
	return true;
}

static bool attribute(struct attribution *at, struct attribution_model *m, struct pair_graph *g,
	const struct pair_set *set)
{
	bool *measured = xcalloc(set->n + 1, sizeof(*measured));
	bool ok;

	for (size_t a = 0; a < set->n; a++)
		measured[a] = g->first[a + 1] > g->first[a];
	ok = layout_make(&m->place, set, measured, &at->arena);
	free(measured);
	if (!ok)
		return false;
	m->ignored = g->ignored;
	m->pairs = g->n_pairs;
	m->readings = g->readings;
	m->repeated_pairs = g->repeated_pairs;
	m->fit = choose_classes(g, &m->place, &m->choice);
	if (!m->fit)
		return false;
	m->spec = m->choice.spec;
	m->noise = noise_of(g, m->fit->scale);
	at->noise = g->n_pairs ? noise_sd(&m->noise, 1) : NAN;
	at->enough = is_enough(m);
	return blame_nodes(at, m, g) && blame_links(at, m, g, set) && gather_links(at, m, g) &&
	       index_links(at, m) && say_classes(at, m, g) && say_why(at, m, set);
}

/* Memory ran out on the way: nothing is said rather than half of it. */
static void say_nothing(struct attribution *at)
{
	static const char *why[] = {"Not enough memory to look at the measurements."};

	at->enough = false;
	at->n_nodes = at->n_links = at->n_transients = at->n_classes = 0;
	at->topology = TOPOLOGY_NONE;
	at->topology_where = NULL;
	at->why = why;
	at->n_why = 1;
}

struct attribution *attribution_run(const struct pair_set *set)
{
	struct attribution *at = xcalloc(1, sizeof(*at));
	struct attribution_model *m = xcalloc(1, sizeof(*m));
	struct pair_graph *g = graph_make(set);

	arena_init(&at->arena, RESULT_BYTES);
	at->model = m;
	at->n = set->n;
	at->noise = NAN;
	at->tested = arena_alloc(&at->arena, set->n + 1);
	at->node_term = arena_alloc(&at->arena, (set->n + 1) * sizeof(*at->node_term));
	if (!at->tested || !at->node_term || !g || !attribute(at, m, g, set))
		say_nothing(at);
	graph_free(g);
	return at;
}

void attribution_free(struct attribution *at)
{
	struct attribution_model *m;

	if (!at)
		return;
	/* Made by attribution_run; const is for those who look at it. */
	m = (struct attribution_model *)(uintptr_t)at->model;
	fit_free(m->fit);
	free(m);
	arena_release(&at->arena);
	free(at);
}

double attribution_expected(const struct attribution *at, size_t a, size_t b)
{
	const struct attribution_model *m = at->model;
	struct edge e;

	if (!at->enough || a == b || a >= at->n || b >= at->n)
		return NAN;
	e = (struct edge){.to = (uint16_t)b,
		.cell = (unsigned)class_cell(&m->place, &m->spec, a, b) & CELL_MASK};
	/* Without a figure to be near to: what pairs of unknown placement reach. */
	if (e.cell % CODES == CODE_UNKNOWN)
		return exp(m->fit->mu[e.cell]);
	return exp(fit_base(m->fit, &m->place, a, &e));
}

bool attribution_pair_low(const struct attribution *at, size_t a, size_t b)
{
	const struct attribution_model *m = at->model;
	uint32_t key;

	if (!at->enough || a == b || a >= at->n || b >= at->n)
		return false;
	if (m->blamed[a] || m->blamed[b])
		return true;
	key = (uint32_t)pair_index(at->n, a, b);
	return m->n_slow_links > 0 &&
	       bsearch(&key, m->slow_links, m->n_slow_links, sizeof(key), ascending) != NULL;
}
