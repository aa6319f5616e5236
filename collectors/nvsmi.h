/*
 * What nvidia-smi prints in place of a value or of a whole answer.
 *
 * Sources: public captures and driver text up to the 610 series; see the cells
 * in nvsmi.c. nvidia-smi does not follow the locale.
 */
#ifndef COLLECTORS_NVSMI_H
#define COLLECTORS_NVSMI_H

#include "collectors/section.h"

/*
 * What a cell holds: OPT_OK for a value of any kind, OPT_UNSUPPORTED for "[N/A]" and
 * its like, OPT_ERROR for "ERR!", "[GPU requires reset]" and its like, OPT_UNKNOWN when
 * it is empty.
 */
enum opt_state nvsmi_cell_state(struct span cell);

/* The GPU itself is at fault, by what a cell says. */
bool nvsmi_cell_is_lost(struct span cell);
bool nvsmi_cell_needs_reset(struct span cell);

/* A number that may carry a unit: "77.71 W", "0MiB", "34C", "5 %". */
bool nvsmi_f64(struct span cell, double *out);
bool nvsmi_u64(struct span cell, uint64_t *out);
/* Yes/No, Enabled/Disabled, Active/Not Active, True/False. */
bool nvsmi_flag(struct span cell, bool *out);

/*
 * Sets field f of the row (or reading) at base from a cell. Returns the state that it
 * got: a value that does not fit the field's type is OPT_ERROR. A value already
 * there is kept when the cell has none.
 */
enum opt_state nvsmi_set(struct section *s, const struct field *f, void *base, struct span cell);

/* Like nvsmi_set without setting: the state that the cell would give. */
enum opt_state nvsmi_check(const struct field *f, struct span cell);

/* A sentence that stands in place of the whole answer. */
struct nvsmi_failure {
	bool no_devices;       /* "No devices were found": an answer, not a failure */
	struct span error;     /* the reason */
	struct span bus;       /* bus id of the GPU that failed the call */
	struct span bad_field; /* column that the driver does not know */
};

/* True when line is such a sentence. Spans borrow from line. */
bool nvsmi_failure(struct span line, struct nvsmi_failure *f);

#endif
