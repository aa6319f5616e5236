/*
 * A small judged picture for tests of reports, made by hand so that its text
 * does not change with the catalog: five nodes (one unreachable, one stale), rules
 * of every part, folded findings, hostile strings.
 */
#ifndef TESTS_LIB_REPORT_FIXTURE_H
#define TESTS_LIB_REPORT_FIXTURE_H

#include "tui/report.h"

/* Free with report_fixture_free. */
struct report *report_fixture_new(void);
/* The same with every node answering and nothing found. */
struct report *report_fixture_clean(void);
void report_fixture_free(struct report *r);

/*
 * Compares text with tests/golden/<name>; with HYPERPOD_PERF_GOLDEN=update in the
 * environment writes it instead. Fails the test with the first line that differs.
 */
void golden_check(const char *name, const char *text);

#endif
