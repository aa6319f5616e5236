/* The reader as a whole: names, factors, caps, bytes that mean harm. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "collectors/compiler.h"
#include "tests/lib/bw_seen.h"

static void test_names(void **state)
{
	static const struct {
		const char *name;
		enum bw_collective want;
	} cases[] = {{"all_reduce", BW_ALL_REDUCE}, {"allreduce", BW_ALL_REDUCE},
		{"all_reduce_perf", BW_ALL_REDUCE}, {"AllReduce", BW_ALL_REDUCE},
		{"allr", BW_ALL_REDUCE}, {"all-gather", BW_ALL_GATHER},
		{"redsct", BW_REDUCE_SCATTER}, {"alltoall_perf", BW_ALLTOALL},
		{"alltoallv", BW_ALLTOALLV}, {"reduce", BW_REDUCE}, {"sendrecv_perf", BW_SENDRECV},
		{"", BW_COLL_UNKNOWN}, {"perf", BW_COLL_UNKNOWN},
		{"all_reduce_all_reduce_all_reduce_all", BW_COLL_UNKNOWN}};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		assert_int_equal(bw_collective_by_name(span_of(cases[i].name)), cases[i].want);
	for (size_t i = BW_ALL_REDUCE; i < BW_COLL_COUNT; i++)
		assert_int_equal(bw_collective_by_name(span_of(bw_collective_name(i))), i);
	assert_string_equal(bw_trouble_name(BW_TROUBLE_SOCKET), "nccl-net-socket");
	assert_string_equal(bw_status_name(BW_NONE), "none");
}

static void test_factor(void **state)
{
	(void)state;
	assert_float_equal(bw_factor(BW_ALL_REDUCE, 16), 1.875, 1e-12);
	assert_float_equal(bw_factor(BW_ALLTOALL, 2), 0.5, 1e-12);
	assert_float_equal(bw_factor(BW_SENDRECV, 2), 1, 1e-12);
	assert_float_equal(bw_factor(BW_ALL_REDUCE, 0), 0, 1e-12);
	assert_float_equal(bw_factor(BW_COLL_UNKNOWN, 4), 0, 1e-12);
}

static void test_largest(void **state)
{
	struct bw_row rows[4] = {{.size_bytes = 8, .ip_busbw_gbps = {OPT_OK, 1}},
		{.size_bytes = 16, .oop_busbw_gbps = {OPT_OK, 2}},
		{.size_bytes = 16, .oop_busbw_gbps = {OPT_OK, 3}}, {.size_bytes = 32}};
	struct bw_table t = {.rows = rows, .n = 4};

	(void)state;
	assert_ptr_equal(bw_table_largest(&t), &rows[1]);
	t.n = 0;
	assert_null(bw_table_largest(&t));
}

/* The most rows, tables and hosts of one run, and what comes behind them. */
static void test_caps(void **state)
{
	struct bw_seen s = BW_SEEN_INIT;
	struct buf text = BUF_INIT(16u << 20);

	(void)state;
	for (size_t i = 0; i < BW_HOSTS_MAX + 10; i++)
		assert_int_equal(
			buf_addf(&text, "# Rank %zu Pid 7 on h%zu device 0 [0x1] X\n", i, i),
			ERR_OK);
	for (size_t i = 0; i < BW_ROWS_MAX + 10; i++)
		assert_int_equal(buf_add_str(&text, "8 2 float sum -1 1 1 2 0 1 1 2 0\n"), ERR_OK);
	s.text.cap = 8u << 20;
	bw_seen_read(&s, NULL, buf_str(&text), text.len, 65521);
	assert_non_null(strstr(buf_str(&s.text), "table float sum 65536 avg"));
	assert_non_null(strstr(buf_str(&s.text), "unread 1 rows of a run"));
	assert_non_null(strstr(buf_str(&s.text), " h16383\n"));
	buf_release(&text);
	bw_seen_release(&s);
}

/* Lines without end, with NUL and escape bytes, names that are no names. */
/* Two files behind each other read as each by itself: hosts of one are not hosts of the other. */
static void check_behind(const char *first, const char *second)
{
	struct buf a = BUF_INIT(1 << 20);
	struct buf b = BUF_INIT(1 << 20);
	struct buf both = BUF_INIT(1 << 21);
	struct buf apart = BUF_INIT(1 << 21);
	struct bw_seen one = BW_SEEN_INIT;
	struct bw_seen two = BW_SEEN_INIT;
	struct err e = ERR_INIT;

	assert_int_equal(buf_read_file(&a, first, &e), ERR_OK);
	assert_int_equal(buf_read_file(&b, second, &e), ERR_OK);
	assert_int_equal(buf_add(&both, a.data, a.len), ERR_OK);
	assert_int_equal(buf_add(&both, b.data, b.len), ERR_OK);
	bw_seen_read(&one, "x.log", a.data, a.len, 0);
	assert_int_equal(buf_add(&apart, one.text.data, one.text.len), ERR_OK);
	bw_seen_release(&one);
	one = (struct bw_seen)BW_SEEN_INIT;
	bw_seen_read(&one, "x.log", b.data, b.len, 0);
	assert_int_equal(buf_add(&apart, one.text.data, one.text.len), ERR_OK);
	bw_seen_read(&two, "x.log", both.data, both.len, 0);
	assert_string_equal(buf_str(&apart), buf_str(&two.text));
	bw_seen_release(&one);
	bw_seen_release(&two);
	buf_release(&a);
	buf_release(&b);
	buf_release(&both);
	buf_release(&apart);
}

static void test_files_behind_each_other(void **state)
{
	(void)state;
	check_behind("tests/fixtures/nccl/pair_ok.log", "tests/fixtures/nccl/nccom.log");
	check_behind("tests/fixtures/nccl/pair_ok.log", "tests/fixtures/nccl/pair_ok.log");
}

#define RANKS                                                                     \
	"# nccl-tests version 2.17.6 nccl-headers=22807 nccl-library=22807\n"     \
	"# Collective test starting: all_reduce_perf\n"                           \
	"#  Rank  0 Group  0 Pid   1001 on      gpu-1 device  0 [0000:53:00] X\n" \
	"#  Rank  1 Group  0 Pid   1002 on      gpu-2 device  0 [0000:53:00] X\n"

static const char *seen_of(struct bw_seen *s, const char *text)
{
	bw_seen_read(s, "x.log", text, strlen(text), 0);
	return buf_str(&s->text);
}

/* One node's GPUDirect does not speak for another's; some channels without it are no trouble. */
static void test_gpudirect_of_each_host(void **state)
{
	(void)state;
	static const char one[] = RANKS
		"gpu-1:10:20 [0] NCCL INFO Channel 00/0 : 0[0] -> 1[0] [send] via NET/IB/0\n"
		"gpu-1:10:20 [0] NCCL INFO Channel 01/0 : 0[0] -> 1[0] [send] via NET/IB/1/GDRDMA\n"
		"gpu-2:11:21 [0] NCCL INFO Channel 00/0 : 1[0] -> 0[0] [send] via NET/IB/0\n";
	static const char none[] = RANKS
		"gpu-2:11:21 [0] NCCL INFO Channel 00/0 : 1[0] -> 0[0] [send] via NET/IB/0/GDRDMA\n"
		"gpu-2:11:21 [0] NCCL INFO Channel 01/0 : 1[0] -> 0[0] [send] via NET/IB/0\n";
	struct bw_seen s = BW_SEEN_INIT;
	struct bw_seen t = BW_SEEN_INIT;

	assert_non_null(strstr(seen_of(&s, one), "trouble nccl-no-gdr gpu-2"));
	assert_null(strstr(seen_of(&t, none), "nccl-no-gdr"));
	bw_seen_release(&s);
	bw_seen_release(&t);
}

static void test_numbers_are_whole(void **state)
{
	(void)state;
	static const char timeout[] = RANKS
		"gpu-1:10:20 [0] NCCL WARN NET/IB : Got completion with error status=12 opcode=0\n"
		"gpu-1: Test NCCL failure common.cu:401 'remote process exited'\n";
	static const char other[] = RANKS
		"gpu-1:10:20 [0] NCCL WARN NET/IB : Got completion with error status=120 opcode=0\n"
		"gpu-1: Test NCCL failure common.cu:401 'remote process exited'\n";
	struct bw_seen s = BW_SEEN_INIT;
	struct bw_seen t = BW_SEEN_INIT;

	assert_non_null(strstr(seen_of(&s, timeout), "nccl-timeout"));
	assert_null(strstr(seen_of(&t, other), "nccl-timeout"));
	bw_seen_release(&s);
	bw_seen_release(&t);
}

static void test_hostile(void **state)
{
	static const char *const lines[] = {"# Rank 0 Pid 1 on \x01\xff\xfe device 0 [0] X\n",
		"\033[31m# Rank 99999999999999999999 Pid 1 on a device 0\n",
		"# Out of bounds values : nan\n", "# Avg bus bandwidth : -1e400\n",
		"18446744073709551616 1 float sum -1 1 1 1 0 1 1 1 0\n",
		"18446744073709551615 1 float sum -1 1 1 1 0 1 1 1 0\n",
		"8 2 float sum -1 BenchTime(), c.cu:1,", "(), (), a.c:1, \n",
		"SLURM_JOB_NODELIST=gpu-[1-999999999]\n", ": i-0123456789abcdef0\n",
		"mpirun -H -H \\\n", "{\"", "\",,,\"\n"};
	struct bw_seen s = BW_SEEN_INIT;
	struct buf text = BUF_INIT(1u << 20);
	unsigned seed = 1;

	(void)state;
	for (int round = 0; round < 300; round++) {
		buf_reset(&text);
		for (int k = 0; k < 12; k++) {
			seed = seed * 1103515245u + 12345u;
			assert_int_equal(
				buf_add_str(&text, lines[(seed >> 16) % ARRAY_LEN(lines)]), ERR_OK);
		}
		if (round == 0)
			for (int k = 0; k < 30000; k++)
				assert_int_equal(buf_add(&text, &"[\0\n"[k % 2], 1), ERR_OK);
		bw_seen_read(&s, "x\xff/N2_G_--", buf_str(&text), text.len, (size_t)round % 9);
		for (const char *c = buf_str(&s.text); *c; c++)
			assert_true(*c == '\n' || (unsigned char)*c >= ' ');
	}
	buf_release(&text);
	bw_seen_release(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_factor),
		cmocka_unit_test(test_largest),
		cmocka_unit_test(test_caps),
		cmocka_unit_test(test_files_behind_each_other),
		cmocka_unit_test(test_gpudirect_of_each_host),
		cmocka_unit_test(test_numbers_are_whole),
		cmocka_unit_test(test_hostile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
