#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "collectors/compiler.h"
#include "tui/fmt.h"

static void test_ages(void **state)
{
	static const struct {
		int64_t ms;
		const char *age;
		const char *ago;
	} cases[] = {
		{-1, "-", "never"},
		{0, "0s", "0 s ago"},
		{999, "0s", "0 s ago"},
		{119999, "119s", "119 s ago"},
		{120000, "2m", "2 min ago"},
		{7199999, "119m", "119 min ago"},
		{7200000, "2h", "2 h ago"},
		{172800000, "2d", "2 days ago"},
	};
	char out[FMT_MAX];

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		assert_string_equal(fmt_age(out, cases[i].ms), cases[i].age);
		assert_string_equal(fmt_ago(out, cases[i].ms), cases[i].ago);
	}
}

static void test_numbers(void **state)
{
	char out[FMT_MAX];

	(void)state;
	assert_string_equal(fmt_pct(out, 0), "0%");
	assert_string_equal(fmt_pct(out, 0.04), "<0.1%"); /* not 0 */
	assert_string_equal(fmt_pct(out, 0.4), "0.4%");
	assert_string_equal(fmt_pct(out, 37.4), "37%");
	assert_string_equal(fmt_pct(out, 99.96), "99%"); /* not 100 */
	assert_string_equal(fmt_pct(out, 100), "100%");
	assert_string_equal(fmt_pct(out, (double)NAN), "-");
	assert_string_equal(fmt_number(out, 8), "8");
	assert_string_equal(fmt_number(out, 26.5625), "26.6");
	assert_string_equal(fmt_number(out, 0.125), "0.125");
	assert_string_equal(fmt_number(out, 12345.6), "12346");
	assert_string_equal(fmt_number(out, (double)INFINITY), "-");
	assert_string_equal(fmt_bytes(out, 0), "0B");
	assert_string_equal(fmt_bytes(out, 1023), "1023B");
	assert_string_equal(fmt_bytes(out, 1536), "1.5K");
	assert_string_equal(fmt_bytes(out, 1024.0 * 1024 * 1024 * 1024 * 1.2), "1.2T");
	assert_string_equal(fmt_bytes(out, 1e30), "867361737988E");
	assert_string_equal(fmt_bytes(out, (double)NAN), "-");
	assert_string_equal(fmt_duration(out, 41), "41s");
	assert_string_equal(fmt_duration(out, 7500), "2h 05m");
	assert_string_equal(fmt_duration(out, 273600), "3d 04h");
	assert_string_equal(fmt_duration(out, -1), "-");
}

static void test_values(void **state)
{
	struct value v = {.state = OPT_OK, .type = FIELD_U64, .u64 = 2048};
	char out[FMT_MAX];

	(void)state;
	assert_string_equal(fmt_value(out, sizeof(out), &v, "KiB"), "2.0M");
	assert_string_equal(fmt_value(out, sizeof(out), &v, "MHz"), "2048 MHz");
	assert_string_equal(fmt_value(out, sizeof(out), &v, ""), "2048");
	v.u64 = 16;
	assert_string_equal(fmt_value(out, sizeof(out), &v, "lanes"), "x16");
	/* What is not there is never a number. */
	v.state = OPT_UNKNOWN;
	assert_string_equal(fmt_value(out, sizeof(out), &v, "%"), "-");
	v.state = OPT_UNSUPPORTED;
	assert_string_equal(fmt_value(out, sizeof(out), &v, "%"), "n/a");
	v.state = OPT_ERROR;
	assert_string_equal(fmt_value(out, sizeof(out), &v, "%"), "error");
	v = (struct value){.state = OPT_OK, .type = FIELD_FLAG, .flag = true};
	assert_string_equal(fmt_value(out, sizeof(out), &v, ""), "yes");
	/* A text too long is cut, not written past. */
	v = (struct value){.state = OPT_OK, .type = FIELD_STR, .str = "0123456789"};
	assert_string_equal(fmt_value(out, 5, &v, ""), "0123");
	assert_string_equal(fmt_label(out, sizeof(out), "mem_total_kib", "KiB"), "mem total");
	assert_string_equal(fmt_label(out, sizeof(out), "links", ""), "links");
	assert_string_equal(fmt_label(out, 4, "uptime_s", "s"), "upt");
}

static void test_spark(void **state)
{
	const struct glyphs *gl = theme_glyphs(true);

	(void)state;
	assert_string_equal(fmt_spark(gl, (double)NAN, 0, 100), gl->spark[0]);
	assert_string_equal(fmt_spark(gl, -5, 0, 100), gl->spark[1]);
	assert_string_equal(fmt_spark(gl, 0, 0, 100), gl->spark[1]);
	assert_string_equal(fmt_spark(gl, 100, 0, 100), gl->spark[7]);
	assert_string_equal(fmt_spark(gl, 1e9, 0, 100), gl->spark[7]);
	assert_string_equal(fmt_spark(gl, 1, 5, 5), gl->spark[0]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ages),
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_spark),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
