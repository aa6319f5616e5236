#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "tests/lib/want.h"
#include "tests/lib/sect.h"

#define GPU(i, field, want) want_row(s, "gpu", i, field, want)

static void the_probes_columns(void **state)
{
	(void)state;
	struct section *s = want_fixture(SECTION_GPU, "probe-two-gpus.txt");

	want_status(s, SECTION_OK);
	want_value(s, "gpus", "2");
	want_value(s, "driver", "570.133.20");
	want_value(s, "columns", "32");
	want_value(s, "lost", "0");
	GPU(0, "health", "ok");
	GPU(0, "power_w", "612.4");
	GPU(0, "util_pct", "97");
	GPU(0, "reasons_active", "");
	GPU(0, "retired_pending", NULL);
	want_state(s, "gpu", 0, "retired_pending", OPT_UNSUPPORTED);
	GPU(0, "mig", "Disabled");
	GPU(1, "temp_c", "89");
	GPU(1, "width", "8");
	GPU(1, "width_max", "16");
	GPU(1, "reasons_active", "hw_slowdown,sw_thermal,hw_thermal");
	GPU(1, "remap_pending", "yes");
	GPU(1, "remap_failure", "no");
	GPU(1, "ecc_unc_vol", "3");
	GPU(1, "recovery_action", "Reset");
	GPU(1, "fabric_state", "Completed");
	section_unref(s);
}

/* The sentence fails the section, yet the GPUs that answer alone are read. */
static void a_lost_gpu_and_the_others(void **state)
{
	(void)state;
	struct section *s = want_fixture(SECTION_GPU, "lost-then-each.txt");

	want_status(s, SECTION_FAILED);
	want_value(s, "failed_bus", "0000:83:00.0");
	want_value(s, "error", "GPU is lost.  Reboot the system to recover this GPU");
	want_value(s, "lost", "1");
	want_rows(s, "gpu", 2);
	GPU(0, "index", "0");
	GPU(1, "index", "2");
	GPU(1, "bus", "00000000:94:00.0");
	section_unref(s);
}

static void a_gpu_that_comes_twice_is_one(void **state)
{
	(void)state;
	struct section *s = want_fixture(SECTION_GPU, "rows-then-lost.txt");

	want_rows(s, "gpu", 2);
	GPU(0, "temp_c", "43");
	GPU(1, "index", "2");
	want_value(s, "lost", "1");
	want_value(s, "error", "Unknown Error");
	section_unref(s);
}

static void cells_that_hold_no_value(void **state)
{
	(void)state;
	struct section *s = want_fixture(SECTION_GPU, "units-reset.txt");

	want_status(s, SECTION_PARTIAL);
	want_value(s, "gpus", "4");
	want_value(s, "lost", "2");
	GPU(0, "health", "ok");
	GPU(0, "mem_used_mib", "1034");
	GPU(0, "power_w", "88.25");
	GPU(0, "sm_mhz", "1410");
	GPU(1, "health", "reset_required");
	GPU(1, "temp_c", NULL);
	want_state(s, "gpu", 1, "temp_c", OPT_ERROR);
	GPU(1, "mem_used_mib", "0");
	GPU(2, "health", "error");
	GPU(2, "mem_used_mib", NULL);
	GPU(3, "health", "lost");
	GPU(3, "util_pct", NULL);
	assert_int_equal(s->unread_n, 3);
	section_unref(s);
}

static void old_names_and_other_columns(void **state)
{
	(void)state;
	struct section *s = want_fixture(SECTION_GPU, "old-names-other-order.txt");

	want_value(s, "gpus", "1");
	GPU(0, "name", "Tesla V100-SXM2-32GB");
	GPU(0, "power_w", "61.2");      /* the instant column stands in */
	GPU(0, "power_limit_w", "250"); /* the limit in force */
	GPU(0, "reasons", "0x0000000000000005");
	GPU(0, "reasons_active", "gpu_idle,sw_power_cap");
	GPU(0, "retired_pending", "yes");
	GPU(0, "uuid", NULL);
	section_unref(s);
}

static void rows_without_header(void **state)
{
	(void)state;
	struct section *s = want_fixture(SECTION_GPU, "headerless.txt");

	want_value(s, "gpus", "4");
	GPU(2, "temp_c", "32");
	GPU(2, "util_pct", "20");
	GPU(3, "bus", "00000000:20:1D.0");
	section_unref(s);

	s = want_fixture(SECTION_GPU, "headerless-comma-name.txt");
	GPU(0, "name", "Brand X1, special edition");
	GPU(0, "remap_failure", "no");
	want_value(s, "partial_rows", "1");
	want_value(s, "gpus", NULL);
	section_unref(s);

	s = sect_parse(SECTION_GPU, "1, 2, 3, 4\n5, 6, 7, 8\n");
	want_status(s, SECTION_FAILED);
	want_rows(s, "gpu", 0);
	assert_non_null(strstr(s->unread[0].why, "no header: columns unknown"));
	section_unref(s);
}

/* "1" of a width that was 16 must not become x1. */
static void a_row_cut_in_a_cell(void **state)
{
	(void)state;
	struct section *s = want_fixture(SECTION_GPU, "cut-in-a-cell.txt");

	want_status(s, SECTION_PARTIAL);
	want_value(s, "gpus", NULL);
	want_value(s, "lost", NULL);
	want_value(s, "partial_rows", "1");
	GPU(1, "bus", "00000000:64:00.0");
	GPU(1, "width", NULL);
	GPU(1, "health", NULL);
	section_unref(s);
}

static void sentences(void **state)
{
	static const struct {
		const char *fixture;
		const char *error;
		const char *bad_field;
	} cases[] = {
		{"bad-field.txt", "Field \"fabric.health.summary\" is not a valid field to query.",
			"fabric.health.summary"},
		{"version-mismatch.txt", "Driver/library version mismatch", NULL},
		{"no-driver.txt",
			"NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA "
			"driver. "
			"Make sure that the latest NVIDIA driver is installed and running.",
			NULL},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct section *s = want_fixture(SECTION_GPU, cases[i].fixture);

		want_status(s, SECTION_FAILED);
		want_value(s, "gpus", NULL);
		want_value(s, "lost", NULL);
		want_value(s, "error", cases[i].error);
		want_value(s, "bad_field", cases[i].bad_field);
		section_unref(s);
	}
}

static void no_devices_is_an_answer(void **state)
{
	(void)state;
	struct section *s = want_fixture(SECTION_GPU, "no-devices.txt");

	want_value(s, "gpus", "0");
	want_value(s, "error", "No devices were found");
	section_unref(s);
}

static void the_default_table(void **state)
{
	(void)state;
	struct section *s = want_fixture(SECTION_GPU, "table.txt");

	want_status(s, SECTION_PARTIAL);
	want_value(s, "gpus", "2");
	want_value(s, "driver", "570.133.20");
	want_value(s, "lost", "1");
	GPU(0, "name", "NVIDIA H200");
	GPU(0, "temp_c", "36");
	GPU(0, "power_w", "94");
	GPU(0, "power_limit_w", "700");
	GPU(0, "mem_used_mib", "1034");
	GPU(0, "util_pct", "17");
	GPU(0, "health", "ok");
	GPU(1, "health", "error");
	GPU(1, "persistence", "Disabled");
	GPU(1, "temp_c", NULL);
	GPU(1, "ecc_unc_vol", NULL);
	section_unref(s);
}

static void nothing_is_not_healthy(void **state)
{
	static const char *const texts[] = {
		"", "\n\n", "#@ gpu\n", "\xff\xfe\x01", "{\"gpus\": 8}\n", ","};
	struct section_meta gone = {.exit_code = 127, .run_ms = -1};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		struct section *s = sect_parse(SECTION_GPU, texts[i]);

		want_status(s, SECTION_FAILED);
		want_value(s, "gpus", NULL);
		section_unref(s);
	}
	struct section *s =
		section_parse(SECTION_GPU, span_of("#! not available: nvidia-smi\n"), gone);

	want_status(s, SECTION_UNAVAILABLE);
	want_value(s, "error", "not available: nvidia-smi");
	section_unref(s);
	s = sect_parse(SECTION_GPU, "sh: 1: nvidia-smi: not found\n");
	want_status(s, SECTION_UNAVAILABLE);
	section_unref(s);
}

static void values_that_do_not_fit(void **state)
{
	(void)state;
	struct section *s =
		sect_parse(SECTION_GPU, "index, temperature.gpu, memory.used, "
					"clocks_event_reasons.active, remapped_rows.pending\n"
					"0, hot, 99999999999999999999999, 12, Maybe\n"
					"1, 40, 5 potatoes, 0x1, Yes\n");

	want_status(s, SECTION_PARTIAL);
	GPU(0, "temp_c", NULL);
	GPU(0, "mem_used_mib", NULL);
	GPU(0, "reasons", NULL);
	GPU(0, "reasons_active", NULL);
	GPU(0, "remap_pending", NULL);
	GPU(1, "mem_used_mib", NULL);
	GPU(1, "remap_pending", "yes");
	section_unref(s);
}

static void whatever_is_cut_or_broken(void **state)
{
	static const char *const fixtures[] = {"probe-two-gpus.txt", "lost-then-each.txt",
		"units-reset.txt", "old-names-other-order.txt", "headerless.txt", "no-devices.txt",
		"bad-field.txt", "no-driver.txt", "table.txt"};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(fixtures); i++)
		want_robust(SECTION_GPU, fixtures[i]);
}

/* Thousands of rows or columns end at a cap, not in memory. */
static void floods(void **state)
{
	size_t len = 1u << 20;
	char *text = test_malloc(len + 1);
	struct section_meta meta = SECTION_META_INIT;
	size_t n = (size_t)snprintf(text, len, "index, name\n");

	(void)state;
	while (n + 16 < len)
		n += (size_t)snprintf(text + n, len - n, "7, GPU\n");
	struct section *s = section_parse(SECTION_GPU, (struct span){text, n}, meta);

	assert_true(reading_gpu(s)->gpu_n <= SECTION_ROWS_MAX);
	assert_true(s->unread_n > 0);
	section_unref(s);
	memset(text, ',', len);
	s = section_parse(SECTION_GPU, (struct span){text, len}, meta);
	want_status(s, SECTION_FAILED);
	section_unref(s);
	test_free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_probes_columns),
		cmocka_unit_test(a_lost_gpu_and_the_others),
		cmocka_unit_test(a_gpu_that_comes_twice_is_one),
		cmocka_unit_test(cells_that_hold_no_value),
		cmocka_unit_test(old_names_and_other_columns),
		cmocka_unit_test(rows_without_header),
		cmocka_unit_test(a_row_cut_in_a_cell),
		cmocka_unit_test(sentences),
		cmocka_unit_test(no_devices_is_an_answer),
		cmocka_unit_test(the_default_table),
		cmocka_unit_test(nothing_is_not_healthy),
		cmocka_unit_test(values_that_do_not_fit),
		cmocka_unit_test(whatever_is_cut_or_broken),
		cmocka_unit_test(floods),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
