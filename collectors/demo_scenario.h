/*
 * A simulated cluster, described as data.
 *
 * A scenario is a JSON object, embedded from collectors/scenarios/ or read from
 * a file. All keys but "groups" are optional; an unknown key is an error that
 * names file and key.
 *
 *   {
 *     "name": "first-light",          what --demo=NAME takes
 *     "title": "...",                 one line for people
 *     "seed": 7,                      other noise, other ids
 *     "job": {
 *       "period_s": 240,              a training period, checkpoint included
 *       "checkpoint_s": 20,           its last part: GPUs wait, the disks work
 *       "load": 1.0,                  0: idle GPUs, 1: full load
 *       "iowait_pct": 9               iowait during a checkpoint
 *     },
 *     "filesystems": {
 *       "lustre_tib": 96, "lustre_used_pct": 61, "osts": 16
 *     },
 *     "versions": {"efa_installer": "1.42.0", ...},  names of stack_reading's fields
 *     "groups": [{
 *       "name": "workers-a",          instance group
 *       "nodes": 16,
 *       "instance_type": "p5.48xlarge",
 *       "first_ip": "10.1.2.17",      addresses count up from it, the last part in 1..250
 *       "az": "usw2-az2", "az_name": "us-west-2b",
 *       "spine": "nn-...", "leaf": "nn-...", "ultraserver": "us-...",
 *       "nodes_per_leaf": 0           above 0: a new leaf (suffix -1, -2 ...) every so many
 *     }],
 *     "faults": [{
 *       "kind": "hot_gpu",            see demo_fault.c for the kinds and their keys
 *       "node": "ip-10-1-2-19",       a name, a number from 0, or "all"
 *       "nodes": [3, 4],              instead of node
 *       "start_s": 0, "end_s": 600,   seconds since the start of the demo; without: always
 *       ...the kind's own keys
 *     }],
 *     "sweep": {                      pairs are measured while one looks; without: none
 *       "start_s": 2, "round_s": 2,   the first round begins, each takes so long
 *       "rounds": 0, "passes": 1,     rounds of a pass (0: every pair once), passes
 *       "file_a_round": false,        the runs of a round in one file, not one each
 *       "busbw_gbps": 470,            of healthy nodes at the largest size
 *       "noise_pct": 0.6,             standard deviation of a reading
 *       "cross": "spine", "cross_pct": 12,  pairs across az, spine or leaf lose so much
 *       "effects": [
 *         {"kind": "slow_node", "node": "ip-10-1-2-19", "pct": 18},
 *         {"kind": "slow_link", "a": 3, "b": 9, "pct": 25},
 *         {"kind": "transient", "a": 1, "b": 2, "pct": 40},  in the first pass
 *         {"kind": "fails", "a": 4, "b": 5},   an NCCL error, in the first pass
 *         {"kind": "cut", "a": 6, "b": 7},     the file ends in a row, in the first pass
 *         {"kind": "absent", "node": 8}        takes no part
 *       ]
 *     }
 *   }
 *
 * Immutable once read; may be shared by threads.
 */
#ifndef COLLECTORS_DEMO_SCENARIO_H
#define COLLECTORS_DEMO_SCENARIO_H

#include <stddef.h>
#include <stdint.h>

#include "collectors/demo_fault.h"
#include "collectors/demo_plan.h"
#include "collectors/err.h"

/* Most nodes of a scenario: larger ones are a slip of the pen. */
#define DEMO_NODES_MAX 4096

/* What an instance type has. Counts: node-formats of the public EC2 instance pages. */
struct demo_type {
	const char *name; /* "p5.48xlarge" */
	const char *gpu_name;
	int gpus;
	int efas;
	int cpus;
	int mem_gib;
	int gpu_mem_mib;
	int sm_max_mhz;
	int power_limit_w;
	int pcie_gen;
	int nvlinks;
	const char *nvlink_rate; /* as nvidia-smi prints it */
	int efa_gbps;
	const char *efa_lanes;
};

struct demo_group {
	char name[64];
	const struct demo_type *type;
	char az[32]; /* zone id, the same for every account */
	char az_name[32];
	char spine[48];
	char leaf[40];
	char ultraserver[48];
	int nodes_per_leaf;
	size_t n;
};

struct demo_node {
	char name[32]; /* "ip-10-1-2-17" */
	char ip[16];
	char instance_id[20]; /* "i-0..." */
	char leaf[56];
	const struct demo_group *group;
	uint64_t key; /* seeds the node's own noise */
};

/* Names of versions, in the order of struct demo_scenario's versions[]. */
enum demo_version {
	DEMO_EFA_INSTALLER,
	DEMO_EFA_KMOD,
	DEMO_LIBFABRIC,
	DEMO_OFI_NCCL,
	DEMO_NCCL,
	DEMO_OPENMPI,
	DEMO_RDMA_CORE,
	DEMO_DRIVER,
	DEMO_CUDA,
	DEMO_CONTAINER_TOOLKIT,
	DEMO_LUSTRE_CLIENT,
	DEMO_KERNEL,
	DEMO_VERSION_COUNT
};

extern const char *const demo_version_names[DEMO_VERSION_COUNT];

struct demo_scenario {
	char name[64];
	char title[128];
	uint64_t seed;
	double period_s;
	double checkpoint_s;
	double load;
	double iowait_pct;
	double lustre_tib;
	double lustre_used_pct;
	int osts;
	char versions[DEMO_VERSION_COUNT][40];
	struct demo_group *groups;
	size_t ngroups;
	struct demo_node *nodes;
	size_t n;
	struct demo_fault *faults; /* one a node, in the order of nodes */
	size_t nfaults;
	size_t *first_fault; /* n + 1 positions: a node's faults are [first, next first) */
	struct demo_plan sweep;
};

/* The i-th embedded scenario: its name, or NULL after the last. The first is the default. */
const char *demo_scenario_name(size_t i);
const char *demo_scenario_title(size_t i);

/*
 * Reads a scenario: name of an embedded one, NULL for the default, or the path
 * of a JSON file (anything with a "/" or ending in ".json"). ERR_USAGE,
 * ERR_PARSE or ERR_IO with the file and the key named.
 */
enum err_code demo_scenario_load(
	struct demo_scenario **out, const char *name_or_path, struct err *e) ATTR_MUST_CHECK;

/* The same from text; name stands for the file in errors. */
enum err_code demo_scenario_parse(struct demo_scenario **out, const char *name, const char *text,
	size_t len, struct err *e) ATTR_MUST_CHECK;

void demo_scenario_free(struct demo_scenario *sc); /* NULL is allowed */

/* Index of a node by name or instance id; SIZE_MAX when there is none. */
size_t demo_scenario_node(const struct demo_scenario *sc, const char *name);

/* Instance types that the simulation knows; NULL when name is none of them. */
const struct demo_type *demo_type_find(const char *name);

#endif
