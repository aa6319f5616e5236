/* The judge on whole clusters: the simulated ones, through the real parsers. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "rules/judge.h"
#include "tests/lib/snap.h"

static struct catalog *catalog;

static void print_all(const struct judgement *jm)
{
	for (size_t i = 0; i < jm->n; i++) {
		const struct finding *f = &jm->findings[i];

		print_message("%-7s %s %s | %s | value %s expected %s\n",
			severity_name(f->severity), f->rule->id, f->subject, f->title, f->value,
			f->expected);
		if (getenv("VERBOSE"))
			print_message("        %s\n        %s\n        %s\n",
				f->detail ? f->detail : "-", f->checks[0] ? f->checks[0] : "-",
				f->commands[0] ? f->commands[0] : "-");
	}
	for (size_t i = 0; getenv("VERBOSE") && i < jm->nrules; i++)
		print_message("%-28s ok %zu fired %zu unknown %zu n/a %zu\n",
			catalog_at(catalog, i)->id, jm->rules[i].ok, jm->rules[i].fired,
			jm->rules[i].unknown, jm->rules[i].not_applicable);
}

/* Two looks, five seconds apart. */
static struct judgement *judge_twice(const char *scenario, int64_t t_ms, size_t max)
{
	struct judge *j = judge_new(catalog);
	struct snapshot *a = snap_demo(scenario, t_ms, max, NULL);
	struct snapshot *b = snap_demo(scenario, t_ms + 5000, max, a);

	judgement_free(judge_run(j, a));
	struct judgement *jm = judge_run(j, b);

	snapshot_free(a);
	snapshot_free(b);
	judge_free(j);
	return jm;
}

static void healthy_cluster_raises_nothing(void **state)
{
	(void)state;
	struct judgement *jm = judge_twice("healthy", 60000, 0);

	if (jm->n)
		print_all(jm);
	assert_int_equal(jm->concerns, 0);
	assert_int_equal(jm->infos, 0);
	for (size_t i = 0; i < jm->nrules; i++)
		if (jm->rules[i].unknown)
			fail_msg("%s: unknown on %zu nodes", catalog_at(catalog, i)->id,
				jm->rules[i].unknown);
	judgement_free(jm);
}

static const struct finding *find(const struct judgement *jm, const char *id, const char *subject)
{
	for (size_t i = 0; i < jm->n; i++)
		if (strcmp(jm->findings[i].rule->id, id) == 0 &&
			(!subject || strcmp(jm->findings[i].subject, subject) == 0))
			return &jm->findings[i];
	return NULL;
}

static void first_light_tells_each_trouble(void **state)
{
	(void)state;
	static const struct {
		const char *rule;
		const char *subject;
	} expected[] = {
		{"gpu-temp", "ip-10-1-2-19 gpu 3"},
		{"efa-port-down", NULL},
		{"governor-slow", "ip-10-1-2-24"},
		{"root-full", "ip-10-1-2-27"},
		{"xid", NULL},
		{"fs-hung", "ip-10-1-3-42 /fsx"},
		{"node-unreachable", "ip-10-1-3-45"},
		{"drift-efa-installer", "group workers-b"},
		{"pcie-width-low", "ip-10-1-3-44 gpu 6"},
		{"iowait-high", "ip-10-1-2-28"},
	};
	struct judgement *jm = judge_twice("first-light", 180000, 0);

	if (getenv("VERBOSE"))
		print_all(jm);
	for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++)
		if (!find(jm, expected[i].rule, expected[i].subject)) {
			print_all(jm);
			fail_msg("%s %s is not told", expected[i].rule,
				expected[i].subject ? expected[i].subject : "");
		}
	judgement_free(jm);
}

static double cpu_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return (double)ts.tv_sec * 1e3 + (double)ts.tv_nsec / 1e6;
}

/* 1,024 nodes that share the sections of a few: the same work for the judge. */
static struct snapshot *many_nodes(const struct snapshot *few, size_t n)
{
	struct snapshot *snap = snap_new(n);

	snap->generation = few->generation;
	snap->mono_ms = few->mono_ms;
	snap->wall_ms = few->wall_ms;
	snap->mode = few->mode;
	for (size_t i = 0; i < n; i++) {
		const struct node *from = &few->nodes[i % few->n];

		snap_identity(snap, i, NULL, from->instance_type, "workers");
		for (int id = 0; id < SECTION_COUNT; id++)
			snapshot_set_section(&snap->nodes[i], (enum section_id)id,
				from->section[id], from->prev[id]);
	}
	return snap;
}

static void a_thousand_healthy_nodes_are_no_concern(void **state)
{
	(void)state;
	enum { RUNS = 5 };
	struct judge *j = judge_new(catalog);
	struct snapshot *a = snap_demo("healthy", 60000, 8, NULL);
	struct snapshot *b = snap_demo("healthy", 65000, 8, a);
	struct snapshot *big = many_nodes(b, 1024);
	double best = 1e9;

	for (int i = 0; i < RUNS; i++) {
		double start = cpu_ms();
		struct judgement *jm = judge_run(j, big);
		double took = cpu_ms() - start;

		best = took < best ? took : best;
		assert_int_equal(jm->nnodes, 1024);
		assert_int_equal(jm->concerns, 0);
		judgement_free(jm);
	}
	print_message("1,024 nodes, %zu rules: %.2f ms CPU\n", catalog_count(catalog), best);
	snapshot_free(a);
	snapshot_free(b);
	snapshot_free(big);
	judge_free(j);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(healthy_cluster_raises_nothing),
		cmocka_unit_test(first_light_tells_each_trouble),
		cmocka_unit_test(a_thousand_healthy_nodes_are_no_concern),
	};
	struct err e = ERR_INIT;

	if (catalog_builtin(&catalog, &e)) {
		fprintf(stderr, "%s\n", e.msg);
		return 1;
	}
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	catalog_free(catalog);
	return failed;
}
