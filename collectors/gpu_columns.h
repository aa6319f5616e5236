/*
 * Columns of nvidia-smi --query-gpu: which field of struct gpu_row each one
 * feeds, and how to tell them without a header.
 */
#ifndef COLLECTORS_GPU_COLUMNS_H
#define COLLECTORS_GPU_COLUMNS_H

#include "collectors/csv.h"
#include "collectors/nvsmi.h"

struct gpu_column {
	const char *name;          /* as printed, without unit */
	const struct field *field; /* of gpu_row, or of gpu_reading when whole_call */
	bool whole_call;
	bool fallback; /* used only where the exact column gave no value */
};

/* The columns of one table, in order. Those that we do not read have field NULL. */
struct gpu_columns {
	struct gpu_column col[CSV_CELLS_MAX];
	size_t n;
	size_t name_at; /* the column that may hold commas; n when there is none */
};

/* True when line is a header; fills c. */
bool gpu_columns_from_header(struct gpu_columns *c, struct span line);

/*
 * Recognises a row without header by the shape of its cells, from the lists that
 * public tools ask for. False when none fits.
 */
bool gpu_columns_from_row(struct gpu_columns *c, const struct span *cells, size_t n);

#endif
