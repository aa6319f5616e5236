/* What /proc, /sys and the package files say of a simulated node. */
#include "collectors/demo_sim.h"

#include <math.h>
#include <string.h>

static double node_clock_s(const struct demo_state *st)
{
	return (double)st->wall_ms / 1000 + st->clock_skew_s;
}

static void host_memory(struct demo_text *t)
{
	const struct demo_state *st = t->st;
	uint64_t mem_kib = (uint64_t)((double)st->type->mem_gib * 1024 * 1024 * 0.976);
	uint64_t used_kib =
		(uint64_t)((double)mem_kib * (0.27 + 0.01 * demo_noise(st, 0x61, st->t_ms / 5000)));

	demo_add(t,
		"#@ meminfo\nMemTotal:       %llu kB\nMemFree:        %llu kB\n"
		"MemAvailable:   %llu kB\nBuffers:          214832 kB\nCached:         %llu kB\n"
		"Shmem:          %llu kB\nHugePages_Total:    5128\nHugePages_Free:     5128\n",
		(unsigned long long)mem_kib, (unsigned long long)(mem_kib - used_kib * 2),
		(unsigned long long)(mem_kib - used_kib), (unsigned long long)(used_kib * 3 / 4),
		(unsigned long long)(used_kib / 12));
	demo_add(t, "#@ loadavg\n%.2f %.2f %.2f %d/4211 %d\n",
		22 + 60 * st->load + 3 * demo_noise(st, 0x62, st->t_ms / 5000), 78.2, 77.9,
		(int)(9 + 16 * st->load), (int)(100000 + st->t_ms / 100 % 30000));
}

/* Who the node is, as the files that the image's agents write tell. */
static void host_identity(struct demo_text *t)
{
	const struct demo_state *st = t->st;
	const struct demo_node *n = st->node;
	const struct demo_group *g = n->group;
	size_t zone = strlen(g->az_name);

	demo_add(t,
		"#@ dmi\n/sys/devices/virtual/dmi/id/product_name:%s\n"
		"/sys/devices/virtual/dmi/id/board_asset_tag:%s\n",
		st->type->name, n->instance_id);
	demo_add(t,
		"#@ resource_config\n{\"ClusterConfig\":{\"ClusterName\":\"%s\"},"
		"\"InstanceGroups\":[{\"Name\":\"%s\",\"InstanceType\":\"ml.%s\",\"Instances\":[",
		st->sc->name, g->name, st->type->name);
	demo_add(t,
		"{\"InstanceName\":\"%s-1\",\"CustomerIpAddress\":\"%s\",\"InstanceId\":\"%s\"}]}]}"
		"\n",
		g->name, n->ip, n->instance_id);
	if (!zone)
		return;
	demo_add(t,
		"#@ cloud-init\n  \"availability_zone\": \"%s\",\n  \"region\": \"%.*s\",\n"
		"    \"availability-zone-id\": \"%s\",\n",
		g->az_name, (int)zone - 1, g->az_name, g->az);
}

void demo_text_host(struct demo_text *t)
{
	const struct demo_state *st = t->st;

	demo_add(t, "#@ uname\nLinux %s %s x86_64\n", st->node->name, st->version[DEMO_KERNEL]);
	demo_add(t, "#@ uptime\n%.2f %.2f\n", st->uptime_ms / 1000,
		st->uptime_ms / 1000 * st->type->cpus * 0.8);
	demo_add(t, "#@ date\n%.0f\n", floor(node_clock_s(st)));
	demo_add(t, "#@ os-release\nPRETTY_NAME=\"Ubuntu 22.04.5 LTS\"\nNAME=\"Ubuntu\"\n"
		    "VERSION_ID=\"22.04\"\nID=ubuntu\n");
	host_memory(t);
	demo_add(t,
		"#@ cpuinfo\nmodel name\t: AMD EPYC 7R13 Processor\n"
		"/sys/devices/system/cpu/online:0-%d\n",
		st->type->cpus - 1);
	host_identity(t);
	demo_add(t,
		"#@ chrony\nReference ID    : A9FEA97B (169.254.169.123)\nStratum         : 4\n"
		"System time     : %.9f seconds %s of NTP time\nLeap status     : Normal\n",
		fabs(st->clock_skew_s) + 0.000012, st->clock_skew_s < 0 ? "slow" : "fast");
	demo_add(t, "#@ ulimit\nunlimited\n#@ vmstat\noom_kill 0\n");
}

/* Ticks of 1/100 s over all CPUs: shares of the CPU time while training and while writing. */
static const struct {
	const char *name;
	double train;
	double ckpt;
} shares[] = {
	{"user", 0.112, 0.061},
	{"nice", 0, 0},
	{"system", 0.021, 0.038},
	{"idle", 0.8635, 0.897},
	{"iowait", 0.0025, 0},
	{"irq", 0, 0},
	{"softirq", 0.001, 0.004},
	{"steal", 0, 0},
};
enum { SHARE_IDLE = 3, SHARE_IOWAIT = 4 };

static void ticks_of(const struct demo_state *st, double ticks[ARRAY_LEN(shares)])
{
	double hundred = st->type->cpus / 10.0; /* ticks of all CPUs in one ms */
	double ckpt_wait = st->sc->iowait_pct / 100 * st->ckpt_ms;
	double more = 0;

	if (st->iowait_pct > 0)
		more = st->iowait_pct / 100 * (st->uptime_ms - st->iowait_since_ms);
	for (size_t i = 0; i < ARRAY_LEN(shares); i++)
		ticks[i] =
			hundred * (shares[i].train * st->train_ms + shares[i].ckpt * st->ckpt_ms);
	ticks[SHARE_IOWAIT] += hundred * (ckpt_wait + more);
	ticks[SHARE_IDLE] -= hundred * (ckpt_wait + more);
}

void demo_text_cpu(struct demo_text *t)
{
	const struct demo_state *st = t->st;
	double ticks[ARRAY_LEN(shares)];
	double wait = st->iowait_pct + (st->in_ckpt ? st->sc->iowait_pct : 0.2);

	ticks_of(st, ticks);
	demo_add(t, "cpu ");
	for (size_t i = 0; i < ARRAY_LEN(shares); i++)
		demo_add(t, " %.0f", floor(ticks[i]));
	demo_add(t, " 0 0\n");
	for (int c = 0; c < st->type->cpus; c++) {
		demo_add(t, "cpu%d", c);
		for (size_t i = 0; i < ARRAY_LEN(shares); i++)
			demo_add(t, " %.0f", floor(ticks[i] / st->type->cpus));
		demo_add(t, " 0 0\n");
	}
	demo_add(t,
		"ctxt %.0f\nbtime %lld\nprocesses 1204417\nprocs_running %d\nprocs_blocked %d\n",
		floor(st->uptime_ms * 91), (long long)(node_clock_s(st) - st->uptime_ms / 1000),
		(int)(9 + 16 * st->load), (int)(wait / 3));
	demo_add(t,
		"/proc/pressure/cpu:some avg10=0.31 avg60=0.29 avg300=0.30 "
		"total=%.0f\n",
		floor(st->uptime_ms * 3));
	demo_add(t, "/proc/pressure/io:some avg10=%.2f avg60=%.2f avg300=1.10 total=%.0f\n",
		wait * 0.8, wait * 0.6, floor(st->uptime_ms * 12));
	demo_add(t, "/proc/pressure/io:full avg10=%.2f avg60=%.2f avg300=0.80 total=%.0f\n",
		wait * 0.5, wait * 0.4, floor(st->uptime_ms * 8));
	demo_add(t, "/proc/pressure/memory:some avg10=0.00 avg60=0.00 avg300=0.00 total=0\n");
}

void demo_text_governor(struct demo_text *t)
{
	const struct demo_state *st = t->st;

	for (int c = 0; c < st->type->cpus; c++)
		demo_add(t, "/sys/devices/system/cpu/cpu%d/cpufreq/scaling_governor:%s\n", c,
			c < st->governor_cpus ? st->governor : "performance");
	demo_add(t, "/sys/devices/system/cpu/cpu0/cpufreq/scaling_driver:acpi-cpufreq\n");
}

void demo_text_stack(struct demo_text *t)
{
	const struct demo_state *st = t->st;
	const char(*v)[sizeof(st->version[0])] = st->version;

	demo_add(t,
		"#@ efa_installed_packages\n# EFA installer version: %s\n"
		"# Debug packages installed: no\n# Packages installed:\n",
		v[DEMO_EFA_INSTALLER]);
	demo_add(t,
		"efa-config_1.18_all efa-profile_1.7_all libfabric1-aws_%s_amd64 "
		"libnccl-ofi_%s-1_amd64 openmpi40-aws_%s-1_amd64 rdma-core_%s-1_amd64\n",
		v[DEMO_LIBFABRIC], v[DEMO_OFI_NCCL], v[DEMO_OPENMPI], v[DEMO_RDMA_CORE]);
	demo_add(t, "#@ module efa\n%s\n#@ modinfo efa\nversion:        %s\n", v[DEMO_EFA_KMOD],
		v[DEMO_EFA_KMOD]);
	demo_add(t,
		"#@ nvidia\nNVRM version: NVIDIA UNIX Open Kernel Module for x86_64  %s  "
		"Release Build  (dvs-builder@U22-I3-B03-05-2)\n"
		"GCC version:  gcc version 12.3.0 (Ubuntu 12.3.0-1ubuntu1~22.04)\n",
		v[DEMO_DRIVER]);
	demo_add(t,
		"#@ ofi_nccl\n/opt/amazon/ofi-nccl/lib/x86_64-linux-gnu/libnccl-net.so\n"
		"#@ nccl\n/usr/lib/x86_64-linux-gnu/libnccl.so.%s\n",
		v[DEMO_NCCL]);
	demo_add(t,
		"#@ cuda\n/usr/local/cuda -> /usr/local/cuda-%.4s\n"
		"   \"cuda\" : {\n      \"name\" : \"CUDA SDK\",\n      \"version\" : \"%s\"\n   "
		"},\n",
		v[DEMO_CUDA], v[DEMO_CUDA]);
	demo_add(t, "#@ module lustre\n%s\n#@ modules\ngdrdrv\nnvidia_peermem\n",
		v[DEMO_LUSTRE_CLIENT]);
	demo_add(t,
		"#@ packages\nefa 2.17.2-1.amzn1\nlibfabric1-aws %s\nlibnccl-ofi %s-1\n"
		"libnccl2 %s-1+cuda12.8\nnvidia-container-toolkit %s-1\n",
		v[DEMO_LIBFABRIC], v[DEMO_OFI_NCCL], v[DEMO_NCCL], v[DEMO_CONTAINER_TOOLKIT]);
	demo_add(t, "openmpi40-aws %s-1\nrdma-core %s-1\nlustre-client-modules-%s %s-1fsx25\n",
		v[DEMO_OPENMPI], v[DEMO_RDMA_CORE], v[DEMO_KERNEL], v[DEMO_LUSTRE_CLIENT]);
}

void demo_text_shm(struct demo_text *t)
{
	unsigned long long size = t->st->shm_kib;
	unsigned long long used = size / 50;

	if (!size) {
		demo_add(t, "df: /dev/shm: No such file or directory\n");
		t->answer.exit_code = 1;
		return;
	}
	demo_add(t,
		"Filesystem     1024-blocks      Used  Available Capacity Mounted on\n"
		"tmpfs          %11llu %9llu %10llu       2%% /dev/shm\n",
		size, used, size - used);
}

void demo_text_ras(struct demo_text *t)
{
	demo_add(t, "#! not available: ncclras is not on this node\n");
	t->answer.exit_code = 127;
}
