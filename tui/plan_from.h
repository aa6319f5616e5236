/*
 * What `pairs --json` says is to be measured again: its nodes, and whom its diagnosis
 * suspects. Any cJSON of it stays inside.
 */
#ifndef TUI_PLAN_FROM_H
#define TUI_PLAN_FROM_H

#include <stddef.h>

#include "collectors/err.h"

struct plan_names {
	const char **v;
	size_t n;
	size_t cap;
};

/* Strings live until plan_from_release. Valid when zero. */
struct plan_from {
	void *root;
	struct plan_names nodes;    /* of its pairs, two each, then those not tested; may repeat */
	size_t n_pairs;             /* so many pairs are at the beginning of nodes */
	struct plan_names suspects; /* suspect_nodes and untested */
	struct plan_names links;    /* two names each: suspect_links and transient_pairs */
};

/* ERR_IO or ERR_PARSE with file and what is wrong; ERR_USAGE when it suspects nobody. */
enum err_code plan_from_read(
	struct plan_from *out, const char *path, struct err *e) ATTR_MUST_CHECK;
void plan_from_release(struct plan_from *f);

void plan_names_add(struct plan_names *list, const char *name);

#endif
