#include "tests/lib/ui_fixture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collectors/xmalloc.h"

#define STR(s) ((struct opt_str){OPT_OK, (s)})

/* ---- rules ---- */

static const struct rule rule_temp = {
	.id = "gpu-temp",
	.scope = SCOPE_NODE,
	.signal = "gpu.temp_c",
	.compare = COMPARE_GE,
	.threshold = 88,
	.unit = "C",
	.for_samples = 2,
	.severity = SEVERITY_CONCERN,
	.section = "",
	.owner = "hyperpod-node-debugger",
	.owner_section = "§ G GPU / Accelerator",
	.why = "At 88 °C an H100 SXM5 starts to lower its clocks, so that every collective waits "
	       "for this GPU.",
	.source = "NVIDIA H100 SXM5 software throttle point",
	.blast = {"stops every job on the node"},
	.origin = "built in",
};
static const struct rule rule_clock = {
	.id = "gpu-clock-hot",
	.scope = SCOPE_NODE,
	.signal = "gpu.sm_clock_hot_pct",
	.compare = COMPARE_LT,
	.threshold = 50,
	.unit = "%",
	.severity = SEVERITY_CONCERN,
	.section = "",
	.owner = "hyperpod-node-debugger",
	.owner_section = "§ G GPU / Accelerator",
	.why = "A hot GPU that runs below half of its clock is likely being throttled.",
	.source = "domain table",
	.origin = "built in",
};
static const struct rule rule_efa = {
	.id = "efa-port",
	.scope = SCOPE_NODE,
	.signal = "efa.not_active",
	.compare = COMPARE_EQ,
	.severity = SEVERITY_CONCERN,
	.section = "",
	.owner = "hyperpod-node-debugger",
	.owner_section = "§ A EFA / Security Group",
	.why = "NCCL loses the bandwidth of that port, and all its peers wait.",
	.source = "EFA user guide",
	.origin = "built in",
};
static const struct rule rule_root = {
	.id = "root-full",
	.scope = SCOPE_NODE,
	.signal = "capacity.root_used_pct",
	.compare = COMPARE_GE,
	.threshold = 90,
	.unit = "%",
	.severity = SEVERITY_CONCERN,
	.section = "",
	.owner = "hyperpod-node-debugger",
	.owner_section = "§ I.2 root volume",
	.why = "The root volume is fixed at 100 GiB; when it is full, jobs fail in odd ways.",
	.source = "HyperPod documentation",
	.origin = "built in",
};
static const struct rule rule_iowait = {
	.id = "iowait",
	.scope = SCOPE_NODE,
	.signal = "cpu.iowait",
	.compare = COMPARE_GT,
	.threshold = 20,
	.unit = "%",
	.severity = SEVERITY_CONCERN,
	.section = "B",
	.why = "CPUs wait for storage: training stalls on loading or on a checkpoint.",
	.source = "domain table",
	.origin = "built in",
};
static const struct rule rule_lost = {
	.id = "unreachable",
	.scope = SCOPE_NODE,
	.signal = "node.unreachable",
	.compare = COMPARE_EQ,
	.severity = SEVERITY_CONCERN,
	.section = "",
	.owner = "hyperpod-ssm",
	.why = "Nothing is known of this node.",
	.source = "transport",
	.origin = "built in",
};
static const struct rule rule_drift = {
	.id = "drift-efa-installer",
	.scope = SCOPE_CLUSTER,
	.signal = "stack.efa_installer",
	.compare = COMPARE_DIFFERS,
	.severity = SEVERITY_CONCERN,
	.section = "A",
	.owner = "hyperpod-version-checker",
	.why = "Nodes with another EFA stack may use other protocols and be slower.",
	.source = "peers",
	.origin = "built in",
};
static const struct rule rule_governor = {
	.id = "governor-absent",
	.scope = SCOPE_NODE,
	.signal = "governor.cpus",
	.compare = COMPARE_EQ,
	.severity = SEVERITY_INFO,
	.section = "",
	.owner = "hyperpod-version-checker",
	.why = "Normal on many EC2 types.",
	.source = "domain table",
	.origin = "built in",
};

/* ---- sections ---- */

static struct section *section_new(enum section_id id, int64_t age_ms)
{
	struct section *s = xcalloc(1, sizeof(*s));

	atomic_init(&s->refs, 1);
	s->id = id;
	s->meta = (struct section_meta){.exit_code = 0,
		.run_ms = 20,
		.mono_ms = UI_FIXTURE_MONO_MS - age_ms,
		.wall_ms = UI_FIXTURE_WALL_MS - age_ms};
	arena_init(&s->arena, SECTION_ARENA_MAX);
	s->mutable_reading = arena_alloc(&s->arena, section_desc(id)->schema.size);
	s->reading = s->mutable_reading;
	return s;
}

/* Gives the sections to the node. */
static void give(struct node *n, struct section *cur, struct section *prev)
{
	snapshot_set_section(n, cur->id, cur, prev);
	section_unref(cur);
	section_unref(prev);
}

static void give_gpu(struct node *n, double base_temp, size_t gpus)
{
	struct section *s = section_new(SECTION_GPU, 3000);
	struct gpu_reading *r = s->mutable_reading;

	r->gpus = opt_u64(gpus);
	r->driver = STR("570.172.08");
	for (size_t i = 0; i < gpus; i++) {
		struct gpu_row *row = SECTION_ROW(s, r, gpu);

		row->index = opt_u64(i);
		row->temp_c = opt_f64(base_temp + (double)(i % 3));
		row->util_pct = opt_f64(97);
		row->power_w = opt_f64(640 + (double)i);
		row->sm_mhz = opt_u64(1965);
		row->sm_max_mhz = opt_u64(1980);
		row->width = row->width_max = opt_u64(16);
		row->ecc_unc_vol = opt_u64(0);
		row->health = STR("ok");
		row->mem_used_mib = opt_u64(71000);
	}
	give(n, s, NULL);
}

static void give_efa(struct node *n, size_t down)
{
	struct section *s = section_new(SECTION_EFA, 20000);
	struct efa_reading *r = s->mutable_reading;

	r->efa_devices = r->devices = opt_u64(32);
	r->active = opt_u64(32 - down);
	for (size_t i = 0; i < 32; i++) {
		struct efa_row *row = SECTION_ROW(s, r, device);

		row->dev = section_strf(s, "rdmap%zus0", 16 + i);
		row->is_efa = opt_bool(true);
		row->state = i < down ? STR("DOWN") : STR("ACTIVE");
		row->rate_gbps = opt_f64(100);
	}
	give(n, s, NULL);
}

static void give_cpu(struct node *n, uint64_t iowait)
{
	struct section *prev = section_new(SECTION_CPU, 8000);
	struct section *cur = section_new(SECTION_CPU, 3000);
	struct cpu_reading *a = prev->mutable_reading;
	struct cpu_reading *b = cur->mutable_reading;

	a->user_ticks = a->idle_ticks = a->iowait_ticks = opt_u64(1000);
	b->cpus = opt_u64(192);
	b->user_ticks = opt_u64(1600);
	b->iowait_ticks = opt_u64(1000 + iowait);
	b->idle_ticks = opt_u64(1400 - iowait);
	give(n, cur, prev);
}

static void give_capacity(struct node *n, double root_pct)
{
	static const char *const mounts[] = {"/", "/fsx", "/opt/dlami/nvme"};
	struct section *s = section_new(SECTION_CAPACITY, 31000);
	struct capacity_reading *r = s->mutable_reading;

	r->mounts = opt_u64(3);
	r->root_used_pct = opt_f64(root_pct);
	for (size_t i = 0; i < 3; i++) {
		struct capacity_row *row = SECTION_ROW(s, r, mount);

		row->mount = STR(mounts[i]);
		row->state = STR("ok");
		row->used_pct = opt_f64(i == 0 ? root_pct : 40 + 10 * (double)i);
		row->size_kib = opt_u64(i == 1 ? 1200ull << 30 : 100ull << 20);
		row->avail_kib = opt_u64(i == 1 ? 600ull << 30 : 40ull << 20);
		row->fstype = STR(i == 1 ? "lustre" : "xfs");
	}
	give(n, s, NULL);
}

static void give_stack(struct node *n, const char *installer)
{
	struct section *s = section_new(SECTION_STACK, 90000);
	struct stack_reading *r = s->mutable_reading;

	r->efa_installer = STR(installer);
	r->libfabric = STR("1.22.0amzn4.0");
	r->ofi_nccl = STR("1.13.2-aws");
	r->nvidia_driver = STR("570.172.08");
	give(n, s, NULL);
}

static void give_unread(struct node *n)
{
	struct section *s = section_new(SECTION_NVLINK, 33000);

	section_unread(s, "link 7", "the line is cut off");
	section_set_status(s, SECTION_PARTIAL);
	give(n, s, NULL);
}

/* ---- the fleet ---- */

static void give_healthy(struct node *n, size_t i)
{
	give_gpu(n, 62 + (double)(i % 5), 8);
	give_efa(n, 0);
	give_cpu(n, 2);
	give_capacity(n, 41 + (double)(i % 7));
	give_stack(n, "1.43.2");
}

static struct snapshot *fleet(size_t n, bool answered)
{
	struct snapshot *snap = snapshot_new(n);
	char text[64];

	snap->generation = 1;
	snap->mono_ms = UI_FIXTURE_MONO_MS;
	snap->wall_ms = UI_FIXTURE_WALL_MS;
	snap->mode = SOURCE_DEMO;
	snap->source = snapshot_str(snap, "fixture");
	for (size_t i = 0; i < n; i++) {
		struct node *node = &snap->nodes[i];

		snprintf(text, sizeof(text), "i-%017zx", 0xabc0000 + i);
		node->id = snapshot_str(snap, text);
		snprintf(text, sizeof(text), "ip-10-1-%zu-%zu", i / 200, 17 + i % 200);
		node->name = snapshot_str(snap, text);
		node->group = snapshot_str(snap, i % 3 == 2 ? "workers-b" : "workers-a");
		node->instance_type = snapshot_str(snap, "ml.p5.48xlarge");
		node->placement.az = snapshot_str(snap, "use2-az1");
		node->state = answered ? NODE_OK : NODE_CONNECTING;
		if (!answered)
			continue;
		node->last_ok_mono_ms = UI_FIXTURE_MONO_MS - 3000;
		node->answer_ms = 212;
		give_healthy(node, i);
	}
	snapshot_count(snap);
	return snap;
}

static struct judgement *verdict(size_t n, size_t findings)
{
	struct judgement *jm = xcalloc(1, sizeof(*jm));

	jm->generation = 1;
	jm->nodes = xcalloc(n ? n : 1, sizeof(*jm->nodes));
	jm->nnodes = n;
	jm->findings = xcalloc(findings ? findings : 1, sizeof(*jm->findings));
	arena_init(&jm->arena, 1 << 20);
	return jm;
}

static struct finding *find(struct judgement *jm, const struct rule *rule, size_t node,
	const char *subject, const char *part, const char *title)
{
	struct finding *f = &jm->findings[jm->n];

	snprintf(f->id, sizeof(f->id), "%016zx", jm->n + 1);
	f->rule = rule;
	f->severity = rule->severity;
	f->node = node;
	f->subject = subject;
	f->part = part;
	f->title = title;
	f->number = (double)NAN;
	f->age_ms = 3000;
	f->since_wall_ms = UI_FIXTURE_WALL_MS - 720000;
	f->samples = 3;
	jm->n++;
	if (f->severity == SEVERITY_CONCERN)
		jm->concerns++;
	else
		jm->infos++;
	if (node < jm->nnodes) {
		struct node_tally *t = &jm->nodes[node];

		t->concerns += f->severity == SEVERITY_CONCERN;
		t->infos += f->severity == SEVERITY_INFO;
		if (!t->top || f->severity > t->worst) {
			t->worst = f->severity;
			t->top = f;
		}
	}
	return f;
}

static void lose(struct snapshot *snap, size_t i, enum node_state st, const char *why)
{
	struct node *n = &snap->nodes[i];

	n->state = st;
	n->err = ERR_TIMEOUT;
	n->error = snapshot_str(snap, why);
	n->failures = 3;
	n->next_try_mono_ms = UI_FIXTURE_MONO_MS + 12000;
	n->last_ok_mono_ms = st == NODE_STALE ? UI_FIXTURE_MONO_MS - 95000 : 0;
	for (int id = 0; st == NODE_FAILED && id < SECTION_COUNT; id++)
		snapshot_set_section(n, (enum section_id)id, NULL, NULL);
}

static void make_faults(struct snapshot *snap)
{
	give_gpu(&snap->nodes[2], 89, 8);
	give_efa(&snap->nodes[3], 1);
	give_capacity(&snap->nodes[4], 97);
	give_cpu(&snap->nodes[5], 340);
	give_stack(&snap->nodes[6], "1.38.1");
	lose(snap, 7, NODE_FAILED, "no answer in 10 s (connect)");
	lose(snap, 8, NODE_STALE, "no answer in 45 s (probe)");
	give_gpu(&snap->nodes[9], 60, 7);
	give_unread(&snap->nodes[9]);
	snap->nodes[1].state = NODE_PROBING;
	snap->nodes[1].last_ok_mono_ms = 0;
	for (int id = 0; id < SECTION_COUNT; id++)
		snapshot_set_section(&snap->nodes[1], (enum section_id)id, NULL, NULL);
	snapshot_count(snap);
}

static void make_findings(struct judgement *jm)
{
	struct finding *f = find(jm, &rule_drift, SIZE_MAX, "ip-10-1-0-23", "",
		"EFA installer differs on 1 node: 1.38.1, others 1.43.2");

	f->value = "1.38.1";
	f->expected = "1.43.2";
	f->differing = "ip-10-1-0-23";
	f->same_n = 7;
	f->differ_n = 1;
	f = find(jm, &rule_iowait, 5, "ip-10-1-0-22", "", "iowait 34% over the last 5 s");
	f->value = "34";
	f->expected = "20";
	f = find(jm, &rule_temp, 2, "ip-10-1-0-19 gpu 2", "gpu 2", "GPU 2 is at 91 °C");
	f->value = "91";
	f->number = 91;
	f->expected = "88";
	f->checks[0] = "nvidia-smi -q -i 2 -d TEMPERATURE,PERFORMANCE";
	f->commands[0] = "scontrol update nodename=ip-10-1-0-19 state=drain reason=hot-gpu-2";
	f = find(jm, &rule_clock, 2, "ip-10-1-0-19 gpu 2", "gpu 2",
		"GPU 2 runs at 47 % of its clock");
	f->value = "47";
	f->expected = "50";
	f = find(jm, &rule_efa, 3, "ip-10-1-0-20 rdmap16s0", "rdmap16s0",
		"EFA port rdmap16s0 is DOWN (31 of 32 active)");
	f->value = "DOWN";
	f = find(jm, &rule_root, 4, "ip-10-1-0-21", "", "root volume 97% full");
	f->value = "97";
	f->expected = "90";
	f = find(jm, &rule_lost, 7, "ip-10-1-0-24", "", "no answer in 10 s (connect)");
	f->age_ms = -1;
	f = find(jm, &rule_governor, 0, "ip-10-1-0-17", "", "no cpufreq governor is exposed");
	jm->unknown = 4;
}

struct ui_fixture ui_fixture_new(size_t n)
{
	struct ui_fixture f = {fleet(n, true), verdict(n, 16)};

	make_faults(f.snap);
	make_findings(f.jm);
	return f;
}

struct ui_fixture ui_fixture_waiting(size_t n)
{
	return (struct ui_fixture){fleet(n, false), NULL};
}

struct ui_fixture ui_fixture_healthy(size_t n)
{
	return (struct ui_fixture){fleet(n, true), verdict(n, 0)};
}

void ui_fixture_free(struct ui_fixture *f)
{
	snapshot_free(f->snap);
	if (f->jm) {
		free(f->jm->findings);
		free(f->jm->nodes);
		arena_release(&f->jm->arena);
		free(f->jm);
	}
	f->snap = NULL;
	f->jm = NULL;
}
