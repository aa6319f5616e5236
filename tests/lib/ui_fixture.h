/*
 * A small fleet with a judgement, made by hand: what screens are drawn from in
 * tests. Every state, a hot GPU, a missing EFA port, unknown values, a finding
 * about peers. Fixed times; independent of parsers and rules.
 */
#ifndef TESTS_LIB_UI_FIXTURE_H
#define TESTS_LIB_UI_FIXTURE_H

#include "collectors/snapshot.h"
#include "rules/judge.h"

#define UI_FIXTURE_MONO_MS 1000000
#define UI_FIXTURE_WALL_MS 1764564000000 /* 2025-12-01T04:40:00Z */

struct ui_fixture {
	struct snapshot *snap;
	struct judgement *jm;
};

/* n nodes: the first 10 as told above, the rest healthy. n >= 10. */
struct ui_fixture ui_fixture_new(size_t n);

/* n nodes, none asked yet, no judgement. */
struct ui_fixture ui_fixture_waiting(size_t n);

/* Every node healthy, a judgement without findings. */
struct ui_fixture ui_fixture_healthy(size_t n);

void ui_fixture_free(struct ui_fixture *f);

#endif
