/* Turning what fired into a finding that a person can read. For judge.c and drift.c. */
#ifndef RULES_FINDING_H
#define RULES_FINDING_H

#include "rules/hysteresis.h"
#include "rules/judge.h"
#include "rules/signals.h"
#include "rules/verdict.h"

/* A judgement being made. */
struct judging {
	const struct snapshot *snap;
	const struct node_facts *facts; /* one a node */
	const struct fleet_facts *fleet;
	struct hysteresis *memory;
	uint64_t generation_before;
	struct sample_list samples; /* scratch of signal_eval */
	struct judgement *jm;
	size_t findings_cap;
	const char *hosts; /* all nodes of the sweep, folded, once a finding needed them */
};

/* One thing that fired, before it has its words. */
struct hit {
	const struct rule *rule;
	size_t node; /* SIZE_MAX: several */
	uint64_t key;
	enum severity severity;
	unsigned readings;
	bool tentative; /* fewer readings agreed than the rule asks for */
	int64_t since_wall_ms;
	int64_t reading_mono_ms; /* -1 not known */
	struct said said;
	bool several; /* parts with different values: said.value is the worst */
	char words[200];
	char detail[400];
	size_t first_node;   /* whose ids go into commands; SIZE_MAX none */
	const char *outside; /* a name for them where the inventory has no such node; NULL */
	/* of several nodes */
	size_t *nodes; /* ascending; taken over by finding_add (copied) */
	size_t nodes_n;
	/* rules that compare peers */
	const char *peers;     /* "group worker" */
	const char *expected;  /* the peers' value */
	const char *summary;   /* "22 same, 2 differ: node[07,41]" */
	const char *counts;    /* "use1-az1 on 22, use1-az2 on 2" */
	const char *differing; /* NULL: fold of nodes */
	size_t distinct;
	size_t same_n;
	size_t differ_n;
};

/* Writes the finding and appends it to the judgement. */
void finding_add(struct judging *j, const struct hit *hit);

/* Folded names of nodes, in the judgement's arena; never NULL. */
const char *finding_fold_nodes(struct judging *j, const size_t *nodes, size_t n, size_t room);

/* Applies hysteresis: false when there is nothing to show. Fills severity, since, readings. */
bool finding_observe(struct judging *j, struct hit *hit, bool fires);

/* "gpu 0-7", "rdmap16s27 +3"... of the samples marked in fired; also the title's form. */
void finding_name_parts(const struct signal *s, const struct sample *samples, const bool *fired,
	size_t n, struct said *said);

#endif
