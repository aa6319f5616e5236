/* nccom-test's text, and the JSON reports of both tools. */
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
	static const size_t pieces[] = {0, 1, 13};

	for (size_t i = 0; i < ARRAY_LEN(pieces); i++) {
		bw_seen_fixture(&s, file, pieces[i]);
		assert_string_equal(buf_str(&s.text), want);
		assert_int_equal(s.kind, kind);
	}
	bw_seen_release(&s);
}

/* Columns by their words; the heading of the second stream follows the first average. */
static void test_text(void **state)
{
	(void)state;
	check_fixture("nccom.log", BW_KIND_NCCOM,
		"run nccom-test - all_reduce ok ranks 64 per - hosts 5: trn-1 trn-2\n"
		"table fp32 - 2 avg 21.195 max 8192 oop 22.23 ip - wrong -\n"
		"table bf16 - 1 avg 20.16 max 1024 oop 20.16 ip - wrong -\n");
}

static void test_nccl_report(void **state)
{
	(void)state;
	check_fixture("report.json", BW_KIND_NCCL_JSON,
		"run nccl-tests - all_reduce ok ranks 16 per 8 hosts 1: gpu-1 gpu-2\n"
		"table float sum 2 avg 124.5 max 16777216 oop 150 ip 148 wrong 0\n");
	check_fixture("report_cut.json", BW_KIND_NCCL_JSON,
		"run nccl-tests - all_reduce truncated ranks 16 per 8 hosts 1: gpu-1 gpu-2\n"
		"table float sum 1 avg - max 8388608 oop 75 ip - wrong 0\n");
}

static void check_text(const char *text, const char *want, const char *why)
{
	struct bw_seen s = BW_SEEN_INIT;

	bw_seen_read(&s, NULL, text, strlen(text), 3);
	assert_string_equal(buf_str(&s.text), want);
	assert_string_equal(s.why, why);
	bw_seen_release(&s);
}

static void test_reports(void **state)
{
	(void)state;
	check_text("\n {\"results\": [{\"size(B)\": 1024, \"type\": \"fp32\", "
		   "\"busbw(GB/s)\": 2.5, \"algbw(GB/s)\": 1.25}]}\n",
		"run nccom-test - all_reduce? ok ranks - per - hosts 0:\n"
		"table fp32 - 1 avg - max 1024 oop 2.5 ip - wrong -\n",
		"");
	check_text(
		"{\"results\":[{\"size\":8,\"type\":\"float\",\"redop\":\"sum\",\"out_of_place\":"
		"{\"bus_bw\":\"nan\",\"nwrong\":3},\"in_place\":null}],"
		"\"out_of_bounds\":{\"count\":3,\"okay\":\"false\"},\"errors\":[\"bad "
		"\\\"GPU\\\"\"]}",
		"run nccl-tests - unknown? failed ranks - per - hosts 0:\n"
		"table float sum 1 avg -\n",
		"bad \"GPU\"");
	/* Not a report at all, however deep. */
	check_text("{\"a\":[[[[[[[[[[[[{\"size\":1}]]]]]]]]]]]]}}}}]]]", "", "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_text),
		cmocka_unit_test(test_nccl_report),
		cmocka_unit_test(test_reports),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
