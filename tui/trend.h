/*
 * The last samples of a few numbers per node, for sparklines. Bounded rings; a
 * sample is taken once per answer, not once per snapshot. UI thread.
 */
#ifndef TUI_TREND_H
#define TUI_TREND_H

#include <stddef.h>
#include <stdint.h>

#include "collectors/snapshot.h"

#define TREND_SAMPLES 40

enum trend_metric { TREND_GPU_UTIL, TREND_IOWAIT, TREND_GPU_TEMP, TREND_COUNT };

struct trend;

struct trend *trend_new(void);
void trend_free(struct trend *t); /* NULL is allowed */

/* Takes the new answers of snap. Another number of nodes starts anew. */
void trend_push(struct trend *t, const struct snapshot *snap);

/* The sample that is `back` before the newest; NAN when there is none or it was not known. */
double trend_get(const struct trend *t, size_t node, enum trend_metric m, size_t back);

/* How many samples there are, at most TREND_SAMPLES. */
size_t trend_count(const struct trend *t, size_t node, enum trend_metric m);

/* "GPU use", and the range in which its sparkline is drawn. */
const char *trend_title(enum trend_metric m);
void trend_range(enum trend_metric m, double *lo, double *hi);

#endif
