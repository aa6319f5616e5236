/*
 * A sweep plan as text for the operator to run: a script for Slurm, for mpirun over ssh, or
 * for kubectl. Its head is made here (who, what, how long, what it disturbs, the pairs); what
 * is the same in every plan are the sweep_*.sh files beside this one, compiled in.
 *
 * Nothing here is ever run by the program. Everything that goes into the text is checked
 * to be of harmless characters first, so that no name can become a command.
 */
#ifndef RULES_SWEEP_TEXT_H
#define RULES_SWEEP_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collectors/buf.h"
#include "collectors/err.h"
#include "rules/sweep_plan.h"

/* Longest text of a plan. */
#define SWEEP_TEXT_MAX (256u << 20)

/* What is known of jobs on the nodes. */
enum sweep_busy { SWEEP_BUSY_UNKNOWN, SWEEP_BUSY_TOLD, SWEEP_BUSY_SEEN };

/* How the text is to be. Zero and NULL: a default, which sweep_text_fill puts there. */
struct sweep_text {
	const char *const *names; /* of the nodes, as the runner knows them */
	size_t n_names;
	const char *instance_type; /* without "ml."; NULL not known */
	unsigned gpus_per_node;    /* Trainium: ranks a node */
	const char *collective;    /* "all_reduce" */
	uint64_t min_bytes;
	uint64_t max_bytes;
	unsigned iterations;
	unsigned timeout_s; /* of one pair */
	const char *output_dir;
	const char *image;      /* container image: k8s, or enroot with Slurm; NULL none */
	const char *binary_dir; /* where all_reduce_perf is; NULL: the usual places are tried */
	const char *partition;  /* Slurm; NULL its default */
	const char *name_space; /* Kubernetes */
	bool array;             /* Slurm: one array task a round, one at a time */
	bool placeholders;      /* the names were made up from a number */
	enum sweep_busy busy_known;
	const char *busy;     /* folded names of busy nodes in the plan; NULL none */
	const char *left_out; /* folded names of nodes that are not in the plan; NULL none */

	/* Filled by sweep_text_fill. */
	double line_gbit_s;   /* of a node's network, for estimates */
	bool trainium;        /* nccom-test in place of nccl-tests */
	bool type_assumed;    /* nobody told the type, or it is not in the table */
	unsigned efa_devices; /* 0: none */
};

/* What nccl-tests does before it measures; its default was 5 for years, now 1. */
#define SWEEP_WARMUPS 5

/*
 * Puts defaults that fit the instance type and the runner, then checks everything.
 * ERR_USAGE says which option to change. Strings it puts there are static.
 */
enum err_code sweep_text_fill(
	struct sweep_text *t, enum sweep_runner r, struct err *e) ATTR_MUST_CHECK;

/* Letters, digits, ".", "_", "-"; no "-" or "." in front, no "--" (it parts the names of a file). */
bool sweep_name_ok(const char *name);

/*
 * Estimates, seconds, of a filled t. A pair: the ranks come up, then for each size the
 * bytes that all-reduce sends at the network's line rate, in both halves of a row, then the end.
 * Source of the formula: nccl-tests doc/PERFORMANCE.md (busbw = bytes x factor / time); the start
 * is assumed. All pairs of a round run at once.
 */
double sweep_start_seconds(const struct sweep_text *t);
double sweep_pair_seconds(const struct sweep_text *t);
double sweep_plan_seconds(
	const struct sweep_plan *p, enum sweep_runner r, const struct sweep_text *t);
/* When every round has a pair that hangs until its timeout. */
double sweep_plan_most_seconds(const struct sweep_plan *p, const struct sweep_text *t);

/* The whole text, of a filled t. */
enum err_code sweep_plan_text(struct buf *out, const struct sweep_plan *p, enum sweep_runner r,
	const struct sweep_text *t, struct err *e) ATTR_MUST_CHECK;

/* Bytes as nccl-tests takes them: "512M", "8G", "1000000". */
void sweep_size_text(uint64_t bytes, char out[24]);
/* "45 s", "6 min", "2 h 5 min". */
void sweep_time_text(double seconds, char out[32]);

#endif
