#include "collectors/nccl_fast.h"

#include <string.h>

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define EIGHT_AT_ONCE 1
#else
#define EIGHT_AT_ONCE 0
#endif

static const char *skip_blanks(const char *c, const char *end)
{
#if EIGHT_AT_ONCE
	while (end - c >= 8) {
		uint64_t v;

		memcpy(&v, c, 8);
		v ^= 0x2020202020202020u;
		if (v)
			return c + __builtin_ctzll(v) / 8;
		c += 8;
	}
#endif
	while (c < end && *c == ' ')
		c++;
	return c;
}

/* The first blank at or behind c. */
static const char *skip_field(const char *c, const char *end)
{
#if EIGHT_AT_ONCE
	while (end - c >= 8) {
		uint64_t v;

		memcpy(&v, c, 8);
		v ^= 0x2020202020202020u;
		/* The high bit of the lowest byte that is 0 now. */
		v = (v - 0x0101010101010101u) & ~v & 0x8080808080808080u;
		if (v)
			return c + __builtin_ctzll(v) / 8;
		c += 8;
	}
#endif
	while (c < end && *c != ' ')
		c++;
	return c;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Digits and what ends them; NULL when there are none or too many. */
static const char *read_whole(const char *c, const char *end, uint64_t *out)
{
	const char *begin = c;
	uint64_t v = 0;

	for (; c < end && is_digit(*c); c++)
		v = v * 10 + (uint64_t)(*c - '0');
	*out = v;
	return c > begin && c - begin <= 18 && (c == end || *c == ' ') ? c : NULL;
}

static const double tens[] = {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7};

#if EIGHT_AT_ONCE
#define EACH(byte) (0x0101010101010101u * (uint64_t)(byte))

/* The high bit of the lowest byte of v that is 0, or 0; bits above it mean nothing. */
static uint64_t first_zero(uint64_t v)
{
	return (v - EACH(0x01)) & ~v & EACH(0x80);
}

/*
 * A figure of up to 7 characters and the blank behind it, in the 8 bytes at c: the point is
 * taken out, then pairs of digits are added up, then pairs of pairs.
 */
static const char *read_short(const char *c, struct opt_f64 *out)
{
	uint64_t v;
	uint64_t blank;
	size_t behind = 0; /* digits behind the point */
	size_t n;

	memcpy(&v, c, 8);
	blank = first_zero(v ^ EACH(' '));
	if (!blank)
		return NULL;
	n = (size_t)__builtin_ctzll(blank) / 8;
	if (n == 0)
		return NULL;
	const char *end = c + n;
	uint64_t in_field = EACH(0xff) >> (8 * (8 - n));
	uint64_t point = first_zero(v ^ EACH('.')) & in_field;

	if (point) {
		size_t at = (size_t)__builtin_ctzll(point) / 8;
		uint64_t before = ((uint64_t)1 << (8 * at)) - 1;

		behind = n - at - 1;
		if (at == 0 || behind == 0)
			return NULL;
		v = (v & before) | (v >> 8 & ~before);
		n--;
	}
	/* Digits to the high end: what is below them are leading zeros. */
	v = v << (8 * (8 - n)) ^ EACH('0') << (8 * (8 - n));
	if (((v + EACH(0x76)) | v) & EACH(0x80))
		return NULL;
	v = (v & 0x0f0f0f0f0f0f0f0fu) * 2561 >> 8;
	v = (v & 0x00ff00ff00ff00ffu) * 6553601 >> 16;
	v = (v & 0x0000ffff0000ffffu) * 42949672960001u >> 32;
	*out = opt_f64(behind ? (double)v / tens[behind] : (double)v);
	return end;
}
#endif

/* As bw_line_figure, for plain decimals. */
static const char *read_figure(const char *c, const char *end, struct opt_f64 *out)
{
	const char *begin = c;
	const char *point = NULL;
	uint64_t v = 0;

#if EIGHT_AT_ONCE
	if (end - c >= 8 && (c = read_short(c, out)) != NULL)
		return c;
	c = begin;
#endif
	for (; c < end && *c != ' '; c++) {
		if (is_digit(*c))
			v = v * 10 + (uint64_t)(*c - '0');
		else if (*c == '.' && !point && c > begin)
			point = c;
		else
			return NULL;
	}
	if (c == begin || c - begin > 15 || !is_digit(c[-1]) || (point && c - point > 8))
		return NULL;
	*out = opt_f64(point ? (double)v / tens[c - point - 1] : (double)v);
	return c;
}

/* A count of wrong elements, or N/A. */
static const char *read_wrong(const char *c, const char *end, struct opt_f64 *out)
{
	if (end - c >= 3 && memcmp(c, "N/A", 3) == 0 && (end - c == 3 || c[3] == ' ')) {
		out->state = OPT_UNSUPPORTED;
		return c + 3;
	}
	return read_figure(c, end, out);
}

static const char *read_half(const struct nccl_fast *f, const char *c, const char *end,
	struct opt_f64 *algbw, struct opt_f64 *busbw, struct opt_f64 *wrong)
{
	c = skip_blanks(c, end);
	if (c == end || !is_digit(*c))
		return NULL;
	c = skip_blanks(skip_field(c, end), end); /* the time */
	c = read_figure(c, end, algbw);
	if (!c)
		return NULL;
	c = read_figure(skip_blanks(c, end), end, busbw);
	if (!c)
		return NULL;
	c = skip_blanks(c, end);
	return f->is_error ? skip_field(c, end) : read_wrong(c, end, wrong);
}

/* A word that must be the one before; word has room for 8 bytes. */
static const char *same_word(const char *c, const char *end, const char *word, size_t n)
{
	c = skip_blanks(c, end);
#if EIGHT_AT_ONCE
	if (n < 8 && end - c >= 8) {
		uint64_t have;
		uint64_t want;

		memcpy(&have, c, 8);
		memcpy(&want, word, 8);
		return ((have ^ want) & (((uint64_t)1 << (8 * n)) - 1)) || c[n] != ' ' ? NULL
										       : c + n;
	}
#endif
	if ((size_t)(end - c) <= n || memcmp(c, word, n) != 0 || c[n] != ' ')
		return NULL;
	return c + n;
}

static const char *read_begin(
	const struct nccl_fast *f, const char *c, const char *end, uint64_t *size)
{
	uint64_t n;

	c = read_whole(skip_blanks(c, end), end, size);
	c = c ? read_whole(skip_blanks(c, end), end, &n) : NULL;
	c = c ? same_word(c, end, f->dtype, f->n_dtype) : NULL;
	if (c && f->n_redop)
		c = same_word(c, end, f->redop, f->n_redop);
	if (!c || !f->has_root)
		return c;
	c = skip_blanks(c, end);
	c += c < end && *c == '-';
	return read_whole(c, end, &n);
}

void nccl_fast_learn(struct nccl_fast *f, const struct nccl_layout *l, const struct nccl_row *row)
{
	f->ready = l->known && !l->nccom && l->columns == 8 && l->oop.algbw == 1 &&
		   l->oop.busbw == 2 && l->oop.wrong == 3 && l->ip.algbw == 5 && l->ip.busbw == 6 &&
		   l->ip.wrong == 7 && row->dtype.n < sizeof(f->dtype) &&
		   row->redop.n < sizeof(f->redop);
	if (!f->ready)
		return;
	f->has_root = row->has_root;
	f->is_error = l->is_error;
	f->n_dtype = row->dtype.n;
	f->n_redop = row->redop.n;
	memcpy(f->dtype, row->dtype.p, row->dtype.n);
	if (row->redop.n)
		memcpy(f->redop, row->redop.p, row->redop.n);
}

bool nccl_fast_read(const struct nccl_fast *f, struct span line, struct bw_row *out)
{
	struct opt_f64 algbw[2];
	struct opt_f64 busbw[2];
	struct opt_f64 wrong[2] = {{OPT_UNSUPPORTED, 0}, {OPT_UNSUPPORTED, 0}};
	const char *end = line.p + line.n;
	const char *c = read_begin(f, line.p, end, &out->size_bytes);

	for (int half = 0; half < 2; half++) {
		if (!c)
			return false;
		c = read_half(f, c, end, &algbw[half], &busbw[half], &wrong[half]);
	}
	if (!c || skip_blanks(c, end) != end)
		return false;
	/* A tolerance that no heading announced. */
	for (int half = 0; half < 2; half++)
		if (opt_has(wrong[half]) && wrong[half].v > 0 && wrong[half].v < 1)
			return false;
	out->oop_algbw_gbps = algbw[0];
	out->oop_busbw_gbps = busbw[0];
	out->ip_algbw_gbps = algbw[1];
	out->ip_busbw_gbps = busbw[1];
	if (opt_has(wrong[0]) && opt_has(wrong[1]))
		out->wrong = opt_f64(wrong[0].v + wrong[1].v);
	else
		out->wrong = opt_has(wrong[0]) ? wrong[0] : wrong[1];
	return true;
}
