/*
 * Sweeps of small clusters with faults put in by hand, for tests of the attribution.
 */
#ifndef TESTS_LIB_SWEEP_H
#define TESTS_LIB_SWEEP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collectors/fleet.h"
#include "rules/attribution.h"

#define SWEEP_NODES_MAX 64

/* A cluster and its faults; zero and NULL: none. Leaves of `leaf` nodes, two to a spine. */
struct sweep {
	size_t n;
	size_t leaf;    /* nodes of a leaf; 0: nobody told */
	size_t repeats; /* readings of each pair; 0 counts as 3 */
	double slow[SWEEP_NODES_MAX];
	double cross_spine; /* what crossing leaves: 0 is all of it */
	double cross_az;    /* the last third of the nodes is another AZ */
	double bad_leaf;    /* uplinks of leaf 1 */
	size_t old;         /* so many nodes at the end are of a slower type */
	size_t link_a;
	size_t link_b;
	double link;     /* what the link leaves */
	unsigned salt;   /* another noise */
	size_t only_few; /* the last node has so many partners; 0: all */
	bool untested;   /* the last node has none */
	bool half_told;  /* placement of every third node is not known */
};

struct sweep_readings {
	uint16_t a[SWEEP_NODES_MAX * SWEEP_NODES_MAX * 2];
	uint16_t b[SWEEP_NODES_MAX * SWEEP_NODES_MAX * 2];
	float v[SWEEP_NODES_MAX * SWEEP_NODES_MAX * 2];
	size_t n;
};

/* Evenly spread over 0..1; repeatable. */
double sweep_chance(uint32_t *state);

/* Nodes "node-0" and on, in "leaf0", "spine0", "use1-az1" and on. Caller frees. */
struct fleet *sweep_fleet(const struct sweep *s);

void sweep_measure(const struct sweep *s, struct sweep_readings *r);

/* The attribution of these readings; of a sweep as measured. Caller frees. */
struct attribution *sweep_judge(const struct sweep *s, const struct sweep_readings *r);
struct attribution *sweep_attribute(const struct sweep *s);

/* Whether one of the sentences holds this part. */
bool sweep_says(const struct attribution *at, const char *part);

#endif
