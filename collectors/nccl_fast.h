/*
 * The usual row of nccl-tests in one pass: that of the row before it, with other figures. A
 * long file is nearly all such rows. Whatever is not quite so is left to nccl_row.h, which
 * reads everything; both give the same values.
 */
#ifndef COLLECTORS_NCCL_FAST_H
#define COLLECTORS_NCCL_FAST_H

#include "collectors/nccl_row.h"

/* How the rows of the open table look. */
struct nccl_fast {
	bool ready;
	bool has_root;
	bool is_error;
	size_t n_dtype;
	size_t n_redop; /* 0: none is printed */
	char dtype[16];
	char redop[16];
};

/* After nccl_row_read gave a whole row of this layout; ready only for the usual columns. */
void nccl_fast_learn(struct nccl_fast *f, const struct nccl_layout *l, const struct nccl_row *row);
/* False, and *out in any state, when it is no such row. */
bool nccl_fast_read(const struct nccl_fast *f, struct span line, struct bw_row *out);

#endif
