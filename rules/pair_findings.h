/*
 * Findings of a sweep that are not of one node of the snapshot: pairs, the network's
 * classes, and nodes that the inventory does not have. For judge.c. Pure.
 */
#ifndef RULES_PAIR_FINDINGS_H
#define RULES_PAIR_FINDINGS_H

#include "rules/finding.h"
#include "rules/pair_facts.h"

/* Findings of one rule that name their pair; the others are one finding together. */
#define PAIR_FINDINGS_MAX 8

/* Whether a signal is one of a sweep. */
bool pair_signal(const struct signal *s);

/*
 * Nodes for which r, a rule on pairs.failed_partners, fires: their failed pairs are that
 * node's, and no findings of their own.
 */
void pair_findings_mark(struct pair_facts *f, const struct rule *r);

/* A rule on a signal of PART_PAIR. j->fleet->pairs NULL: not applicable. */
void pair_findings_judge(
	struct judging *j, const struct rule *r, const struct signal *s, struct rule_tally *t);

/*
 * A rule on another signal of the sweep, for its nodes that the inventory does not have
 * and for lines that name nobody: one finding that names them.
 */
void pair_findings_outside(
	struct judging *j, const struct rule *r, const struct signal *s, struct rule_tally *t);

#endif
