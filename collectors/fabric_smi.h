/*
 * The NVLink fabric state of each GPU as nvidia-smi tells it: `-q` text, `-q -x` XML,
 * or --query-gpu=fabric.* as CSV with a header.
 */
#ifndef COLLECTORS_FABRIC_SMI_H
#define COLLECTORS_FABRIC_SMI_H

#include "collectors/section.h"

/*
 * Reads text into the rows of a fabricmanager section. False when it is none of
 * the three forms; the section is then untouched.
 */
bool fabric_smi_read(struct section *s, struct span text);

#endif
