/*
 * Reports of a sweep that was read: for people, as JSON (schema hyperpod-perf/pairs/1), as a
 * CSV that this program reads again. Pure: bytes into a buffer.
 */
#ifndef TUI_REPORT_PAIRS_H
#define TUI_REPORT_PAIRS_H

#include "collectors/buf.h"
#include "collectors/pair_set.h"
#include "collectors/pair_store.h"
#include "rules/attribution.h"
#include "tui/report.h"

/* All borrowed. */
struct report_pairs {
	const struct pair_store *store;
	const struct pair_set *set;
	const struct attribution *at;
	const struct simple_verdict *simple; /* NULL: only our own rule */
	enum simple_rule rule;               /* of simple */
	size_t files;                        /* read */
	const struct catalog *catalog;       /* owners of what is found */
};

enum err_code report_pairs_text(struct buf *out, const struct report_pairs *r,
	const struct report_style *style) ATTR_MUST_CHECK;
enum err_code report_pairs_json(struct buf *out, const struct report_pairs *r) ATTR_MUST_CHECK;
enum err_code report_pairs_csv(struct buf *out, const struct report_pairs *r) ATTR_MUST_CHECK;

/*
 * "slow" (a suspect node or link explains it), "transient", "retest" (low once and never measured
 * again), "ok"; "failed" for a pair without a figure. Static.
 */
const char *report_pairs_verdict(const struct report_pairs *r, size_t a, size_t b);

/*
 * The exit status (cmd.h): CMD_NOTHING without a figure or a failed run, CMD_CONCERNS with suspects,
 * a topology effect, failed runs or wrong values, else CMD_OK.
 */
int report_pairs_status(const struct report_pairs *r);

#endif
