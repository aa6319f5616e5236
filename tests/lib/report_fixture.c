#include "tests/lib/report_fixture.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collectors/xmalloc.h"
#include "tests/lib/snap.h"

static const struct rule rules[] = {
	{.id = "test_unreachable",
		.signal = "node.unreachable",
		.compare = COMPARE_EQ,
		.threshold = 1,
		.severity = SEVERITY_CONCERN,
		.owner = "hyperpod-ssm",
		.why = "A node that cannot be reached cannot be judged.",
		.source = "the deadline of the connection"},
	{.id = "test_governor",
		.signal = "governor.slow_cpus",
		.compare = COMPARE_GT,
		.threshold = 0,
		.section = "A",
		.severity = SEVERITY_CONCERN,
		.owner = "this program",
		.owner_section = "\xc2\xa7 A Uneven NCCL Performance",
		.why = "CPUs that are slower on some nodes make their ranks late.",
		.source = "a test"},
	{.id = "test_gpu_temp",
		.signal = "gpu.temp_c",
		.compare = COMPARE_GE,
		.threshold = 88,
		.unit = "C",
		.severity = SEVERITY_CONCERN,
		.owner = "hyperpod-node-debugger",
		.owner_section = "\xc2\xa7 G GPU / Accelerator",
		.why = "At this temperature the GPU lowers its clock, and every rank waits for the "
		       "slowest one.",
		.source = "H100 SXM5 software throttle point",
		.blast = {"a reboot stops the node's jobs"}},
	{.id = "test_driver",
		.signal = "stack.nvidia_driver",
		.compare = COMPARE_DIFFERS,
		.severity = SEVERITY_INFO,
		.owner = "hyperpod-version-checker",
		.why = "Versions that differ within a group behave differently.",
		.source = "peers in the same group"},
};

static struct finding finding_of(size_t rule, size_t node, const char *title, const char *value)
{
	return (struct finding){
		.rule = &rules[rule],
		.id = "0123456789abcdef",
		.severity = rules[rule].severity,
		.node = node,
		.subject = "subject",
		.part = "",
		.title = title,
		.value = value,
		.number = NAN,
		.age_ms = 2000,
		.samples = 1,
	};
}

static void add(struct judgement *jm, struct finding f)
{
	jm->findings[jm->n++] = f;
	if (f.severity == SEVERITY_CONCERN)
		jm->concerns++;
	else
		jm->infos++;
	if (f.node < jm->nnodes) {
		jm->nodes[f.node].worst = f.severity;
		jm->nodes[f.node].concerns += f.severity == SEVERITY_CONCERN;
	}
}

static void add_findings(struct judgement *jm)
{
	struct finding hot = finding_of(2, 1, "node02 gpu 3: 91 C (limit 88)", "91");

	hot.number = 91;
	hot.part = "gpu 3";
	hot.checks[0] = "nvidia-smi -q -d TEMPERATURE on node02";
	hot.commands[0] = "aws sagemaker batch-reboot-cluster-nodes --cluster-name NAME --node-ids "
			  "i-0123456789abcdef0";
	add(jm, finding_of(1, 0, "node01: 96 CPUs are not on the performance governor", "96"));
	add(jm, finding_of(0, 4, "node05 did not answer", "yes"));
	add(jm, hot);
	for (size_t i = 0; i < 11; i++) {
		hot.title = "node03 gpu 0: 90 C (limit 88)";
		hot.node = 2;
		hot.commands[0] = "aws sagemaker batch-reboot-cluster-nodes --cluster-name NAME "
				  "--node-ids i-0fedcba9876543210";
		add(jm, hot);
	}
	struct finding drift = finding_of(3, SIZE_MAX,
		"NVIDIA driver: 3 same (570.172.08), 1 differs: node03 (570.86.15 <b>*_x_*</b>)",
		"570.86.15");

	drift.differing = "node03";
	drift.expected = "570.172.08";
	drift.same_n = 3;
	drift.differ_n = 1;
	add(jm, drift);
}

static struct report *fixture(struct snapshot *snap)
{
	struct report *r = xcalloc(1, sizeof(*r));
	struct judgement *jm = xcalloc(1, sizeof(*jm));

	jm->generation = snap->generation;
	jm->findings = xcalloc(32, sizeof(*jm->findings));
	jm->nodes = xcalloc(snap->n, sizeof(*jm->nodes));
	jm->nnodes = snap->n;
	r->snap = snap;
	r->judgement = jm;
	return r;
}

struct report *report_fixture_new(void)
{
	struct snapshot *snap = snap_new(5);

	snap_section_all(snap, SECTION_SHM, "");
	snap_identity(snap, 0, "node01", "ml.p5.48xlarge", "workers");
	snap_placement(snap, 0, "usw2-az1", "nn-1", "nn-2", NULL);
	snap_state(snap, 3, NODE_STALE, "the connection was reset by the node");
	snap_state(snap, 4, NODE_FAILED, "no connection within 10 s (is the node up?)");

	struct report *r = fixture(snap);

	add_findings((struct judgement *)r->judgement);
	((struct judgement *)r->judgement)->unknown = 3;
	return r;
}

struct report *report_fixture_clean(void)
{
	struct snapshot *snap = snap_new(2);

	snap_section_all(snap, SECTION_SHM, "");
	return fixture(snap);
}

void report_fixture_free(struct report *r)
{
	struct judgement *jm = (struct judgement *)r->judgement;

	free(jm->findings);
	free(jm->nodes);
	free(jm);
	snapshot_free((struct snapshot *)r->snap);
	free(r);
}

/* ---- golden files ---- */

static void first_difference(const char *name, const char *want, const char *got)
{
	for (unsigned line = 1; *want || *got; line++) {
		size_t nw = strcspn(want, "\n");
		size_t ng = strcspn(got, "\n");

		if (nw != ng || memcmp(want, got, nw) != 0)
			fail_msg("tests/golden/%s line %u:\n  want: %.*s\n  got:  %.*s\n"
				 "(HYPERPOD_PERF_GOLDEN=update writes what is there now)",
				name, line, (int)nw, want, (int)ng, got);
		want += nw + (want[nw] == '\n');
		got += ng + (got[ng] == '\n');
	}
}

void golden_check(const char *name, const char *text)
{
	const char *mode = getenv("HYPERPOD_PERF_GOLDEN");
	char path[256];
	size_t len = 0;

	snprintf(path, sizeof(path), "tests/golden/%s", name);
	if (mode && strcmp(mode, "update") == 0) {
		FILE *f = fopen(path, "w");

		assert_non_null(f);
		assert_true(fputs(text, f) >= 0);
		assert_int_equal(fclose(f), 0);
		return;
	}
	char *want = snap_read_file(path, &len);

	if (!want)
		fail_msg("tests/golden/%s: cannot be read", name);
	if (strcmp(want, text) != 0)
		first_difference(name, want, text);
	free(want);
}
