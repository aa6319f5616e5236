#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "collectors/compiler.h"
#include "tests/lib/ui_drive.h"

static void test_finding_is_told_whole(void **state)
{
	struct ui_drive d;

	(void)state;
	ui_drive_start(&d, ui_fixture_new(12), 120, 60);
	ui_drive_keys(&d, "Enter");
	assert_true(ui_drive_sees(&d, "At 88 °C an H100"));
	assert_true(ui_drive_sees(&d, "gpu.temp_c 91 C (>= 88) · read 3 s ago · 3 readings agree"));
	assert_true(ui_drive_sees(&d, "→ hyperpod-node-debugger § G GPU / Accelerator"));
	assert_true(ui_drive_sees(&d, "Look further (read-only)"));
	assert_true(ui_drive_sees(&d, "Suggested command (run this yourself)"));
	assert_true(ui_drive_sees(&d, "stops every job on the node"));
	assert_true(ui_drive_sees(&d, "NVIDIA H100 SXM5 software throttle point"));
	/* The other one is folded, until it is the turn of it. */
	assert_true(ui_drive_sees(&d, "GPU 2 runs at 47 %"));
	assert_false(ui_drive_sees(&d, "likely being throttled"));
	ui_drive_keys(&d, "Tab");
	assert_true(ui_drive_sees(&d, "likely being throttled"));
	assert_false(ui_drive_sees(&d, "At 88 °C an H100"));
	ui_drive_keys(&d, "[");
	assert_true(ui_drive_sees(&d, "At 88 °C an H100"));
	/* The row of the GPU in question stands out. */
	assert_int_equal(ui_drive_style(&d, "2  91 C"), STYLE_CONCERN);
	assert_int_equal(ui_drive_style(&d, "1  90 C"), STYLE_TEXT);
	ui_drive_stop(&d);
}

/* y gives what is read-only, unless the operator stands on the command itself. */
static void test_copy_is_harmless(void **state)
{
	struct ui_drive d;

	(void)state;
	ui_drive_start(&d, ui_fixture_new(12), 120, 60);
	ui_drive_keys(&d, "Enter y");
	assert_true(d.flags & SCREEN_COPY);
	assert_string_equal(
		screen_copy_text(d.screen), "nvidia-smi -q -i 2 -d TEMPERATURE,PERFORMANCE");
	for (int i = 0; i < 60 && strncmp(screen_copy_text(d.screen), "scontrol", 8) != 0; i++)
		ui_drive_keys(&d, "Down y");
	assert_string_equal(screen_copy_text(d.screen),
		"scontrol update nodename=ip-10-1-0-19 state=drain reason=hot-gpu-2");
	ui_drive_stop(&d);
}

/* A command longer than the panel is copied whole from each of its lines. */
static void test_copy_of_a_wrapped_line(void **state)
{
	struct ui_drive d;
	size_t whole = 0;

	(void)state;
	ui_drive_start(&d, ui_fixture_new(12), 40, 60);
	ui_drive_keys(&d, "Enter");
	for (int i = 0; i < 60; i++) {
		ui_drive_keys(&d, "Down y");
		whole += strcmp(screen_copy_text(d.screen), "scontrol update nodename=ip-10-1-0-19 "
							    "state=drain reason=hot-gpu-2") == 0;
	}
	assert_true(whole >= 2);
	ui_drive_stop(&d);
}

static void test_lost_and_unread(void **state)
{
	struct ui_drive d;

	(void)state;
	ui_drive_start(&d, ui_fixture_new(12), 120, 60);
	ui_drive_command(&d, "node ip-10-1-0-24");
	assert_true(ui_drive_sees(&d, "never answered"));
	assert_true(ui_drive_sees(&d, "no answer in 10 s (connect)"));
	assert_true(ui_drive_sees(&d, "next try in 12 s"));
	assert_true(ui_drive_sees(&d, "Not answered:"));
	ui_drive_command(&d, "node ip-10-1-0-26");
	assert_true(ui_drive_sees(&d, "link 7 could not be read: the line is cut off"));
	assert_int_equal(ui_drive_style(&d, "link 7 could"), STYLE_UNKNOWN);
	ui_drive_stop(&d);
}

static void test_cluster_finding_names_both_sides(void **state)
{
	struct ui_drive d;

	(void)state;
	ui_drive_start(&d, ui_fixture_new(12), 120, 60);
	ui_drive_keys(&d, "4 Enter");
	assert_true(ui_drive_sees(&d, "The whole cluster"));
	assert_true(ui_drive_sees(&d, "1 differ, 7 same"));
	assert_true(ui_drive_sees(&d, "1.43.2"));
	assert_true(ui_drive_sees(&d, "ip-10-1-0-[17,19-22,25-28]"));
	assert_true(ui_drive_sees(&d, "not known")); /* those that did not answer, not left out */
	ui_drive_stop(&d);
}

static void test_back_and_changes_below(void **state)
{
	struct ui_drive d;

	(void)state;
	ui_drive_start(&d, ui_fixture_new(12), 120, 40);
	ui_drive_keys(&d, "Enter Tab");
	/* The findings go away, then the node itself. */
	ui_drive_picture(&d, ui_fixture_healthy(12));
	assert_true(ui_drive_sees(&d, "no finding here"));
	ui_drive_keys(&d, "Tab ] [ y End Home");
	ui_drive_picture(&d, ui_fixture_waiting(1));
	assert_true(ui_drive_sees(&d, "is not in the picture any more"));
	ui_drive_keys(&d, "y Tab Esc");
	assert_true(ui_drive_sees(&d, "1 nodes"));
	ui_drive_keys(&d, "Enter q");
	assert_false(d.flags & SCREEN_QUIT);
	ui_drive_keys(&d, "q");
	assert_true(d.flags & SCREEN_QUIT);
	ui_drive_stop(&d);
}

static void test_search(void **state)
{
	struct ui_drive d;

	(void)state;
	ui_drive_start(&d, ui_fixture_new(12), 120, 20);
	ui_drive_keys(&d, "Enter / f s x Enter");
	assert_true(ui_drive_sees(&d, "/fsx"));
	ui_drive_keys(&d, "n N Esc");
	assert_true(ui_drive_sees(&d, "finding 1 of 2")); /* Esc dropped the words first */
	ui_drive_stop(&d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_finding_is_told_whole),
		cmocka_unit_test(test_copy_is_harmless),
		cmocka_unit_test(test_copy_of_a_wrapped_line),
		cmocka_unit_test(test_lost_and_unread),
		cmocka_unit_test(test_cluster_finding_names_both_sides),
		cmocka_unit_test(test_back_and_changes_below),
		cmocka_unit_test(test_search),
	};

	return ui_drive_locale() ? cmocka_run_group_tests(tests, NULL, NULL) : 0;
}
