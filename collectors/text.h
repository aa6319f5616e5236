/*
 * Remote text: bounded views on bytes that need not be terminated, valid
 * UTF-8 or polite. Parsers are written on struct span, never on strlen.
 */
#ifndef COLLECTORS_TEXT_H
#define COLLECTORS_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Borrowed bytes; p may be NULL only when n is 0. */
struct span {
	const char *p;
	size_t n;
};

#define SPAN_INIT       \
	{               \
		NULL, 0 \
	}

struct span span_of(const char *s);   /* of a terminated string */
struct span span_trim(struct span s); /* without leading and trailing blanks, tabs, CR, LF */
bool span_eq(struct span s, const char *literal);
bool span_ieq(struct span s, const char *literal); /* ASCII case-blind */
bool span_starts(struct span s, const char *prefix);
bool span_ends(struct span s, const char *suffix);
/* Position of needle in s, or -1. */
ptrdiff_t span_find(struct span s, const char *needle);
ptrdiff_t span_ifind(struct span s, const char *needle);

/*
 * Iterators: each takes the next piece off the front of *rest and returns true,
 * or returns false when nothing is left.
 */
bool span_line(struct span *rest, struct span *line);             /* splits at LF; strips one CR */
bool span_field(struct span *rest, char sep, struct span *field); /* "a,,b" gives 3 fields */
bool span_word(struct span *rest, struct span *word);             /* blanks and tabs */

/*
 * Numbers: the whole span (after span_trim) must be the number, or false and
 * *out untouched. Overflow is false. span_f64 takes "." only, never the
 * locale's comma, and refuses nan, inf and hex floats.
 */
bool span_u64(struct span s, uint64_t *out);
bool span_i64(struct span s, int64_t *out);
bool span_hex(struct span s, uint64_t *out); /* with or without 0x */
bool span_f64(struct span s, double *out);
/* The number that s starts with; *rest (may be NULL) gets what follows it. */
bool span_lead_u64(struct span s, uint64_t *out, struct span *rest);
bool span_lead_f64(struct span s, double *out, struct span *rest);
/* As span_f64, but also reads "13,13" (a decimal comma). For text whose locale is not ours. */
bool span_f64_locale(struct span s, double *out);
/* "94G", "2,0G", "1014M", "9.8P", "512" as KiB (1024 steps). */
bool span_size_kib(struct span s, double *out_kib);

/*
 * Removes, in place, what a pty or a colouring tool adds: CSI and OSC escape
 * sequences, CR, NUL and BEL. Returns the new length. Idempotent.
 */
size_t text_strip(char *bytes, size_t len);

/*
 * Makes text safe to draw: valid UTF-8 kept, control bytes and broken UTF-8
 * replaced by '?', line breaks and tabs by a blank, bidirectional and zero-width
 * controls dropped. Stops at NUL or at len. out is always terminated and never
 * ends inside a character. Returns strlen(out).
 */
size_t text_printable(char *out, size_t size, const char *in, size_t len);

#endif
