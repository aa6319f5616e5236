/* Names of signals, growth between answers, and the derived ones that need care. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rules/signals.h"
#include "rules/xid.h"
#include "tests/lib/snap.h"

static void paths_are_resolved(void **state)
{
	(void)state;
	static const struct {
		const char *name;
		bool known;
		enum part_kind part;
	} cases[] = {
		{"cpu.iowait_pct", true, PART_NODE},
		{"gpu.temp_c", true, PART_GPU}, /* a table named as its section */
		{"gpu.gpu.temp_c", true, PART_GPU},
		{"gpu.gpus", true, PART_NODE}, /* the section's own value */
		{"capacity.mount.state", true, PART_MOUNT},
		{"efa_counters.device.rx_drops.growth", true, PART_DEVICE},
		{"efa_counters.rx_drops.rate", true, PART_NODE},
		{"lustre_df.target.used_pct", true, PART_TARGET},
		{"xid.code", true, PART_CODE},
		{"gpu.missing", true, PART_NODE},
		{"host.kernel.growth", false, PART_NODE}, /* text does not grow */
		{"gpu.temp_c.rate", false, PART_NODE},
		{"gpu.nothing", false, PART_NODE},
		{"gpu", false, PART_NODE},
		{"gpu.", false, PART_NODE},
		{"", false, PART_NODE},
		{".", false, PART_NODE},
		{"df.used_pct", false, PART_NODE}, /* aliases are for people */
		{"gpu.gpu.temp_c.more.dots", false, PART_NODE},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct signal s;

		if (signal_resolve(cases[i].name, &s) != cases[i].known)
			fail_msg("\"%s\" should %sbe known", cases[i].name,
				cases[i].known ? "" : "not ");
		if (cases[i].known)
			assert_int_equal(s.part, cases[i].part);
	}
}

static void derived_signals_are_described(void **state)
{
	(void)state;
	struct signal s;
	size_t n = 0;

	for (; signal_derived(n, &s); n++) {
		struct signal again;

		assert_true(strlen(s.help) > 5);
		assert_true(signal_resolve(s.name, &again));
		assert_ptr_equal(again.derive, s.derive);
	}
	assert_true(n > 40);
}

/* The samples of one signal on node 0. */
static enum signal_state eval(
	const struct snapshot *snap, const char *name, struct sample_list *out)
{
	struct signal s;
	struct node_facts facts;
	struct fleet_facts fleet;
	struct signal_ctx c = {snap, &snap->nodes[0], &facts, &fleet, out, NULL};

	assert_true(signal_resolve(name, &s));
	node_facts_get(&facts, &snap->nodes[0], NULL);
	fleet_facts_get(&fleet, snap);
	return signal_eval(&s, &c);
}

#define HW(dev, rest) "/sys/class/infiniband/" dev "/ports/1/hw_counters/" rest "\n"

static void growth_needs_two_answers(void **state)
{
	(void)state;
	struct sample_list l = {NULL, 0, 0};
	struct snapshot *a = snap_new(1);

	snap_section(a, 0, SECTION_EFA_COUNTERS, HW("d0", "rx_drops:7") HW("d1", "rx_drops:3"));
	assert_int_equal(eval(a, "efa_counters.device.rx_drops.growth", &l), SIGNAL_SAMPLED);
	assert_int_equal(l.n, 2);
	assert_int_equal(l.items[0].value.state, OPT_UNKNOWN);
	eval(a, "efa_counters.rx_drops_rising", &l);
	assert_int_equal(l.items[0].value.state, OPT_UNSUPPORTED);
	eval(a, "efa_counters.rx_drops_since_boot", &l);
	assert_int_equal(l.items[0].value.u64, 7);

	/* Listed in another order, one of them grown, another one reset. */
	struct snapshot *b = snap_advance(a, 2000);

	snap_section(b, 0, SECTION_EFA_COUNTERS, HW("d1", "rx_drops:1") HW("d0", "rx_drops:17"));
	assert_int_equal(eval(b, "efa_counters.device.rx_drops.growth", &l), SIGNAL_SAMPLED);
	assert_string_equal(l.items[1].name, "d0");
	assert_int_equal(l.items[1].value.u64, 10);
	assert_int_equal(l.items[0].value.state, OPT_UNKNOWN);
	eval(b, "efa_counters.device.rx_drops.rate", &l);
	assert_true(l.items[1].value.f64 == 5.0);
	eval(b, "efa_counters.rx_drops_rising", &l);
	assert_int_equal(l.n, 2);
	/* Once growth is known, totals have nothing more to say. */
	assert_int_equal(eval(b, "efa_counters.rx_drops_since_boot", &l), SIGNAL_NOT_APPLICABLE);
	free(l.items);
	snapshot_free(a);
	snapshot_free(b);
}

static void timeouts_are_tolerated_one_a_second(void **state)
{
	(void)state;
	struct sample_list l = {NULL, 0, 0};
	struct snapshot *a = snap_new(1);

	snap_section(a, 0, SECTION_EFA_COUNTERS, HW("d0", "retrans_timeout_events:0"));
	struct snapshot *b = snap_advance(a, 10000);

	snap_section(b, 0, SECTION_EFA_COUNTERS, HW("d0", "retrans_timeout_events:130"));
	eval(b, "efa_counters.retrans_timeouts_burst", &l);
	assert_true(l.items[0].value.f64 == 120.0);
	free(l.items);
	snapshot_free(a);
	snapshot_free(b);
}

#define GPU_LINKS(name, n) "GPU 0: " name " (UUID: GPU-1)\n" n
#define UP                 "\t Link 0: 26.562 GB/s\n\t Link 1: 26.562 GB/s\n"
#define HALF               "\t Link 0: 26.562 GB/s\n\t Link 1: <inactive>\n"
#define DARK               "NVML: Unable to retrieve Nvlink information as all links are inActive\n"

static void inactive_links_by_board(void **state)
{
	(void)state;
	static const struct {
		const char *type;
		const char *text;
		enum opt_state want;
		unsigned down;
	} cases[] = {
		{NULL, GPU_LINKS("NVIDIA H100 80GB HBM3", UP), OPT_OK, 0},
		{NULL, GPU_LINKS("NVIDIA H100 80GB HBM3", HALF), OPT_OK, 1},
		{NULL, GPU_LINKS("NVIDIA H100 NVL", HALF), OPT_OK, 0},
		{NULL, GPU_LINKS("NVIDIA H100 PCIe", HALF), OPT_OK, 0},
		{NULL, GPU_LINKS("NVIDIA A100-SXM4-80GB", HALF), OPT_OK, 1},
		{NULL, GPU_LINKS("NVIDIA A100-PCIE-40GB", HALF), OPT_OK, 0},
		{NULL, GPU_LINKS("NVIDIA H200", DARK), OPT_OK, 1},
		{NULL, GPU_LINKS("NVIDIA H200 NVL", DARK), OPT_UNSUPPORTED, 0},
		{NULL, GPU_LINKS("NVIDIA GH200 480GB", DARK), OPT_UNSUPPORTED, 0},
		{"p5en.48xlarge", GPU_LINKS("NVIDIA H200", DARK), OPT_OK, 18},
		{"p5en.48xlarge", GPU_LINKS("NVIDIA H200", UP), OPT_OK, 16},
		{"g6e.48xlarge", GPU_LINKS("NVIDIA L40S", DARK), OPT_UNSUPPORTED, 0},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct sample_list l = {NULL, 0, 0};
		struct snapshot *snap = snap_new(1);

		snap_identity(snap, 0, NULL, cases[i].type, NULL);
		snap_section(snap, 0, SECTION_NVLINK, cases[i].text);
		eval(snap, "nvlink.down", &l);
		if (l.n != 1 || l.items[0].value.state != cases[i].want ||
			(cases[i].want == OPT_OK && l.items[0].value.u64 != cases[i].down))
			fail_msg("case %zu: state %d, %u down", i, (int)l.items[0].value.state,
				(unsigned)l.items[0].value.u64);
		free(l.items);
		snapshot_free(snap);
	}
}

/* 16 loaded GPUs; one far slower, one idle. */
static void clocks_are_compared_under_load(void **state)
{
	(void)state;
	static const char head[] =
		"index, name, utilization.gpu, power.draw, power.limit, clocks.current.sm\n";
	struct sample_list l = {NULL, 0, 0};
	struct snapshot *snap = snap_new(2);

	for (size_t n = 0; n < 2; n++) {
		char text[1024];
		size_t used = (size_t)snprintf(text, sizeof(text), "%s", head);

		for (int g = 0; g < 8; g++)
			used += (size_t)snprintf(text + used, sizeof(text) - used,
				"%d, H100, %d, %d, 700, %d\n", g, n == 0 && g == 2 ? 0 : 100,
				n == 0 && g == 2 ? 70 : 600, n == 0 && g == 5 ? 990 : 1980);
		snap_section(snap, n, SECTION_GPU, text);
	}
	eval(snap, "gpu.sm_clock_vs_peers_pct", &l);
	assert_int_equal(l.n, 7); /* the idle one is not compared */
	for (size_t i = 0; i < l.n; i++)
		assert_true(l.items[i].value.f64 == (l.items[i].index == 5 ? 50.0 : 100.0));
	free(l.items);
	snapshot_free(snap);
}

static void bus_ids_in_three_spellings(void **state)
{
	(void)state;
	assert_true(gpu_same_bus("00000000:53:00.0", "0000:53:00"));
	assert_true(gpu_same_bus("00000000:A8:00.0", "0000:a8:00.0"));
	assert_true(gpu_same_bus("00000008:06:00.0", "0008:06:00"));
	assert_false(gpu_same_bus("00000008:06:00.0", "0009:06:00"));
	assert_false(gpu_same_bus("0000:53:00", "0000:64:00"));
	assert_false(gpu_same_bus("", "0000:64:00"));
	assert_false(gpu_same_bus("not named", "0000:64:00"));
}

static void instance_types(void **state)
{
	(void)state;
	assert_int_equal(instance_type_find("ml.p5.48xlarge")->efa, 32);
	assert_int_equal(instance_type_find("p5en.48xlarge")->efa, 16);
	assert_int_equal(instance_type_find("p6e-gb200.36xlarge")->gpus, 4);
	assert_int_equal(instance_type_find("trn1.32xlarge")->neuron, 16);
	assert_int_equal(instance_type_find("ml.c5.4xlarge")->gpus, 0);
	assert_null(instance_type_find("p99.huge"));
	assert_null(instance_type_find(NULL));
	assert_null(instance_type_find(""));
}

static void xid_classes(void **state)
{
	(void)state;
	static const uint16_t hardware[] = {
		48, 62, 63, 64, 74, 79, 92, 94, 95, 119, 120, 136, 140, 143, 155, 156, 157, 158};
	static const uint16_t benign[] = {13, 31, 43, 45, 3, 999};

	for (size_t i = 0; i < sizeof(hardware) / sizeof(hardware[0]); i++) {
		struct xid_row row = {.code = opt_u64(hardware[i])};

		assert_true(xid_is_hardware(&row));
	}
	for (size_t i = 0; i < sizeof(benign) / sizeof(benign[0]); i++) {
		struct xid_row row = {.code = opt_u64(benign[i])};

		assert_false(xid_is_hardware(&row));
	}
	for (uint64_t code = 144; code <= 150; code++) {
		struct xid_row row = {.code = opt_u64(code)};

		assert_false(xid_is_hardware(&row)); /* the text says neither */
		row.fatal = opt_bool(false);
		assert_false(xid_is_hardware(&row));
		row.fatal = opt_bool(true);
		assert_true(xid_is_hardware(&row));
	}
	struct xid_row action = {.code = opt_u64(154), .action_to = opt_u64(0)};

	assert_false(xid_is_hardware(&action));
	action.action_to = opt_u64(4);
	assert_true(xid_is_hardware(&action) && xid_means_reset(&action));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(paths_are_resolved),
		cmocka_unit_test(derived_signals_are_described),
		cmocka_unit_test(growth_needs_two_answers),
		cmocka_unit_test(timeouts_are_tolerated_one_a_second),
		cmocka_unit_test(inactive_links_by_board),
		cmocka_unit_test(clocks_are_compared_under_load),
		cmocka_unit_test(bus_ids_in_three_spellings),
		cmocka_unit_test(instance_types),
		cmocka_unit_test(xid_classes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
