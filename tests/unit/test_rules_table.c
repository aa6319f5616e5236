/*
 * Every rule on one node: texts in, the rule's tally out. For each rule what
 * fires, what does not, the boundary, and data that is missing: unknown is never
 * counted as fine.
 */
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

enum outcome { FIRES, INFO, FINE, UNKNOWN, NA };

struct rule_case {
	const char *rule;
	enum section_id section;
	const char *type; /* instance type; NULL not known */
	const char *text; /* NULL: the section was never read */
	enum outcome want;
	const char *title; /* part of it; NULL any */
};

#define TEMP(t)   "index, name, temperature.gpu\n3, NVIDIA H100 80GB HBM3, " t "\n"
#define CLOCK(t)  "index, temperature.gpu, clocks.current.sm, clocks.max.sm\n0, " t "\n"
#define REASON(t) "index, utilization.gpu, clocks_event_reasons.active\n0, " t "\n"
#define WIDTH(t)  "index, pcie.link.width.current, pcie.link.width.max\n5, " t "\n"
#define ECC(v, a)                                                                                  \
	"index, ecc.errors.uncorrected.volatile.total, ecc.errors.uncorrected.aggregate.total\n0," \
	" " v ", " a "\n"
#define REMAP(t)   "index, remapped_rows.pending, remapped_rows.failure\n0, " t "\n"
#define PERSIST(t) "index, persistence_mode\n0, " t "\n"
#define EIGHT \
	"index, name\n0, H100\n1, H100\n2, H100\n3, H100\n4, H100\n5, H100\n6, H100\n7, H100\n"
#define SEVEN      "index, name\n0, H100\n1, H100\n2, H100\n3, H100\n4, H100\n5, H100\n6, H100\n"
#define IB         "/sys/class/infiniband/rdmap79s0/"
#define EFA(state) IB "ports/1/state:" state "\n" IB "device/driver -> efa\n#@ pci_efa 1\n"
#define STATFS(fs, src, m, used) \
	"? " fs " " src " " m "\n= " m " 4096 1000 " used " " used " 1000 900 3\n"
#define MOUNT(opts) "10.1.0.9@tcp:/abcdefgh /fsx lustre " opts " 0 0\n"
#define SHM(kib)                                                                \
	"Filesystem 1024-blocks Used Available Capacity Mounted on\ntmpfs " kib \
	" 0 100 0% /dev/shm\n"
#define LFS(a, b)                                                  \
	"#@ /fsx\nUUID 1K-blocks Used Available Use% Mounted on\n" \
	"abcdefgh-MDT0000_UUID 1000 10 990 1% /fsx[MDT:0]\n"       \
	"abcdefgh-OST0000_UUID 1000 500 500 " a "% /fsx[OST:0]\n"  \
	"abcdefgh-OST0001_UUID 1000 500 500 " b                    \
	"% /fsx[OST:1]\n\nfilesystem_summary: 2000 1000 1000 50% /fsx\n"
#define GOV(a)        "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor:" a "\n"
#define IMPORT(state) "#@ import\nimport:\n    target: a-OST0000_UUID\n    state: " state "\n"
#define XID(rest)     "#@ uptime\n1000.0 1\n#@ log\n[  990.5] NVRM: Xid (PCI:0000:53:00): " rest "\n"

static const struct rule_case cases[] = {
	{"gpu-temp", SECTION_GPU, NULL, TEMP("91"), FIRES, "GPU 3 at 91 °C (limit 88)"},
	{"gpu-temp", SECTION_GPU, NULL, TEMP("88"), FIRES, NULL},
	{"gpu-temp", SECTION_GPU, NULL, TEMP("87"), FINE, NULL},
	{"gpu-temp", SECTION_GPU, NULL, TEMP("[N/A]"), NA, NULL},
	{"gpu-temp", SECTION_GPU, NULL, TEMP("[Unknown Error]"), UNKNOWN, NULL},
	{"gpu-temp", SECTION_GPU, "p5.48xlarge", NULL, UNKNOWN, NULL},
	{"gpu-temp", SECTION_GPU, "c5.4xlarge", NULL, NA, NULL},
	{"gpu-temp", SECTION_GPU, "p5.48xlarge", "", UNKNOWN, NULL},
	{"gpu-clock-hot", SECTION_GPU, NULL, CLOCK("85, 900, 1980"), INFO, "45.5 %"},
	{"gpu-clock-hot", SECTION_GPU, NULL, CLOCK("85, 990, 1980"), FINE, NULL},
	{"gpu-clock-hot", SECTION_GPU, NULL, CLOCK("79, 345, 1980"), FINE, NULL},
	{"gpu-clock-hot", SECTION_GPU, NULL, CLOCK("85, [Unknown Error], 1980"), UNKNOWN, NULL},
	{"gpu-throttle", SECTION_GPU, NULL, REASON("0, 0x0000000000000008"), FIRES,
		"hardware slowdown"},
	{"gpu-throttle", SECTION_GPU, NULL, REASON("0, 0x0000000000000080"), FIRES, "power brake"},
	{"gpu-throttle", SECTION_GPU, NULL, REASON("99, 0x0000000000000020"), FIRES,
		"software thermal"},
	{"gpu-throttle", SECTION_GPU, NULL, REASON("0, 0x0000000000000020"), FINE, NULL},
	{"gpu-throttle", SECTION_GPU, NULL, REASON("100, 0x0000000000000004"), FINE, NULL},
	{"gpu-throttle", SECTION_GPU, NULL, REASON("0, 0x0000000000000001"), FINE, NULL},
	{"pcie-width-low", SECTION_GPU, NULL, WIDTH("8, 16"), FIRES,
		"GPU 5 PCIe link at x8 of x16"},
	{"pcie-width-low", SECTION_GPU, NULL, WIDTH("16, 16"), FINE, NULL},
	{"pcie-width-low", SECTION_GPU, NULL, WIDTH("[N/A], [N/A]"), NA, NULL},
	{"ecc-uncorrected", SECTION_GPU, NULL, ECC("1", "1"), FIRES, "GPU 0: 1 uncorrected"},
	{"ecc-uncorrected", SECTION_GPU, NULL, ECC("0", "4"), FINE, NULL},
	{"ecc-uncorrected", SECTION_GPU, NULL, ECC("[N/A]", "[N/A]"), NA, NULL},
	{"ecc-aggregate", SECTION_GPU, NULL, ECC("0", "4"), FIRES, "4 uncorrected"},
	{"remap-failure", SECTION_GPU, NULL, REMAP("No, Yes"), FIRES, NULL},
	{"remap-failure", SECTION_GPU, NULL, REMAP("No, No"), FINE, NULL},
	{"remap-failure", SECTION_GPU, NULL, REMAP("[N/A], [N/A]"), NA, NULL},
	{"remap-pending", SECTION_GPU, NULL, REMAP("Yes, No"), FIRES, NULL},
	{"persistence-off", SECTION_GPU, NULL, PERSIST("Disabled"), INFO, "node01"},
	{"persistence-off", SECTION_GPU, NULL, PERSIST("Enabled"), FINE, NULL},
	{"gpu-count-low", SECTION_GPU, "p5.48xlarge", SEVEN, FIRES,
		"7 of 8 GPUs listed (1 missing)"},
	{"gpu-count-low", SECTION_GPU, "ml.p5.48xlarge", EIGHT, FINE, NULL},
	{"gpu-count-low", SECTION_GPU, "p6e-gb200.36xlarge", SEVEN, FINE, NULL},
	{"gpu-count-low", SECTION_GPU, "p99.huge", SEVEN, UNKNOWN, NULL},
	{"gpu-count-low", SECTION_GPU, NULL, SEVEN, UNKNOWN, NULL},
	{"xid", SECTION_XID, NULL, XID("79, GPU has fallen off the bus."), FIRES,
		"Xid 79 on GPU 0000:53:00: GPU has fallen off the bus, 10 s ago"},
	{"xid", SECTION_XID, NULL, XID("13, Graphics SM Warp Exception"), INFO, "Xid 13"},
	{"xid", SECTION_XID, NULL, "#@ uptime\n1000.0 1\n#@ log\n", FINE, NULL},
	{"xid", SECTION_XID, "p5.48xlarge", "#@ uptime\n1000.0 1\n#@ log\n", FINE, NULL},
	{"xid", SECTION_XID, "p5.48xlarge",
		"dmesg: read kernel buffer failed: Operation not permitted\n", UNKNOWN, NULL},
	{"gpu-lost", SECTION_XID, NULL, XID("79, GPU has fallen off the bus."), FIRES, NULL},
	{"xid-fatal", SECTION_XID, NULL, XID("149, NETIR Fatal XC0 i0 Link 15 (0x0)"), FIRES,
		"149"},
	{"xid-fatal", SECTION_XID, NULL, XID("149, NETIR Nonfatal XC0 i0 Link 15 (0x0)"), FINE,
		NULL},
	{"xid", SECTION_XID, NULL, XID("149, NETIR Nonfatal XC0 i0 Link 15 (0x0)"), INFO, NULL},
	{"efa-missing", SECTION_EFA, "p5.48xlarge", EFA("4: ACTIVE"), FIRES, "1 of 32 EFA"},
	{"efa-missing", SECTION_EFA, "g5.8xlarge", EFA("4: ACTIVE"), FINE, NULL},
	{"efa-missing", SECTION_EFA, "g5.xlarge", "#@ pci_efa 0\n", NA, NULL},
	{"efa-missing", SECTION_EFA, "p5.48xlarge", NULL, UNKNOWN, NULL},
	{"efa-port-down", SECTION_EFA, NULL, EFA("1: DOWN"), FIRES, "rdmap79s0 (DOWN)"},
	{"efa-port-down", SECTION_EFA, NULL, EFA("4: ACTIVE"), FINE, NULL},
	{"efa-carrier-down", SECTION_EFA, NULL,
		IB "device/net/e0/operstate:down\n" IB "device/net/e0/carrier:0\n" EFA("4: ACTIVE"),
		FIRES, "rdmap79s0"},
	{"efa-carrier-down", SECTION_EFA, NULL, EFA("4: ACTIVE"), NA, NULL},
	{"efa-provider", SECTION_EFA, NULL,
		EFA("4: ACTIVE") "#@ fi_info\nfi_getinfo: -61 (No data available)\n#@ fi_info exit "
				 "61\n",
		FIRES, NULL},
	{"efa-provider", SECTION_EFA, NULL,
		EFA("4: ACTIVE") "#@ fi_info\nnot available: fi_info is not on this node\n"
				 "#@ fi_info exit 127\n",
		NA, NULL},
	{"governor-slow", SECTION_GOVERNOR, NULL, GOV("powersave"), FIRES, "powersave"},
	{"governor-slow", SECTION_GOVERNOR, NULL, GOV("performance"), FINE, NULL},
	{"governor-slow", SECTION_GOVERNOR, NULL,
		"cat: '/sys/devices/system/cpu/cpu*/cpufreq/scaling_governor': No such file or "
		"directory\n",
		NA, NULL},
	{"root-full", SECTION_CAPACITY, NULL, STATFS("ext4", "/dev/root", "/", "100"), FIRES,
		"90 % full"},
	{"root-full", SECTION_CAPACITY, NULL, STATFS("ext4", "/dev/root", "/", "101"), FINE, NULL},
	{"root-full", SECTION_CAPACITY, NULL, NULL, UNKNOWN, NULL},
	{"fs-full", SECTION_CAPACITY, NULL, STATFS("lustre", "a@tcp:/b", "/fsx", "90"), FIRES,
		"/fsx 91 % full on node01"},
	{"fs-full", SECTION_CAPACITY, NULL, STATFS("lustre", "a@tcp:/b", "/fsx", "100"), FINE,
		NULL},
	{"local-disk-full", SECTION_CAPACITY, NULL,
		STATFS("ext4", "/dev/x", "/opt/dlami/nvme", "50"), FIRES,
		"/opt/dlami/nvme 95 % full"},
	{"local-disk-full", SECTION_CAPACITY, NULL,
		STATFS("squashfs", "/dev/loop3", "/snap/x", "0"), NA, NULL},
	{"fs-hung", SECTION_CAPACITY, NULL, "? lustre a@tcp:/b /fsx\n~ /fsx still not answering\n",
		FIRES, "/fsx does not answer"},
	{"ost-full", SECTION_LUSTRE_DF, NULL, LFS("96", "90"), FIRES, "abcdefgh-OST0000 96 %"},
	{"ost-full", SECTION_LUSTRE_DF, NULL, LFS("95", "90"), FINE, NULL},
	{"ost-uneven", SECTION_LUSTRE_DF, NULL, LFS("80", "62"), FIRES, "18 points"},
	{"ost-uneven", SECTION_LUSTRE_DF, NULL, LFS("80", "63"), FINE, NULL},
	{"ost-uneven", SECTION_LUSTRE_DF, NULL, LFS("40", "2"), INFO, NULL},
	{"mount-noflock", SECTION_MOUNTS, NULL, MOUNT("rw,noatime"), INFO, "/fsx"},
	{"mount-noflock", SECTION_MOUNTS, NULL, MOUNT("rw,noatime,flock"), FINE, NULL},
	{"mount-noflock", SECTION_MOUNTS, NULL, "/dev/root / ext4 rw 0 0\n", NA, NULL},
	{"shm-missing", SECTION_SHM, NULL, "df: /dev/shm: No such file or directory\n", FIRES,
		NULL},
	{"shm-small", SECTION_SHM, NULL, SHM("65536"), FIRES, "0.1 GiB"},
	{"shm-small", SECTION_SHM, NULL, SHM("16777216"), FINE, NULL},
	{"shm-small", SECTION_SHM, NULL, SHM("16777215"), FIRES, NULL},
	{"shm-small", SECTION_SHM, NULL, "df: /dev/shm: No such file or directory\n", NA, NULL},
	{"lustre-import-bad", SECTION_CLIENT_IO, NULL, IMPORT("DISCONN"), INFO, "DISCONN"},
	{"lustre-import-bad", SECTION_CLIENT_IO, NULL, IMPORT("IDLE"), FINE, NULL},
	{"lustre-import-bad", SECTION_CLIENT_IO, NULL, IMPORT("FULL"), FINE, NULL},
	{"fm-inactive", SECTION_FABRICMANAGER, "p5.48xlarge", "inactive\n", FIRES, "is inactive"},
	{"fm-inactive", SECTION_FABRICMANAGER, "p5.48xlarge", "active\n", FINE, NULL},
	{"fm-inactive", SECTION_FABRICMANAGER, "p6e-gb200.36xlarge", "inactive\n", FIRES, NULL},
	{"fm-inactive", SECTION_FABRICMANAGER, "g6e.48xlarge", "inactive\n", NA, NULL},
	{"efa-old", SECTION_STACK, NULL, "# EFA installer version: 1.9.0\n", INFO, "1.9.0"},
	{"efa-old", SECTION_STACK, NULL, "# EFA installer version: 1.18.0\n", FINE, NULL},
	{"efa-old", SECTION_STACK, NULL, "#@ module efa\n2.13.0g\n", NA, NULL},
	{"neuron-count-low", SECTION_NEURON, "trn1.32xlarge", NULL, UNKNOWN, NULL},
	{"neuron-count-low", SECTION_NEURON, "p5.48xlarge", NULL, NA, NULL},
};

static struct catalog *catalog;

static size_t rule_index(const char *id)
{
	for (size_t i = 0; i < catalog_count(catalog); i++)
		if (strcmp(catalog_at(catalog, i)->id, id) == 0)
			return i;
	fail_msg("there is no rule %s", id);
	return 0;
}

static const struct finding *finding_of(const struct judgement *jm, const char *rule)
{
	for (size_t i = 0; i < jm->n; i++)
		if (strcmp(jm->findings[i].rule->id, rule) == 0)
			return &jm->findings[i];
	return NULL;
}

static const char *outcome_of(const struct rule_tally *t, const struct finding *f)
{
	if (t->fired)
		return !f                             ? "fired without a finding"
		       : f->severity == SEVERITY_INFO ? "info"
						      : "fires";
	if (t->unknown)
		return "unknown";
	return t->ok ? "fine" : "not applicable";
}

static void run_case(const struct rule_case *c)
{
	static const char *const names[] = {"fires", "info", "fine", "unknown", "not applicable"};
	struct snapshot *snap = snap_new(1);
	struct judge *j = judge_new(catalog);

	snap_identity(snap, 0, NULL, c->type, NULL);
	if (c->text)
		snap_section(snap, 0, c->section, c->text);
	struct judgement *jm = judge_run(j, snap);
	const struct rule_tally *t = &jm->rules[rule_index(c->rule)];
	const struct finding *f = finding_of(jm, c->rule);

	assert_int_equal(t->ok + t->fired + t->unknown + t->not_applicable, 1);
	if (strcmp(outcome_of(t, f), names[c->want]) != 0)
		fail_msg("%s on \"%s\": %s, should be %s", c->rule, c->text ? c->text : "-",
			outcome_of(t, f), names[c->want]);
	if (c->title && !strstr(f->title, c->title))
		fail_msg("%s: title \"%s\" does not say \"%s\"", c->rule, f->title, c->title);
	judgement_free(jm);
	judge_free(j);
	snapshot_free(snap);
}

static void each_rule_on_each_side_of_its_line(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		run_case(&cases[i]);
}

/* A mount that hangs is one finding (capacity's), not a second about reading. */
static void a_skipped_mount_is_an_answer(void **state)
{
	(void)state;
	static const char text[] = "#! /fsx: skipped, the mount does not answer\n";
	struct snapshot *snap = snap_new(1);
	struct judge *j = judge_new(catalog);
	struct section_meta meta = {.exit_code = 124, .mono_ms = SNAP_NOW_MONO_MS};

	snap_section(snap, 0, SECTION_MOUNTS, MOUNT("rw,flock"));
	snap_section_meta(snap, 0, SECTION_LUSTRE_DF, text, strlen(text), meta);
	struct judgement *jm = judge_run(j, snap);

	assert_null(finding_of(jm, "parse-partial"));
	assert_int_equal(jm->rules[rule_index("parse-partial")].ok, 1);
	/* What the targets are like is unknown all the same. */
	assert_int_equal(jm->rules[rule_index("ost-full")].unknown, 1);
	judgement_free(jm);
	judge_free(j);
	snapshot_free(snap);
}

/* Text that is no text must raise nothing but "could not be read". */
static void nonsense_raises_no_concern(void **state)
{
	(void)state;
	static const char *const texts[] = {"", "\n", "\xff\xfe\x80", "a,b,c\r\n1,2\r\n",
		"????????????????????????????????", "0\n0\n0\n", "{\"a\": [}"};

	for (size_t t = 0; t < sizeof(texts) / sizeof(texts[0]); t++) {
		struct snapshot *snap = snap_new(3);
		struct judge *j = judge_new(catalog);

		for (int id = 0; id < SECTION_COUNT; id++)
			snap_section_all(snap, (enum section_id)id, texts[t]);
		struct judgement *jm = judge_run(j, snap);

		for (size_t i = 0; i < jm->n; i++)
			if (jm->findings[i].severity == SEVERITY_CONCERN)
				fail_msg("\"%s\": %s", texts[t], jm->findings[i].title);
		judgement_free(jm);
		judge_free(j);
		snapshot_free(snap);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_rule_on_each_side_of_its_line),
		cmocka_unit_test(a_skipped_mount_is_an_answer),
		cmocka_unit_test(nonsense_raises_no_concern),
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
