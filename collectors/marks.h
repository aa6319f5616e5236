/*
 * The layout that the probe's sections share.
 *
 *   #@ name arguments       a mark: what follows, up to the next mark, is that piece
 *   /path/of/a/file:value   one line of `grep . FILE...`
 *   /path/of/a/link -> x    where a symbolic link points
 *
 * Every complete answer ends in a newline. A last line without one was cut in
 * the middle: "12" may have been "1234", so such a line is never read.
 */
#ifndef COLLECTORS_MARKS_H
#define COLLECTORS_MARKS_H

#include <stdbool.h>

#include "collectors/section.h"

/*
 * The lines of text that are complete. A rest without newline is dropped and
 * noted in s. *cut (may be NULL) tells whether anything is missing at the end,
 * also when the probe's cap cut exactly between two lines: then no count and no
 * sum over the text can be trusted.
 */
struct span marks_whole_lines(struct section *s, struct span text, bool *cut);

struct marks {
	struct section *s;
	struct span rest;
	bool cut; /* the text ends early */
	bool started;
};

struct marks_piece {
	struct span mark; /* all that stands after "#@ "; empty before the first mark */
	struct span name; /* its first word */
	struct span args; /* what follows the first word */
	struct span body; /* whole lines only */
	bool whole;       /* false when the end of the text may have cut this piece */
};

void marks_init(struct marks *m, struct section *s, struct span text);

/* The next piece, in order; false after the last. Notes a command in it that gave no answer. Text before the first mark is a piece without
 * name, left out when it is blank. */
bool marks_next(struct marks *m, struct marks_piece *out);

/*
 * Splits "path:value" or "path -> value". The path begins with '/'; the colons
 * of a PCI address in it (0000:53:00.0) do not end it. Also takes "path value".
 */
bool marks_path(struct span line, struct span *path, struct span *value);

/*
 * Splits a path after dir, given with its slashes ("/infiniband/"): *item is
 * the next component, *below what follows it without slash (may be empty).
 */
bool marks_item(struct span path, const char *dir, struct span *item, struct span *below);

/* True when the line is the statement of a shell, a tool or the probe ("not available: ...") that a
 * file or command is not there. */
bool marks_missing(struct span line);

/* "key<sep>value" without the blanks, the quotes and the last comma around the value. */
bool marks_key_value(struct span line, char sep, struct span *key, struct span *value);

/* The same bytes. */
bool marks_same(struct span a, struct span b);

/* Decodes \040 and its like (as in /proc/mounts) into out; returns the decoded span of out. */
struct span marks_unescape(struct span v, char *out, size_t size);

/* OPT_OK with the number, OPT_UNKNOWN when v is empty, else OPT_ERROR. */
struct opt_u64 marks_u64(struct span v);
struct opt_f64 marks_f64(struct span v);

#endif
