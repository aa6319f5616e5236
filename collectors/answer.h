/*
 * What can be told of a command's answer before it is parsed: whether there is one,
 * and whether it is whole.
 *
 * For parsers that also take text captured by hand, where a missing line end is
 * no sign of a cut; marks_init is stricter.
 */
#ifndef COLLECTORS_ANSWER_H
#define COLLECTORS_ANSWER_H

#include <stdbool.h>

#include "collectors/marks.h"
#include "collectors/section.h"

/* The text may end anywhere: it is over the probe's cap, or its command was stopped. */
bool answer_is_cut(const struct section *s);

/*
 * The pieces of text between the probe's marks, for marks_next. A last line that is cut is
 * left out: half a line can look like a whole value.
 */
struct marks answer_pieces(const struct section *s, struct span text);

/*
 * True when there is no answer: the command is not there (by the status, or because the text says
 * nothing else, which then sets the status), or it timed out and one line is all
 * that came. *reason gets the first line that holds something.
 */
bool answer_is_missing(struct section *s, struct span text, struct span *reason);

/* The first line of text that is neither blank nor a mark, trimmed; empty when there is none. */
struct span answer_first_line(struct span text);

#endif
