/*
 * Comma-separated lines as command-line tools print them: no quoting, blanks
 * around the commas.
 */
#ifndef COLLECTORS_CSV_H
#define COLLECTORS_CSV_H

#include <stddef.h>

#include "collectors/text.h"

/* Most columns of one line: nvidia-smi knew 241 of them in 2026. */
#define CSV_CELLS_MAX 512

/*
 * Splits line into trimmed cells that borrow from it. Returns how many there
 * are; those beyond max are counted but not stored.
 */
size_t csv_split(struct span line, struct span *cells, size_t max);

/*
 * Makes n cells into want cells by joining the surplus at cell `at`, for the
 * one text column that may itself hold commas. False when that is not possible.
 */
bool csv_join(struct span *cells, size_t n, size_t want, size_t at);

#endif
