/* A sweep plan as one JSON object, schema hyperpod-perf/plan/1. */
#ifndef TUI_PLAN_JSON_H
#define TUI_PLAN_JSON_H

#include "collectors/buf.h"
#include "rules/sweep_text.h"
#include "tui/plan_nodes.h"

/* t is filled (sweep_text_fill), of these nodes. Over the cap of out: ERR_TOOBIG. */
enum err_code plan_json(struct buf *out, const struct sweep_plan *p, enum sweep_runner r,
	const struct sweep_text *t, const struct plan_nodes *nodes) ATTR_MUST_CHECK;

#endif
