/*
 * Attribution of pairwise sweeps, for attribution.py.
 *
 *   attribution DIR...           of each DIR/pairs.csv and DIR/nodes.csv: one line of JSON
 *   attribution --why DIR...     the sentences
 *   attribution --time N R...    CPU time at N nodes, all pairs, R readings each
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "collectors/fleet.h"
#include "collectors/xmalloc.h"
#include "rules/attribution.h"

struct readings {
	uint16_t *a;
	uint16_t *b;
	float *busbw;
	size_t n;
	size_t cap;
};

static void add(struct readings *r, size_t a, size_t b, double busbw)
{
	if (r->n == r->cap) {
		r->cap = r->cap * 2 + 1024;
		r->a = xreallocarray(r->a, r->cap, sizeof(*r->a));
		r->b = xreallocarray(r->b, r->cap, sizeof(*r->b));
		r->busbw = xreallocarray(r->busbw, r->cap, sizeof(*r->busbw));
	}
	r->a[r->n] = (uint16_t)a;
	r->b[r->n] = (uint16_t)b;
	r->busbw[r->n++] = (float)busbw;
}

static void release(struct readings *r)
{
	free(r->a);
	free(r->b);
	free(r->busbw);
}

/* node,az,spine,leaf,ultraserver,instance_type, in this order. */
static bool read_nodes(const char *path, struct fleet *fleet)
{
	FILE *f = fopen(path, "r");
	char line[512];
	bool header = true;

	while (f && fgets(line, sizeof(line), f)) {
		struct span rest = span_trim(span_of(line));
		const char *told[6] = {NULL};
		struct span field;

		for (size_t i = 0; i < 6 && span_field(&rest, ',', &field); i++)
			if (field.n > 0)
				told[i] = arena_strndup(&fleet->arena, field.p, field.n);
		if (!header && told[0]) {
			size_t i = fleet_find_or_add(fleet, span_of(told[0]));
			struct fleet_node *node = &fleet->nodes[i];
			node->az = told[1];
			node->spine = told[2];
			node->leaf = told[3];
			node->ultraserver = told[4];
			node->instance_type = told[5];
		}
		header = false;
	}
	if (f)
		fclose(f);
	return f != NULL;
}

static bool read_pairs(const char *path, struct fleet *fleet, struct readings *r)
{
	FILE *f = fopen(path, "r");
	char line[512];

	if (!f || !fgets(line, sizeof(line), f)) {
		if (f)
			fclose(f);
		return false;
	}
	while (fgets(line, sizeof(line), f)) {
		struct span rest = span_trim(span_of(line));
		struct span a;
		struct span b;
		struct span v;
		double busbw;

		if (span_field(&rest, ',', &a) && span_field(&rest, ',', &b) &&
			span_field(&rest, ',', &v) && span_f64(v, &busbw))
			add(r, fleet_find_or_add(fleet, a), fleet_find_or_add(fleet, b), busbw);
	}
	fclose(f);
	return true;
}

static struct pair_set *load(const char *dir)
{
	struct fleet *fleet = fleet_new();
	struct readings r = {0};
	struct pair_set *set = NULL;
	struct pair_key key = {.tool = BW_CSV, .collective = BW_ALL_REDUCE};
	char path[1024];

	snprintf(path, sizeof(path), "%s/nodes.csv", dir);
	if (read_nodes(path, fleet)) {
		snprintf(path, sizeof(path), "%s/pairs.csv", dir);
		if (read_pairs(path, fleet, &r))
			set = pair_set_make(fleet, &key, r.a, r.b, r.busbw, r.n);
	}
	if (!set)
		fprintf(stderr, "cannot read %s\n", path);
	release(&r);
	fleet_free(fleet);
	return set;
}

static void print_simple(const struct pair_set *set, const struct attribution *at)
{
	for (size_t r = 0; r < SIMPLE_COUNT; r++) {
		struct simple_verdict *v = simple_rule_run((enum simple_rule)r, set, at);
		const char *comma = "";

		printf(", \"%s\": [", simple_rule_name((enum simple_rule)r));
		for (size_t a = 0; a < set->n; a++) {
			if (!v->node_low[a])
				continue;
			printf("%s\"%s\"", comma, set->nodes[a].name);
			comma = ", ";
		}
		printf("]");
		simple_verdict_free(v);
	}
}

static void print_json(const char *dir, const struct pair_set *set, const struct attribution *at)
{
	printf("{\"dir\": \"%s\", \"enough\": %s, \"topology\": \"%s\", \"topology_confidence\": "
	       "%.3f, \"transients\": %zu, \"suspect_nodes\": [",
		dir, at->enough ? "true" : "false", topology_class_name(at->topology),
		at->topology_confidence, at->n_transients);
	for (size_t i = 0; i < at->n_nodes; i++)
		printf("%s\"%s\"", i ? ", " : "", set->nodes[at->nodes[i].node].name);
	printf("], \"node_confidence\": [");
	for (size_t i = 0; i < at->n_nodes; i++)
		printf("%s%.3f", i ? ", " : "", at->nodes[i].confidence);
	printf("], \"suspect_links\": [");
	for (size_t i = 0; i < at->n_links; i++)
		printf("%s[\"%s\", \"%s\"]", i ? ", " : "", set->nodes[at->links[i].a].name,
			set->nodes[at->links[i].b].name);
	printf("], \"link_confidence\": [");
	for (size_t i = 0; i < at->n_links; i++)
		printf("%s%.3f", i ? ", " : "", at->links[i].confidence);
	printf("], \"retest\": [");
	for (size_t i = 0, n = 0; i < at->n_transients; i++)
		if (at->transients[i].retest)
			printf("%s[\"%s\", \"%s\"]", n++ ? ", " : "",
				set->nodes[at->transients[i].a].name,
				set->nodes[at->transients[i].b].name);
	printf("]");
	print_simple(set, at);
	printf("}\n");
}

static void print_why(const char *dir, const struct attribution *at)
{
	printf("%s\n", dir);
	for (size_t i = 0; i < at->n_why; i++)
		printf("  %s\n", at->why[i]);
	for (size_t i = 0; i < at->n_classes; i++)
		printf("  class %s: %.1f GB/s, %zu pairs, spread %.2f %%\n", at->classes[i].name,
			at->classes[i].expected_gbps, at->classes[i].pairs,
			100 * at->classes[i].spread);
}

static double cpu_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

/* Evenly spread over 0..1; repeatable. */
static double chance(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return (double)(*state >> 11) / 9007199254740992.0;
}

/* Sweep of n nodes in leaves of 16 and spines of 64: a spine effect and some slow nodes. */
static struct pair_set *synthetic(size_t n, size_t repeats)
{
	struct fleet *fleet = fleet_new();
	struct readings r = {0};
	struct pair_key key = {.tool = BW_CSV, .collective = BW_ALL_REDUCE};
	struct pair_set *set;
	uint64_t state = 1;

	for (size_t i = 0; i < n; i++) {
		char name[32];

		snprintf(name, sizeof(name), "node-%zu", i);
		fleet_find_or_add(fleet, span_of(name));
	}
	for (size_t i = 0; i < n; i++) {
		static char leaf[FLEET_NODES_MAX][32];
		static char spine[FLEET_NODES_MAX][32];

		snprintf(leaf[i], sizeof(leaf[i]), "leaf%zu", i / 16);
		snprintf(spine[i], sizeof(spine[i]), "spine%zu", i / 64);
		fleet->nodes[i].leaf = leaf[i];
		fleet->nodes[i].spine = spine[i];
	}
	for (size_t a = 0; a < n; a++)
		for (size_t b = a + 1; b < n; b++)
			for (size_t k = 0; k < repeats; k++) {
				double v = a / 64 == b / 64 ? 300 : 260;

				v *= a % 100 == 7 || b % 100 == 7 ? 0.8 : 1;
				v *= 1 + 0.06 * (chance(&state) + chance(&state) - 1);
				add(&r, a, b, chance(&state) < 0.003 ? v / 2 : v);
			}
	set = pair_set_make(fleet, &key, r.a, r.b, r.busbw, r.n);
	release(&r);
	fleet_free(fleet);
	return set;
}

static void time_at(size_t n, size_t repeats)
{
	struct pair_set *set = synthetic(n, repeats);
	double best = INFINITY;
	struct attribution *at = NULL;

	for (size_t k = 0; k < 5; k++) {
		double start = cpu_ms();

		attribution_free(at);
		at = attribution_run(set);
		best = fmin(best, cpu_ms() - start);
	}
	printf("%zu nodes, %zu pairs, %zu reading%s each: %.0f ms CPU (best of 5), %zu nodes "
	       "blamed, "
	       "topology %s\n",
		n, set->measured, repeats, repeats == 1 ? "" : "s", best, at->n_nodes,
		topology_class_name(at->topology));
	attribution_free(at);
	pair_set_free(set);
}

int main(int argc, char **argv)
{
	bool why = argc > 1 && strcmp(argv[1], "--why") == 0;
	bool timed = argc > 2 && strcmp(argv[1], "--time") == 0;

	for (int i = 3; timed && i < argc; i++)
		time_at(strtoul(argv[2], NULL, 10), strtoul(argv[i], NULL, 10));
	for (int i = why ? 2 : 1; !timed && i < argc; i++) {
		struct pair_set *set = load(argv[i]);
		struct attribution *at;

		if (!set)
			return 1;
		at = attribution_run(set);
		if (why)
			print_why(argv[i], at);
		else
			print_json(argv[i], set, at);
		attribution_free(at);
		pair_set_free(set);
	}
	return 0;
}
