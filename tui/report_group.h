/*
 * What the reports have in common: findings of one rule together, nodes folded
 * into few words, numbers as words.
 */
#ifndef TUI_REPORT_GROUP_H
#define TUI_REPORT_GROUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tui/report.h"

/* The parts of a report, in order. */
enum report_part {
	REPORT_COVERAGE, /* nodes that did not answer */
	REPORT_NCCL,     /* section A */
	REPORT_FILES,    /* section B */
	REPORT_ROUTED,   /* evidence for other owners */
	REPORT_PEERS,    /* differences that are nobody's fault yet */
	REPORT_PARTS
};

/* All findings of one rule, worst first. */
struct report_group {
	const struct rule *rule;
	enum severity severity; /* of the worst */
	enum report_part part;
	const struct finding **findings; /* borrowed items, owned array */
	size_t n;
};

struct report_groups {
	struct report_group *items;
	size_t n;
};

/* In the judgement's order, worst rule first. Release it. */
void report_groups_init(struct report_groups *g, const struct report *r);
void report_groups_release(struct report_groups *g);

/* The nodes of a group's findings from the given one on, folded. */
void report_group_nodes(
	const struct report *r, const struct report_group *g, size_t from, char *out, size_t size);
size_t report_group_node_count(const struct report *r, const struct report_group *g);

/* "850 ms", "12 s", "4 min", "3 h"; "an unknown time" for a negative age. */
char *report_age(int64_t age_ms, char *out, size_t size);

/* "hyperpod-node-debugger § G GPU / Accelerator"; "" when the rule has no owner. */
char *report_route(const struct rule *rule, char *out, size_t size);

/* "gpu.temp_c >= 88 C", "differs from its peers". */
char *report_condition(const struct rule *rule, char *out, size_t size);

/* What a rule looks for, in words: its label, else its id without separators. */
char *report_label(const struct rule *rule, char *out, size_t size);

/* A rule on pairwise bandwidth. */
bool report_of_pairs(const struct rule *rule);

/*
 * Whose finding it is where its title does not say: the node, the pair, the nodes of a sweep
 * that the inventory does not have; "" else.
 */
const char *report_subject(const struct report *r, const struct finding *f);

/* Nodes that are in the given state (mask of 1 << NODE_X), folded; returns how many. */
size_t report_nodes_in(const struct report *r, unsigned states, char *out, size_t size);

#endif
