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

/*
 * Drops what stands after the last line end when the text is known to be cut
 * off there: half a line can look like a whole value. True when it dropped some.
 */
bool subtext_drop_cut_line(const struct section *s, struct span *text);

/*
 * For sections that got no answer. True when the status says so, or when the text is
 * nothing but a shell's "command not found" (which then sets the status).
 * *reason gets the first line that holds something.
 */
bool subtext_no_answer(struct section *s, struct span text, struct span *reason);

/* The first line of text that is not blank, trimmed; empty when there is none. */
struct span subtext_first_line(struct span text);

#endif
