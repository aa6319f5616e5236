/* The findings of one part of a text report, with their reasons and commands. */
#ifndef TUI_REPORT_FINDINGS_H
#define TUI_REPORT_FINDINGS_H

#include "tui/page.h"
#include "tui/report_group.h"

/*
 * Writes every group of the part, those of one owner together, and after them
 * the commands that all of these suggest, each once. Returns how many groups.
 */
size_t report_findings(struct page *p, const struct report *r, const struct report_groups *groups,
	enum report_part part);

#endif
