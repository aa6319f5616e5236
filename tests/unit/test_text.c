#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "collectors/text.h"

static void test_lines(void **state)
{
	struct span rest = span_of("one\r\ntwo\n\nlast");
	struct span line;
	static const char *const want[] = {"one", "two", "", "last"};

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		assert_true(span_line(&rest, &line));
		assert_true(span_eq(line, want[i]));
	}
	assert_false(span_line(&rest, &line));
}

static void test_fields_keep_empty_ones(void **state)
{
	struct span rest = span_of("a,,b,");
	struct span field;
	static const char *const want[] = {"a", "", "b", ""};

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		assert_true(span_field(&rest, ',', &field));
		assert_true(span_eq(field, want[i]));
	}
	assert_false(span_field(&rest, ',', &field));
}

static void test_find(void **state)
{
	struct span s = span_of("aab SXid (Xid");

	(void)state;
	assert_int_equal(span_find(s, "ab"), 1);
	assert_int_equal(span_find(s, "Xid ("), 5);
	assert_int_equal(span_find(s, "zz"), -1);
	assert_int_equal(span_find(s, "aab SXid (Xid!"), -1);
	assert_int_equal(span_ifind(s, "sxID"), 4);
	assert_int_equal(span_find((struct span)SPAN_INIT, "a"), -1);
}

static void test_integers(void **state)
{
	uint64_t u = 7;
	int64_t i = 7;

	(void)state;
	assert_true(span_u64(span_of(" 18446744073709551615 "), &u));
	assert_true(u == UINT64_MAX);
	u = 7;
	assert_false(span_u64(span_of("18446744073709551616"), &u));
	assert_false(span_u64(span_of("-1"), &u));
	assert_false(span_u64(span_of(""), &u));
	assert_false(span_u64(span_of("1x"), &u));
	assert_int_equal(u, 7);
	assert_true(span_i64(span_of("-12"), &i));
	assert_int_equal(i, -12);
	assert_true(span_hex(span_of("0x00000000000000aF"), &u));
	assert_int_equal(u, 0xaf);
	assert_false(span_hex(span_of("0x"), &u));
	assert_false(span_hex(span_of("0x11112222333344445"), &u));
}

static void test_floats(void **state)
{
	static const struct {
		const char *text;
		int ok;
		double v;
	} cases[] = {
		{"77.71", 1, 77.71},
		{"-0.5", 1, -0.5},
		{".5", 1, 0.5},
		{"15e-2", 1, 0.15},
		{"1e", 0, 0},
		{"nan", 0, 0},
		{"inf", 0, 0},
		{"0x10", 0, 0},
		{"1,5", 0, 0},
		{"", 0, 0},
		{"1e999", 0, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		double v = -7;

		assert_int_equal(span_f64(span_of(cases[i].text), &v), cases[i].ok);
		if (cases[i].ok)
			assert_true(v == cases[i].v);
		else
			assert_true(v == -7);
	}
	double v;

	assert_true(span_f64_locale(span_of("13,13"), &v));
	assert_true(v == 13.13);
	assert_true(span_size_kib(span_of("2,0G"), &v));
	assert_true(v == 2.0 * 1024 * 1024);
	assert_true(span_size_kib(span_of("512"), &v));
	assert_true(v == 512);
	assert_true(span_size_kib(span_of("1014MiB"), &v));
	assert_true(v == 1014.0 * 1024);
	assert_false(span_size_kib(span_of("G"), &v));
	assert_false(span_size_kib(span_of("-"), &v));
}

static void check_strip(const char *in, size_t n, const char *want)
{
	char bytes[128];

	memcpy(bytes, in, n);
	size_t len = text_strip(bytes, n);

	assert_int_equal(len, strlen(want));
	assert_memory_equal(bytes, want, len);
	assert_int_equal(text_strip(bytes, len), len);
}

static void test_strip(void **state)
{
	(void)state;
	check_strip("\033[32mgreen\033[0m\r\n", 16, "green\n");
	check_strip("\033]0;title\aafter", 15, "after");
	check_strip("\033]0;title\033\\x", 13, "x");
	check_strip("a\0b", 3, "ab");
	/* An unfinished sequence ends with its line: the next line is not eaten. */
	check_strip("\033[12\nnext", 10, "\nnext");
	check_strip("\033]never ends\nnext", 17, "\nnext");
	check_strip("tail\033", 5, "tail");
}

static void check_printable(const char *in, const char *want)
{
	char out[64];

	assert_int_equal(text_printable(out, sizeof(out), in, strlen(in)), strlen(want));
	assert_string_equal(out, want);
}

static void test_printable(void **state)
{
	char tiny[4];

	(void)state;
	check_printable("plain", "plain");
	check_printable("\033[2Jx", "?[2Jx");
	check_printable("a\tb\nc\rd", "a b cd");
	check_printable("caf\xc3\xa9", "caf\xc3\xa9");
	check_printable("bad\xff\xc3", "bad??");
	check_printable("overlong\xc0\xaf", "overlong??");
	check_printable("surrogate\xed\xa0\x80", "surrogate???");
	check_printable("right\xe2\x80\xaeleft", "rightleft"); /* U+202E */
	check_printable("c1\xc2\x9b", "c1?");
	/* Never ends inside a character. */
	assert_int_equal(text_printable(tiny, sizeof(tiny), "ab\xc3\xa9", 4), 2);
	assert_string_equal(tiny, "ab");
	assert_int_equal(text_printable(tiny, 0, "ab", 2), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_fields_keep_empty_ones),
		cmocka_unit_test(test_find),
		cmocka_unit_test(test_integers),
		cmocka_unit_test(test_floats),
		cmocka_unit_test(test_strip),
		cmocka_unit_test(test_printable),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
