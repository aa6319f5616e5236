/*
 * A sweep picture made by hand, the same each time: n nodes on leaves of 8 and spines of
 * 32; one slow node, one slow link, a cross-spine effect, a disturbance that passed, a failed
 * run, a node that was not tested. For tests.
 */
#ifndef TESTS_LIB_SWEEP_FIXTURE_H
#define TESTS_LIB_SWEEP_FIXTURE_H

#include <stdbool.h>

#include "tui/sweep.h"

#define SWEEP_FIXTURE_WALL_MS 1764564000000 /* UI_FIXTURE_WALL_MS */

/*
 * names: of the first nodes, whose ids are those of ui_fixture.h, NULL at the end; NULL: all are
 * "ip-10-2-...". share: of all pairs that are measured.
 */
struct sweep_picture *sweep_fixture(size_t n, double share, const char *const *names);

/* Every node healthy. */
struct sweep_picture *sweep_fixture_healthy(size_t n);

/* Nothing read yet, one feed that watches a directory. */
struct sweep_picture *sweep_fixture_empty(void);

#endif
