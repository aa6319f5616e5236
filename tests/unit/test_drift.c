/* Comparing peers: who differs, by how much, and when nobody is named. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rules/judge.h"
#include "tests/lib/snap.h"

static struct catalog *catalog;

static const struct finding *find(const struct judgement *jm, const char *rule)
{
	for (size_t i = 0; i < jm->n; i++)
		if (strcmp(jm->findings[i].rule->id, rule) == 0)
			return &jm->findings[i];
	return NULL;
}

static size_t count(const struct judgement *jm, const char *rule)
{
	size_t n = 0;

	for (size_t i = 0; i < jm->n; i++)
		n += strcmp(jm->findings[i].rule->id, rule) == 0;
	return n;
}

static const struct rule_tally *tally_of(const struct judgement *jm, const char *rule)
{
	for (size_t i = 0; i < jm->nrules; i++)
		if (strcmp(catalog_at(catalog, i)->id, rule) == 0)
			return &jm->rules[i];
	fail_msg("no rule %s", rule);
	return NULL;
}

static struct judgement *judge_once(const struct snapshot *snap)
{
	struct judge *j = judge_new(catalog);
	struct judgement *jm = judge_run(j, snap);

	judge_free(j);
	return jm;
}

#define INSTALLER(v) "#@ efa_installed_packages\n# EFA installer version: " v "\n"

static struct snapshot *group_of(size_t n)
{
	struct snapshot *snap = snap_new(n);

	for (size_t i = 0; i < n; i++)
		snap_identity(snap, i, NULL, "p5.48xlarge", "worker");
	snap_section_all(snap, SECTION_STACK, INSTALLER("1.38.0"));
	return snap;
}

static void the_odd_ones_are_named_once(void **state)
{
	(void)state;
	struct snapshot *snap = group_of(24);

	snap_section(snap, 6, SECTION_STACK, INSTALLER("1.36.0"));
	snap_section(snap, 20, SECTION_STACK, INSTALLER("1.36.0"));
	struct judgement *jm = judge_once(snap);
	const struct finding *f = find(jm, "drift-efa-installer");

	assert_int_equal(count(jm, "drift-efa-installer"), 1);
	assert_string_equal(
		f->title, "EFA installer differs in group worker: 22 same, 2 differ: node[07,21]");
	assert_string_equal(f->differing, "node[07,21]");
	assert_string_equal(f->value, "1.36.0");
	assert_string_equal(f->expected, "1.38.0");
	assert_int_equal(f->same_n, 22);
	assert_int_equal(f->differ_n, 2);
	assert_true(f->node == SIZE_MAX);
	assert_true(finding_has_node(f, 6) && finding_has_node(f, 20));
	assert_false(finding_has_node(f, 7));
	assert_string_equal(f->subject, "group worker");
	assert_int_equal(jm->nodes[6].concerns, 1);
	assert_int_equal(jm->nodes[7].concerns, 0);
	assert_int_equal(tally_of(jm, "drift-efa-installer")->fired, 2);
	assert_int_equal(tally_of(jm, "drift-efa-installer")->ok, 22);
	judgement_free(jm);
	snapshot_free(snap);
}

static void two_nodes_name_nobody(void **state)
{
	(void)state;
	struct snapshot *snap = group_of(2);

	snap_section(snap, 1, SECTION_STACK, INSTALLER("1.36.0"));
	struct judgement *jm = judge_once(snap);
	const struct finding *f = find(jm, "drift-efa-installer");

	assert_non_null(f);
	assert_int_equal(f->nodes_n, 0);
	assert_null(f->differing);
	assert_non_null(strstr(f->title, "1.36.0 on 1, 1.38.0 on 1"));
	assert_non_null(strstr(f->detail, "1.36.0: node02"));
	assert_int_equal(jm->nodes[0].concerns + jm->nodes[1].concerns, 0);
	judgement_free(jm);
	snapshot_free(snap);
}

static void half_and_half_names_nobody(void **state)
{
	(void)state;
	struct snapshot *snap = group_of(8);

	for (size_t i = 4; i < 8; i++)
		snap_section(snap, i, SECTION_STACK, INSTALLER("1.36.0"));
	struct judgement *jm = judge_once(snap);
	const struct finding *f = find(jm, "drift-efa-installer");

	assert_int_equal(f->nodes_n, 0);
	assert_int_equal(tally_of(jm, "drift-efa-installer")->fired, 8);
	judgement_free(jm);
	snapshot_free(snap);
}

static void groups_are_compared_within_themselves(void **state)
{
	(void)state;
	struct snapshot *snap = group_of(8);

	for (size_t i = 4; i < 8; i++) {
		snap_identity(snap, i, NULL, "p5.48xlarge", "login");
		snap_section(snap, i, SECTION_STACK, INSTALLER("1.36.0"));
	}
	struct judgement *jm = judge_once(snap);

	assert_null(find(jm, "drift-efa-installer"));
	judgement_free(jm);
	snapshot_free(snap);
}

/* A host that has no version is no defect: a container may bring its own. */
static void unknown_versions_are_no_defect(void **state)
{
	(void)state;
	struct snapshot *snap = group_of(4);

	snap_section(snap, 2, SECTION_STACK, "#@ module efa\n2.13.0g\n");
	snapshot_set_section(&snap->nodes[3], SECTION_STACK, NULL, NULL);
	struct judgement *jm = judge_once(snap);
	const struct rule_tally *t = tally_of(jm, "drift-efa-installer");

	assert_null(find(jm, "drift-efa-installer"));
	assert_int_equal(t->ok, 2);
	assert_int_equal(t->not_applicable, 1);
	assert_int_equal(t->unknown, 1);
	judgement_free(jm);
	snapshot_free(snap);
}

static void devices_of_a_node_make_one_value(void **state)
{
	(void)state;
	struct snapshot *snap = group_of(4);

	snap_section_all(snap, SECTION_GPU,
		"index, pcie.link.width.current, pcie.link.width.max\n0, 16, 16\n1, 16, 16\n2, 16, "
		"16\n");
	snap_section(snap, 3, SECTION_GPU,
		"index, pcie.link.width.current, pcie.link.width.max\n0, 16, 16\n1, 8, 16\n2, 16, "
		"16\n");
	struct judgement *jm = judge_once(snap);
	const struct finding *f = find(jm, "drift-pcie-width");

	assert_string_equal(f->value, "16,8");
	assert_string_equal(f->expected, "16");
	judgement_free(jm);
	snapshot_free(snap);
}

#define NFS(client, extra)                                                                       \
	"10.1.0.8:/fsx /home nfs4 rw,noatime,vers=4.2,clientaddr=" client ",addr=10.1.0.8" extra \
	" 0 0\n10.1.0.9@tcp:/abcdefgh /fsx lustre rw,flock 0 0\n"

static void mounts_are_compared_one_by_one(void **state)
{
	(void)state;
	struct snapshot *snap = group_of(4);

	snap_section(snap, 0, SECTION_MOUNTS, NFS("10.1.0.1", ""));
	snap_section(snap, 1, SECTION_MOUNTS, NFS("10.1.0.2", ""));
	snap_section(snap, 2, SECTION_MOUNTS, NFS("10.1.0.3", ""));
	snap_section(snap, 3, SECTION_MOUNTS, NFS("10.1.0.4", ",nconnect=16"));
	struct judgement *jm = judge_once(snap);
	const struct finding *f = find(jm, "drift-mount-options");

	/* The client's own address differs by nature; /fsx is the same everywhere. */
	assert_int_equal(count(jm, "drift-mount-options"), 1);
	assert_string_equal(f->part, "/home");
	assert_string_equal(f->differing, "node04");
	judgement_free(jm);
	snapshot_free(snap);
}

/* Clocks: more than 2 s from the median, twice in a row. */
static struct judgement *judge_clocks(struct judge *j, struct snapshot **snap, const int *off)
{
	struct snapshot *next = snap_advance(*snap, 60000);

	snapshot_free(*snap);
	*snap = next;
	next->mode = SOURCE_LIVE;
	for (size_t i = 0; i < next->n; i++) {
		char text[64];

		snprintf(text, sizeof(text), "#@ date\n%lld\n",
			(long long)(next->wall_ms / 1000 + off[i]));
		snap_section(next, i, SECTION_HOST, text);
	}
	return judge_run(j, next);
}

static void clocks_off_the_median_are_named(void **state)
{
	(void)state;
	static const int off[] = {3, 3, 3, 3, 9};
	static const int near[] = {3, 3, 3, 3, 5};
	struct judge *j = judge_new(catalog);
	struct snapshot *snap = group_of(5);
	struct judgement *jm = judge_clocks(j, &snap, near);

	/* All of them 3 s from ours is our clock's business. */
	assert_null(find(jm, "drift-clock"));
	judgement_free(jm);
	jm = judge_clocks(j, &snap, off);
	assert_int_equal(find(jm, "drift-clock")->severity, SEVERITY_INFO);
	judgement_free(jm);
	jm = judge_clocks(j, &snap, off);
	const struct finding *f = find(jm, "drift-clock");

	assert_int_equal(f->severity, SEVERITY_CONCERN);
	assert_string_equal(
		f->title, "Clock off by +6.0 s from its peers: 4 same, 1 differs: node05");
	judgement_free(jm);
	snapshot_free(snap);
	judge_free(j);
}

static void placement_spread_is_told(void **state)
{
	(void)state;
	struct snapshot *snap = group_of(6);

	for (size_t i = 0; i < 6; i++)
		snap_placement(
			snap, i, i < 4 ? "use1-az1" : "use1-az2", "s1", i < 3 ? "l1" : "l2", NULL);
	snap_identity(snap, 5, NULL, "p4d.24xlarge", "worker");
	struct judgement *jm = judge_once(snap);
	const struct finding *az = find(jm, "az-spread");

	assert_string_equal(
		az->title, "Nodes spread over 2 availability zones: use1-az1 on 4, use1-az2 on 2");
	assert_string_equal(az->rule->owner, "hyperpod-cluster-debugger");
	assert_string_equal(az->rule->section, "A");
	assert_non_null(find(jm, "leaf-spread"));
	assert_null(find(jm, "spine-spread"));
	assert_non_null(find(jm, "group-instance-types"));
	judgement_free(jm);
	snapshot_free(snap);
}

/* Each node with a value of its own: bounded work, one finding. */
static void all_different_is_one_finding(void **state)
{
	(void)state;
	struct snapshot *snap = group_of(300);

	for (size_t i = 0; i < 300; i++) {
		char text[80];

		snprintf(text, sizeof(text), INSTALLER("1.%zu.0"), i);
		snap_section(snap, i, SECTION_STACK, text);
	}
	struct judgement *jm = judge_once(snap);
	const struct rule_tally *t = tally_of(jm, "drift-efa-installer");

	assert_int_equal(count(jm, "drift-efa-installer"), 1);
	assert_int_equal(t->ok + t->fired + t->unknown + t->not_applicable, 300);
	judgement_free(jm);
	snapshot_free(snap);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_odd_ones_are_named_once),
		cmocka_unit_test(two_nodes_name_nobody),
		cmocka_unit_test(half_and_half_names_nobody),
		cmocka_unit_test(groups_are_compared_within_themselves),
		cmocka_unit_test(unknown_versions_are_no_defect),
		cmocka_unit_test(devices_of_a_node_make_one_value),
		cmocka_unit_test(mounts_are_compared_one_by_one),
		cmocka_unit_test(clocks_off_the_median_are_named),
		cmocka_unit_test(placement_spread_is_told),
		cmocka_unit_test(all_different_is_one_finding),
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
