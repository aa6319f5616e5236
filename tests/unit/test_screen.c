#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "collectors/compiler.h"
#include "tests/lib/ui_drive.h"
#include "tui/clipboard.h"
#include "tui/input.h"

/* Every screen in every small size and a few large ones, with every key: nothing breaks. */
static void test_every_size(void **state)
{
	static const char *const screens[] = {
		"1", "4", "7", "?", "1 Enter", "4 Enter", "/ x", ": q u"};
	struct ui_drive d;

	(void)state;
	ui_drive_start(&d, ui_fixture_new(12), 80, 24);
	for (size_t i = 0; i < ARRAY_LEN(screens); i++) {
		ui_drive_resize(&d, 80, 24);
		ui_drive_keys(&d, "Esc Esc Esc");
		ui_drive_keys(&d, screens[i]);
		for (int h = 0; h <= 14; h++)
			for (int w = 0; w <= 60; w += w < 6 ? 1 : 7)
				ui_drive_resize(&d, w, h);
		ui_drive_resize(&d, 500, 200);
		ui_drive_keys(&d, "End");
		ui_drive_resize(&d, 1, 1);
		ui_drive_keys(&d, "Down PgDn Home");
	}
	ui_drive_stop(&d);
}

/* The bar does not say that nothing answered while something that answered is judged. */
static void test_bar_beside_findings(void **state)
{
	struct ui_drive d;

	(void)state;
	ui_drive_start(&d, ui_fixture_new(12), 120, 24);
	struct snapshot *snap = d.fixture.snap;

	for (size_t i = 0; i < snap->n; i++) {
		snap->nodes[i].state = NODE_PROBING;
		snap->nodes[i].last_ok_mono_ms = 0;
	}
	snapshot_count(snap);
	assert_int_equal(snap->reached, 0);
	ui_drive_keys(&d, "4");
	assert_false(ui_drive_sees(&d, "no answer yet"));
	assert_true(ui_drive_sees(&d, "0/12 nodes  first answers coming in"));
	for (size_t i = 0; i < snap->n; i++)
		snap->nodes[i].state = NODE_STALE;
	ui_drive_keys(&d, "1");
	assert_true(ui_drive_sees(&d, "no node answers now"));
	d.fixture.jm->concerns = 0;
	ui_drive_keys(&d, "4");
	assert_false(ui_drive_sees(&d, "not judged yet"));
	assert_true(ui_drive_sees(&d, "no concern yet"));
	ui_drive_stop(&d);
}

/* A bounded walk over random keys: no crash, and the status bar stays. */
static void test_random_keys(void **state)
{
	static const char keys[] = "1478?/:jkgGnNsSrctyqhl[]\r\033\t abz \025\027";
	struct ui_drive d;
	uint32_t seed = 12345;

	(void)state;
	ui_drive_start(&d, ui_fixture_new(30), 90, 20);
	for (int i = 0; i < 4000; i++) {
		seed = seed * 1664525u + 1013904223u;
		uint32_t r = seed >> 8;
		uint32_t key = r % 5 ? (unsigned char)keys[r / 7 % (sizeof(keys) - 1)]
				     : INPUT_UP + r / 11 % (INPUT_F12 - INPUT_UP + 1);

		screen_key(d.screen, key);
		if (i % 7 == 0)
			ui_drive_resize(&d, (int)(r % 130), (int)(r / 131 % 45));
		if (i % 97 == 0)
			ui_drive_picture(&d,
				i % 2 ? ui_fixture_new(10 + r % 40) : ui_fixture_waiting(r % 5));
	}
	ui_drive_resize(&d, 100, 20);
	assert_true(ui_drive_sees(&d, "READ-ONLY"));
	ui_drive_stop(&d);
}

static void test_status_bar_keeps_the_essentials(void **state)
{
	struct ui_drive d;

	(void)state;
	ui_drive_start(&d, ui_fixture_new(12), 120, 24);
	assert_true(ui_drive_sees(&d, "hyperpod-perf  DEMO  fixture  9/12 nodes"));
	for (int w = 26; w < 200; w++) {
		ui_drive_resize(&d, w, 10);
		assert_int_equal(ui_drive_row(&d, "9/12"), 0);
		assert_int_equal(ui_drive_row(&d, "DEMO"), 0);
		assert_int_equal(ui_drive_row(&d, "▲ 7"), 0);
		if (w >= 36)
			assert_true(ui_drive_sees(&d, "RO") || ui_drive_sees(&d, "READ-ONLY"));
	}
	ui_drive_stop(&d);
}

static void test_commands(void **state)
{
	struct ui_drive d;

	(void)state;
	ui_drive_start(&d, ui_fixture_new(12), 120, 24);
	ui_drive_keys(&d, ": f i n d Enter");
	assert_true(ui_drive_sees(&d, "Uneven NCCL performance"));
	ui_drive_command(&d, "sort temp");
	assert_true(ui_drive_sees(&d, "this screen is not sorted"));
	ui_drive_command(&d, "nodes");
	ui_drive_command(&d, "sort temp");
	assert_true(ui_drive_sees(&d, "by temp"));
	ui_drive_command(&d, "sort hats");
	assert_true(ui_drive_sees(&d, "no such column"));
	ui_drive_command(&d, "node 0-22");
	assert_true(ui_drive_sees(&d, "iowait 34%"));
	ui_drive_command(&d, "node nowhere");
	assert_true(ui_drive_sees(&d, "no node has that name"));
	ui_drive_command(&d, "fly");
	assert_true(ui_drive_sees(&d, "fly: no such command"));
	ui_drive_command(&d, "   ");
	ui_drive_command(&d, "filter 0-21");
	ui_drive_command(&d, "help");
	assert_true(ui_drive_sees(&d, "open the details of the row"));
	ui_drive_command(&d, "q");
	assert_true(d.flags & SCREEN_QUIT);
	ui_drive_stop(&d);
}

static void test_pause_and_refresh(void **state)
{
	struct ui_drive d;

	(void)state;
	ui_drive_start(&d, ui_fixture_new(12), 120, 24);
	ui_drive_keys(&d, "Space");
	assert_true(d.flags & SCREEN_PAUSE);
	assert_true(screen_paused(d.screen));
	assert_true(ui_drive_sees(&d, "DEMO PAUSED"));
	ui_drive_keys(&d, "Space");
	assert_false(screen_paused(d.screen));
	ui_drive_keys(&d, "F5");
	assert_true(d.flags & SCREEN_REFRESH);
	assert_true(ui_drive_sees(&d, "asking every node now"));
	/* A message goes away by itself. */
	assert_true(
		screen_set_time(d.screen, UI_FIXTURE_MONO_MS + 60000, UI_FIXTURE_WALL_MS + 60000));
	ui_drive_resize(&d, 120, 24);
	assert_false(ui_drive_sees(&d, "asking every node now"));
	/* And every age is a minute older. */
	assert_true(ui_drive_sees(&d, "63s"));
	ui_drive_stop(&d);
}

/* Each key of the table is known, and no key means two things on one screen. */
static void test_keys_are_unambiguous(void **state)
{
	static const unsigned screens[] = {IN_NODES, IN_FINDINGS, IN_DETAIL, IN_LOG, IN_HELP};

	(void)state;
	for (int a = 0; a < ACTION_COUNT; a++) {
		const struct action_desc *desc = action_desc((enum action)a);
		const char *keys = desc->keys;
		uint32_t key;

		assert_true(desc->help[0] != '\0');
		assert_int_equal(desc->hinted & ~desc->where, 0);
		while (input_next_key(&keys, &key)) {
			assert_int_not_equal(key, INPUT_NONE);
			for (size_t i = 0; i < ARRAY_LEN(screens); i++)
				if (desc->where & screens[i])
					assert_int_equal(action_of_key(key, screens[i]), a);
		}
	}
}

static void test_line_editing(void **state)
{
	struct input_line l = {.len = 0};

	(void)state;
	assert_int_equal(input_line_key(&l, 'a'), INPUT_EDITED);
	assert_int_equal(input_line_key(&l, 0x754c), INPUT_EDITED); /* 界 */
	assert_string_equal(l.text, "a界");
	assert_int_equal(input_line_key(&l, INPUT_BACKSPACE), INPUT_EDITED);
	assert_string_equal(l.text, "a");
	assert_int_equal(input_line_key(&l, INPUT_UP), INPUT_UNCHANGED);
	assert_int_equal(input_line_key(&l, 1), INPUT_UNCHANGED);
	for (int i = 0; i < 500; i++)
		input_line_key(&l, 0x1f600);
	assert_true(l.len < sizeof(l.text));
	assert_int_equal(l.text[l.len], '\0');
	assert_int_equal(input_line_key(&l, INPUT_CTRL('u')), INPUT_EDITED);
	assert_int_equal(l.len, 0);
	assert_int_equal(input_line_key(&l, INPUT_BACKSPACE), INPUT_CANCELLED);
	for (const char *s = "two words "; *s; s++)
		input_line_key(&l, (unsigned char)*s);
	input_line_key(&l, INPUT_CTRL('w'));
	assert_string_equal(l.text, "two ");
	assert_true(input_matches("", "anything"));
	assert_true(input_matches("TWO words", "words come two by two"));
	assert_false(input_matches("two three", "two"));
}

static void test_clipboard(void **state)
{
	struct buf out = BUF_INIT(1 << 16);
	static char long_text[CLIPBOARD_MAX + 2];

	(void)state;
	assert_true(clipboard_sequence(&out, "hi!", "xterm-256color", false));
	assert_string_equal(buf_str(&out), "\033]52;c;aGkh\007");
	buf_reset(&out);
	assert_true(clipboard_sequence(&out, "hi", "tmux-256color", true));
	assert_string_equal(
		buf_str(&out), "\033]52;c;aGk=\007\033Ptmux;\033\033]52;c;aGk=\007\033\\");
	buf_reset(&out);
	assert_true(clipboard_sequence(&out, "", "screen", false));
	assert_string_equal(buf_str(&out), "\033P\033]52;c;\007\033\\");
	buf_reset(&out);
	assert_false(clipboard_sequence(&out, "x", "linux", false));
	assert_false(clipboard_sequence(&out, "x", NULL, false));
	memset(long_text, 'x', CLIPBOARD_MAX);
	assert_true(clipboard_sequence(&out, long_text, "xterm", false));
	buf_reset(&out);
	long_text[CLIPBOARD_MAX] = 'x';
	assert_false(clipboard_sequence(&out, long_text, "xterm", false));
	assert_int_equal(out.len, 0);
	buf_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_size),
		cmocka_unit_test(test_bar_beside_findings),
		cmocka_unit_test(test_random_keys),
		cmocka_unit_test(test_status_bar_keeps_the_essentials),
		cmocka_unit_test(test_commands),
		cmocka_unit_test(test_pause_and_refresh),
		cmocka_unit_test(test_keys_are_unambiguous),
		cmocka_unit_test(test_line_editing),
		cmocka_unit_test(test_clipboard),
	};

	return ui_drive_locale() ? cmocka_run_group_tests(tests, NULL, NULL) : 0;
}
