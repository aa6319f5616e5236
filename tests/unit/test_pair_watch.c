/* A real directory, watched: files that come, grow, move and go. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collectors/pair_watch.h"
#include "tests/lib/feed.h"

struct box {
	char dir[100];
	struct feed f;
};

static const char *at(const struct box *b, const char *name)
{
	static char path[4][300];
	static int next;

	next = (next + 1) % 4;
	snprintf(path[next], sizeof(path[next]), "%s/%s", b->dir, name);
	return path[next];
}

static void watch(struct box *b, const char *path)
{
	struct pair_feed *feed = NULL;
	struct err e = ERR_INIT;

	if (pair_watch_new(&feed, path, &e) != ERR_OK)
		fail_msg("%s", e.msg);
	feed_init(&b->f, feed);
}

static void begin(struct box *b)
{
	feed_tmp_dir(b->dir, sizeof(b->dir));
}

static void end(struct box *b)
{
	feed_release(&b->f);
	feed_remove_dir(b->dir);
}

static void what_is_there_is_read(void **state)
{
	struct box b;

	(void)state;
	begin(&b);
	feed_write(b.dir, "one.csv", feed_csv("n1", "n2", 100));
	feed_write(b.dir, "sub/two.csv", feed_csv("n1", "n3", 90));
	feed_write(b.dir, ".hidden.csv", feed_csv("n1", "n4", 80));
	feed_write(b.dir, "picture.png", feed_csv("n1", "n5", 80));
	assert_int_equal(symlink("one.csv", at(&b, "latest")), 0);
	watch(&b, b.dir);
	assert_false(feed_state(&b.f).first_look);
	assert_true(feed_until_files(&b.f, 2));
	assert_true(fabs(feed_busbw(&b.f, "n1", "n2") - 100) < 0.01);
	assert_true(fabs(feed_busbw(&b.f, "n3", "n1") - 90) < 0.01);
	assert_int_equal(feed_measured(&b.f), 2);
	assert_null(feed_state(&b.f).error);
	assert_string_equal(feed_state(&b.f).label, b.dir);
	end(&b);
}

static void what_comes_is_read(void **state)
{
	struct box b;

	(void)state;
	begin(&b);
	watch(&b, b.dir);
	assert_true(feed_until_files(&b.f, 0));
	feed_write(b.dir, "one.csv", feed_csv("n1", "n2", 100));
	assert_true(feed_until(&b.f, "n1", "n2", 100));
	/* A directory that comes later, and a file in it later still. */
	feed_write(b.dir, "new/two.csv", feed_csv("n1", "n3", 90));
	assert_true(feed_until(&b.f, "n1", "n3", 90));
	feed_write(b.dir, "new/three.csv", feed_csv("n2", "n3", 80));
	assert_true(feed_until(&b.f, "n2", "n3", 80));
	end(&b);
}

static void a_file_that_grows(void **state)
{
	struct box b;

	(void)state;
	begin(&b);
	watch(&b, b.dir);
	feed_write(b.dir, "one.csv", feed_csv("n1", "n2", 100));
	assert_true(feed_until(&b.f, "n1", "n2", 100));
	assert_int_equal(feed_state(&b.f).growing, 1);
	feed_append(b.dir, "one.csv", "n1,n3,7");
	feed_append(b.dir, "one.csv", "7.5\n");
	assert_true(feed_until(&b.f, "n1", "n3", 77.5));
	assert_true(fabs(feed_busbw(&b.f, "n1", "n2") - 100) < 0.01);
	assert_int_equal(feed_measured(&b.f), 2);
	/* Left alone for a minute it counts as ended. */
	b.f.skew_ms = 61000;
	feed_turn(&b.f, 0);
	assert_int_equal(feed_state(&b.f).growing, 0);
	assert_int_equal(feed_state(&b.f).files, 1);
	end(&b);
}

/* What is written without end is read now and then, not for each write. */
static void a_file_that_never_rests(void **state)
{
	struct box b;
	unsigned reads = 0;
	unsigned turns = 0;
	uint64_t before;

	(void)state;
	begin(&b);
	watch(&b, b.dir);
	feed_write(b.dir, "one.csv", feed_csv("n1", "n2", 100));
	before = pair_store_generation(b.f.store);
	int fd = open(at(&b, "one.csv"), O_WRONLY | O_APPEND | O_CLOEXEC);

	assert_true(fd >= 0);
	for (turns = 0; turns < 400; turns++) {
		assert_int_equal(write(fd, "n1,n2,50\n", 9), 9);
		b.f.skew_ms += 20;
		feed_turn(&b.f, 1);
		reads += pair_store_generation(b.f.store) != before;
		before = pair_store_generation(b.f.store);
	}
	close(fd);
	assert_in_range(reads, 1, 12); /* 8 s and what the loop itself took */
	end(&b);
}

static void files_that_go_and_move(void **state)
{
	struct box b;

	(void)state;
	begin(&b);
	feed_write(b.dir, "one.csv", feed_csv("n1", "n2", 100));
	feed_write(b.dir, "sub/two.csv", feed_csv("n1", "n3", 90));
	watch(&b, b.dir);
	assert_true(feed_until_files(&b.f, 2));
	assert_int_equal(unlink(at(&b, "one.csv")), 0);
	assert_true(feed_until(&b.f, "n1", "n2", NAN));
	/* Another file in the place of one. */
	feed_write(b.dir, "new.tmp", feed_csv("n1", "n3", 70));
	assert_int_equal(rename(at(&b, "new.tmp"), at(&b, "sub/two.csv")), 0);
	assert_true(feed_until(&b.f, "n1", "n3", 70));
	assert_true(feed_until_files(&b.f, 1));
	/* A directory under another name, and what is written there then. */
	assert_int_equal(rename(at(&b, "sub"), at(&b, "other")), 0);
	assert_true(feed_until_files(&b.f, 1));
	feed_write(b.dir, "other/three.csv", feed_csv("n2", "n3", 60));
	assert_true(feed_until(&b.f, "n2", "n3", 60));
	assert_true(feed_until_files(&b.f, 2));
	assert_int_equal(feed_measured(&b.f), 2);
	end(&b);
}

static void the_directory_goes_and_comes_back(void **state)
{
	struct box b;

	(void)state;
	begin(&b);
	feed_write(b.dir, "s/one.csv", feed_csv("n1", "n2", 100));
	watch(&b, at(&b, "s"));
	assert_true(feed_until_files(&b.f, 1));
	assert_int_equal(rename(at(&b, "s"), at(&b, "away")), 0);
	assert_true(feed_until_error(&b.f, "No such file"));
	/* What was read stays on the screen. */
	assert_true(fabs(feed_busbw(&b.f, "n1", "n2") - 100) < 0.01);
	assert_int_equal(rename(at(&b, "away"), at(&b, "s")), 0);
	b.f.skew_ms += 4000;
	assert_true(feed_until_error(&b.f, NULL));
	feed_write(b.dir, "s/two.csv", feed_csv("n1", "n3", 90));
	assert_true(feed_until(&b.f, "n1", "n3", 90));
	end(&b);
}

static void a_single_file(void **state)
{
	struct box b;

	(void)state;
	begin(&b);
	feed_write(b.dir, "one.csv", feed_csv("n1", "n2", 100));
	feed_write(b.dir, "two.csv", feed_csv("n1", "n3", 90));
	watch(&b, at(&b, "one.csv"));
	assert_true(feed_until_files(&b.f, 1));
	feed_write(b.dir, "tmp", feed_csv("n1", "n2", 55));
	assert_int_equal(rename(at(&b, "tmp"), at(&b, "one.csv")), 0);
	assert_true(feed_until(&b.f, "n1", "n2", 55));
	assert_int_equal(feed_measured(&b.f), 1);
	end(&b);
}

/* More changes than the kernel keeps: a look at everything finds them. */
static void lost_events(void **state)
{
	struct box b;
	long most = 16384;
	FILE *f = fopen("/proc/sys/fs/inotify/max_queued_events", "re");

	(void)state;
	if (f) {
		assert_int_equal(fscanf(f, "%ld", &most), 1);
		fclose(f);
	}
	if (!f || most > 40000) {
		print_message("no queue that could run over here\n");
		skip();
	}
	begin(&b);
	watch(&b, b.dir);
	assert_true(feed_until_files(&b.f, 0));
	for (long i = 0; i < most + 10; i++) {
		const char *name = at(&b, i % 2 ? "x" : "y");
		int fd = open(name, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);

		close(fd);
		unlink(name);
	}
	feed_write(b.dir, "one.csv", feed_csv("n1", "n2", 100));
	assert_true(feed_until(&b.f, "n1", "n2", 100));
	end(&b);
}

static void what_is_no_text(void **state)
{
	struct box b;
	int fd;

	(void)state;
	begin(&b);
	fd = open(at(&b, "model.bin"), O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
	assert_int_equal(write(fd, "n1,n2,3\n\0n1,n2,4\n", 17), 17);
	close(fd);
	assert_int_equal(mkfifo(at(&b, "pipe"), 0600), 0);
	feed_write(b.dir, "empty.csv", "");
	watch(&b, b.dir);
	assert_true(feed_until_files(&b.f, 2));
	assert_int_equal(feed_measured(&b.f), 0);
	end(&b);
}

static void another_store(void **state)
{
	static const struct pair_select largest;
	struct box b;

	(void)state;
	begin(&b);
	feed_write(b.dir, "one.csv", feed_csv("n1", "n2", 100));
	watch(&b, b.dir);
	assert_true(feed_until_files(&b.f, 1));
	pair_store_free(b.f.store);
	b.f.store = pair_store_new(&largest);
	b.f.feed->ops->again(b.f.feed);
	assert_false(feed_state(&b.f).first_look);
	assert_true(feed_until(&b.f, "n1", "n2", 100));
	end(&b);
}

static void places_that_cannot_be(void **state)
{
	struct pair_feed *feed = NULL;
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(pair_watch_new(&feed, "/nonexistent/place", &e), ERR_IO);
	assert_non_null(strstr(e.msg, "/nonexistent/place"));
	assert_int_equal(pair_watch_new(&feed, "", &e), ERR_USAGE);
	assert_int_equal(pair_watch_new(&feed, "/dev/null", &e), ERR_IO);
	assert_null(feed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_there_is_read),
		cmocka_unit_test(what_comes_is_read),
		cmocka_unit_test(a_file_that_grows),
		cmocka_unit_test(a_file_that_never_rests),
		cmocka_unit_test(files_that_go_and_move),
		cmocka_unit_test(the_directory_goes_and_comes_back),
		cmocka_unit_test(a_single_file),
		cmocka_unit_test(lost_events),
		cmocka_unit_test(what_is_no_text),
		cmocka_unit_test(another_store),
		cmocka_unit_test(places_that_cannot_be),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
