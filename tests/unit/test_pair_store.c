#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collectors/pair_store.h"
#include "collectors/strpool.h"

/* ---- pairs by position ---- */

static void test_pair_positions(void **state)
{
	(void)state;
	for (size_t n = 2; n < 70; n++) {
		size_t p = 0;

		for (size_t a = 0; a < n; a++)
			for (size_t b = a + 1; b < n; b++, p++) {
				size_t x;
				size_t y;

				assert_int_equal(pair_index(n, a, b), p);
				assert_int_equal(pair_index(n, b, a), p);
				pair_nodes(n, p, &x, &y);
				assert_int_equal(x, a);
				assert_int_equal(y, b);
			}
		assert_int_equal(p, pair_count(n));
	}
	size_t x;
	size_t y;

	pair_nodes(16384, pair_count(16384) - 1, &x, &y);
	assert_int_equal(x, 16382);
	assert_int_equal(y, 16383);
	assert_int_equal(pair_count(0), 0);
	assert_int_equal(pair_count(1), 0);
}

static void test_medians(void **state)
{
	(void)state;
	struct fleet *f = fleet_new();
	struct pair_key key = {0};
	const uint16_t a[] = {0, 1, 2, 0, 0, 1, 1};
	const uint16_t b[] = {1, 0, 0, 2, 1, 1, 2};
	const float v[] = {5, 9, 30, 10, 7, 1000, 3};

	for (int i = 0; i < 3; i++)
		fleet_find_or_add(f, span_of(i == 0 ? "a" : i == 1 ? "b" : "c"));
	struct pair_set *s = pair_set_make(f, &key, a, b, v, 7);
	size_t n;

	assert_true(pair_set_busbw(s, 0, 1) == 7); /* 5 7 9 */
	assert_true(pair_set_busbw(s, 2, 0) == 20);
	assert_true(pair_set_busbw(s, 1, 2) == 3);
	assert_true(isnan(pair_set_busbw(s, 1, 1)));
	assert_true(isnan(pair_set_busbw(s, 1, 9)));
	assert_int_equal(s->n_readings, 6); /* not that of a node with itself */
	assert_int_equal(s->measured, 3);
	const struct pair_reading *r = pair_set_readings(s, 1, 0, &n);

	assert_int_equal(n, 3);
	assert_true(r[0].busbw_gbps == 5 && r[1].busbw_gbps == 9 && r[2].busbw_gbps == 7);
	pair_set_free(s);
	fleet_free(f);
}

/* ---- names ---- */

static void test_names(void **state)
{
	(void)state;
	struct fleet *f = fleet_new();
	size_t a = fleet_find_or_add(f, span_of("ip-10-1-2-3.ec2.internal"));
	size_t b = fleet_find_or_add(f, span_of("gpu-1.left"));
	size_t c = fleet_find_or_add(f, span_of("gpu-1.right"));

	assert_int_equal(fleet_find(f, span_of("ip-10-1-2-3")), a);
	assert_int_equal(fleet_find(f, span_of("10.1.2.3")), a);
	assert_int_equal(fleet_find(f, span_of("IP-10-1-2-3.EC2.internal")), a);
	assert_int_equal(fleet_find(f, span_of("10.1.2.4")), FLEET_NONE);
	assert_int_equal(fleet_find(f, span_of("gpu-1.left")), b);
	assert_int_equal(fleet_find(f, span_of("gpu-1.right")), c);
	/* Cut at the first dot, it could be either: nobody, and no third node. */
	assert_int_equal(fleet_find(f, span_of("gpu-1")), FLEET_NONE);
	assert_int_equal(fleet_find_or_add(f, span_of("gpu-1")), FLEET_NONE);
	assert_int_equal(f->n, 3);
	fleet_alias(f, b, span_of("i-0123456789abcdef0"));
	fleet_alias(f, c, span_of("i-0123456789abcdef0")); /* the first keeps it */
	assert_int_equal(fleet_find(f, span_of("i-0123456789abcdef0")), b);
	assert_int_equal(fleet_find_or_add(f, span_of("")), FLEET_NONE);
	struct fleet *copy = fleet_copy(f);

	fleet_free(f);
	assert_int_equal(fleet_find(copy, span_of("ip-10-1-2-3")), a);
	assert_string_equal(copy->nodes[c].name, "gpu-1.right");
	fleet_free(copy);
}

/* Addresses share no short name. */
static void test_addresses_are_whole(void **state)
{
	(void)state;
	struct fleet *f = fleet_new();

	assert_int_equal(fleet_find_or_add(f, span_of("10.0.0.1")), 0);
	assert_int_equal(fleet_find_or_add(f, span_of("10.0.0.2")), 1);
	assert_int_equal(fleet_find(f, span_of("10")), FLEET_NONE);
	fleet_free(f);
}

static void test_many_names(void **state)
{
	(void)state;
	struct fleet *f = fleet_new();
	char name[32];

	for (int i = 0; i < FLEET_NODES_MAX + 5; i++) {
		snprintf(name, sizeof(name), "n%d", i);
		size_t at = fleet_find_or_add(f, span_of(name));

		assert_int_equal(at, i < FLEET_NODES_MAX ? (size_t)i : FLEET_NONE);
	}
	assert_int_equal(fleet_find(f, span_of("n9999")), 9999);
	fleet_free(f);
}

static void test_strpool(void **state)
{
	(void)state;
	struct strpool p;
	char text[32];

	strpool_init(&p, 1 << 20);
	for (int round = 0; round < 2; round++)
		for (int i = 0; i < 3000; i++) {
			snprintf(text, sizeof(text), "s%d", i);
			assert_int_equal(strpool_id(&p, span_of(text)), i);
		}
	assert_ptr_equal(strpool_str(&p, "s7"), strpool_str(&p, "s7"));
	assert_null(strpool_str(&p, NULL));
	strpool_release(&p);
	strpool_init(&p, 8);
	assert_int_equal(strpool_id(&p, span_of("longer than the cap")), STRPOOL_NONE);
	strpool_release(&p);
}

/* ---- the store ---- */

static void put(
	struct pair_store *s, const char *path, int64_t wall_ms, const char *text, bool growing)
{
	struct pair_file *f = pair_store_open(s, path, wall_ms);

	pair_file_feed(f, text, strlen(text));
	pair_file_close(f, growing);
}

/* A run of two hosts in the shape of nccl-tests 2.17; rows up to size; whole: with its footer. */
static const char *run(const char *a, const char *b, const char *collective, unsigned ranks,
	uint64_t size, double busbw, bool whole)
{
	static char text[8192];
	size_t n = (size_t)snprintf(text, sizeof(text),
		"# nccl-tests version 2.17.6 nccl-headers=22807 nccl-library=22807\n"
		"# Collective test starting: %s_perf\n"
		"# nThread 1 nGpus 1 minBytes 1024 maxBytes %llu step: 2(factor) warmup iters: 1 "
		"iters: 20\n",
		collective, (unsigned long long)size);

	for (unsigned k = 0; k < ranks; k++)
		n += (size_t)snprintf(text + n, sizeof(text) - n,
			"#  Rank %2u Group  0 Pid %6u on %10s device  %u [0000:5%u:00] NVIDIA "
			"H100\n",
			k, 1000 + k, k < ranks / 2 ? a : b, k % (ranks / 2), k % (ranks / 2));
	n += (size_t)snprintf(text + n, sizeof(text) - n,
		"#       size         count      type   redop    root     time   algbw   busbw  "
		"#wrong     "
		"time   algbw   busbw  #wrong\n"
		"%12llu %12llu     float     sum      -1  %9.1f %7.2f %7.2f      0  %9.1f %7.2f "
		"%7.2f "
		"     0\n",
		(unsigned long long)size, (unsigned long long)size / 4, (double)size / busbw / 1000,
		busbw, busbw, (double)size / busbw / 1000, busbw, busbw - 1);
	if (whole)
		snprintf(text + n, sizeof(text) - n,
			"# Out of bounds values : 0 OK\n# Avg bus bandwidth    : %.4f \n#\n",
			busbw);
	return text;
}

#define GIB ((uint64_t)1 << 30)

static struct pair_set *frozen(struct pair_store *s, struct fleet **fleet)
{
	*fleet = fleet_new();
	return pair_store_freeze(s, *fleet);
}

static void test_largest_consistent_set(void **state)
{
	(void)state;
	struct pair_store *s = pair_store_new(NULL);
	struct fleet *f;

	put(s, "1", 0, run("a", "b", "all_reduce", 2, 8 * GIB, 400, true), false);
	put(s, "2", 0, run("a", "c", "all_reduce", 2, 8 * GIB, 401, true), false);
	put(s, "3", 0, run("a", "b", "all_reduce", 2, 1 * GIB, 300, true), false);
	put(s, "4", 0, run("a", "b", "all_reduce", 16, 8 * GIB, 380, true), false);
	put(s, "5", 0, run("b", "c", "sendrecv", 2, 8 * GIB, 90, true), false);
	struct pair_set *set = frozen(s, &f);

	assert_int_equal(set->measured, 2);
	assert_int_equal(set->key.ranks, 2);
	assert_int_equal(set->key.collective, BW_ALL_REDUCE);
	assert_int_equal(set->key.size_bytes, 8 * GIB);
	assert_int_equal(set->left_out.other_set, 3);
	assert_int_equal(set->n_alternatives, 3);
	assert_true(set->sources[0].other_busbw_gbps == 399);
	pair_set_free(set);
	fleet_free(f);
	pair_store_free(s);

	struct pair_select sel = {.collective = BW_SENDRECV, .in_place = true};

	s = pair_store_new(&sel);
	put(s, "1", 0, run("a", "b", "all_reduce", 2, 8 * GIB, 400, true), false);
	put(s, "5", 0, run("b", "c", "sendrecv", 2, 8 * GIB, 90, true), false);
	set = frozen(s, &f);
	assert_int_equal(set->key.collective, BW_SENDRECV);
	assert_true(pair_set_busbw(set, fleet_find(f, span_of("b")), fleet_find(f, span_of("c"))) ==
		    89);
	pair_set_free(set);
	fleet_free(f);
	pair_store_free(s);
}

/* A file that grows is read again; what it said before is gone. */
static void test_files_come_grow_and_go(void **state)
{
	(void)state;
	struct pair_store *s = pair_store_new(NULL);
	struct fleet *f;
	uint64_t before = pair_store_generation(s);

	put(s, "x", 5, run("a", "b", "all_reduce", 2, GIB, 400, false), true);
	assert_true(pair_store_generation(s) > before);
	struct pair_set *set = frozen(s, &f);

	assert_int_equal(set->measured, 0);
	assert_int_equal(set->left_out.running, 1);
	assert_int_equal(set->left_out.truncated, 0);
	assert_int_equal(set->n_failures, 0);
	pair_set_free(set);
	fleet_free(f);

	put(s, "x", 9, run("a", "b", "all_reduce", 2, GIB, 400, false), false);
	set = frozen(s, &f);
	assert_int_equal(set->left_out.truncated, 1);
	assert_int_equal(set->n_failures, 1);
	pair_set_free(set);
	fleet_free(f);

	put(s, "x", 10, run("a", "b", "all_reduce", 2, GIB, 400, true), false);
	put(s, "w", 20, run("b", "a", "all_reduce", 2, GIB, 300, true), false);
	set = frozen(s, &f);
	size_t n;
	const struct pair_reading *r = pair_set_readings(set, 0, 1, &n);

	/* In the order of time, not of names or of reading. */
	assert_int_equal(n, 2);
	assert_true(r[0].busbw_gbps == 400 && r[1].busbw_gbps == 300);
	assert_string_equal(set->sources[r[1].source].path, "w");
	assert_int_equal(set->newest_wall_ms, 20);
	pair_set_free(set);
	fleet_free(f);

	pair_store_forget(s, "w");
	pair_store_forget(s, "never there");
	set = frozen(s, &f);
	assert_int_equal(set->n_readings, 1);
	pair_set_free(set);
	fleet_free(f);
	pair_store_free(s);
}

/* A pod name is whoever the file says it was. */
static void test_pod_names(void **state)
{
	(void)state;
	struct pair_store *s = pair_store_new(NULL);
	struct fleet *f = fleet_new();
	char text[9000];
	size_t one = fleet_find_or_add(f, span_of("node-1"));
	size_t two = fleet_find_or_add(f, span_of("node-2"));
	size_t three = fleet_find_or_add(f, span_of("node-3"));

	fleet_alias(f, one, span_of("i-00000000000000001"));
	fleet_alias(f, two, span_of("i-00000000000000002"));
	fleet_alias(f, three, span_of("i-00000000000000003"));
	snprintf(text, sizeof(text), "pod-0: i-00000000000000001\npod-1: i-00000000000000002\n%s",
		run("pod-0", "pod-1", "all_reduce", 2, GIB, 400, true));
	put(s, "1", 0, text, false);
	snprintf(text, sizeof(text), "pod-0: i-00000000000000001\npod-1: i-00000000000000003\n%s",
		run("pod-0", "pod-1", "all_reduce", 2, GIB, 300, true));
	put(s, "2", 0, text, false);
	struct pair_set *set = pair_store_freeze(s, f);

	assert_int_equal(set->n, 3);
	assert_true(pair_set_busbw(set, one, two) == 400);
	assert_true(pair_set_busbw(set, one, three) == 300);
	pair_set_free(set);
	fleet_free(f);
	pair_store_free(s);
}

/* nccom-test has no Rank lines: its command tells the hosts, and nobody how many ranks each has. */
static void test_trainium(void **state)
{
	(void)state;
	static const char text[] =
		"nccom-test -r 64 -N 2 -d fp32 allr --hosts trn-1 trn-2\n"
		"size(B)    count(elems)    type    time:avg(us)    algbw(GB/s)    busbw(GB/s)\n"
		"   8192            2048    fp32            8.16           11.26          22.23\n"
		"Avg bus bandwidth:	22.23GB/s\n";
	struct pair_store *s = pair_store_new(NULL);
	struct fleet *f = fleet_new();

	put(s, "1", 0, text, false);
	struct pair_set *set = pair_store_freeze(s, f);

	assert_int_equal(set->measured, 1);
	assert_int_equal(set->left_out.not_a_pair, 0);
	assert_int_equal(set->key.tool, BW_NCCOM);
	pair_set_free(set);
	fleet_free(f);
	pair_store_free(s);
}

/* Short names that two nodes share blame neither. */
static void test_ambiguous(void **state)
{
	(void)state;
	struct pair_store *s = pair_store_new(NULL);
	struct fleet *f = fleet_new();

	fleet_find_or_add(f, span_of("gpu-1.left"));
	fleet_find_or_add(f, span_of("gpu-1.right"));
	put(s, "1", 0, run("gpu-1", "gpu-2", "all_reduce", 2, GIB, 100, true), false);
	put(s, "2", 0, run("gpu-3", "gpu-2", "all_reduce", 2, GIB, 400, true), false);
	struct pair_set *set = pair_store_freeze(s, f);

	assert_int_equal(set->measured, 1);
	assert_int_equal(set->left_out.ambiguous, 1);
	pair_set_free(set);
	fleet_free(f);
	pair_store_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pair_positions),
		cmocka_unit_test(test_medians),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_addresses_are_whole),
		cmocka_unit_test(test_many_names),
		cmocka_unit_test(test_strpool),
		cmocka_unit_test(test_largest_consistent_set),
		cmocka_unit_test(test_files_come_grow_and_go),
		cmocka_unit_test(test_pod_names),
		cmocka_unit_test(test_trainium),
		cmocka_unit_test(test_ambiguous),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
