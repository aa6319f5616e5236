/*
 * A table of nccl-tests or nccom-test: what its heading says of the columns, and its rows.
 * Pure; spans borrow from the line.
 */
#ifndef COLLECTORS_NCCL_ROW_H
#define COLLECTORS_NCCL_ROW_H

#include "collectors/bandwidth.h"
#include "collectors/bw_line.h"

/* Columns of one half, counted from the first "time". */
struct nccl_half {
	signed char algbw; /* -1: none */
	signed char busbw;
	signed char wrong;
};

struct nccl_layout {
	bool known;
	bool nccom;
	bool has_redop;
	bool has_root;
	bool is_error; /* the check column is a tolerance, not a count */
	bool oop_only; /* the heading names one half only */
	bool ip_only;
	size_t columns; /* from the first "time" on */
	size_t type;    /* nccom: the column of the type */
	struct nccl_half oop;
	struct nccl_half ip;
};

/* "size count type redop root time ..." or "size(B) count(elems) ..."; halves stay. */
bool nccl_layout_read(struct nccl_layout *l, struct span heading);
/* The line above it: "out-of-place   in-place". */
void nccl_layout_halves(struct nccl_layout *l, struct span line);

enum nccl_row_kind {
	NCCL_ROW_NONE,  /* no row */
	NCCL_ROW_BEGUN, /* size, count and type, and then something else */
	NCCL_ROW_WHOLE
};

struct nccl_row {
	struct bw_row row;
	struct span dtype;
	struct span redop; /* empty: not printed */
	bool has_root;
	bool ip_unchecked; /* N/A for the in-place half alone */
	struct span rest;  /* of a row that is begun only: what follows its type and operation */
};

enum nccl_row_kind nccl_row_read(
	const struct nccl_layout *l, struct span line, struct nccl_row *out);
/* The figures of a row that was begun on a line before. */
bool nccl_row_resume(const struct nccl_layout *l, struct span line, struct nccl_row *row);

#endif
