#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "collectors/marks.h"

static struct section *holder(bool cut)
{
	struct section_meta meta = SECTION_META_INIT;

	meta.cut = cut;
	return section_parse(SECTION_GOVERNOR, span_of(""), meta);
}

static void assert_span(struct span s, const char *want)
{
	if (!span_eq(s, want))
		fail_msg("got \"%.*s\", want \"%s\"", (int)s.n, s.p ? s.p : "", want);
}

static void splits_pieces(void **state)
{
	(void)state;
	struct section *s = holder(false);
	struct marks m;
	struct marks_piece p;

	marks_init(&m, s, span_of("before\n#@ one\na\nb\n#@ two exit 3\n#@ /my mount\nx\n"));
	assert_true(marks_next(&m, &p));
	assert_span(p.mark, "");
	assert_span(p.body, "before\n");
	assert_true(marks_next(&m, &p));
	assert_span(p.name, "one");
	assert_span(p.args, "");
	assert_span(p.body, "a\nb\n");
	assert_true(marks_next(&m, &p));
	assert_span(p.name, "two");
	assert_span(p.args, "exit 3");
	assert_span(p.body, "");
	assert_true(marks_next(&m, &p));
	assert_span(p.mark, "/my mount");
	assert_true(p.whole);
	assert_false(marks_next(&m, &p));
	section_unref(s);
}

static void tells_which_piece_was_cut(void **state)
{
	(void)state;
	struct section *s = holder(false);
	struct marks m;
	struct marks_piece p;
	size_t before = s->unread_n;

	marks_init(&m, s, span_of("#@ one\n1\n#@ two\n12\n34"));
	assert_int_equal(s->unread_n, before + 1);
	assert_true(marks_next(&m, &p));
	assert_true(p.whole);
	assert_true(marks_next(&m, &p));
	assert_span(p.body, "12\n");
	assert_false(p.whole);
	section_unref(s);

	/* The cap may cut between two lines: nothing shows it but the frame. */
	s = holder(true);
	marks_init(&m, s, span_of("#@ one\n1\n"));
	assert_true(marks_next(&m, &p));
	assert_false(p.whole);
	section_unref(s);
}

/* A command that was given up leaves an empty piece, which must not look like "none". */
static void notes_a_command_without_answer(void **state)
{
	(void)state;
	struct section_meta meta = SECTION_META_INIT;
	struct section *s = section_parse(SECTION_STACK,
		span_of("#@ module efa\n2.13.0\n#@ packages\n\n#! no answer within 10 s\n"), meta);

	assert_int_equal(s->unread_n, 1);
	assert_string_equal(s->unread[0].what, "packages");
	assert_string_equal(s->unread[0].why, "no answer within 10 s");
	section_unref(s);
}

static void empty_text_has_no_piece(void **state)
{
	(void)state;
	static const char *const texts[] = {"", "\n", " \n\n"};

	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		struct section *s = holder(false);
		struct marks m;
		struct marks_piece p;

		marks_init(&m, s, span_of(texts[i]));
		assert_false(marks_next(&m, &p));
		section_unref(s);
	}
}

static void splits_paths(void **state)
{
	(void)state;
	static const struct {
		const char *line, *path, *value;
	} cases[] = {
		{"/sys/a/state:4: ACTIVE", "/sys/a/state", "4: ACTIVE"},
		{"/sys/a/rate:100 Gb/sec (4X EDR)", "/sys/a/rate", "100 Gb/sec (4X EDR)"},
		{"/sys/a/driver -> efa", "/sys/a/driver", "efa"},
		{"/sys/bus/pci/devices/0000:53:00.0/numa_node:1",
			"/sys/bus/pci/devices/0000:53:00.0/numa_node", "1"},
		{"/sys/a/device -> ../../0000:53:00.0", "/sys/a/device", "../../0000:53:00.0"},
		{"/sys/a/empty:", "/sys/a/empty", ""},
	};
	struct span path;
	struct span value;

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		assert_true(marks_path(span_of(cases[i].line), &path, &value));
		assert_span(path, cases[i].path);
		assert_span(value, cases[i].value);
	}
	assert_false(marks_path(span_of("grep: /sys/a: Invalid argument"), &path, &value));
	assert_false(marks_path(span_of("/sys/a"), &path, &value));
	assert_false(marks_path(span_of(""), &path, &value));
}

static void finds_items(void **state)
{
	(void)state;
	struct span item;
	struct span below;

	assert_true(marks_item(span_of("/sys/class/infiniband/rdmap0s31/ports/1/state"),
		"/infiniband/", &item, &below));
	assert_span(item, "rdmap0s31");
	assert_span(below, "ports/1/state");
	assert_true(marks_item(span_of("/x/infiniband/a"), "/infiniband/", &item, &below));
	assert_span(below, "");
	assert_false(marks_item(span_of("/x/infiniband/"), "/infiniband/", &item, &below));
	assert_false(marks_item(span_of("/x/other/a"), "/infiniband/", &item, &below));
}

static void decodes_octal(void **state)
{
	(void)state;
	char out[32];

	assert_span(marks_unescape(span_of("/a\\040b\\011c"), out, sizeof(out)), "/a b\tc");
	assert_span(marks_unescape(span_of("/a\\04"), out, sizeof(out)), "/a\\04");
	assert_span(marks_unescape(span_of("\\777\\"), out, sizeof(out)), "\\777\\");
	assert_span(marks_unescape(span_of("abcdef"), out, 3), "abc");
	assert_true(marks_same(span_of("a"), span_of("a")));
	assert_false(marks_same(span_of("a"), span_of("b")));
}

static void numbers_are_never_guessed(void **state)
{
	(void)state;
	assert_int_equal(marks_u64(span_of(" 12 ")).v, 12);
	assert_int_equal(marks_u64(span_of("")).state, OPT_UNKNOWN);
	assert_int_equal(marks_u64(span_of("12x")).state, OPT_ERROR);
	assert_int_equal(marks_u64(span_of("99999999999999999999")).state, OPT_ERROR);
	assert_int_equal(marks_f64(span_of("N/A")).state, OPT_ERROR);
	assert_true(marks_missing(span_of("sh: 1: lfs: not found")));
	assert_true(marks_missing(span_of("not available: lfs is not on this node")));
	assert_false(marks_missing(span_of("permission denied")));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(splits_pieces),
		cmocka_unit_test(tells_which_piece_was_cut),
		cmocka_unit_test(notes_a_command_without_answer),
		cmocka_unit_test(empty_text_has_no_piece),
		cmocka_unit_test(splits_paths),
		cmocka_unit_test(finds_items),
		cmocka_unit_test(decodes_octal),
		cmocka_unit_test(numbers_are_never_guessed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
