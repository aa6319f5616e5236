/*
 * The only text that this program ever runs on a node: collectors/probe.sh,
 * compiled in.
 */
#ifndef COLLECTORS_PROBE_H
#define COLLECTORS_PROBE_H

#include <stddef.h>

#include "collectors/buf.h"
#include "collectors/section.h"

/* The script as in the source tree, terminated; static. *len may be NULL. */
const char *probe_script(size_t *len);

/*
 * What is written to `sh -s` on the node: the script, then one line that starts
 * it with the nonce and the sections of the first request (a bit mask of
 * 1 << SECTION_X; 0 = none). Appends to out.
 */
enum err_code probe_start_text(struct buf *out, const char *nonce, unsigned mask) ATTR_MUST_CHECK;

/* One later request: a line of section names. Appends to out. */
enum err_code probe_request_text(struct buf *out, unsigned mask) ATTR_MUST_CHECK;

#define PROBE_ALL ((1u << SECTION_COUNT) - 1)

#endif
