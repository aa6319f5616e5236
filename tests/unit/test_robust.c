/* Medians, quantiles and spreads against a plain sort; with wrong values among them. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "collectors/compiler.h"
#include "rules/robust.h"

static uint32_t state;

static float chance(void)
{
	state = state * 1664525u + 1013904223u;
	return (float)(state >> 8) / 16777216.0f;
}

/* Roughly normal: the sum of twelve. */
static float normal(void)
{
	float sum = -6;

	for (int i = 0; i < 12; i++)
		sum += chance();
	return sum;
}

static int by_value(const void *a, const void *b)
{
	float x = *(const float *)a;
	float y = *(const float *)b;

	return (x > y) - (x < y);
}

/* Shapes that quickselect is known to stumble over. */
static float shaped(size_t shape, size_t i, size_t n)
{
	switch (shape) {
	case 0:
		return chance();
	case 1:
		return (float)i;
	case 2:
		return (float)(n - i);
	case 3:
		return 7;
	case 4:
		return (float)(i % 3);
	default:
		return (float)(i < n / 2 ? i : n - i);
	}
}

static void select_agrees_with_sort(void **ctx)
{
	float v[257];
	float sorted[257];

	(void)ctx;
	state = 1;
	for (size_t n = 1; n <= ARRAY_LEN(v); n += n < 20 ? 1 : 59) {
		for (size_t shape = 0; shape < 6; shape++) {
			for (size_t k = 0; k < n; k += n < 20 ? 1 : 31) {
				for (size_t i = 0; i < n; i++)
					sorted[i] = v[i] = shaped(shape, i, n);
				qsort(sorted, n, sizeof(*sorted), by_value);
				robust_select(v, n, k);
				assert_true(v[k] == sorted[k]);
				for (size_t i = 0; i < n; i++)
					assert_true(i < k ? v[i] <= v[k] : v[i] >= v[k]);
			}
		}
	}
}

static void medians(void **ctx)
{
	float one[] = {3};
	float even[] = {4, 1, 3, 2};
	float odd[] = {9, 1, 5};

	(void)ctx;
	assert_true(isnan(robust_median(one, 0)));
	assert_true(robust_median(one, 1) == 3);
	assert_true(robust_median(even, 4) == 2.5);
	assert_true(robust_median(odd, 3) == 5);
}

static void quantiles(void **ctx)
{
	float v[] = {40, 10, 30, 20, 50};

	(void)ctx;
	assert_true(isnan(robust_quantile(v, 0, 0.5)));
	assert_true(robust_quantile(v, 5, 0) == 10);
	assert_true(robust_quantile(v, 5, 1) == 50);
	assert_true(robust_quantile(v, 5, 0.25) == 20);
	assert_true(fabs(robust_quantile(v, 5, 0.3) - 22) < 1e-6);
	/* The upper one of both, not their mix. */
	assert_true(robust_upper(v, 5, 0.3) == 30);
	assert_true(robust_upper(v, 2, 0.75) == fmaxf(v[0], v[1]));
	assert_true(isnan(robust_upper(v, 0, 0.5)));
}

static void mean_leaves_out_what_is_far(void **ctx)
{
	float v[] = {10, 11, 9, 10, 1000};

	(void)ctx;
	assert_true(fabs(robust_mean(v, 5, 3) - 10) < 1e-6);
	assert_true(isnan(robust_mean(v, 0, 3)));
	/* Nothing within reach of the middle of two: it stays the middle. */
	v[0] = 1;
	v[1] = 3;
	assert_true(robust_mean(v, 2, 0.5) == 2);
}

static void spread_of_what_is_healthy(void **ctx)
{
	static float v[4000];

	(void)ctx;
	state = 5;
	for (size_t i = 0; i < ARRAY_LEN(v); i++)
		v[i] = 100 + 2 * normal();
	assert_true(fabs(robust_spread(v, ARRAY_LEN(v), 100) - 2) < 0.1);
	/* One in ten is anything. */
	for (size_t i = 0; i < ARRAY_LEN(v); i++)
		v[i] = i % 10 ? 100 + 2 * normal() : -1e6f;
	assert_true(fabs(robust_spread(v, ARRAY_LEN(v), 100) - 2) < 0.25);
	v[0] = v[1] = v[2] = 5;
	assert_true(robust_spread(v, 3, 5) == 0);
	assert_true(isnan(robust_spread(v, 0, 5)));
}

static void shortest_half_with_many_slow(void **ctx)
{
	static float v[1000];
	float two[] = {1, 4};

	(void)ctx;
	state = 9;
	for (size_t i = 0; i < ARRAY_LEN(v); i++)
		v[i] = normal();
	assert_true(fabs(robust_shortest_half(v, ARRAY_LEN(v)) - 1) < 0.15);
	/* Three in ten far below: wider, but no wilder than that. */
	for (size_t i = 0; i < ARRAY_LEN(v); i++)
		v[i] = normal() - (i % 10 < 3 ? 50 + 50 * chance() : 0);
	assert_in_range((int)(10 * robust_shortest_half(v, ARRAY_LEN(v))), 10, 20);
	assert_true(robust_shortest_half(two, 1) == 0);
	assert_true(robust_shortest_half(two, 2) > 2);
	assert_true(isnan(robust_shortest_half(two, 0)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(select_agrees_with_sort),
		cmocka_unit_test(medians),
		cmocka_unit_test(quantiles),
		cmocka_unit_test(mean_leaves_out_what_is_far),
		cmocka_unit_test(spread_of_what_is_healthy),
		cmocka_unit_test(shortest_half_with_many_slow),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
