/*
 * Comparing peers: what differs within a group becomes one finding that says
 * who. Pure; for judge.c.
 */
#ifndef RULES_DRIFT_H
#define RULES_DRIFT_H

#include "rules/finding.h"

/* Which group each node belongs to, for one way of grouping. */
struct peer_groups {
	const char *
		*names; /* one a node: "group worker", "p5.48xlarge nodes", "cluster"; NULL none */
};

#define PEERS_WAYS 3

/* By enum peers. */
void peer_groups_get(struct peer_groups out[PEERS_WAYS], struct judging *j);
void peer_groups_release(struct peer_groups groups[PEERS_WAYS]);

/* Judges one rule of COMPARE_DIFFERS over all nodes; counts in tally and nodes. */
void drift_judge(struct judging *j, const struct rule *r, const struct signal *s,
	const struct peer_groups groups[PEERS_WAYS], struct rule_tally *tally);

#endif
