/* Text of nccl-tests: wrappers, flags, cut and failed runs, hosts, transport trouble. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "collectors/compiler.h"
#include "collectors/nccl_fast.h"
#include "tests/lib/bw_seen.h"

#define RUN   "run nccl-tests 2.17.8 all_reduce ok ranks 4 per 2 hosts 1: ip-10-1-0-11 ip-10-1-0-12\n"
#define TABLE "table float sum 3 avg 71.75 max 33554432 oop 90 ip 82.5 wrong 0\n"

/* The fixture read at once, and byte by byte. */
static void check_fixture(const char *file, const char *want)
{
	struct bw_seen s = BW_SEEN_INIT;
	static const size_t pieces[] = {0, 1, 7};

	for (size_t i = 0; i < ARRAY_LEN(pieces); i++) {
		bw_seen_fixture(&s, file, pieces[i]);
		if (strcmp(buf_str(&s.text), want) != 0)
			print_error("%s, %zu bytes at a time\n", file, pieces[i]);
		assert_string_equal(buf_str(&s.text), want);
	}
	bw_seen_release(&s);
}

static void check_text(const char *name, const char *text, const char *want)
{
	struct bw_seen s = BW_SEEN_INIT;

	bw_seen_read(&s, name, text, strlen(text), 0);
	assert_string_equal(buf_str(&s.text), want);
	bw_seen_read(&s, name, text, strlen(text), 1);
	assert_string_equal(buf_str(&s.text), want);
	bw_seen_release(&s);
}

static void test_plain(void **state)
{
	(void)state;
	check_fixture("pair_ok.log", "instance ip-10-1-0-11 i-0123456789abcdef0\n"
				     "instance ip-10-1-0-12 i-0fedcba9876543210\n" RUN TABLE);
}

/* The same run in every wrapper is the same run. */
static void test_wrappers(void **state)
{
	static const char *const files[] = {"wrap_ansi.log", "wrap_rfc3339.log",
		"wrap_bracket_time.log", "wrap_ray.log", "wrap_pod.log", "wrap_markdown.log",
		"wrap_crlf.log"};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(files); i++)
		check_fixture(files[i], RUN TABLE);
}

/* Made-up: no real output of -S, -I, or of a build that replays a trace was at hand. */
static void test_flags(void **state)
{
	(void)state;
	check_fixture("flag_S.log", RUN TABLE);
	check_fixture("flag_I.log", RUN TABLE);
	check_fixture("flag_d_all.log",
		RUN TABLE "table half sum 3 avg 71.75 max 33554432 oop 90 ip 82.5 wrong 0\n");
	/* With NCCL_TESTS_SPLIT only the group of rank 0 is in the table. */
	check_fixture("groups.log",
		"run nccl-tests 2.17.8 all_reduce ok ranks 2 per 2 hosts 1: ip-10-1-0-11\n" TABLE);
}

/* Log lines of other ranks within a row and behind it. */
static void test_glued(void **state)
{
	(void)state;
	check_fixture("glued_info.log", RUN TABLE);
	check_fixture("glued_tail.log", RUN TABLE);
}

static void test_values(void **state)
{
	(void)state;
	check_fixture(
		"nan.log", RUN "table float sum 3 avg 71.75 max 16777216 oop 75 ip 69 wrong 0\n");
	check_fixture("wrong_values.log",
		"run nccl-tests 2.17.8 all_reduce failed ranks 4 per 2 hosts 1: ip-10-1-0-11 "
		"ip-10-1-0-12\n" TABLE);
}

/* Half a row must not give figures of the wrong columns. */
static void test_cut(void **state)
{
	struct bw_seen s = BW_SEEN_INIT;
	struct buf text = BUF_INIT(1u << 20);
	struct err e;

	(void)state;
	check_fixture("cut_row.log", "run nccl-tests 2.17.8 all_reduce truncated ranks 4 per 2 "
				     "hosts 1: ip-10-1-0-11 ip-10-1-0-12\n"
				     "table float sum 2 avg - max 16777216 oop 75 ip 69 wrong 0\n");
	assert_int_equal(buf_read_file(&text, "tests/fixtures/nccl/pair_ok.log", &e), ERR_OK);
	for (size_t n = 0; n < text.len; n++) {
		bw_seen_read(&s, NULL, buf_str(&text), n, 0);
		const char *max = strstr(buf_str(&s.text), " oop ");

		if (max && strncmp(max, " oop 60 ip 54", 13) != 0 &&
			strncmp(max, " oop 75 ip 69", 13) != 0 &&
			strncmp(max, " oop 90 ip 82.5", 15) != 0) {
			print_error("%zu bytes: %s", n, buf_str(&s.text));
			fail();
		}
		if (strstr(buf_str(&s.text), "truncated"))
			assert_true(s.why[0] != '\0');
	}
	buf_release(&text);
	bw_seen_release(&s);
}

static void test_trouble(void **state)
{
	(void)state;
	check_fixture("trouble.log",
		"run nccl-tests - all_reduce? failed ranks - per - hosts 4: gpu-1 gpu-2\n"
		"table float sum 1 avg - max 8388608 oop 60 ip 54 wrong 0\n"
		"trouble nccl-net-socket gpu-1\n"
		"trouble nccl-ofi-tcp gpu-1\n"
		"trouble nccl-no-plugin gpu-1\n"
		"trouble nccl-memlock gpu-1\n"
		"trouble nccl-shm gpu-1\n"
		"trouble nccl-timeout -\n");
	/* What was tried on the way to a network that works is no trouble. */
	check_fixture("trouble_none.log",
		"run nccl-tests - all_reduce? ok ranks - per - hosts 2: gpu-1 gpu-2\n"
		"table float sum 1 avg 57 max 8388608 oop 60 ip 54 wrong 0\n");
}

#define HEAD                                                                                  \
	"#  size  count  type  redop  root  time  algbw  busbw  #wrong  time  algbw  busbw  " \
	"#wrong\n"
#define ROW  "  8388608  2097152  float  sum  -1  209.72  40.00  60.00  0  233.02  36.00  54.00  0\n"
#define SEEN "table float sum 1 avg - max 8388608 oop 60 ip 54 wrong 0\n"

static void test_hosts(void **state)
{
	(void)state;
	check_text("x/nccl_N2_G8_cnode2-001_cnode2-002.log", HEAD ROW,
		"run nccl-tests - all_reduce? truncated ranks - per - hosts 6: cnode2-001 "
		"cnode2-002\n" SEEN);
	check_text("a-1--b-2.log", HEAD ROW,
		"run nccl-tests - all_reduce? truncated ranks - per - hosts 6: a-1 b-2\n" SEEN);
	check_text(NULL, "mpirun -np 16 -H gpu-1:8,gpu-2:8 \\\n  ./all_reduce_perf -b 8\n" HEAD ROW,
		"run nccl-tests - all_reduce truncated ranks - per - hosts 5: gpu-1 gpu-2\n" SEEN);
	check_text(NULL,
		"hostname=gpu-1 \xe2\x9e\xa1\xef\xb8\x8f i-0123456789abcdef0 | NCCL: 2.29\n"
		"0: gpu-2 \xe2\x9e\xa1\xef\xb8\x8f i-01234567\n" HEAD ROW,
		"instance gpu-1 i-0123456789abcdef0\ninstance gpu-2 i-01234567\n"
		"run nccl-tests - all_reduce? truncated ranks - per - hosts 3: gpu-1 gpu-2\n" SEEN);
	/* Only those that spoke: no more than a lower bound, so the list of nodes is better. */
	check_text(NULL,
		"SLURM_JOB_NODELIST=gpu-[1-2]\ngpu-1: Test NCCL failure a.cu:1 'x / '\n" HEAD,
		"run nccl-tests - unknown? failed ranks - per - hosts 4: gpu-1 gpu-2\n");
}

/* Runs that follow each other, and one-rank runs side by side. */
static void test_runs(void **state)
{
	static const char rank0[] = "# Rank 0 Pid 1 on a device 0 [0x1] X\n";

	(void)state;
	char text[2048];

	snprintf(text, sizeof(text), "# nThread 1 nGpus 1\n# nThread 1 nGpus 1\n%s%s%s%s%s", rank0,
		"# Rank 0 Pid 2 on b device 0 [0x1] X\n", HEAD HEAD, ROW, ROW);
	check_text(NULL, text,
		"run nccl-tests - all_reduce? none ranks 2 per 1 hosts 1: a b\n"
		"table float sum 2 avg - max 8388608 oop 60 ip 54 wrong 0\n");
	snprintf(text, sizeof(text), "# nThread 1 nGpus 1\n%s%s# nThread 1 nGpus 1\n%s%s", rank0,
		"# Rank 1 Pid 2 on b device 0 [0x1] X\n", rank0,
		"# Rank 1 Pid 2 on c device 0 [0x1] X\n");
	check_text(NULL, text,
		"run nccl-tests - unknown? truncated ranks 2 per 1 hosts 1: a b\n"
		"run nccl-tests - unknown? truncated ranks 2 per 1 hosts 1: a c\n");
}

static bool same_figure(struct opt_f64 a, struct opt_f64 b)
{
	return a.state == b.state && (a.state != OPT_OK || memcmp(&a, &b, sizeof(a)) == 0);
}

/* What is read in one pass is what the reader of every layout reads, to the last bit. */
static void test_fast(void **state)
{
	static const char *const figures[] = {"0", "0.00", "13.51", "1303.8", "89754", "3253763.10",
		"1.6e+07", "12345678", "999999.9", "7.", ".5", "1.2.3", "1:2", "N/A", "nan", "-1",
		"9", "6.71089e+07", "123456789012345", "0.1", "4e-07", "12345.67", "1234567"};
	struct nccl_layout l = {0};
	struct nccl_fast fast = {0};
	struct nccl_row row;
	struct bw_row got;
	char line[256];
	size_t taken = 0;

	(void)state;
	assert_true(nccl_layout_read(&l, span_of(&HEAD[1])));
	assert_int_equal(nccl_row_read(&l, span_of(ROW), &row), NCCL_ROW_WHOLE);
	nccl_fast_learn(&fast, &l, &row);
	assert_true(fast.ready);
	for (size_t i = 0; i < ARRAY_LEN(figures); i++)
		for (size_t k = 0; k < ARRAY_LEN(figures); k++) {
			snprintf(line, sizeof(line), " 8 2 float sum -1 1 %s %s %s 1.5  %s   %s 0",
				figures[i], figures[k], figures[(i + k) % ARRAY_LEN(figures)],
				figures[k], figures[i]);
			if (!nccl_fast_read(&fast, span_of(line), &got))
				continue;
			taken++;
			assert_int_equal(nccl_row_read(&l, span_of(line), &row), NCCL_ROW_WHOLE);
			assert_true(same_figure(got.oop_algbw_gbps, row.row.oop_algbw_gbps));
			assert_true(same_figure(got.oop_busbw_gbps, row.row.oop_busbw_gbps));
			assert_true(same_figure(got.ip_algbw_gbps, row.row.ip_algbw_gbps));
			assert_true(same_figure(got.ip_busbw_gbps, row.row.ip_busbw_gbps));
			assert_true(same_figure(got.wrong, row.row.wrong));
		}
	assert_true(taken > 50);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_plain),
		cmocka_unit_test(test_wrappers),
		cmocka_unit_test(test_flags),
		cmocka_unit_test(test_glued),
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_cut),
		cmocka_unit_test(test_trouble),
		cmocka_unit_test(test_hosts),
		cmocka_unit_test(test_runs),
		cmocka_unit_test(test_fast),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
