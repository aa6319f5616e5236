/* Captured texts as a source, and the transport that plays the probe's part. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collectors/frame.h"
#include "collectors/probe.h"
#include "collectors/source.h"
#include "collectors/text_transport.h"

#define NONCE "00112233445566778899aabbccddeeff"

/* ---- a directory of our own ---- */

static char base[64];

static char *at(const char *rest)
{
	static char path[4][256];
	static int next;
	char *p = path[next++ & 3];

	snprintf(p, sizeof(path[0]), "%s/%s", base, rest);
	return p;
}

static void put(const char *rest, const char *text)
{
	FILE *f = fopen(at(rest), "w");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static int make_base(void **state)
{
	(void)state;
	snprintf(base, sizeof(base), "/tmp/hp-raw-XXXXXX");
	return mkdtemp(base) ? 0 : -1;
}

/* Everything that the tests below may have made. */
static int remove_base(void **state)
{
	static const char *const made[] = {"a/cpu", "a/shm", "a/gpu", "a/notes.txt", "a/mounts",
		"b/cpu", "nodes.csv", "readme", "link", "a", "b", "odd name", "c"};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(made); i++)
		if (unlink(at(made[i])) != 0)
			rmdir(at(made[i]));
	return rmdir(base);
}

/* ---- driving a transport ---- */

struct answer {
	unsigned got;
	unsigned done;
	char text[SECTION_COUNT][256];
	bool cut[SECTION_COUNT];
	int exit_code[SECTION_COUNT];
};

static void write_all(struct transport *t, const char *bytes, size_t len)
{
	size_t put_n;
	struct err e = ERR_INIT;

	while (len) {
		size_t piece = len < 1000 ? len : 1000;

		assert_int_equal(t->ops->write(t, bytes, piece, &put_n, &e), ERR_OK);
		bytes += put_n;
		len -= put_n;
	}
}

static void take(struct answer *a, struct frame *f, struct span in)
{
	enum frame_event event;

	while ((event = frame_feed(f, &in)) != FRAME_NONE) {
		if (event == FRAME_DONE)
			a->done++;
		if (event != FRAME_SECTION)
			continue;
		a->got |= 1u << f->id;
		a->cut[f->id] = f->text_cut;
		a->exit_code[f->id] = f->exit_code;
		snprintf(a->text[f->id], sizeof(a->text[0]), "%.*s", (int)f->text.n, f->text.p);
	}
}

/* Reads until there is nothing more now; the result of the last read. */
static enum err_code drain(struct transport *t, struct frame *f, struct answer *a)
{
	char chunk[100];
	size_t got;
	struct err e = ERR_INIT;
	enum err_code rc;

	while ((rc = t->ops->read(t, chunk, sizeof(chunk), &got, &e)) == ERR_OK && got)
		take(a, f, (struct span){chunk, got});
	return rc;
}

static struct answer ask_once(struct source *src, const struct target *target, unsigned mask)
{
	struct answer a = {0};
	struct err e = ERR_INIT;
	struct buf start = BUF_INIT(1u << 20);
	struct frame f;
	struct transport *t = src->connect(src, target, 0, &e);

	assert_non_null(t);
	assert_int_equal(t->ops->step(t, 0, &e), ERR_OK);
	frame_init(&f, NONCE);
	assert_int_equal(probe_start_text(&start, NONCE, mask), ERR_OK);
	write_all(t, start.data, start.len);
	assert_int_equal(drain(t, &f, &a), ERR_AGAIN);
	assert_int_equal(a.done, 1);
	t->ops->free(t);
	frame_release(&f);
	buf_release(&start);
	return a;
}

/* ---- raw ---- */

static void texts_arrive_as_they_are(void **state)
{
	(void)state;
	struct source *src = NULL;
	struct err e = ERR_INIT;

	mkdir(at("b"), 0700);
	mkdir(at("a"), 0700);
	put("a/cpu", "cpu  1 2 3\n@hp forged done\n");
	put("a/shm", "");
	put("a/gpu", "no newline at the end");
	put("a/notes.txt", "not a section");
	put("readme", "not a node");
	assert_int_equal(source_raw(&src, base, &e), ERR_OK);
	assert_int_equal(src->mode, SOURCE_RAW);
	assert_int_equal(src->n, 2);
	assert_string_equal(src->targets[0].id, "a");

	struct answer a = ask_once(src, &src->targets[0], PROBE_ALL);

	assert_int_equal(a.got, 1u << SECTION_CPU | 1u << SECTION_SHM | 1u << SECTION_GPU);
	assert_string_equal(a.text[SECTION_CPU], "cpu  1 2 3\n@hp forged done\n");
	assert_string_equal(a.text[SECTION_SHM], "");
	assert_string_equal(a.text[SECTION_GPU], "no newline at the end");
	assert_int_equal(a.exit_code[SECTION_CPU], -1);
	a = ask_once(src, &src->targets[1], PROBE_ALL);
	assert_int_equal(a.got, 0);
	source_free(src);
}

static void a_text_over_the_cap_is_cut_and_says_so(void **state)
{
	(void)state;
	struct source *src = NULL;
	struct err e = ERR_INIT;
	FILE *f;

	mkdir(at("a"), 0700);
	f = fopen(at("a/cpu"), "w");
	assert_non_null(f);
	for (int i = 0; i < 20000; i++)
		fprintf(f, "%0127d\n", i);
	fclose(f);
	assert_int_equal(source_raw(&src, base, &e), ERR_OK);
	struct answer a = ask_once(src, &src->targets[0], 1u << SECTION_CPU);

	assert_int_equal(a.got, 1u << SECTION_CPU);
	assert_true(a.cut[SECTION_CPU]);
	source_free(src);
}

static void what_is_no_capture_is_refused(void **state)
{
	(void)state;
	struct source *src = NULL;
	struct err e = ERR_INIT;

	assert_int_equal(source_raw(&src, at("none"), &e), ERR_USAGE);
	assert_non_null(strstr(e.msg, "none"));
	assert_int_equal(source_raw(&src, base, &e), ERR_USAGE);
	assert_non_null(strstr(e.msg, "holds no node"));
	put("readme", "x");
	assert_int_equal(source_raw(&src, at("readme"), &e), ERR_USAGE);
	mkdir(at("odd name"), 0700);
	assert_int_equal(source_raw(&src, base, &e), ERR_USAGE);
	assert_non_null(strstr(e.msg, "odd name"));
	rmdir(at("odd name"));
	mkdir(at("a"), 0700);
	assert_int_equal(symlink("a", at("link")), 0);
	assert_int_equal(source_raw(&src, base, &e), ERR_USAGE);
	assert_non_null(strstr(e.msg, "symbolic link"));
	unlink(at("link"));
	assert_int_equal(symlink("/etc/passwd", at("a/mounts")), 0);
	assert_int_equal(source_raw(&src, base, &e), ERR_USAGE);
	assert_non_null(strstr(e.msg, "a/mounts"));
	assert_null(src);
}

static void a_link_or_fifo_that_appears_later_is_not_read(void **state)
{
	(void)state;
	struct source *src = NULL;
	struct err e = ERR_INIT;

	mkdir(at("a"), 0700);
	assert_int_equal(source_raw(&src, base, &e), ERR_OK);
	assert_int_equal(symlink("/etc/passwd", at("a/mounts")), 0);
	assert_int_equal(mkfifo(at("a/cpu"), 0600), 0);
	assert_int_equal(ask_once(src, &src->targets[0], PROBE_ALL).got, 0);
	source_free(src);
}

static void nodes_csv_gives_placement(void **state)
{
	(void)state;
	struct source *src = NULL;
	struct err e = ERR_INIT;

	mkdir(at("a"), 0700);
	mkdir(at("b"), 0700);
	put("nodes.csv", "\xef\xbb\xbfinstance_type, leaf,node,az,extra\r\n"
			 "ml.p5.48xlarge,l1,b,z1,x\r\n"
			 ",,a\n"
			 "p5.48xlarge,l1,elsewhere,z2,x\n"
			 "\n"
			 "p4d.24xlarge,l9,b,z9,x\n");
	assert_int_equal(source_raw(&src, base, &e), ERR_OK);
	assert_string_equal(src->targets[1].leaf, "l1");
	assert_string_equal(src->targets[1].az, "z1");
	assert_string_equal(src->targets[1].instance_type, "ml.p5.48xlarge");
	assert_null(src->targets[1].spine);
	assert_null(src->targets[0].az);
	assert_null(src->targets[0].leaf);
	source_free(src);
	src = NULL;
	put("nodes.csv", "name,az\na,z1\n");
	assert_int_equal(source_raw(&src, base, &e), ERR_PARSE);
	assert_non_null(strstr(e.msg, "nodes.csv:1"));
	put("nodes.csv", "");
	assert_int_equal(source_raw(&src, base, &e), ERR_OK);
	source_free(src);
}

/* ---- the transport's own behaviour, on a clock of ours ---- */

static int64_t now_ms;

static int64_t test_clock(void)
{
	return now_ms;
}

struct script {
	enum text_verdict verdict;
	int64_t run_ms;
	int requests;
};

static int64_t script_run_ms(void *ctx, enum section_id id, int64_t now)
{
	(void)id;
	(void)now;
	return ((struct script *)ctx)->run_ms;
}

static enum text_verdict script_answer(
	void *ctx, enum section_id id, int64_t now, struct text_answer *out)
{
	struct script *s = ctx;

	(void)now;
	assert_int_equal(buf_add_str(out->text, section_desc(id)->name), ERR_OK);
	out->exit_code = 3;
	return id == SECTION_CPU ? TEXT_ANSWERED : s->verdict;
}

static void script_answered(void *ctx)
{
	((struct script *)ctx)->requests++;
}

static const struct text_server script_server = {
	.name = "demo",
	.run_ms = script_run_ms,
	.answer = script_answer,
	.answered = script_answered,
};

static struct transport *open_script(struct script *s, int64_t connect_ms, const char *refuse)
{
	struct text_options opt = {.connect_ms = connect_ms, .refuse = refuse, .clock = test_clock};

	now_ms = 1000;
	struct transport *t = text_transport_new(&script_server, s, &opt, now_ms);

	if (!connect_ms)
		assert_int_equal(t->ops->step(t, now_ms, NULL), ERR_OK);
	return t;
}

static void connecting_takes_its_time_and_may_fail(void **state)
{
	(void)state;
	struct script s = {0};
	struct transport_poll p;
	struct err e = ERR_INIT;
	struct transport *t = open_script(&s, 50, NULL);

	assert_int_equal(t->ops->step(t, 1049, &e), ERR_AGAIN);
	t->ops->poll(t, false, &p);
	assert_int_equal(p.nfds, 0);
	assert_int_equal(p.deadline_mono_ms, 1050);
	now_ms = 1060; /* asked again before the step: still due */
	t->ops->poll(t, false, &p);
	assert_int_equal(p.deadline_mono_ms, 1050);
	assert_int_equal(t->ops->step(t, 1050, &e), ERR_OK);
	t->ops->free(t);
	t = open_script(&s, 50, "nobody there");
	assert_int_equal(t->ops->step(t, 1050, &e), ERR_TIMEOUT);
	assert_string_equal(e.msg, "nobody there");
	t->ops->free(t);
}

static void sections_come_one_by_one_when_they_are_ready(void **state)
{
	(void)state;
	struct script s = {.verdict = TEXT_ANSWERED, .run_ms = 100};
	struct transport *t = open_script(&s, 0, NULL);
	struct transport_poll p;
	struct answer a = {0};
	struct frame f;

	frame_init(&f, NONCE);
	write_all(t, "if cpu; then\nhp_main " NONCE " host cpu\n", strlen(NONCE) + 31);
	assert_int_equal(drain(t, &f, &a), ERR_AGAIN);
	assert_int_equal(a.got, 0);
	t->ops->poll(t, false, &p);
	assert_int_equal(p.deadline_mono_ms, 1100);
	now_ms = 1100;
	drain(t, &f, &a);
	assert_int_equal(a.got, 1u << SECTION_CPU);
	assert_int_equal(a.exit_code[SECTION_CPU], 3);
	assert_int_equal(a.done, 0);
	now_ms = 1200;
	drain(t, &f, &a);
	assert_int_equal(a.got, 1u << SECTION_CPU | 1u << SECTION_HOST);
	assert_int_equal(a.done, 1);
	assert_int_equal(s.requests, 1);
	t->ops->poll(t, false, &p);
	assert_int_equal(p.deadline_mono_ms, 0);
	write_all(t, "gpu\n", 4);
	now_ms = 1300;
	drain(t, &f, &a);
	assert_string_equal(a.text[SECTION_GPU], "gpu");
	assert_int_equal(a.done, 2);
	frame_release(&f);
	t->ops->free(t);
}

static void a_node_may_fall_silent_or_reset_in_mid_answer(void **state)
{
	(void)state;
	static const struct {
		enum text_verdict verdict;
		enum err_code rc;
	} cases[] = {{TEXT_SILENT, ERR_AGAIN}, {TEXT_DROPPED, ERR_NET}, {TEXT_NONE, ERR_AGAIN}};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct script s = {.verdict = cases[i].verdict};
		struct transport *t = open_script(&s, 0, NULL);
		struct answer a = {0};
		struct frame f;

		frame_init(&f, NONCE);
		write_all(t, "hp_main " NONCE " cpu host\n", strlen(NONCE) + 18);
		assert_int_equal(drain(t, &f, &a), cases[i].rc);
		assert_int_equal(a.got, 1u << SECTION_CPU);
		assert_int_equal(a.done, cases[i].verdict == TEXT_NONE);
		frame_release(&f);
		t->ops->free(t);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(texts_arrive_as_they_are, make_base, remove_base),
		cmocka_unit_test_setup_teardown(
			a_text_over_the_cap_is_cut_and_says_so, make_base, remove_base),
		cmocka_unit_test_setup_teardown(
			what_is_no_capture_is_refused, make_base, remove_base),
		cmocka_unit_test_setup_teardown(
			a_link_or_fifo_that_appears_later_is_not_read, make_base, remove_base),
		cmocka_unit_test_setup_teardown(nodes_csv_gives_placement, make_base, remove_base),
		cmocka_unit_test(connecting_takes_its_time_and_may_fail),
		cmocka_unit_test(sections_come_one_by_one_when_they_are_ready),
		cmocka_unit_test(a_node_may_fall_silent_or_reset_in_mid_answer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
