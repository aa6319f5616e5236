#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "collectors/clock.h"
#include "collectors/compiler.h"
#include "collectors/xmalloc.h"
#include "tests/lib/ui_drive.h"
#include "tui/node_columns.h"

static void test_concerns_first(void **state)
{
	struct ui_drive d;

	(void)state;
	ui_drive_start(&d, ui_fixture_new(12), 120, 40);
	int hot = ui_drive_row(&d, "ip-10-1-0-19");
	int lost = ui_drive_row(&d, "ip-10-1-0-24");
	int waiting = ui_drive_row(&d, "ip-10-1-0-18");
	int fine = ui_drive_row(&d, "ip-10-1-0-28");

	assert_true(hot > 0 && hot < lost);
	assert_true(lost < waiting);
	assert_true(waiting < fine);
	assert_true(ui_drive_selected(&d, "ip-10-1-0-19"));
	ui_drive_stop(&d);
}

/* Not only text: the concern is drawn as a concern, the healthy calm, the lost apart. */
static void test_styles(void **state)
{
	struct ui_drive d;

	(void)state;
	ui_drive_start(&d, ui_fixture_new(12), 120, 40);
	assert_int_equal(ui_drive_style(&d, "GPU 2 is at 91"), STYLE_CONCERN);
	assert_int_equal(ui_drive_style(&d, "91  97%"), STYLE_CONCERN);
	assert_int_equal(ui_drive_style(&d, "31/32"), STYLE_CONCERN);
	assert_int_equal(ui_drive_style(&d, "7/8"), STYLE_BRIGHT); /* no rule said so */
	assert_int_equal(ui_drive_style(&d, "no answer in 10 s"), STYLE_LOST);
	assert_int_equal(ui_drive_style(&d, "95s"), STYLE_LOST);
	assert_int_equal(ui_drive_style(&d, "9/12 nodes"), STYLE_LOST);
	assert_int_equal(ui_drive_style(&d, "▲ 7 concerns"), STYLE_CONCERN);
	/* Unknowns are counted when all have answered or failed, not before. */
	assert_false(ui_drive_sees(&d, "4 unknown"));
	struct ui_fixture done = ui_fixture_healthy(12);

	done.jm->unknown = 3;
	ui_drive_picture(&d, done);
	assert_int_equal(ui_drive_style(&d, "? 3 unknown"), STYLE_UNKNOWN);
	ui_drive_stop(&d);
}

/* Unknown is "-": a node without an answer shows no number at all. */
static void test_unknown_is_not_zero(void **state)
{
	struct ui_drive d;
	struct buf out = BUF_INIT(1 << 20);

	(void)state;
	ui_drive_start(&d, ui_fixture_waiting(12), 120, 40);
	assert_int_equal(grid_dump(&d.grid, &out), ERR_OK);
	const char *row = strstr(buf_str(&out), "ip-10-1-0-17");

	assert_non_null(row);
	size_t n = strcspn(row, "\n");

	for (size_t i = strlen("ip-10-1-0-17"); i < n; i++)
		assert_true(row[i] < '0' || row[i] > '9');
	assert_true(ui_drive_sees(&d, "not judged yet"));
	assert_false(ui_drive_sees(&d, "0 concerns"));
	buf_release(&out);
	ui_drive_stop(&d);
}

static void test_sorting(void **state)
{
	static const char *const names[] = {"state", "name", "group", "type", "finding", "gpu",
		"temp", "use", "efa", "iowait", "root", "age", "trend"};
	struct ui_fixture f = ui_fixture_new(40);
	struct node_row *rows = xcalloc(40, sizeof(*rows));

	(void)state;
	for (size_t c = 0; c < ARRAY_LEN(names); c++) {
		size_t col = node_columns_find(names[c]);

		assert_int_equal(col, c);
		for (int desc = 0; desc < 2; desc++) {
			node_rows_make(rows, f.snap, f.jm);
			node_columns_sort(rows, 40, col, desc);
			for (size_t i = 1; i < 40; i++) {
				int cmp = node_columns_at(col)->compare(&rows[i - 1], &rows[i]);

				assert_true(cmp != 2); /* unknown never before known */
				if (cmp == 0)
					assert_true(rows[i - 1].index < rows[i].index);
				else if (cmp != -2)
					assert_true(desc ? cmp > 0 : cmp < 0);
			}
		}
	}
	assert_int_equal(node_columns_find("io"), COLUMN_IOWAIT);
	assert_int_equal(node_columns_find("g"), SIZE_MAX); /* group or gpu */
	assert_int_equal(node_columns_find("nothing"), SIZE_MAX);
	assert_int_equal(node_columns_find(""), SIZE_MAX);
	free(rows);
	ui_fixture_free(&f);
}

static void test_selection_stays(void **state)
{
	struct ui_drive d;

	(void)state;
	ui_drive_start(&d, ui_fixture_new(12), 120, 40);
	ui_drive_keys(&d, "Down Down");
	assert_true(ui_drive_selected(&d, "ip-10-1-0-21"));
	/* All of them healthy: another order, the same node. */
	ui_drive_picture(&d, ui_fixture_healthy(12));
	assert_true(ui_drive_selected(&d, "ip-10-1-0-21"));
	ui_drive_command(&d, "sort name");
	assert_true(ui_drive_selected(&d, "ip-10-1-0-21"));
	/* It is gone: still a row, no crash. */
	ui_drive_picture(&d, ui_fixture_waiting(2));
	assert_true(ui_drive_sees(&d, "ip-10-1-0-17"));
	ui_drive_stop(&d);
}

/* The operator who did not move stays at the top, where new concerns appear. */
static void test_untouched_stays_on_top(void **state)
{
	struct ui_drive d;

	(void)state;
	ui_drive_start(&d, ui_fixture_healthy(12), 120, 40);
	assert_true(ui_drive_selected(&d, "ip-10-1-0-17"));
	ui_drive_picture(&d, ui_fixture_new(12));
	assert_true(ui_drive_selected(&d, "ip-10-1-0-19"));
	ui_drive_stop(&d);
}

static void test_filter(void **state)
{
	struct ui_drive d;

	(void)state;
	ui_drive_start(&d, ui_fixture_new(12), 120, 40);
	ui_drive_keys(&d, "/ R O O T");
	assert_true(ui_drive_sees(&d, "ip-10-1-0-21"));
	assert_false(ui_drive_sees(&d, "ip-10-1-0-22"));
	ui_drive_keys(&d, "Space V O L Enter"); /* both words */
	assert_true(ui_drive_sees(&d, "ip-10-1-0-21"));
	ui_drive_keys(&d, "Esc");
	assert_true(ui_drive_sees(&d, "ip-10-1-0-22"));
	ui_drive_keys(&d, "/ q q q Enter");
	assert_true(ui_drive_sees(&d, "no node matches"));
	ui_drive_keys(&d, "Enter y Down End"); /* on no row */
	ui_drive_keys(&d, "Esc c");
	assert_false(ui_drive_sees(&d, "ip-10-1-0-28"));
	assert_true(ui_drive_sees(&d, "ip-10-1-0-24"));
	ui_drive_keys(&d, "Esc");
	assert_true(ui_drive_sees(&d, "ip-10-1-0-28"));
	ui_drive_stop(&d);
}

static void test_thousand_nodes(void **state)
{
	struct ui_drive d;

	(void)state;
	ui_drive_start(&d, ui_fixture_new(1024), 120, 40);
	for (int i = 0; i < 100; i++)
		ui_drive_keys(&d, "PgDn");
	ui_drive_keys(&d, "End");
	assert_true(ui_drive_sees(&d, "ip-10-1-5-40"));
	ui_drive_keys(&d, "g");
	assert_true(ui_drive_selected(&d, "ip-10-1-0-19"));
	ui_drive_stop(&d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_concerns_first),
		cmocka_unit_test(test_styles),
		cmocka_unit_test(test_unknown_is_not_zero),
		cmocka_unit_test(test_sorting),
		cmocka_unit_test(test_selection_stays),
		cmocka_unit_test(test_untouched_stays_on_top),
		cmocka_unit_test(test_filter),
		cmocka_unit_test(test_thousand_nodes),
	};

	return ui_drive_locale() ? cmocka_run_group_tests(tests, NULL, NULL) : 0;
}
