/*
 * The sweep of a simulated cluster as data: who is measured with whom and when,
 * and what is wrong. Part of a scenario; see demo_scenario.h for the keys.
 *
 * Pure: what is measured follows from the scenario's seed, the pair and the pass.
 */
#ifndef COLLECTORS_DEMO_PLAN_H
#define COLLECTORS_DEMO_PLAN_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collectors/err.h"

struct demo_scenario;

enum demo_effect_kind {
	DEMO_SLOW_NODE,
	DEMO_SLOW_LINK,
	DEMO_TRANSIENT, /* one low reading, of the first pass */
	DEMO_FAILS,     /* ends with an NCCL error */
	DEMO_CUT,       /* its file ends in the middle */
	DEMO_ABSENT,    /* a node that takes no part */
	DEMO_EFFECT_COUNT
};

struct demo_effect {
	enum demo_effect_kind kind;
	size_t a; /* the node, or the pair's first */
	size_t b;
	double pct;
};

struct demo_plan {
	bool there; /* the scenario has a sweep */
	double start_s;
	double round_s;
	int rounds; /* of a pass; 0 all: every pair once */
	int passes;
	double busbw_gbps; /* of healthy nodes that stand near each other */
	double noise_pct;  /* standard deviation of a reading */
	char cross[16];    /* "az", "spine" or "leaf": pairs across lose cross_pct; "" nobody */
	double cross_pct;
	bool file_a_round; /* all runs of a round in one file, not one each */
	struct demo_effect *effects;
	size_t n_effects;
	size_t *nodes; /* that take part */
	size_t n;
};

/* Reads the key "sweep"; after groups. name: of the file, for errors. */
enum err_code demo_plan_parse(struct demo_scenario *sc, const cJSON *object, const char *name,
	struct err *e) ATTR_MUST_CHECK;
void demo_plan_release(struct demo_plan *p);

/* Rounds of one pass, and pairs of a round at most. */
size_t demo_plan_rounds(const struct demo_plan *p);
size_t demo_plan_round_pairs(const struct demo_plan *p);
/*
 * The k-th pair of a round, as node indices of the scenario; false when somebody
 * sits out. Rounds are a 1-factorization (circle method): nobody is in two pairs
 * of a round, every pair is in one round.
 */
bool demo_plan_pair(const struct demo_plan *p, size_t round, size_t k, size_t *a, size_t *b);

/* What the pair's run measures in that pass: busbw out of place. */
double demo_plan_busbw(const struct demo_scenario *sc, size_t a, size_t b, int pass);
/* Whether the pair has an effect of that kind. */
bool demo_plan_has(const struct demo_plan *p, enum demo_effect_kind kind, size_t a, size_t b);

/* Repeatable number in [0, 1) for a pair. */
double demo_plan_chance(const struct demo_scenario *sc, size_t a, size_t b, uint64_t salt);

#endif
