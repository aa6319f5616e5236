/*
 * Tables and values of a reading in a detail panel, from the schema. Which columns
 * of which table are shown, and under which titles, is a list; a table that is not
 * in it shows every column that has a value.
 */
#ifndef TUI_DETAIL_TABLE_H
#define TUI_DETAIL_TABLE_H

#include "tui/doc.h"

/* Part names of findings of concern on this node, to mark rows by. */
struct detail_marks {
	const char *parts[32];
	size_t n;
};

void detail_table(struct doc *d, const struct section *s, const struct table *t,
	const struct detail_marks *marks);

/* Values in as many columns as the width allows. */
void detail_values(struct doc *d, const struct section *s);

#endif
