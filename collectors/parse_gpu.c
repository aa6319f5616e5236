/*
 * nvidia-smi --query-gpu as CSV, with or without header and units; the sentences
 * that it prints instead; its default table.
 *
 * The probe asks for all GPUs at once. When a lost GPU fails that call it prints the
 * sentence, and then asks each GPU alone: a header and a row for every one that answers.
 */
#include "collectors/section.h"

#include <inttypes.h>
#include <string.h>

#include "collectors/answer.h"
#include "collectors/gpu_columns.h"
#include "collectors/gpu_table.h"
#include "collectors/nvsmi.h"

/* Lines that nothing explains are quoted; more than these tell no more. */
#define STRANGE_LINES_MAX 4

struct parse {
	struct section *s;
	struct gpu_reading *r;
	struct gpu_columns cols; /* n is 0 until known */
	struct gpu_table table;
	size_t strange;
	bool csv; /* rows or a header were seen */
	bool no_devices;
	bool failed;
	bool cut; /* the text may end early */
};

/* Bits of clocks_event_reasons.active, from nvml.h (nvmlClocksEventReason...). */
static const struct {
	uint64_t bit;
	const char *name;
} reasons[] = {
	{0x1, "gpu_idle"},
	{0x2, "applications_clocks"},
	{0x4, "sw_power_cap"},
	{0x8, "hw_slowdown"},
	{0x10, "sync_boost"},
	{0x20, "sw_thermal"},
	{0x40, "hw_thermal"},
	{0x80, "hw_power_brake"},
	{0x100, "display_clock"},
};

/* Appends to a comma-separated list of bounded size. */
static size_t list_add(char *list, size_t size, size_t used, const char *item, size_t n)
{
	size_t comma = used ? 1 : 0;

	if (used + comma + n + 1 > size)
		return used;
	if (comma)
		list[used++] = ',';
	memcpy(list + used, item, n);
	list[used + n] = '\0';
	return used + n;
}

static void name_reasons(struct section *s, struct gpu_row *row)
{
	char list[200] = "";
	char other[24];
	uint64_t rest = row->reasons.v;
	size_t n = 0;

	if (!opt_has(row->reasons)) {
		row->reasons_active.state = row->reasons.state;
		return;
	}
	for (size_t i = 0; i < ARRAY_LEN(reasons); i++) {
		if (!(rest & reasons[i].bit))
			continue;
		n = list_add(list, sizeof(list), n, reasons[i].name, strlen(reasons[i].name));
		rest &= ~reasons[i].bit;
	}
	if (rest) {
		int len = snprintf(other, sizeof(other), "0x%" PRIx64, rest);

		n = list_add(list, sizeof(list), n, other, (size_t)len);
	}
	row->reasons_active = section_str(s, (struct span){list, n});
	if (n == 0)
		row->reasons_active = (struct opt_str){OPT_OK, ""};
}

/* What the cells of a row say about the GPU as a whole. */
struct row_verdict {
	bool lost;
	bool reset;
	size_t values;      /* measurements that were read */
	size_t refused;     /* cells that the driver could not fill */
	size_t unread;      /* those, and cells that do not fit their column */
	const char *column; /* first of these */
	struct span cell;   /* and what it holds */
};

static void judge_cell(
	struct row_verdict *v, const struct gpu_column *col, struct span cell, enum opt_state state)
{
	v->lost |= nvsmi_cell_is_lost(cell);
	v->reset |= nvsmi_cell_needs_reset(cell);
	v->refused += nvsmi_cell_state(cell) == OPT_ERROR &&
		      span_find(cell, "Insufficient Permissions") < 0;
	if (state == OPT_OK && col->field->type != FIELD_STR && strcmp(col->name, "index") != 0)
		v->values++;
	if (state != OPT_ERROR)
		return;
	if (v->unread++ == 0) {
		v->column = col->name;
		v->cell = cell;
	}
}

static void set_health(
	struct parse *p, struct gpu_row *row, const struct row_verdict *v, bool partial)
{
	const char *health = NULL;
	char who[32] = "a GPU";

	if (v->lost)
		health = "lost";
	else if (v->reset)
		health = "reset_required";
	else if (v->refused && v->refused >= v->values)
		health = "error";
	else if (!partial && v->values)
		health = "ok";
	if (health)
		row->health = section_str(p->s, span_of(health));
	if (v->unread == 0)
		return;
	if (opt_has(row->index))
		snprintf(who, sizeof(who), "GPU %" PRIu64, row->index.v);
	section_unread(p->s, who, "%s is \"%.*s\" (%zu columns unread)", v->column,
		(int)(v->cell.n < 60 ? v->cell.n : 60), v->cell.p, v->unread);
}

/* A fallback column speaks only where the exact one has not. */
static bool has_value(const struct gpu_column *col, const void *base)
{
	struct value v = field_value(col->field, base);

	return col->fallback && v.state == OPT_OK;
}

static bool same_str(struct opt_str a, struct opt_str b)
{
	return opt_has(a) && opt_has(b) && strcmp(a.v, b.v) == 0;
}

/*
 * A call that fails half-way may have printed rows before: asked again one by one, those GPUs
 * come twice. The newer row stands in the place of the older one.
 */
static void replace_older(struct gpu_reading *r, const struct gpu_row *row)
{
	for (size_t i = 0; i + 1 < r->gpu_n; i++) {
		if (!same_str(r->gpu[i].bus, row->bus) && !same_str(r->gpu[i].uuid, row->uuid))
			continue;
		r->gpu[i] = *row;
		memset(&r->gpu[r->gpu_n - 1], 0, sizeof(*row));
		r->gpu_n--;
		return;
	}
}

static void add_row(struct parse *p, const struct span *cells, size_t n, bool cut)
{
	struct row_verdict verdict = {0};
	bool partial = n < p->cols.n || cut;
	/* In a row that was cut off, the last cell may be the front of another value. */
	size_t whole = partial && n ? n - 1 : n;
	struct gpu_row *row = SECTION_ROW(p->s, p->r, gpu);

	if (!row)
		return;
	p->csv = true;
	for (size_t i = 0; i < whole; i++) {
		const struct gpu_column *col = &p->cols.col[i];
		void *base = col->whole_call ? (void *)p->r : (void *)row;

		if (!col->field || has_value(col, base))
			continue;
		judge_cell(&verdict, col, cells[i], nvsmi_set(p->s, col->field, base, cells[i]));
	}
	name_reasons(p->s, row);
	set_health(p, row, &verdict, partial);
	if (partial) {
		p->r->partial_rows.v++;
		section_unread(p->s, "row", "cut off after %zu of %zu columns", whole, p->cols.n);
	}
	replace_older(p->r, row);
}

static void strange_line(struct parse *p, const char *why, struct span line)
{
	if (p->strange++ < STRANGE_LINES_MAX)
		section_unread(
			p->s, "line", "%s: %.*s", why, (int)(line.n < 120 ? line.n : 120), line.p);
}

/* cut: the text ends in the middle of this line. */
static void csv_line(struct parse *p, struct span line, bool cut)
{
	struct span cells[CSV_CELLS_MAX];
	size_t n = csv_split(line, cells, CSV_CELLS_MAX);

	if (p->cols.n == 0 && n > 1 && n <= CSV_CELLS_MAX)
		gpu_columns_from_row(&p->cols, cells, n);
	if (p->cols.n == 0) {
		strange_line(p, n > 1 ? "no header: columns unknown" : "not understood", line);
		return;
	}
	if (n > CSV_CELLS_MAX || (n < 2 && p->cols.n > 1)) {
		strange_line(p, "not understood", line);
		return;
	}
	if (n > p->cols.n) {
		if (!csv_join(cells, n, p->cols.n, p->cols.name_at)) {
			strange_line(p, "more cells than columns", line);
			return;
		}
		n = p->cols.n;
	}
	add_row(p, cells, n, cut);
}

/* Adds a bus id to the list of those that failed, once. True when it is new. */
static bool add_failed_bus(struct parse *p, struct span bus)
{
	char list[512] = "";
	size_t used = 0;

	if (opt_has(p->r->failed_bus)) {
		struct span rest = span_of(p->r->failed_bus.v);
		struct span one;

		used = list_add(list, sizeof(list), 0, rest.p, rest.n);
		while (span_field(&rest, ',', &one))
			if (one.n == bus.n && memcmp(one.p, bus.p, bus.n) == 0)
				return false;
	}
	used = list_add(list, sizeof(list), used, bus.p, bus.n);
	p->r->failed_bus = section_str(p->s, (struct span){list, used});
	return true;
}

static void failure_line(struct parse *p, const struct nvsmi_failure *f, struct span line)
{
	if (!opt_has(p->r->error))
		p->r->error = section_str(p->s, f->error);
	if (f->no_devices) {
		p->no_devices = true;
		return;
	}
	p->failed = true;
	if (f->bad_field.n)
		p->r->bad_field = section_str(p->s, f->bad_field);
	if (f->bus.n && add_failed_bus(p, f->bus))
		p->r->lost.v++;
	section_set_status(p->s, SECTION_FAILED);
	strange_line(p, "nvidia-smi", line);
}

static void one_line(struct parse *p, struct span line)
{
	struct nvsmi_failure failure;

	if (nvsmi_failure(line, &failure)) {
		failure_line(p, &failure, line);
	} else if (gpu_table_line(&p->table, p->s, line)) {
		return;
	} else if (gpu_columns_from_header(&p->cols, line)) {
		p->csv = true;
		p->r->columns = opt_u64(p->cols.n);
	} else {
		csv_line(p, line, false);
	}
}

/* How many GPUs there are is only known from an answer that is whole. */
static void count(struct parse *p)
{
	struct gpu_reading *r = p->r;
	bool whole = (p->csv || p->table.whole) && !p->cut && r->partial_rows.v == 0;

	for (size_t i = 0; i < r->gpu_n; i++) {
		const struct opt_str *health = &r->gpu[i].health;

		if (opt_has(*health) &&
			(strcmp(health->v, "lost") == 0 || strcmp(health->v, "error") == 0))
			r->lost.v++;
	}
	if (p->no_devices && r->gpu_n == 0)
		r->gpus = opt_u64(0);
	else if (r->gpu_n && whole)
		r->gpus = opt_u64(r->gpu_n);
	if ((r->lost.v && !p->cut) || opt_has(r->gpus))
		r->lost.state = OPT_OK;
	if (p->csv)
		r->partial_rows.state = OPT_OK;
}

void parse_gpu(struct section *s, struct span text)
{
	struct parse p = {.s = s, .r = s->mutable_reading};
	struct marks pieces;
	struct marks_piece piece;
	struct span line;

	if (answer_is_missing(s, text, &line)) {
		p.r->error = section_str(s, line);
		return;
	}
	pieces = answer_pieces(s, text);
	p.cut = pieces.cut;
	while (marks_next(&pieces, &piece))
		while (span_line(&piece.body, &line)) {
			line = span_trim(line);
			if (line.n)
				one_line(&p, line);
		}
	/* Half a row still tells which GPU it is of. */
	line = span_trim(answer_tail(text));
	if (line.n && p.cols.n)
		csv_line(&p, line, true);
	count(&p);
	if (p.r->gpu_n == 0 && !p.no_devices) {
		if (!p.failed)
			section_unread(s, "gpus", "nvidia-smi printed no GPU");
		section_set_status(s, SECTION_FAILED);
	}
}
