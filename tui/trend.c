#include "tui/trend.h"

#include <math.h>
#include <stdlib.h>

#include "collectors/xmalloc.h"
#include "tui/node_row.h"

struct ring {
	float v[TREND_SAMPLES];
	unsigned char next;
	unsigned char count;
	int64_t last_mono_ms; /* of the answer that the newest sample is from */
};

struct trend {
	size_t n;
	struct ring (*rings)[TREND_COUNT];
};

static const struct {
	const char *title;
	enum section_id from;
	double lo, hi;
} metrics[TREND_COUNT] = {
	[TREND_GPU_UTIL] = {"GPU use", SECTION_GPU, 0, 100},
	[TREND_IOWAIT] = {"iowait", SECTION_CPU, 0, 50},
	[TREND_GPU_TEMP] = {"GPU temp", SECTION_GPU, 30, 95},
};

struct trend *trend_new(void)
{
	return xcalloc(1, sizeof(struct trend));
}

void trend_free(struct trend *t)
{
	if (!t)
		return;
	free(t->rings);
	free(t);
}

static void ring_push(struct ring *r, int64_t mono_ms, double v)
{
	if (r->count && r->last_mono_ms == mono_ms)
		return;
	r->v[r->next] = (float)v;
	r->next = (unsigned char)((r->next + 1) % TREND_SAMPLES);
	r->count += r->count < TREND_SAMPLES;
	r->last_mono_ms = mono_ms;
}

void trend_push(struct trend *t, const struct snapshot *snap)
{
	if (t->n != snap->n) {
		free(t->rings);
		t->rings = xcalloc(snap->n ? snap->n : 1, sizeof(*t->rings));
		t->n = snap->n;
	}
	for (size_t i = 0; i < snap->n; i++) {
		const struct node *node = &snap->nodes[i];
		struct gpu_summary gpu = node_row_gpus(node);
		double v[TREND_COUNT];

		v[TREND_GPU_UTIL] = gpu.util_mean;
		v[TREND_GPU_TEMP] = gpu.temp_max;
		v[TREND_IOWAIT] = fmt_f64(node_iowait_pct(node));
		for (int m = 0; m < TREND_COUNT; m++) {
			const struct section *s = node->section[metrics[m].from];

			/* The first cpu answer has no interval yet. */
			if (s && (isfinite(v[m]) || t->rings[i][m].count))
				ring_push(&t->rings[i][m], s->meta.mono_ms, v[m]);
		}
	}
}

double trend_get(const struct trend *t, size_t node, enum trend_metric m, size_t back)
{
	if (back >= trend_count(t, node, m))
		return (double)NAN;
	const struct ring *r = &t->rings[node][m];

	return (double)r->v[(r->next + TREND_SAMPLES - 1 - back) % TREND_SAMPLES];
}

size_t trend_count(const struct trend *t, size_t node, enum trend_metric m)
{
	return t && node < t->n ? t->rings[node][m].count : 0;
}

const char *trend_title(enum trend_metric m)
{
	return metrics[m].title;
}

void trend_range(enum trend_metric m, double *lo, double *hi)
{
	*lo = metrics[m].lo;
	*hi = metrics[m].hi;
}
