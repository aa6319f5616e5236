#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "collectors/frame.h"
#include "collectors/xmalloc.h"

#define N     "0123456789abcdef0123456789abcdef"
#define OTHER "1123456789abcdef0123456789abcdef"

/* Appends what one event says, so that whole runs compare as one string. */
static void note(struct buf *log, const struct frame *f, enum frame_event ev)
{
	int rc = ERR_OK;

	if (ev == FRAME_READY)
		rc = buf_add_str(log, "ready\n");
	else if (ev == FRAME_DONE)
		rc = buf_add_str(log, "done\n");
	else if (ev == FRAME_SECTION)
		rc = buf_addf(log, "%s exit=%d ms=%lld%s [%.*s]\n", section_desc(f->id)->name,
			f->exit_code, (long long)f->run_ms, f->text_cut ? " cut" : "",
			(int)f->text.n, f->text.p);
	assert_int_equal(rc, ERR_OK);
}

static void feed(struct buf *log, struct frame *f, const char *p, size_t n)
{
	struct span in = {p, n};
	enum frame_event ev;

	while ((ev = frame_feed(f, &in)) != FRAME_NONE)
		note(log, f, ev);
	assert_int_equal(in.n, 0);
	assert_true(f->line.len <= f->line.cap);
	assert_true(f->body.len <= f->body.cap);
}

/* The events of a stream that arrives in two pieces, then ends. */
static char *events_split(const char *p, size_t n, size_t at)
{
	struct frame f;
	struct buf log = BUF_INIT(1 << 22);
	enum frame_event ev;

	frame_init(&f, N);
	feed(&log, &f, p, at);
	feed(&log, &f, p + at, n - at);
	assert_int_equal(f.total_bytes, n);
	while ((ev = frame_end(&f)) != FRAME_NONE)
		note(&log, &f, ev);
	frame_release(&f);
	return buf_detach(&log);
}

static void expect(const char *stream, const char *events)
{
	char *got = events_split(stream, strlen(stream), 0);

	assert_string_equal(got, events);
	free(got);
}

static const char good[] = "Welcome to the node\n@hp " OTHER " ready 1\n\n@hp " N " ready 1\n"
			   "@hp " N " begin cpu\ncpu 1 2\n\n@hp " N " end cpu 0 12 0\n"
			   "noise between\n"
			   "@hp " N " begin gpu\n@hp no marker\n@h\n\n@hp " N " end gpu 127 0 0\n"
			   "@hp " N " begin shm\n\n@hp " N " end shm 1 30 1\n"
			   "@hp " N " done\n@hp " N " begin host\n#@ uname\nLin";

static const char good_events[] = "ready\ncpu exit=0 ms=12 [cpu 1 2\n]\n"
				  "gpu exit=127 ms=0 [@hp no marker\n@h\n]\n"
				  "shm exit=1 ms=30 cut []\ndone\n"
				  "host exit=-1 ms=-1 cut [#@ uname\nLin]\n";

static void test_reads_a_run(void **state)
{
	(void)state;
	expect(good, good_events);
	expect("", "");
	expect("\n\n\n", "");
	expect("@hp " N " done", "");
}

static void test_any_split_gives_the_same(void **state)
{
	(void)state;
	for (size_t at = 0; at < sizeof(good); at++) {
		char *got = events_split(good, sizeof(good) - 1, at == sizeof(good) ? 0 : at);

		assert_string_equal(got, good_events);
		free(got);
	}
}

static void test_byte_by_byte(void **state)
{
	struct frame f;
	struct buf log = BUF_INIT(1 << 16);

	(void)state;
	frame_init(&f, N);
	for (size_t i = 0; i < sizeof(good) - 1; i++)
		feed(&log, &f, good + i, 1);
	note(&log, &f, frame_end(&f));
	assert_string_equal(buf_str(&log), good_events);
	assert_int_equal(frame_end(&f), FRAME_NONE);
	buf_release(&log);
	frame_release(&f);
}

static void test_odd_order(void **state)
{
	(void)state;
	/* begin in begin closes the first as cut; done and ready do so too */
	expect("@hp " N " begin cpu\nabc\n@hp " N " begin gpu\nxyz\n\n@hp " N " end gpu 0 1 0\n",
		"cpu exit=-1 ms=-1 cut [abc\n]\ngpu exit=0 ms=1 [xyz\n]\n");
	expect("@hp " N " begin cpu\nabc\n@hp " N " done\n",
		"cpu exit=-1 ms=-1 cut [abc\n]\ndone\n");
	expect("@hp " N " begin cpu\nabc\n@hp " N " ready 1\n",
		"cpu exit=-1 ms=-1 cut [abc\n]\nready\n");
	/* an end for another section is no end of this one's text */
	expect("@hp " N " begin cpu\nabc\n\n@hp " N " end gpu 0 1 0\n",
		"cpu exit=-1 ms=-1 cut [abc\n\n]\n");
	/* an end without begin, a verb that nobody knows */
	expect("@hp " N " end gpu 0 1 0\n@hp " N " hello\n@hp " N " \n@hp " N " begin\n", "");
	/* stale values of the section before are not kept */
	expect("@hp " N " begin cpu\n\n@hp " N " end cpu 5 6 0\n@hp " N " begin gpu\n\n@hp " N
	       " end gpu\n",
		"cpu exit=5 ms=6 []\ngpu exit=-1 ms=-1 cut []\n");
}

static void test_unknown_sections_are_skipped(void **state)
{
	(void)state;
	expect("@hp " N " begin rocket\n1\n@hp " N " end rocket 0 1 0\n@hp " N
	       " begin ras\nx\n\n@hp " N " end ras 0 1 0\n@hp " N " done\n",
		"ras exit=0 ms=1 [x\n]\ndone\n");
	/* names for people are no names on the wire */
	expect("@hp " N " begin df\n1\n\n@hp " N " end df 0 1 0\n", "");
	expect("@hp " N " begin rocket\n1\n@hp " N " begin cpu\n1\n\n@hp " N " end cpu 0 1 0\n",
		"cpu exit=0 ms=1 [1\n]\n");
}

/* A name that is no section's is taken when it was asked for, and only that. */
static void test_own_name(void **state)
{
	struct span in = span_of("@hp " N " begin files\nab\n\n@hp " N " end files 0 5 0\n@hp " N
				 " begin other\nx\n@hp " N " end other 0 1 0\n@hp " N
				 " begin cpu\n1\n@hp " N " end cpu 0 1 0\n@hp " N " done\n");
	struct frame f;

	(void)state;
	frame_init(&f, N);
	frame_take_also(&f, "files");
	assert_int_equal(frame_feed(&f, &in), FRAME_SECTION);
	assert_int_equal(f.id, SECTION_COUNT);
	assert_true(span_eq(f.text, "ab\n"));
	assert_int_equal(f.run_ms, 5);
	assert_int_equal(frame_feed(&f, &in), FRAME_SECTION);
	assert_int_equal(f.id, SECTION_CPU);
	assert_int_equal(frame_feed(&f, &in), FRAME_DONE);
	frame_release(&f);
}

static void test_numbers_that_are_none(void **state)
{
	(void)state;
	expect("@hp " N " begin cpu\n\n@hp " N " end cpu x y z\n", "cpu exit=-1 ms=-1 cut []\n");
	expect("@hp " N " begin cpu\n\n@hp " N " end cpu 99999999999999999999 -5 0\n",
		"cpu exit=-1 ms=-1 []\n");
	expect("@hp " N " begin cpu\n\n@hp " N " end cpu 4294967296 7 0 more words\n",
		"cpu exit=-1 ms=7 []\n");
}

static void test_crlf(void **state)
{
	(void)state;
	expect("@hp " N " ready 1\r\n@hp " N " begin cpu\r\nab\r\n@hp " N " end cpu 0 1 0\r\n",
		"ready\ncpu exit=0 ms=1 [ab\r]\n");
}

static void test_other_nonces_forge_nothing(void **state)
{
	(void)state;
	expect("@hp " OTHER " begin cpu\nx\n\n@hp " OTHER " end cpu 0 1 0\n@hp " OTHER " done\n",
		"");
	expect("@hp " N " begin cpu\n@hp " OTHER " end cpu 0 1 0\n@hp " N "x end cpu 0 1 0\n"
	       " @hp " N " end cpu 0 1 0\n@hp  " N " end cpu 0 1 0\n\n@hp " N " end cpu 0 1 0\n",
		"cpu exit=0 ms=1 [@hp " OTHER " end cpu 0 1 0\n@hp " N "x end cpu 0 1 0\n"
		" @hp " N " end cpu 0 1 0\n@hp  " N " end cpu 0 1 0\n]\n");
}

static void test_binary_passes_unchanged(void **state)
{
	static const char bin[] =
		"@hp " N " begin cpu\n\0\xff\xfe@hp\0\n@hp " N "\0end\n\n@hp " N " end cpu 0 1 0\n";
	struct frame f;
	struct span in = {bin, sizeof(bin) - 1};

	(void)state;
	frame_init(&f, N);
	assert_int_equal(frame_feed(&f, &in), FRAME_SECTION);
	assert_int_equal(f.text.n, 8 + 4 + FRAME_NONCE_LEN + 5);
	assert_memory_equal(f.text.p, "\0\xff\xfe@hp\0\n@hp ", 12);
	frame_release(&f);
}

/* A gigabyte of bytes without a newline, in pieces: neither kept nor slow. */
static void test_endless_line(void **state)
{
	static const char *const heads[] = {
		"", "@hp " N " begin cpu\n", "@hp " N " ", "@hp " N " begin cpu\n@hp " N " "};
	const size_t piece = 1 << 20;
	char *junk = xmalloc(piece);

	(void)state;
	memset(junk, 'z', piece);
	for (size_t h = 0; h < ARRAY_LEN(heads); h++) {
		struct frame f;
		struct buf log = BUF_INIT(1 << 22);

		frame_init(&f, N);
		feed(&log, &f, heads[h], strlen(heads[h]));
		for (int i = 0; i < 1024; i++)
			feed(&log, &f, junk, piece);
		assert_int_equal(log.len, 0);
		assert_true(f.body.alloc <= 2 * SECTION_TEXT_MAX + 64);
		feed(&log, &f, "\n@hp " N " done\n", strlen("\n@hp " N " done\n"));
		if (h % 2) {
			assert_non_null(strstr(buf_str(&log), "cpu exit=-1 ms=-1 cut ["));
			assert_non_null(strstr(buf_str(&log), "zz]\ndone\n"));
		} else {
			assert_string_equal(buf_str(&log), "done\n");
		}
		buf_release(&log);
		frame_release(&f);
	}
	free(junk);
}

/* A section over the cap keeps its beginning, is marked, and the next one is whole. */
static void test_section_over_the_cap(void **state)
{
	struct frame f;
	struct span in = span_of("@hp " N " begin cpu\n");
	char line[1000];

	(void)state;
	memset(line, 'a', sizeof(line));
	line[sizeof(line) - 1] = '\n';
	frame_init(&f, N);
	assert_int_equal(frame_feed(&f, &in), FRAME_NONE);
	for (int i = 0; i < 2000; i++) {
		in = (struct span){line, sizeof(line)};
		assert_int_equal(frame_feed(&f, &in), FRAME_NONE);
	}
	in = span_of(
		"\n@hp " N " end cpu 0 1 0\n@hp " N " begin gpu\nx\n\n@hp " N " end gpu 0 1 0\n");
	assert_int_equal(frame_feed(&f, &in), FRAME_SECTION);
	assert_int_equal(f.id, SECTION_CPU);
	assert_true(f.text_cut);
	assert_int_equal(f.text.n, SECTION_TEXT_MAX);
	assert_int_equal(frame_feed(&f, &in), FRAME_SECTION);
	assert_int_equal(f.id, SECTION_GPU);
	assert_false(f.text_cut);
	assert_int_equal(f.text.n, 2);
	frame_release(&f);
}

static void test_nonce(void **state)
{
	char a[FRAME_NONCE_LEN + 1];
	char b[FRAME_NONCE_LEN + 1];
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(frame_nonce(a, &e), ERR_OK);
	assert_int_equal(frame_nonce(b, NULL), ERR_OK);
	assert_int_equal(strlen(a), FRAME_NONCE_LEN);
	assert_int_equal(strspn(a, "0123456789abcdef"), FRAME_NONCE_LEN);
	assert_string_not_equal(a, b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_reads_a_run),
		cmocka_unit_test(test_any_split_gives_the_same),
		cmocka_unit_test(test_byte_by_byte),
		cmocka_unit_test(test_odd_order),
		cmocka_unit_test(test_unknown_sections_are_skipped),
		cmocka_unit_test(test_own_name),
		cmocka_unit_test(test_numbers_that_are_none),
		cmocka_unit_test(test_crlf),
		cmocka_unit_test(test_other_nonces_forge_nothing),
		cmocka_unit_test(test_binary_passes_unchanged),
		cmocka_unit_test(test_endless_line),
		cmocka_unit_test(test_section_over_the_cap),
		cmocka_unit_test(test_nonce),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
