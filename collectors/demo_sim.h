/*
 * The simulated cluster's answers: the text that the probe's command would
 * print on that node at that moment, byte for byte in the probe's own form.
 *
 * Deterministic: a pure function of scenario, node, section, time since the
 * start and wall clock at the start. Nothing here knows what the parsers make
 * of it; source_demo.c serves it through the same frames as a real node.
 */
#ifndef COLLECTORS_DEMO_SIM_H
#define COLLECTORS_DEMO_SIM_H

#include <stdbool.h>
#include <stdint.h>

#include "collectors/buf.h"
#include "collectors/demo_state.h"
#include "collectors/section.h"

/* What stands around a section's text. */
struct demo_answer {
	int exit_code;
};

/*
 * Appends the text of a section to out. Never fails but for out's cap
 * (ERR_TOOBIG). st: demo_state_at() of the moment.
 */
enum err_code demo_sim_text(const struct demo_state *st, enum section_id id, struct buf *out,
	struct demo_answer *answer) ATTR_MUST_CHECK;

/* How long the node works on a section, ms: what its frame says and when it comes. */
int64_t demo_sim_run_ms(const struct demo_state *st, enum section_id id);

/* ---- the printers, one a section; in demo_text_*.c ---- */

struct demo_text {
	const struct demo_state *st;
	struct buf *out;
	enum err_code rc; /* first failure of an append; then nothing more is added */
	struct demo_answer answer;
};

void demo_add(struct demo_text *t, const char *fmt, ...) ATTR_PRINTF(2, 3);

#define DEMO_TEXT_PROTO(ID, name, cadence, title) void demo_text_##name(struct demo_text *t);
SECTIONS(DEMO_TEXT_PROTO)
#undef DEMO_TEXT_PROTO

/*
 * A counter that grows by rate a second while training, by ckpt_rate while a
 * checkpoint is written, with a slow wave of up to 4 %; never goes back.
 */
uint64_t demo_counter(const struct demo_state *st, double rate, double ckpt_rate, uint64_t salt);
/* The same for other times spent in each than the node's own. */
uint64_t demo_grown(const struct demo_state *st, double train_ms, double ckpt_ms, double rate,
	double ckpt_rate, uint64_t salt);

#endif
