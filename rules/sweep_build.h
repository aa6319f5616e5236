/* A plan while it is made: pairs are added round by round. Of the sweep_*.c files only. */
#ifndef RULES_SWEEP_BUILD_H
#define RULES_SWEEP_BUILD_H

#include "rules/sweep_plan.h"

/* An empty plan; never NULL. */
struct sweep_plan *sweep_new(const struct sweep_request *req);
/* Puts a pair into the round that is open, ends in order. */
void sweep_add(struct sweep_plan *p, size_t a, size_t b);
/* Closes the round; an empty one is none. */
void sweep_close(struct sweep_plan *p);

/* The first `rounds` rounds of a 1-factorization of the nodes order[0..n). */
void sweep_circle(struct sweep_plan *p, const size_t *order, size_t rounds);
/*
 * Round r of a 1-factorization of m nodes (m even; r below m - 1), the circle method: one
 * stands still, the others turn by one place a round. The partner of the i-th node.
 */
size_t sweep_circle_partner(size_t m, size_t r, size_t i);

void sweep_fast(struct sweep_plan *p, const struct sweep_request *req);
enum err_code sweep_suspects(
	struct sweep_plan *p, const struct sweep_request *req, struct err *e) ATTR_MUST_CHECK;

/* A number that looks random and is always the same: Steele, Lea, Flood: SplitMix, 2014. */
uint64_t sweep_mix(uint64_t x);
/* Puts v[0..n) into an order that seed names. */
void sweep_shuffle(size_t *v, size_t n, uint64_t seed);

#endif
