/*
 * df output, as any df prints it: GNU (also with -P, -T, -h), busybox, old
 * coreutils that put a long name on a line of its own, decimal commas.
 */
#ifndef COLLECTORS_PARSE_DF_H
#define COLLECTORS_PARSE_DF_H

#include "collectors/section.h"

enum df_kind {
	DF_HEADER, /* or a line without meaning */
	DF_ROW,
	DF_ERROR, /* one file system failed: mount and error are set */
	DF_UNREAD /* not understood */
};

struct df_line {
	enum df_kind kind;
	struct span source;
	struct span fstype; /* empty without -T */
	struct span mount;
	struct span error;
	struct opt_u64 size_kib;
	struct opt_u64 used_kib;
	struct opt_u64 avail_kib;
	struct opt_f64 used_pct; /* as printed: df rounds up */
};

/* What the header told, and a name that stood alone on its line. */
struct df_state {
	bool has_type;
	bool human;      /* 94G: sizes are rounded */
	bool inodes;     /* df -i: the columns are not sizes */
	double unit_kib; /* of a plain number; 0: no header seen */
	struct span pending;
};

#define DF_STATE_INIT         \
	{                     \
		.unit_kib = 0 \
	}

/* Reads one line (no blank ones). Spans point into line or an earlier one. */
struct df_line df_read_line(struct df_state *st, struct span line);

/*
 * "tool: 'path': words" of df and stat, with ASCII, old or curly quotes or
 * none. False when the line has another form.
 */
bool df_read_error(struct span line, struct span *path, struct span *words);

/* State of a mount that answered with these words: stale, disconnected, hung or error. */
const char *df_error_state(struct span words);

#endif
