#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <locale.h>
#include <string.h>

#include "collectors/compiler.h"
#include "tui/grid.h"
#include "tui/theme.h"

/* The invariants of grid.h. */
static void assert_sane(const struct grid *g)
{
	for (int y = 0; y < g->h; y++)
		for (int x = 0; x < g->w; x++) {
			const struct grid_cell *c = grid_at(g, x, y);
			const struct grid_cell *left = grid_at(g, x - 1, y);

			assert_in_range(c->width, 0, 2);
			assert_true(strlen(c->text) < GRID_TEXT_MAX);
			if (c->width == 0) {
				assert_string_equal(c->text, "");
				assert_non_null(left);
				assert_int_equal(left->width, 2);
			} else {
				assert_true(c->text[0] != '\0');
				assert_true((unsigned char)c->text[0] >= 0x20);
			}
			if (c->width == 2)
				assert_int_equal(grid_at(g, x + 1, y)->width, 0);
		}
}

static void assert_text(const struct grid *g, const char *want)
{
	struct buf out = BUF_INIT(1 << 16);

	assert_sane(g);
	assert_int_equal(grid_dump(g, &out), ERR_OK);
	assert_string_equal(buf_str(&out), want);
	buf_release(&out);
}

static void test_put_and_clip(void **state)
{
	struct grid g = GRID_INIT;

	(void)state;
	grid_resize(&g, 6, 2);
	assert_int_equal(grid_put(&g, grid_rect(&g), 4, 0, STYLE_TEXT, "abcdef", -1), 2);
	assert_int_equal(grid_put(&g, grid_rect(&g), -2, 1, STYLE_TEXT, "abcdef", -1), 6);
	assert_text(&g, "    ab\ncdef\n");
	assert_int_equal(grid_put(&g, grid_rect(&g), 0, -1, STYLE_TEXT, "no", -1), 0);
	assert_int_equal(grid_put(&g, grid_rect(&g), 0, 2, STYLE_TEXT, "no", -1), 0);
	grid_put(&g, (struct rect){2, 0, 2, 1}, 0, 0, STYLE_TEXT, "wxyz!", -1);
	assert_text(&g, "  yzab\ncdef\n");
	grid_release(&g);
}

static void test_sizes(void **state)
{
	static const int sides[] = {-5, 0, 1, 2, 3, GRID_SIDE_MAX, 1 << 30};
	struct grid g = GRID_INIT;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(sides); i++) {
		grid_resize(&g, sides[i], 2);
		assert_in_range(g.w, 0, GRID_SIDE_MAX);
		grid_put(&g, grid_rect(&g), 0, 0, STYLE_TEXT, "界界界", -1);
		grid_put_right(&g, grid_rect(&g), 0, 1, g.w, STYLE_TEXT, "long enough");
		grid_put_cut(&g, grid_rect(&g), 0, 1, g.w, STYLE_TEXT, "界界界");
		grid_fill(&g, (struct rect){-3, -3, 5, 5}, STYLE_TEXT);
		assert_sane(&g);
	}
	grid_release(&g);
}

static void test_wide_characters(void **state)
{
	struct grid g = GRID_INIT;

	(void)state;
	grid_resize(&g, 5, 1);
	assert_int_equal(grid_width("界x"), 3);
	grid_put(&g, grid_rect(&g), 0, 0, STYLE_TEXT, "界界", -1);
	assert_text(&g, "界界\n");
	/* Over either half: the other half must not stay. */
	grid_put(&g, grid_rect(&g), 1, 0, STYLE_TEXT, "a", -1);
	assert_text(&g, " a界\n");
	grid_put(&g, grid_rect(&g), 2, 0, STYLE_TEXT, "b", -1);
	assert_text(&g, " ab\n");
	/* Half of it outside, on either side. */
	grid_erase(&g);
	grid_put(&g, grid_rect(&g), 4, 0, STYLE_TEXT, "界", -1);
	assert_text(&g, "\n");
	grid_put(&g, grid_rect(&g), -1, 0, STYLE_TEXT, "界x", -1);
	assert_text(&g, " x\n");
	/* A wide one over the middle of two. */
	grid_erase(&g);
	grid_put(&g, grid_rect(&g), 0, 0, STYLE_TEXT, "界界", -1);
	grid_put(&g, grid_rect(&g), 1, 0, STYLE_TEXT, "世", -1);
	assert_text(&g, " 世\n");
	assert_int_equal(grid_put(&g, grid_rect(&g), 0, 0, STYLE_TEXT, "界界", 3), 2);
	grid_release(&g);
}

static void test_combining_and_broken(void **state)
{
	struct grid g = GRID_INIT;

	(void)state;
	grid_resize(&g, 8, 1);
	grid_put(&g, grid_rect(&g), 0, 0, STYLE_TEXT, "e\xcc\x81x", -1);
	assert_string_equal(grid_at(&g, 0, 0)->text, "e\xcc\x81");
	assert_string_equal(grid_at(&g, 1, 0)->text, "x");
	/* Control bytes, broken and overlong UTF-8, a lone mark: never reach a cell. */
	grid_erase(&g);
	grid_put(&g, grid_rect(&g), 0, 0, STYLE_TEXT, "\033[\x80\xff\xc0\xaf\xe2\x82", -1);
	assert_text(&g, "?[??????\n");
	grid_erase(&g);
	grid_put(&g, grid_rect(&g), 0, 0, STYLE_TEXT, "\xcc\x81z\xed\xa0\x80", -1);
	assert_text(&g, "?z???\n");
	/* More marks than a cell holds. */
	grid_erase(&g);
	grid_put(&g, grid_rect(&g), 0, 0, STYLE_TEXT,
		"a\xcc\x81\xcc\x81\xcc\x81\xcc\x81\xcc\x81\xcc\x81\xcc\x81\xcc\x81\xcc\x81\xcc\x81"
		"\xcc\x81"
		"b",
		-1);
	assert_sane(&g);
	assert_string_equal(grid_at(&g, 1, 0)->text, "b");
	grid_release(&g);
}

static void test_cut_and_right(void **state)
{
	struct grid g = GRID_INIT;
	int used;

	(void)state;
	grid_resize(&g, 6, 1);
	assert_int_equal(grid_put_cut(&g, grid_rect(&g), 0, 0, 4, STYLE_TEXT, "abcdef"), 4);
	assert_text(&g, "abc…\n");
	grid_erase(&g);
	grid_put_right(&g, grid_rect(&g), 0, 0, 6, STYLE_TEXT, "12");
	assert_text(&g, "    12\n");
	grid_erase(&g);
	g.ascii = true;
	grid_put_cut(&g, grid_rect(&g), 0, 0, 4, STYLE_TEXT, "→bcdef");
	assert_text(&g, ">bc~\n");
	assert_int_equal(grid_fit("界界x", 3, &used), 3);
	assert_int_equal(used, 2);
	assert_int_equal(grid_fit("", 3, &used), 0);
	assert_int_equal(grid_fit("abc", 0, &used), 0);
	grid_release(&g);
}

static void test_styles_and_find(void **state)
{
	struct grid g = GRID_INIT;
	int x;
	int y;

	(void)state;
	grid_resize(&g, 10, 3);
	g.back = BACK_SELECTED;
	grid_put(&g, grid_rect(&g), 3, 1, STYLE_CONCERN, "界hot", -1);
	g.back = BACK_NONE;
	assert_true(grid_find(&g, "hot", &x, &y));
	assert_int_equal(x, 5);
	assert_int_equal(y, 1);
	assert_int_equal(grid_at(&g, x, y)->style, STYLE_CONCERN);
	assert_int_equal(grid_at(&g, x, y)->back, BACK_SELECTED);
	assert_false(grid_find(&g, "cold", &x, &y));
	grid_set_back(&g, (struct rect){0, 1, 10, 1}, BACK_BAR);
	assert_int_equal(grid_at(&g, 0, 1)->back, BACK_BAR);
	assert_null(grid_at(&g, 10, 0));
	assert_null(grid_at(&g, 0, -1));
	grid_release(&g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_put_and_clip),
		cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_wide_characters),
		cmocka_unit_test(test_combining_and_broken),
		cmocka_unit_test(test_cut_and_right),
		cmocka_unit_test(test_styles_and_find),
	};

	if (!setlocale(LC_CTYPE, "C.UTF-8") && !setlocale(LC_CTYPE, "en_US.UTF-8")) {
		fputs("test_grid: skipped: no UTF-8 locale on this machine\n", stderr);
		return 0;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
