/*
 * Reports: one judged snapshot as text, JSON or Markdown. Pure: bytes into a
 * buffer, no terminal, no clock. Every string of a snapshot or a judgement is
 * printable already; JSON escapes what is left.
 */
#ifndef TUI_REPORT_H
#define TUI_REPORT_H

#include <stdbool.h>
#include <stddef.h>

#include "collectors/buf.h"
#include "collectors/snapshot.h"
#include "rules/judge.h"
#include "rules/rule.h"

/* Most bytes of one report: JSON of 4,096 nodes with all their readings. */
#define REPORT_MAX (512u << 20)

/* All borrowed. */
struct report {
	const struct snapshot *snap;
	const struct judgement *judgement;
	const struct catalog *catalog;
	bool interrupted; /* the operator did not wait for all nodes */
};

struct report_style {
	size_t width; /* columns to wrap at */
	bool color;   /* SGR sequences around tags and headings */
	bool utf8;    /* false: ASCII only */
};

/* schema hyperpod-perf/snapshot/1: see design of the command line in README. */
enum err_code report_json(struct buf *out, const struct report *r) ATTR_MUST_CHECK;

/* For people: what is wrong first, folded, each finding with its reasons and its owner. */
enum err_code report_text(
	struct buf *out, const struct report *r, const struct report_style *style) ATTR_MUST_CHECK;

/* For a ticket. */
enum err_code report_markdown(struct buf *out, const struct report *r) ATTR_MUST_CHECK;

/*
 * The exit status (cmd.h): nothing collected, else concerns, where a node that
 * was not read counts as one, else 0.
 */
int report_status(const struct report *r);

#endif
