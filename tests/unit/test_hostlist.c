#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collectors/buf.h"
#include "collectors/compiler.h"
#include "collectors/hostlist.h"
#include "collectors/xmalloc.h"

struct seen {
	struct buf text; /* names joined by blanks */
	size_t n;
};

static void collect(void *ctx, const char *name)
{
	struct seen *s = ctx;

	if (s->n++)
		assert_int_equal(buf_add_str(&s->text, " "), ERR_OK);
	assert_int_equal(buf_add_str(&s->text, name), ERR_OK);
}

static void expands_to(const char *text, const char *want)
{
	struct seen s = {BUF_INIT(1 << 20), 0};
	struct err e = ERR_INIT;

	if (hostlist_expand(text, 10000, collect, &s, &e))
		fail_msg("%s: %s", text, e.msg);
	assert_string_equal(buf_str(&s.text), want);
	buf_release(&s.text);
}

static void test_expand(void **state)
{
	static const struct {
		const char *text;
		const char *want;
	} cases[] = {
		{"node7", "node7"},
		{"a,b c\n\td\r\n", "a b c d"},
		{",,a,,b,", "a b"},
		{"gpu[007-012,020]", "gpu007 gpu008 gpu009 gpu010 gpu011 gpu012 gpu020"},
		{"n[8-11]", "n8 n9 n10 n11"},
		{"n[08-11]", "n08 n09 n10 n11"},
		{"n[098-101]", "n098 n099 n100 n101"},
		{"n[0-8:4]", "n0 n4 n8"},
		{"n[0-9/4]", "n0 n4 n8"},
		{"n[ 1 , 3 ]", "n1 n3"},
		{"ip-10-[0-1]-[1-2]", "ip-10-0-1 ip-10-0-2 ip-10-1-1 ip-10-1-2"},
		{"[1-2]x,h", "1x 2x h"},
		{"u@n[1-2]:22", "u@n1:22 u@n2:22"},
		{"n[3-3]", "n3"},
		{"n[0]", "n0"},
		{"[fe80::1]:22,u@[::1]", "[fe80::1]:22 u@[::1]"},
		{"n[18446744073709551614-18446744073709551615]",
			"n18446744073709551614 n18446744073709551615"},
		{"caf\xc3\xa9[1-2]", "caf\xc3\xa9"
				     "1 caf\xc3\xa9"
				     "2"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		expands_to(cases[i].text, cases[i].want);
}

static void never(void *ctx, const char *name)
{
	(void)ctx;
	fail_msg("called with %s", name);
}

static void test_expand_refuses(void **state)
{
	static const struct {
		const char *text;
		enum err_code code;
		const char *says;
	} cases[] = {
		{"", ERR_USAGE, "names no host"},
		{" , ", ERR_USAGE, "names no host"},
		{"a,n[1-", ERR_USAGE, "column 4: the bracket is not closed"},
		{"n[", ERR_USAGE, "column 2: the bracket is not closed"},
		{"n[1-2],m[3", ERR_USAGE, "column 9: the bracket is not closed"},
		{"n1]", ERR_USAGE, "column 3: a bracket is closed"},
		{"n1]x[2]", ERR_USAGE, "column 3: a bracket is closed"},
		{"n[]", ERR_USAGE, "column 3: a number is missing"},
		{"n[1,]", ERR_USAGE, "column 5: a number is missing"},
		{"n[5-2]", ERR_USAGE, "column 3: the range counts down"},
		{"n[a-c]", ERR_USAGE, "column 3: not a number"},
		{"n[1-]", ERR_USAGE, "column 3: the range has no end"},
		{"n[-3]", ERR_USAGE, "column 3: not a number"},
		{"n[1-9:0]", ERR_USAGE, "column 3: the step"},
		{"n[1-9:]", ERR_USAGE, "column 3: the step"},
		{"n[1-09]", ERR_USAGE, "leading zeros"},
		{"n[1-2-3]", ERR_USAGE, "column 3: not a number or a range"},
		{"n[[1]]", ERR_USAGE, "not a number"},
		{"n[99999999999999999999]", ERR_USAGE, "not a number"},
		{"n[1][1][1][1][1][1][1][1][1]", ERR_USAGE, "too many brackets"},
		{"n[1-101]", ERR_TOOBIG, "more than 100 names"},
		{"n[0-18446744073709551615][0-18446744073709551615]", ERR_TOOBIG, "more than 100"},
		{"a[1-60],b[1-60]", ERR_TOOBIG, "more than 100"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct err e = ERR_INIT;
		enum err_code rc = hostlist_expand(cases[i].text, 100, never, NULL, &e);

		if (rc != cases[i].code || !strstr(e.msg, cases[i].says))
			fail_msg("%s: got %d %s", cases[i].text, rc, e.msg);
	}
}

static void test_expand_long_name(void **state)
{
	struct buf b = BUF_INIT(4096);
	struct err e = ERR_INIT;

	(void)state;
	for (int i = 0; i < HOSTLIST_NAME_MAX - 1; i++)
		assert_int_equal(buf_add_str(&b, "x"), ERR_OK);
	assert_int_equal(buf_add_str(&b, "[1-9]"), ERR_OK);
	struct seen s = {BUF_INIT(1 << 20), 0};

	assert_int_equal(hostlist_expand(buf_str(&b), 100, collect, &s, &e), ERR_OK);
	assert_int_equal(s.n, 9);
	buf_release(&s.text);
	assert_int_equal(buf_add_str(&b, "[1-9]"), ERR_OK);
	assert_int_equal(hostlist_expand(buf_str(&b), 100, never, NULL, &e), ERR_USAGE);
	assert_non_null(strstr(e.msg, "too long"));
	buf_release(&b);
}

struct names {
	char *name[4096];
	size_t n;
};

static void gather(void *ctx, const char *name)
{
	struct names *list = ctx;

	assert_true(list->n < ARRAY_LEN(list->name));
	list->name[list->n++] = xstrdup(name);
}

static void names_release(struct names *list)
{
	for (size_t i = 0; i < list->n; i++)
		free(list->name[i]);
	list->n = 0;
}

static void folds_to(const char *text, size_t size, const char *want)
{
	struct names list = {.n = 0};
	char out[4096];

	assert_true(size <= sizeof(out));
	assert_int_equal(hostlist_expand(text, 4096, gather, &list, NULL), ERR_OK);
	/* Order must not matter. */
	for (size_t i = 0; i + 1 < list.n; i += 2) {
		char *tmp = list.name[i];

		list.name[i] = list.name[list.n - 1 - i];
		list.name[list.n - 1 - i] = tmp;
	}
	memset(out, 'x', sizeof(out));
	hostlist_fold((const char *const *)list.name, list.n, out, size);
	assert_string_equal(out, want);
	names_release(&list);
}

static void test_fold(void **state)
{
	static const struct {
		const char *text;
		const char *want;
	} cases[] = {
		{"node7", "node7"},
		{"node07,node41", "node[07,41]"},
		{"node41,node07,node07", "node[07,41]"},
		{"n[8-11]", "n[8-11]"},
		{"n[08-11]", "n[08-11]"},
		{"n[098-101]", "n[098-101]"},
		{"n1,n01,n2,n02", "n[1,01,2,02]"},
		{"n[1-3,5,7-8]", "n[1-3,5,7-8]"},
		{"ip-10-1-[0-3]-7,gpu3", "gpu3, ip-10-1-[0-3]-7"},
		{"ip-10-[0-1]-[1-64]", "ip-10-[0-1]-[1-64]"},
		{"ip-10-0-[1-2],ip-10-1-[1-3]", "ip-10-0-[1-2], ip-10-1-[1-3]"},
		{"gpu9,gpu10,head", "gpu[9-10], head"},
		{"10.1.2.9,10.1.2.10", "10.1.2.[9-10]"},
		{"i-0123456789abcdef0,i-0123456789abcdef1",
			"i-0123456789abcdef0, i-0123456789abcdef1"},
		{"n99999999999999999998,n99999999999999999999",
			"n99999999999999999998, n99999999999999999999"},
		{"[fe80::1],[fe80::2]", "[fe80::1], [fe80::2]"},
		{"a1b2c3d4e5f6g7h8i9,a1b2c3d4e5f6g7h8i8", "a1b2c3d4e5f6g7h8i8, a1b2c3d4e5f6g7h8i9"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		folds_to(cases[i].text, 4096, cases[i].want);
	char out[8] = "x";

	hostlist_fold(NULL, 0, out, sizeof(out));
	assert_string_equal(out, "");
}

/* Cut between names at every size; what is left out is counted. */
static void test_fold_cut(void **state)
{
	static const char *const names[] = {"alpha", "beta", "node1", "node2", "node3", "node5"};
	static const char whole[] = "alpha, beta, node[1-3,5]";
	char out[64];

	(void)state;
	for (size_t size = 1; size < sizeof(out); size++) {
		memset(out, 'x', sizeof(out));
		hostlist_fold(names, ARRAY_LEN(names), out, size);
		size_t len = strlen(out);
		const char *dots = strstr(out, "\xe2\x80\xa6 (+");

		assert_true(len < size);
		if (size >= sizeof(whole))
			assert_string_equal(out, whole);
		else if (len)
			assert_non_null(dots);
		else
			assert_true(size <= strlen("\xe2\x80\xa6 (+6)"));
	}
	hostlist_fold(names, ARRAY_LEN(names), out, 24);
	assert_string_equal(out, "alpha, beta, \xe2\x80\xa6 (+4)");
}

/* Folding and expanding again gives the same names, for grids with holes. */
static void test_round_trip(void **state)
{
	static const char *const lists[] = {
		"ip-10-1-[0-3]-[1-64],gpu[007-012,020]",
		"r[1-4]n[01-16],r5n[01-08],head",
		"a[0-9]b[0-9],a[3-4]b10,a11b[2-5]",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(lists); i++) {
		struct names first = {.n = 0};
		struct names again = {.n = 0};
		char folded[4096];
		char twice[4096];

		assert_int_equal(hostlist_expand(lists[i], 4096, gather, &first, NULL), ERR_OK);
		hostlist_fold((const char *const *)first.name, first.n, folded, sizeof(folded));
		assert_int_equal(hostlist_expand(folded, 4096, gather, &again, NULL), ERR_OK);
		assert_int_equal(first.n, again.n);
		hostlist_fold((const char *const *)again.name, again.n, twice, sizeof(twice));
		assert_string_equal(folded, twice);
		names_release(&first);
		names_release(&again);
	}
}

static void test_compare(void **state)
{
	static const char *const order[] = {"", "a", "a1", "a01", "a2", "a10", "a10b", "b"};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(order); i++)
		for (size_t j = 0; j < ARRAY_LEN(order); j++) {
			int c = hostlist_compare(order[i], order[j]);

			assert_int_equal((c > 0) - (c < 0), (i > j) - (i < j));
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_expand),
		cmocka_unit_test(test_expand_refuses),
		cmocka_unit_test(test_expand_long_name),
		cmocka_unit_test(test_fold),
		cmocka_unit_test(test_fold_cut),
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_compare),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
