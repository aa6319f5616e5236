/*
 * Judging a snapshot by the catalog. Pure: no clock, no I/O, no thread; the
 * same snapshots in the same order give the same judgement.
 *
 * A judge remembers, per rule, node and subject, how many readings in a row
 * agreed (hysteresis): it is fed each new snapshot once. A reading that did not
 * change since the last snapshot is not counted again. While fewer readings than
 * the rule's "for" agreed, the finding is shown as SEVERITY_INFO, "seen once": so
 * a single snapshot still tells. A finding clears after as many readings that say
 * the opposite.
 *
 * What agrees is folded: the GPUs of a node into one finding ("gpu 0-7"), each
 * mount and each Xid number apart; over nodes for rules of scope filesystem and
 * cluster.
 */
#ifndef RULES_JUDGE_H
#define RULES_JUDGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collectors/arena.h"
#include "collectors/snapshot.h"
#include "rules/attribution.h"
#include "rules/rule.h"

/* One thing worth saying. Strings: the judgement's arena, or the catalog's. */
struct finding {
	const struct rule *rule;
	char id[20]; /* stable for the same rule, node and subject: 16 hex digits */
	enum severity severity;
	size_t node;           /* index into the snapshot's nodes; SIZE_MAX: the cluster */
	const char *subject;   /* "node07 gpu 3"; for people */
	const char *part;      /* "gpu 3", "rdmap16s27", "/fsx"; "" the whole node */
	const char *title;     /* with values filled in */
	const char *value;     /* text of the value, without unit */
	double number;         /* the value where it is a number, else NAN */
	const char *expected;  /* text of the threshold, or of the peers' value */
	const char *detail;    /* the reading's own words, for evidence; NULL none */
	int64_t age_ms;        /* of the reading, at the snapshot's time; -1 not known */
	int64_t since_wall_ms; /* when this judge first saw it */
	unsigned samples;      /* readings in a row that say so */
	/*
	 * Findings of more than one node (node is SIZE_MAX). Rules that compare peers: who
	 * differs, folded ("node[07,41]"), and how many agree; no one is named (nodes_n is
	 * 0) where there is no majority to differ from. Rules of scope filesystem and
	 * cluster with a threshold: the nodes that see it.
	 */
	const size_t *nodes; /* indices into the snapshot's nodes, ascending */
	size_t nodes_n;
	const char *differing;
	size_t same_n;
	size_t differ_n;
	const char *commands[RULE_LIST_MAX]; /* with real ids filled in; NULL-terminated or full */
	const char *checks[RULE_LIST_MAX];
};

/* True when f speaks of that node: as its own, or among those it names. */
bool finding_has_node(const struct finding *f, size_t node);

/* What is known of one rule over all nodes. */
struct rule_tally {
	size_t ok; /* judged and fine */
	size_t fired;
	size_t unknown;        /* should be known here, but was not read */
	size_t not_applicable; /* the node has no such device */
};

/* Findings of the node itself, and those of several nodes that name it. */
struct node_tally {
	enum severity worst;
	size_t concerns;
	size_t infos;
	size_t unknown;            /* rules that could not be judged here */
	const struct finding *top; /* worst finding of the node; NULL none */
};

struct judgement {
	uint64_t generation; /* of the snapshot judged */
	/* Worst first: severity, then section A, B, rest, then those of several nodes, then node order. */
	struct finding *findings;
	size_t n;
	size_t concerns;
	size_t infos;
	size_t unknown;           /* sum over rules and nodes */
	struct rule_tally *rules; /* one a rule, in catalog order */
	size_t nrules;
	struct node_tally *nodes; /* one a node, in snapshot order */
	size_t nnodes;
	struct arena arena;
};

struct judge;

/*
 * What pairwise bandwidth says beside a snapshot. All borrowed for the call. The clocks of
 * the moment at which both were made, as in snapshot.h: ages are told by them.
 */
struct judge_pairs {
	const struct pair_set *set;
	const struct attribution *at; /* of set */
	int64_t mono_ms;
	int64_t wall_ms;
};

struct judge *judge_new(const struct catalog *c); /* borrows c */
void judge_free(struct judge *j);

/* Judges snap (borrowed; the result does not point into it). Caller frees the result. */
struct judgement *judge_run(struct judge *j, const struct snapshot *snap);
/*
 * The same with a sweep; pairs NULL: there is none, and rules on pairs are not applicable.
 * The same snapshot may be judged again when the sweep has news.
 */
struct judgement *judge_run_with(
	struct judge *j, const struct snapshot *snap, const struct judge_pairs *pairs);
void judgement_free(struct judgement *jm);

#endif
