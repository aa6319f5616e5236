/*
 * The table that nvidia-smi prints without arguments, read as a last resort: GPUs
 * that answer no query stand in it as ERR!.
 */
#ifndef COLLECTORS_GPU_TABLE_H
#define COLLECTORS_GPU_TABLE_H

#include "collectors/section.h"

/* Where the reading of a table stands; zero before its first line. */
struct gpu_table {
	struct gpu_row *row; /* whose second line comes next */
	bool whole;          /* the head was printed, so that rows are not an excerpt */
};

/* Takes one line. True when it belongs to such a table. */
bool gpu_table_line(struct gpu_table *t, struct section *s, struct span line);

#endif
