/* The judge from snapshot to snapshot: hysteresis, folding, order, tallies, commands. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rules/hysteresis.h"
#include "rules/judge.h"
#include "tests/lib/snap.h"

static struct catalog *catalog;

#define IOWAIT(pct, rest)                                            \
	"avg-cpu:  %user   %nice %system %iowait  %steal   %idle\n"  \
	"          0.00    0.00    0.00    0.00    0.00  100.00\n\n" \
	"avg-cpu:  %user   %nice %system %iowait  %steal   %idle\n"  \
	"          0.00    0.00    0.00   " pct "    0.00   " rest "\n"
#define BUSY IOWAIT("35.00", "65.00")
#define CALM IOWAIT(" 5.00", "95.00")

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

static size_t rule_index(const char *id)
{
	size_t i = 0;

	while (i < catalog_count(catalog) && strcmp(catalog_at(catalog, i)->id, id) != 0)
		i++;
	return i;
}

/* The next picture 5 s later, with a new cpu answer (text) or the old one (NULL). */
static struct judgement *step(struct judge *j, struct snapshot **snap, const char *text)
{
	struct snapshot *next = snap_advance(*snap, 5000);

	snapshot_free(*snap);
	*snap = next;
	if (text)
		snap_section(next, 0, SECTION_CPU, text);
	return judge_run(j, next);
}

/* iowait: fires after two readings that agree, clears after two that say the opposite. */
static void readings_must_agree(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		int severity; /* -1: no finding */
		unsigned samples;
	} steps[] = {
		{BUSY, SEVERITY_INFO, 1},
		{NULL, SEVERITY_INFO, 1}, /* the same reading is not counted twice */
		{BUSY, SEVERITY_CONCERN, 2},
		{CALM, SEVERITY_CONCERN, 1}, /* one calm reading does not clear */
		{BUSY, SEVERITY_CONCERN, 1},
		{CALM, SEVERITY_CONCERN, 1},
		{NULL, SEVERITY_CONCERN, 1},
		{CALM, -1, 0},
		{BUSY, SEVERITY_INFO, 1}, /* and it must agree anew */
		{CALM, -1, 0},
	};
	struct judge *j = judge_new(catalog);
	struct snapshot *snap = snap_new(1);
	char id[20] = "";

	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		struct judgement *jm = step(j, &snap, steps[i].text);
		const struct finding *f = find(jm, "iowait-high");

		if ((f ? (int)f->severity : -1) != steps[i].severity)
			fail_msg("step %zu: severity %d", i, f ? (int)f->severity : -1);
		if (f) {
			assert_int_equal(f->samples, steps[i].samples);
			/* What is shown while it clears is what was over the line. */
			assert_string_equal(f->value, "35");
			assert_true(id[0] == '\0' || strcmp(id, f->id) == 0);
			snprintf(id, sizeof(id), "%s", f->id);
		}
		judgement_free(jm);
	}
	snapshot_free(snap);
	judge_free(j);
}

static void since_stays_and_age_grows(void **state)
{
	(void)state;
	struct judge *j = judge_new(catalog);
	struct snapshot *snap = snap_new(1);

	snap_section(snap, 0, SECTION_GPU, "index, temperature.gpu\n2, 95\n");
	struct judgement *a = judge_run(j, snap);
	struct judgement *b = step(j, &snap, NULL);
	const struct finding *x = find(a, "gpu-temp");
	const struct finding *y = find(b, "gpu-temp");

	assert_int_equal(x->age_ms, 0);
	assert_int_equal(y->age_ms, 5000);
	assert_int_equal(x->since_wall_ms, SNAP_NOW_WALL_MS);
	assert_int_equal(y->since_wall_ms, SNAP_NOW_WALL_MS);
	assert_string_equal(x->id, y->id);
	assert_string_equal(y->subject, "node01 gpu 2");
	assert_string_equal(y->part, "gpu 2");
	assert_true(y->number == 95);
	judgement_free(a);
	judgement_free(b);
	snapshot_free(snap);
	judge_free(j);
}

static void parts_of_a_node_are_folded(void **state)
{
	(void)state;
	struct judge *j = judge_new(catalog);
	struct snapshot *snap = snap_new(1);

	snap_section(snap, 0, SECTION_GPU,
		"index, temperature.gpu\n0, 90\n1, 92\n2, 89\n3, 50\n7, 88\n");
	snap_section(snap, 0, SECTION_CAPACITY,
		"? lustre a@tcp:/b /fsx\n~ /fsx x\n? nfs4 c:/d /home\n~ /home x\n");
	struct judgement *jm = judge_run(j, snap);
	const struct finding *f = find(jm, "gpu-temp");

	assert_int_equal(count(jm, "gpu-temp"), 1);
	assert_string_equal(f->title, "GPUs 0-2,7 at up to 92 °C (limit 88)");
	assert_string_equal(f->part, "gpu 0-2,7");
	/* Mounts are different things: each has its own finding. */
	assert_int_equal(count(jm, "fs-hung"), 2);
	judgement_free(jm);
	snapshot_free(snap);
	judge_free(j);
}

static void shared_filesystems_are_told_once(void **state)
{
	(void)state;
	struct judge *j = judge_new(catalog);
	struct snapshot *snap = snap_new(12);

	snap_section_all(
		snap, SECTION_CAPACITY, "? lustre a@tcp:/b /fsx\n= /fsx 4096 100 5 5 0 0 1\n");
	snap_section(
		snap, 7, SECTION_CAPACITY, "? lustre a@tcp:/b /fsx\n= /fsx 4096 100 2 2 0 0 1\n");
	struct judgement *jm = judge_run(j, snap);
	const struct finding *f = find(jm, "fs-full");

	assert_int_equal(count(jm, "fs-full"), 1);
	assert_true(f->node == SIZE_MAX);
	assert_string_equal(f->title, "/fsx 98 % full on 12 nodes (limit 90)");
	assert_int_equal(f->nodes_n, 12);
	assert_string_equal(f->differing, "node[01-12]");
	assert_true(finding_has_node(f, 0) && finding_has_node(f, 11));
	assert_false(finding_has_node(f, 12));
	assert_int_equal(jm->nodes[3].concerns, 1);
	assert_ptr_equal(jm->nodes[3].top, f);
	assert_int_equal(jm->rules[rule_index("fs-full")].fired, 12);
	judgement_free(jm);
	snapshot_free(snap);
	judge_free(j);
}

static void unreachable_is_unknown_not_fine(void **state)
{
	(void)state;
	struct judge *j = judge_new(catalog);
	struct snapshot *snap = snap_new(2);

	snap_identity(snap, 0, NULL, "p5.48xlarge", NULL);
	snap_state(snap, 0, NODE_FAILED, "no answer within 10 s");
	snap_state(snap, 1, NODE_PENDING, NULL);
	struct judgement *jm = judge_run(j, snap);
	const struct finding *f = find(jm, "node-unreachable");

	assert_int_equal(count(jm, "node-unreachable"), 1);
	assert_string_equal(f->title, "Node does not answer: no answer within 10 s");
	assert_int_equal(f->age_ms, -1);
	for (size_t i = 0; i < jm->nrules; i++) {
		const struct rule *r = catalog_at(catalog, i);

		if (jm->rules[i].ok && strcmp(r->signal, "node.instance_type") != 0)
			fail_msg("%s is called fine on nodes that were never read", r->id);
	}
	assert_true(jm->nodes[0].unknown > 20);
	assert_true(jm->unknown >= jm->nodes[0].unknown + jm->nodes[1].unknown);
	judgement_free(jm);
	snapshot_free(snap);
	judge_free(j);
}

static void worst_come_first(void **state)
{
	(void)state;
	struct judge *j = judge_new(catalog);
	struct snapshot *snap = snap_new(2);

	snap_section(snap, 0, SECTION_GPU,
		"index, temperature.gpu, persistence_mode\n0, 95, Disabled\n");
	snap_section(snap, 1, SECTION_GOVERNOR, "powersave\n");
	snap_section(snap, 1, SECTION_CAPACITY, "? lustre a@tcp:/b /fsx\n~ /fsx x\n");
	struct judgement *jm = judge_run(j, snap);

	assert_string_equal(jm->findings[0].rule->section, "A");
	assert_string_equal(jm->findings[1].rule->section, "B");
	assert_string_equal(jm->findings[2].rule->id, "gpu-temp");
	for (size_t i = 1; i < jm->n; i++)
		assert_true(jm->findings[i - 1].severity >= jm->findings[i].severity);
	assert_int_equal(jm->concerns + jm->infos, jm->n);
	assert_int_equal(jm->nodes[0].worst, SEVERITY_CONCERN);
	assert_string_equal(jm->nodes[1].top->rule->id, "governor-slow");
	judgement_free(jm);
	snapshot_free(snap);
	judge_free(j);
}

/* Judges one node whose nvidia-smi is not there; true when that is a concern. */
static bool concern_without_smi(const char *instance_type, const char *stack)
{
	static const char absent[] = "#! not available: nvidia-smi is not on this node\n";
	struct section_meta meta = SECTION_META_INIT;
	struct judge *j = judge_new(catalog);
	struct snapshot *snap = snap_new(1);
	bool concern = false;

	meta.exit_code = 127;
	snap_identity(snap, 0, "node1", instance_type, NULL);
	snap_section_meta(snap, 0, SECTION_GPU, absent, sizeof(absent) - 1, meta);
	snap_section(snap, 0, SECTION_STACK, stack);
	snap_section(snap, 0, SECTION_XID, "#@ uptime\n100.0 50.0\n#@ date\n1796100000\n#@ log\n");
	struct judgement *jm = judge_run(j, snap);

	for (size_t i = 0; i < jm->n; i++)
		concern |= jm->findings[i].severity == SEVERITY_CONCERN;
	judgement_free(jm);
	snapshot_free(snap);
	judge_free(j);
	return concern;
}

/* A machine without GPUs is no GPU node that lost its tool. */
static void a_missing_smi_matters_where_gpus_are(void **state)
{
	static const char driver[] =
		"#@ nvidia\nNVRM version: NVIDIA UNIX x86_64 Kernel Module  570.172.08  Tue\n";

	(void)state;
	assert_false(concern_without_smi(NULL, "#@ modules\n"));
	assert_false(concern_without_smi("c5n.18xlarge", "#@ modules\n"));
	assert_true(concern_without_smi("p5.48xlarge", "#@ modules\n"));
	assert_true(concern_without_smi(NULL, driver));
}

/* The first check of a hot GPU on a node that was reached at address. */
static void check_reaches(const char *address, const char *want)
{
	struct judge *j = judge_new(catalog);
	struct snapshot *snap = snap_new(1);

	snap_identity(snap, 0, "alias", "p5.48xlarge", NULL);
	snap->mode = SOURCE_LIVE;
	snap->nodes[0].address = snapshot_str(snap, address);
	snap_section(snap, 0, SECTION_GPU, "index, temperature.gpu\n4, 95\n");
	struct judgement *jm = judge_run(j, snap);
	const struct finding *f = find(jm, "gpu-temp");

	assert_int_equal(strncmp(f->checks[0], want, strlen(want)), 0);
	assert_non_null(strstr(f->subject, "alias"));
	judgement_free(jm);
	snapshot_free(snap);
	judge_free(j);
}

static void commands_reach_the_node_that_was_read(void **state)
{
	(void)state;
	check_reaches("10.1.2.3", "ssh 10.1.2.3 nvidia-smi");
	check_reaches("ops@10.1.2.3", "ssh ops@10.1.2.3 nvidia-smi");
	check_reaches("ops@10.1.2.3:2222", "ssh ssh://ops@10.1.2.3:2222 nvidia-smi");
	check_reaches("fd00::1", "ssh fd00::1 nvidia-smi");
	check_reaches("[fd00::1]:2222", "ssh 'ssh://[fd00::1]:2222' nvidia-smi");
	check_reaches("ops@[fd00::1]:2222", "ssh 'ssh://ops@[fd00::1]:2222' nvidia-smi");
}

static void commands_carry_real_ids(void **state)
{
	(void)state;
	struct judge *j = judge_new(catalog);
	struct snapshot *snap = snap_new(2);

	snap_identity(snap, 0, "i-0123456789abcdef0", "p5.48xlarge", "workers");
	snap_identity(snap, 1, "x; reboot", NULL, NULL);
	snap_section_all(snap, SECTION_GPU, "index, temperature.gpu\n4, [GPU requires reset]\n");
	struct judgement *jm = judge_run(j, snap);
	const struct finding *a = find(jm, "gpu-reset-required");
	const struct finding *b = a;

	for (size_t i = 0; i < jm->n; i++)
		if (jm->findings[i].rule == a->rule && jm->findings[i].node == 1)
			b = &jm->findings[i];

	assert_string_equal(a->checks[0], "ssh i-0123456789abcdef0 nvidia-smi -q -i 4");
	assert_non_null(
		strstr(a->commands[0], "batch-reboot-cluster-nodes --cluster-name <cluster-name> "
				       "--node-ids i-0123456789abcdef0"));
	assert_non_null(strstr(a->commands[1], "batch-replace-cluster-nodes"));
	assert_string_equal(b->checks[0], "ssh 'x; reboot' nvidia-smi -q -i 4");
	assert_non_null(strstr(b->commands[0], "--node-ids <instance-id>"));
	assert_null(a->commands[2]);
	judgement_free(jm);
	snapshot_free(snap);
	judge_free(j);
}

static void hysteresis_forgets_after_a_while(void **state)
{
	(void)state;
	struct hysteresis h = HYSTERESIS_INIT;
	struct observation o = {.fires = true, .needed = 1, .generation = 1};

	for (uint64_t k = 1; k <= 1000; k++) {
		o.key = k;
		assert_non_null(hysteresis_observe(&h, &o));
	}
	assert_int_equal(h.n, 1000);
	hysteresis_sweep(&h, 2, 60000);
	assert_int_equal(h.n, 1000);
	o.key = 7;
	o.generation = 3;
	o.now_mono_ms = 200000;
	assert_non_null(hysteresis_observe(&h, &o));
	hysteresis_sweep(&h, 3, 200000);
	assert_int_equal(h.n, 1);
	assert_true(hysteresis_knows(&h, 7));
	assert_false(hysteresis_knows(&h, 8));
	hysteresis_release(&h);
}

static void disabled_rules_are_silent(void **state)
{
	(void)state;
	struct catalog *c = NULL;
	struct err e = ERR_INIT;

	assert_int_equal(catalog_builtin(&c, &e), ERR_OK);
	/* The overlay's way is tested with the catalog; here only what a judge makes of it. */
	for (size_t i = 0; i < catalog_count(c); i++)
		((struct rule *)catalog_at(c, i))->disabled = true;
	struct judge *j = judge_new(c);
	struct snapshot *snap = snap_new(1);

	snap_section(snap, 0, SECTION_GPU, "index, temperature.gpu\n4, 95\n");
	snap_state(snap, 0, NODE_STALE, "gone");
	struct judgement *jm = judge_run(j, snap);

	assert_int_equal(jm->n, 0);
	assert_int_equal(jm->unknown, 0);
	judgement_free(jm);
	snapshot_free(snap);
	judge_free(j);
	catalog_free(c);
}

static void empty_fleet_is_judged(void **state)
{
	(void)state;
	struct judge *j = judge_new(catalog);
	struct snapshot *snap = snap_new(0);
	struct judgement *jm = judge_run(j, snap);

	assert_int_equal(jm->n, 0);
	assert_int_equal(jm->nnodes, 0);
	judgement_free(jm);
	snapshot_free(snap);
	judge_free(j);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(readings_must_agree),
		cmocka_unit_test(since_stays_and_age_grows),
		cmocka_unit_test(parts_of_a_node_are_folded),
		cmocka_unit_test(shared_filesystems_are_told_once),
		cmocka_unit_test(unreachable_is_unknown_not_fine),
		cmocka_unit_test(worst_come_first),
		cmocka_unit_test(a_missing_smi_matters_where_gpus_are),
		cmocka_unit_test(commands_reach_the_node_that_was_read),
		cmocka_unit_test(commands_carry_real_ids),
		cmocka_unit_test(hysteresis_forgets_after_a_while),
		cmocka_unit_test(disabled_rules_are_silent),
		cmocka_unit_test(empty_fleet_is_judged),
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
