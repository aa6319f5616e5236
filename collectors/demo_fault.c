#include "collectors/demo_fault.h"

#include <stdio.h>
#include <string.h>

#include "collectors/demo_state.h"

/* A key of the file: a number within limits, or a text (max is then its size). */
struct fault_key {
	const char *name;
	size_t offset;
	double min;
	double max;
	bool text;
};

#define NUM(member, lo, hi)                                                 \
	{                                                                   \
#member, offsetof(struct demo_fault, member), lo, hi, false \
	}
#define TEXT(member)                                                           \
	{                                                                      \
#member, offsetof(struct demo_fault, member), 0,               \
			(double)sizeof(((struct demo_fault *)0)->member), true \
	}

#define GPU_KEY    NUM(gpu, 0, DEMO_GPUS_MAX - 1)
#define DEVICE_KEY NUM(device, 0, DEMO_EFAS_MAX - 1)

struct demo_fault_kind {
	const char *name;
	const char *what;
	struct fault_key keys[6]; /* name NULL ends */
	struct demo_fault defaults;
	void (*apply)(const struct demo_fault *f, struct demo_state *st);
};

static struct demo_gpu *gpu_of(const struct demo_fault *f, struct demo_state *st)
{
	return &st->gpu[(int)f->gpu];
}

static struct demo_mount *mount_of(const struct demo_fault *f, struct demo_state *st)
{
	for (int i = 0; i < st->mounts; i++)
		if (strcmp(st->mount[i].mnt, f->item) == 0)
			return &st->mount[i];
	return NULL;
}

/* Seconds that the fault has been in force. */
static double age_s(const struct demo_fault *f, const struct demo_state *st)
{
	return (double)(st->t_ms - f->start_ms) / 1000.0;
}

/* ---- GPUs ---- */

static void hot_gpu(const struct demo_fault *f, struct demo_state *st)
{
	struct demo_gpu *g = gpu_of(f, st);

	g->temp_c = f->temp_c + demo_noise(st, 0x41, st->t_ms / 4000);
	g->temp_mem_c = g->temp_c + 6;
	g->sm_mhz = (int)f->mhz + 15 * (int)(2 * demo_noise(st, 0x42, st->t_ms / 4000));
	g->power_w *= 0.68;
	g->reasons |= DEMO_REASON_SW_THERMAL;
}

static void slow_gpu(const struct demo_fault *f, struct demo_state *st)
{
	gpu_of(f, st)->sm_mhz = (int)f->mhz;
	gpu_of(f, st)->power_w *= 0.55;
}

static void power_brake(const struct demo_fault *f, struct demo_state *st)
{
	gpu_of(f, st)->sm_mhz = (int)f->mhz;
	gpu_of(f, st)->reasons |= DEMO_REASON_HW_BRAKE | 0x8u;
}

static void pcie_width(const struct demo_fault *f, struct demo_state *st)
{
	gpu_of(f, st)->width = (int)f->width;
}

static void ecc(const struct demo_fault *f, struct demo_state *st)
{
	struct demo_gpu *g = gpu_of(f, st);

	g->ecc_unc_vol += (int)f->count;
	g->ecc_unc_agg += (int)f->count;
	g->ecc_cor_vol += 3 * (int)f->count;
	g->remap_pending = true;
	g->recovery_action = "Reset";
}

static void gpu_lost(const struct demo_fault *f, struct demo_state *st)
{
	struct demo_gpu *g = gpu_of(f, st);

	g->lost = true;
	st->smi_broken = true;
	demo_state_log(st, f->start_ms,
		"NVRM: Xid (PCI:%.7s:00): 79, pid='<unknown>', name=<unknown>, "
		"GPU has fallen off the bus.",
		g->bus);
}

static void nvlink_down(const struct demo_fault *f, struct demo_state *st)
{
	for (int i = 0; i < (int)f->count; i++)
		gpu_of(f, st)->links_down |= 1u << (((int)f->link + i) & 31);
}

static void nvlink_errors(const struct demo_fault *f, struct demo_state *st)
{
	gpu_of(f, st)->replay_link = (int)f->link;
	gpu_of(f, st)->replay = 12 + (uint64_t)(f->rate * age_s(f, st));
}

static void smi_slow(const struct demo_fault *f, struct demo_state *st)
{
	st->smi_ms = f->ms;
}

static void xid(const struct demo_fault *f, struct demo_state *st)
{
	demo_state_log(st, f->start_ms - (int64_t)(f->seconds * 1000),
		"NVRM: Xid (PCI:%.7s:00): %d, %s", gpu_of(f, st)->bus, (int)f->code, f->text);
}

static void fabric_down(const struct demo_fault *f, struct demo_state *st)
{
	(void)f;
	st->fabric_state = "failed";
}

/* ---- EFA ---- */

static void efa_port_down(const struct demo_fault *f, struct demo_state *st)
{
	struct demo_efa *d = &st->efa[(int)f->device];

	if (f->missing > 0) {
		d->missing = true;
		return;
	}
	d->state = "1: DOWN";
	d->phys = "3: Disabled";
	demo_state_phase(st, f->start_ms, &d->train_ms, &d->ckpt_ms);
}

static void efa_errors(const struct demo_fault *f, struct demo_state *st)
{
	struct demo_efa *d = &st->efa[(int)f->device];
	double events = f->rate * (age_s(f, st) + 60);

	d->retrans_timeouts += (uint64_t)events;
	d->retrans_pkts += (uint64_t)(events * 40);
	d->unresponsive += (uint64_t)(events / 20);
	d->drops += (uint64_t)(events * 3);
}

/* ---- host ---- */

static void governor_powersave(const struct demo_fault *f, struct demo_state *st)
{
	snprintf(
		st->governor, sizeof(st->governor), "%.*s", (int)sizeof(st->governor) - 1, f->item);
	st->governor_cpus = f->count > 0 ? (int)f->count : st->type->cpus;
}

static void version_drift(const struct demo_fault *f, struct demo_state *st)
{
	for (size_t i = 0; i < DEMO_VERSION_COUNT; i++)
		if (strcmp(demo_version_names[i], f->item) == 0)
			snprintf(st->version[i], sizeof(st->version[i]), "%s", f->value);
}

static void clock_skew(const struct demo_fault *f, struct demo_state *st)
{
	st->clock_skew_s = f->seconds;
}

static void iowait(const struct demo_fault *f, struct demo_state *st)
{
	st->iowait_pct = f->pct;
	st->iowait_since_ms = st->uptime_ms - age_s(f, st) * 1000;
}

static void shm_small(const struct demo_fault *f, struct demo_state *st)
{
	st->shm_kib = (uint64_t)(f->count * 1024);
}

/* ---- filesystems ---- */

static void root_full(const struct demo_fault *f, struct demo_state *st)
{
	st->mount[0].used_pct = f->pct;
}

static void mount_full(const struct demo_fault *f, struct demo_state *st)
{
	struct demo_mount *m = mount_of(f, st);

	if (m)
		m->used_pct = f->pct;
}

static void hung_mount(const struct demo_fault *f, struct demo_state *st)
{
	struct demo_mount *m = mount_of(f, st);

	if (m)
		m->hung = true;
	st->mounts_known_hung |= st->t_ms - f->start_ms > 2 * DEMO_MOUNT_DEADLINE_MS;
}

static void mount_missing(const struct demo_fault *f, struct demo_state *st)
{
	struct demo_mount *m = mount_of(f, st);

	if (m)
		m->missing = true;
}

static void mount_option(const struct demo_fault *f, struct demo_state *st)
{
	struct demo_mount *m = mount_of(f, st);

	if (m)
		m->drop_option = f->value;
}

static void ost_full(const struct demo_fault *f, struct demo_state *st)
{
	st->ost_pct[(int)f->device % (st->osts ? st->osts : 1)] = f->pct;
}

/* ---- contact ---- */

static void unreachable(const struct demo_fault *f, struct demo_state *st)
{
	(void)f;
	st->contact = DEMO_UNREACHABLE;
}

static void stale(const struct demo_fault *f, struct demo_state *st)
{
	st->contact = f->reset > 0 ? DEMO_DROPS : DEMO_SILENT;
	st->contact_answers = f->count;
}

static void slow_contact(const struct demo_fault *f, struct demo_state *st)
{
	st->latency_ms = f->ms;
}

static const struct demo_fault_kind kinds[] = {
	{"hot_gpu", "a GPU near its throttle point, slowed by it",
		{GPU_KEY, NUM(temp_c, 0, 150), NUM(mhz, 0, 5000)}, {.temp_c = 91, .mhz = 945},
		hot_gpu},
	{"slow_gpu", "a GPU whose clock stays low without a reason bit",
		{GPU_KEY, NUM(mhz, 0, 5000)}, {.mhz = 1200}, slow_gpu},
	{"power_brake", "hardware power brake slowdown", {GPU_KEY, NUM(mhz, 0, 5000)}, {.mhz = 705},
		power_brake},
	{"pcie_width", "a GPU on fewer PCIe lanes", {GPU_KEY, NUM(width, 1, 16)}, {.width = 8},
		pcie_width},
	{"ecc", "uncorrected memory errors, row remap pending", {GPU_KEY, NUM(count, 1, 1000)},
		{.count = 2}, ecc},
	{"gpu_lost", "a GPU fallen off the bus: nvidia-smi fails as a whole", {GPU_KEY}, {.gpu = 0},
		gpu_lost},
	{"nvlink_down", "inactive NVLinks, count of them from link on",
		{GPU_KEY, NUM(link, 0, 31), NUM(count, 1, 18)}, {.count = 1}, nvlink_down},
	{"nvlink_errors", "NVLink replay errors that grow",
		{GPU_KEY, NUM(link, 0, 17), NUM(rate, 0, 1e6)}, {.rate = 0.2}, nvlink_errors},
	{"smi_slow", "nvidia-smi takes long", {NUM(ms, 0, 600000)}, {.ms = 12000}, smi_slow},
	{"xid", "an Xid line in the kernel log, seconds before the start",
		{GPU_KEY, NUM(code, 1, 1000), NUM(seconds, 0, 1e7), TEXT(text)},
		{.code = 79,
			.text = "pid='<unknown>', name=<unknown>, GPU has fallen off the bus."},
		xid},
	{"fabric_down", "the Fabric Manager service failed", {{0}}, {.gpu = 0}, fabric_down},
	{"efa_port_down", "an EFA port that is down, its counters stand; missing: no such device",
		{DEVICE_KEY, NUM(missing, 0, 1)}, {.device = 0}, efa_port_down},
	{"efa_errors", "EFA retransmissions, drops and silent peers, rate a second",
		{DEVICE_KEY, NUM(rate, 0, 1e6)}, {.rate = 20}, efa_errors},
	{"governor_powersave", "CPU frequency governor item on count CPUs (0: all)",
		{NUM(count, 0, 1024), TEXT(item)}, {.item = "powersave"}, governor_powersave},
	{"version_drift", "another version (value) of item", {TEXT(item), TEXT(value)},
		{.item = "efa_installer", .value = "1.38.1"}, version_drift},
	{"clock_skew", "the node's clock is ahead", {NUM(seconds, -1e7, 1e7)}, {.seconds = 42},
		clock_skew},
	{"iowait", "CPUs wait for I/O all the time", {NUM(pct, 0, 100)}, {.pct = 34}, iowait},
	{"shm_small", "/dev/shm of count MiB (0: none)", {NUM(count, 0, 1e6)}, {.count = 64},
		shm_small},
	{"root_full", "root volume full", {NUM(pct, 0, 100)}, {.pct = 97}, root_full},
	{"mount_full", "the mount item is full", {TEXT(item), NUM(pct, 0, 100)},
		{.item = "/opt/dlami/nvme", .pct = 96}, mount_full},
	{"hung_mount", "the mount item does not answer", {TEXT(item)}, {.item = "/fsx"},
		hung_mount},
	{"mount_missing", "the mount item is not mounted", {TEXT(item)}, {.item = "/fsx"},
		mount_missing},
	{"mount_option", "the mount item lacks the option value", {TEXT(item), TEXT(value)},
		{.item = "/fsx", .value = "flock"}, mount_option},
	{"ost_full", "a Lustre target (device: its index) is full", {DEVICE_KEY, NUM(pct, 0, 100)},
		{.device = 3, .pct = 97}, ost_full},
	{"unreachable", "no answer to a connection", {{0}}, {.gpu = 0}, unreachable},
	{"stale", "answers count requests, then no more; reset: the session ends",
		{NUM(count, 0, 1e9), NUM(reset, 0, 1)}, {.count = 0}, stale},
	{"slow_contact", "the connection takes ms", {NUM(ms, 0, 60000)}, {.ms = 2500},
		slow_contact},
};

const char *demo_fault_name(const struct demo_fault *f)
{
	return f->kind->name;
}

bool demo_fault_kind_at(size_t i, const char **name, const char **what)
{
	if (i >= ARRAY_LEN(kinds))
		return false;
	*name = kinds[i].name;
	*what = kinds[i].what;
	return true;
}

void demo_fault_apply(const struct demo_fault *f, struct demo_state *st)
{
	if (st->t_ms >= f->start_ms && st->t_ms < f->end_ms)
		f->kind->apply(f, st);
}

static const struct demo_fault_kind *find_kind(const cJSON *name)
{
	for (size_t i = 0; cJSON_IsString(name) && i < ARRAY_LEN(kinds); i++)
		if (strcmp(kinds[i].name, name->valuestring) == 0)
			return &kinds[i];
	return NULL;
}

static const struct fault_key *find_key(const struct demo_fault_kind *kind, const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(kind->keys) && kind->keys[i].name; i++)
		if (strcmp(kind->keys[i].name, name) == 0)
			return &kind->keys[i];
	return NULL;
}

static enum err_code read_value(struct demo_fault *out, const struct fault_key *key,
	const cJSON *item, const char *where, struct err *e)
{
	char *at = (char *)out + key->offset;

	if (key->text) {
		if (!cJSON_IsString(item) || (double)strlen(item->valuestring) >= key->max)
			return err_set(e, ERR_PARSE, "%s: %s: must be a text of at most %g bytes",
				where, key->name, key->max - 1);
		memcpy(at, item->valuestring, strlen(item->valuestring) + 1);
		return ERR_OK;
	}
	double v = cJSON_IsTrue(item) ? 1 : item->valuedouble;

	if (!(cJSON_IsNumber(item) || cJSON_IsBool(item)) || !(v >= key->min && v <= key->max))
		return err_set(e, ERR_PARSE, "%s: %s: must be a number from %g to %g", where,
			key->name, key->min, key->max);
	memcpy(at, &v, sizeof(v));
	return ERR_OK;
}

/* "start_s" and "end_s", which every kind has. */
static enum err_code read_time(
	int64_t *ms, const cJSON *entry, const char *name, const char *where, struct err *e)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(entry, name);

	if (!item)
		return ERR_OK;
	if (!cJSON_IsNumber(item) || !(item->valuedouble >= -1e7 && item->valuedouble <= 1e7))
		return err_set(
			e, ERR_PARSE, "%s: %s: must be seconds since the start", where, name);
	*ms = (int64_t)(item->valuedouble * 1000);
	return ERR_OK;
}

enum err_code demo_fault_parse(
	struct demo_fault *out, const cJSON *entry, const char *where, struct err *e)
{
	static const char *const common[] = {"kind", "node", "nodes", "start_s", "end_s"};
	const struct demo_fault_kind *kind =
		find_kind(cJSON_GetObjectItemCaseSensitive(entry, "kind"));
	const cJSON *item;
	enum err_code rc;

	if (!kind)
		return err_set(
			e, ERR_PARSE, "%s: kind: missing, or none that the simulation has", where);
	*out = kind->defaults;
	out->kind = kind;
	out->end_ms = INT64_MAX;
	rc = read_time(&out->start_ms, entry, "start_s", where, e);
	if (rc == ERR_OK)
		rc = read_time(&out->end_ms, entry, "end_s", where, e);
	cJSON_ArrayForEach(item, entry)
	{
		const struct fault_key *key = find_key(kind, item->string);
		size_t i = 0;

		if (rc != ERR_OK)
			return rc;
		while (i < ARRAY_LEN(common) && strcmp(common[i], item->string) != 0)
			i++;
		if (i < ARRAY_LEN(common))
			continue;
		if (!key)
			return err_set(e, ERR_PARSE, "%s: %.40s: not a key of %s", where,
				item->string, kind->name);
		rc = read_value(out, key, item, where, e);
	}
	return rc;
}
