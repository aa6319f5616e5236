/*
 * Everything that one probe can say, section by section.
 *
 * Each list below is the single definition of its fields:
 *   F(type, name, unit, help)   type: u64 i64 f64 flag str hex
 * Every field is optional (opt.h). Names and units are those of the JSON.
 * Lists in one value are comma-separated strings without blanks.
 *
 * A section has values (X_FIELDS) and up to two tables (X_ROW_FIELDS).
 * To add a field: add it to its list and set it in parse_<section>.c.
 * To add a section: a list here, a line in SECTIONS (section.h), a parser, and
 * a function in probe.sh.
 */
#ifndef COLLECTORS_READING_H
#define COLLECTORS_READING_H

#include <stddef.h>

#include "collectors/opt.h"

#define READING_TYPE_u64  struct opt_u64
#define READING_TYPE_i64  struct opt_i64
#define READING_TYPE_f64  struct opt_f64
#define READING_TYPE_flag struct opt_bool
#define READING_TYPE_str  struct opt_str
#define READING_TYPE_hex  struct opt_u64
#define READING_MEMBER(type, name, unit, help) READING_TYPE_##type name;

/* ---- host: who the node says it is ---- */
#define HOST_FIELDS(F)                                                                             \
	F(str, hostname, "", "host name")                                                          \
	F(str, kernel, "", "kernel release")                                                       \
	F(str, os, "", "operating system")                                                         \
	F(str, arch, "", "machine architecture")                                                   \
	F(f64, uptime_s, "s", "time since boot")                                                   \
	F(f64, now_unix_s, "s", "the node's clock when read (Unix time)")                          \
	F(f64, clock_offset_s, "s", "clock offset that chrony reports")                            \
	F(str, instance_type, "", "EC2 instance type, without the ml. prefix")                     \
	F(str, instance_id, "", "EC2 instance id")                                                 \
	F(str, instance_group, "", "HyperPod instance group")                                      \
	F(str, az, "", "availability zone")                                                        \
	F(str, az_id, "", "availability zone id")                                                  \
	F(str, region, "", "AWS region")                                                           \
	F(u64, cpus, "", "logical CPUs")                                                           \
	F(str, cpu_model, "", "CPU model")                                                         \
	F(u64, mem_total_kib, "KiB", "memory")                                                     \
	F(u64, mem_available_kib, "KiB", "memory available; absent on kernels before 3.14")        \
	F(u64, mem_free_kib, "KiB", "memory free")                                                 \
	F(u64, mem_cached_kib, "KiB", "page cache, which includes shared memory")                  \
	F(u64, mem_shmem_kib, "KiB", "shared memory")                                              \
	F(u64, hugepages_total, "", "huge pages reserved")                                         \
	F(f64, load1, "", "1-minute load average")                                                 \
	F(u64, procs_running, "", "runnable tasks")                                                \
	F(str, memlock, "KiB", "locked-memory limit of this session")                              \
	F(u64, oom_kills, "", "processes killed by the OOM killer since boot")

struct host_reading {
	HOST_FIELDS(READING_MEMBER)
};

/* ---- gpu: nvidia-smi --query-gpu ---- */
#define GPU_FIELDS(F)                                                                              \
	F(u64, gpus, "", "GPUs listed")                                                            \
	F(str, driver, "", "NVIDIA driver version")                                                \
	F(str, error, "", "what nvidia-smi said instead of a table")                               \
	F(str, failed_bus, "", "bus id of the GPU that failed the call")                           \
	F(str, bad_field, "", "column that this driver does not know")                             \
	F(u64, lost, "", "GPUs that are lost or answer no query")                                  \
	F(u64, partial_rows, "", "rows cut off in the middle")                                     \
	F(u64, columns, "", "columns in the header")

#define GPU_ROW_FIELDS(F)                                                                          \
	F(u64, index, "", "index in nvidia-smi order")                                             \
	F(str, uuid, "", "GPU UUID")                                                               \
	F(str, name, "", "product name")                                                           \
	F(str, bus, "", "PCI bus id")                                                              \
	F(str, serial, "", "board serial number")                                                  \
	F(str, health, "", "ok, lost, reset_required or error")                                    \
	F(str, persistence, "", "persistence mode")                                                \
	F(str, mig, "", "MIG mode")                                                                \
	F(str, pstate, "", "performance state")                                                    \
	F(u64, gen, "", "PCIe generation now; drops at idle")                                      \
	F(u64, gen_max, "", "PCIe generation that GPU and system allow")                           \
	F(u64, gen_hostmax, "", "PCIe generation that the slot allows; may exceed gen_max")        \
	F(u64, width, "lanes", "PCIe width now")                                                   \
	F(u64, width_max, "lanes", "PCIe width that GPU and system allow")                         \
	F(f64, temp_c, "C", "GPU temperature")                                                     \
	F(f64, temp_mem_c, "C", "memory temperature")                                              \
	F(f64, util_pct, "%", "share of time that some kernel ran")                                \
	F(u64, mem_used_mib, "MiB", "memory used")                                                 \
	F(u64, mem_total_mib, "MiB", "memory")                                                     \
	F(f64, power_w, "W", "power draw")                                                         \
	F(f64, power_limit_w, "W", "power limit in force")                                         \
	F(u64, sm_mhz, "MHz", "SM clock now")                                                      \
	F(u64, sm_max_mhz, "MHz", "highest SM clock")                                              \
	F(hex, reasons, "", "clock event (throttle) reasons, bit mask")                            \
	F(str, reasons_active, "", "clock event reasons by name")                                  \
	F(u64, ecc_unc_vol, "", "uncorrected ECC errors since the driver loaded")                  \
	F(u64, ecc_unc_agg, "", "uncorrected ECC errors in the board's life")                      \
	F(u64, ecc_cor_vol, "", "corrected ECC errors since the driver loaded")                    \
	F(flag, remap_pending, "", "a row remap waits for a GPU reset")                            \
	F(flag, remap_failure, "", "a row could not be remapped")                                  \
	F(flag, retired_pending, "", "a page retirement waits for a reboot")                       \
	F(str, recovery_action, "", "what the driver asks for: None, Reset, Reboot, Drain ...")    \
	F(str, fabric_state, "", "NVLink fabric registration")                                     \
	F(str, fabric_status, "", "result of the fabric registration")

struct gpu_row {
	GPU_ROW_FIELDS(READING_MEMBER)
};
struct gpu_reading {
	GPU_FIELDS(READING_MEMBER)
	struct gpu_row *gpu;
	size_t gpu_n;
};

/* ---- gpu_topo: nvidia-smi topo -m ---- */
#define GPU_TOPO_FIELDS(F)                                                                         \
	F(u64, gpus, "", "GPU columns of the matrix")                                              \
	F(u64, rows_seen, "", "GPU rows printed")                                                  \
	F(u64, nics, "", "NIC columns of the matrix")                                              \
	F(u64, nvlink_pairs, "", "pairs of GPUs joined by NVLink")                                 \
	F(str, lost_gpus, "", "GPUs without NVLink to any peer while others have it")

#define GPU_TOPO_ROW_FIELDS(F)                                                                     \
	F(u64, index, "", "GPU index")                                                             \
	F(str, peers, "", "link to each GPU in order: X, NV18, NODE, SYS ...")                     \
	F(u64, nv_peers, "", "peers reached by NVLink")                                            \
	F(u64, nv_links, "", "NVLinks to all peers")                                               \
	F(str, nics, "", "link to each NIC in order")                                              \
	F(str, nearest_nic, "", "NIC with the shortest path")                                      \
	F(str, cpu_affinity, "", "CPUs near the GPU")                                              \
	F(str, numa, "", "NUMA node near the GPU")

#define GPU_TOPO_NIC_FIELDS(F)                                                                     \
	F(str, name, "", "column name")                                                            \
	F(str, device, "", "RDMA device")

struct gpu_topo_row {
	GPU_TOPO_ROW_FIELDS(READING_MEMBER)
};
struct gpu_topo_nic {
	GPU_TOPO_NIC_FIELDS(READING_MEMBER)
};
struct gpu_topo_reading {
	GPU_TOPO_FIELDS(READING_MEMBER)
	struct gpu_topo_row *gpu;
	size_t gpu_n;
	struct gpu_topo_nic *nic;
	size_t nic_n;
};

/* ---- nvlink: nvidia-smi nvlink -s and -e ---- */
#define NVLINK_FIELDS(F)                                                                           \
	F(u64, gpus, "", "GPUs listed")                                                            \
	F(u64, links, "", "links listed over all GPUs")                                            \
	F(u64, inactive, "", "links that are inactive over all GPUs")                              \
	F(u64, hard_errors, "", "sum of the hard-error counters over all links")                   \
	F(u64, replay, "", "replay errors over all links (NVLink up to 4)")                        \
	F(u64, recovery, "", "recovery errors over all links (NVLink up to 4)")                    \
	F(u64, crc, "", "CRC errors over all links (NVLink up to 4)")                              \
	F(str, error, "", "what nvidia-smi said instead of links")

#define NVLINK_ROW_FIELDS(F)                                                                       \
	F(u64, index, "", "GPU index")                                                             \
	F(str, name, "", "product name")                                                           \
	F(str, uuid, "", "GPU UUID")                                                               \
	F(flag, supported, "", "the GPU has NVLink")                                               \
	F(flag, mig, "", "MIG mode hides the links")                                               \
	F(u64, links, "", "links listed")                                                          \
	F(u64, active, "", "links that are up")                                                    \
	F(u64, inactive, "", "links that are inactive")                                            \
	F(str, inactive_links, "", "which links are inactive")                                     \
	F(flag, all_inactive, "", "the driver says that every link is inactive")                   \
	F(f64, rate_gb_s, "GB/s", "speed of one link, one way (slowest active)")                   \
	F(u64, hard_errors, "", "sum of the hard-error counters")                                  \
	F(u64, replay, "", "replay errors")                                                        \
	F(u64, recovery, "", "recovery errors")                                                    \
	F(u64, crc, "", "CRC errors")                                                              \
	F(u64, rx_errors, "", "receive errors (NVLink 5)")                                         \
	F(u64, symbol_errors, "", "symbol errors (NVLink 5)")                                      \
	F(u64, effective_errors, "", "errors left after FEC (NVLink 5)")                           \
	F(u64, recovery_failed, "", "failed link recoveries (NVLink 5)")                           \
	F(u64, links_with_counters, "", "links whose error counters were listed")                  \
	F(flag, saturated, "", "a counter stands at its 16-bit end")

/* Counters above zero that mean trouble; FEC and raw counters are healthy traffic. */
#define NVLINK_ERROR_FIELDS(F)                                                                     \
	F(u64, gpu, "", "GPU index")                                                               \
	F(u64, link, "", "link number")                                                            \
	F(str, counter, "", "counter as printed")                                                  \
	F(u64, value, "", "its value since the driver loaded")                                     \
	F(flag, hard, "", "any value above 0 is a fault")

struct nvlink_row {
	NVLINK_ROW_FIELDS(READING_MEMBER)
};
struct nvlink_error {
	NVLINK_ERROR_FIELDS(READING_MEMBER)
};
struct nvlink_reading {
	NVLINK_FIELDS(READING_MEMBER)
	struct nvlink_row *gpu;
	size_t gpu_n;
	struct nvlink_error *errors;
	size_t errors_n;
};

/* ---- xid: kernel log lines of the NVIDIA driver and NVSwitch ---- */
#define XID_FIELDS(F)                                                                              \
	F(flag, readable, "", "the kernel log could be read")                                      \
	F(u64, events, "", "Xid lines after folding repeats")                                      \
	F(u64, sxid_events, "", "NVSwitch SXid events")                                            \
	F(u64, sxid_lines, "", "NVSwitch SXid lines, with their Severity and Data lines")          \
	F(u64, sxid_fatal, "", "NVSwitch SXid events that are fatal")                              \
	F(u64, sxid_data_lines, "", "SXid Data lines")                                             \
	F(str, off_bus, "", "bus ids that have fallen off the bus")                                \
	F(u64, peermem_invalid_context, "", "peermem messages of a job's end (benign)")            \
	F(i64, nccl_segfault_pid, "", "process that crashed in libnccl")                           \
	F(f64, now_s, "s", "the node's uptime when the log was read")                              \
	F(f64, now_unix_s, "s", "the node's clock when the log was read")                          \
	F(u64, kmsg_prio, "", "priority of the last /dev/kmsg record")                             \
	F(u64, kmsg_seq, "", "sequence number of the last /dev/kmsg record")                       \
	F(u64, kmsg_usec, "us", "time since boot of the last /dev/kmsg record")

#define XID_ROW_FIELDS(F)                                                                          \
	F(u64, code, "", "Xid number")                                                             \
	F(str, bdf, "", "PCI address")                                                             \
	F(u64, gpu_instance, "", "MIG GPU instance")                                               \
	F(i64, pid, "", "process")                                                                 \
	F(str, name, "", "process name")                                                           \
	F(str, text, "", "message")                                                                \
	F(str, time, "", "time of the line; local unless it ends in Z")                            \
	F(f64, time_unix_s, "s", "time as Unix time, where the line tells it")                     \
	F(f64, uptime_s, "s", "time since boot, where the line tells it")                          \
	F(f64, age_s, "s", "how long before the reading, where it can be known")                   \
	F(flag, fatal, "", "the text says Fatal or Nonfatal")                                      \
	F(i64, link, "", "NVLink number; -1 where the text says none")                             \
	F(u64, caused_by, "", "Xid that this one follows")                                         \
	F(u64, action_from, "", "recovery action before (Xid 154)")                                \
	F(u64, action_to, "", "recovery action now (Xid 154)")                                     \
	F(str, action, "", "recovery action now, in words (Xid 154)")                              \
	F(flag, latest, "", "no later Xid 154 changed this GPU's recovery action (Xid 154)")       \
	F(u64, count, "", "lines folded into this one: same GPU, code, process and text in a minute")

#define XID_SXID_FIELDS(F)                                                                         \
	F(u64, code, "", "SXid number")                                                            \
	F(str, bdf, "", "PCI address of the switch")                                               \
	F(u64, switch_index, "", "NVSwitch number")                                                \
	F(flag, fatal, "", "fatal")                                                                \
	F(i64, link, "", "NVSwitch link")                                                          \
	F(str, text, "", "message")                                                                \
	F(f64, age_s, "s", "how long before the reading, where it can be known")

struct xid_row {
	XID_ROW_FIELDS(READING_MEMBER)
};
struct xid_sxid {
	XID_SXID_FIELDS(READING_MEMBER)
};
struct xid_reading {
	XID_FIELDS(READING_MEMBER)
	struct xid_row *xid;
	size_t xid_n;
	struct xid_sxid *sxid;
	size_t sxid_n;
};

/* ---- efa: RDMA devices and the libfabric provider ---- */
#define EFA_FIELDS(F)                                                                              \
	F(u64, efa_devices, "", "devices bound to the efa driver")                                 \
	F(u64, devices, "", "RDMA devices of any kind")                                            \
	F(u64, active, "", "EFA ports that are ACTIVE")                                            \
	F(u64, pci_efa, "", "EFA functions on the PCI bus, bound or not")                          \
	F(flag, provider_ok, "", "fi_info -p efa found the provider")                              \
	F(u64, provider_devices, "", "NICs that fi_info lists")                                    \
	F(u64, provider_entries, "", "entries that fi_info lists")                                 \
	F(str, provider_version, "", "provider version as printed")                                \
	F(str, libfabric, "", "libfabric version that the provider version means")                 \
	F(u64, provider_errno, "", "error number of fi_info; 61 means none found")                 \
	F(str, error, "", "why nothing is listed")

#define EFA_ROW_FIELDS(F)                                                                          \
	F(str, dev, "", "RDMA device")                                                             \
	F(flag, is_efa, "", "bound to the efa driver")                                             \
	F(str, driver, "", "kernel driver")                                                        \
	F(str, state, "", "port state; the efa driver always says ACTIVE")                         \
	F(u64, state_num, "", "port state number")                                                 \
	F(str, phys, "", "physical state")                                                         \
	F(u64, phys_num, "", "physical state number")                                              \
	F(f64, rate_gbps, "Gb/s", "link rate")                                                     \
	F(str, link_layer, "", "InfiniBand, Ethernet or Unspecified")                              \
	F(str, netdev, "", "network interface")                                                    \
	F(str, operstate, "", "state of the network interface")                                    \
	F(flag, carrier, "", "carrier of the network interface")                                   \
	F(i64, numa, "", "NUMA node")                                                              \
	F(str, pci, "", "PCI address")

struct efa_row {
	EFA_ROW_FIELDS(READING_MEMBER)
};
struct efa_reading {
	EFA_FIELDS(READING_MEMBER)
	struct efa_row *device;
	size_t device_n;
};

/* ---- efa_counters: hw_counters of every EFA port ---- */
#define EFA_COUNTER_NAMES(F)                                                                       \
	F(u64, tx_bytes, "B", "bytes sent")                                                        \
	F(u64, rx_bytes, "B", "bytes received")                                                    \
	F(u64, tx_pkts, "", "packets sent")                                                        \
	F(u64, rx_pkts, "", "packets received")                                                    \
	F(u64, rx_drops, "", "received packets dropped")                                           \
	F(u64, send_bytes, "B", "bytes of send operations")                                        \
	F(u64, recv_bytes, "B", "bytes of receive operations")                                     \
	F(u64, send_wrs, "", "send work requests")                                                 \
	F(u64, recv_wrs, "", "receive work requests")                                              \
	F(u64, rdma_read_wrs, "", "RDMA read work requests")                                       \
	F(u64, rdma_read_bytes, "B", "RDMA read bytes")                                            \
	F(u64, rdma_read_wr_err, "", "RDMA read work requests that failed")                        \
	F(u64, rdma_read_resp_bytes, "B", "RDMA read bytes answered")                              \
	F(u64, rdma_write_wrs, "", "RDMA write work requests")                                     \
	F(u64, rdma_write_bytes, "B", "RDMA write bytes")                                          \
	F(u64, rdma_write_wr_err, "", "RDMA write work requests that failed")                      \
	F(u64, rdma_write_recv_bytes, "B", "RDMA write bytes received")                            \
	F(u64, retrans_bytes, "B", "bytes sent again")                                             \
	F(u64, retrans_pkts, "", "packets sent again")                                             \
	F(u64, retrans_timeout_events, "", "retransmission timeouts that changed the path")        \
	F(u64, unresponsive_remote_events, "", "peers that did not answer")                        \
	F(u64, impaired_remote_conn_events, "", "connections with a low rate")

#define EFA_COUNTERS_FIELDS(F)                                                                     \
	F(u64, devices, "", "devices with counters")                                               \
	F(u64, counters, "", "counters read over all devices")                                     \
	EFA_COUNTER_NAMES(F)

#define EFA_COUNTERS_ROW_FIELDS(F)                                                                 \
	F(str, dev, "", "RDMA device")                                                             \
	F(u64, counters, "", "counters read")                                                      \
	F(u64, keep_alive_rcvd, "", "keep-alive messages from the device")                         \
	F(u64, lifespan_ms, "ms", "how long the driver caches counters (not a counter)")           \
	EFA_COUNTER_NAMES(F)

struct efa_counters_row {
	EFA_COUNTERS_ROW_FIELDS(READING_MEMBER)
};
/* The section's own counters are sums over its devices; unknown if any device lacks one. */
struct efa_counters_reading {
	EFA_COUNTERS_FIELDS(READING_MEMBER)
	struct efa_counters_row *device;
	size_t device_n;
};

/* ---- stack: versions of what NCCL runs on, on the host ---- */
#define STACK_FIELDS(F)                                                                            \
	F(str, efa_installer, "", "EFA installer")                                                 \
	F(str, efa_kmod, "", "efa kernel module that is loaded")                                   \
	F(str, efa_kmod_file, "", "efa kernel module on disk")                                     \
	F(str, efa_kmod_numeric, "", "efa kernel module (loaded, else on disk) without suffix")    \
	F(flag, efa_kmod_gdr, "", "module built with GPUDirect (suffix g)")                        \
	F(str, efa_package, "", "efa package")                                                     \
	F(str, libfabric, "", "libfabric")                                                         \
	F(str, ofi_nccl, "", "aws-ofi-nccl")                                                       \
	F(str, nccl, "", "NCCL")                                                                   \
	F(str, openmpi, "", "Open MPI")                                                            \
	F(str, rdma_core, "", "rdma-core")                                                         \
	F(str, nvidia_driver, "", "NVIDIA driver")                                                 \
	F(str, cuda, "", "CUDA toolkit")                                                           \
	F(str, container_toolkit, "", "nvidia-container-toolkit")                                  \
	F(str, lustre_client, "", "Lustre client module")                                          \
	F(str, neuron_driver, "", "Neuron driver")                                                 \
	F(flag, gdrdrv, "", "gdrdrv module loaded")                                                \
	F(flag, peermem, "", "nvidia-peermem module loaded")

struct stack_reading {
	STACK_FIELDS(READING_MEMBER)
};

/* ---- governor: CPU frequency policy ---- */
#define GOVERNOR_FIELDS(F)                                                                         \
	F(u64, cpus, "", "CPUs that expose a governor; 0 is normal on many EC2 types")             \
	F(str, governor, "", "governor of all CPUs, or of most")                                   \
	F(str, governors, "", "every governor in use")                                             \
	F(u64, not_performance, "", "CPUs whose governor is not performance")                      \
	F(str, driver, "", "scaling driver")

struct governor_reading {
	GOVERNOR_FIELDS(READING_MEMBER)
};

/* ---- fabricmanager: the service, and each GPU's fabric state ---- */
#define FABRICMANAGER_FIELDS(F)                                                                    \
	F(str, state, "", "systemctl is-active")                                                   \
	F(str, load_state, "", "whether the unit exists")                                          \
	F(str, error, "", "why it is not known")

#define FABRICMANAGER_ROW_FIELDS(F)                                                                \
	F(u64, index, "", "GPU index")                                                             \
	F(str, gpu, "", "PCI bus id")                                                              \
	F(str, state, "", "fabric registration")                                                   \
	F(str, status, "", "its result, meaningful when Completed")                                \
	F(u64, clique, "", "clique id")                                                            \
	F(str, cluster_uuid, "", "NVLink domain")                                                  \
	F(flag, cluster_zero, "", "the NVLink domain is all zeroes")                               \
	F(str, summary, "", "health summary")                                                      \
	F(str, bandwidth, "", "bandwidth state")                                                   \
	F(flag, route_unhealthy, "", "a route is unhealthy")                                       \
	F(str, health, "", "lost when the GPU answers no query")                                   \
	F(u64, mem_used_mib, "MiB", "memory used")                                                 \
	F(f64, util_pct, "%", "utilization")                                                       \
	F(f64, temp_c, "C", "temperature")

struct fabricmanager_row {
	FABRICMANAGER_ROW_FIELDS(READING_MEMBER)
};
struct fabricmanager_reading {
	FABRICMANAGER_FIELDS(READING_MEMBER)
	struct fabricmanager_row *gpu;
	size_t gpu_n;
};

/* ---- cpu: /proc/stat, and pressure ---- */
#define CPU_FIELDS(F)                                                                              \
	F(u64, cpus, "", "CPUs")                                                                   \
	F(u64, user_ticks, "", "time in user mode since boot, 1/100 s")                            \
	F(u64, nice_ticks, "", "time in nice user mode since boot")                                \
	F(u64, system_ticks, "", "time in the kernel since boot")                                  \
	F(u64, idle_ticks, "", "idle time since boot")                                             \
	F(u64, iowait_ticks, "", "idle time with I/O outstanding since boot")                      \
	F(u64, irq_ticks, "", "time in interrupts since boot")                                     \
	F(u64, softirq_ticks, "", "time in soft interrupts since boot")                            \
	F(u64, steal_ticks, "", "time taken by the hypervisor since boot")                         \
	F(f64, user_pct, "%", "user mode in the interval")                                         \
	F(f64, nice_pct, "%", "nice user mode in the interval")                                    \
	F(f64, system_pct, "%", "kernel in the interval")                                          \
	F(f64, iowait_pct, "%", "idle with I/O outstanding in the interval")                       \
	F(f64, steal_pct, "%", "taken by the hypervisor in the interval")                          \
	F(f64, idle_pct, "%", "idle in the interval")                                              \
	F(f64, iowait_boot_pct, "%", "idle with I/O outstanding since boot")                       \
	F(u64, reports, "", "reports in iostat's output")                                          \
	F(u64, btime, "s", "boot time (Unix time)")                                                \
	F(u64, procs_running, "", "runnable tasks")                                                \
	F(u64, procs_blocked, "", "tasks blocked on I/O")                                          \
	F(f64, psi_cpu_some10, "%", "time that some task waited for a CPU, last 10 s")             \
	F(f64, psi_io_some10, "%", "time that some task waited for I/O, last 10 s")                \
	F(f64, psi_io_full10, "%", "time that all tasks waited for I/O, last 10 s")                \
	F(f64, psi_mem_some10, "%", "time that some task waited for memory, last 10 s")            \
	F(str, error, "", "why nothing was read")

struct cpu_reading {
	CPU_FIELDS(READING_MEMBER)
};

/* ---- mounts: /proc/self/mounts ---- */
#define MOUNTS_FIELDS(F)                                                                           \
	F(u64, lustre, "", "Lustre mounts")                                                        \
	F(u64, nfs, "", "NFS mounts")                                                              \
	F(u64, mounts, "", "mounts listed")

#define MOUNTS_ROW_FIELDS(F)                                                                       \
	F(str, mount, "", "mount point")                                                           \
	F(str, source, "", "what is mounted")                                                      \
	F(str, fstype, "", "filesystem type")                                                      \
	F(str, options, "", "options as printed")                                                  \
	F(str, fsname, "", "Lustre filesystem name")                                               \
	F(str, nid, "", "Lustre MGS address")                                                      \
	F(str, server, "", "NFS server")                                                           \
	F(str, vers, "", "NFS version")                                                            \
	F(u64, rsize, "B", "NFS read size")                                                        \
	F(u64, wsize, "B", "NFS write size")                                                       \
	F(u64, nconnect, "", "NFS connections")                                                    \
	F(flag, hard, "", "NFS hard mount")                                                        \
	F(flag, flock, "", "Lustre: flock is on")                                                  \
	F(str, atime, "", "noatime, relatime or strictatime")                                      \
	F(flag, read_only, "", "mounted read-only")

struct mounts_row {
	MOUNTS_ROW_FIELDS(READING_MEMBER)
};
struct mounts_reading {
	MOUNTS_FIELDS(READING_MEMBER)
	struct mounts_row *mount;
	size_t mount_n;
};

/* ---- capacity: statfs of each mount under a deadline ---- */
#define CAPACITY_FIELDS(F)                                                                         \
	F(u64, mounts, "", "mounts asked")                                                         \
	F(u64, hung, "", "mounts that did not answer in time")                                     \
	F(u64, failed, "", "mounts that answered with an error")                                   \
	F(f64, root_used_pct, "%", "use of the root volume")                                       \
	F(f64, worst_used_pct, "%", "highest use of any mount")

#define CAPACITY_ROW_FIELDS(F)                                                                     \
	F(str, mount, "", "mount point")                                                           \
	F(str, source, "", "what is mounted")                                                      \
	F(str, fstype, "", "filesystem type")                                                      \
	F(str, state, "", "ok, hung, stale, disconnected or error")                                \
	F(str, error, "", "the error")                                                             \
	F(u64, size_kib, "KiB", "size")                                                            \
	F(u64, used_kib, "KiB", "used")                                                            \
	F(u64, avail_kib, "KiB", "available to users")                                             \
	F(f64, used_pct, "%", "used of used plus available")                                       \
	F(u64, inodes, "", "inodes")                                                               \
	F(u64, inodes_free, "", "inodes free")                                                     \
	F(f64, inodes_used_pct, "%", "inodes used")                                                \
	F(f64, answer_ms, "ms", "time to answer")

struct capacity_row {
	CAPACITY_ROW_FIELDS(READING_MEMBER)
};
struct capacity_reading {
	CAPACITY_FIELDS(READING_MEMBER)
	struct capacity_row *mount;
	size_t mount_n;
};

/* ---- lustre_df: targets of each Lustre filesystem ---- */
#define LUSTRE_DF_FIELDS(F)                                                                        \
	F(u64, mdts, "", "MDTs listed")                                                            \
	F(u64, osts, "", "OSTs listed")                                                            \
	F(str, unavailable, "", "targets that gave no answer")                                     \
	F(u64, unavailable_n, "", "targets that gave no answer, counted")                          \
	F(f64, max_ost_pct, "%", "fullest OST")                                                    \
	F(f64, min_ost_pct, "%", "emptiest OST")                                                   \
	F(f64, ost_spread_pct, "%", "fullest less emptiest OST")                                   \
	F(f64, max_mdt_pct, "%", "fullest MDT")                                                    \
	F(f64, summary_size_kib, "KiB", "size of the summary line, which hides dead OSTs")         \
	F(f64, summary_pct, "%", "use of the summary line, which hides uneven OSTs")               \
	F(flag, complete, "", "the summary line was printed")                                      \
	F(u64, skipped, "", "mounts not asked because they do not answer")

#define LUSTRE_DF_ROW_FIELDS(F)                                                                    \
	F(str, target, "", "target name")                                                          \
	F(str, kind, "", "MDT or OST")                                                             \
	F(u64, index, "", "target index")                                                          \
	F(str, mount, "", "mount point")                                                           \
	F(flag, available, "", "the target answered")                                              \
	F(str, error, "", "what it answered instead")                                              \
	F(f64, size_kib, "KiB", "size")                                                            \
	F(f64, used_kib, "KiB", "used")                                                            \
	F(f64, avail_kib, "KiB", "available")                                                      \
	F(f64, used_pct, "%", "use as printed")

struct lustre_df_row {
	LUSTRE_DF_ROW_FIELDS(READING_MEMBER)
};
struct lustre_df_reading {
	LUSTRE_DF_FIELDS(READING_MEMBER)
	struct lustre_df_row *target;
	size_t target_n;
};

/* ---- client_io: what the filesystem clients count ---- */
#define CLIENT_IO_FIELDS(F)                                                                        \
	F(u64, read_bytes, "B", "bytes read over all mounts")                                      \
	F(u64, write_bytes, "B", "bytes written over all mounts")                                  \
	F(u64, metadata_ops, "", "metadata operations over all mounts")                            \
	F(u64, imports_bad, "", "Lustre targets whose import is neither FULL nor IDLE")            \
	F(u64, nfs_retrans, "", "NFS retransmissions")

#define CLIENT_IO_ROW_FIELDS(F)                                                                    \
	F(str, fs, "", "filesystem instance or mount point")                                       \
	F(str, kind, "", "lustre or nfs")                                                          \
	F(u64, read_samples, "", "reads")                                                          \
	F(u64, read_bytes, "B", "bytes read")                                                      \
	F(u64, write_samples, "", "writes")                                                        \
	F(u64, write_bytes, "B", "bytes written")                                                  \
	F(u64, open, "", "opens")                                                                  \
	F(u64, close, "", "closes")                                                                \
	F(u64, getattr, "", "attribute reads")                                                     \
	F(u64, metadata_ops, "", "metadata operations")                                            \
	F(f64, read_rtt_ms, "ms", "mean round trip of NFS reads since mount")                      \
	F(f64, write_rtt_ms, "ms", "mean round trip of NFS writes since mount")                    \
	F(u64, retrans, "", "NFS retransmissions")

#define CLIENT_IO_IMPORT_FIELDS(F)                                                                 \
	F(str, target, "", "target")                                                               \
	F(str, state, "", "import state; FULL and IDLE are good")                                  \
	F(u64, timeouts, "", "request timeouts")                                                   \
	F(u64, inflight, "", "requests in flight")                                                 \
	F(u64, connection_attempts, "", "connections tried")                                       \
	F(u64, avg_waittime_usec, "us", "mean wait of a request")

struct client_io_row {
	CLIENT_IO_ROW_FIELDS(READING_MEMBER)
};
struct client_io_import {
	CLIENT_IO_IMPORT_FIELDS(READING_MEMBER)
};
struct client_io_reading {
	CLIENT_IO_FIELDS(READING_MEMBER)
	struct client_io_row *mount;
	size_t mount_n;
	struct client_io_import *import;
	size_t import_n;
};

/* ---- shm: /dev/shm on the host ---- */
#define SHM_FIELDS(F)                                                                              \
	F(flag, present, "", "/dev/shm is mounted")                                                \
	F(u64, size_kib, "KiB", "size")                                                            \
	F(u64, used_kib, "KiB", "used")                                                            \
	F(f64, used_pct, "%", "used")                                                              \
	F(str, error, "", "why it is not known")

struct shm_reading {
	SHM_FIELDS(READING_MEMBER)
};

/* ---- ras: NCCL's own status of the jobs on the node (ncclras) ---- */
#define RAS_FIELDS(F)                                                                              \
	F(flag, listening, "", "a job with the NCCL RAS service runs")                             \
	F(str, nccl_version, "", "NCCL of the job")                                                \
	F(u64, nodes, "", "nodes of the job")                                                      \
	F(u64, processes, "", "processes of the job")                                              \
	F(u64, gpus, "", "GPUs of the job")                                                        \
	F(u64, communicators, "", "communicator groups")                                           \
	F(u64, errors, "", "errors listed")                                                        \
	F(u64, warnings, "", "warnings listed")                                                    \
	F(u64, missing_ranks, "", "ranks that do not answer")                                      \
	F(str, status, "", "worst status of a communicator group")                                 \
	F(str, error, "", "first error or warning line")

struct ras_reading {
	RAS_FIELDS(READING_MEMBER)
};

/* ---- neuron: Trainium devices (neuron-ls, neuron-monitor) ---- */
#define NEURON_FIELDS(F)                                                                           \
	F(u64, devices, "", "Neuron devices")                                                      \
	F(u64, cores_per_device, "", "NeuronCores of each device")                                 \
	F(str, type, "", "instance type or device type")                                           \
	F(str, instance_id, "", "instance id")                                                     \
	F(u64, lnc, "", "logical NeuronCore configuration")                                        \
	F(u64, mem_gb, "GB", "memory of each device")                                              \
	F(u64, runtimes, "", "runtimes attached")                                                  \
	F(f64, util_pct, "%", "mean NeuronCore utilization; unknown without a runtime")            \
	F(flag, complete, "", "the table or object was whole")                                     \
	F(str, error, "", "why nothing is listed")

#define NEURON_ROW_FIELDS(F)                                                                       \
	F(u64, index, "", "device index")                                                          \
	F(u64, cores, "", "NeuronCores")                                                           \
	F(u64, mem_gb, "GB", "memory")                                                             \
	F(str, connected, "", "devices linked to it")                                              \
	F(str, bdf, "", "PCI address")                                                             \
	F(i64, numa, "", "NUMA node")                                                              \
	F(str, pids, "", "processes that use it")

struct neuron_row {
	NEURON_ROW_FIELDS(READING_MEMBER)
};
struct neuron_reading {
	NEURON_FIELDS(READING_MEMBER)
	struct neuron_row *device;
	size_t device_n;
};

#endif
