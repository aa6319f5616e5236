#include "tui/detail_table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collectors/compiler.h"
#include "collectors/xmalloc.h"
#include "tui/fmt.h"

/* Rows of one table shown; the rest is counted. */
#define ROWS_SHOWN 64
/* From so many rows on, those that say the same are told once; GPUs are always all told. */
#define FOLD_FROM   4
#define CELL_BYTES  96
#define CELL_W_MAX  40
#define GAUGE_CELLS 12

struct pick {
	const char *field;
	const char *title;
};

/* In order of importance: what does not fit is dropped from the end. */
static const struct {
	enum section_id id;
	const char *table;
	struct pick cols[14];
} picks[] = {
	{SECTION_GPU, "gpu",
		{{"index", "GPU"}, {"temp_c", "temp"}, {"util_pct", "use"}, {"power_w", "power"},
			{"sm_mhz", "clock"}, {"width", "pcie"}, {"width_max", "max"},
			{"ecc_unc_vol", "ecc"}, {"health", "health"}, {"mem_used_mib", "mem"},
			{"sm_max_mhz", "max clock"}, {"reasons_active", "clock reasons"},
			{"bus", "bus"}}},
	{SECTION_XID, "xid",
		{{"code", "xid"}, {"age_s", "age"}, {"count", "lines"}, {"bdf", "bus"},
			{"name", "process"}, {"text", "message"}}},
	{SECTION_XID, "sxid",
		{{"code", "sxid"}, {"age_s", "age"}, {"fatal", "fatal"}, {"text", "message"}}},
	{SECTION_NVLINK, "gpu",
		{{"index", "GPU"}, {"links", "links"}, {"active", "active"},
			{"inactive_links", "inactive"}, {"rate_gb_s", "speed"},
			{"hard_errors", "hard errors"}}},
	{SECTION_EFA, "device",
		{{"dev", "device"}, {"state", "state"}, {"phys", "physical"}, {"rate_gbps", "rate"},
			{"netdev", "netdev"}, {"carrier", "carrier"}, {"driver", "driver"}}},
	{SECTION_EFA_COUNTERS, "device",
		{{"dev", "device"}, {"rx_drops", "rx drops"}, {"retrans_pkts", "retrans"},
			{"retrans_timeout_events", "timeouts"},
			{"unresponsive_remote_events", "unresponsive"},
			{"impaired_remote_conn_events", "impaired"},
			{"rdma_read_wr_err", "read err"}, {"rdma_write_wr_err", "write err"}}},
	{SECTION_CAPACITY, "mount",
		{{"mount", "mount"}, {"used_pct", "used"}, {"state", "state"},
			{"avail_kib", "free"}, {"size_kib", "size"}, {"fstype", "type"},
			{"inodes_used_pct", "inodes"}, {"answer_ms", "answer"},
			{"error", "error"}}},
	{SECTION_MOUNTS, "mount",
		{{"mount", "mount"}, {"fstype", "type"}, {"source", "source"},
			{"options", "options"}}},
	{SECTION_LUSTRE_DF, "target",
		{{"target", "target"}, {"used_pct", "used"}, {"avail_kib", "free"},
			{"size_kib", "size"}, {"mount", "mount"}, {"error", "error"}}},
	{SECTION_CLIENT_IO, "mount",
		{{"fs", "filesystem"}, {"kind", "kind"}, {"read_bytes", "read"},
			{"write_bytes", "written"}, {"metadata_ops", "metadata ops"},
			{"read_rtt_ms", "read rtt"}, {"write_rtt_ms", "write rtt"},
			{"retrans", "retrans"}}},
	{SECTION_CLIENT_IO, "import",
		{{"target", "target"}, {"state", "import"}, {"inflight", "in flight"},
			{"avg_waittime_usec", "wait"}, {"timeouts", "timeouts"}}},
	{SECTION_GPU_TOPO, "gpu",
		{{"index", "GPU"}, {"nv_peers", "peers"}, {"nv_links", "links"},
			{"nearest_nic", "nearest NIC"}, {"numa", "NUMA"},
			{"cpu_affinity", "CPUs"}}},
};

static const struct pick *picks_for(enum section_id id, const char *table)
{
	for (size_t i = 0; i < ARRAY_LEN(picks); i++)
		if (picks[i].id == id && strcmp(picks[i].table, table) == 0)
			return picks[i].cols;
	return NULL;
}

/* The columns of one table as they will be shown. */
struct shape {
	const struct field *field[LAYOUT_COLUMNS_MAX];
	struct column col[LAYOUT_COLUMNS_MAX];
	char title[LAYOUT_COLUMNS_MAX][32];
	int width[LAYOUT_COLUMNS_MAX];
	size_t n;
};

static bool any_value(const struct field *f, const char *rows, size_t n, size_t row_size)
{
	for (size_t i = 0; i < n; i++)
		if (field_value(f, rows + i * row_size).state != OPT_UNKNOWN)
			return true;
	return false;
}

static bool folds(const struct section *s, size_t n)
{
	return n >= FOLD_FROM && s->id != SECTION_GPU;
}

static bool is_gauge(const struct field *f)
{
	return strcmp(f->name, "used_pct") == 0;
}

static char *cell_text(const struct field *f, const void *row, char *out)
{
	struct value v = field_value(f, row);

	return fmt_value(out, CELL_BYTES, &v, f->unit);
}

static void add_column(struct shape *sh, const struct field *f, const char *title)
{
	if (sh->n >= LAYOUT_COLUMNS_MAX)
		return;
	struct column *c = &sh->col[sh->n];

	if (title)
		snprintf(sh->title[sh->n], sizeof(sh->title[0]), "%s", title);
	else
		fmt_label(sh->title[sh->n], sizeof(sh->title[0]), f->name, f->unit);
	*c = (struct column){.title = sh->title[sh->n],
		.min = grid_width(sh->title[sh->n]),
		.priority = (int)sh->n,
		.right = f->type != FIELD_STR && f->type != FIELD_FLAG};
	sh->field[sh->n++] = f;
}

static void choose_columns(struct shape *sh, const struct section *s, const struct table *t,
	const char *rows, size_t n)
{
	const struct pick *p = picks_for(s->id, t->name);

	sh->n = 0;
	for (size_t i = 0; p && i < ARRAY_LEN(picks[0].cols) && p[i].field; i++) {
		const struct field *f = schema_field(t->fields, t->nfields, p[i].field);

		if (f && any_value(f, rows, n, t->row_size))
			add_column(sh, f, p[i].title);
	}
	for (size_t i = 0; !p && i < t->nfields; i++)
		if (any_value(&t->fields[i], rows, n, t->row_size))
			add_column(sh, &t->fields[i], NULL);
}

static void measure(struct shape *sh, const struct table *t, const char *rows, size_t n, int width)
{
	char text[CELL_BYTES];

	for (size_t k = 0; k < sh->n; k++) {
		int want = sh->col[k].min;

		for (size_t i = 0; i < n && i < ROWS_SHOWN; i++) {
			int w = grid_width(cell_text(sh->field[k], rows + i * t->row_size, text));

			if (w > want)
				want = w;
		}
		if (is_gauge(sh->field[k]))
			want += GAUGE_CELLS + 1;
		sh->col[k].want = want;
		sh->col[k].min = want < CELL_W_MAX ? want : CELL_W_MAX;
		/* Text at the end may take what is left. */
		sh->col[k].grow = k + 1 == sh->n && !sh->col[k].right && want > CELL_W_MAX;
	}
	layout_columns(sh->col, sh->n, width, 2, sh->width);
}

static bool marked(const struct detail_marks *marks, enum section_id id, const char *name)
{
	char gpu[CELL_BYTES + 8];

	snprintf(gpu, sizeof(gpu), "gpu %s", name);
	for (size_t i = 0; i < marks->n; i++)
		if (strcmp(marks->parts[i], name) == 0 ||
			((id == SECTION_GPU || id == SECTION_NVLINK) &&
				strcmp(marks->parts[i], gpu) == 0))
			return true;
	return false;
}

static void add_titles(struct doc *d, const struct shape *sh)
{
	int x = 3;

	doc_line(d);
	for (size_t k = 0; k < sh->n; k++) {
		if (!sh->width[k])
			continue;
		if (sh->col[k].right && !is_gauge(sh->field[k]))
			doc_put_right(d, x, sh->width[k], STYLE_DIM, sh->title[k]);
		else
			doc_put(d, x, STYLE_DIM, sh->title[k]);
		x += sh->width[k] + 2;
	}
}

static int cell_style(const struct value *v, bool hot)
{
	return v->state == OPT_ERROR ? STYLE_UNKNOWN
	       : v->state != OPT_OK  ? STYLE_DIM
	       : hot                 ? STYLE_CONCERN
				     : STYLE_TEXT;
}

/* fold: how many rows this one stands for. */
static void add_row(struct doc *d, const struct shape *sh, const void *row, bool hot, size_t fold)
{
	char text[CELL_BYTES];
	int x = 3;

	doc_line(d);
	for (size_t k = 0; k < sh->n; k++) {
		struct value v = field_value(sh->field[k], row);
		int style = cell_style(&v, hot);
		int w = sh->width[k];
		double pct;

		if (!w)
			continue;
		cell_text(sh->field[k], row, text);
		if (is_gauge(sh->field[k])) {
			doc_gauge(d, x, GAUGE_CELLS, hot ? STYLE_CONCERN : STYLE_BAR,
				value_number(&v, &pct) ? pct : (double)NAN);
			doc_put_right(d, x + GAUGE_CELLS, w - GAUGE_CELLS, style, text);
		} else if (sh->col[k].right) {
			doc_put_right(d, x, w, style, text);
		} else {
			text[grid_fit(text, w, NULL)] = '\0';
			doc_put(d, x, style, text);
		}
		x += w + 2;
	}
	if (fold > 1)
		doc_putf(d, x, STYLE_DIM, "and %zu more like it", fold - 1);
}

/* Two rows that read the same but for their first column. */
static bool alike(const struct shape *sh, const void *a, const void *b)
{
	char x[CELL_BYTES];
	char y[CELL_BYTES];

	for (size_t k = 1; k < sh->n; k++)
		if (sh->width[k] &&
			strcmp(cell_text(sh->field[k], a, x), cell_text(sh->field[k], b, y)) != 0)
			return false;
	return true;
}

static void add_rows(struct doc *d, const struct shape *sh, const struct section *s,
	const struct table *t, const char *rows, size_t n, const struct detail_marks *marks)
{
	char name[CELL_BYTES];
	size_t shown = 0;
	size_t told = 0;
	bool *done = xcalloc(n, sizeof(*done));

	for (size_t i = 0; i < n && shown < ROWS_SHOWN; i++) {
		size_t same = 1;
		bool hot =
			marked(marks, s->id, cell_text(sh->field[0], rows + i * t->row_size, name));

		if (done[i])
			continue;
		for (size_t k = i + 1; !hot && folds(s, n) && k < n; k++)
			if (!done[k] && alike(sh, rows + i * t->row_size, rows + k * t->row_size) &&
				!marked(marks, s->id,
					cell_text(sh->field[0], rows + k * t->row_size, name)))
				same += done[k] = true;
		add_row(d, sh, rows + i * t->row_size, hot, same);
		told += same;
		shown++;
	}
	free(done);
	if (told < n) {
		doc_line(d);
		doc_putf(d, 3, STYLE_DIM, "%zu more rows", n - told);
	}
}

void detail_table(struct doc *d, const struct section *s, const struct table *t,
	const struct detail_marks *marks)
{
	struct shape sh;
	size_t n;
	const char *rows = table_rows(t, s->reading, &n);

	if (!rows)
		return;
	choose_columns(&sh, s, t, rows, n);
	if (sh.n == 0)
		return;
	/* Room for "and 31 more like it". */
	measure(&sh, t, rows, n, d->width - 3 - (folds(s, n) ? 22 : 0));
	add_titles(d, &sh);
	add_rows(d, &sh, s, t, rows, n, marks);
}

/* Counters that only their growth makes readable, and bookkeeping. */
static bool hidden(const struct field *f)
{
	size_t n = strlen(f->name);

	return (n > 6 && strcmp(f->name + n - 6, "_ticks") == 0) ||
	       strncmp(f->name, "kmsg_", 5) == 0 || strcmp(f->name, "now_s") == 0 ||
	       strcmp(f->name, "now_unix_s") == 0 || strcmp(f->name, "columns") == 0 ||
	       strcmp(f->name, "btime") == 0;
}

/* Beside a table, a count of nothing is not worth a line. */
static bool says_nothing(const struct value *v, bool has_rows)
{
	double n;

	if (v->state == OPT_UNKNOWN)
		return true;
	if (v->state != OPT_OK)
		return false;
	if (v->type == FIELD_STR)
		return !v->str || !v->str[0];
	return has_rows && value_number(v, &n) && n == 0;
}

#define VALUE_CELL_W  37
#define VALUE_LABEL_W 20

void detail_values(struct doc *d, const struct section *s)
{
	const struct schema *schema = &section_desc(s->id)->schema;
	int per_line = (d->width - 3) / VALUE_CELL_W;
	int at = 0;
	char label[64];
	char text[512];

	bool has_rows = false;

	for (size_t i = 0; i < schema->ntables; i++) {
		size_t n;

		has_rows = table_rows(&schema->tables[i], s->reading, &n) || has_rows;
	}
	if (per_line < 1)
		per_line = 1;
	for (size_t i = 0; i < schema->nfields; i++) {
		const struct field *f = &schema->fields[i];
		struct value v = field_value(f, s->reading);

		if (says_nothing(&v, has_rows) || hidden(f))
			continue;
		fmt_value(text, sizeof(text), &v, f->unit);
		bool wide = grid_width(text) > VALUE_CELL_W - VALUE_LABEL_W - 2;

		if (wide || at == 0 || at >= per_line) {
			doc_line(d);
			at = 0;
		}
		int x = 3 + at * VALUE_CELL_W;

		fmt_label(label, sizeof(label), f->name, f->unit);
		label[grid_fit(label, VALUE_LABEL_W - 1, NULL)] = '\0';
		doc_put(d, x, STYLE_DIM, label);
		if (wide)
			doc_wrap(d, x + VALUE_LABEL_W, cell_style(&v, false), text);
		else
			doc_put(d, x + VALUE_LABEL_W, cell_style(&v, false), text);
		at = wide ? 0 : at + 1;
	}
}
