/* Lists and squares of pairs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "collectors/compiler.h"
#include "tests/lib/bw_seen.h"

static void check_fixture(const char *file, enum bw_kind kind, const char *want)
{
	struct bw_seen s = BW_SEEN_INIT;
	static const size_t pieces[] = {0, 1};

	for (size_t i = 0; i < ARRAY_LEN(pieces); i++) {
		bw_seen_fixture(&s, file, pieces[i]);
		assert_string_equal(buf_str(&s.text), want);
		assert_int_equal(s.kind, kind);
	}
	bw_seen_release(&s);
}

static void check_text(const char *text, enum bw_kind kind, const char *want)
{
	struct bw_seen s = BW_SEEN_INIT;

	bw_seen_read(&s, NULL, text, strlen(text), 0);
	assert_string_equal(buf_str(&s.text), want);
	assert_int_equal(s.kind, kind);
	bw_seen_release(&s);
}

static void test_list(void **state)
{
	(void)state;
	check_fixture("pairs.csv", BW_KIND_CSV,
		"pair gpu-1 gpu-2 48.25 17179869184 all_reduce\n"
		"pair gpu-1 gpu-3 47.5 17179869184 sendrecv\n"
		"unread 5 pair\n"
		"unread 6 pair\n");
	check_fixture("semicolons.csv", BW_KIND_CSV, "pair gpu-1 gpu-2 48.2505 0 unknown\n");
	check_text("\xef\xbb\xbfnode_a,node_b,busbw_gbps\na,b,1e2\na,b,-1\na,b,1e999", BW_KIND_CSV,
		"pair a b 100 0 unknown\nunread 3 pair\nunread 4 pair\n");
	check_text(
		"src\tdst\tbus_bw (Gbit/s)\na\tb\t400\n", BW_KIND_CSV, "pair a b 50 0 unknown\n");
}

static void test_square(void **state)
{
	(void)state;
	check_fixture("square.csv", BW_KIND_PAIR_TABLE,
		"pair gpu-1 gpu-2 48.2 0 unknown\n"
		"pair gpu-1 gpu-3 47.5 0 unknown\n"
		"pair gpu-2 gpu-1 48.1 0 unknown\n"
		"pair gpu-3 gpu-1 47 0 unknown\n"
		"unread 4 pair\n");
	/* A name twice, and rows that are none of the names. */
	check_text(",a,a\na,1,2\n", BW_KIND_UNKNOWN, "");
	check_text(",a,b\nc,1,2\n", BW_KIND_UNKNOWN, "");
}

/* Tables that name no node say so; without a figure, too. */
static void test_refused(void **state)
{
	(void)state;
	check_fixture("aws_results.csv", BW_KIND_CSV, "unread 1 table\n");
	check_text("node_a,node_b,latency_us\na,b,3\n", BW_KIND_CSV, "unread 1 table of pairs\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_list),
		cmocka_unit_test(test_square),
		cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
