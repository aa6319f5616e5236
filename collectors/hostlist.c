#include "collectors/hostlist.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collectors/text.h"

/* Brackets in one name; each costs one level of recursion. */
#define BRACKETS_MAX 8

struct range {
	uint64_t lo;
	uint64_t hi;
	uint64_t step;
	int width; /* digits at least, zero-filled */
};

/* ---- reading one bracket ---- */

static int digits_of(uint64_t v)
{
	int n = 1;

	while (v >= 10) {
		v /= 10;
		n++;
	}
	return n;
}

/* NULL when item is a range ("7", "007-012", "0-8:2"); else what is wrong with it. */
static const char *range_parse(struct span item, struct range *r)
{
	struct span rest;

	item = span_trim(item);
	if (item.n == 0)
		return "a number is missing";
	if (!span_lead_u64(item, &r->lo, &rest))
		return "not a number";
	int lo_digits = (int)(item.n - rest.n);

	r->hi = r->lo;
	r->step = 1;
	r->width = item.p[0] == '0' ? lo_digits : 1;
	if (rest.n && rest.p[0] == '-') {
		struct span hi = {rest.p + 1, rest.n - 1};

		if (!span_lead_u64(hi, &r->hi, &rest))
			return "the range has no end";
		if (r->hi < r->lo)
			return "the range counts down";
		if (hi.p[0] == '0' && hi.n > rest.n + 1 && (int)(hi.n - rest.n) != lo_digits)
			return "the ends of the range differ in leading zeros";
	}
	if (rest.n && (rest.p[0] == ':' || rest.p[0] == '/')) {
		struct span step = {rest.p + 1, rest.n - 1};

		if (!span_lead_u64(step, &r->step, &rest) || r->step == 0)
			return "the step is not a number above 0";
	}
	return rest.n ? "not a number or a range" : NULL;
}

/* Names that a range stands for; saturates. */
static uint64_t range_count(const struct range *r)
{
	uint64_t n = (r->hi - r->lo) / r->step;

	return n == UINT64_MAX ? n : n + 1;
}

/* ---- splitting into names and brackets ---- */

static bool is_separator(char c)
{
	return c == ',' || c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* Takes the next name off *rest; separators inside brackets do not count. */
static bool next_name(struct span *rest, struct span *name)
{
	while (rest->n && is_separator(rest->p[0])) {
		rest->p++;
		rest->n--;
	}
	if (rest->n == 0)
		return false;
	bool inside = false;
	size_t n = 0;

	for (; n < rest->n && (inside || !is_separator(rest->p[n])); n++) {
		if (rest->p[n] == '[')
			inside = true;
		else if (rest->p[n] == ']')
			inside = false;
	}
	*name = (struct span){rest->p, n};
	rest->p += n;
	rest->n -= n;
	return true;
}

static bool is_address(struct span inside)
{
	size_t colons = 0;

	for (size_t i = 0; i < inside.n; i++)
		colons += inside.p[i] == ':';
	return colons >= 2;
}

/*
 * Splits at the first bracket that holds numbers: *literal before it, *inside
 * its content, *rest behind it. False when there is none (all is literal) or
 * when a bracket is not closed: then *inside starts at it.
 */
static bool next_bracket(
	struct span name, struct span *literal, struct span *inside, struct span *rest)
{
	*inside = (struct span)SPAN_INIT;
	for (size_t i = 0; i < name.n; i++) {
		if (name.p[i] != '[')
			continue;
		struct span tail = {name.p + i + 1, name.n - i - 1};
		const char *close = tail.n ? memchr(tail.p, ']', tail.n) : NULL;

		if (!close) {
			*inside = tail;
			break;
		}
		*inside = (struct span){tail.p, (size_t)(close - tail.p)};
		if (is_address(*inside)) {
			i = (size_t)(close - name.p);
			*inside = (struct span)SPAN_INIT;
			continue;
		}
		*literal = (struct span){name.p, i};
		*rest = (struct span){close + 1, tail.n - inside->n - 1};
		return true;
	}
	*literal = name;
	return false;
}

/* ---- checking ---- */

struct check {
	const char *text; /* start of the whole list, for columns */
	size_t max;
	uint64_t total;
	struct err *e;
};

static enum err_code complain(const struct check *c, const char *at, const char *why)
{
	return err_set(c->e, ERR_USAGE,
		"host list \"%.60s\", column %zu: %s (write names as in gpu[01-16],head)", c->text,
		(size_t)(at - c->text) + 1, why);
}

static uint64_t multiply(uint64_t a, uint64_t b)
{
	return b && a > UINT64_MAX / b ? UINT64_MAX : a * b;
}

/* Counts the names of one bracket into *count; *longest gets the most digits. */
static enum err_code check_bracket(
	const struct check *c, struct span inside, uint64_t *count, size_t *longest)
{
	struct span items = inside;
	struct span item;

	*count = 0;
	*longest = 0;
	while (span_field(&items, ',', &item)) {
		struct range r;
		const char *why = range_parse(item, &r);

		if (why)
			return complain(c, item.p, why);
		uint64_t n = range_count(&r);
		int digits = digits_of(r.hi) > r.width ? digits_of(r.hi) : r.width;

		*count = n > UINT64_MAX - *count ? UINT64_MAX : *count + n;
		if ((size_t)digits > *longest)
			*longest = (size_t)digits;
	}
	return *count ? ERR_OK : complain(c, inside.p, "the bracket is empty");
}

/* A ']' without its '[', or NULL. */
static const char *stray_close(struct span literal)
{
	bool open = false;

	for (size_t i = 0; i < literal.n; i++) {
		if (literal.p[i] == ']' && !open)
			return literal.p + i;
		open = literal.p[i] == '[' || (open && literal.p[i] != ']');
	}
	return NULL;
}

static enum err_code check_name(struct check *c, struct span name)
{
	struct span rest = name;
	struct span literal;
	struct span inside;
	uint64_t count = 1;
	size_t length = 0;

	for (size_t brackets = 0; next_bracket(rest, &literal, &inside, &rest); brackets++) {
		uint64_t n;
		size_t longest;

		if (brackets == BRACKETS_MAX)
			return complain(c, inside.p, "too many brackets in one name");
		if (stray_close(literal))
			break;
		enum err_code rc = check_bracket(c, inside, &n, &longest);

		if (rc)
			return rc;
		count = multiply(count, n);
		length += literal.n + longest;
	}
	if (stray_close(literal))
		return complain(c, stray_close(literal), "a bracket is closed that was not opened");
	if (inside.p)
		return complain(c, inside.p - 1, "the bracket is not closed");
	length += literal.n;
	if (length > HOSTLIST_NAME_MAX)
		return complain(c, name.p, "the name is too long");
	c->total = count > UINT64_MAX - c->total ? UINT64_MAX : c->total + count;
	return ERR_OK;
}

/* ---- expanding ---- */

struct emit {
	void (*each)(void *ctx, const char *name);
	void *ctx;
	char name[HOSTLIST_NAME_MAX + 1];
};

/* rest was checked; the first used bytes of o->name are done. */
static void emit_names(struct emit *o, size_t used, struct span rest)
{
	struct span literal;
	struct span inside;
	struct span item;
	bool more = next_bracket(rest, &literal, &inside, &rest);

	memcpy(o->name + used, literal.p, literal.n);
	used += literal.n;
	if (!more) {
		o->name[used] = '\0';
		o->each(o->ctx, o->name);
		return;
	}
	while (span_field(&inside, ',', &item)) {
		struct range r;

		if (range_parse(item, &r))
			return;
		for (uint64_t v = r.lo;; v += r.step) {
			int n = snprintf(
				o->name + used, sizeof(o->name) - used, "%0*" PRIu64, r.width, v);

			emit_names(o, used + (size_t)n, rest);
			if (r.hi - v < r.step)
				break;
		}
	}
}

enum err_code hostlist_expand(const char *text, size_t max,
	void (*each)(void *ctx, const char *name), void *ctx, struct err *e)
{
	struct check c = {.text = text, .max = max, .e = e};
	struct emit o = {.each = each, .ctx = ctx};
	struct span rest = span_of(text);
	struct span name;

	while (next_name(&rest, &name)) {
		enum err_code rc = check_name(&c, name);

		if (rc)
			return rc;
	}
	if (c.total == 0)
		return err_set(
			e, ERR_USAGE, "host list: it names no host (write names as in gpu[01-16])");
	if (c.total > max)
		return err_set(e, ERR_TOOBIG,
			"host list \"%.60s\": more than %zu names (check its ranges)", text, max);
	rest = span_of(text);
	while (next_name(&rest, &name))
		emit_names(&o, 0, name);
	return ERR_OK;
}
