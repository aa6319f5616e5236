/*
 * Which of a node's own findings can explain that its pairs are slow, likeliest first.
 * A table of rules: how directly what each one finds takes bandwidth from NCCL between nodes.
 * Pure.
 */
#ifndef RULES_CAUSE_H
#define RULES_CAUSE_H

#include <stddef.h>

#include "rules/judge.h"

#define CAUSES_MAX 12

enum cause_weight {
	CAUSE_HINT = 1,  /* goes along with it now and then; look when nothing else is there */
	CAUSE_PLAUSIBLE, /* can cost some bandwidth */
	CAUSE_LIKELY     /* takes away part of the path itself */
};

struct cause {
	const struct finding *finding; /* the judgement's */
	enum cause_weight weight;
	const char *reason; /* how it costs bandwidth; static */
};

/*
 * Causes for a node of the snapshot that jm judged, most likely first: by weight, then by
 * severity, then in the judgement's order. Returns how many, at most CAUSES_MAX.
 * jm may be NULL: none.
 */
size_t cause_rank(const struct judgement *jm, size_t node, struct cause out[CAUSES_MAX]);

/* What a rule's finding can do to bandwidth; NULL when nothing is known. */
const char *cause_reason(const char *rule_id, enum cause_weight *weight);

/* Rules that the table names. */
size_t cause_count(void);

/* "likely", "plausible", "hint"; static. */
const char *cause_weight_name(enum cause_weight w);

#endif
