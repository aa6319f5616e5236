/*
 * The parts of attribution.c: what they pass to each other. Nobody else includes this.
 *
 *   graph   every measured pair as one log figure, from both of its ends
 *   spec    which placement makes classes of pairs: levels, instance types, uplinks
 *   fit     the terms of a spec: figure of each class, uplink of each group, term of each node
 *   cost    how badly a fit explains the graph, in units of -2 log likelihood, with a price
 *           for all that it blames; specs are compared by it
 */
#ifndef RULES_ATTRIBUTION_MODEL_H
#define RULES_ATTRIBUTION_MODEL_H

#include "rules/attribution.h"

/*
 * What is too little to act on. Half of the strictest published rule (5 % below the
 * mean): below it a node is as good as the others for every practical purpose.
 */
#define DEFICIT_MIN      0.025
#define LINK_DEFICIT_MIN 0.05
/* Partners below which a node's own fault cannot be told from theirs. */
#define PARTNERS_MIN 3
/* Figures outside of this (GB/s) are no bandwidth of any network there is. */
#define BUSBW_MIN 1e-4
#define BUSBW_MAX 1e5

/* ---- placement ---- */

/* az, spine, leaf, ultraserver, in the order of enum topology_class from TOPOLOGY_AZ. */
enum { LEVEL_AZ, LEVEL_SPINE, LEVEL_LEAF, LEVEL_ULTRASERVER, LEVELS };

#define GROUP_NONE UINT16_MAX
#define AZS_MAX    5 /* AZs of which each pair is a class of its own; with more, all pairs are one */
#define TYPES_MAX  6 /* instance types told apart; the rarest count as the commonest */

struct layout {
	size_t n;
	uint16_t *group[LEVELS]; /* one a node; GROUP_NONE: nobody told */
	size_t n_groups[LEVELS];
	size_t distinct[LEVELS]; /* groups that have a measured node */
	size_t placed[LEVELS];   /* measured nodes whose group is known */
	const char **group_name[LEVELS];
	uint16_t *member[LEVELS]; /* placed nodes, group after group */
	size_t *first[LEVELS]; /* n_groups + 1: members of a group are [first[g], first[g + 1]) */
	uint8_t *type;         /* one a node; unknown counts as the commonest */
	size_t n_types;
	const char *type_name[TYPES_MAX];
	size_t measured; /* nodes with a pair */
};

/* Which distinctions make classes. */
struct class_spec {
	bool types;
	bool level[LEVELS];
	int uplinks; /* level whose groups have a term of their own; -1 none */
};

/*
 * Cells: classes as the fit sees them. A cell is a pair of types and a code: 4 bits for
 * the pair of AZs (0: the same), a bit each for other spine, leaf, ultraserver.
 * The last code: placement of one of the nodes is not known.
 */
#define CODES        128
#define CODE_UNKNOWN (CODES - 1)
#define CELL_MASK    0xfffu
#define CELLS        (TYPES_MAX * (TYPES_MAX + 1) / 2 * CODES)

/* Copies names into arena. measured[n]: whether a node has a pair. False: no memory. */
bool layout_make(
	struct layout *p, const struct pair_set *set, const bool *measured, struct arena *arena);
/* Whether distinctions by this level or by types are possible at all. */
bool layout_has_level(const struct layout *p, int level);
size_t class_cell(const struct layout *p, const struct class_spec *spec, size_t a, size_t b);

/* ---- graph ---- */

struct edge {
	unsigned to : 16;
	unsigned cell : 12;    /* by the spec of the last graph_classify */
	unsigned readings : 4; /* READINGS_MAX: that or more */
	float y;               /* log GB/s */
};

#define READINGS_MAX 15

struct pair_graph {
	size_t n;       /* nodes */
	size_t n_pairs; /* each is two edges */
	size_t *first; /* n + 1: edges of a node are [first[a], first[a + 1]), by ascending partner */
	struct edge *edges;
	float *scratch;        /* room for n_pairs and for n values */
	double reading_sd;     /* of log readings about their pair's; NAN without repeats */
	double mean_share;     /* mean of noise_share over pairs */
	size_t readings;       /* taken */
	size_t ignored;        /* readings that no network can give */
	size_t repeated_pairs; /* with more than one reading */
};

/* Variance of a pair's figure as a share of the variance of a reading. */
double noise_share(size_t readings);

/* NULL when there is no memory. */
struct pair_graph *graph_make(const struct pair_set *set);
/* At most about `pairs` pairs, those of nodes near each other preferred. Same noise figures. */
struct pair_graph *graph_sample(const struct pair_graph *g, const struct layout *p, size_t pairs);
void graph_classify(struct pair_graph *g, const struct layout *p, const struct class_spec *spec);
void graph_free(struct pair_graph *g); /* NULL is allowed */
bool reading_counts(double busbw_gbps);

/* ---- fit ---- */

/* Where healthy pairs are for sure to start with: a minority may be slow, none is too fast. */
#define START_QUANTILE 0.75
/* Within so many standard deviations of the median a pair counts for a mean. */
#define MEAN_REACH   3
#define UPLINK_STEPS 8

struct fit {
	struct class_spec spec;
	float mu[CELLS];       /* log GB/s of healthy pairs; NAN not known */
	uint32_t pairs[CELLS]; /* measured */
	size_t n_cells;        /* with a pair */
	size_t n;
	float *term;    /* one a node: log, about 0 when healthy; NAN not measured */
	float *se;      /* standard error of it */
	bool *healthy;  /* its term is within what a healthy node may have */
	bool *grounded; /* its term is from healthy partners, or from slower ones that it slows */
	float *uplink;  /* one a node: what leaving its group costs, log, <= 0 */
	float step[UPLINK_STEPS]; /* values that uplink has, 0 first; more are not told apart */
	size_t n_steps;
	double scale; /* robust standard deviation of healthy pairs about the fit */
	double floor; /* log deficit from which a node is not healthy, at the least */
	double cost;
	size_t n_uplinks; /* groups with an uplink term */
};

struct fit *fit_new(size_t n); /* NULL when there is no memory */
void fit_free(struct fit *f);  /* NULL is allowed */
/* Fits spec. from: a fit to start at (its healthy nodes); NULL: from nothing. */
void fit_run(struct fit *f, struct pair_graph *g, const struct layout *p,
	const struct class_spec *spec, const struct fit *from);
/* The terms of the groups of spec.uplinks; start: nothing is known of the nodes yet. */
void fit_uplinks(struct fit *f, struct pair_graph *g, const struct layout *p, bool start);
/* Whether the pair leaves a group of spec.uplinks. */
bool fit_leaves_group(const struct fit *f, const struct layout *p, size_t a, size_t b);
/* Robust standard deviation of the healthy pairs of each cell; NAN without. */
void fit_spreads(struct fit *f, struct pair_graph *g, const struct layout *p, float spread[CELLS]);
/* log GB/s that healthy nodes would give on this edge; NAN not known. */
double fit_base(const struct fit *f, const struct layout *p, size_t a, const struct edge *e);
/* As slow as the terms of the slow among both nodes say: <= 0. */
double fit_nodes(const struct fit *f, size_t a, size_t b);

/* ---- cost ---- */

struct noise {
	double own_var;     /* of a pair, however often it is read */
	double reading_var; /* of a reading */
};

/* Of the pairs of a fit. */
struct noise noise_of(const struct pair_graph *g, double scale);
double noise_sd(const struct noise *noise, size_t readings);
/* What one residual costs. A slow pair costs no more than a slow link. */
double residual_cost(double z, double most);
double price_node(size_t nodes);
double price_link(size_t pairs);
void fit_set_cost(struct fit *f, const struct pair_graph *g, const struct layout *p,
	const struct noise *noise);

/* ---- choice of classes ---- */

struct choice {
	struct class_spec spec;
	enum topology_class topology;
	double gain;  /* of the topology over having none, in cost */
	double rival; /* cost by which the next best explanation of one level is worse */
	enum topology_class runner_up;
};

/* How much slower pairs are that differ by t, log > 0; for instance types either way. */
double class_effect(const struct fit *f, enum topology_class t);
/* Leaves the fit of the chosen spec in *best (caller frees); NULL when there is no memory. */
struct fit *choose_classes(struct pair_graph *g, const struct layout *p, struct choice *choice);

/* ---- what the result is made from ---- */

struct attribution_model {
	struct layout place;
	struct class_spec spec;
	struct fit *fit;
	struct noise noise;
	struct choice choice;
	size_t ignored;
	size_t pairs;
	size_t readings;
	size_t repeated_pairs;
	bool *blamed; /* one a node: is in at->nodes */
	/*
	 * Slow with everyone else but fast among each other: something stands between them
	 * and the rest that placement does not tell.
	 */
	bool *apart;
	size_t n_apart;
	uint32_t *slow_links; /* pair_index of suspect links, ascending */
	size_t n_slow_links;
	bool links_everywhere; /* so many that their cause must be another */
};

/* Each fills its part of at; false: no memory. */
bool blame_nodes(struct attribution *at, struct attribution_model *m, const struct pair_graph *g);
bool blame_links(struct attribution *at, struct attribution_model *m, const struct pair_graph *g,
	const struct pair_set *set);
/* After both. */
bool gather_links(struct attribution *at, struct attribution_model *m, const struct pair_graph *g);
bool say_classes(struct attribution *at, struct attribution_model *m, struct pair_graph *g);
bool say_why(struct attribution *at, const struct attribution_model *m, const struct pair_set *set);

#endif
