#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "tests/lib/report_fixture.h"
#include "tests/lib/snap.h"
#include "tui/cmd.h"
#include "tui/page.h"

static void render(struct buf *b, const struct report *r, size_t width, bool color, bool utf8)
{
	const struct report_style style = {.width = width, .color = color, .utf8 = utf8};

	buf_init(b, 1 << 20);
	assert_int_equal(report_text(b, r, &style), ERR_OK);
}

static void test_golden(void **state)
{
	struct report *r = report_fixture_new();
	struct buf b;

	(void)state;
	render(&b, r, 80, false, true);
	golden_check("report_text_80.txt", buf_str(&b));
	buf_release(&b);
	render(&b, r, 40, false, false);
	golden_check("report_text_40_ascii.txt", buf_str(&b));
	buf_release(&b);
	report_fixture_free(r);
}

/* Lists of what was not found speak to people: labels, not ids. */
static void test_labels(void **state)
{
	struct snapshot *snap = snap_demo("healthy", 60000, 8, NULL);
	struct catalog *catalog = NULL;
	struct buf b;

	(void)state;
	assert_int_equal(catalog_builtin(&catalog, NULL), ERR_OK);
	struct judge *j = judge_new(catalog);
	struct judgement *jm = judge_run(j, snap);
	const struct report r = {.snap = snap, .judgement = jm, .catalog = catalog};

	render(&b, &r, 2000, false, true);
	for (size_t i = 0; i < catalog_count(catalog); i++) {
		const struct rule *rule = catalog_at(catalog, i);
		char words[80];
		char in_list[96];

		snprintf(words, sizeof(words), "%s", rule->id);
		for (char *p = words; *p; p++)
			*p = *p == '-' ? ' ' : *p;
		snprintf(in_list, sizeof(in_list), ", %s,", words);
		if (strcmp(words, rule->label) != 0 && strstr(buf_str(&b), in_list))
			fail_msg("\"%s\" is shown by its id", words);
	}
	assert_non_null(strstr(buf_str(&b), ", missing GPUs, "));
	buf_release(&b);
	judgement_free(jm);
	judge_free(j);
	catalog_free(catalog);
	snapshot_free(snap);
}

/* Lines are within the width, but for commands, which must stay in one piece. */
static void test_width(void **state)
{
	struct report *r = report_fixture_new();
	static const size_t widths[] = {40, 60, 80, 120};

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		struct buf b;

		render(&b, r, widths[i], false, false);
		for (const char *p = buf_str(&b); *p;) {
			size_t n = strcspn(p, "\n");

			if (n > widths[i] && !strstr(p, "aws sagemaker"))
				fail_msg("%zu columns: %.*s", widths[i], (int)n, p);
			p += n + (p[n] == '\n');
		}
		buf_release(&b);
	}
	report_fixture_free(r);
}

static void test_no_escapes(void **state)
{
	struct report *r = report_fixture_new();
	struct buf b;

	(void)state;
	render(&b, r, 80, false, true);
	assert_null(strchr(buf_str(&b), '\033'));
	buf_release(&b);
	render(&b, r, 80, true, true);
	assert_non_null(strstr(buf_str(&b), "\033[1;31m[CONCERN]\033[0m"));
	buf_release(&b);
	render(&b, r, 80, false, false);
	for (const char *p = buf_str(&b); *p; p++)
		assert_false((unsigned char)*p & 0x80);
	buf_release(&b);
	report_fixture_free(r);
}

/* Every concern is followed by its owner, its rule and its reason. */
static void test_concern_explains_itself(void **state)
{
	struct report *r = report_fixture_new();
	struct buf b;

	(void)state;
	render(&b, r, 120, false, true);
	const char *text = buf_str(&b);

	assert_non_null(
		strstr(text, "\xe2\x86\x92 hyperpod-node-debugger \xc2\xa7 G GPU / Accelerator"));
	assert_non_null(strstr(text, "gpu.temp_c >= 88 C"));
	assert_non_null(strstr(text, "H100 SXM5 software throttle point"));
	assert_non_null(strstr(text, "Suggested command (run this yourself):"));
	assert_non_null(strstr(text, "careful: a reboot stops the node's jobs"));
	assert_non_null(strstr(text, "and 4 more alike: node03"));
	assert_non_null(strstr(text, "3 of 5 nodes answered"));
	assert_non_null(strstr(text, "node05: no connection within 10 s"));
	assert_non_null(strstr(text, "node04: the connection was reset"));
	buf_release(&b);
	report_fixture_free(r);
}

/* No data is never OK. */
static void test_empty_is_not_ok(void **state)
{
	struct report *r = report_fixture_clean();
	struct buf b;

	(void)state;
	render(&b, r, 80, false, true);
	assert_non_null(strstr(buf_str(&b), "nothing could be judged: no data"));
	assert_null(strstr(strstr(buf_str(&b), "\xc2\xa7 A"), "[OK]"));
	buf_release(&b);
	report_fixture_free(r);
}

static void test_status(void **state)
{
	struct report *r = report_fixture_new();

	(void)state;
	assert_int_equal(report_status(r), CMD_CONCERNS);
	report_fixture_free(r);
	r = report_fixture_clean();
	assert_int_equal(report_status(r), CMD_OK);
	((struct judgement *)r->judgement)->infos = 1;
	assert_int_equal(report_status(r), CMD_OK);
	((struct judgement *)r->judgement)->concerns = 1;
	assert_int_equal(report_status(r), CMD_CONCERNS);
	((struct judgement *)r->judgement)->concerns = 0;
	struct snapshot *snap = (struct snapshot *)r->snap;

	snap->nodes[1].state = NODE_STALE;
	snapshot_count(snap);
	assert_int_equal(report_status(r), CMD_CONCERNS);
	for (size_t i = 0; i < snap->n; i++)
		for (int id = 0; id < SECTION_COUNT; id++)
			snapshot_set_section(&snap->nodes[i], (enum section_id)id, NULL, NULL);
	assert_int_equal(report_status(r), CMD_NOTHING);
	report_fixture_free(r);
}

static void test_ascii(void **state)
{
	struct buf b = BUF_INIT(256);

	(void)state;
	assert_int_equal(page_ascii(&b, "\xe2\x86\x92 x \xc2\xa7 A 3 \xc2\xb0"
					"C caf\xc3\xa9 \xf0\x9f\x98\x80"),
		ERR_OK);
	assert_string_equal(buf_str(&b), "-> x S. A 3 C caf? ?");
	buf_release(&b);
}

static void test_too_big(void **state)
{
	struct report *r = report_fixture_new();
	const struct report_style style = {.width = 80};
	struct buf b = BUF_INIT(300);

	(void)state;
	assert_int_equal(report_text(&b, r, &style), ERR_TOOBIG);
	buf_release(&b);
	report_fixture_free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_golden),
		cmocka_unit_test(test_labels),
		cmocka_unit_test(test_width),
		cmocka_unit_test(test_no_escapes),
		cmocka_unit_test(test_concern_explains_itself),
		cmocka_unit_test(test_empty_is_not_ok),
		cmocka_unit_test(test_status),
		cmocka_unit_test(test_ascii),
		cmocka_unit_test(test_too_big),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
