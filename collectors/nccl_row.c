#include "collectors/nccl_row.h"

#include <string.h>

#include "collectors/compiler.h"

/* What a heading calls its columns. */
enum column { COL_OTHER, COL_TIME, COL_ALGBW, COL_BUSBW, COL_WRONG, COL_ERROR, COL_ITERS };

static const struct {
	const char *word;
	enum column column;
} columns[] = {
	{"time", COL_TIME},
	{"cputime", COL_TIME},
	{"algbw", COL_ALGBW},
	{"busbw", COL_BUSBW},
	{"#wrong", COL_WRONG},
	{"wrong", COL_WRONG},
	{"error", COL_ERROR},
	{"res", COL_ERROR},
	{"#iters", COL_ITERS},
	{"iters", COL_ITERS},
	{"i_min", COL_OTHER},
	{"i_max", COL_OTHER},
	{"i_p99", COL_OTHER},
	{"i_cv%", COL_OTHER},
};

static const struct nccl_half none = {-1, -1, -1};

/* Index into columns, or -1. */
static int column_of(struct span word)
{
	for (size_t i = 0; i < ARRAY_LEN(columns); i++)
		if (span_eq(word, columns[i].word))
			return (int)i;
	return -1;
}

static void put_column(struct nccl_layout *l, struct nccl_half *half, enum column c, size_t at)
{
	switch (c) {
	case COL_ALGBW:
		half->algbw = (signed char)at;
		break;
	case COL_BUSBW:
		half->busbw = (signed char)at;
		break;
	case COL_ERROR:
		l->is_error = true;
		half->wrong = (signed char)at;
		break;
	case COL_WRONG:
		half->wrong = (signed char)at;
		break;
	default:
		break;
	}
}

/* Behind the first "time"; a second "time" begins the second half. */
static bool read_columns(struct nccl_layout *l, const struct span *words, size_t n)
{
	struct nccl_half halves[2] = {none, none};
	size_t k = 0;

	for (size_t i = 0; i < n; i++) {
		int c = column_of(words[i]);

		if (c < 0)
			break; /* such as -S's timestamp: no figure */
		if (columns[c].column == COL_TIME && i > 0 && ++k > 1)
			return false;
		put_column(l, &halves[k], columns[c].column, i);
		l->columns = i + 1;
	}
	if (halves[0].busbw < 0)
		return false;
	if (k == 0 && l->ip_only) {
		halves[1] = halves[0];
		halves[0] = none;
	}
	l->oop = halves[0];
	l->ip = halves[1];
	return true;
}

/* nccom-test: "busbw(GB/s)"; the unit is part of the word. */
static bool read_nccom(struct nccl_layout *l, const struct span *words, size_t n)
{
	l->nccom = true;
	l->columns = n;
	l->oop = none;
	l->ip = none;
	for (size_t i = 0; i < n; i++) {
		if (span_eq(words[i], "type"))
			l->type = i;
		else if (span_starts(words[i], "algbw("))
			l->oop.algbw = (signed char)i;
		else if (span_starts(words[i], "busbw("))
			l->oop.busbw = (signed char)i;
	}
	return l->oop.busbw > 0 && l->type > 0;
}

bool nccl_layout_read(struct nccl_layout *l, struct span heading)
{
	struct span words[BW_FIELDS_MAX];
	struct nccl_layout out = {.known = true, .oop_only = l->oop_only, .ip_only = l->ip_only};
	size_t n = bw_line_fields(heading, words, BW_FIELDS_MAX);
	size_t i = 0;

	if (n < 5 || n > BW_FIELDS_MAX)
		return false;
	if (span_starts(words[0], "size(")) {
		if (!read_nccom(&out, words, n))
			return false;
		*l = out;
		return true;
	}
	if (!span_eq(words[0], "size") && !span_eq(words[0], "bytes"))
		return false;
	for (; i < n && column_of(words[i]) < 0; i++) {
		out.has_redop |= span_eq(words[i], "redop") || span_eq(words[i], "op");
		out.has_root |= span_eq(words[i], "root");
	}
	if (!read_columns(&out, words + i, n - i))
		return false;
	*l = out;
	return true;
}

void nccl_layout_halves(struct nccl_layout *l, struct span line)
{
	bool oop = span_find(line, "out-of-place") >= 0;
	bool ip = span_find(line, "in-place") >= 0;

	l->oop_only = oop && !ip;
	l->ip_only = ip && !oop;
}

/* ---- rows ---- */

/* A figure, N/A, nan or inf; not a word, a date or a time. */
static bool is_value(struct span f)
{
	size_t i = f.p[0] == '-' || f.p[0] == '+';

	if (i < f.n && f.p[i] >= '0' && f.p[i] <= '9') {
		for (; i < f.n; i++)
			if (f.p[i] == ':' || (f.p[i] == '-' && i && f.p[i - 1] != 'e'))
				return i == 0;
		return true;
	}
	f = (struct span){f.p + i, f.n - i};
	return span_ieq(f, "N/A") || span_ieq(f, "nan") || span_ieq(f, "inf");
}

/* Types since NCCL 1.x and of nccom-test. */
static bool is_type(struct span f)
{
	static const char *const types[] = {"float", "half", "double", "bfloat16", "int8", "uint8",
		"int32", "uint32", "int64", "uint64", "f8e4m3", "f8e5m2", "fp8_e4m3", "fp8_e5m2",
		"char", "int", "fp32", "fp16", "bf16", "fp8", "tf32", "f32", "f16"};

	for (size_t i = 0; i < ARRAY_LEN(types); i++)
		if (span_eq(f, types[i]))
			return true;
	return false;
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_redop(struct span f)
{
	return is_letter(f.p[0]) && f.n <= 8 && !is_value(f);
}

/* Blanks in the place of the out-of-place half, as builds that replay a trace print it. */
#define BLANK_HALF 20

static bool is_half_blank(const struct span *v, bool has_root)
{
	return !has_root || v[1].p - (v[0].p + v[0].n) >= BLANK_HALF;
}

/*
 * The layout of n figures (root included) behind type and operation where no heading was
 * seen, or the rows do not fit it: nccl-tests' own order of columns. A row that was cut off
 * has fewer, and must not pass for one without a root.
 */
static bool guess_layout(const struct span *v, size_t n, bool *has_root, struct nccl_layout *l)
{
	static const struct nccl_layout usual = {
		.known = true, .columns = 8, .oop = {1, 2, 3}, .ip = {5, 6, 7}};
	static const struct nccl_layout in_place = {
		.known = true, .columns = 4, .oop = {-1, -1, -1}, .ip = {1, 2, 3}};
	static const struct nccl_layout per_iter = {
		.known = true, .columns = 16, .oop = {1, 2, 3}, .ip = {9, 10, 11}};
	static const struct {
		size_t n;
		bool has_root;
		const struct nccl_layout *layout;
	} known[] = {{8, false, &usual}, {9, true, &usual}, {10, true, &usual},
		{5, true, &in_place}, {16, false, &per_iter}, {17, true, &per_iter}};

	for (size_t i = 0; i < ARRAY_LEN(known); i++) {
		if (known[i].n != n || (!known[i].has_root && v[0].p[0] == '-') ||
			(known[i].layout == &in_place && !is_half_blank(v, true)))
			continue;
		*has_root = known[i].has_root;
		*l = *known[i].layout;
		return true;
	}
	return false;
}

static struct opt_f64 figure_at(const struct span *v, signed char at)
{
	struct opt_f64 absent = {OPT_UNKNOWN, 0};

	return at < 0 ? absent : bw_line_figure(v[at]);
}

/* 2e-07 is a tolerance even where no heading says so: counts are whole. */
static bool is_tolerance(struct opt_f64 w)
{
	return opt_has(w) && w.v > 0 && w.v < 1;
}

static void read_wrong(const struct nccl_layout *l, const struct span *v, struct nccl_row *out)
{
	struct opt_f64 a = figure_at(v, l->oop.wrong);
	struct opt_f64 b = figure_at(v, l->ip.wrong);

	out->ip_unchecked = opt_has(a) && b.state == OPT_UNSUPPORTED;
	if (l->is_error || is_tolerance(a) || is_tolerance(b))
		out->row.wrong.state = OPT_UNSUPPORTED;
	else if (opt_has(a) && opt_has(b))
		out->row.wrong = opt_f64(a.v + b.v);
	else
		out->row.wrong = opt_has(a) || !opt_has(b) ? a : b;
}

/* n figures: those of the row's halves, behind its root where there is one. */
static bool read_figures(
	const struct nccl_layout *l, const struct span *v, size_t n, struct nccl_row *out)
{
	struct nccl_layout guessed;

	if (l->known && !l->nccom && n == l->columns + l->has_root) {
		out->has_root = l->has_root;
	} else {
		if (n == 0 || (l->known && n >= l->columns) ||
			!guess_layout(v, n, &out->has_root, &guessed))
			return false;
		guessed.is_error = l->is_error;
		l = &guessed;
	}
	v += out->has_root;
	out->row.oop_busbw_gbps = figure_at(v, l->oop.busbw);
	out->row.oop_algbw_gbps = figure_at(v, l->oop.algbw);
	out->row.ip_busbw_gbps = figure_at(v, l->ip.busbw);
	out->row.ip_algbw_gbps = figure_at(v, l->ip.algbw);
	read_wrong(l, v, out);
	return true;
}

static size_t count_values(const struct span *f, size_t n)
{
	size_t i = 0;

	while (i < n && is_value(f[i]))
		i++;
	return i;
}

/*
 * A figure with the begin of another line glued to it: "0host:7:8 [0] NCCL INFO". What is
 * left of the field is the figure.
 */
static bool take_glued(struct span *f)
{
	size_t n = 0;

	if (f->n > 3 && memcmp(f->p, "N/A", 3) == 0) {
		f->n = 3;
		return true;
	}
	while (n < f->n && ((f->p[n] >= '0' && f->p[n] <= '9') || f->p[n] == '.'))
		n++;
	if (n == 0 || n == f->n || !memchr(f->p, ':', f->n) || f->p[n] == ':' || f->p[n] == '-')
		return false;
	f->n = n;
	return true;
}

/* nccom-test: each figure under its word; a row of text is a failure. */
static enum nccl_row_kind read_nccom_row(
	const struct nccl_layout *l, const struct span *f, size_t n, struct nccl_row *out)
{
	if (n < l->columns || !is_letter(f[l->type].p[0]))
		return NCCL_ROW_NONE;
	out->dtype = f[l->type];
	out->row.oop_busbw_gbps = figure_at(f, l->oop.busbw);
	out->row.oop_algbw_gbps = figure_at(f, l->oop.algbw);
	out->row.wrong.state = OPT_UNSUPPORTED;
	return NCCL_ROW_WHOLE;
}

enum nccl_row_kind nccl_row_read(
	const struct nccl_layout *l, struct span line, struct nccl_row *out)
{
	struct span f[BW_FIELDS_MAX];
	size_t n = bw_line_fields(line, f, BW_FIELDS_MAX);
	uint64_t count;
	size_t at = 3;

	*out = (struct nccl_row){0};
	if (n < 3 || !bw_line_u64(f[0], &out->row.size_bytes) || !bw_line_u64(f[1], &count))
		return NCCL_ROW_NONE;
	if (n > BW_FIELDS_MAX)
		n = BW_FIELDS_MAX;
	if (l->nccom)
		return read_nccom_row(l, f, n, out);
	if (!is_letter(f[2].p[0]) || f[2].n > 12)
		return NCCL_ROW_NONE;
	out->dtype = f[2];
	if (n > at && is_redop(f[at]))
		out->redop = f[at++];

	size_t values = count_values(f + at, n - at);

	if (at + values < n && take_glued(&f[at + values]))
		values++;
	if (read_figures(l, f + at, values, out))
		return NCCL_ROW_WHOLE;
	if (!is_type(f[2]))
		return NCCL_ROW_NONE;
	out->has_root = values > 0;
	out->rest = at < n ? (struct span){f[at].p, (size_t)(line.p + line.n - f[at].p)}
			   : (struct span)SPAN_INIT;
	return NCCL_ROW_BEGUN;
}

bool nccl_row_resume(const struct nccl_layout *l, struct span line, struct nccl_row *row)
{
	struct span f[BW_FIELDS_MAX];
	size_t n = bw_line_fields(line, f, BW_FIELDS_MAX);
	struct nccl_layout layout = *l;
	bool had_root = row->has_root;

	layout.has_root &= !had_root;
	n = count_values(f, n < BW_FIELDS_MAX ? n : BW_FIELDS_MAX);
	if (n < 8 || !read_figures(&layout, f, n, row))
		return false;
	row->has_root |= had_root;
	return true;
}
