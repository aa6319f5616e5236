/* A directory on "another machine": through a command's shell, and through a real sshd. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collectors/buf.h"
#include "collectors/collector.h"
#include "collectors/pair_remote.h"
#include "collectors/pair_remote_text.h"
#include "tests/lib/feed.h"
#include "tests/lib/sshd.h"

struct box {
	char dir[100];
	struct feed f;
};

/* A machine that is this one: {node} is only a comment to the shell. */
static struct source *shell(const char *command)
{
	const char *const nodes[] = {"head"};
	struct source *src = NULL;
	struct err e = ERR_INIT;

	if (source_exec(&src, command, nodes, 1, &e) != ERR_OK)
		fail_msg("%s", e.msg);
	return src;
}

static void watch(struct box *b, struct source *src, const char *path)
{
	struct pair_feed *feed = NULL;
	struct err e = ERR_INIT;
	char label[300];

	snprintf(label, sizeof(label), "head:%s", path);
	if (pair_remote_new(&feed, src, path, label, &e) != ERR_OK)
		fail_msg("%s", e.msg);
	feed_init(&b->f, feed);
}

static void end(struct box *b)
{
	feed_release(&b->f);
	feed_remove_dir(b->dir);
}

static void files_come_and_grow(void **state)
{
	struct box b;

	feed_tmp_dir(b.dir, sizeof(b.dir));
	feed_write(b.dir, "one.csv", feed_csv("n1", "n2", 100));
	feed_write(b.dir, "a sub/tw o.csv", feed_csv("n1", "n3", 90));
	feed_write(b.dir, ".hidden/x.csv", feed_csv("n1", "n4", 80));
	watch(&b, shell(*state), b.dir);
	assert_true(feed_until_files(&b.f, 2));
	assert_true(fabs(feed_busbw(&b.f, "n1", "n2") - 100) < 0.01);
	assert_true(fabs(feed_busbw(&b.f, "n1", "n3") - 90) < 0.01);
	assert_null(feed_state(&b.f).error);
	/* Half a line, then the rest of it. */
	feed_append(b.dir, "one.csv", "n2,n3,6");
	feed_turn(&b.f, 100);
	feed_append(b.dir, "one.csv", "5\n");
	feed_write(b.dir, "new.csv", feed_csv("n1", "n5", 40));
	assert_true(feed_until(&b.f, "n2", "n3", 65));
	assert_true(feed_until(&b.f, "n1", "n5", 40));
	assert_int_equal(feed_measured(&b.f), 4);
	end(&b);
}

static void names_are_data(void **state)
{
	static const char *const names[] = {"$(touch pwned).csv", "`touch pwned`.csv", "-n.csv",
		"a'b\"c.csv", "a;touch pwned.csv", "*.csv", "back\\slash.csv", " blank.csv",
		"if=x of=pwned.csv", "\303\244\377.csv"};
	struct box b;
	char dir[200];
	char path[300];

	feed_tmp_dir(b.dir, sizeof(b.dir));
	snprintf(dir, sizeof(dir), "%s/ $(touch pwned) 'd\" *", b.dir);
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		char node[20];

		snprintf(node, sizeof(node), "m%zu", i);
		feed_write(dir, names[i], feed_csv("n1", node, 10));
	}
	feed_write(dir, "line\nbreak.csv", feed_csv("n1", "other", 10));
	watch(&b, shell(*state), dir);
	assert_true(feed_until_files(&b.f, ARRAY_LEN(names)));
	assert_int_equal(feed_measured(&b.f), ARRAY_LEN(names));
	snprintf(path, sizeof(path), "%s/pwned", dir);
	assert_int_not_equal(access(path, F_OK), 0);
	snprintf(path, sizeof(path), "%s/pwned.csv", dir);
	assert_int_not_equal(access(path, F_OK), 0);
	end(&b);
}

/* Larger than one request may be, with lines that cross its border. */
static void a_large_file(void **state)
{
	struct buf text = BUF_INIT(4u << 20);
	struct box b;

	feed_tmp_dir(b.dir, sizeof(b.dir));
	assert_int_equal(buf_add_str(&text, "node_a,node_b,busbw_gbps\n"), ERR_OK);
	for (int i = 0; i < 40000; i++)
		assert_int_equal(
			buf_addf(&text, "n%d,m%d,%d\n", i % 100, i / 100, 100 + i % 50), ERR_OK);
	feed_write(b.dir, "large.csv", buf_str(&text));
	feed_write(b.dir, "small.csv", feed_csv("n1", "x", 7));
	watch(&b, shell(*state), b.dir);
	assert_true(feed_until_files(&b.f, 2));
	assert_int_equal(feed_measured(&b.f), 40001);
	assert_true(fabs(feed_busbw(&b.f, "n99", "m399") - 149) < 0.01);
	buf_release(&text);
	end(&b);
}

static void many_files(void **state)
{
	struct box b;

	feed_tmp_dir(b.dir, sizeof(b.dir));
	for (int i = 0; i < 300; i++) {
		char name[40];
		char node[20];

		snprintf(name, sizeof(name), "r%d/p%d.csv", i / 100, i);
		snprintf(node, sizeof(node), "m%d", i);
		feed_write(b.dir, name, feed_csv("n1", node, 10));
	}
	watch(&b, shell(*state), b.dir);
	assert_true(feed_until_files(&b.f, 300));
	assert_int_equal(feed_measured(&b.f), 300);
	end(&b);
}

static void one_file(void **state)
{
	struct box b;
	char path[200];

	feed_tmp_dir(b.dir, sizeof(b.dir));
	feed_write(b.dir, "one.csv", feed_csv("n1", "n2", 100));
	feed_write(b.dir, "two.csv", feed_csv("n1", "n3", 100));
	snprintf(path, sizeof(path), "%s/one.csv", b.dir);
	watch(&b, shell(*state), path);
	assert_true(feed_until(&b.f, "n1", "n2", 100));
	assert_int_equal(feed_measured(&b.f), 1);
	end(&b);
}

static void a_place_that_is_not_there_yet(void **state)
{
	struct box b;
	char path[200];

	feed_tmp_dir(b.dir, sizeof(b.dir));
	snprintf(path, sizeof(path), "%s/later", b.dir);
	watch(&b, shell(*state), path);
	assert_true(feed_until_error(&b.f, "no such file or directory"));
	assert_false(feed_state(&b.f).first_look);
	feed_write(b.dir, "later/one.csv", feed_csv("n1", "n2", 100));
	assert_true(feed_until(&b.f, "n1", "n2", 100));
	assert_null(feed_state(&b.f).error);
	end(&b);
}

static void files_that_go(void **state)
{
	struct box b;
	char path[200];

	feed_tmp_dir(b.dir, sizeof(b.dir));
	feed_write(b.dir, "one.csv", feed_csv("n1", "n2", 100));
	feed_write(b.dir, "two.csv", feed_csv("n1", "n3", 90));
	watch(&b, shell(*state), b.dir);
	assert_true(feed_until_files(&b.f, 2));
	snprintf(path, sizeof(path), "%s/one.csv", b.dir);
	assert_int_equal(unlink(path), 0);
	/* Two looks at everything, a minute apart, must miss it. */
	for (int i = 0; i < 40 && feed_state(&b.f).files == 2; i++) {
		b.f.skew_ms += 20000;
		feed_turn(&b.f, 100);
		feed_turn(&b.f, 100);
	}
	assert_int_equal(feed_state(&b.f).files, 1);
	assert_true(isnan(feed_busbw(&b.f, "n1", "n2")));
	end(&b);
}

static void a_machine_that_goes(void **state)
{
	struct box b;
	char command[300];

	(void)state;
	feed_tmp_dir(b.dir, sizeof(b.dir));
	feed_write(b.dir, "s/one.csv", feed_csv("n1", "n2", 100));
	snprintf(command, sizeof(command), "sh -c 'test -e %s/up || exit 3; exec sh -s' {node}",
		b.dir);
	char path[200];

	snprintf(path, sizeof(path), "%s/s", b.dir);
	watch(&b, shell(command), path);
	assert_true(feed_until_error(&b.f, "exit 3"));
	feed_write(b.dir, "up", "");
	assert_true(feed_until(&b.f, "n1", "n2", 100));
	assert_true(feed_until_error(&b.f, NULL));
	end(&b);
}

static void through_ssh(void **state)
{
	const char *why = sshd_unavailable();
	struct ssh_settings set = {.config_file = "none"};
	const char *hosts[1];
	struct source *src = NULL;
	struct err e = ERR_INIT;
	struct sshd server;
	struct box b;
	char host[120];

	(void)state;
	if (why) {
		print_message("%s\n", why);
		skip();
	}
	assert_true(sshd_start(&server, NULL));
	set.identity_file = server.identity;
	set.known_hosts = server.known_hosts;
	snprintf(host, sizeof(host), "%s@127.0.0.1:%u", server.user, server.port);
	hosts[0] = host;
	assert_int_equal(source_hosts(&src, hosts, 1, &set, &e), ERR_OK);
	feed_tmp_dir(b.dir, sizeof(b.dir));
	feed_write(b.dir, "one.csv", feed_csv("n1", "n2", 100));
	watch(&b, src, b.dir);
	assert_true(feed_until(&b.f, "n1", "n2", 100));
	feed_write(b.dir, "two.csv", feed_csv("n1", "n3", 90));
	assert_true(feed_until(&b.f, "n1", "n3", 90));
	/* The server goes, with what it had started. */
	sshd_stop(&server);
	end(&b);
}

/* ---- the words ---- */

struct listed {
	size_t n;
	struct remote_line last;
};

static void on_line(void *ctx, const struct remote_line *line)
{
	struct listed *l = ctx;

	l->n++;
	l->last = *line;
}

static size_t list(const char *text, bool cut, struct listed *l, struct remote_list *list)
{
	*l = (struct listed){0};
	*list = (struct remote_list){.ctx = l, .line = on_line};
	remote_list_read(span_of(text), cut, list);
	return l->n;
}

static void lists(void **state)
{
	struct remote_list out;
	struct listed l;

	(void)state;
	assert_int_equal(list("12 1796000000 ./a b\n", false, &l, &out), 1);
	assert_int_equal(l.last.size, 12);
	assert_int_equal(l.last.mtime_s, 1796000000);
	assert_true(span_eq(l.last.name, "a b"));
	assert_int_equal(list("12 1796000000 ./a\n3 4 ./b", false, &l, &out), 2);
	assert_int_equal(list("12 1796000000 ./a\n3 4 ./b", true, &l, &out), 1);
	assert_int_equal(list("12 x ./a\n-1 3 ./a\n1 2 a\n1 2\n\n99999999999999999999 1 ./a\n",
				 false, &l, &out),
		0);
	assert_int_equal(list("1 2 ./a\033[2J\n", false, &l, &out), 1);
	assert_int_equal(l.last.name.n, 0);
	assert_int_equal(list("#! find: ./x: Permission denied\n1 2 ./a\n", false, &l, &out), 1);
	assert_true(span_starts(out.complaint, "find: "));
	assert_false(remote_path_ok(""));
	assert_false(remote_path_ok("a\nb"));
	assert_true(remote_path_ok("/fsx/a b"));
}

static void on_piece(void *ctx, size_t i, struct span bytes)
{
	struct buf *out = ctx;

	assert_int_equal(buf_addf(out, "%zu[%.*s]", i, (int)bytes.n, bytes.p), ERR_OK);
}

static void pieces(void **state)
{
	static const struct {
		const char *text;
		const char *want;
	} cases[] = {
		{"\nN piece\nabc\nN piece\nd\n\nN end\n", "0[abc]1[d\n]"},
		{"\nN piece\n\nN piece\n\nN end\n", "0[]1[]"},
		{"\nN piece\nabc\nN piece\nhalf", "0[abc]"},
		{"\nN piece\nM piece\nx N end\n\nN end\n", "0[M piece\nx N end\n]"},
		{"", ""},
		{"\nN piece", ""},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct buf out = BUF_INIT(1000);

		remote_pieces_read(span_of(cases[i].text), "N", 2, &out, on_piece);
		assert_string_equal(buf_str(&out), cases[i].want);
		buf_release(&out);
	}
}

int main(void)
{
	static char dash[] = "sh -c 'exec sh -s' {node}";
	static char bash[] = "bash -c 'exec bash -s' {node}";
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_prestate(files_come_and_grow, dash),
		cmocka_unit_test_prestate(files_come_and_grow, bash),
		cmocka_unit_test_prestate(names_are_data, dash),
		cmocka_unit_test_prestate(names_are_data, bash),
		cmocka_unit_test_prestate(a_large_file, dash),
		cmocka_unit_test_prestate(many_files, dash),
		cmocka_unit_test_prestate(one_file, dash),
		cmocka_unit_test_prestate(a_place_that_is_not_there_yet, dash),
		cmocka_unit_test_prestate(files_that_go, dash),
		cmocka_unit_test(a_machine_that_goes),
		cmocka_unit_test(through_ssh),
		cmocka_unit_test(lists),
		cmocka_unit_test(pieces),
	};
	struct err e = ERR_INIT;

	if (collector_global_init(&e) != ERR_OK)
		return 1;
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	collector_global_release();
	return failed;
}
