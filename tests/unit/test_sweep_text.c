#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "collectors/bw_reader.h"
#include "rules/sweep_text.h"

#define MIB ((uint64_t)1 << 20)
#define GIB ((uint64_t)1 << 30)

static const char *const names[] = {"ip-10-1-0-11", "ip-10-1-0-12", "gpu_3", "n4.example.org"};

static struct sweep_text plain(void)
{
	return (struct sweep_text){.names = names, .n_names = 4, .instance_type = "p5.48xlarge"};
}

static void fill(struct sweep_text *t, enum sweep_runner r)
{
	struct err e = ERR_INIT;

	if (sweep_text_fill(t, r, &e))
		fail_msg("%s", e.msg);
}

static struct sweep_plan *full(size_t n)
{
	const struct sweep_request req = {.n = n, .strategy = SWEEP_FULL};
	struct sweep_plan *p = NULL;
	struct err e = ERR_INIT;

	assert_int_equal(sweep_plan_make(&p, &req, &e), ERR_OK);
	return p;
}

/* ---- defaults and checks ---- */

static void test_defaults_fit_the_type(void **state)
{
	static const struct {
		const char *type;
		unsigned per_node;
		unsigned efa;
		uint64_t max_bytes;
		bool trainium;
	} cases[] = {
		{"p5.48xlarge", 8, 32, 4 * GIB, false},
		{"p5en.48xlarge", 8, 16, 4 * GIB, false},
		{"p4d.24xlarge", 8, 4, 4 * GIB, false},
		{"p6e-gb200.36xlarge", 4, 4, 4 * GIB, false},
		{"g5.12xlarge", 4, 1, 256 * MIB, false},
		{"g5.48xlarge", 8, 1, 1 * GIB, false},
		{"trn1.32xlarge", 32, 8, 1 * GIB, true},
		{"trn2.48xlarge", 64, 16, 1 * GIB, true},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct sweep_text t = plain();

		t.instance_type = cases[i].type;
		fill(&t, SWEEP_SLURM);
		assert_int_equal(t.gpus_per_node, cases[i].per_node);
		assert_int_equal(t.efa_devices, cases[i].efa);
		assert_int_equal(t.max_bytes, cases[i].max_bytes);
		assert_true(t.min_bytes < t.max_bytes);
		assert_int_equal(t.trainium, cases[i].trainium);
		assert_false(t.type_assumed);
		assert_string_equal(t.collective, "all_reduce");
		assert_true(t.timeout_s >= 180);
	}
}

static void test_unknown_type_is_said(void **state)
{
	static const char *const types[] = {NULL, "p9.metal", "c5.large"};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(types); i++) {
		struct sweep_text t = plain();

		t.instance_type = types[i];
		fill(&t, SWEEP_MPI);
		assert_true(t.type_assumed);
		assert_int_equal(t.gpus_per_node, 8);
	}
}

static void test_what_is_told_stays(void **state)
{
	struct sweep_text t = plain();

	(void)state;
	t.gpus_per_node = 2;
	t.min_bytes = t.max_bytes = 1 * MIB;
	t.iterations = 7;
	t.timeout_s = 11;
	t.collective = "AllGather";
	fill(&t, SWEEP_SLURM);
	assert_int_equal(t.gpus_per_node, 2);
	assert_int_equal(t.min_bytes, 1 * MIB);
	assert_int_equal(t.max_bytes, 1 * MIB);
	assert_int_equal(t.iterations, 7);
	assert_int_equal(t.timeout_s, 11);
	assert_string_equal(t.collective, "all_gather");
	/* One of the sizes alone: the other one follows. */
	t = plain();
	t.min_bytes = 16 * GIB;
	fill(&t, SWEEP_SLURM);
	assert_int_equal(t.max_bytes, 16 * GIB);
	t = plain();
	t.max_bytes = 1 * MIB;
	fill(&t, SWEEP_SLURM);
	assert_int_equal(t.min_bytes, 1 * MIB);
}

static void refused(const struct sweep_text *t, enum sweep_runner r, const char *words)
{
	struct sweep_text copy = *t;
	struct err e = ERR_INIT;

	assert_int_equal(sweep_text_fill(&copy, r, &e), ERR_USAGE);
	if (!strstr(e.msg, words))
		fail_msg("\"%s\" lacks \"%s\"", e.msg, words);
}

static void test_names(void **state)
{
	static const char *const good[] = {
		"a", "ip-10-1-0-11", "A.b_c-9", "hyperpod-i-0123456789abcdef0"};
	static const char *const bad[] = {"", "-a", ".a", "a-", "a b", "a;b", "a$(b)", "a`b`",
		"a'b", "a\"b", "a/b", "a\nb", "a--b", "a:b", "a,b", "a\\", "\xc3\xa4"};
	char longest[300];

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(good); i++)
		assert_true(sweep_name_ok(good[i]));
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		struct sweep_text t = plain();

		assert_false(sweep_name_ok(bad[i]));
		t.names = &bad[i];
		t.n_names = 1;
		refused(&t, SWEEP_SLURM, "not a name that can stand in a script");
	}
	memset(longest, 'x', sizeof(longest));
	longest[253] = '\0';
	assert_true(sweep_name_ok(longest));
	longest[253] = 'x';
	longest[254] = '\0';
	assert_false(sweep_name_ok(longest));
}

static void test_words(void **state)
{
	static const char *const bad[] = {"", "a'b", "a b", "$x", "a\nb", "-x", "a;b", "a\"b"};
	static const size_t at[] = {offsetof(struct sweep_text, output_dir),
		offsetof(struct sweep_text, image), offsetof(struct sweep_text, binary_dir),
		offsetof(struct sweep_text, partition), offsetof(struct sweep_text, name_space)};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(bad); i++)
		for (size_t k = 0; k < ARRAY_LEN(at); k++) {
			struct sweep_text t = plain();

			*(const char **)((char *)&t + at[k]) = bad[i];
			refused(&t, SWEEP_SLURM, "not something that can stand in a script");
		}
}

static void test_refused(void **state)
{
	struct sweep_text t = plain();

	(void)state;
	t.instance_type = NULL;
	refused(&t, SWEEP_K8S, "--instance-type");
	t.instance_type = "trn1.32xlarge";
	refused(&t, SWEEP_K8S, "nccom-test has no MPIJob");
	t.collective = "gather";
	refused(&t, SWEEP_SLURM, "nccom-test has none of that name");
	t = plain();
	t.collective = "all_reduse";
	refused(&t, SWEEP_SLURM, "nccl-tests has none of that name");
	t = plain();
	t.image = "x.sqsh";
	refused(&t, SWEEP_MPI, "--image");
	t = plain();
	t.array = true;
	refused(&t, SWEEP_MPI, "--array");
	t = plain();
	t.min_bytes = 2 * GIB;
	t.max_bytes = 1 * GIB;
	refused(&t, SWEEP_SLURM, "--min-size");
	t.min_bytes = 16;
	refused(&t, SWEEP_SLURM, "--min-size");
}

/* ---- estimates ---- */

static void test_estimates(void **state)
{
	struct sweep_text t = plain();
	struct sweep_plan *p = full(4);
	double small;

	(void)state;
	/* 1 GiB, 16 ranks: 2^30 x 1.875 / 400e9 s, (20 + 5 + 1) times in each of two halves. */
	t.min_bytes = t.max_bytes = 1 * GIB;
	fill(&t, SWEEP_SLURM);
	small = sweep_pair_seconds(&t);
	assert_float_equal(
		small - sweep_start_seconds(&t) - 5, 1073741824.0 * 1.875 / 400e9 * 26 * 2, 1e-4);
	assert_float_equal(sweep_plan_seconds(p, SWEEP_SLURM, &t), 3 * (small + 3), 1e-4);
	assert_true(sweep_plan_most_seconds(p, &t) > sweep_plan_seconds(p, SWEEP_SLURM, &t));
	assert_true(sweep_plan_seconds(p, SWEEP_K8S, &t) > sweep_plan_seconds(p, SWEEP_SLURM, &t));
	/* A slower network and more sizes take longer, and the timeout follows. */
	t = plain();
	t.instance_type = "g5.12xlarge";
	t.max_bytes = 4 * GIB;
	fill(&t, SWEEP_SLURM);
	assert_true(sweep_pair_seconds(&t) > 10 * small);
	assert_true(t.timeout_s >= 3 * sweep_pair_seconds(&t));
	sweep_plan_free(p);
}

static void test_words_of_sizes_and_times(void **state)
{
	char size[24];
	char time[32];

	(void)state;
	sweep_size_text(512 * MIB, size);
	assert_string_equal(size, "512M");
	sweep_size_text(8 * GIB, size);
	assert_string_equal(size, "8G");
	sweep_size_text(1000, size);
	assert_string_equal(size, "1000");
	sweep_size_text(1536, size);
	assert_string_equal(size, "1536");
	sweep_time_text(45, time);
	assert_string_equal(time, "45 s");
	sweep_time_text(100, time);
	assert_string_equal(time, "2 min");
	sweep_time_text(7500, time);
	assert_string_equal(time, "2 h 5 min");
}

/* ---- the text ---- */

static void write_text(struct buf *out, const struct sweep_text *t, enum sweep_runner r, size_t n)
{
	struct sweep_plan *p = full(n);
	struct err e = ERR_INIT;

	if (sweep_plan_text(out, p, r, t, &e))
		fail_msg("%s", e.msg);
	sweep_plan_free(p);
}

static void has(const struct buf *b, const char *words)
{
	if (!strstr(buf_str(b), words))
		fail_msg("the text lacks \"%s\"", words);
}

static void lacks(const struct buf *b, const char *words)
{
	if (strstr(buf_str(b), words))
		fail_msg("the text has \"%s\"", words);
}

static void test_every_pair_is_in_it(void **state)
{
	(void)state;
	for (int r = SWEEP_SLURM; r <= SWEEP_K8S; r++) {
		struct buf out = BUF_INIT(SWEEP_TEXT_MAX);
		struct sweep_text t = plain();
		struct span rest;
		struct span line;
		size_t pairs = 0;

		fill(&t, (enum sweep_runner)r);
		write_text(&out, &t, (enum sweep_runner)r, 4);
		rest = (struct span){out.data, out.len};
		while (span_line(&rest, &line)) {
			if (line.n > 200)
				fail_msg("a line of %zu characters", line.n);
			pairs += line.n > 2 && line.p[0] >= '1' && line.p[0] <= '3' &&
				 line.p[1] == ' ';
		}
		assert_int_equal(pairs, 6);
		has(&out, "runs none of it: run this yourself");
		has(&out, "# Blast radius: ");
		has(&out, "is not known here. Look first");
		has(&out, "hyperpod-perf pairs pairwise");
		has(&out, "plan --strategy suspects --from pairs.json");
		assert_true(strncmp(out.data, "#!/bin/bash\n", 12) == 0);
		buf_release(&out);
	}
}

static void test_busy_is_said(void **state)
{
	struct buf out = BUF_INIT(SWEEP_TEXT_MAX);
	struct sweep_text t = plain();

	(void)state;
	t.busy = "gpu_3";
	t.left_out = "gpu[8-9]";
	t.busy_known = SWEEP_BUSY_SEEN;
	fill(&t, SWEEP_SLURM);
	write_text(&out, &t, SWEEP_SLURM, 4);
	has(&out, "# BUSY, and in this plan: gpu_3\n");
	has(&out, "# Left out: gpu[8-9]\n");
	has(&out, "was read when this was planned");
	buf_release(&out);
}

static void test_placeholders_are_said(void **state)
{
	struct buf out = BUF_INIT(SWEEP_TEXT_MAX);
	struct sweep_text t = plain();

	(void)state;
	t.placeholders = true;
	fill(&t, SWEEP_SLURM);
	write_text(&out, &t, SWEEP_SLURM, 4);
	has(&out, "THE NAMES ARE PLACEHOLDERS");
	buf_release(&out);
}

static void test_trainium(void **state)
{
	struct buf out = BUF_INIT(SWEEP_TEXT_MAX);
	struct sweep_text t = plain();

	(void)state;
	t.instance_type = "trn1.32xlarge";
	fill(&t, SWEEP_MPI);
	write_text(&out, &t, SWEEP_MPI, 4);
	has(&out, "nccom-test (Neuron tools) in place of nccl-tests");
	has(&out, "test_options=(-r 64 -N 2 -b 134217728 -e 1073741824 -f 2 -n 20 -w 5 -d fp32 "
		  "allr)");
	lacks(&out, "all_reduce_perf");
	buf_release(&out);
}

static void test_without_efa(void **state)
{
	struct buf out = BUF_INIT(SWEEP_TEXT_MAX);
	struct sweep_text t = plain();

	(void)state;
	t.instance_type = "g5.xlarge";
	fill(&t, SWEEP_K8S);
	write_text(&out, &t, SWEEP_K8S, 4);
	has(&out, "gpus=1\nefa=0\n");
	buf_release(&out);
}

static void test_longer_than_sbatch_takes(void **state)
{
	enum { N = 512 };
	static char text[N][32];
	static const char *many[N];
	struct buf out = BUF_INIT(SWEEP_TEXT_MAX);
	struct sweep_text t = plain();

	(void)state;
	for (size_t i = 0; i < N; i++) {
		snprintf(text[i], sizeof(text[i]), "ip-10-1-%zu-%zu", i / 256, i % 256);
		many[i] = text[i];
	}
	t.names = many;
	t.n_names = N;
	fill(&t, SWEEP_SLURM);
	write_text(&out, &t, SWEEP_SLURM, 300);
	lacks(&out, "--wrap");
	buf_reset(&out);
	write_text(&out, &t, SWEEP_SLURM, N);
	has(&out, "--wrap");
	has(&out, "256 pairs are started at once");
	buf_release(&out);
}

static void test_no_room(void **state)
{
	struct sweep_text t = plain();
	struct sweep_plan *p = full(4);

	(void)state;
	fill(&t, SWEEP_SLURM);
	for (size_t cap = 0; cap < 4000; cap += 61) {
		struct buf out = BUF_INIT(cap);
		struct err e = ERR_INIT;

		assert_int_equal(sweep_plan_text(&out, p, SWEEP_SLURM, &t, &e), ERR_TOOBIG);
		assert_non_null(strstr(e.msg, "fewer"));
		buf_release(&out);
	}
	sweep_plan_free(p);
}

/* ---- what the scripts write is understood by the reader ---- */

struct seen {
	size_t runs;
	size_t hosts;
	char host[2][64];
	enum bw_status status;
};

static void see_run(void *ctx, const struct bw_run *run)
{
	struct seen *s = ctx;

	s->runs++;
	s->hosts = run->n_hosts;
	s->status = run->status;
	for (size_t i = 0; i < run->n_hosts && i < 2; i++)
		snprintf(s->host[i], sizeof(s->host[i]), "%s", run->hosts[i]);
}

static struct seen read_back(const char *name, const char *text, enum bw_kind kind)
{
	struct seen seen = {.runs = 0};
	const struct bw_sink sink = {.ctx = &seen, .run = see_run};
	struct bw_reader *r = bw_reader_new(name, &sink);

	bw_reader_feed(r, text, strlen(text));
	bw_reader_end(r);
	assert_int_equal(bw_reader_kind(r), kind);
	bw_reader_free(r);
	return seen;
}

static void test_files_are_understood(void **state)
{
	/* A run that died before it named a host: the file's name says which two it was. */
	static const char died[] =
		"+ srun --nodes=2 --nodelist=ip-10-1-0-11,n4.example.org --ntasks=16 "
		"/opt/nccl-tests/build/all_reduce_perf -b 512M -e 4G -f 2\n"
		"# nThread 1 nGpus 1 minBytes 536870912 maxBytes 4294967296 step: 2(factor) "
		"warmup iters: 5 iters: 20 agg iters: 1 validation: 1 graph: 0\n"
		"#\n# ended by the plan: not done after 180 s\n";
	static const char neuron[] =
		"+ ssh -n -o BatchMode=yes trn-1 timeout --kill-after=30 300 env FI_PROVIDER=efa "
		"NEURON_RT_ROOT_COMM_ID=10.1.0.1:45654 /opt/aws/neuron/bin/nccom-test -r 64 -N 2 "
		"-b 134217728 -e 1073741824 -f 2 -n 20 -w 5 -d fp32 allr --hosts trn-1 trn-2\n"
		"       size(B)    count(elems)    type    time:avg(us)    algbw(GB/s)    "
		"busbw(GB/s)\n"
		"    1073741824       268435456    fp32           41806          25.68          "
		"50.56\n"
		"Avg bus bandwidth:\t50.5600GB/s\n";
	struct seen s;

	(void)state;
	s = read_back("pairwise/r0003/ip-10-1-0-11--n4.example.org.log", died, BW_KIND_NCCL);
	assert_int_equal(s.runs, 1);
	assert_int_equal(s.hosts, 2);
	assert_string_equal(s.host[0], "ip-10-1-0-11");
	assert_string_equal(s.host[1], "n4.example.org");
	assert_true(s.status == BW_TRUNCATED || s.status == BW_FAILED);
	s = read_back("pairwise/r0001/trn-1--trn-2.log", neuron, BW_KIND_NCCOM);
	assert_int_equal(s.runs, 1);
	assert_int_equal(s.hosts, 2);
	assert_string_equal(s.host[0], "trn-1");
	assert_string_equal(s.host[1], "trn-2");
	assert_int_equal(s.status, BW_OK);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_defaults_fit_the_type),
		cmocka_unit_test(test_unknown_type_is_said),
		cmocka_unit_test(test_what_is_told_stays),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_words),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_estimates),
		cmocka_unit_test(test_words_of_sizes_and_times),
		cmocka_unit_test(test_every_pair_is_in_it),
		cmocka_unit_test(test_busy_is_said),
		cmocka_unit_test(test_placeholders_are_said),
		cmocka_unit_test(test_trainium),
		cmocka_unit_test(test_without_efa),
		cmocka_unit_test(test_longer_than_sbatch_takes),
		cmocka_unit_test(test_no_room),
		cmocka_unit_test(test_files_are_understood),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
