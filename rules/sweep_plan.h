/*
 * A plan of a pairwise sweep: rounds in which every node is in at most one pair, so
 * that pairs of a round do not disturb each other. Text for the operator to run;
 * nothing here runs anything.
 *
 * Pure: no I/O, no clock, no random numbers.
 */
#ifndef RULES_SWEEP_PLAN_H
#define RULES_SWEEP_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collectors/buf.h"
#include "collectors/err.h"

enum sweep_strategy {
	SWEEP_FULL,    /* every pair once: n - 1 rounds (n for odd n) */
	SWEEP_FAST,    /* few rounds with mixed partners, enough for attribution */
	SWEEP_SUSPECTS /* suspects against several healthy partners each, suspect links again */
};

enum sweep_runner { SWEEP_SLURM, SWEEP_MPI, SWEEP_K8S };

struct sweep_pair {
	uint16_t a; /* a < b: indices into the names given */
	uint16_t b;
};

struct sweep_plan {
	enum sweep_strategy strategy;
	size_t n;                 /* nodes */
	struct sweep_pair *pairs; /* round by round */
	size_t n_pairs;
	size_t *first; /* rounds + 1 positions: round r is [first[r], first[r + 1]) */
	size_t rounds;
	bool complete; /* every pair of nodes is in it */
};

struct sweep_request {
	size_t n; /* nodes, 2..16384 */
	enum sweep_strategy strategy;
	size_t rounds; /* SWEEP_FAST: how many; 0: as many as attribution needs at this n */
	/* SWEEP_FAST: groups that partners should cross and stay in (leaf of each node); NULL none */
	const uint16_t *group;
	/* SWEEP_SUSPECTS */
	const size_t *suspects;
	size_t n_suspects;
	const struct sweep_pair *links;
	size_t n_links;
	size_t partners; /* of each suspect; 0: 5 */
};

/* ERR_USAGE when the request cannot be planned, with what to do. */
enum err_code sweep_plan_make(
	struct sweep_plan **out, const struct sweep_request *req, struct err *e) ATTR_MUST_CHECK;
void sweep_plan_free(struct sweep_plan *p); /* NULL is allowed */

/* How the text is to be. Zero and NULL: defaults that fit the instance type. */
struct sweep_text {
	const char *const *names; /* of the nodes, as the runner knows them */
	const char *
		instance_type; /* without "ml."; NULL: 8 GPUs a node are assumed, and that is said */
	unsigned gpus_per_node;
	const char *collective; /* "all_reduce" */
	uint64_t min_bytes;
	uint64_t max_bytes;
	unsigned iterations;
	unsigned timeout_s; /* of one pair */
	const char *output_dir;
	const char *image;      /* container image: k8s, or enroot with Slurm */
	const char *binary_dir; /* where all_reduce_perf is */
	const char *partition;  /* Slurm */
	const char *name_space; /* Kubernetes */
	const char *busy;       /* folded names of nodes left out or warned about; NULL none */
};

/* Estimated time of one pair and of the whole plan, seconds: start-up, sweep of sizes, clean-up. */
double sweep_pair_seconds(const struct sweep_text *t);
double sweep_plan_seconds(const struct sweep_plan *p, const struct sweep_text *t);

/* The whole text: a header that says what it is and that the operator runs it, then the commands. */
enum err_code sweep_plan_text(struct buf *out, const struct sweep_plan *p, enum sweep_runner r,
	const struct sweep_text *t, struct err *e) ATTR_MUST_CHECK;

const char *sweep_strategy_name(enum sweep_strategy s);
const char *sweep_runner_name(enum sweep_runner r);
bool sweep_strategy_by_name(const char *name, enum sweep_strategy *out);
bool sweep_runner_by_name(const char *name, enum sweep_runner *out);

#endif
