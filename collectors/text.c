#include "collectors/text.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct span span_of(const char *s)
{
	return (struct span){s, s ? strlen(s) : 0};
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

struct span span_trim(struct span s)
{
	while (s.n && is_blank(s.p[0])) {
		s.p++;
		s.n--;
	}
	while (s.n && is_blank(s.p[s.n - 1]))
		s.n--;
	return s;
}

bool span_eq(struct span s, const char *literal)
{
	size_t n = strlen(literal);

	return s.n == n && (n == 0 || memcmp(s.p, literal, n) == 0);
}

bool span_ieq(struct span s, const char *literal)
{
	size_t n = strlen(literal);

	return s.n == n && (n == 0 || strncasecmp(s.p, literal, n) == 0);
}

bool span_starts(struct span s, const char *prefix)
{
	size_t n = strlen(prefix);

	return s.n >= n && (n == 0 || memcmp(s.p, prefix, n) == 0);
}

bool span_ends(struct span s, const char *suffix)
{
	size_t n = strlen(suffix);

	return s.n >= n && (n == 0 || memcmp(s.p + s.n - n, suffix, n) == 0);
}

ptrdiff_t span_find(struct span s, const char *needle)
{
	size_t n = strlen(needle);

	if (n == 0)
		return 0;
	for (size_t i = 0; i + n <= s.n; i++) {
		const char *hit = memchr(s.p + i, needle[0], s.n - n + 1 - i);

		if (!hit)
			return -1;
		i = (size_t)(hit - s.p);
		if (memcmp(hit, needle, n) == 0)
			return (ptrdiff_t)i;
	}
	return -1;
}

ptrdiff_t span_ifind(struct span s, const char *needle)
{
	size_t n = strlen(needle);

	for (size_t i = 0; i + n <= s.n; i++)
		if (strncasecmp(s.p + i, needle, n) == 0)
			return (ptrdiff_t)i;
	return -1;
}

bool span_line(struct span *rest, struct span *line)
{
	if (rest->n == 0)
		return false;
	const char *lf = memchr(rest->p, '\n', rest->n);
	size_t n = lf ? (size_t)(lf - rest->p) : rest->n;

	*line = (struct span){rest->p, n};
	size_t used = lf ? n + 1 : n;

	rest->p += used;
	rest->n -= used;
	if (line->n && line->p[line->n - 1] == '\r')
		line->n--;
	return true;
}

bool span_field(struct span *rest, char sep, struct span *field)
{
	/* p == NULL marks the end, so that a trailing separator still gives an empty field. */
	if (!rest->p)
		return false;
	const char *hit = rest->n ? memchr(rest->p, sep, rest->n) : NULL;

	if (!hit) {
		*field = *rest;
		*rest = (struct span)SPAN_INIT;
		return true;
	}
	size_t n = (size_t)(hit - rest->p);

	*field = (struct span){rest->p, n};
	rest->p += n + 1;
	rest->n -= n + 1;
	return true;
}

bool span_word(struct span *rest, struct span *word)
{
	while (rest->n && is_blank(rest->p[0])) {
		rest->p++;
		rest->n--;
	}
	if (rest->n == 0)
		return false;
	size_t n = 0;

	while (n < rest->n && !is_blank(rest->p[n]))
		n++;
	*word = (struct span){rest->p, n};
	rest->p += n;
	rest->n -= n;
	return true;
}

bool span_lead_u64(struct span s, uint64_t *out, struct span *rest)
{
	uint64_t v = 0;
	size_t i = 0;

	for (; i < s.n && s.p[i] >= '0' && s.p[i] <= '9'; i++) {
		unsigned digit = (unsigned)(s.p[i] - '0');

		if (v > (UINT64_MAX - digit) / 10)
			return false;
		v = v * 10 + digit;
	}
	if (i == 0)
		return false;
	*out = v;
	if (rest)
		*rest = (struct span){s.p + i, s.n - i};
	return true;
}

bool span_u64(struct span s, uint64_t *out)
{
	struct span rest;
	uint64_t v;

	if (!span_lead_u64(span_trim(s), &v, &rest) || rest.n)
		return false;
	*out = v;
	return true;
}

bool span_i64(struct span s, int64_t *out)
{
	uint64_t v;
	bool negative;

	s = span_trim(s);
	negative = s.n && s.p[0] == '-';
	if (s.n && (s.p[0] == '-' || s.p[0] == '+')) {
		s.p++;
		s.n--;
	}
	struct span rest;

	if (!span_lead_u64(s, &v, &rest) || rest.n)
		return false;
	if (v > (uint64_t)INT64_MAX)
		return false;
	*out = negative ? -(int64_t)v : (int64_t)v;
	return true;
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

bool span_hex(struct span s, uint64_t *out)
{
	uint64_t v = 0;

	s = span_trim(s);
	if (s.n > 2 && s.p[0] == '0' && (s.p[1] == 'x' || s.p[1] == 'X')) {
		s.p += 2;
		s.n -= 2;
	}
	if (s.n == 0 || s.n > 16)
		return false;
	for (size_t i = 0; i < s.n; i++) {
		int d = hex_digit(s.p[i]);

		if (d < 0)
			return false;
		v = v << 4 | (uint64_t)d;
	}
	*out = v;
	return true;
}

/* Length of "[+-]digits[.digits][e[+-]digits]" at the start, 0 when there is none. */
static size_t float_length(struct span s)
{
	size_t i = 0;
	size_t digits = 0;

	if (i < s.n && (s.p[i] == '-' || s.p[i] == '+'))
		i++;
	for (; i < s.n && s.p[i] >= '0' && s.p[i] <= '9'; i++)
		digits++;
	if (i < s.n && s.p[i] == '.')
		for (i++; i < s.n && s.p[i] >= '0' && s.p[i] <= '9'; i++)
			digits++;
	if (digits == 0)
		return 0;
	if (i < s.n && (s.p[i] == 'e' || s.p[i] == 'E')) {
		size_t j = i + 1;

		if (j < s.n && (s.p[j] == '-' || s.p[j] == '+'))
			j++;
		size_t first = j;

		while (j < s.n && s.p[j] >= '0' && s.p[j] <= '9')
			j++;
		if (j > first)
			i = j;
	}
	return i;
}

bool span_lead_f64(struct span s, double *out, struct span *rest)
{
	char tmp[64];
	size_t n = float_length(s);

	if (n == 0 || n >= sizeof(tmp))
		return false;
	memcpy(tmp, s.p, n);
	tmp[n] = '\0';
	/* LC_NUMERIC stays "C": the program only sets LC_CTYPE. */
	double v = strtod(tmp, NULL);

	if (!isfinite(v))
		return false;
	*out = v;
	if (rest)
		*rest = (struct span){s.p + n, s.n - n};
	return true;
}

bool span_f64(struct span s, double *out)
{
	struct span rest;
	double v;

	if (!span_lead_f64(span_trim(s), &v, &rest) || rest.n)
		return false;
	*out = v;
	return true;
}

bool span_f64_locale(struct span s, double *out)
{
	char tmp[64];

	s = span_trim(s);
	if (s.n == 0 || s.n >= sizeof(tmp))
		return false;
	memcpy(tmp, s.p, s.n);
	char *comma = memchr(tmp, ',', s.n);

	if (comma)
		*comma = '.';
	return span_f64((struct span){tmp, s.n}, out);
}

bool span_size_kib(struct span s, double *out_kib)
{
	static const char suffixes[] = "KMGTPE";
	double scale = 1;

	s = span_trim(s);
	if (s.n && s.p[s.n - 1] == 'B')
		s.n--;
	if (s.n && s.p[s.n - 1] == 'i')
		s.n--;
	if (s.n && s.p[s.n - 1]) {
		const char *hit = strchr(suffixes, s.p[s.n - 1]);

		if (hit) {
			for (const char *p = suffixes; p < hit; p++)
				scale *= 1024;
			s.n--;
		}
	}
	double v;

	if (!span_f64_locale(s, &v) || v < 0)
		return false;
	*out_kib = v * scale;
	return true;
}

/* Length of the escape sequence at p (p[0] is ESC); at least 1. */
static size_t escape_length(const char *p, size_t n)
{
	if (n < 2)
		return 1;
	if (p[1] == '[') {
		size_t i = 2;

		while (i < n && (unsigned char)p[i] >= 0x20 && (unsigned char)p[i] < 0x40)
			i++;
		return i < n && (unsigned char)p[i] < 0x7f && p[i] != '\n' ? i + 1 : i;
	}
	if (p[1] == ']') { /* OSC: up to BEL or ESC \ , but never past the line */
		size_t i = 2;

		while (i < n && p[i] != '\a' && p[i] != '\033' && p[i] != '\n')
			i++;
		if (i < n && p[i] == '\a')
			return i + 1;
		if (i + 1 < n && p[i] == '\033' && p[i + 1] == '\\')
			return i + 2;
		return i;
	}
	return p[1] == '\n' ? 1 : 2;
}

size_t text_strip(char *bytes, size_t len)
{
	size_t out = 0;

	for (size_t i = 0; i < len;) {
		char c = bytes[i];

		if (c == '\033') {
			i += escape_length(bytes + i, len - i);
			continue;
		}
		i++;
		if (c == '\r' || c == '\0' || c == '\a')
			continue;
		bytes[out++] = c;
	}
	return out;
}

/*
 * Decodes one UTF-8 character (RFC 3629: no overlong forms, no surrogates).
 * Returns its length, or 0 when the bytes are not valid.
 */
static size_t utf8_decode(const unsigned char *p, size_t n, uint32_t *cp)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	size_t len;

	if (p[0] < 0x80) {
		*cp = p[0];
		return 1;
	}
	if (p[0] >= 0xc2 && p[0] <= 0xdf)
		len = 2;
	else if (p[0] >= 0xe0 && p[0] <= 0xef)
		len = 3;
	else if (p[0] >= 0xf0 && p[0] <= 0xf4)
		len = 4;
	else
		return 0;
	if (len > n)
		return 0;
	uint32_t v = p[0] & (0xffu >> (len + 1));

	for (size_t i = 1; i < len; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
		v = v << 6 | (p[i] & 0x3fu);
	}
	if (v < least[len] || v > 0x10ffff || (v >= 0xd800 && v <= 0xdfff))
		return 0;
	*cp = v;
	return len;
}

/* Characters that take no cell but change how a line reads (Unicode TR 36). */
static bool is_invisible(uint32_t cp)
{
	return (cp >= 0x200b && cp <= 0x200f) || (cp >= 0x202a && cp <= 0x202e) ||
	       (cp >= 0x2060 && cp <= 0x206f) || cp == 0xfeff || (cp >= 0xe0000 && cp <= 0xe0fff);
}

size_t text_printable(char *out, size_t size, const char *in, size_t len)
{
	size_t used = 0;

	if (size == 0)
		return 0;
	for (size_t i = 0; i < len && in[i];) {
		const unsigned char *p = (const unsigned char *)in + i;
		uint32_t cp = '?';
		size_t n = utf8_decode(p, len - i, &cp);
		char one = 0;

		if (n == 0) {
			one = '?';
			n = 1;
		} else if (cp == '\t' || cp == '\n') {
			one = ' ';
		} else if (cp == '\r' || is_invisible(cp)) {
			i += n;
			continue;
		} else if (cp < 0x20 || (cp >= 0x7f && cp < 0xa0)) {
			one = '?';
		}
		size_t need = one ? 1 : n;

		if (used + need >= size)
			break;
		if (one)
			out[used] = one;
		else
			memcpy(out + used, p, n);
		used += need;
		i += n;
	}
	out[used] = '\0';
	return used;
}
