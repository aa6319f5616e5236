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

/*
 * One rule of COMPARE_DIFFERS: begun, shown every node of the snapshot in order, ended.
 * Node by node, so that a node's readings are looked at while they are near. Counts in
 * tally and nodes; all is borrowed until the end.
 */
struct drift;
struct drift *drift_begin(struct judging *j, const struct rule *r, const struct signal *s,
	const struct peer_groups groups[PEERS_WAYS], struct rule_tally *tally);
void drift_node(struct drift *d, size_t node);
void drift_end(struct drift *d); /* frees it */

#endif
