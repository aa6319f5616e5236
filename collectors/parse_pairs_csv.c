#include "collectors/parse_pairs_csv.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "collectors/bw_build.h"
#include "collectors/bw_line.h"
#include "collectors/bw_reader.h"
#include "collectors/compiler.h"
#include "collectors/xmalloc.h"

/* Of a list of pairs; a square has as many as its line holds. */
#define CELLS_MAX (BW_LINE_MAX / 2)

enum column { COL_A, COL_B, COL_BUSBW, COL_SIZE, COL_COLLECTIVE, COL_COUNT };

/* Names by their letters and digits alone; the first that fits a column is taken. */
static const struct {
	const char *name;
	enum column column;
} names[] = {
	{"nodea", COL_A},
	{"nodeb", COL_B},
	{"hosta", COL_A},
	{"hostb", COL_B},
	{"node1", COL_A},
	{"node2", COL_B},
	{"host1", COL_A},
	{"host2", COL_B},
	{"src", COL_A},
	{"dst", COL_B},
	{"srchost", COL_A},
	{"dsthost", COL_B},
	{"srcnode", COL_A},
	{"dstnode", COL_B},
	{"source", COL_A},
	{"destination", COL_B},
	{"sizebytes", COL_SIZE},
	{"size", COL_SIZE},
	{"sizeb", COL_SIZE},
	{"messagesize", COL_SIZE},
	{"msgsize", COL_SIZE},
	{"bytes", COL_SIZE},
	{"collective", COL_COLLECTIVE},
	{"test", COL_COLLECTIVE},
	{"testtype", COL_COLLECTIVE},
};

enum state { BEGIN, SQUARE_MAYBE, LIST, SQUARE, REFUSED };

struct pairs_csv {
	struct bw_sink sink;
	enum state state;
	char sep;
	int at[COL_COUNT]; /* -1: no such column */
	double per_gb;     /* figures of the column divided by this are GB/s */
	struct bw_hosts across;
	struct span cells[CELLS_MAX];
	size_t n;
	char text[BW_LINE_MAX + 1]; /* cells whose quotes had to be taken out */
};

struct pairs_csv *pairs_csv_new(const struct bw_sink *sink)
{
	struct pairs_csv *p = xcalloc(1, sizeof(*p));

	p->sink = *sink;
	bw_hosts_init(&p->across);
	return p;
}

void pairs_csv_free(struct pairs_csv *p)
{
	if (!p)
		return;
	bw_hosts_release(&p->across);
	free(p);
}

bool pairs_csv_is_square(const struct pairs_csv *p)
{
	return p->state == SQUARE;
}

/* ---- cells ---- */

/* A quoted cell: its text without quotes goes to *out. Returns what follows the cell. */
static const char *read_quoted(const char *c, const char *end, char **out)
{
	for (c++; c < end; c++) {
		if (*c == '"' && (c + 1 == end || c[1] != '"'))
			return c + 1;
		if (*c == '"')
			c++;
		*(*out)++ = *c;
	}
	return c;
}

static void split(struct pairs_csv *p, struct span line)
{
	const char *c = line.p;
	const char *end = line.p + line.n;
	char *out = p->text;

	p->n = 0;
	while (p->n < CELLS_MAX) {
		const char *begin;

		while (c < end && *c == ' ')
			c++;
		if (c < end && *c == '"') {
			char *from = out;

			c = read_quoted(c, end, &out);
			p->cells[p->n] = (struct span){from, (size_t)(out - from)};
			while (c < end && *c != p->sep)
				c++;
		} else {
			begin = c;
			while (c < end && *c != p->sep)
				c++;
			p->cells[p->n] = span_trim((struct span){begin, (size_t)(c - begin)});
		}
		p->n++;
		if (c == end)
			return;
		c++;
	}
}

static size_t count(struct span line, char c)
{
	size_t n = 0;

	for (size_t i = 0; i < line.n; i++)
		n += line.p[i] == c;
	return n;
}

static char separator_of(struct span line)
{
	static const char seps[] = ",;\t";
	char best = '\0';
	size_t most = 0;

	for (const char *s = seps; *s; s++)
		if (count(line, *s) > most) {
			most = count(line, *s);
			best = *s;
		}
	return best;
}

/* Without blanks around; false for an empty cell, nan, and what is no number of at least 0. */
static bool read_figure(const struct pairs_csv *p, struct span cell, double *v)
{
	bool is = p->sep == ',' ? span_f64(cell, v) : span_f64_locale(cell, v);

	return is && *v >= 0 && isfinite(*v);
}

/* ---- the heading ---- */

static size_t letters_of(struct span cell, char *out, size_t size)
{
	size_t n = 0;

	for (size_t i = 0; i < cell.n && n + 1 < size; i++)
		if (isalnum((unsigned char)cell.p[i]))
			out[n++] = (char)tolower((unsigned char)cell.p[i]);
	out[n] = '\0';
	return n;
}

/* "busbw_gbps", "bus_bw (GB/s)", "bandwidth", "bw_gbps": not algbw, which is another figure. */
static bool is_busbw(const char *letters)
{
	return strncmp(letters, "busbw", 5) == 0 || strncmp(letters, "busbandwidth", 12) == 0 ||
	       strncmp(letters, "bandwidth", 9) == 0 || strcmp(letters, "bw") == 0 ||
	       strcmp(letters, "bwgbps") == 0;
}

static double unit_of(struct span cell)
{
	if (span_find(cell, "MB/s") >= 0)
		return 1000;
	if (span_ifind(cell, "gbit") >= 0 || span_find(cell, "Gb/s") >= 0)
		return 8;
	return 1;
}

static void read_heading(struct pairs_csv *p)
{
	char letters[48];

	p->per_gb = 1;
	for (size_t c = 0; c < COL_COUNT; c++)
		p->at[c] = -1;
	for (size_t i = 0; i < p->n; i++) {
		letters_of(p->cells[i], letters, sizeof(letters));
		if (is_busbw(letters) && p->at[COL_BUSBW] < 0) {
			p->at[COL_BUSBW] = (int)i;
			p->per_gb = unit_of(p->cells[i]);
		}
		for (size_t k = 0; k < ARRAY_LEN(names); k++)
			if (strcmp(letters, names[k].name) == 0 && p->at[names[k].column] < 0)
				p->at[names[k].column] = (int)i;
	}
}

static void unread(struct pairs_csv *p, unsigned line, const char *what, const char *why)
{
	if (p->sink.unread)
		p->sink.unread(p->sink.ctx, line, what, why);
}

/*
 * Tables of AWS's topology-aware-nccl-tests, which name no node: nccl_to_csv.py's results and
 * summary, and the list of jobs that were submitted.
 */
static bool is_without_hosts(struct span line)
{
	return span_starts(line, "Size_Bytes,") || span_starts(line, "Metric,Value") ||
	       span_starts(line, "JobID,Nodes,TestType");
}

static bool is_number(struct span cell)
{
	double v;

	return span_f64(cell, &v) || span_f64_locale(cell, &v);
}

/* "", "node" or "host", and then names. */
static bool may_be_square(const struct pairs_csv *p)
{
	char letters[16];

	if (p->n < 3)
		return false;
	letters_of(p->cells[0], letters, sizeof(letters));
	if (letters[0] && strncmp(letters, "node", 4) != 0 && strncmp(letters, "host", 4) != 0 &&
		strncmp(letters, "rank", 4) != 0)
		return false;
	for (size_t i = 1; i < p->n; i++)
		if (p->cells[i].n == 0 || is_number(p->cells[i]) ||
			memchr(p->cells[i].p, ' ', p->cells[i].n))
			return i + 1 == p->n && i > 2 && p->cells[i].n == 0;
	return true;
}

static enum pairs_csv_guess first_line(struct pairs_csv *p, struct span line, unsigned number)
{
	p->sep = separator_of(line);
	if (!p->sep)
		return PAIRS_CSV_NO;
	if (is_without_hosts(line)) {
		p->state = REFUSED;
		unread(p, number, "table",
			"it names no nodes: read the output of the runs themselves");
		return PAIRS_CSV_YES;
	}
	split(p, line);
	read_heading(p);
	if (p->at[COL_A] >= 0 && p->at[COL_B] >= 0) {
		p->state = p->at[COL_BUSBW] >= 0 ? LIST : REFUSED;
		if (p->state == REFUSED)
			unread(p, number, "table of pairs", "no column busbw_gbps");
		return PAIRS_CSV_YES;
	}
	if (!may_be_square(p))
		return PAIRS_CSV_NO;
	if (p->cells[p->n - 1].n == 0)
		p->n--;
	for (size_t i = 1; i < p->n; i++)
		bw_hosts_add(&p->across, p->cells[i]);
	/* A name twice: which column is whose cannot be told. */
	if (p->across.n + 1 != p->n)
		return PAIRS_CSV_NO;
	p->state = SQUARE_MAYBE;
	return PAIRS_CSV_MAYBE;
}

/* ---- rows ---- */

static struct span cell_at(const struct pairs_csv *p, enum column c)
{
	struct span none = SPAN_INIT;

	return p->at[c] >= 0 && (size_t)p->at[c] < p->n ? p->cells[p->at[c]] : none;
}

static void list_row(struct pairs_csv *p, unsigned number)
{
	struct span size = cell_at(p, COL_SIZE);
	struct bw_pair pair = {.a = cell_at(p, COL_A), .b = cell_at(p, COL_B), .line = number};

	if (pair.a.n == 0 || pair.b.n == 0) {
		unread(p, number, "pair", "a node has no name");
		return;
	}
	if (!read_figure(p, cell_at(p, COL_BUSBW), &pair.busbw_gbps)) {
		unread(p, number, "pair", "its bandwidth is no number");
		return;
	}
	pair.busbw_gbps /= p->per_gb;
	pair.collective = bw_collective_by_name(cell_at(p, COL_COLLECTIVE));
	if (size.n && !bw_line_u64(size, &pair.size_bytes)) {
		unread(p, number, "pair", "its size is no number of bytes");
		return;
	}
	if (p->sink.pair)
		p->sink.pair(p->sink.ctx, &pair);
}

/* "gpu1,,48.2": the cell of a node with itself, and an empty one, are no measurement. */
static void square_row(struct pairs_csv *p, unsigned number)
{
	for (size_t i = 1; i < p->n && i <= p->across.n; i++) {
		struct span across = span_of(p->across.v[i - 1].name);
		struct bw_pair pair = {.a = p->cells[0], .b = across, .line = number};

		if (p->cells[i].n == 0 || span_ieq(p->cells[i], "N/A") ||
			span_ieq(p->cells[i], "nan") || span_eq(p->cells[i], "-"))
			continue;
		if (pair.a.n == across.n && memcmp(pair.a.p, across.p, across.n) == 0)
			continue;
		if (!read_figure(p, p->cells[i], &pair.busbw_gbps))
			unread(p, number, "pair", "its bandwidth is no number");
		else if (p->sink.pair)
			p->sink.pair(p->sink.ctx, &pair);
	}
}

/* The second line of a square: one of the names across, then figures. */
static bool is_square_row(const struct pairs_csv *p)
{
	bool named = false;
	double v;

	for (size_t i = 0; i < p->across.n; i++)
		named |= span_eq(p->cells[0], p->across.v[i].name);
	if (!named || p->n < 3)
		return false;
	for (size_t i = 1; i < p->n; i++)
		if (p->cells[i].n && !read_figure(p, p->cells[i], &v) &&
			!span_ieq(p->cells[i], "N/A") && !span_ieq(p->cells[i], "nan") &&
			!span_eq(p->cells[i], "-"))
			return false;
	return true;
}

static enum pairs_csv_guess next_line(struct pairs_csv *p, struct span line, unsigned number)
{
	if (p->state == REFUSED)
		return PAIRS_CSV_YES;
	split(p, line);
	if (p->state == SQUARE_MAYBE) {
		if (!is_square_row(p))
			return PAIRS_CSV_NO;
		p->state = SQUARE;
	}
	if (p->state == LIST)
		list_row(p, number);
	else
		square_row(p, number);
	return PAIRS_CSV_YES;
}

enum pairs_csv_guess pairs_csv_line(struct pairs_csv *p, struct span line, unsigned number)
{
	struct span text = span_trim(line);

	/* A tab at the begin is an empty first cell. */
	if (line.n && line.p[0] == '\t')
		text = (struct span){line.p, (size_t)(text.p - line.p) + text.n};
	if (span_starts(text, "\xef\xbb\xbf"))
		text = (struct span){text.p + 3, text.n - 3};
	if (text.n == 0 || text.p[0] == '#')
		return p->state == BEGIN || p->state == SQUARE_MAYBE ? PAIRS_CSV_MAYBE
								     : PAIRS_CSV_YES;
	return p->state == BEGIN ? first_line(p, text, number) : next_line(p, text, number);
}
