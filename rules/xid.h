/*
 * Which Xid numbers matter, as data.
 *
 * Meaning and buckets: NVIDIA's Xid catalogue (docs.nvidia.com/deploy/xid-errors,
 * r58x). A code says where to look, never what to do: the verdict belongs to
 * hyperpod-node-debugger § G, and a line is to be correlated with the workload.
 */
#ifndef RULES_XID_H
#define RULES_XID_H

#include <stdbool.h>
#include <stdint.h>

#include "collectors/reading.h"

enum xid_class {
	XID_APPLICATION, /* most often the job's own doing, or a consequence: for information */
	XID_HARDWARE,    /* worth a look at the hardware */
	XID_BY_SEVERITY, /* hardware when the text says Fatal */
	XID_ACTION,      /* 154: hardware while the action is not None */
	XID_OTHER        /* not in the list: for information */
};

struct xid_info {
	uint64_t code;
	enum xid_class class;
	const char *name; /* in a few words */
};

/* Never NULL: codes that are not listed give class XID_OTHER. */
const struct xid_info *xid_find(uint64_t code);

/* The line speaks of hardware: worth a concern. */
bool xid_is_hardware(const struct xid_row *row);

/* Codes of a kind of trouble that other readings show too. */
bool xid_means_off_bus(uint64_t code);
bool xid_means_uncorrected_ecc(uint64_t code);
bool xid_means_remap_failure(uint64_t code);
bool xid_means_nvlink_down(const struct xid_row *row);
/* The GPU works again only after a reset, by the code or by the action it names. */
bool xid_means_reset(const struct xid_row *row);

#endif
