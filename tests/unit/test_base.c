#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collectors/arena.h"
#include "collectors/buf.h"
#include "collectors/err.h"
#include "collectors/log.h"

static void assert_sane(const struct buf *b)
{
	assert_true(b->len <= b->cap);
	if (b->data) {
		assert_true(b->alloc > b->len);
		assert_int_equal(b->data[b->len], '\0');
	} else {
		assert_int_equal(b->len, 0);
	}
}

static void test_buf_keeps_content_over_the_cap(void **state)
{
	struct buf b = BUF_INIT(8);

	(void)state;
	assert_string_equal(buf_str(&b), "");
	assert_int_equal(buf_add_str(&b, "12345"), ERR_OK);
	assert_sane(&b);
	assert_int_equal(buf_add_str(&b, "6789"), ERR_TOOBIG);
	assert_int_equal(buf_addf(&b, "%d", 6789), ERR_TOOBIG);
	assert_string_equal(buf_str(&b), "12345");
	assert_int_equal(buf_add_str(&b, "678"), ERR_OK);
	assert_sane(&b);
	buf_consume(&b, 3);
	assert_string_equal(buf_str(&b), "45678");
	buf_consume(&b, 99);
	assert_int_equal(b.len, 0);
	assert_sane(&b);
	char *p = buf_detach(&b);

	assert_string_equal(p, "");
	free(p);
	buf_release(&b);
}

static void test_buf_grows(void **state)
{
	struct buf b = BUF_INIT(1 << 20);

	(void)state;
	for (int i = 0; i < 20000; i++) {
		assert_int_equal(buf_addf(&b, "%d,", i), ERR_OK);
		assert_sane(&b);
	}
	assert_memory_equal(b.data, "0,1,2,", 6);
	buf_release(&b);
}

static void test_buf_reads_files(void **state)
{
	struct buf b = BUF_INIT(16);
	struct err e = ERR_INIT;
	char path[] = "/tmp/hp-buf-XXXXXX";
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(write(fd, "0123456789", 10), 10);
	assert_int_equal(buf_read_file(&b, path, &e), ERR_OK);
	assert_string_equal(buf_str(&b), "0123456789");
	assert_int_equal(buf_read_file(&b, path, &e), ERR_TOOBIG);
	assert_non_null(strstr(e.msg, path));
	close(fd);
	unlink(path);
	assert_int_equal(buf_read_file(&b, path, &e), ERR_IO);
	assert_non_null(strstr(e.msg, path));
	buf_release(&b);
}

static void test_arena_has_a_cap(void **state)
{
	struct arena a = ARENA_INIT(10000);
	size_t got = 0;

	(void)state;
	while (arena_alloc(&a, 100))
		got++;
	assert_int_equal(got, 100);
	assert_null(arena_strndup(&a, "x", SIZE_MAX));
	arena_release(&a);
	char *p = arena_strndup(&a, "text", 3);

	assert_string_equal(p, "tex");
	assert_int_equal((uintptr_t)arena_alloc(&a, 1) % sizeof(void *), 0);
	char *big = arena_alloc(&a, 9000);

	assert_non_null(big);
	for (int i = 0; i < 9000; i++)
		assert_int_equal(big[i], 0);
	arena_release(&a);
}

static void test_err(void **state)
{
	struct err e = ERR_INIT;
	char longer[600];

	(void)state;
	assert_int_equal(err_set(&e, ERR_NET, "connect: %s", "refused"), ERR_NET);
	err_prefix(&e, "node%02d", 7);
	assert_string_equal(e.msg, "node07: connect: refused");
	memset(longer, 'x', sizeof(longer) - 1);
	longer[sizeof(longer) - 1] = '\0';
	err_set(&e, ERR_IO, "%s", longer);
	err_prefix(&e, "%s", longer);
	assert_int_equal(strlen(e.msg), sizeof(e.msg) - 1);
	assert_int_equal(err_set(NULL, ERR_IO, "%s", "no one listens"), ERR_IO);
	err_prefix(NULL, "%s", "still fine");
	for (int i = 0; i <= ERR_BUG; i++)
		assert_string_not_equal(err_code_name((enum err_code)i), "unknown");
	assert_string_equal(err_code_name((enum err_code)999), "unknown");
}

static void test_log_is_printable_and_remembered(void **state)
{
	struct err e = ERR_INIT;
	char path[] = "/tmp/hp-log-XXXXXX";
	int fd = mkstemp(path);
	struct log_line lines[4];
	struct buf b = BUF_INIT(4096);
	uint64_t total;

	(void)state;
	close(fd);
	assert_int_equal(log_open(path, LOG_INFO, &e), ERR_OK);
	log_write(LOG_WARN, "ssh", "node07", "said %s", "\033[2Jhello");
	log_write(LOG_DEBUG, "ssh", NULL, "not at this level");
	log_close();
	assert_int_equal(log_recent(lines, 4, &total), 1);
	assert_int_equal(total, 1);
	assert_string_equal(lines[0].text, "ssh node07 said ?[2Jhello");
	assert_int_equal(buf_read_file(&b, path, &e), ERR_OK);
	assert_non_null(strstr(buf_str(&b), " warn  ssh node07 said ?[2Jhello\n"));
	assert_null(strstr(buf_str(&b), "not at this level"));
	buf_release(&b);
	unlink(path);
	assert_int_equal(log_open("/nonexistent/x/y", LOG_INFO, &e), ERR_IO);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_buf_keeps_content_over_the_cap),
		cmocka_unit_test(test_buf_grows),
		cmocka_unit_test(test_buf_reads_files),
		cmocka_unit_test(test_arena_has_a_cap),
		cmocka_unit_test(test_err),
		cmocka_unit_test(test_log_is_printable_and_remembered),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
