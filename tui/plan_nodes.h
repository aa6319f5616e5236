/*
 * Which nodes a sweep is planned over: named on the command line, counted, in the
 * output of `pairs --json`, in nodes.csv, or those of a source, which is then read once to
 * learn types, placement, and who runs a job.
 */
#ifndef TUI_PLAN_NODES_H
#define TUI_PLAN_NODES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collectors/buf.h"
#include "collectors/fleet.h"
#include "rules/sweep_text.h"
#include "tui/cli.h"
#include "tui/plan_from.h"

enum plan_busy { PLAN_BUSY_DEFAULT, PLAN_BUSY_SKIP, PLAN_BUSY_WARN, PLAN_BUSY_INCLUDE };

/* What was asked for. Strings: NULL not given. */
struct plan_wish {
	const char *nodes; /* a number or a host list */
	const char *leave_out;
	const char *busy;
	enum plan_busy busy_nodes; /* default: told ones are warned about, seen ones left out */
	const char *placement;
	const char *instance_type;    /* of a source's nodes: only these */
	const struct plan_from *from; /* NULL none */
	enum sweep_runner runner;
};

#define PLAN_FOLD_MAX 900

/* Valid when zero. */
struct plan_nodes {
	struct fleet *fleet;
	size_t *at; /* of the plan's nodes in the fleet */
	size_t n;
	char **names;    /* as the runner knows them */
	uint16_t *group; /* leaf, else spine, else zone of each; NULL nowhere known */
	size_t groups;
	const char *instance_type; /* the commonest; NULL not known. The fleet's. */
	bool placeholders;
	enum sweep_busy busy_known;
	char busy[PLAN_FOLD_MAX];     /* in the plan; "" none */
	char left_out[PLAN_FOLD_MAX]; /* "" none */
	struct plan_names busy_names; /* the same, one by one; the plan's */
	struct plan_names left_names;
};

/*
 * notes: sentences for standard error, a line each. Reads a source where one is named
 * (see cli.h); collector_global_init is not needed before.
 */
enum err_code plan_nodes_find(struct plan_nodes *out, const struct plan_wish *w, struct cli *c,
	struct buf *notes, struct err *e) ATTR_MUST_CHECK;
void plan_nodes_release(struct plan_nodes *p);

/* Position in the plan of each node of the fleet, SIZE_MAX for those outside. Caller frees. */
size_t *plan_nodes_positions(const struct plan_nodes *p);

/* Position in the plan of the node of that name; ERR_USAGE names option and what to do. */
enum err_code plan_nodes_index(const struct plan_nodes *p, const char *name, const char *option,
	size_t *out, struct err *e) ATTR_MUST_CHECK;

/* The names of a host list, each a copy to free. */
enum err_code plan_expand(const char *option, const char *list, struct plan_names *out,
	struct err *e) ATTR_MUST_CHECK;
void plan_expand_release(struct plan_names *names);

#endif
