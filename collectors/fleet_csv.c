/* nodes.csv: where the nodes stand, as the operator wrote it down. */
#include <string.h>

#include "collectors/buf.h"
#include "collectors/csv.h"
#include "collectors/fleet.h"

#define FILE_BYTES_MAX ((size_t)16 << 20)
#define COLUMNS_MAX    32

enum column {
	COL_NODE,
	COL_AZ,
	COL_SPINE,
	COL_LEAF,
	COL_ULTRASERVER,
	COL_TYPE,
	COL_INSTANCE,
	COL_COUNT
};

static const char *const names[COL_COUNT] = {
	"node", "az", "spine", "leaf", "ultraserver", "instance_type", "instance_id"};

/* Position of each column in the header; -1 not there. */
static enum err_code read_header(
	struct span line, int at[COL_COUNT], const char *path, struct err *e)
{
	struct span cells[COLUMNS_MAX];
	size_t n = csv_split(line, cells, COLUMNS_MAX);

	for (size_t c = 0; c < COL_COUNT; c++)
		at[c] = -1;
	for (size_t i = 0; i < n && i < COLUMNS_MAX; i++)
		for (size_t c = 0; c < COL_COUNT; c++)
			if (span_ieq(cells[i], names[c]))
				at[c] = (int)i;
	if (at[COL_NODE] < 0)
		return err_set(e, ERR_PARSE,
			"%s:1: no column \"node\" (the first line must be: "
			"node,az,spine,leaf,ultraserver,instance_type)",
			path);
	return ERR_OK;
}

static void keep(struct fleet *f, const char **to, struct span cell)
{
	const char *s = fleet_str(f, cell);

	if (s)
		*to = s;
}

static enum err_code read_row(struct fleet *f, struct span line, const int at[COL_COUNT],
	const char *path, unsigned number, struct err *e)
{
	struct span cells[COLUMNS_MAX] = {{NULL, 0}};
	size_t n = csv_split(line, cells, COLUMNS_MAX);
	struct span cell[COL_COUNT];

	for (size_t c = 0; c < COL_COUNT; c++)
		cell[c] = at[c] >= 0 && (size_t)at[c] < n ? cells[at[c]] : (struct span)SPAN_INIT;
	if (!cell[COL_NODE].n)
		return err_set(e, ERR_PARSE,
			"%s:%u: names no node (give each line one, or drop it)", path, number);
	size_t i = fleet_find_or_add(f, cell[COL_NODE]);

	if (i == FLEET_NONE)
		return err_set(e, ERR_PARSE,
			"%s:%u: node %.60s cannot be told from another, or there are over %d "
			"(write full names)",
			path, number, fleet_str(f, cell[COL_NODE]), FLEET_NODES_MAX);
	struct fleet_node *node = &f->nodes[i];

	if (span_starts(cell[COL_TYPE], "ml.")) {
		cell[COL_TYPE].p += 3;
		cell[COL_TYPE].n -= 3;
	}
	keep(f, &node->az, cell[COL_AZ]);
	keep(f, &node->spine, cell[COL_SPINE]);
	keep(f, &node->leaf, cell[COL_LEAF]);
	keep(f, &node->ultraserver, cell[COL_ULTRASERVER]);
	keep(f, &node->instance_type, cell[COL_TYPE]);
	keep(f, &node->instance_id, cell[COL_INSTANCE]);
	if (cell[COL_INSTANCE].n)
		fleet_alias(f, i, cell[COL_INSTANCE]);
	return ERR_OK;
}

enum err_code fleet_read_csv(struct fleet *f, const char *path, struct err *e)
{
	struct buf text = BUF_INIT(FILE_BYTES_MAX);
	enum err_code rc = buf_read_file(&text, path, e);
	struct span rest = {buf_str(&text), text.len};
	struct span line;
	int at[COL_COUNT];
	bool header = false;
	unsigned number = 0;

	while (rc == ERR_OK && span_line(&rest, &line)) {
		number++;
		if (number == 1 && span_starts(line, "\xEF\xBB\xBF")) { /* a spreadsheet's mark */
			line.p += 3;
			line.n -= 3;
		}
		line = span_trim(line);
		if (!line.n || line.p[0] == '#')
			continue;
		if (!header)
			rc = read_header(line, at, path, e);
		else
			rc = read_row(f, line, at, path, number, e);
		header = true;
	}
	if (rc == ERR_OK && !header)
		rc = err_set(e, ERR_PARSE,
			"%s: is empty (the first line must be: "
			"node,az,spine,leaf,ultraserver,instance_type)",
			path);
	buf_release(&text);
	return rc;
}
