/*
 * Rules as data: catalog.json, compiled in, and an operator's overlay.
 *
 * A rule compares one signal with a threshold and says what that means, who
 * owns it and what to run next. Adding a rule on a known signal needs no C.
 */
#ifndef RULES_RULE_H
#define RULES_RULE_H

#include <stdbool.h>
#include <stddef.h>

#include "collectors/err.h"

enum severity { SEVERITY_OK, SEVERITY_INFO, SEVERITY_CONCERN };
enum rule_scope { SCOPE_NODE, SCOPE_PAIR, SCOPE_FILESYSTEM, SCOPE_CLUSTER };

enum rule_compare {
	COMPARE_GT,
	COMPARE_GE,
	COMPARE_LT,
	COMPARE_LE,
	COMPARE_EQ, /* number, flag or string */
	COMPARE_NE,
	COMPARE_IN, /* string: one of a list, comma-separated */
	COMPARE_NOT_IN,
	COMPARE_DIFFERS /* scope cluster: not what most of the node's peers have */
};

#define RULE_LIST_MAX 8

/* All strings are owned by the catalog. NULL where the entry does not say. */
struct rule {
	const char *id;
	/*
	 * What it looks for in 2 to 4 words, to stand behind "none of:"; where values come near
	 * a limit, what it measures: "GPU temperature". NULL: the id will have to do.
	 */
	const char *label;
	enum rule_scope scope;
	const char *signal; /* a path of schema.h, or a name of signals.h */
	enum rule_compare compare;
	double threshold;           /* for numbers */
	const char *threshold_text; /* for strings and lists */
	const char *unit;
	unsigned for_samples; /* readings that must agree before it fires or clears; at least 1 */
	enum severity severity;
	const char *section; /* "A" uneven NCCL, "B" filesystem, or "" evidence that is routed */
	const char *owner;   /* route.owner: "hyperpod-node-debugger" */
	const char *owner_section; /* route.section: "§ G GPU / Accelerator" */
	const char *title;  /* may hold {subject} {value} {threshold} {node} {instance_type} ... */
	const char *why;    /* one sentence */
	const char *source; /* where the threshold comes from */
	const char *checks[RULE_LIST_MAX];   /* read-only things to look at next */
	const char *commands[RULE_LIST_MAX]; /* for the operator to run; same placeholders */
	const char *blast
		[RULE_LIST_MAX]; /* what the command of the same index may break; NULL nothing */
	bool disabled;           /* by an overlay */
	const char *origin;      /* "built in" or the overlay's file name */
};

struct catalog;

/* The compiled-in rules. ERR_BUG with *e filled when they are broken (a test's business). */
enum err_code catalog_builtin(struct catalog **out, struct err *e) ATTR_MUST_CHECK;

/*
 * Reads an overlay: entries with a known id change the keys they give; new ids
 * add rules. On any error nothing is changed and *e names file and key.
 */
enum err_code catalog_overlay(struct catalog *c, const char *path, struct err *e) ATTR_MUST_CHECK;

void catalog_free(struct catalog *c);

size_t catalog_count(const struct catalog *c);
const struct rule *catalog_at(const struct catalog *c, size_t i);
const struct rule *catalog_find(const struct catalog *c, const char *id);

const char *severity_name(enum severity s);         /* "ok" "info" "concern" */
const char *rule_scope_name(enum rule_scope s);     /* "node" ... */
const char *rule_compare_name(enum rule_compare c); /* ">=" "differs" ... */

#endif
