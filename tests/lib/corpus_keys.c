/*
 * What each expected value of a sample stands for: the field that it is compared with,
 * or the comparison that it needs.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/lib/corpus_checks.h"

#define SMI  "nvidia-smi-query"
#define GPUS "gpu.gpu"

/* Without a function: the value is compared with the field at the path. */
static const struct rule {
	const char *command;
	const char *key; /* '#' stands for a number */
	const char *arg;
	corpus_check_fn *fn;
} rules[] = {
	{SMI, "gpus", "gpu.gpus", NULL},
	{SMI, "idx#", GPUS, corpus_check_index},
	{SMI, "bus", GPUS, corpus_check_bus},
	{SMI, "temp_c", "gpu.gpu.temp_c", NULL},
	{SMI, "power_w", "gpu.gpu.power_w", NULL},
	{SMI, "power_limit_w", "gpu.gpu.power_limit_w", NULL},
	{SMI, "mem_total_mib", "gpu.gpu.mem_total_mib", NULL},
	{SMI, "persistence", "gpu.gpu.persistence", NULL},
	{SMI, "gen", "gpu.gpu.gen", NULL},
	{SMI, "gen_max", "gpu.gpu.gen_max", NULL},
	{SMI, "hostmax", "gpu.gpu.gen_hostmax", NULL},
	{SMI, "retired_pending", "gpu.gpu.retired_pending", NULL},
	{SMI, "recovery_action", "gpu.gpu.recovery_action", NULL},
	{SMI, "fabric_state", "gpu.gpu.fabric_state", NULL},
	{SMI, "missing_index", GPUS, corpus_check_missing_index},
	{SMI, "failed_bus", "gpu.failed_bus", NULL},
	{SMI, "error", "gpu.error", NULL},
	{SMI, "bad_field", "gpu.bad_field", NULL},
	{SMI, "gpus_complete", GPUS, corpus_check_whole_rows},
	{SMI, "partial_rows", "gpu.partial_rows", NULL},
	{SMI, "columns", "gpu.columns", NULL},
	{SMI, "driver", "gpu.driver", NULL},

	{"nvlink-s", "gpus", "nvlink.gpus", NULL},
	{"nvlink-s", "links", "nvlink.links", NULL},
	{"nvlink-s", "links_each", "nvlink.gpu.links", NULL},
	{"nvlink-s", "inactive", "nvlink.inactive", NULL},
	{"nvlink-s", "inactive_links", "nvlink.gpu.inactive_links", NULL},
	{"nvlink-s", "rate", "nvlink.gpu.rate_gb_s", NULL},
	{"nvlink-s", "all_inactive", "nvlink.gpu.all_inactive", NULL},
	{"nvlink-s", "supported", "nvlink.gpu.supported", NULL},
	{"nvlink-s", "idx#_links", "nvlink.gpu.links", corpus_check_index_field},
	{"nvlink-s", "idx#_all_inactive", "nvlink.gpu.all_inactive", corpus_check_index_field},
	{"nvlink-e", "gpus", "nvlink.gpus", NULL},
	{"nvlink-e", "links", "nvlink.gpu.links_with_counters", NULL},
	{"nvlink-e", "links_seen", "nvlink.gpu.links_with_counters", NULL},
	{"nvlink-e", "replay", "nvlink.replay", NULL},
	{"nvlink-e", "recovery", "nvlink.recovery", NULL},
	{"nvlink-e", "crc", "nvlink.crc", NULL},
	{"nvlink-e", "gpu#", "nvlink.errors", corpus_check_link_errors},
	{"nvlink-e", "rx_errors", "nvlink.gpu.rx_errors", NULL},
	{"nvlink-e", "recovery_failed", "nvlink.gpu.recovery_failed", NULL},
	{"nvlink-e", "symbol_errors", "nvlink.gpu.symbol_errors", NULL},

	{"topo-m", "gpus", "gpu_topo.gpus", NULL},
	{"topo-m", "nics", "gpu_topo.nics", NULL},
	{"topo-m", "rows_seen", "gpu_topo.rows_seen", NULL},
	{"topo-m", "nvlink_pairs", "gpu_topo.nvlink_pairs", NULL},
	{"topo-m", "cpu_affinity", "gpu_topo.gpu.cpu_affinity", NULL},
	{"topo-m", "numa", "gpu_topo.gpu.numa", NULL},
	{"topo-m", "nic_map", "gpu_topo.nic", corpus_check_nic_map},
	{"topo-m", "gpu#", "gpu_topo.gpu.peers", corpus_check_index_field},
	{"topo-m", "gpu#_nv", "gpu_topo.gpu.nv_peers", corpus_check_index_field},
	{"topo-m", "lost_gpu", "gpu_topo.lost_gpus", corpus_check_lost_gpu},
	{"topo-m", "nvlinks_each", "gpu_topo.gpu.nv_links", corpus_check_links_each},
	{"topo-m", "nearest", "gpu_topo.gpu.nearest_nic", corpus_check_nearest},

	{"dmesg", "xid", "xid.xid", corpus_check_objects},
	{"dmesg", "sxid", "xid.sxid", corpus_check_objects},
	{"dmesg", "sxid_events", "xid.sxid_events", NULL},
	{"dmesg", "sxid_lines", "xid.sxid_lines", NULL},
	{"dmesg", "sxid_fatal", "xid.sxid_fatal", NULL},
	{"dmesg", "data_lines", "xid.sxid_data_lines", NULL},
	{"dmesg", "nccl_segfault", "xid.nccl_segfault_pid", corpus_check_segfault},
	{"dmesg", "peermem_invalid_context", "xid.peermem_invalid_context", NULL},
	{"dmesg", "prio", "xid.kmsg_prio", NULL},
	{"dmesg", "seq", "xid.kmsg_seq", NULL},
	{"dmesg", "usec", "xid.kmsg_usec", NULL},

	{"efa-sysfs", "dev", "efa.device.dev", NULL},
	{"efa-sysfs", "is_efa", "efa.device.is_efa", NULL},
	{"efa-sysfs", "rate_gbps", "efa.device.rate_gbps", NULL},
	{"efa-sysfs", "state", "efa.device.state", NULL},
	{"efa-sysfs", "state_num", "efa.device.state_num", NULL},
	{"efa-sysfs", "phys", "efa.device.phys", NULL},
	{"efa-sysfs", "phys_state_num", "efa.device.phys_num", NULL},
	{"efa-sysfs", "efa", "efa.efa_devices", NULL},
	{"efa-sysfs", "counters", "efa_counters.device.counters", NULL},
	{"efa-sysfs", "lifespan_ms", "efa_counters.device.lifespan_ms", NULL},
	{"efa-sysfs", "rx_drops", "efa_counters.device.rx_drops", NULL},
	{"efa-sysfs", "retrans_timeout_events", "efa_counters.device.retrans_timeout_events", NULL},
	{"efa-sysfs", "unresponsive_remote_events",
		"efa_counters.device.unresponsive_remote_events", NULL},
	{"efa-sysfs", "impaired_remote_conn_events",
		"efa_counters.device.impaired_remote_conn_events", NULL},
	{"efa-sysfs", "rdma_read_wr_err", "efa_counters.device.rdma_read_wr_err", NULL},
	{"efa-sysfs", "rdma_write_wr_err", "efa_counters.device.rdma_write_wr_err", NULL},
	{"fi_info", "efa_devices", "efa.provider_devices", NULL},
	{"fi_info", "efa_devices_per_rank", "efa.provider_devices", NULL},
	{"fi_info", "entries", "efa.provider_entries", NULL},
	{"fi_info", "version", "efa.provider_version", NULL},
	{"fi_info", "libfabric", "efa.libfabric", NULL},
	{"fi_info", "errno", "efa.provider_errno", NULL},
	{"efa-packages", "installer", "stack.efa_installer", NULL},
	{"efa-packages", "libfabric", "stack.libfabric", NULL},
	{"efa-packages", "efa", "stack.efa_package", NULL},
	{"efa-packages", "openmpi", "stack.openmpi", NULL},
	{"modinfo-efa", "version", "stack.efa_kmod_file", NULL},
	{"modinfo-efa", "numeric", "stack.efa_kmod_file", corpus_check_version},
	{"modinfo-efa", "gdr_suffix", "stack.efa_kmod_gdr", NULL},

	{"fabricmanager", "state", "fabricmanager.state", NULL},
	{"smi-q-fabric", "state", "fabricmanager.gpu.state", NULL},
	{"smi-q-fabric", "status", "fabricmanager.gpu.status", NULL},
	{"smi-q-fabric", "clique", "fabricmanager.gpu.clique", NULL},
	{"smi-q-fabric", "cluster_zero", "fabricmanager.gpu.cluster_zero", NULL},
	{"smi-q-fabric", "summary", "fabricmanager.gpu.summary", NULL},
	{"smi-q-fabric", "bandwidth", "fabricmanager.gpu.bandwidth", NULL},
	{"smi-q-fabric", "route_unhealthy", "fabricmanager.gpu.route_unhealthy", NULL},
	{"smi-q-fabric", "gpu", "fabricmanager.gpu.gpu", NULL},
	{"smi-q-fabric", "mem_used_mib", "fabricmanager.gpu.mem_used_mib", NULL},
	{"smi-q-fabric", "util_pct", "fabricmanager.gpu.util_pct", NULL},
	{"smi-q-fabric", "temp_c", "fabricmanager.gpu.temp_c", NULL},

	{"df", "rows", "rows", corpus_check_df_rows},
	{"df", "root", "/", corpus_check_df},
	{"df", "home", "/home", corpus_check_df},
	{"df", "fsx", "/fsx", corpus_check_df},
	{"df", "errors", "capacity.mount", corpus_check_df_errors},
	{"df", "boot_mib", "/boot", corpus_check_boot_mib},
	{"df", "proc_pct", "/proc", corpus_check_mount_pct},
	{"df", "wrapped", "capacity.mount", corpus_check_listed},
	{"df", "shm_listed_twice", "/dev/shm", corpus_check_shm_twice},
	{"lfs-df", "mdts", "lustre_df.mdts", NULL},
	{"lfs-df", "osts", "lustre_df.osts", NULL},
	{"lfs-df", "osts_listed", "lustre_df.osts", NULL},
	{"lfs-df", "max_ost_pct", "lustre_df.max_ost_pct", NULL},
	{"lfs-df", "summary_pct", "lustre_df.summary_pct", NULL},
	{"lfs-df", "pct", "lustre_df.summary_pct", NULL},
	{"lfs-df", "size", "lustre_df.summary_size_kib", corpus_check_size},
	{"lfs-df", "unavailable", "lustre_df.unavailable", NULL},
	{"mount", "lustre", "mounts.lustre", corpus_check_mounts},
	{"mount", "nfs", "mounts.nfs", corpus_check_mounts},

	{"iostat", "reports", "cpu.reports", NULL},
	{"iostat", "use", "use", corpus_check_reports},
	{"iostat", "first_is_since_boot", "first", corpus_check_reports},
	{"iostat", "user", "cpu.user_pct", NULL},
	{"iostat", "nice", "cpu.nice_pct", NULL},
	{"iostat", "system", "cpu.system_pct", NULL},
	{"iostat", "iowait", "cpu.iowait_pct", NULL},
	{"iostat", "steal", "cpu.steal_pct", NULL},
	{"iostat", "idle", "cpu.idle_pct", NULL},
	{"iostat", "cpus", "cpu.cpus", NULL},
	{"iostat", "available", "cpu", corpus_check_available},
	{"proc-stat", "cpus", "cpu.cpus", NULL},
	{"proc-stat", "cpu", "cpu", corpus_check_ticks},
	{"proc-stat", "btime", "cpu.btime", NULL},
	{"proc-stat", "procs_running", "cpu.procs_running", NULL},
	{"proc-stat", "procs_blocked", "cpu.procs_blocked", NULL},
	{"meminfo", "total_kb", "host.mem_total_kib", NULL},
	{"meminfo", "available_kb", "host.mem_available_kib", NULL},
	{"meminfo", "free_kb", "host.mem_free_kib", NULL},
	{"meminfo", "cached_kb", "host.mem_cached_kib", NULL},
	{"meminfo", "shmem_kb", "host.mem_shmem_kib", NULL},
	{"meminfo", "hugepages", "host.hugepages_total", NULL},
	{"shm", "kb", "shm.size_kib", NULL},
	{"shm", "used", "shm.used_kib", NULL},
	{"cpufreq", "governor", "governor.governor", NULL},
	{"lctl", "read_samples", "client_io.mount.read_samples", NULL},
	{"lctl", "read_bytes", "client_io.mount.read_bytes", NULL},
	{"lctl", "write_samples", "client_io.mount.write_samples", NULL},
	{"lctl", "write_bytes", "client_io.mount.write_bytes", NULL},
	{"lctl", "open", "client_io.mount.open", NULL},
	{"lctl", "close", "client_io.mount.close", NULL},
	{"lctl", "target", "client_io.import.target", NULL},
	{"lctl", "state", "client_io.import.state", NULL},
	{"lctl", "timeouts", "client_io.import.timeouts", NULL},
	{"lctl", "inflight", "client_io.import.inflight", NULL},
	{"lctl", "connection_attempts", "client_io.import.connection_attempts", NULL},
	{"lctl", "avg_waittime_usec", "client_io.import.avg_waittime_usec", NULL},

	{"neuron-ls", "type", "neuron.type", NULL},
	{"neuron-ls", "lnc", "neuron.lnc", NULL},
	{"neuron-ls", "devices", "neuron.devices", NULL},
	{"neuron-ls", "devices_seen", "neuron.device", corpus_check_row_count},
	{"neuron-ls", "cores_each", "neuron.device.cores", NULL},
	{"neuron-ls", "mem_gb", "neuron.device.mem_gb", NULL},
	{"neuron-ls", "dev#", "neuron.device", corpus_check_index},
	{"neuron-ls", "summary_complete", "neuron.complete", NULL},
	{"neuron-ls", "connected", "neuron.device.connected", NULL},
	{"neuron-ls", "pids", "neuron.device.pids", NULL},
	{"neuron-monitor", "devices", "neuron.devices", NULL},
	{"neuron-monitor", "cores_per_device", "neuron.cores_per_device", NULL},
	{"neuron-monitor", "runtimes", "neuron.runtimes", NULL},
	{"neuron-monitor", "util_pct", "neuron.util_pct", NULL},
};

/* "idx3_links" against "idx#_links"; *n gets 3. */
static bool key_matches(const char *pattern, const char *key, unsigned *n)
{
	const char *hash = strchr(pattern, '#');
	char *end;

	if (!hash)
		return strcmp(pattern, key) == 0;
	size_t head = (size_t)(hash - pattern);

	if (strncmp(pattern, key, head) != 0 || key[head] < '0' || key[head] > '9')
		return false;
	*n = (unsigned)strtoul(key + head, &end, 10);
	return strcmp(end, hash + 1) == 0;
}

enum corpus_result corpus_check(struct corpus_entry *e, const char *key, const cJSON *want)
{
	unsigned n = 0;

	for (size_t i = 0; i < ARRAY_LEN(rules); i++) {
		const struct rule *r = &rules[i];

		if (strcmp(r->command, e->command) != 0 || !key_matches(r->key, key, &n))
			continue;
		bool same = r->fn ? r->fn(e, r->arg, n, want) : corpus_same_path(e, r->arg, want);

		return same ? CORPUS_SAME : CORPUS_DIFFERS;
	}
	corpus_differs(e, "no rule for \"%s\" of %s", key, e->command);
	return CORPUS_NOT_UNDERSTOOD;
}
