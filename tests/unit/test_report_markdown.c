#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "tests/lib/report_fixture.h"

static void test_golden(void **state)
{
	struct report *r = report_fixture_new();
	struct buf b = BUF_INIT(1 << 20);

	(void)state;
	assert_int_equal(report_markdown(&b, r), ERR_OK);
	golden_check("report.md", buf_str(&b));
	buf_release(&b);
	report_fixture_free(r);
}

/* What a node printed cannot become markup. */
static void test_hostile(void **state)
{
	struct report *r = report_fixture_new();
	struct buf b = BUF_INIT(1 << 20);

	(void)state;
	assert_int_equal(report_markdown(&b, r), ERR_OK);
	assert_null(strstr(buf_str(&b), "<b>"));
	assert_non_null(strstr(buf_str(&b), "\\<b\\>\\*\\_x\\_\\*\\</b\\>"));
	buf_release(&b);
	report_fixture_free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_golden),
		cmocka_unit_test(test_hostile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
