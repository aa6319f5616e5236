/*
 * What the drill-down panel says, written into a doc: findings with their evidence
 * and routes, and the readings of a node section by section. Pure.
 */
#ifndef TUI_DETAIL_H
#define TUI_DETAIL_H

#include "tui/doc.h"
#include "tui/view.h"

/* "91 C (limit >= 88 C)": what was read against what was expected. Returns out. */
char *detail_value(const struct finding *f, char *out, size_t size);

/* "→ hyperpod-node-debugger § G ..." or that this program is the owner. Returns out. */
char *detail_route(const struct ui *ui, const struct finding *f, char *out, size_t size);

/* Age of a finding's reading at this frame, ms; -1 not known. */
int64_t detail_age_ms(const struct ui *ui, const struct finding *f);

/* One line: glyph, tag, title. */
void detail_finding_line(struct doc *d, const struct ui *ui, const struct finding *f, bool open);

/* Why, evidence, route, checks and commands, below its line. */
void detail_finding_body(struct doc *d, const struct ui *ui, const struct finding *f);

/* For a finding about peers: each value and who has it. Nothing when that is not known. */
void detail_peers(struct doc *d, const struct ui *ui, const struct finding *f);

/* Who the node is, how it stands, since when. */
void detail_identity(struct doc *d, const struct ui *ui, size_t node);

/* All sections that answered; then what did not. */
void detail_sections(struct doc *d, const struct ui *ui, size_t node);

#endif
