/*
 * A sweep of pairwise bandwidth as rules ask for it: by node of the snapshot. Made once a
 * judgement, pure.
 *
 * A sweep knows nodes by index into its set, a snapshot by another; a node may be in one
 * of them only.
 */
#ifndef RULES_PAIR_FACTS_H
#define RULES_PAIR_FACTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collectors/snapshot.h"
#include "rules/judge.h"

/* A node of the sweep. */
struct pair_node {
	size_t node;                        /* of the snapshot; SIZE_MAX: not in the inventory */
	const struct suspect_node *suspect; /* NULL: nothing is blamed on it */
	enum tested tested;
	bool seen;        /* a run or a reading of it was read */
	size_t failed;    /* partners with which it has failed runs and no figure */
	bool all_to_node; /* so many that the node explains them: pairs need not be told */
	/* Evidence in words, with names and files; NULL none. */
	const char *slow_words;
	const char *failed_words;
	const char *trouble[BW_TROUBLE_COUNT]; /* the first line that shows it */
};

struct pair_facts {
	const struct pair_set *set;
	const struct attribution *at;
	/* Of the newest measurement, by the snapshot's clock; -1 not known. */
	int64_t newest_mono_ms;
	struct pair_node *nodes; /* one a node of the set */
	size_t n;
	size_t *of_node; /* one a node of the snapshot: its place in nodes; SIZE_MAX none */
	size_t of_node_n;
	/* Lines of runs that tell neither their host nor their pair. */
	const char *nobody[BW_TROUBLE_COUNT];
	/* One failure a pair: of several runs the newest; by pair. */
	const struct pair_failure **failures;
	size_t n_failures;
	const struct judge_pairs *from;
	struct arena arena;
};

void pair_facts_get(struct pair_facts *f, const struct snapshot *snap, const struct judge_pairs *p);
void pair_facts_release(struct pair_facts *f); /* zeroed or filled */

/* What the sweep says of a node of the snapshot; NULL: it does not know it. */
const struct pair_node *pair_facts_node(const struct pair_facts *f, size_t node);

/* There is a figure of this pair. */
bool pair_facts_measured(const struct pair_facts *f, size_t a, size_t b);

/* By the snapshot's clock when something was measured at wall_ms; -1 for 0. */
int64_t pair_facts_mono_ms(const struct judge_pairs *p, int64_t wall_ms);

#endif
