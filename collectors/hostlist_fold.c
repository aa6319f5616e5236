/*
 * The other half of hostlist.h: many names into few words.
 *
 * A name is its shape (the text with each run of digits taken out) and the runs.
 * Names of one shape that differ in one run only become one item whose run is
 * a list of ranges. Doing that for the last run, then the one before it and so on
 * finds the brackets of every full grid of names.
 */
#include "collectors/hostlist.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collectors/buf.h"
#include "collectors/text.h"
#include "collectors/xmalloc.h"

#define RUNS_MAX   8  /* names with more runs are not folded */
#define RUN_DIGITS 18 /* longer runs would not fit 64 bits */
#define RUN_MARK   '\001'
#define FOLDED_MAX (1u << 20)

struct item {
	char *shape;
	char *run[RUNS_MAX]; /* digits, or "0-3,7" once several names were joined */
	size_t runs;
	size_t pass;  /* the run being joined */
	size_t first; /* place of its first name in natural order */
	size_t count; /* names it stands for */
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static size_t run_length(const char *s)
{
	size_t n = 0;

	while (is_digit(s[n]))
		n++;
	return n;
}

/* Two runs of digits by value, then by length ("7" before "07"). */
static int compare_runs(const char *a, size_t na, const char *b, size_t nb)
{
	size_t za = 0;
	size_t zb = 0;

	while (za + 1 < na && a[za] == '0')
		za++;
	while (zb + 1 < nb && b[zb] == '0')
		zb++;
	if (na - za != nb - zb)
		return na - za < nb - zb ? -1 : 1;
	int c = memcmp(a + za, b + zb, na - za);

	if (c)
		return c;
	return na == nb ? 0 : na < nb ? -1 : 1;
}

int hostlist_compare(const char *a, const char *b)
{
	while (*a && *b) {
		if (is_digit(*a) && is_digit(*b)) {
			size_t na = run_length(a);
			size_t nb = run_length(b);
			int c = compare_runs(a, na, b, nb);

			if (c)
				return c;
			a += na;
			b += nb;
			continue;
		}
		if (*a != *b)
			return (unsigned char)*a < (unsigned char)*b ? -1 : 1;
		a++;
		b++;
	}
	return *a ? 1 : *b ? -1 : 0;
}

static int by_name(const void *a, const void *b)
{
	return hostlist_compare(*(const char *const *)a, *(const char *const *)b);
}

/* An EC2 instance id, with or without what stands before it in a HyperPod node name. */
static bool has_instance_id(const char *name)
{
	for (const char *p = strstr(name, "i-"); p; p = strstr(p + 1, "i-")) {
		size_t hex = strspn(p + 2, "0123456789abcdef");

		if ((p == name || p[-1] == '-') && hex >= 8 && hex <= 17 && p[2 + hex] == '\0')
			return true;
	}
	return false;
}

/* Brackets, separators and long numbers would not survive being folded. */
static bool may_fold(const char *name)
{
	size_t runs = 0;

	if (name[strcspn(name, "[], \t\r\n\001")] || has_instance_id(name))
		return false;
	for (const char *p = name; *p;) {
		size_t n = run_length(p);

		if (n > RUN_DIGITS || (n && ++runs > RUNS_MAX))
			return false;
		p += n ? n : 1;
	}
	return true;
}

static void item_init(struct item *it, const char *name, size_t place)
{
	*it = (struct item){.first = place, .count = 1, .shape = xstrdup(name)};
	if (!may_fold(name))
		return;
	char *out = it->shape;

	for (const char *p = name; *p;) {
		size_t n = run_length(p);

		if (n == 0) {
			*out++ = *p++;
			continue;
		}
		*out++ = RUN_MARK;
		it->run[it->runs++] = xstrndup(p, n);
		p += n;
	}
	*out = '\0';
}

static void item_release(struct item *it)
{
	free(it->shape);
	for (size_t i = 0; i < it->runs; i++)
		free(it->run[i]);
}

/* 0 when a and b may be joined at their present pass. */
static int compare_others(const struct item *a, const struct item *b)
{
	int c = strcmp(a->shape, b->shape);

	for (size_t i = 0; c == 0 && i < a->runs; i++)
		if (i != a->pass)
			c = strcmp(a->run[i], b->run[i]);
	return c;
}

static int by_joining(const void *va, const void *vb)
{
	const struct item *a = va;
	const struct item *b = vb;
	int c = compare_others(a, b);

	if (c || a->runs <= a->pass)
		return c;
	return compare_runs(
		a->run[a->pass], strlen(a->run[a->pass]), b->run[b->pass], strlen(b->run[b->pass]));
}

static int by_place(const void *va, const void *vb)
{
	const struct item *a = va;
	const struct item *b = vb;

	return a->first < b->first ? -1 : a->first > b->first;
}

/* True when text is what expansion prints after prev, in a range that began with lo. */
static bool follows(const char *lo, const char *prev, const char *text)
{
	char next[RUN_DIGITS + 2];
	uint64_t v = 0;
	int width = lo[0] == '0' ? (int)strlen(lo) : 1;

	if (!span_u64(span_of(prev), &v))
		return false;
	snprintf(next, sizeof(next), "%0*" PRIu64, width, v + 1);
	return strcmp(next, text) == 0;
}

/* The runs of n sorted items at their pass, as "0-3,7". */
static char *join_runs(const struct item *items, size_t n)
{
	struct buf b = BUF_INIT(FOLDED_MAX);
	size_t pass = items[0].pass;

	for (size_t i = 0; i < n;) {
		const char *lo = items[i].run[pass];
		size_t j = i + 1;

		while (j < n && follows(lo, items[j - 1].run[pass], items[j].run[pass]))
			j++;
		enum err_code rc = j - i == 1 ? buf_addf(&b, "%s%s", i ? "," : "", lo)
					      : buf_addf(&b, "%s%s-%s", i ? "," : "", lo,
							items[j - 1].run[pass]);

		if (rc)
			break;
		i = j;
	}
	return buf_detach(&b);
}

/* Joins what can be joined at one run; returns how many items are left. */
static size_t join_pass(struct item *items, size_t n, size_t pass)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++)
		items[i].pass = pass;
	qsort(items, n, sizeof(*items), by_joining);
	for (size_t i = 0; i < n;) {
		struct item whole = items[i];
		size_t j = i + 1;

		while (j < n && whole.runs > pass && compare_others(&items[i], &items[j]) == 0)
			j++;
		if (j - i > 1) {
			char *joined = join_runs(items + i, j - i);

			free(whole.run[pass]);
			whole.run[pass] = joined;
		}
		for (size_t k = i + 1; k < j; k++) {
			whole.count += items[k].count;
			if (items[k].first < whole.first)
				whole.first = items[k].first;
			item_release(&items[k]);
		}
		items[kept++] = whole;
		i = j;
	}
	return kept;
}

static enum err_code item_write(struct buf *b, const struct item *it)
{
	size_t run = 0;
	enum err_code rc = ERR_OK;

	for (const char *p = it->shape; *p && rc == ERR_OK; p++) {
		if (*p != RUN_MARK || run >= it->runs) {
			rc = buf_add(b, p, 1);
			continue;
		}
		const char *text = it->run[run++];
		bool several = text[strspn(text, "0123456789")] != '\0';

		rc = buf_addf(b, several ? "[%s]" : "%s", text);
	}
	return rc;
}

/* Folds n names that are sorted and unique. Appends to b. */
static enum err_code fold_sorted(struct buf *b, const char *const *names, size_t n)
{
	struct item *items = xcalloc(n ? n : 1, sizeof(*items));
	enum err_code rc = ERR_OK;
	size_t left = n;

	for (size_t i = 0; i < n; i++)
		item_init(&items[i], names[i], i);
	for (size_t pass = RUNS_MAX; pass-- > 0;)
		left = join_pass(items, left, pass);
	qsort(items, left, sizeof(*items), by_place);
	for (size_t i = 0; i < left && rc == ERR_OK; i++) {
		if (i)
			rc = buf_add_str(b, ", ");
		if (rc == ERR_OK)
			rc = item_write(b, &items[i]);
	}
	for (size_t i = 0; i < left; i++)
		item_release(&items[i]);
	free(items);
	return rc;
}

/* The first shown of n names and how many are left out. True when it fits size. */
static bool fold_fits(const char *const *names, size_t n, size_t shown, char *out, size_t size)
{
	struct buf b = BUF_INIT(FOLDED_MAX);
	enum err_code rc = fold_sorted(&b, names, shown);

	if (rc == ERR_OK && shown < n)
		rc = buf_addf(&b, "%s\xe2\x80\xa6 (+%zu)", shown ? ", " : "", n - shown);
	bool fits = rc == ERR_OK && b.len < size;

	if (fits)
		memcpy(out, buf_str(&b), b.len + 1);
	buf_release(&b);
	return fits;
}

void hostlist_fold(const char *const *names, size_t n, char *out, size_t size)
{
	if (size == 0)
		return;
	out[0] = '\0';
	const char **sorted = xcalloc(n ? n : 1, sizeof(*sorted));
	size_t unique = 0;

	for (size_t i = 0; i < n; i++)
		sorted[i] = names[i];
	qsort(sorted, n, sizeof(*sorted), by_name);
	for (size_t i = 0; i < n; i++)
		if (unique == 0 || strcmp(sorted[i], sorted[unique - 1]) != 0)
			sorted[unique++] = sorted[i];
	if (!fold_fits(sorted, unique, unique, out, size)) {
		/* Largest start of the list that fits, by halving. */
		size_t low = 0;
		size_t high = unique;

		fold_fits(sorted, unique, 0, out, size);
		while (high - low > 1) {
			size_t middle = low + (high - low) / 2;

			if (fold_fits(sorted, unique, middle, out, size))
				low = middle;
			else
				high = middle;
		}
	}
	free(sorted);
}
