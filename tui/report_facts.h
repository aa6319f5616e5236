/*
 * The parts of a text report that are not findings: what is the same everywhere, what could not be read, and what to read next.
 */
#ifndef TUI_REPORT_FACTS_H
#define TUI_REPORT_FACTS_H

#include "tui/page.h"
#include "tui/report_group.h"

/* Versions on the host, and what that does not say of containers. */
void report_facts_stack(struct page *p, const struct report *r);

/* Rules that could not be judged, and texts that could not be read. */
void report_facts_unread(struct page *p, const struct report *r);

/* Counts, and whose documents to read in which order. */
void report_facts_summary(struct page *p, const struct report *r, const struct report_groups *g);

#endif
