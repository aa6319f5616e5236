#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collectors/xmalloc.h"
#include "rules/cause.h"
#include "tests/lib/sweep_fixture.h"
#include "tests/lib/ui_fixture.h"
#include "tui/heat.h"
#include "tui/heat_words.h"

static void test_levels(void **state)
{
	(void)state;
	struct sweep_picture *p = sweep_fixture(32, 1, NULL);
	const struct heat_levels *l = p->levels;
	const struct pair_set *s = p->set;

	assert_int_equal(l->n, 32);
	/* The slow node with a healthy one, the slow link, the failed run, the untested node. */
	assert_in_range(l->deficit[pair_index(32, 5, 20)], HEAT_LOST + 15, HEAT_LOST + 21);
	assert_in_range(l->deficit[pair_index(32, 9, 14)], HEAT_LOST + 37, HEAT_LOST + 43);
	assert_int_equal(l->deficit[pair_index(32, 3, 7)], HEAT_FAILED);
	assert_int_equal(l->deficit[pair_index(32, 2, 7)], HEAT_NONE);
	assert_int_equal(l->failed, 1);
	assert_true(isnan(l->node_mean[7]));
	assert_true(l->node_mean[5] > 15 && l->node_mean[20] < 3);
	for (size_t a = 0; a < s->n; a++)
		for (size_t b = a + 1; b < s->n; b++) {
			uint8_t level = l->deficit[pair_index(s->n, a, b)];

			assert_true((level == HEAT_NONE || level == HEAT_FAILED) ==
				    (isnan(pair_set_busbw(s, a, b)) != 0));
		}
	sweep_picture_free(p);
}

/* A topology effect is what is expected there, no deficit; speed shows it. */
static void test_class_is_no_deficit(void **state)
{
	(void)state;
	struct sweep_picture *p = sweep_fixture(64, 1, NULL);
	size_t cross = pair_index(64, 2, 40);

	assert_true(heat_step(p->levels->deficit[cross]) <= 1);
	assert_true(heat_step(p->levels->speed[cross]) >= 3);
	sweep_picture_free(p);
}

static void test_axis(void **state)
{
	(void)state;
	struct sweep_picture *p = sweep_fixture(64, 1, NULL);
	struct heat_axis a = {0};
	bool seen[64] = {false};

	heat_axis_make(&a, p->set, p->at, "");
	assert_int_equal(a.n, 64);
	for (size_t i = 0; i < a.n; i++) {
		assert_false(seen[a.node[i]]);
		seen[a.node[i]] = true;
		assert_int_equal(a.at[a.node[i]], i);
		assert_int_equal(a.border[i], i > 0 && i % 8 == 0);
	}
	/* The suspect leads its leaf; the untested node ends it. */
	assert_int_equal(a.node[0], 5);
	assert_int_equal(a.node[7], 7);
	heat_axis_make(&a, p->set, p->at, "leaf3");
	assert_int_equal(a.n, 8);
	assert_int_equal(a.at[5], UINT16_MAX);
	heat_axis_make(&a, p->set, p->at, "nobody");
	assert_int_equal(a.n, 0);
	heat_axis_release(&a);
	sweep_picture_free(p);
}

/* Numbers in names are numbers: 9 before 10. */
static void test_natural_order(void **state)
{
	(void)state;
	static const char *const names[] = {"gpu-10", "gpu-9", "gpu-100", "gpu-1", NULL};
	struct sweep_picture *p = sweep_fixture(4, 1, names);
	struct heat_axis a = {0};
	char order[64] = "";
	size_t used = 0;

	/* Suspects aside: there are too few nodes for any. */
	heat_axis_make(&a, p->set, p->at, "");
	for (size_t i = 0; i < a.n; i++) {
		bool suspect = false;

		for (size_t k = 0; k < p->at->n_nodes; k++)
			suspect |= p->at->nodes[k].node == a.node[i];
		if (!suspect)
			used += (size_t)snprintf(order + used, sizeof(order) - used, "%s ",
				p->set->nodes[a.node[i]].name);
	}
	assert_non_null(strstr("gpu-1 gpu-9 gpu-10 gpu-100 ", order));
	heat_axis_release(&a);
	sweep_picture_free(p);
}

static void check_groups(const struct heat_axis *a, size_t lo, size_t hi, size_t most)
{
	struct heat_groups g = {0};

	heat_groups_make(&g, a, lo, hi, most);
	assert_true(g.n >= 1 && g.n <= most);
	assert_int_equal(g.first[0], lo);
	assert_int_equal(g.first[g.n], hi);
	for (size_t k = 0; k < g.n; k++) {
		assert_true(g.first[k] < g.first[k + 1]);
		for (size_t i = g.first[k]; i < g.first[k + 1]; i++)
			assert_int_equal(heat_groups_find(&g, i), k);
	}
	if (most >= hi - lo)
		assert_int_equal(g.n, hi - lo);
	heat_groups_release(&g);
}

static void test_groups(void **state)
{
	(void)state;
	struct sweep_picture *p = sweep_fixture(200, 0.2, NULL);
	struct heat_axis a = {0};

	heat_axis_make(&a, p->set, p->at, "");
	for (size_t most = 1; most < 210; most++) {
		check_groups(&a, 0, 200, most);
		check_groups(&a, 13, 77, most);
	}
	/* With room for it, no group reaches over a border. */
	struct heat_groups g = {0};

	heat_groups_make(&g, &a, 0, 200, 60);
	for (size_t k = 0; k < g.n; k++)
		for (size_t i = g.first[k] + 1u; i < g.first[k + 1]; i++)
			assert_false(a.border[i]);
	heat_groups_release(&g);
	heat_axis_release(&a);
	sweep_picture_free(p);
}

/* Whatever the size of the cells, the worst of all pairs is among them, and each cell is its worst. */
static void test_fold_hides_nothing(void **state)
{
	(void)state;
	struct sweep_picture *p = sweep_fixture(100, 1, NULL);
	const uint8_t *levels = p->levels->deficit;
	struct heat_axis a = {0};
	struct heat_groups rows = {0};
	struct heat_groups cols = {0};

	heat_axis_make(&a, p->set, p->at, "");
	for (size_t most = 1; most <= 100; most += 7) {
		heat_groups_make(&rows, &a, 0, 100, most);
		heat_groups_make(&cols, &a, 0, 100, most * 2);
		uint8_t *worst = heat_fold(&a, &rows, &cols, levels, 100);

		for (size_t r = 0; r < rows.n; r++)
			for (size_t c = 0; c < cols.n; c++) {
				struct heat_cell cell =
					heat_cell_look(&a, &rows, &cols, r, c, levels, 100);

				assert_int_equal(cell.worst, worst[r * cols.n + c]);
				if (cell.pairs)
					assert_int_equal(levels[pair_index(100, a.node[cell.row],
								 a.node[cell.col])],
						cell.worst);
			}
		for (size_t i = 0; i < 100; i++)
			for (size_t j = 0; j < 100; j++)
				if (i != j)
					assert_true(
						worst[heat_groups_find(&rows, a.at[i]) * cols.n +
							heat_groups_find(&cols, a.at[j])] >=
						levels[pair_index(100, i, j)]);
		free(worst);
	}
	heat_groups_release(&rows);
	heat_groups_release(&cols);
	heat_axis_release(&a);
	sweep_picture_free(p);
}

static void test_ramp(void **state)
{
	(void)state;
	int last = 0;

	for (int lost = 0; lost <= 100; lost++) {
		int step = heat_step((uint8_t)(HEAT_LOST + lost));

		assert_true(step >= last && step < HEAT_STEPS);
		assert_true(lost >= heat_step_from(step));
		last = step;
	}
	assert_int_equal(last, HEAT_STEPS - 1);
	/* Every step, failed and not measured look different without colour. */
	for (int ascii = 0; ascii < 2; ascii++)
		for (int i = -2; i < HEAT_STEPS; i++)
			for (int j = -2; j < i; j++) {
				uint8_t x = i == -2   ? HEAT_NONE
					    : i == -1 ? HEAT_FAILED
						      : (uint8_t)(HEAT_LOST + heat_step_from(i));
				uint8_t y = j == -2   ? HEAT_NONE
					    : j == -1 ? HEAT_FAILED
						      : (uint8_t)(HEAT_LOST + heat_step_from(j));

				assert_string_not_equal(heat_glyph(x, ascii), heat_glyph(y, ascii));
			}
}

static void test_words(void **state)
{
	(void)state;
	char out[200];
	struct pair_left_out l = {.failed = 2, .truncated = 1};

	assert_string_equal(heat_size_words(out, sizeof(out), (uint64_t)8 << 30), "8 GiB");
	assert_string_equal(heat_size_words(out, sizeof(out), 1536), "1536 B");
	assert_string_equal(heat_size_words(out, sizeof(out), 8589934560), "8.00 GiB");
	assert_string_equal(heat_size_words(out, sizeof(out), UINT64_MAX), "16777216.00 TiB");
	assert_string_equal(heat_left_out_words(out, sizeof(out), &l), "2 failed, 1 cut off");
}

static void test_causes(void **state)
{
	(void)state;
	struct ui_fixture f = ui_fixture_new(12);
	struct cause c[CAUSES_MAX];
	size_t most = 0;

	for (size_t node = 0; node < f.snap->n; node++) {
		size_t n = cause_rank(f.jm, node, c);

		most = n > most ? n : most;
		for (size_t i = 0; i < n; i++) {
			assert_true(finding_has_node(c[i].finding, node));
			assert_non_null(c[i].reason);
			if (i)
				assert_true(c[i - 1].weight >= c[i].weight);
		}
	}
	assert_true(most >= 1);
	assert_int_equal(cause_rank(NULL, 0, c), 0);
	ui_fixture_free(&f);
}

/* Every rule that the table of causes names is in the catalog. */
static void test_causes_exist(void **state)
{
	(void)state;
	struct catalog *catalog;
	struct err e = ERR_INIT;
	enum cause_weight w;
	size_t known = 0;

	assert_int_equal(catalog_builtin(&catalog, &e), ERR_OK);
	for (size_t i = 0; i < catalog_count(catalog); i++)
		known += cause_reason(catalog_at(catalog, i)->id, &w) != NULL;
	assert_int_equal(known, cause_count());
	catalog_free(catalog);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_levels),
		cmocka_unit_test(test_class_is_no_deficit),
		cmocka_unit_test(test_axis),
		cmocka_unit_test(test_natural_order),
		cmocka_unit_test(test_groups),
		cmocka_unit_test(test_fold_hides_nothing),
		cmocka_unit_test(test_ramp),
		cmocka_unit_test(test_words),
		cmocka_unit_test(test_causes),
		cmocka_unit_test(test_causes_exist),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
