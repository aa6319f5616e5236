#include "collectors/demo_sim.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

void demo_add(struct demo_text *t, const char *fmt, ...)
{
	char line[1024];
	va_list ap;

	if (t->rc != ERR_OK)
		return;
	va_start(ap, fmt);
	int n = vsnprintf(line, sizeof(line), fmt, ap);

	va_end(ap);
	if (n > 0)
		t->rc = buf_add(t->out, line, n < (int)sizeof(line) ? (size_t)n : sizeof(line) - 1);
}

uint64_t demo_grown(const struct demo_state *st, double train_ms, double ckpt_ms, double rate,
	double ckpt_rate, uint64_t salt)
{
	const double turn = 6.283185307179586;
	const double depth = 0.04;
	double wave_ms = 61000 + 900 * demo_noise(st, salt, 1);
	double own = 1 + 0.02 * demo_noise(st, salt, 2);
	/* the integral of 1 + depth sin: it grows because depth is below 1 */
	double trained = train_ms + depth * wave_ms / turn * (1 - cos(turn * train_ms / wave_ms));

	return (uint64_t)(own * (rate * trained + ckpt_rate * ckpt_ms) / 1000.0);
}

uint64_t demo_counter(const struct demo_state *st, double rate, double ckpt_rate, uint64_t salt)
{
	return demo_grown(st, st->train_ms, st->ckpt_ms, rate, ckpt_rate, salt);
}

/* Without nvidia-smi, whose time is the state's, and mounts that hang. */
static const int16_t own_ms[SECTION_COUNT] = {
	[SECTION_HOST] = 14,
	[SECTION_EFA_COUNTERS] = 9,
	[SECTION_EFA] = 160,
	[SECTION_GOVERNOR] = 4,
	[SECTION_FABRICMANAGER] = 40,
	[SECTION_STACK] = 70,
	[SECTION_XID] = 25,
	[SECTION_RAS] = 3,
	[SECTION_LUSTRE_DF] = 30,
};

static bool waits_for_mount(const struct demo_state *st)
{
	for (int i = 0; i < st->mounts; i++)
		if (st->mount[i].hung && !st->mounts_known_hung)
			return true;
	return false;
}

int64_t demo_sim_run_ms(const struct demo_state *st, enum section_id id)
{
	switch (id) {
	case SECTION_GPU:
	case SECTION_GPU_TOPO:
		return (int64_t)st->smi_ms;
	case SECTION_NVLINK:
		return 2 * (int64_t)st->smi_ms;
	case SECTION_CAPACITY:
		return waits_for_mount(st) ? DEMO_MOUNT_DEADLINE_MS : 4;
	default:
		return own_ms[id] ? own_ms[id] : 2;
	}
}

enum err_code demo_sim_text(const struct demo_state *st, enum section_id id, struct buf *out,
	struct demo_answer *answer)
{
#define PRINTER(ID, name, cadence, title) [SECTION_##ID] = demo_text_##name,
	static void (*const printers[SECTION_COUNT])(struct demo_text *) = {SECTIONS(PRINTER)};
#undef PRINTER
	struct demo_text t = {
		.st = st,
		.out = out,
	};

	printers[id](&t);
	*answer = t.answer;
	return t.rc;
}
