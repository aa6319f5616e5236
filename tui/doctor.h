/*
 * What `doctor` looks at: the set-up of this machine, and with a source whether
 * each node can be reached and where the time goes. Reads only.
 */
#ifndef TUI_DOCTOR_H
#define TUI_DOCTOR_H

#include "tui/cli.h"
#include "tui/page.h"

struct doctor {
	struct page *page;
	size_t concerns;
};

/* One line: "[CONCERN] what: why (what to do)"; counts concerns. */
void doctor_say(struct doctor *d, enum severity tag, const char *fmt, ...) ATTR_PRINTF(3, 4);

/* Locale, terminal, colours, clipboard. */
void doctor_terminal(struct doctor *d, const struct cli *c);

/* ssh, its configuration, libraries, the agent, keys, known hosts. */
void doctor_ssh(struct doctor *d, const struct cli *c);

/* Descriptors against the number of nodes (0: no source), configuration file, rules. */
void doctor_limits(struct doctor *d, const struct cli *c, size_t nodes);

/*
 * One round over the source, which it takes: who answered, how long each step
 * took, what to do about the others. Returns how many nodes answered.
 */
size_t doctor_nodes(struct doctor *d, const struct cli *c, struct source *src);

#endif
