#include "collectors/node.h"

#include <stddef.h>
#include <string.h>

const char *node_state_name(enum node_state st)
{
	static const char *const names[] = {
		[NODE_PENDING] = "pending",
		[NODE_CONNECTING] = "connecting",
		[NODE_PROBING] = "probing",
		[NODE_OK] = "ok",
		[NODE_STALE] = "stale",
		[NODE_FAILED] = "unreachable",
	};

	return names[st];
}

static const char *without_ml(const char *type)
{
	return strncmp(type, "ml.", 3) == 0 ? type + 3 : type;
}

const char *node_instance_type(const struct node *n)
{
	const struct host_reading *host = reading_host(n->section[SECTION_HOST]);

	if (n->instance_type && n->instance_type[0])
		return without_ml(n->instance_type);
	if (host && opt_has(host->instance_type))
		return without_ml(host->instance_type.v);
	return NULL;
}

int node_reached(const struct node *n)
{
	for (int i = 0; i < SECTION_COUNT; i++)
		if (n->section[i])
			return 1;
	return 0;
}

static struct opt_u64 counter_at(const struct section *s, size_t offset)
{
	struct opt_u64 v;

	memcpy(&v, (const char *)s->reading + offset, sizeof(v));
	return v;
}

struct opt_f64 node_rate(const struct node *n, enum section_id id, size_t offset)
{
	const struct section *now = n->section[id];
	const struct section *before = n->prev[id];

	if (!now || !before)
		return (struct opt_f64){OPT_UNKNOWN, 0};
	struct opt_u64 a = counter_at(before, offset);
	struct opt_u64 b = counter_at(now, offset);
	int64_t ms = now->meta.mono_ms - before->meta.mono_ms;

	if (!opt_has(a) || !opt_has(b) || b.v < a.v || ms <= 0)
		return (struct opt_f64){OPT_UNKNOWN, 0};
	return opt_f64((double)(b.v - a.v) * 1000.0 / (double)ms);
}

static const size_t tick_offsets[] = {
	offsetof(struct cpu_reading, user_ticks),
	offsetof(struct cpu_reading, nice_ticks),
	offsetof(struct cpu_reading, system_ticks),
	offsetof(struct cpu_reading, idle_ticks),
	offsetof(struct cpu_reading, irq_ticks),
	offsetof(struct cpu_reading, softirq_ticks),
	offsetof(struct cpu_reading, steal_ticks),
};

/* Growth of one tick counter; iowait and idle may go back a little (proc(5)): that counts as 0. */
static double tick_growth(const struct section *before, const struct section *now, size_t offset)
{
	struct opt_u64 a = counter_at(before, offset);
	struct opt_u64 b = counter_at(now, offset);

	return opt_has(a) && opt_has(b) && b.v > a.v ? (double)(b.v - a.v) : 0;
}

struct opt_f64 node_iowait_pct(const struct node *n)
{
	const struct section *now = n->section[SECTION_CPU];
	const struct section *before = n->prev[SECTION_CPU];
	const struct cpu_reading *cpu = reading_cpu(now);

	if (!cpu)
		return (struct opt_f64){OPT_UNKNOWN, 0};
	if (opt_has(cpu->iowait_pct) || !before || !opt_has(cpu->iowait_ticks))
		return cpu->iowait_pct;

	double waited = tick_growth(before, now, offsetof(struct cpu_reading, iowait_ticks));
	double total = waited;

	for (size_t i = 0; i < ARRAY_LEN(tick_offsets); i++)
		total += tick_growth(before, now, tick_offsets[i]);
	if (total <= 0)
		return (struct opt_f64){OPT_UNKNOWN, 0};
	return opt_f64(100.0 * waited / total);
}
