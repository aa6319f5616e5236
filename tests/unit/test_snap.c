/* The helper that other tests stand on. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "tests/lib/snap.h"

static void new_picture_is_all_reached(void **state)
{
	(void)state;
	struct snapshot *snap = snap_new(3);

	assert_int_equal(snap->n, 3);
	assert_int_equal(snap->reached, 3);
	assert_true(snap->complete);
	assert_string_equal(snap->nodes[2].id, "node03");
	assert_null(snap->nodes[0].section[SECTION_CPU]);
	snapshot_free(snap);
}

static void advance_shares_and_then_follows(void **state)
{
	(void)state;
	struct snapshot *a = snap_new(1);

	snap_section(a, 0, SECTION_CPU, "x\n");
	struct snapshot *b = snap_advance(a, 5000);

	assert_ptr_equal(a->nodes[0].section[SECTION_CPU], b->nodes[0].section[SECTION_CPU]);
	snap_section(b, 0, SECTION_CPU, "y\n");
	assert_ptr_equal(a->nodes[0].section[SECTION_CPU], b->nodes[0].prev[SECTION_CPU]);
	assert_int_equal(b->nodes[0].section[SECTION_CPU]->meta.mono_ms -
				 b->nodes[0].prev[SECTION_CPU]->meta.mono_ms,
		5000);
	snapshot_free(a);
	assert_int_equal(snapshot_age_ms(b, b->nodes[0].prev[SECTION_CPU]), 5000);
	snapshot_free(b);
}

static void failed_node_has_no_values(void **state)
{
	(void)state;
	struct snapshot *a = snap_new(2);

	snap_section_all(a, SECTION_CPU, "x\n");
	snap_state(a, 1, NODE_FAILED, "no answer in 10 s");
	assert_int_equal(a->reached, 1);
	assert_null(a->nodes[1].section[SECTION_CPU]);
	assert_string_equal(a->nodes[1].error, "no answer in 10 s");
	snapshot_free(a);
	assert_null(snap_raw_dir("/nowhere/at/all"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(new_picture_is_all_reached),
		cmocka_unit_test(advance_shares_and_then_follows),
		cmocka_unit_test(failed_node_has_no_values),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
