/*
 * The columns of the Nodes screen: how each is placed, what it sorts by, how it is
 * drawn. Sorting works on the data, never on text.
 */
#ifndef TUI_NODE_COLUMNS_H
#define TUI_NODE_COLUMNS_H

#include "tui/layout.h"
#include "tui/node_row.h"
#include "tui/view.h"

/* Where one cell of the table is drawn. */
struct node_cell {
	struct grid *g;
	const struct ui *ui;
	struct rect at;           /* one row high */
	enum trend_metric metric; /* of the trend column */
};

struct node_column {
	const char *name; /* for ":sort NAME" */
	struct column place;
	/* Order of two rows, < 0 first; unknown values are last. */
	int (*compare)(const struct node_row *a, const struct node_row *b);
	bool descending; /* the useful first order */
	void (*draw)(const struct node_cell *c, const struct node_row *r);
};

/* In the order in which they stand. */
enum {
	COLUMN_STATE,
	COLUMN_NAME,
	COLUMN_GROUP,
	COLUMN_TYPE,
	COLUMN_FINDING,
	COLUMN_GPU,
	COLUMN_TEMP,
	COLUMN_USE,
	COLUMN_EFA,
	COLUMN_IOWAIT,
	COLUMN_ROOT,
	COLUMN_AGE,
	COLUMN_TREND,
	COLUMN_COUNT
};

size_t node_columns_count(void);
const struct node_column *node_columns_at(size_t i);

/* Index of the column with this name or a unique beginning of it; SIZE_MAX none. */
size_t node_columns_find(const char *name);

/* Sorts rows; equal ones stay in the source's order. */
void node_columns_sort(struct node_row *rows, size_t n, size_t column, bool descending);

#endif
