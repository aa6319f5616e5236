/*
 * A node as one row: the numbers that the Nodes screen sorts, filters and draws,
 * taken once per snapshot. Data, not text: NAN is "not known".
 */
#ifndef TUI_NODE_ROW_H
#define TUI_NODE_ROW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collectors/snapshot.h"
#include "rules/judge.h"
#include "tui/fmt.h"

/* What the GPUs of a node say together. */
struct gpu_summary {
	double listed; /* that nvidia-smi lists and that answer */
	double temp_max;
	double util_mean;
	double power_sum;
};

struct gpu_summary node_row_gpus(const struct node *n);

/* How a node stands, in the order in which it needs attention. */
enum node_rank { RANK_CONCERN, RANK_LOST, RANK_INFO, RANK_BUSY, RANK_OK };

struct node_row {
	const struct node *node;
	size_t index; /* in the snapshot */
	enum node_rank rank;
	enum severity worst;
	size_t concerns;
	size_t infos;
	const struct finding *top; /* worst finding; NULL none */
	const char *type;          /* NULL unknown */
	struct gpu_summary gpu;
	double gpu_expected; /* what its type has; NAN where nothing is listed */
	double efa_active;
	double efa_expected;
	double iowait_pct;
	double root_pct;
	int64_t last_ok_mono_ms; /* 0 never */
	unsigned flagged;        /* FLAG_... that a finding of concern is about */
};

/* Values of a row that findings can be about. */
#define FLAG_GPU    1u
#define FLAG_TEMP   2u
#define FLAG_EFA    4u
#define FLAG_IOWAIT 8u
#define FLAG_ROOT   16u

/* One row for each node of snap, in its order, into rows (snap->n of them). jm may be NULL. */
void node_rows_make(struct node_row *rows, const struct snapshot *snap, const struct judgement *jm);

/* Words for the state column: "concern", "unreachable", "ok" ... */
const char *node_row_word(const struct node_row *r);
int node_row_style(const struct node_row *r);
const char *node_row_glyph(const struct glyphs *gl, const struct node_row *r);

/*
 * What the row has to say in words: why it failed, else its worst finding, else ""
 * (never NULL).
 */
const char *node_row_message(const struct node_row *r);

#endif
