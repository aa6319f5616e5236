/*
 * One line of the kernel log as the NVIDIA driver and the NVSwitch driver write it.
 * Pure: spans borrow from the line, nothing is copied.
 */
#ifndef COLLECTORS_XID_LINE_H
#define COLLECTORS_XID_LINE_H

#include <stdbool.h>

#include "collectors/opt.h"
#include "collectors/text.h"

/* What is in the text of an Xid or SXid, besides its words. */
struct xid_text {
	struct opt_bool fatal;
	struct opt_i64 link;
};

struct xid_line {
	uint64_t code;
	struct span bdf;
	struct opt_u64 gpu_instance;
	struct opt_i64 pid; /* OPT_UNSUPPORTED when printed as <unknown> */
	struct span name;   /* empty when not known */
	struct span text;
	struct xid_text said;
	struct opt_u64 caused_by;
	struct opt_u64 action_from; /* Xid 154 */
	struct opt_u64 action_to;
	struct span action;
};

/* True when line holds an Xid of a GPU ("Xid (PCI:0000:53:00): 79, ..."), not an SXid. */
bool xid_line_read(struct span line, struct xid_line *x);

enum sxid_kind { SXID_EVENT, SXID_SEVERITY, SXID_DATA, SXID_OTHER };

struct sxid_line {
	enum sxid_kind kind;
	uint64_t code;
	struct span bdf;
	struct opt_u64 switch_index;
	struct span text;
	struct xid_text said;
};

bool sxid_line_read(struct span line, struct sxid_line *x);

/* Writes "0000:53:00" for any way to print a PCI address: lower case, domain of four
 * digits, no function. out is terminated; returns its length, 0 when it does not fit. */
size_t xid_bdf_normal(struct span bdf, char *out, size_t size);

#endif
