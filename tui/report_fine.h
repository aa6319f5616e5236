/* What was judged and found fine, in few words and with the numbers that matter. */
#ifndef TUI_REPORT_FINE_H
#define TUI_REPORT_FINE_H

#include <stdbool.h>

#include "tui/page.h"
#include "tui/report_group.h"

/*
 * One [OK] line for each subject (GPUs, EFA devices ...) of the part:
 * REPORT_NCCL and REPORT_FILES as they are, REPORT_ROUTED: all other rules, with
 * a heading. Where nothing could be judged and say_empty is set, says that.
 */
void report_fine(struct page *p, const struct report *r, enum report_part part, bool say_empty);

#endif
