/*
 * The parts of one section's text.
 *
 * Where a section needs more than one command, the probe prints a line
 * "#@ <name>" before the output of each. Text that was captured by hand has no
 * such lines and is one part without a name.
 */
#ifndef COLLECTORS_SUBTEXT_H
#define COLLECTORS_SUBTEXT_H

#include <stdbool.h>

#include "collectors/section.h"

struct subtext {
	struct span name; /* without "#@ "; empty for text before the first mark */
	struct span body;
};

/* Takes the next part off *rest; false when nothing is left. An empty unnamed part is skipped. */
bool subtext_next(struct span *rest, struct subtext *part);

/* The text may end anywhere: it is over the probe's cap, or its command was stopped. */
bool subtext_is_cut(const struct section *s);

/*
 * Drops what stands after the last line end when the text is cut: half a line
 * can look like a whole value. True when it dropped some.
 */
bool subtext_drop_cut_line(const struct section *s, struct span *text);

/*
 * For sections that got no answer: true when the command is not there (by the status, or because
 * the text says nothing else, which then sets the status) or when it timed out
 * and one line is all that came. *reason gets the first line that holds something.
 */
bool subtext_no_answer(struct section *s, struct span text, struct span *reason);

/* The first line of text that is not blank, trimmed; empty when there is none. */
struct span subtext_first_line(struct span text);

#endif
