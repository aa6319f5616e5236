#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/lib/sect.h"

#define DIR "/sys/devices/system/cpu/cpu"

static void all_the_same(void **state)
{
	(void)state;
	struct section *s =
		sect_parse(SECTION_GOVERNOR, DIR "0/cpufreq/scaling_governor:performance\n" DIR
						 "1/cpufreq/scaling_governor:performance\n" DIR
						 "0/cpufreq/scaling_driver:intel_cpufreq\n");
	const struct governor_reading *r = reading_governor(s);

	assert_int_equal(s->status, SECTION_OK);
	assert_u64(r->cpus, 2);
	assert_str(r->governor, "performance");
	assert_str(r->governors, "performance");
	assert_u64(r->not_performance, 0);
	assert_str(r->driver, "intel_cpufreq");
	section_unref(s);
}

static void one_cpu_differs(void **state)
{
	(void)state;
	struct section *s = sect_parse(SECTION_GOVERNOR, "performance\npowersave\nperformance\n");
	const struct governor_reading *r = reading_governor(s);

	assert_u64(r->cpus, 3);
	assert_str(r->governor, "performance");
	assert_str(r->governors, "performance,powersave");
	assert_u64(r->not_performance, 1);
	section_unref(s);
}

/* Many EC2 types expose none: known to be absent, and no fault. */
static void absent(void **state)
{
	(void)state;
	static const char *const texts[] = {
		"cat: '/sys/devices/system/cpu/cpu*/cpufreq/scaling_governor': No such file or "
		"directory\n",
		"",
	};

	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		struct section *s = sect_parse(SECTION_GOVERNOR, texts[i]);
		const struct governor_reading *r = reading_governor(s);

		assert_int_equal(s->status, SECTION_OK);
		assert_u64(r->cpus, 0);
		assert_int_equal(r->governor.state, OPT_UNSUPPORTED);
		assert_int_equal(r->not_performance.state, OPT_UNSUPPORTED);
		section_unref(s);
	}
}

/* Silence of a command that did not end proves nothing. */
static void no_answer_is_not_absence(void **state)
{
	(void)state;
	struct section_meta meta = SECTION_META_INIT;

	meta.exit_code = 124;
	struct section *s = section_parse(SECTION_GOVERNOR, span_of(""), meta);

	assert_int_equal(s->status, SECTION_TIMEOUT);
	assert_unset(reading_governor(s)->cpus);
	assert_int_equal(reading_governor(s)->governor.state, OPT_UNKNOWN);
	section_unref(s);
}

static void unreadable_cpu(void **state)
{
	(void)state;
	struct section *s = sect_parse(SECTION_GOVERNOR,
		"performance\ncat: " DIR "1/cpufreq/scaling_governor: Input/output error\n");
	const struct governor_reading *r = reading_governor(s);

	assert_int_equal(s->status, SECTION_PARTIAL);
	assert_unset(r->cpus);
	assert_unset(r->not_performance);
	section_unref(s);
}

static void cut_anywhere(void **state)
{
	(void)state;
	sect_check_robust(SECTION_GOVERNOR, DIR "0/cpufreq/scaling_governor:performance\n" DIR
						"1/cpufreq/scaling_governor:powersave\n" DIR
						"0/cpufreq/scaling_driver:intel_cpufreq\n");
	sect_check_robust(SECTION_GOVERNOR, "performance\npowersave\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_the_same),
		cmocka_unit_test(one_cpu_differs),
		cmocka_unit_test(absent),
		cmocka_unit_test(no_answer_is_not_absence),
		cmocka_unit_test(unreadable_cpu),
		cmocka_unit_test(cut_anywhere),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
