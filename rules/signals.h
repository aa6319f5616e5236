/*
 * What rules may compare: every value of the readings by its path (schema.h),
 * and the derived signals listed here.
 *
 *   section.field  section.table.field   as in schema.h
 *   <path>.growth    counter: growth between the last two answers
 *   <path>.rate      the same, per second
 *
 * Evaluating a signal on a node gives samples: one a part that has the value.
 * A sample whose value is OPT_UNKNOWN or OPT_ERROR should be known and is not;
 * OPT_UNSUPPORTED means that this part has no such value. Pure.
 */
#ifndef RULES_SIGNALS_H
#define RULES_SIGNALS_H

#include <stdbool.h>
#include <stddef.h>

#include "collectors/schema.h"
#include "collectors/snapshot.h"
#include "rules/facts.h"

/* What a part of a node is called, and whether parts are told apart in findings. */
enum part_kind {
	PART_NODE, /* the whole node */
	PART_GPU,  /* "gpu 3" or, known only by its bus id, "gpu 0000:91:00.0"; folded: "gpu 0-7" */
	PART_DEVICE,  /* a network device; folded */
	PART_TARGET,  /* a Lustre target; folded */
	PART_ROW,     /* any other row, by its first column; folded */
	PART_MOUNT,   /* each mount is a finding of its own */
	PART_CODE,    /* each Xid number is a finding of its own */
	PART_SWITCH,  /* the same for the SXid numbers of an NVSwitch */
	PART_SECTION, /* a section of the probe; folded */
	PART_PAIR     /* of the sweep, not of a node: each pair is a finding of its own */
};

/* Which nodes have the signal at all; others are "not applicable". */
enum need { NEED_NODE, NEED_GPU, NEED_EFA, NEED_NEURON, NEED_LUSTRE };

/* Who a node is compared with by COMPARE_DIFFERS. */
enum peers {
	PEERS_GROUP,    /* instance group, else instance type, else everybody */
	PEERS_IN_GROUP, /* instance group only */
	PEERS_CLUSTER   /* everybody */
};

struct sample {
	struct value value;
	const struct section *section; /* where it was read; NULL the inventory */
	const char *name;              /* of the part; NULL: by index, UINT64_MAX none */
	uint64_t index;
	uint64_t key;       /* what PART_CODE and PART_SWITCH tell findings apart by */
	const void *row;    /* for describe */
	const char *detail; /* the reading's own words; may be NULL. Borrowed. */
	bool minor;         /* worth an INFO at most, whatever the rule says */
	/* PART_PAIR: places in the sweep's set; the same twice: of the sweep as a whole. */
	uint16_t a;
	uint16_t b;
	int64_t mono_ms; /* of what was measured between nodes: when; -1 not known */
};

struct sample_list {
	struct sample *items;
	size_t n;
	size_t cap;
};

struct signal_ctx {
	const struct snapshot *snap;
	const struct node *node;
	const struct node_facts *facts;
	const struct fleet_facts *fleet;
	struct sample_list *out;
	const struct pair_node *pair; /* what the sweep says of the node; NULL nothing */
};

enum change { CHANGE_NONE, CHANGE_GROWTH, CHANGE_RATE };

struct signal {
	char name[80];
	const char *unit;
	const char *help;
	enum field_type type;
	enum part_kind part;
	enum need need;
	enum peers peers;
	void (*derive)(const struct signal_ctx *c); /* NULL: a field of a section */
	/* More words on a sample, only asked when it becomes a finding. May be NULL. */
	void (*describe)(const struct sample *s, char *out, size_t size);
	/* Text that peers are compared by, without what differs by nature. May be NULL. */
	void (*normalize)(const char *text, char *out, size_t size);
	enum section_id section;   /* SECTION_COUNT for derived ones of no single section */
	const struct table *table; /* NULL: a value of the section */
	const struct field *field;
	const struct field *key; /* the column that names a row */
	enum change change;
};

/*
 * D(function, name, type, unit, part, need, peers, section, help). The functions
 * are signal_<function>, in signals_gpu.c, signals_net.c, signals_host.c and, of
 * pairwise bandwidth, signals_pairs.c: these have no samples without a sweep.
 */
#define SIGNALS(D)                                                                                 \
	D(unreachable, "node.unreachable", FLAG, "", NODE, NODE, CLUSTER, COUNT,                   \
		"the node did not answer its newest request")                                      \
	D(instance_type, "node.instance_type", STR, "", NODE, NODE, IN_GROUP, COUNT,               \
		"EC2 instance type, of the inventory or of the host")                              \
	D(az, "node.az", STR, "", NODE, NODE, CLUSTER, COUNT, "availability zone")                 \
	D(leaf, "node.leaf", STR, "", NODE, NODE, GROUP, COUNT,                                    \
		"nearest network layer: the highest-numbered one")                                 \
	D(spine, "node.spine", STR, "", NODE, NODE, GROUP, COUNT,                                  \
		"network layer above the nearest one")                                             \
	D(ultraserver, "node.ultraserver", STR, "", NODE, NODE, GROUP, COUNT, "UltraServer")       \
	D(clock_skew, "node.clock_skew_s", F64, "s", NODE, NODE, CLUSTER, HOST,                    \
		"the node's clock less ours when the answer arrived")                              \
	D(slow_smi, "node.slow_smi_s", F64, "s", NODE, GPU, GROUP, GPU,                            \
		"how long nvidia-smi took")                                                        \
	D(unread, "section.unread", U64, "", SECTION, NODE, GROUP, COUNT,                          \
		"things of a section that could not be read")                                      \
	D(gpu_missing, "gpu.missing", U64, "", NODE, GPU, GROUP, GPU,                              \
		"GPUs that the instance type has and nvidia-smi does not list")                    \
	D(gpu_lost, "gpu.lost_devices", FLAG, "", GPU, GPU, GROUP, COUNT,                          \
		"a GPU is lost from the bus or answers no query")                                  \
	D(gpu_reset, "gpu.reset_required", FLAG, "", GPU, GPU, GROUP, COUNT,                       \
		"the driver asks for a reset of a GPU")                                            \
	D(gpu_smi_failed, "gpu.smi_failed", FLAG, "", NODE, GPU, GROUP, GPU,                       \
		"nvidia-smi printed an error instead of its table")                                \
	D(gpu_field_invalid, "gpu.field_invalid", FLAG, "", NODE, GPU, GROUP, GPU,                 \
		"the driver does not know a column that was asked for")                            \
	D(gpu_unsupported, "gpu.unsupported", U64, "", GPU, GPU, GROUP, GPU,                       \
		"basic values that the driver does not give for a GPU")                            \
	D(gpu_mig, "gpu.mig_on", FLAG, "", GPU, GPU, GROUP, COUNT, "MIG splits the GPU")           \
	D(gpu_hot_clock, "gpu.sm_clock_hot_pct", F64, "%", GPU, GPU, GROUP, GPU,                   \
		"SM clock as a share of its maximum while the GPU is at 80 C or more")             \
	D(gpu_peer_clock, "gpu.sm_clock_vs_peers_pct", F64, "%", GPU, GPU, GROUP, GPU,             \
		"SM clock as a share of the median of loaded GPUs of the same product")            \
	D(gpu_throttle, "gpu.hw_throttle", HEX, "", GPU, GPU, GROUP, GPU,                          \
		"hardware slowdown, thermal and power brake bits; software thermal under load")    \
	D(gpu_width, "gpu.pcie_width_deficit", U64, "lanes", GPU, GPU, GROUP, GPU,                 \
		"PCIe lanes that should be in use and are not")                                    \
	D(gpu_ecc, "gpu.ecc_uncorrected", U64, "", GPU, GPU, GROUP, COUNT,                         \
		"uncorrected ECC errors since the driver loaded, or an Xid that means one")        \
	D(gpu_remap_failure, "gpu.remap_failed", FLAG, "", GPU, GPU, GROUP, COUNT,                 \
		"a memory row could not be remapped")                                              \
	D(gpu_remap_pending, "gpu.remap_waiting", FLAG, "", GPU, GPU, GROUP, GPU,                  \
		"a row remap or page retirement waits for a reset")                                \
	D(nvlink_down, "nvlink.down", U64, "", GPU, GPU, GROUP, COUNT,                             \
		"NVLinks of a GPU that should be up and are not")                                  \
	D(nvlink_errors, "nvlink.errors", U64, "", GPU, GPU, GROUP, NVLINK,                        \
		"NVLink error counters of a GPU since the driver loaded, without FEC and raw "     \
		"ones")                                                                            \
	D(xid, "xid.recent", U64, "", CODE, GPU, GROUP, XID,                                       \
		"Xid numbers in the kernel log of this boot; benign ones are minor")               \
	D(xid_fatal, "xid.fatal_code", U64, "", CODE, GPU, GROUP, XID,                             \
		"Xid numbers whose line says Fatal")                                               \
	D(sxid_fatal, "xid.sxid_fatal_code", U64, "", SWITCH, GPU, GROUP, XID,                     \
		"NVSwitch SXid numbers that are fatal")                                            \
	D(efa_missing, "efa.missing", U64, "", NODE, EFA, GROUP, EFA,                              \
		"EFA devices that the instance type has and that are not there")                   \
	D(efa_not_active, "efa.not_active", FLAG, "", DEVICE, EFA, GROUP, EFA,                     \
		"an EFA port is not ACTIVE")                                                       \
	D(ib_not_active, "efa.other_not_active", FLAG, "", DEVICE, NODE, GROUP, EFA,               \
		"a port of an RDMA device other than EFA is down")                                 \
	D(efa_carrier, "efa.carrier_down", FLAG, "", DEVICE, EFA, GROUP, EFA,                      \
		"the network interface of an EFA device has no carrier")                           \
	D(efa_provider, "efa.provider_missing", FLAG, "", NODE, EFA, GROUP, EFA,                   \
		"EFA devices are there and libfabric does not find its provider")                  \
	D(efa_rx_drops, "efa_counters.rx_drops_rising", U64, "", DEVICE, EFA, GROUP, EFA_COUNTERS, \
		"received packets dropped between the last two answers")                           \
	D(efa_wr_err, "efa_counters.wr_err_rising", U64, "", DEVICE, EFA, GROUP, EFA_COUNTERS,     \
		"RDMA work requests that failed between the last two answers")                     \
	D(efa_unresponsive, "efa_counters.unresponsive_rising", U64, "", DEVICE, EFA, GROUP,       \
		EFA_COUNTERS, "peers that did not answer between the last two answers")            \
	D(efa_impaired, "efa_counters.impaired_rising", U64, "", DEVICE, EFA, GROUP, EFA_COUNTERS, \
		"connections with a low rate between the last two answers")                        \
	D(efa_retrans_pkts, "efa_counters.retrans_pkts_rising", U64, "", DEVICE, EFA, GROUP,       \
		EFA_COUNTERS, "packets sent again between the last two answers")                   \
	D(efa_retrans_bytes, "efa_counters.retrans_bytes_rising", U64, "B", DEVICE, EFA, GROUP,    \
		EFA_COUNTERS, "bytes sent again between the last two answers")                     \
	D(efa_retrans_timeouts, "efa_counters.retrans_timeouts_burst", F64, "", DEVICE, EFA,       \
		GROUP, EFA_COUNTERS,                                                               \
		"retransmission timeouts between the last two answers, less one a second")         \
	D(efa_drops_boot, "efa_counters.rx_drops_since_boot", U64, "", DEVICE, EFA, GROUP,         \
		EFA_COUNTERS, "received packets dropped so far, while only one answer is there")   \
	D(efa_retrans_boot, "efa_counters.retrans_since_boot", U64, "", DEVICE, EFA, GROUP,        \
		EFA_COUNTERS,                                                                      \
		"packets or timeouts of retransmission so far, while only one answer is there")    \
	D(fm_inactive, "fabricmanager.inactive", STR, "", NODE, GPU, GROUP, FABRICMANAGER,         \
		"state of Fabric Manager where the node needs it")                                 \
	D(fabric_unhealthy, "fabricmanager.unhealthy", FLAG, "", GPU, GPU, GROUP, COUNT,           \
		"a GPU is not registered with its NVLink fabric, or the fabric is not healthy")    \
	D(governor, "governor.slow_cpus", U64, "", NODE, NODE, GROUP, GOVERNOR,                    \
		"CPUs whose frequency governor is not performance")                                \
	D(iowait, "cpu.iowait", F64, "%", NODE, NODE, GROUP, CPU,                                  \
		"iowait over the interval between the last two answers")                           \
	D(shared_used, "capacity.shared_used_pct", F64, "%", MOUNT, NODE, GROUP, CAPACITY,         \
		"use of each Lustre and NFS mount")                                                \
	D(local_used, "capacity.local_used_pct", F64, "%", MOUNT, NODE, GROUP, CAPACITY,           \
		"use of each local data volume; the root volume apart")                            \
	D(inodes_used, "capacity.inodes_worst_pct", F64, "%", MOUNT, NODE, GROUP, CAPACITY,        \
		"inodes used of each data mount and of the root volume")                           \
	D(ost_used, "lustre_df.ost_used_pct", F64, "%", TARGET, LUSTRE, GROUP, LUSTRE_DF,          \
		"use of each OST")                                                                 \
	D(mdt_used, "lustre_df.mdt_used_pct", F64, "%", TARGET, LUSTRE, GROUP, LUSTRE_DF,          \
		"use of each MDT")                                                                 \
	D(ost_spread, "lustre_df.ost_spread", F64, "points", MOUNT, LUSTRE, GROUP, LUSTRE_DF,      \
		"fullest less emptiest OST of a filesystem")                                       \
	D(ost_unavailable, "lustre_df.target_silent", FLAG, "", TARGET, LUSTRE, GROUP, LUSTRE_DF,  \
		"a Lustre target gave no answer")                                                  \
	D(noflock, "mounts.lustre_without_flock", FLAG, "", MOUNT, NODE, GROUP, MOUNTS,            \
		"a Lustre mount without the flock option")                                         \
	D(mount_options, "mounts.shared_options", STR, "", MOUNT, NODE, GROUP, MOUNTS,             \
		"options of each Lustre and NFS mount, without addresses")                         \
	D(shm_missing, "shm.missing", FLAG, "", NODE, NODE, GROUP, SHM, "/dev/shm is not mounted") \
	D(shm_size, "shm.size_gib", F64, "GiB", NODE, NODE, GROUP, SHM, "size of /dev/shm")        \
	D(neuron_missing, "neuron.missing", U64, "", NODE, NEURON, GROUP, NEURON,                  \
		"Neuron devices that the instance type has and that are not listed")               \
	D(pairs_deficit, "pairs.node_deficit_pct", F64, "%", NODE, NODE, GROUP, COUNT,             \
		"bandwidth that a node itself takes from its pairs; 0 where nothing is blamed")    \
	D(pairs_untested, "pairs.untested", FLAG, "", NODE, NODE, GROUP, COUNT,                    \
		"measured with no other node")                                                     \
	D(pairs_little, "pairs.little_tested", FLAG, "", NODE, NODE, GROUP, COUNT,                 \
		"measured with too few partners to tell it from them")                             \
	D(pairs_failed_partners, "pairs.failed_partners", U64, "", NODE, NODE, GROUP, COUNT,       \
		"partners with which all runs of a node failed")                                   \
	D(pairs_socket, "pairs.net_socket", FLAG, "", NODE, NODE, GROUP, COUNT,                    \
		"a run's log shows NET/Socket as NCCL's network")                                  \
	D(pairs_ofi_tcp, "pairs.ofi_tcp", FLAG, "", NODE, NODE, GROUP, COUNT,                      \
		"a run's log shows NET/OFI with a TCP provider")                                   \
	D(pairs_no_plugin, "pairs.no_plugin", FLAG, "", NODE, NODE, GROUP, COUNT,                  \
		"a run's log says that NCCL's OFI plugin was not loaded")                          \
	D(pairs_no_provider, "pairs.no_provider", FLAG, "", NODE, NODE, GROUP, COUNT,              \
		"a run's log says that the OFI plugin found no EFA provider")                      \
	D(pairs_no_gdr, "pairs.no_gdr", FLAG, "", NODE, NODE, GROUP, COUNT,                        \
		"a run's log shows traffic without GPUDirect RDMA")                                \
	D(pairs_memlock, "pairs.memlock", FLAG, "", NODE, NODE, GROUP, COUNT,                      \
		"a run's log says that memory could not be registered or locked")                  \
	D(pairs_shm, "pairs.shm_failed", FLAG, "", NODE, NODE, GROUP, COUNT,                       \
		"a run's log says that shared memory could not be made")                           \
	D(pairs_timeout, "pairs.timeout", FLAG, "", NODE, NODE, GROUP, COUNT,                      \
		"a run was ended by a watchdog or a retry limit")                                  \
	D(pairs_link, "pairs.link_deficit_pct", F64, "%", PAIR, NODE, GROUP, COUNT,                \
		"bandwidth that the path between two nodes takes, beyond what the nodes explain")  \
	D(pairs_transient, "pairs.transient_deficit_pct", F64, "%", PAIR, NODE, GROUP, COUNT,      \
		"how far a reading that nothing confirms lies below what was expected")            \
	D(pairs_failed, "pairs.failed", FLAG, "", PAIR, NODE, GROUP, COUNT,                        \
		"a run of a pair failed or was cut off, and neither node explains it")             \
	D(pairs_wrong, "pairs.wrong_values", FLAG, "", PAIR, NODE, GROUP, COUNT,                   \
		"a run computed wrong values")                                                     \
	D(pairs_topology, "pairs.topology_effect_pct", F64, "%", PAIR, NODE, GROUP, COUNT,         \
		"what pairs across AZs, spines, leaves or UltraServers lose by the distance")      \
	D(pairs_types, "pairs.type_effect_pct", F64, "%", PAIR, NODE, GROUP, COUNT,                \
		"how far pairs of different instance types are apart")

#define SIGNAL_PROTO(fn, name, type, unit, part, need, peers, section, help) \
	void signal_##fn(const struct signal_ctx *c);
SIGNALS(SIGNAL_PROTO)
#undef SIGNAL_PROTO

/* Fills *out for a name of SIGNALS or a path. False when there is no such signal. */
bool signal_resolve(const char *name, struct signal *out);

/* The i-th derived signal, or false after the last. For `rules` and documentation. */
bool signal_derived(size_t i, struct signal *out);

enum signal_state {
	SIGNAL_SAMPLED,       /* c->out holds the samples, perhaps none */
	SIGNAL_UNKNOWN,       /* should be known here, but was not read */
	SIGNAL_NOT_APPLICABLE /* the node has no such device */
};

/* Empties c->out and fills it. */
enum signal_state signal_eval(const struct signal *s, const struct signal_ctx *c);

/*
 * Whether s is a plain field that signal_eval would sample on this node, and its
 * rows: so that a look at the values comes before samples are made of them.
 * NULL: ask signal_eval.
 */
const void *signal_plain_rows(const struct signal *s, const struct signal_ctx *c, size_t *n);

/* The value of a plain field in one row, as signal_eval would give it. */
struct value signal_plain_value(const struct signal *s, const void *row);

/* ---- for the functions above ---- */

/* A zeroed sample at the end of the list. */
struct sample *sample_add(const struct signal_ctx *c, const struct section *s);
void sample_u64(const struct signal_ctx *c, const struct section *s, struct opt_u64 v);
void sample_f64(const struct signal_ctx *c, const struct section *s, struct opt_f64 v);
void sample_flag(const struct signal_ctx *c, const struct section *s, struct opt_bool v);
void sample_str(const struct signal_ctx *c, const struct section *s, struct opt_str v);

/* Mount options without the client's and the server's addresses. */
void normalize_options(const char *text, char *out, size_t size);

/* Names the newest sample's part by bus id: by its index where nvidia-smi lists it. */
void sample_name_gpu(const struct signal_ctx *c, const char *bus);

/* Words on one sample; NULL where the signal has none. */
typedef void signal_describe(const struct sample *s, char *out, size_t size);
signal_describe describe_pair_deficit, describe_link, describe_transient, describe_failure,
	describe_topology;
signal_describe describe_width, describe_throttle, describe_efa_row, describe_nvlink, describe_xid,
	describe_unread, describe_missing;

#endif
