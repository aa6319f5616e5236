#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "collectors/xmalloc.h"
#include "rules/sweep_plan.h"

static struct sweep_plan *make(const struct sweep_request *req)
{
	struct sweep_plan *p = NULL;
	struct err e = ERR_INIT;

	if (sweep_plan_make(&p, req, &e))
		fail_msg("%zu nodes: %s", req->n, e.msg);
	return p;
}

/* What every plan must hold: ends in order and known, rounds disjoint and not empty. */
static void check_shape(const struct sweep_plan *p)
{
	size_t *seen = xcalloc(p->n, sizeof(*seen)); /* the last round a node was in, plus 1 */

	assert_int_equal(p->first[0], 0);
	assert_int_equal(p->first[p->rounds], p->n_pairs);
	for (size_t r = 0; r < p->rounds; r++) {
		assert_true(p->first[r] < p->first[r + 1]);
		for (size_t i = p->first[r]; i < p->first[r + 1]; i++) {
			struct sweep_pair pair = p->pairs[i];

			assert_true(pair.a < pair.b);
			assert_true(pair.b < p->n);
			if (seen[pair.a] == r + 1 || seen[pair.b] == r + 1)
				fail_msg("%zu nodes: round %zu has a node twice", p->n, r);
			seen[pair.a] = seen[pair.b] = r + 1;
		}
	}
	free(seen);
}

/* How often each pair occurs: n * n counters, of a < b. */
static unsigned char *count_pairs(const struct sweep_plan *p)
{
	unsigned char *count = xcalloc(p->n * p->n, 1);

	for (size_t i = 0; i < p->n_pairs; i++)
		count[p->pairs[i].a * p->n + p->pairs[i].b]++;
	return count;
}

static void check_full(size_t n)
{
	const struct sweep_request req = {.n = n, .strategy = SWEEP_FULL};
	struct sweep_plan *p = make(&req);
	unsigned char *count = count_pairs(p);

	check_shape(p);
	assert_int_equal(p->rounds, n - 1 + n % 2);
	assert_int_equal(p->n_pairs, n * (n - 1) / 2);
	assert_true(p->complete);
	for (size_t a = 0; a < n; a++)
		for (size_t b = a + 1; b < n; b++)
			assert_int_equal(count[a * n + b], 1);
	free(count);
	sweep_plan_free(p);
}

static void test_full(void **state)
{
	(void)state;
	for (size_t n = 2; n <= 65; n++)
		check_full(n);
	check_full(1023);
	check_full(1024);
}

static void test_full_first_rounds(void **state)
{
	const struct sweep_request req = {.n = 64, .strategy = SWEEP_FULL, .rounds = 5};
	struct sweep_plan *p = make(&req);

	(void)state;
	check_shape(p);
	assert_int_equal(p->rounds, 5);
	assert_int_equal(p->n_pairs, 5 * 32);
	assert_false(p->complete);
	sweep_plan_free(p);
}

/* ---- fast ---- */

/* Parts that pairs do not connect. */
static size_t parts_of(const struct sweep_plan *p)
{
	size_t *part = xcalloc(p->n, sizeof(*part));
	size_t parts = p->n;

	for (size_t i = 0; i < p->n; i++)
		part[i] = i;
	for (size_t i = 0; i < p->n_pairs; i++) {
		size_t from = part[p->pairs[i].a];
		size_t to = part[p->pairs[i].b];

		if (from == to)
			continue;
		parts--;
		for (size_t k = 0; k < p->n; k++)
			if (part[k] == from)
				part[k] = to;
	}
	free(part);
	return parts;
}

struct partners {
	size_t all;
	size_t inside; /* of the own group */
	size_t groups; /* other groups met */
};

static void count_partners(const struct sweep_plan *p, const uint16_t *group, size_t node,
	size_t n_groups, struct partners *out)
{
	bool *met = xcalloc(n_groups, sizeof(*met));

	memset(out, 0, sizeof(*out));
	for (size_t i = 0; i < p->n_pairs; i++) {
		size_t other = p->pairs[i].a == node ? p->pairs[i].b : p->pairs[i].a;

		if (p->pairs[i].a != node && p->pairs[i].b != node)
			continue;
		out->all++;
		if (group[other] == group[node])
			out->inside++;
		else if (!met[group[other]])
			met[group[other]] = true, out->groups++;
	}
	free(met);
}

/* Groups of a size each, the last one smaller; dealt out in turn, so that order does not help. */
static uint16_t *deal(size_t n, size_t size)
{
	uint16_t *group = xcalloc(n, sizeof(*group));
	size_t groups = (n + size - 1) / size;

	for (size_t i = 0; i < n; i++)
		group[i] = (uint16_t)(i % groups);
	return group;
}

static void check_fast(size_t n, size_t size)
{
	uint16_t *group = deal(n, size);
	size_t groups = (n + size - 1) / size;
	const struct sweep_request req = {.n = n, .strategy = SWEEP_FAST, .group = group};
	struct sweep_plan *p = make(&req);
	unsigned char *count = count_pairs(p);
	size_t want = sweep_fast_rounds(n);
	size_t few_inside = 0;

	check_shape(p);
	assert_int_equal(p->rounds, want);
	assert_int_equal(p->n_pairs, want * (n / 2));
	assert_int_equal(parts_of(p), 1);
	for (size_t i = 0; i < n * n; i++)
		assert_true(count[i] <= 1);
	for (size_t node = 0; node < n; node++) {
		struct partners k;

		count_partners(p, group, node, groups, &k);
		/* With an odd number somebody rests in each round, but not the same one twice. */
		if (k.all + n % 2 < want)
			fail_msg("%zu nodes in groups of %zu: node %zu has %zu partners", n, size,
				node, k.all);
		/* In a group of four or fewer there are too few to meet several in turn. */
		if (size < 5 || groups < 2 || want * 3 > n - 1)
			continue;
		if (k.inside < 1 || k.groups < (groups < 3 ? 1 : 2))
			fail_msg("%zu nodes in groups of %zu: node %zu: %zu inside, %zu other "
				 "groups",
				n, size, node, k.inside, k.groups);
		few_inside += k.inside < 2;
	}
	assert_true(few_inside <= n / 10);
	free(count);
	free(group);
	sweep_plan_free(p);
}

static void test_fast(void **state)
{
	(void)state;
	for (size_t n = 2; n <= 65; n++)
		for (size_t size = 1; size <= 16; size++)
			check_fast(n, size);
	check_fast(64, 64);
	check_fast(256, 32);
	check_fast(255, 7);
	check_fast(1024, 16);
	check_fast(1024, 512);
	check_fast(1023, 100);
}

static void test_fast_without_groups(void **state)
{
	const struct sweep_request req = {.n = 128, .strategy = SWEEP_FAST};
	struct sweep_plan *p = make(&req);
	unsigned char *count = count_pairs(p);

	(void)state;
	check_shape(p);
	assert_int_equal(p->rounds, 7);
	assert_int_equal(p->n_pairs, 7 * 64);
	assert_int_equal(parts_of(p), 1);
	/* Neighbours in the list often stand together: they must not be all that a node meets. */
	for (size_t node = 0; node < p->n; node++) {
		size_t far = 0;

		for (size_t i = 0; i < p->n_pairs; i++)
			if (p->pairs[i].a == node || p->pairs[i].b == node)
				far += p->pairs[i].b - p->pairs[i].a > 8;
		assert_true(far >= 3);
	}
	free(count);
	sweep_plan_free(p);
}

static void test_fast_any_number_of_rounds(void **state)
{
	uint16_t *group = deal(24, 6);

	(void)state;
	for (size_t rounds = 1; rounds <= 30; rounds++) {
		const struct sweep_request req = {
			.n = 24, .strategy = SWEEP_FAST, .group = group, .rounds = rounds};
		struct sweep_plan *p = make(&req);
		unsigned char *count = count_pairs(p);
		size_t want = rounds < 23 ? rounds : 23;

		check_shape(p);
		assert_int_equal(p->rounds, want);
		assert_int_equal(p->n_pairs, want * 12);
		assert_int_equal(p->complete, want == 23);
		for (size_t i = 0; i < p->n * p->n; i++)
			assert_true(count[i] <= 1);
		free(count);
		sweep_plan_free(p);
	}
	free(group);
}

static void test_same_every_time(void **state)
{
	uint16_t *group = deal(200, 9);
	const struct sweep_request req = {.n = 200, .strategy = SWEEP_FAST, .group = group};
	struct sweep_plan *p = make(&req);
	struct sweep_plan *q = make(&req);

	(void)state;
	assert_int_equal(p->n_pairs, q->n_pairs);
	assert_memory_equal(p->pairs, q->pairs, p->n_pairs * sizeof(*p->pairs));
	sweep_plan_free(p);
	sweep_plan_free(q);
	free(group);
}

/* ---- suspects ---- */

static size_t times(const struct sweep_plan *p, size_t a, size_t b)
{
	size_t n = 0;

	for (size_t i = 0; i < p->n_pairs; i++)
		n += p->pairs[i].a == a && p->pairs[i].b == b;
	return n;
}

static void test_suspect_nodes(void **state)
{
	const size_t suspects[] = {3, 7, 20};
	uint16_t *group = deal(24, 6);
	const struct sweep_request req = {.n = 24,
		.strategy = SWEEP_SUSPECTS,
		.suspects = suspects,
		.n_suspects = 3,
		.group = group};
	struct sweep_plan *p = make(&req);

	(void)state;
	check_shape(p);
	assert_false(p->complete);
	for (size_t i = 0; i < 3; i++) {
		struct partners k;

		count_partners(p, group, suspects[i], 4, &k);
		assert_int_equal(k.all, SWEEP_PARTNERS);
		assert_true(k.inside >= 2);
		assert_true(k.groups >= 1);
		for (size_t m = i + 1; m < 3; m++)
			assert_int_equal(times(p, suspects[i], suspects[m]), 0);
	}
	/* As many rounds as a suspect has partners; the controls fit in. */
	assert_true(p->rounds <= SWEEP_PARTNERS + 1);
	assert_int_equal(p->n_pairs, 3 * SWEEP_PARTNERS + SWEEP_PARTNERS / 2);
	sweep_plan_free(p);
	free(group);
}

static void test_suspect_link(void **state)
{
	const struct sweep_pair links[] = {{2, 9}, {2, 9}};
	const struct sweep_request req = {
		.n = 16, .strategy = SWEEP_SUSPECTS, .links = links, .n_links = 2, .partners = 3};
	struct sweep_plan *p = make(&req);
	uint16_t group[16] = {0};
	struct partners k;

	(void)state;
	check_shape(p);
	/* The link again, and each end with three others. */
	assert_true(times(p, 2, 9) >= SWEEP_LINK_TIMES);
	count_partners(p, group, 2, 1, &k);
	assert_int_equal(k.all - times(p, 2, 9), 3);
	count_partners(p, group, 9, 1, &k);
	assert_int_equal(k.all - times(p, 2, 9), 3);
	sweep_plan_free(p);
}

static void test_new_partners(void **state)
{
	const size_t suspect = 0;
	struct sweep_pair met[12];
	struct sweep_request req = {.n = 16,
		.strategy = SWEEP_SUSPECTS,
		.suspects = &suspect,
		.n_suspects = 1,
		.met = met,
		.n_met = 10};
	struct sweep_plan *p;

	(void)state;
	for (uint16_t i = 0; i < 12; i++)
		met[i] = (struct sweep_pair){0, (uint16_t)(i + 1)};
	/* Ten of fifteen were met: the other five are its partners. */
	p = make(&req);
	for (size_t i = 1; i < 16; i++)
		assert_int_equal(times(p, 0, i), i > 10);
	sweep_plan_free(p);
	/* Twelve: the three others, and two again. */
	req.n_met = 12;
	p = make(&req);
	for (size_t i = 13; i < 16; i++)
		assert_int_equal(times(p, 0, i), 1);
	sweep_plan_free(p);
}

static void test_suspects_in_small_sets(void **state)
{
	const struct sweep_pair link = {0, 1};
	const size_t all[] = {0, 1, 2};
	const struct sweep_request two = {
		.n = 2, .strategy = SWEEP_SUSPECTS, .links = &link, .n_links = 1};
	const struct sweep_request three = {
		.n = 3, .strategy = SWEEP_SUSPECTS, .suspects = all, .n_suspects = 3};
	const struct sweep_request one = {
		.n = 2, .strategy = SWEEP_SUSPECTS, .suspects = all, .n_suspects = 1};
	struct sweep_plan *p = make(&two);

	(void)state;
	check_shape(p);
	assert_int_equal(p->n_pairs, SWEEP_LINK_TIMES);
	assert_int_equal(p->rounds, SWEEP_LINK_TIMES);
	sweep_plan_free(p);
	/* Nobody is healthy: suspects meet each other. */
	p = make(&three);
	check_shape(p);
	assert_int_equal(p->n_pairs, 3);
	sweep_plan_free(p);
	p = make(&one);
	check_shape(p);
	assert_int_equal(p->n_pairs, 1);
	sweep_plan_free(p);
}

static void refused(const struct sweep_request *req, const char *words)
{
	struct sweep_plan *p = NULL;
	struct err e = ERR_INIT;

	assert_int_equal(sweep_plan_make(&p, req, &e), ERR_USAGE);
	assert_null(p);
	if (!strstr(e.msg, words))
		fail_msg("\"%s\" lacks \"%s\"", e.msg, words);
}

static void test_refused(void **state)
{
	(void)state;
	refused(&(struct sweep_request){.n = 1, .strategy = SWEEP_FULL}, "at least two");
	refused(&(struct sweep_request){.n = 0, .strategy = SWEEP_FAST}, "at least two");
	refused(&(struct sweep_request){.n = 16385, .strategy = SWEEP_FAST}, "at most 16384");
	refused(&(struct sweep_request){.n = 16384, .strategy = SWEEP_FULL}, "--strategy fast");
	refused(&(struct sweep_request){.n = 16384, .strategy = SWEEP_FAST, .rounds = 1000},
		"fewer --rounds");
	refused(&(struct sweep_request){.n = 8, .strategy = SWEEP_SUSPECTS}, "--suspects");
}

static void test_names(void **state)
{
	enum sweep_strategy s = SWEEP_FULL;
	enum sweep_runner r = SWEEP_SLURM;

	(void)state;
	for (int i = SWEEP_FULL; i <= SWEEP_SUSPECTS; i++) {
		assert_true(
			sweep_strategy_by_name(sweep_strategy_name((enum sweep_strategy)i), &s));
		assert_int_equal(s, i);
	}
	for (int i = SWEEP_SLURM; i <= SWEEP_K8S; i++) {
		assert_true(sweep_runner_by_name(sweep_runner_name((enum sweep_runner)i), &r));
		assert_int_equal(r, i);
	}
	assert_false(sweep_strategy_by_name("Full", &s));
	assert_false(sweep_runner_by_name("", &r));
	sweep_plan_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_full),
		cmocka_unit_test(test_full_first_rounds),
		cmocka_unit_test(test_fast),
		cmocka_unit_test(test_fast_without_groups),
		cmocka_unit_test(test_fast_any_number_of_rounds),
		cmocka_unit_test(test_same_every_time),
		cmocka_unit_test(test_suspect_nodes),
		cmocka_unit_test(test_suspect_link),
		cmocka_unit_test(test_new_partners),
		cmocka_unit_test(test_suspects_in_small_sets),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
