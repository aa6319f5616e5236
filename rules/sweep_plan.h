/*
 * A plan of a pairwise sweep: rounds in which every node is in at most one pair, so
 * that pairs of a round do not disturb each other. sweep_text.h makes of it what the
 * operator runs; nothing here runs anything.
 *
 * Pure: no I/O, no clock, no random numbers.
 */
#ifndef RULES_SWEEP_PLAN_H
#define RULES_SWEEP_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collectors/compiler.h"
#include "collectors/err.h"

enum sweep_strategy {
	SWEEP_FULL,    /* every pair once: n - 1 rounds (n for odd n) */
	SWEEP_FAST,    /* few rounds with mixed partners, enough for attribution */
	SWEEP_SUSPECTS /* suspects against several healthy partners each, suspect links again */
};

enum sweep_runner { SWEEP_SLURM, SWEEP_MPI, SWEEP_K8S };

#define SWEEP_NODES_MAX 16384
/* Most pairs of a plan: every pair of 2,048 nodes. */
#define SWEEP_PAIRS_MAX 2096128
/* SWEEP_SUSPECTS: partners of a suspect, and of each end of a link, unless told otherwise. */
#define SWEEP_PARTNERS 5
/* SWEEP_SUSPECTS: a link is measured again this often, so that a transient shows itself. */
#define SWEEP_LINK_TIMES 2

struct sweep_pair {
	uint16_t a; /* a < b: indices into the names given */
	uint16_t b;
};

struct sweep_plan {
	enum sweep_strategy strategy;
	size_t n;                 /* nodes */
	struct sweep_pair *pairs; /* round by round */
	size_t n_pairs;
	size_t pairs_cap;
	size_t *first; /* rounds + 1 positions: round r is [first[r], first[r + 1]) */
	size_t rounds;
	bool complete; /* every pair of nodes is in it */
};

struct sweep_request {
	size_t n; /* nodes, 2..SWEEP_NODES_MAX */
	enum sweep_strategy strategy;
	/* SWEEP_FAST: how many; 0: as many as attribution needs at this n. SWEEP_FULL: the first ones */
	size_t rounds;
	/* Groups that partners should cross and stay in (leaf of each node); NULL none or not known */
	const uint16_t *group;
	/* SWEEP_SUSPECTS */
	const size_t *suspects;
	size_t n_suspects;
	const struct sweep_pair *links;
	size_t n_links;
	size_t partners; /* of each suspect; 0: SWEEP_PARTNERS */
	/* Pairs that were measured before: others are chosen where there are any. May repeat. */
	const struct sweep_pair *met;
	size_t n_met;
};

/* Rounds of SWEEP_FAST when nobody says: each is a partner of every node. */
size_t sweep_fast_rounds(size_t n);

/* ERR_USAGE when the request cannot be planned, with what to do. */
enum err_code sweep_plan_make(
	struct sweep_plan **out, const struct sweep_request *req, struct err *e) ATTR_MUST_CHECK;
void sweep_plan_free(struct sweep_plan *p); /* NULL is allowed */

const char *sweep_strategy_name(enum sweep_strategy s);
const char *sweep_runner_name(enum sweep_runner r);
bool sweep_strategy_by_name(const char *name, enum sweep_strategy *out);
bool sweep_runner_by_name(const char *name, enum sweep_runner *out);

#endif
