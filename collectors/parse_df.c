#include "collectors/parse_df.h"

#include <string.h>

/* Opening and closing quotes of messages: ASCII, the old pair, UTF-8 curly. */
static const struct {
	const char *open, *close;
} quotes[] = {
	{"'", "'"},
	{"`", "'"},
	{"\xe2\x80\x98", "\xe2\x80\x99"},
	{"\"", "\""},
	{"\xe2\x80\x9c", "\xe2\x80\x9d"},
};

static struct span span_after(struct span s, size_t n)
{
	return (struct span){s.p + n, s.n - n};
}

/* "'path': words"; the closing quote is the last one before ": ". */
static bool read_quoted(struct span s, size_t q, struct span *path, struct span *words)
{
	char close[8];
	size_t skip = strlen(quotes[q].open);
	size_t n = strlen(quotes[q].close);

	memcpy(close, quotes[q].close, n);
	memcpy(close + n, ": ", 3);
	s = span_after(s, skip);
	ptrdiff_t at = span_find(s, close);

	if (at <= 0)
		return false;
	*path = (struct span){s.p, (size_t)at};
	*words = span_trim(span_after(s, (size_t)at + n + 2));
	return true;
}

bool df_read_error(struct span line, struct span *path, struct span *words)
{
	static const char *const tools[] = {"df: ", "stat: "};
	bool known = false;
	struct span rest = span_trim(line);

	for (size_t i = 0; i < ARRAY_LEN(tools) && !known; i++) {
		known = span_starts(rest, tools[i]);
		if (known)
			rest = span_after(rest, strlen(tools[i]));
	}
	if (!known)
		return false;
	/* "cannot read file system information for 'x': words" and the like. */
	for (size_t i = 0; i < rest.n; i++)
		for (size_t q = 0; q < ARRAY_LEN(quotes); q++)
			if ((i == 0 || rest.p[i - 1] == ' ') &&
				span_starts(span_after(rest, i), quotes[q].open) &&
				read_quoted(span_after(rest, i), q, path, words))
				return true;
	ptrdiff_t colon = span_find(rest, ": ");

	if (colon <= 0 || rest.p[0] != '/')
		return false;
	*path = (struct span){rest.p, (size_t)colon};
	*words = span_trim(span_after(rest, (size_t)colon + 2));
	return words->n > 0;
}

const char *df_error_state(struct span words)
{
	static const struct {
		const char *words, *state;
	} known[] = {
		{"stale", "stale"},
		{"not connected", "disconnected"},
		{"endpoint shutdown", "disconnected"},
		{"host is down", "disconnected"},
		{"no route to host", "disconnected"},
		{"timed out", "hung"},
		{"still not answering", "hung"},
	};

	for (size_t i = 0; i < ARRAY_LEN(known); i++)
		if (span_ifind(words, known[i].words) >= 0)
			return known[i].state;
	return "error";
}

/* The unit of "1K-blocks", "1024-blocks", "512-blocks", "1M-blocks", "1B-blocks". */
static double header_unit(struct span word)
{
	double kib;
	uint64_t bytes;
	size_t n = word.n - strlen("-blocks");
	struct span head = {word.p, n};

	if (span_u64(head, &bytes))
		return (double)bytes / 1024;
	if (span_eq(head, "1B"))
		return 1.0 / 1024;
	return span_size_kib(head, &kib) ? kib : 0;
}

static void read_header(struct df_state *st, struct span line)
{
	struct span word;

	st->has_type = false;
	st->human = false;
	st->inodes = false;
	st->unit_kib = 0;
	while (span_word(&line, &word)) {
		if (span_eq(word, "Type"))
			st->has_type = true;
		else if (span_eq(word, "Inodes"))
			st->inodes = true;
		else if (span_eq(word, "Size"))
			st->human = true;
		else if (span_ends(word, "-blocks"))
			st->unit_kib = header_unit(word);
	}
	/* With -h a number without suffix counts bytes. */
	if (st->human)
		st->unit_kib = 1.0 / 1024;
}

/* A cell of a size column: a number in the header's unit, "2,0G", or "-". */
static bool read_size(const struct df_state *st, struct span w, struct opt_u64 *out)
{
	uint64_t n;
	double kib;

	*out = (struct opt_u64){OPT_UNKNOWN, 0};
	if (span_eq(w, "-"))
		return true;
	/* "Available" is negative when only root's reserve is left. */
	if (w.n > 1 && w.p[0] == '-' && span_u64(span_after(w, 1), &n))
		return true;
	if (span_u64(w, &n)) {
		if (st->unit_kib == 1)
			*out = opt_u64(n);
		else if (st->unit_kib > 0)
			*out = opt_u64((uint64_t)((double)n * st->unit_kib));
		return true;
	}
	if (!span_size_kib(w, &kib) || kib >= 1e18)
		return false;
	*out = opt_u64((uint64_t)(kib + 0.5));
	return true;
}

static bool read_pct(struct span w, struct opt_f64 *out)
{
	double pct;

	*out = (struct opt_f64){OPT_UNKNOWN, 0};
	if (span_eq(w, "-"))
		return true;
	if (w.n < 2 || w.p[w.n - 1] != '%')
		return false;
	w.n--;
	if (span_eq(w, "-"))
		return true;
	if (!span_f64_locale(w, &pct))
		return false;
	*out = opt_f64(pct);
	return true;
}

/* Size, used, available, percent and mount point from where rest stands. */
static bool read_columns(const struct df_state *st, struct span rest, struct df_line *row)
{
	struct span w[4];

	for (size_t i = 0; i < ARRAY_LEN(w); i++)
		if (!span_word(&rest, &w[i]))
			return false;
	if (!read_size(st, w[0], &row->size_kib) || !read_size(st, w[1], &row->used_kib) ||
		!read_size(st, w[2], &row->avail_kib) || !read_pct(w[3], &row->used_pct))
		return false;
	row->mount = span_trim(rest);
	return row->mount.n && row->mount.p[0] == '/';
}

/* Splits what stands before the size columns into source and type. */
static void set_source(const struct df_state *st, struct df_line *row, struct span head)
{
	head = span_trim(head);
	if (st->has_type) {
		size_t n = head.n;

		while (n && head.p[n - 1] != ' ' && head.p[n - 1] != '\t')
			n--;
		row->fstype = span_after(head, n);
		head.n = n;
		head = span_trim(head);
	}
	row->source = head.n ? head : st->pending;
}

static bool read_row(struct df_state *st, struct span line, struct df_line *row)
{
	struct span rest = line;
	struct span word;
	size_t skip = st->pending.n ? 0 : 1;

	if (st->has_type)
		skip++;
	/* A source may hold blanks, so the columns are looked for from each word on. */
	for (size_t i = 0;; i++) {
		struct span here = rest;

		if (i >= skip && read_columns(st, here, row)) {
			set_source(st, row, (struct span){line.p, (size_t)(here.p - line.p)});
			return true;
		}
		if (!span_word(&rest, &word))
			return false;
	}
}

struct df_line df_read_line(struct df_state *st, struct span line)
{
	struct df_line out = {.kind = DF_UNREAD};
	struct span rest = line;
	struct span word;

	if (span_starts(span_trim(line), "Filesystem")) {
		read_header(st, line);
		out.kind = DF_HEADER;
		return out;
	}
	if (df_read_error(line, &out.mount, &out.error)) {
		out.kind = DF_ERROR;
		return out;
	}
	if (read_row(st, line, &out)) {
		st->pending = (struct span)SPAN_INIT;
		out.kind = DF_ROW;
		return out;
	}
	if (span_word(&rest, &word) && !span_trim(rest).n && word.p == line.p) {
		st->pending = word;
		out.kind = DF_HEADER;
	}
	return out;
}
