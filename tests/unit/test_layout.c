#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "collectors/compiler.h"
#include "tui/layout.h"

static const struct column cols[] = {
	{"A", 3, 10, 0, 0, false, false},
	{"B", 5, 0, 1, 2, false, false},
	{"C", 4, 4, 3, 1, true, false},
	{"D", 6, 0, 0, 3, true, false},
};

static int sum(const int *w, size_t n, int gap)
{
	int total = 0;
	int shown = 0;

	for (size_t i = 0; i < n; i++) {
		total += w[i];
		shown += w[i] > 0;
	}
	return total + (shown > 1 ? gap * (shown - 1) : 0);
}

/* For every width: never too wide, something is always shown, and the order of going holds. */
static void test_columns_fit(void **state)
{
	int w[ARRAY_LEN(cols)];

	(void)state;
	for (int width = 1; width < 200; width++) {
		layout_columns(cols, ARRAY_LEN(cols), width, 2, w);
		assert_true(sum(w, ARRAY_LEN(cols), 2) <= width);
		assert_true(w[0] > 0);
		assert_true(!w[3] || w[1]);
		assert_true(!w[1] || w[2]);
		if (width >= 3)
			for (size_t i = 0; i < ARRAY_LEN(cols); i++)
				assert_true(w[i] == 0 || w[i] >= cols[i].min);
		if (width >= 40) /* all shown, and what grows takes all that is left */
			assert_int_equal(sum(w, ARRAY_LEN(cols), 2), width);
	}
}

static void test_columns_exact(void **state)
{
	struct column two[] = {cols[0], cols[2]};
	int w[4];

	(void)state;
	layout_columns(cols, 4, 24, 2, w); /* the four minima and their gaps */
	assert_int_equal(w[0], 3);
	assert_int_equal(w[1], 5);
	assert_int_equal(w[2], 4);
	assert_int_equal(w[3], 6);
	layout_columns(cols, 4, 23, 2, w);
	assert_int_equal(w[3], 0);
	assert_int_equal(w[0] + w[1] + w[2] + 4, 23);
	two[1].hidden = true;
	layout_columns(two, 2, 80, 2, w);
	assert_int_equal(w[0], 10);
	assert_int_equal(w[1], 0);
}

static void test_rects(void **state)
{
	struct rect r = {0, 0, 10, 3};
	struct rect top = layout_top(&r, 2);
	struct rect bottom = layout_bottom(&r, 5);

	(void)state;
	assert_int_equal(top.h, 2);
	assert_int_equal(bottom.h, 1);
	assert_int_equal(bottom.y, 2);
	assert_int_equal(r.h, 0);
	assert_int_equal(layout_top(&r, 1).h, 0);
}

static void assert_in_sight(const struct scroll *s)
{
	assert_true(s->n == 0 || s->at < s->n);
	if (s->n && s->page) {
		assert_true(s->at >= s->top);
		assert_true(s->at < s->top + s->page);
	}
}

static void test_scroll(void **state)
{
	struct scroll s = {.n = 100, .page = 10};
	int first;
	int len;

	(void)state;
	scroll_by(&s, -1);
	assert_int_equal(s.at, 0);
	for (int i = 0; i < 25; i++) {
		scroll_by(&s, 7);
		assert_in_sight(&s);
	}
	assert_int_equal(s.at, 99);
	assert_int_equal(s.top, 90);
	scroll_by(&s, -1000000);
	assert_int_equal(s.at, 0);
	scroll_to(&s, 50);
	assert_in_sight(&s);
	s.n = 3; /* rows went away */
	scroll_fix(&s);
	assert_int_equal(s.at, 2);
	assert_int_equal(s.top, 0);
	s.n = 0;
	scroll_fix(&s);
	scroll_by(&s, 1);
	assert_int_equal(s.at, 0);

	s = (struct scroll){.n = 1000, .page = 10};
	scroll_thumb(&s, 10, &first, &len);
	assert_int_equal(first, 0);
	assert_int_equal(len, 1);
	scroll_to(&s, 999);
	scroll_thumb(&s, 10, &first, &len);
	assert_int_equal(first, 9);
	s = (struct scroll){.n = 10, .page = 10};
	scroll_thumb(&s, 10, &first, &len);
	assert_int_equal(len, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_columns_fit),
		cmocka_unit_test(test_columns_exact),
		cmocka_unit_test(test_rects),
		cmocka_unit_test(test_scroll),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
