/*
 * Lines of benchmark output: what wrappers put around them, and their fields.
 *
 * Spans borrow from the line, or from the scratch space where bytes had to be taken
 * out of the middle.
 */
#ifndef COLLECTORS_BW_LINE_H
#define COLLECTORS_BW_LINE_H

#include "collectors/opt.h"
#include "collectors/text.h"

/* Most fields of a line; a row of nccl-tests has at most 23. */
#define BW_FIELDS_MAX 40
/* The program's bound on a line: BW_LINE_MAX of bw_reader.h. */
#define BW_SCRATCH 4096

/*
 * Without what stands before and behind a line's own text, in any order and number:
 *
 *   [1,0]<stdout>:   mpirun --tag-output      0:   srun -l
 *   (head, rank=0, pid=3808)   SkyPilot, Ray  [pod/launcher-x/nccl]   kubectl logs --prefix
 *   2026-06-01T10:15:00.123Z   kubectl --timestamps, and other ways to write a time
 *   run(), common.cu:967,      debug builds, inside a row too
 *   | ... |   - ...   > ...    markdown       ESC [ 3 2 m   colour      CR
 *
 * "#" stays. scratch: BW_SCRATCH bytes, used only where bytes are taken out.
 */
struct span bw_line_strip(struct span line, char *scratch);

/* Splits at blanks. Returns how many fields there are; those from max on are not stored. */
size_t bw_line_fields(struct span line, struct span *fields, size_t max);

/* Text without leading "#" and blanks. */
struct span bw_line_bare(struct span line);

/*
 * A printed figure of at least 0. "N/A" is OPT_UNSUPPORTED; nan, inf and what is no number
 * OPT_ERROR.
 */
struct opt_f64 bw_line_figure(struct span field);
/* Digits only; false for anything else, and for more than 64 bits. */
bool bw_line_u64(struct span field, uint64_t *out);

#endif
