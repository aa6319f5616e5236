/* What the two ways of comparing peers share. For drift.c and drift_number.c. */
#ifndef RULES_DRIFT_SCAN_H
#define RULES_DRIFT_SCAN_H

#include "rules/drift.h"

/* Below this many nodes nobody is called the odd one out. */
#define DRIFT_GROUP_MIN 3

#define DRIFT_NOWHERE UINT16_MAX

struct bucket;

/* A node's number, for rules with a tolerance. */
struct numbered {
	double number;
	size_t node;
	int64_t mono_ms;
	const char *group;
};

/* One rule going over all nodes. */
struct drift {
	struct judging *j;
	const struct rule *rule;
	const struct signal *signal;
	const char **groups;
	struct rule_tally *tally;
	struct numbered *numbers; /* room for all nodes; NULL: texts are compared */
	size_t n_numbers;
	/* Where each node's value was put, but for mounts, of which a node has several. */
	struct drift_place {
		uint16_t bucket;
		uint16_t value; /* DRIFT_NOWHERE: it has none */
	} * places;
	struct bucket *buckets;
	size_t n;
	size_t cap;
	size_t last; /* bucket of the sample before: most often the next one's too */
	bool gather;
};

/* By value with a tolerance: off by more than the rule's threshold from the group's median. */
void drift_take_number(struct drift *s, size_t node);
void drift_report_numbers(struct drift *s);

/* Equal texts, or both NULL. */
bool drift_same(const char *a, const char *b);

/* qsort order of node indices. */
int drift_by_node(const void *a, const void *b);

/* Copy in the judgement's arena; never NULL. */
const char *drift_keep(struct judging *j, const char *text);

/* Counts a node whose value is not known or that has none. */
void drift_count_known(enum verdict v, struct rule_tally *tally, struct node_tally *node);

#endif
