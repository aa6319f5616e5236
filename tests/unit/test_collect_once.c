#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "tests/lib/snap.h"
#include "tui/collect_once.h"

/* At every width: within it, whole names only, and the count always first. */
static void test_progress(void **state)
{
	struct snapshot *snap = snap_new(24);
	char line[256];

	(void)state;
	for (size_t i = 18; i < 24; i++)
		snap->nodes[i].state = i < 22 ? NODE_CONNECTING : NODE_PENDING;
	snap->nodes[18].error = "key exchange";
	snap->nodes[0].state = NODE_FAILED;
	for (size_t width = 12; width < sizeof(line); width++) {
		memset(line, 'x', sizeof(line));
		collect_progress(snap, width, line, sizeof(line));
		assert_true(strlen(line) <= width);
		assert_int_equal(strncmp(line, "18/24 nodes", 11), 0);
		const char *last = strrchr(line, ' ');

		assert_true(!strcmp(line, "18/24 nodes") || !strcmp(last, " ...") ||
			    line[strlen(line) - 1] == ')');
	}
	collect_progress(snap, 60, line, sizeof(line));
	assert_string_equal(line, "18/24 nodes, waiting for node19 (key exchange), ...");
	snapshot_free(snap);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_progress)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
