#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "tests/lib/sect.h"

static const char proc_stat[] =
	"cpu  1000 10 500 8000 400 20 30 40 5 0\n"
	"cpu0 500 5 250 4000 200 10 15 20 0 0\n"
	"cpu1 500 5 250 4000 200 10 15 20 0 0\n"
	"ctxt 38014093\n"
	"btime 1418183276\n"
	"processes 26442\n"
	"procs_running 2\n"
	"procs_blocked 1\n"
	"/proc/pressure/cpu:some avg10=1.50 avg60=1.00 avg300=0.50 total=123\n"
	"/proc/pressure/io:some avg10=12.25 avg60=3.00 avg300=1.00 total=456\n"
	"/proc/pressure/io:full avg10=10.00 avg60=2.00 avg300=0.90 total=400\n"
	"/proc/pressure/memory:some avg10=0.00 avg60=0.00 avg300=0.00 total=0\n";

static void reads_the_probe(void **state)
{
	(void)state;
	struct section *s = sect_parse(SECTION_CPU, proc_stat);
	const struct cpu_reading *r = reading_cpu(s);

	assert_int_equal(s->status, SECTION_OK);
	assert_u64(r->cpus, 2);
	assert_u64(r->user_ticks, 1000);
	assert_u64(r->nice_ticks, 10);
	assert_u64(r->system_ticks, 500);
	assert_u64(r->idle_ticks, 8000);
	assert_u64(r->iowait_ticks, 400);
	assert_u64(r->irq_ticks, 20);
	assert_u64(r->softirq_ticks, 30);
	assert_u64(r->steal_ticks, 40);
	/* 400 of 10000: guest time is inside user time and not counted again. */
	assert_f64(r->iowait_boot_pct, 4.0);
	assert_unset(r->iowait_pct);
	assert_u64(r->btime, 1418183276);
	assert_u64(r->procs_running, 2);
	assert_u64(r->procs_blocked, 1);
	assert_f64(r->psi_cpu_some10, 1.5);
	assert_f64(r->psi_io_some10, 12.25);
	assert_f64(r->psi_io_full10, 10.0);
	assert_f64(r->psi_mem_some10, 0.0);
	section_unref(s);
}

static void two_blocks_give_an_interval(void **state)
{
	(void)state;
	/* iowait steps back by 3, as it may: counted as none. */
	struct section *s = sect_parse(SECTION_CPU, "cpu  1000 0 500 8000 403 0 0 0 0 0\nbtime "
						    "1\ncpu  1050 0 510 8020 400 0 0 20 0 0\n");
	const struct cpu_reading *r = reading_cpu(s);

	assert_f64(r->user_pct, 50);
	assert_f64(r->system_pct, 10);
	assert_f64(r->idle_pct, 20);
	assert_f64(r->iowait_pct, 0);
	assert_f64(r->steal_pct, 20);
	assert_u64(r->user_ticks, 1050);
	section_unref(s);
	s = sect_parse(SECTION_CPU, "cpu  1 0 5 8 4 0 0 0\ncpu  1 0 5 8 4 0 0 0\n");
	assert_unset(reading_cpu(s)->iowait_pct);
	section_unref(s);
}

static void old_kernel_without_iowait(void **state)
{
	(void)state;
	struct section *s = sect_parse(SECTION_CPU, "cpu  100 0 50 800\n");
	const struct cpu_reading *r = reading_cpu(s);

	assert_u64(r->idle_ticks, 800);
	assert_unset(r->iowait_ticks);
	assert_unset(r->iowait_boot_pct);
	section_unref(s);
}

static void iostat_last_report_counts(void **state)
{
	(void)state;
	struct section *s = sect_parse(SECTION_CPU,
		"Linux 6.1.0 (n0) \t01.12.2026 \t_x86_64_\t(96 CPU)\n\n"
		"avg-cpu:  %user   %nice %system %iowait  %steal   %idle\n"
		"          11,53    0,00    4,24    9,28    0,39   74,56\n\n\n\n"
		"avg-cpu:  %user   %nice %system %iowait  %steal   %idle\n"
		"\033[34;1m   13,13\033[0m\033[34;22m    0,00    7,07   22,50    0,51   56,79\n\n");
	const struct cpu_reading *r = reading_cpu(s);

	assert_int_equal(s->status, SECTION_OK);
	assert_u64(r->reports, 2);
	assert_u64(r->cpus, 96);
	assert_f64(r->user_pct, 13.13);
	assert_f64(r->iowait_pct, 22.5);
	assert_f64(r->idle_pct, 56.79);
	assert_f64(r->iowait_boot_pct, 9.28);
	section_unref(s);
}

static void iostat_single_report_is_noted(void **state)
{
	(void)state;
	struct section *s = sect_parse(SECTION_CPU,
		"     avg-cpu:  %user   %nice %system %iowait  %steal   %idle\n"
		"                7.83    0.00   25.33   66.84    0.00    0.00\n     \n"
		"     Device:         rrqm/s   wrqm/s\n     vda               0.50     7.50\n");
	const struct cpu_reading *r = reading_cpu(s);

	assert_f64(r->iowait_pct, 66.84);
	assert_f64(r->iowait_boot_pct, 66.84);
	assert_true(sect_has_unread(s, "interval"));
	section_unref(s);
}

static void what_is_not_there(void **state)
{
	(void)state;
	struct section *s = sect_parse(SECTION_CPU, "bash: line 1: iostat: command not found\n");

	assert_int_equal(s->status, SECTION_UNAVAILABLE);
	assert_str(reading_cpu(s)->error, "bash: line 1: iostat: command not found");
	assert_unset(reading_cpu(s)->iowait_pct);
	section_unref(s);
	s = sect_parse(SECTION_CPU, "");
	assert_int_equal(s->status, SECTION_PARTIAL);
	section_unref(s);
	s = sect_parse(SECTION_CPU, "cpu  1 x 3 4 5 6 7 8\nprocs_running many\n");
	assert_int_equal(s->status, SECTION_PARTIAL);
	assert_unset(reading_cpu(s)->nice_ticks);
	assert_unset(reading_cpu(s)->iowait_boot_pct);
	assert_unset(reading_cpu(s)->procs_running);
	section_unref(s);
}

/* The intr line can be 100 KB. */
static void long_lines(void **state)
{
	(void)state;
	size_t n = 120000;
	char *text = malloc(n + 200);
	const char *tail = "\nprocs_running 7\n";

	assert_non_null(text);
	memcpy(text, "intr 1", 6);
	for (size_t i = 6; i < n; i++)
		text[i] = i % 2 ? '0' : ' ';
	memcpy(text + n, tail, strlen(tail) + 1);
	struct section *s = sect_parse(SECTION_CPU, text);

	assert_u64(reading_cpu(s)->procs_running, 7);
	section_unref(s);
	free(text);
}

static void cut_anywhere(void **state)
{
	(void)state;
	sect_check_robust(SECTION_CPU, proc_stat);
	sect_check_robust(SECTION_CPU, "avg-cpu:  %user   %nice %system %iowait  %steal   %idle\n"
				       "  11.53    0.00    4.24    9.28    0.39   74.56\n\n"
				       "avg-cpu:  %user   %nice %system %iowait  %steal   %idle\n"
				       "  13.13    0.00    7.07   22.50    0.51   56.79\n\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_the_probe),
		cmocka_unit_test(two_blocks_give_an_interval),
		cmocka_unit_test(old_kernel_without_iowait),
		cmocka_unit_test(iostat_last_report_counts),
		cmocka_unit_test(iostat_single_report_is_noted),
		cmocka_unit_test(what_is_not_there),
		cmocka_unit_test(long_lines),
		cmocka_unit_test(cut_anywhere),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
