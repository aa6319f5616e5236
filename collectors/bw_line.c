#include "collectors/bw_line.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "collectors/compiler.h"

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static struct span from(struct span s, size_t n)
{
	return (struct span){s.p + n, s.n - n};
}

static size_t digits(struct span s, size_t i)
{
	size_t from_i = i;

	while (i < s.n && is_digit(s.p[i]))
		i++;
	return i - from_i;
}

static size_t blanks(struct span s, size_t i)
{
	size_t from_i = i;

	while (i < s.n && is_blank(s.p[i]))
		i++;
	return i - from_i;
}

/* ---- prefixes: each returns the length of the one that s starts with, or 0 ---- */

/* "[1,0]<stdout>:" and "[job,1,0]<stderr>: " */
static size_t prefix_mpirun(struct span s)
{
	static const char *const streams[] = {"<stdout>:", "<stderr>:", "<stddiag>:"};
	size_t i = 1;

	if (s.n < 10 || s.p[0] != '[')
		return 0;
	while (i < s.n && i < 64 && s.p[i] != ']')
		i++;
	if (i >= s.n || s.p[i] != ']')
		return 0;
	for (size_t k = 0; k < ARRAY_LEN(streams); k++)
		if (span_starts(from(s, i + 1), streams[k]))
			return i + 1 + strlen(streams[k]);
	return 0;
}

/* "0: ", "  12: ": a label, never a figure, since a colon follows the number. */
static size_t prefix_srun(struct span s)
{
	size_t n = digits(s, 0);

	if (n == 0 || n > 6 || n >= s.n || s.p[n] != ':')
		return 0;
	if (n + 1 < s.n && !is_blank(s.p[n + 1]) && s.p[n + 1] != '#' && s.p[n + 1] != '[')
		return 0;
	return n + 1;
}

/* "(head, rank=0, pid=3808) ", "(RayTrainWorker pid=4, ip=10.0.0.1) " */
static size_t prefix_ray(struct span s)
{
	const char *end;
	struct span inside;

	if (s.n == 0 || s.p[0] != '(')
		return 0;
	end = memchr(s.p, ')', s.n < 160 ? s.n : 160);
	if (!end)
		return 0;
	inside = (struct span){s.p, (size_t)(end - s.p)};
	return span_find(inside, "pid=") >= 0 || span_find(inside, "rank=") >= 0 ? inside.n + 1 : 0;
}

/* "[pod/nccl-test-launcher-x/launcher] " */
static size_t prefix_pod(struct span s)
{
	const char *end;

	if (!span_starts(s, "[pod/"))
		return 0;
	end = memchr(s.p, ']', s.n < 300 ? s.n : 300);
	return end ? (size_t)(end - s.p) + 1 : 0;
}

/* "10:15:00", with a fraction behind "." or "," */
static size_t time_of_day(struct span s, size_t i)
{
	size_t at = i;

	for (int part = 0; part < 3; part++) {
		if (digits(s, at) != 2)
			return 0;
		at += 2;
		if (part < 2 && (at >= s.n || s.p[at++] != ':'))
			return 0;
	}
	if (at < s.n && (s.p[at] == '.' || s.p[at] == ','))
		at += 1 + digits(s, at + 1);
	return at - i;
}

/* "Z", "+00:00", "-0700" */
static size_t time_zone(struct span s, size_t i)
{
	size_t at = i;

	if (at < s.n && s.p[at] == 'Z')
		return 1;
	if (at >= s.n || (s.p[at] != '+' && s.p[at] != '-'))
		return 0;
	at++;
	while (at < s.n && at - i < 6 && (is_digit(s.p[at]) || s.p[at] == ':'))
		at++;
	return at - i;
}

/* "2026-06-01T10:15:00.1Z ", "[2026-06-01 10:15:00] ", "10:15:00 " */
static size_t prefix_time(struct span s)
{
	bool bracket = s.n && s.p[0] == '[';
	size_t i = bracket ? 1 : 0;
	size_t n;

	if (digits(s, i) == 4 && i + 10 < s.n && (s.p[i + 4] == '-' || s.p[i + 4] == '/') &&
		digits(s, i + 5) == 2 && digits(s, i + 8) == 2 &&
		(s.p[i + 10] == 'T' || s.p[i + 10] == ' '))
		i += 11;
	n = time_of_day(s, i);
	if (n == 0)
		return 0;
	i += n;
	i += time_zone(s, i);
	if (bracket) {
		if (i >= s.n || s.p[i] != ']')
			return 0;
		i++;
	}
	if (i < s.n && s.p[i] == ':')
		i++;
	return i == s.n || is_blank(s.p[i]) ? i : 0;
}

/* "- " and "> " and "| " of markdown. */
static size_t prefix_markdown(struct span s)
{
	return s.n > 1 && (s.p[0] == '-' || s.p[0] == '>' || s.p[0] == '|') && is_blank(s.p[1]);
}

/* ---- "BenchTime(), common.cu:561," anywhere in a line ---- */

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* The end of " common.cu:561," behind "()," at i, or 0. */
static size_t place_end(struct span s, size_t i)
{
	size_t n;

	i += blanks(s, i);
	n = i;
	while (n < s.n && n - i < 80 && (is_word(s.p[n]) || strchr("./-", s.p[n])))
		n++;
	if (n == i || n >= s.n || s.p[n] != ':' || digits(s, n + 1) == 0)
		return 0;
	n += 1 + digits(s, n + 1);
	return n < s.n && s.p[n] == ',' ? n + 1 : 0;
}

/*
 * The function's name begins behind the last character that is none of a name's. A figure
 * before it is glued to it: "-1BenchTime()".
 */
static size_t name_begin(struct span s, size_t end)
{
	size_t i = end;

	while (i > 0 && is_word(s.p[i - 1]))
		i--;
	while (i < end && is_digit(s.p[i]))
		i++;
	return i;
}

/* Copies what is not such a mark; each becomes a blank. Returns false when there was none. */
static bool cut_places(struct span *s, char *scratch)
{
	size_t done = 0;
	size_t n = 0;
	size_t i = 0;
	ptrdiff_t at;

	if (s->n > BW_SCRATCH)
		s->n = BW_SCRATCH;
	while ((at = span_find(from(*s, i), "(),")) >= 0) {
		size_t open = i + (size_t)at;
		size_t end = place_end(*s, open + 3);
		size_t begin = name_begin(*s, open);

		i = open + 3;
		if (end == 0 || begin < done)
			continue;
		memmove(scratch + n, s->p + done, begin - done);
		n += begin - done;
		scratch[n++] = ' ';
		done = i = end;
	}
	if (done == 0)
		return false;
	memmove(scratch + n, s->p + done, s->n - done);
	*s = (struct span){scratch, n + s->n - done};
	return true;
}

static struct span skip_blanks(struct span s)
{
	return from(s, blanks(s, 0));
}

/* The length of the prefix that s starts with, or 0. */
static size_t any_prefix(struct span s)
{
	size_t n;

	if (s.n == 0)
		return 0;
	switch (s.p[0]) {
	case '[':
		n = prefix_mpirun(s);
		n = n ? n : prefix_pod(s);
		return n ? n : prefix_time(s);
	case '(':
		return prefix_ray(s);
	case '-':
	case '>':
	case '|':
		return prefix_markdown(s);
	default:
		if (!is_digit(s.p[0]))
			return 0;
		n = prefix_srun(s);
		return n ? n : prefix_time(s);
	}
}

struct span bw_line_strip(struct span line, char *scratch)
{
	size_t n;

	if (memchr(line.p, '\033', line.n)) {
		line.n = line.n < BW_SCRATCH ? line.n : BW_SCRATCH;
		memcpy(scratch, line.p, line.n);
		line = (struct span){scratch, text_strip(scratch, line.n)};
	}
	line = span_trim(line);
	while ((n = any_prefix(line)) > 0)
		line = skip_blanks(from(line, n));
	while (line.n && line.p[line.n - 1] == '|')
		line = span_trim((struct span){line.p, line.n - 1});
	if (memchr(line.p, '(', line.n) && cut_places(&line, scratch))
		line = span_trim(line);
	return line;
}

size_t bw_line_fields(struct span line, struct span *fields, size_t max)
{
	const char *p = line.p;
	const char *end = line.p + line.n;
	size_t n = 0;

	for (;;) {
		const char *begin;

		while (p < end && (unsigned char)*p <= ' ')
			p++;
		if (p == end)
			return n;
		begin = p;
		while (p < end && (unsigned char)*p > ' ')
			p++;
		if (n < max)
			fields[n] = (struct span){begin, (size_t)(p - begin)};
		n++;
	}
}

struct span bw_line_bare(struct span line)
{
	size_t i = 0;

	while (i < line.n && (line.p[i] == '#' || is_blank(line.p[i])))
		i++;
	return from(line, i);
}

bool bw_line_u64(struct span field, uint64_t *out)
{
	uint64_t v = 0;

	if (field.n == 0)
		return false;
	if (field.n > 18)
		return is_digit(field.p[0]) && span_u64(field, out);
	for (size_t i = 0; i < field.n; i++) {
		if (!is_digit(field.p[i]))
			return false;
		v = v * 10 + (uint64_t)(field.p[i] - '0');
	}
	*out = v;
	return true;
}

/*
 * Up to 15 digits fit a double exactly, and so does a power of ten up to 22: their
 * quotient is the nearest double, as strtod would give.
 */
static bool figure(struct span f, double *out)
{
	static const double tens[] = {
		1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
	uint64_t v = 0;
	size_t point = 0;

	if (f.n == 0 || f.n > 15 || !is_digit(f.p[0]))
		return false;
	for (size_t i = 0; i < f.n; i++) {
		if (f.p[i] == '.' && point == 0 && i + 1 < f.n)
			point = i + 1;
		else if (is_digit(f.p[i]))
			v = v * 10 + (uint64_t)(f.p[i] - '0');
		else
			return false;
	}
	*out = point ? (double)v / tens[f.n - point] : (double)v;
	return true;
}

struct opt_f64 bw_line_figure(struct span field)
{
	struct opt_f64 none = {OPT_ERROR, 0};
	double v;

	if (figure(field, &v) || (span_f64(field, &v) && v >= 0 && isfinite(v)))
		return opt_f64(v);
	if (span_ieq(field, "N/A") || span_ieq(field, "-"))
		none.state = OPT_UNSUPPORTED;
	return none;
}
