/*
 * What can be told of a command's answer before it is parsed: whether there is one,
 * and whether it is whole.
 */
#ifndef COLLECTORS_ANSWER_H
#define COLLECTORS_ANSWER_H

#include <stdbool.h>

#include "collectors/marks.h"
#include "collectors/section.h"

/*
 * The pieces of text between the probe's marks, for marks_next. pieces.cut tells that the text may
 * end early: over the probe's cap, in the middle of a line, or because its command was stopped.
 */
struct marks answer_pieces(struct section *s, struct span text);

/* What stands behind the last line end; answer_pieces leaves it out. */
struct span answer_tail(struct span text);

/*
 * True when there is no answer: the command is not there (by the status, or because the text says
 * nothing else, which then sets the status), or it timed out and one line is all
 * that came. *reason gets the first line that holds something.
 */
bool answer_is_missing(struct section *s, struct span text, struct span *reason);

/* The first line of text that is neither blank nor a mark, trimmed; empty when there is none. */
struct span answer_first_line(struct span text);

#endif
