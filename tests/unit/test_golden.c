/*
 * Whole frames as text, compared with tests/golden/<name>.txt. With
 * GOLDEN_UPDATE=1 the files are written instead (make golden-update): look at the
 * difference before it is committed.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <locale.h>
#include <string.h>

#include "collectors/compiler.h"
#include "tests/lib/sweep_fixture.h"
#include "tests/lib/ui_fixture.h"
#include "tui/input.h"
#include "tui/screen.h"

struct frame_case {
	const char *name;
	const char *fixture; /* "fleet" "waiting" "healthy" */
	const char *keys;    /* names as in input.h */
	const char *command; /* after the keys; NULL none */
	bool ascii;
	const char *sweep; /* NULL none, "empty", "healthy", or how many nodes */
};

static const struct frame_case cases[] = {
	{"nodes", "fleet", "", NULL, false, NULL},
	{"nodes-ascii", "fleet", "", NULL, true, NULL},
	{"nodes-waiting", "waiting", "", NULL, false, NULL},
	{"nodes-healthy", "healthy", "", NULL, false, NULL},
	{"nodes-concerns", "fleet", "c", NULL, false, NULL},
	{"nodes-filter", "fleet", "/ 2 3 Enter", NULL, false, NULL},
	{"nodes-by-temp", "fleet", "", "sort temp", false, NULL},
	{"nodes-end", "fleet", "End", NULL, false, NULL},
	{"nodes-command", "fleet", ": s o r t", NULL, false, NULL},
	{"findings", "fleet", "4", NULL, false, NULL},
	{"findings-ascii", "fleet", "4", NULL, true, NULL},
	{"findings-none", "healthy", "4", NULL, false, NULL},
	{"detail", "fleet", "Enter", NULL, false, NULL},
	{"detail-next", "fleet", "Enter Tab", NULL, false, NULL},
	{"detail-readings", "fleet", "Enter End", NULL, false, NULL},
	{"detail-lost", "fleet", "", "node ip-10-1-0-24", false, NULL},
	{"detail-unread", "fleet", "", "node ip-10-1-0-26", false, NULL},
	{"detail-cluster", "fleet", "4 Enter", NULL, false, NULL},
	{"help", "fleet", "?", NULL, false, NULL},
	{"log", "fleet", "7", NULL, false, NULL},
	{"heatmap-none", "fleet", "2", NULL, false, NULL},
	{"heatmap-empty", "fleet", "2", NULL, false, "empty"},
	{"heatmap-healthy", "fleet", "2", NULL, false, "healthy"},
	{"heatmap-8", "fleet", "2", NULL, false, "8"},
	{"heatmap-64", "fleet", "2", NULL, false, "64"},
	{"heatmap-64-ascii", "fleet", "2", NULL, true, "64"},
	{"heatmap-64-gbps", "fleet", "2 m", NULL, false, "64"},
	{"heatmap-64-next", "fleet", "2 Tab Tab", NULL, false, "64"},
	{"heatmap-64-zoom", "fleet", "2 + +", NULL, false, "64"},
	{"heatmap-64-closer", "fleet", "2 Tab Tab Enter", NULL, false, "64"},
	{"heatmap-64-pair", "fleet", "2 Tab Tab Enter Enter", NULL, false, "64"},
	{"heatmap-64-list", "fleet", "2 w", NULL, false, "64"},
	{"heatmap-64-filter", "fleet", "2 / l e a f 2 Enter", NULL, false, "64"},
	{"heatmap-64-node", "fleet", "", "node ip-10-1-0-22", false, "64"},
	{"heatmap-1024", "fleet", "2", NULL, false, "1024"},
	{"heatmap-1024-closer", "fleet", "2 Enter", NULL, false, "1024"},
};

static const struct {
	int w, h;
} sizes[] = {{120, 40}, {80, 24}, {40, 10}};

static struct ui_fixture fixture(const char *name)
{
	return strcmp(name, "waiting") == 0   ? ui_fixture_waiting(12)
	       : strcmp(name, "healthy") == 0 ? ui_fixture_healthy(12)
					      : ui_fixture_new(12);
}

/* The first nodes of the sweep are those of the fleet; the slow one is ip-10-1-0-22. */
static struct sweep_picture *sweep_of(const struct frame_case *c)
{
	static const char *const names[] = {"ip-10-1-0-17", "ip-10-1-0-18", "ip-10-1-0-19",
		"ip-10-1-0-20", "ip-10-1-0-21", "ip-10-1-0-22", "ip-10-1-0-23", "ip-10-1-0-24",
		NULL};

	if (!c->sweep)
		return NULL;
	if (strcmp(c->sweep, "empty") == 0)
		return sweep_fixture_empty();
	if (strcmp(c->sweep, "healthy") == 0)
		return sweep_fixture_healthy(16);
	size_t n = strtoul(c->sweep, NULL, 10);

	return sweep_fixture(n, 1, n > 8 ? names : NULL);
}

static void frame(const struct frame_case *c, int w, int h, struct buf *out)
{
	struct ui_fixture f = fixture(c->fixture);
	struct screen *s = screen_new(c->ascii, view_at(0));
	struct sweep_picture *sweep = sweep_of(c);
	struct grid g = GRID_INIT;
	const char *keys = c->keys;
	uint32_t key;

	screen_set_time(s, UI_FIXTURE_MONO_MS, UI_FIXTURE_WALL_MS);
	screen_set_picture(s, f.snap, f.jm);
	if (sweep)
		screen_set_sweep(s, sweep);
	grid_resize(&g, w, h);
	screen_draw(s, &g);
	while (input_next_key(&keys, &key)) {
		screen_key(s, key);
		screen_draw(s, &g);
	}
	if (c->command)
		screen_command(s, c->command);
	screen_draw(s, &g);
	assert_int_equal(grid_dump(&g, out), ERR_OK);
	grid_release(&g);
	screen_free(s);
	sweep_picture_free(sweep);
	ui_fixture_free(&f);
}

static void compare(const char *path, const struct buf *got)
{
	struct buf want = BUF_INIT(1 << 20);
	struct err e = ERR_INIT;

	if (getenv("GOLDEN_UPDATE")) {
		FILE *out = fopen(path, "w");

		assert_non_null(out);
		assert_int_equal(fwrite(got->data, 1, got->len, out), got->len);
		assert_int_equal(fclose(out), 0);
		return;
	}
	if (buf_read_file(&want, path, &e) != ERR_OK)
		fail_msg("%s (make golden-update writes it)", e.msg);
	if (strcmp(buf_str(&want), buf_str(got)) != 0)
		fail_msg("%s differs. Now:\n%s\nBefore:\n%s", path, buf_str(got), buf_str(&want));
	buf_release(&want);
}

static void test_frames(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		for (size_t k = 0; k < ARRAY_LEN(sizes); k++) {
			struct buf got = BUF_INIT(1 << 20);
			char path[128];

			frame(&cases[i], sizes[k].w, sizes[k].h, &got);
			snprintf(path, sizeof(path), "tests/golden/%s-%dx%d.txt", cases[i].name,
				sizes[k].w, sizes[k].h);
			compare(path, &got);
			buf_release(&got);
		}
}

/* In ASCII every byte that is drawn is one. */
static void test_ascii_is_ascii(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct frame_case c = cases[i];
		struct buf got = BUF_INIT(1 << 20);

		c.ascii = true;
		frame(&c, 120, 40, &got);
		for (size_t k = 0; k < got.len; k++)
			assert_true((unsigned char)got.data[k] < 0x80);
		buf_release(&got);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_frames),
		cmocka_unit_test(test_ascii_is_ascii),
	};

	if (!setlocale(LC_CTYPE, "C.UTF-8") && !setlocale(LC_CTYPE, "en_US.UTF-8")) {
		fputs("test_golden: skipped: no UTF-8 locale on this machine\n", stderr);
		return 0;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
