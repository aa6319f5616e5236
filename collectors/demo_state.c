#include "collectors/demo_state.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define GIB (1024.0 * 1024.0)
#define TIB (1024.0 * 1024.0 * 1024.0)

/* Salts: one for each thing that has noise of its own. */
enum { SALT_UPTIME = 1, SALT_LATENCY, SALT_DISK, SALT_OST, SALT_GPU = 0x1000, SALT_UUID = 0x2000 };

static uint64_t mix(uint64_t x)
{
	x += 0x9e3779b97f4a7c15u;
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
	return x ^ (x >> 31);
}

static uint64_t hash(const struct demo_state *st, uint64_t salt)
{
	return mix(st->node->key ^ mix(salt));
}

/* 0 ... 1, fixed for the node and salt. */
static double share(const struct demo_state *st, uint64_t salt)
{
	return (double)(hash(st, salt) >> 11) / 9007199254740992.0;
}

double demo_noise(const struct demo_state *st, uint64_t salt, int64_t step)
{
	return share(st, mix(salt) ^ mix((uint64_t)step + 77)) * 2 - 1;
}

void demo_state_log(struct demo_state *st, int64_t at_ms, const char *fmt, ...)
{
	double at_s = (st->uptime_ms - (double)(st->t_ms - at_ms)) / 1000.0;
	va_list ap;

	if (st->logs >= DEMO_LOG_MAX)
		return;
	char *line = st->log[st->logs++];
	int n = snprintf(line, sizeof(st->log[0]), "[%12.6f] ", at_s > 0 ? at_s : 0);

	va_start(ap, fmt);
	vsnprintf(line + n, sizeof(st->log[0]) - (size_t)n, fmt, ap);
	va_end(ap);
}

/* How long the node was up when the demo started. */
static double boot_ms(const struct demo_state *st)
{
	return 86400e3 * (4 + 17 * share(st, SALT_UPTIME));
}

/*
 * Training goes on since boot in periods that end with a checkpoint; the period
 * is in step on all nodes, a quarter of one has passed when the demo starts.
 */
void demo_state_phase(const struct demo_state *st, int64_t t_ms, double *train_ms, double *ckpt_ms)
{
	const double period = st->sc->period_s * 1000;
	const double ckpt = st->sc->checkpoint_s * 1000;
	double ran = floor(boot_ms(st) / period) * period + period / 4 + (double)t_ms;
	double whole = floor(ran / period);
	double rest = ran - whole * period;

	*train_ms = whole * (period - ckpt) + fmin(rest, period - ckpt);
	*ckpt_ms = ran - *train_ms;
}

static void set_time(struct demo_state *st, int64_t t_ms, int64_t start_wall_ms)
{
	const double period = st->sc->period_s * 1000;
	double rest = fmod(period / 4 + (double)t_ms, period);

	st->t_ms = t_ms;
	st->wall_ms = start_wall_ms + t_ms;
	st->uptime_ms = boot_ms(st) + (double)t_ms;
	st->in_ckpt = rest >= period - st->sc->checkpoint_s * 1000;
	st->load = st->sc->load * (st->in_ckpt ? 0.08 : 1);
	demo_state_phase(st, t_ms, &st->train_ms, &st->ckpt_ms);
}

/* p4d and p5 order: each PCIe switch has one GPU (p4d: two) and its share of the EFA devices. */
static void set_buses(struct demo_state *st, int i, int is_gpu, unsigned *bus, unsigned *slot)
{
	static const unsigned p4d_bus[] = {0x10, 0x20, 0x90, 0xa0};
	int per_gpu = st->efas >= st->gpus ? st->efas / st->gpus : 1;

	if (st->efas < st->gpus) {
		*bus = p4d_bus[(is_gpu ? i / 2 : i) & 3];
		*slot = is_gpu ? 0x1c + (unsigned)(i & 1) : 0x1b;
		return;
	}
	*bus = is_gpu ? 0x53 + 17 * (unsigned)i
		      : 0x4f + 17 * (unsigned)(i / per_gpu) + (unsigned)(i % per_gpu);
	*slot = 0;
}

static void set_gpu(struct demo_state *st, int i)
{
	struct demo_gpu *g = &st->gpu[i];
	const struct demo_type *type = st->type;
	uint64_t salt = SALT_GPU + (uint64_t)i * 16;
	int64_t step = st->t_ms / 2000;
	double load = st->load;
	unsigned bus;
	unsigned slot;
	uint64_t a = hash(st, SALT_UUID + (uint64_t)i);
	uint64_t b = mix(a);

	set_buses(st, i, 1, &bus, &slot);
	snprintf(g->bus, sizeof(g->bus), "0000:%02x:%02x.0", bus & 255, slot & 255);
	snprintf(g->uuid, sizeof(g->uuid), "GPU-%08x-%04x-%04x-%04x-%012llx", (unsigned)(a >> 32),
		(unsigned)(a >> 16) & 0xffff, (unsigned)a & 0xffff, (unsigned)(b >> 48),
		(unsigned long long)(b & 0xffffffffffffu));
	g->temp_c = 33 + load * (28.5 + 9 * share(st, salt)) + demo_noise(st, salt + 1, step);
	g->temp_mem_c = g->temp_c + 5 + 3 * share(st, salt + 2);
	g->util_pct = load > 0 ? fmin(100, load * 98 + 2 * demo_noise(st, salt + 3, step)) : 0;
	g->power_w = type->power_limit_w * (0.11 + load * (0.82 + 0.03 * share(st, salt + 4))) +
		     type->power_limit_w * 0.015 * load * demo_noise(st, salt + 5, step);
	g->sm_mhz = load > 0 ? type->sm_max_mhz -
				       15 * (int)(1.99 + 1.99 * demo_noise(st, salt + 6, step))
			     : 345;
	g->mem_used_mib =
		load > 0 ? (int)(type->gpu_mem_mib * (0.86 + 0.05 * share(st, salt + 7))) : 0;
	g->reasons = load > 0 ? 0 : DEMO_REASON_IDLE;
	g->width = 16;
	g->recovery_action = "None";
	g->replay_link = -1;
}

static void set_efa(struct demo_state *st, int i)
{
	struct demo_efa *d = &st->efa[i];
	unsigned bus;
	unsigned slot;

	set_buses(st, i, 0, &bus, &slot);
	snprintf(d->bus, sizeof(d->bus), "0000:%02x:%02x.0", bus & 255, slot & 255);
	snprintf(d->dev, sizeof(d->dev), "rdmap%us%u", bus & 255, slot & 255);
	d->numa = i >= st->efas / 2;
	d->state = "4: ACTIVE";
	d->phys = "5: LinkUp";
	d->train_ms = st->train_ms;
	d->ckpt_ms = st->ckpt_ms;
}

static const struct demo_mount mounts[] = {
	{"/", "/dev/root", "ext4", "rw,relatime,discard,errors=remount-ro", NULL,
		(uint64_t)(96.75 * GIB), 46, 12902400, 4, 1, false, false},
	{"/opt/sagemaker", "/dev/nvme1n1", "xfs",
		"rw,relatime,attr2,inode64,logbufs=8,logbsize=32k,noquota", NULL,
		(uint64_t)(499.76 * GIB), 11, 262144000, 1, 1, false, false},
	{"/opt/dlami/nvme", "/dev/mapper/vg.01-lv_ephemeral", "ext4", "rw,noatime,stripe=256", NULL,
		(uint64_t)(27.62 * TIB), 23, 930676736, 1, 1, false, false},
	{"/home", "fs-0a1b2c3d4e5f60718.fsx.us-west-2.amazonaws.com:/fsx", "nfs4",
		"rw,noatime,vers=4.2,rsize=1048576,wsize=1048576,namlen=255,hard,proto=tcp,"
		"nconnect=16,"
		"timeo=600,retrans=2,sec=sys,clientaddr=%s,local_lock=none,addr=10.1.8.41",
		NULL, (uint64_t)(2.0 * TIB), 38, 4294967296u, 2, 2, false, false},
	{"/fsx", "10.1.8.20@tcp:/x4k7dbev", "lustre",
		"rw,noatime,checksum,flock,user_xattr,lruresize,lazystatfs,nouser_fid2path,verbose,"
		"encrypt",
		NULL, 0, 0, 4026531840u, 6, 3, false, false},
};

static void set_disks(struct demo_state *st)
{
	double grown = (st->train_ms + st->ckpt_ms) / (st->sc->period_s * 1000);

	st->mounts = (int)ARRAY_LEN(mounts);
	memcpy(st->mount, mounts, sizeof(mounts));
	for (int i = 0; i < st->mounts; i++) {
		struct demo_mount *m = &st->mount[i];

		m->inodes_used_pct = 1 + 3 * share(st, SALT_DISK + 32 + (uint64_t)i);
		if (strcmp(m->fstype, "lustre") == 0) {
			m->size_kib = (uint64_t)(st->sc->lustre_tib * TIB);
			m->used_pct = st->sc->lustre_used_pct;
		} else if (strcmp(m->fstype, "nfs4") != 0) {
			m->used_pct +=
				6 * share(st, SALT_DISK + (uint64_t)i) + 0.002 * fmod(grown, 100);
		}
	}
	st->osts = st->sc->osts;
	for (int i = 0; i < st->osts; i++)
		/* the same for every node: these are the servers' */
		st->ost_pct[i] = st->sc->lustre_used_pct +
				 4 * ((double)(mix(st->sc->seed + SALT_OST + (uint64_t)i) >> 11) /
						     9007199254740992.0 -
					     0.5);
	st->shm_kib = (uint64_t)st->type->mem_gib * 1024 * 1024 / 2;
}

void demo_state_at(struct demo_state *st, const struct demo_scenario *sc, size_t node, int64_t t_ms,
	int64_t start_wall_ms)
{
	memset(st, 0, sizeof(*st));
	st->sc = sc;
	st->node = &sc->nodes[node];
	st->type = st->node->group->type;
	st->gpus = st->type->gpus;
	st->efas = st->type->efas;
	set_time(st, t_ms, start_wall_ms);
	st->latency_ms = 5 + 295 * pow(share(st, SALT_LATENCY), 3);
	st->smi_ms = 190 + 60 * demo_noise(st, 0x51, t_ms / 1000);
	for (int i = 0; i < st->gpus; i++)
		set_gpu(st, i);
	for (int i = 0; i < st->efas; i++)
		set_efa(st, i);
	set_disks(st);
	snprintf(st->governor, sizeof(st->governor), "performance");
	st->governor_cpus = st->type->cpus;
	st->fabric_state = "active";
	for (size_t i = 0; i < DEMO_VERSION_COUNT; i++)
		snprintf(st->version[i], sizeof(st->version[i]), "%s", sc->versions[i]);
	for (size_t i = sc->first_fault[node]; i < sc->first_fault[node + 1]; i++)
		demo_fault_apply(&sc->faults[i], st);
}
