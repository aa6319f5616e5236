/*
 * The simulation's benchmark output: files of nccl-tests appear round after
 * round, at times half-written, and go through the same parser as real ones.
 *
 * Deterministic: a function of the scenario and of the time since the first step.
 */
#ifndef COLLECTORS_DEMO_SWEEP_H
#define COLLECTORS_DEMO_SWEEP_H

#include "collectors/buf.h"
#include "collectors/demo_scenario.h"
#include "collectors/err.h"
#include "collectors/pair_feed.h"

/*
 * scenario: as demo_scenario_load takes it. ERR_OK with *out NULL when that
 * scenario has no sweep.
 */
enum err_code demo_sweep_new(
	struct pair_feed **out, const char *scenario, struct err *e) ATTR_MUST_CHECK;

/*
 * Appends what nccl-tests 2.17.6 prints for an all-reduce of both nodes in that
 * pass: the whole file, or with half its first part, as its writer leaves it in the
 * middle of a row.
 */
enum err_code demo_sweep_text(struct buf *out, const struct demo_scenario *sc, size_t a, size_t b,
	int pass, bool half) ATTR_MUST_CHECK;

#endif
