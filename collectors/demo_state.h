/*
 * What is true of one simulated node at one moment. Pure: a function of the
 * scenario, the node, the time since the start and the wall clock at the start.
 */
#ifndef COLLECTORS_DEMO_STATE_H
#define COLLECTORS_DEMO_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collectors/demo_scenario.h"

#define DEMO_GPUS_MAX   16
#define DEMO_EFAS_MAX   32
#define DEMO_LOG_MAX    32
#define DEMO_MOUNTS_MAX 8
#define DEMO_OSTS_MAX   64

/* Bits of the clock event reasons mask, as nvidia-smi prints it. */
#define DEMO_REASON_IDLE       0x1u
#define DEMO_REASON_SW_THERMAL 0x20u
#define DEMO_REASON_HW_THERMAL 0x40u
#define DEMO_REASON_HW_BRAKE   0x80u

/* How long the probe waits for a mount. */
#define DEMO_MOUNT_DEADLINE_MS 3000

struct demo_gpu {
	char uuid[48];
	char bus[20]; /* "0000:53:00.0" */
	double temp_c;
	double temp_mem_c;
	double util_pct;
	double power_w;
	int sm_mhz;
	int width;
	int mem_used_mib;
	uint64_t reasons;
	int ecc_unc_vol;
	int ecc_unc_agg;
	int ecc_cor_vol;
	bool remap_pending;
	bool remap_failure;
	bool lost;
	const char *recovery_action;
	uint32_t links_down; /* bit a link */
	int replay_link;     /* -1: no errors */
	uint64_t replay;
};

struct demo_efa {
	char dev[16]; /* "rdmap16s27" */
	char bus[20];
	int numa;
	bool missing;
	const char *state; /* "4: ACTIVE" */
	const char *phys;
	double train_ms; /* how far the counters have come: as the node's own, */
	double ckpt_ms;  /* or those of the moment when the port went down */
	uint64_t drops;
	uint64_t retrans_pkts;
	uint64_t retrans_timeouts;
	uint64_t unresponsive;
};

struct demo_mount {
	const char *mnt;
	const char *source;
	const char *fstype;
	const char *options;
	const char *drop_option; /* this one is not in force here; NULL none */
	uint64_t size_kib;
	double used_pct;
	uint64_t inodes;
	double inodes_used_pct;
	int answer_ms;
	bool hung;
	bool missing;
};

enum demo_contact {
	DEMO_ANSWERS,
	DEMO_UNREACHABLE, /* no answer to a connection */
	DEMO_SILENT,      /* the session stays up, nothing comes */
	DEMO_DROPS        /* the session is reset, and further ones get no answer */
};

struct demo_state {
	const struct demo_scenario *sc;
	const struct demo_node *node;
	const struct demo_type *type;
	int64_t t_ms;    /* since the start of the demo */
	int64_t wall_ms; /* true time; the node's clock is off by clock_skew_s */
	double clock_skew_s;
	double uptime_ms;
	double train_ms; /* of the uptime: computing */
	double ckpt_ms;  /* of the uptime: writing a checkpoint */
	bool in_ckpt;
	double load; /* of the GPUs now, 0 to 1 */

	enum demo_contact contact;
	double contact_answers; /* with SILENT or DROPS: requests answered before that */
	double latency_ms;      /* of the connection */

	struct demo_gpu gpu[DEMO_GPUS_MAX];
	int gpus;
	bool smi_broken; /* a GPU that is lost fails the whole call */
	double smi_ms;   /* how long nvidia-smi runs */
	struct demo_efa efa[DEMO_EFAS_MAX];
	int efas;
	struct demo_mount mount[DEMO_MOUNTS_MAX];
	int mounts;
	bool mounts_known_hung; /* the probe has met them before */
	double ost_pct[DEMO_OSTS_MAX];
	int osts;
	char governor[24];
	int governor_cpus; /* CPUs with that governor; the others have "performance" */
	double iowait_pct; /* all the time, beside that of checkpoints */
	double iowait_since_ms;
	uint64_t shm_kib; /* 0: not mounted */
	const char *fabric_state;
	char version[DEMO_VERSION_COUNT][64];
	char log[DEMO_LOG_MAX][200]; /* kernel log lines with their "[uptime] " */
	int logs;
};

/* Fills *st for node (an index) at t_ms, faults applied. */
void demo_state_at(struct demo_state *st, const struct demo_scenario *sc, size_t node, int64_t t_ms,
	int64_t start_wall_ms);

/* Parts of the uptime at t_ms that went into training and into checkpoints. */
void demo_state_phase(const struct demo_state *st, int64_t t_ms, double *train_ms, double *ckpt_ms);

/* Repeatable noise in -1 ... 1 for the node: the same salt and step give the same. */
double demo_noise(const struct demo_state *st, uint64_t salt, int64_t step);

/* Adds a kernel log line of the time at_ms since the start of the demo. */
void demo_state_log(struct demo_state *st, int64_t at_ms, const char *fmt, ...) ATTR_PRINTF(3, 4);

#endif
