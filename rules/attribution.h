/*
 * From measured pairs and placement to who is slow: nodes, links, a topology
 * class, transients, untested nodes; each with confidence and the pairs that say so.
 *
 * DESIGN. The model is of log bandwidth: a pair is as slow as its slowest part,
 *   log busbw(a,b) = base(class of a,b) + min(node a, node b) + link(a,b) + noise
 * where class is made from topology levels and instance types: each is added as long as
 * it explains more of the spread than it costs; `topology` is the one that explains
 * most. A group (leaf, spine, ...) may have a term for its uplinks, by which all pairs
 * that leave it are slower. Terms are fit with medians and trimmed scales, so that what is
 * broken does not bend what is healthy. A reading that its own repeats or nobody else
 * confirms is a transient and blames no one. A node whose pairs are slow with many partners
 * is one node, not many links; nodes that are slow with all others but fast among each
 * other are not to blame: something between them and the rest is, that placement
 * does not tell.
 *
 * Pure and deterministic: no clock, no I/O, no thread, no random numbers. The
 * order of readings does not matter.
 */
#ifndef RULES_ATTRIBUTION_H
#define RULES_ATTRIBUTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collectors/arena.h"
#include "collectors/pair_set.h"

enum topology_class {
	TOPOLOGY_NONE,
	TOPOLOGY_AZ,
	TOPOLOGY_SPINE,
	TOPOLOGY_LEAF,
	TOPOLOGY_ULTRASERVER,
	TOPOLOGY_INSTANCE_TYPE,
	TOPOLOGY_COUNT
};

/* A pair that says so: its figure beside what its class would give. */
struct pair_evidence {
	uint16_t a;
	uint16_t b;
	float busbw_gbps;
	float expected_gbps;
};

#define ATTRIBUTION_EVIDENCE_MAX 8

struct suspect_node {
	size_t node;
	double deficit;    /* 0..1 of the expected bandwidth that it loses */
	double confidence; /* 0..1 that it is this node */
	size_t pairs;      /* of this node that were measured */
	size_t agree;      /* of these, as slow as the node's term says */
	struct pair_evidence evidence[ATTRIBUTION_EVIDENCE_MAX]; /* slowest first */
	size_t n_evidence;
};

struct suspect_link {
	size_t a;
	size_t b;
	double deficit; /* beyond what its nodes explain */
	double confidence;
	size_t readings;
	struct pair_evidence evidence;
};

/* A reading far below its pair's others, or below all that explains it, seen once. */
struct transient {
	size_t a;
	size_t b;
	double busbw_gbps;
	double expected_gbps;
	bool retest; /* only reading of its pair: nobody can tell yet */
};

/* A class of pairs: "same spine", "other spine", "p5 with p4d". */
struct pair_class {
	const char *name;
	double expected_gbps; /* of healthy nodes; NAN when no pair tells */
	size_t pairs;
	double spread; /* robust standard deviation of log busbw within */
};

enum tested { TESTED_WELL, TESTED_LITTLE /* too few partners to tell it from them */, TESTED_NOT };

struct attribution {
	enum topology_class topology;
	double topology_effect; /* 0..1: how much the slow classes lose against the best */
	double topology_confidence;
	const char *topology_where; /* for people: "leaf nn-leaf2", "use1-az1 to use1-az2"; NULL */
	struct suspect_node *nodes; /* surest and slowest first */
	size_t n_nodes;
	struct suspect_link *links;
	size_t n_links;
	struct transient *transients;
	size_t n_transients;
	struct pair_class *classes;
	size_t n_classes;
	uint8_t *tested; /* enum tested, one a node of the set */
	size_t n_untested;
	size_t n_little;
	size_t n;         /* nodes of the set */
	float *node_term; /* one a node: log term, <= 0; NAN not known */
	double noise;     /* robust standard deviation of log readings */
	bool enough;      /* false: too little was measured to say anything */
	const char **why; /* sentences for people, most important first */
	size_t n_why;
	/* For attribution_expected; attribution.c's own. */
	const struct attribution_model *model;
	struct arena arena;
};

/* Never NULL. set is borrowed; the result does not point into it. */
struct attribution *attribution_run(const struct pair_set *set);
void attribution_free(struct attribution *at); /* NULL is allowed */

/* busbw that healthy nodes would reach on this pair, GB/s; NAN when nothing tells. */
double attribution_expected(const struct attribution *at, size_t a, size_t b);

const char *topology_class_name(enum topology_class t); /* "none" "az" "spine" ...; static */

/* ---- the published simple rules, for comparison (see domain.md § Pairwise bandwidth) ---- */

enum simple_rule { SIMPLE_MEAN5, SIMPLE_MEDIAN10, SIMPLE_MEDIAN20, SIMPLE_MAX93, SIMPLE_COUNT };

struct simple_verdict {
	double limit_gbps; /* readings below are low */
	uint8_t *node_low; /* one a node: more than half of its readings are low */
	size_t n_nodes_low;
	size_t pairs_low;    /* pairs whose figure is below the limit */
	size_t nodes_differ; /* nodes on which it and the attribution disagree */
	size_t pairs_differ; /* pairs: low here but blamed on nobody there, or the other way round */
	struct arena arena;
};

/* Never NULL. at may be NULL: then nothing differs. */
struct simple_verdict *simple_rule_run(
	enum simple_rule r, const struct pair_set *set, const struct attribution *at);
void simple_verdict_free(struct simple_verdict *v);
const char *simple_rule_name(enum simple_rule r);   /* "mean5" ... */
const char *simple_rule_source(enum simple_rule r); /* who published it; static */
bool simple_rule_by_name(const char *name, enum simple_rule *out);

/* Whether the attribution counts this pair as slow: a suspect node or link, not the class. */
bool attribution_pair_low(const struct attribution *at, size_t a, size_t b);

#endif
