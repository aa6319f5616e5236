/* The text of one simulated run, in the layout of nccl-tests 2.17.6. */
#include <stdio.h>
#include <string.h>

#include "collectors/compiler.h"
#include "collectors/demo_sweep.h"

/* PCI places of the eight GPUs of a p5, as nvidia-smi shows them there. */
static const char *const buses[] = {"53", "64", "75", "86", "97", "a8", "b9", "ca"};

/* Share of the full bandwidth that a size reaches: small messages wait for latency. */
static const struct {
	unsigned long long bytes;
	double share;
} sizes[] = {
	{67108864, 0.52},
	{268435456, 0.78},
	{1073741824, 0.93},
	{4294967296, 0.985},
	{8589934592, 1.0},
};

struct run {
	struct buf *out;
	const struct demo_scenario *sc;
	size_t a;
	size_t b;
	int ranks;
	double busbw;
	double in_place;
	enum err_code rc;
};

#define ADD(r, ...)                                                \
	do {                                                       \
		if ((r)->rc == ERR_OK)                             \
			(r)->rc = buf_addf((r)->out, __VA_ARGS__); \
	} while (0)

static int pid_of(const struct run *r, int rank)
{
	return 210000 + (int)(demo_plan_chance(r->sc, r->a, r->b, 0xb1d) * 90000) + rank * 7;
}

static const char *host_of(const struct run *r, int rank)
{
	return r->sc->nodes[rank < r->ranks / 2 ? r->a : r->b].name;
}

static void add_head(struct run *r)
{
	const char *gpu = r->sc->nodes[r->a].group->type->gpu_name;

	ADD(r, "# nccl-tests version 2.17.6 nccl-headers=22807 nccl-library=22807\n"
	       "# Collective test starting: all_reduce_perf\n"
	       "# nThread 1 nGpus 1 minBytes 67108864 maxBytes 8589934592 step: 4(factor) warmup "
	       "iters: 5 iters: 20 agg iters: 1 validation: 1 graph: 0\n"
	       "#\n"
	       "# Using devices\n");
	for (int i = 0; i < r->ranks; i++)
		ADD(r, "#  Rank %2d Group  0 Pid %6d on %10s device %2d [0000:%s:00] %s\n", i,
			pid_of(r, i), host_of(r, i), i % (r->ranks / 2),
			buses[(size_t)i % (size_t)(r->ranks / 2) % ARRAY_LEN(buses)], gpu);
}

static void add_header(struct run *r)
{
	ADD(r, "#\n"
	       "#                                                              out-of-place        "
	       "               in-place          \n"
	       "#       size         count      type   redop    root     time   algbw   busbw  "
	       "#wrong     time   algbw   busbw  #wrong \n"
	       "#        (B)    (elements)                               (us)  (GB/s)  (GB/s)      "
	       "       (us)  (GB/s)  (GB/s)         \n");
}

/* As nccl-tests does it: two digits after the point while they fit. */
static const char *fit(char *out, size_t size, double v, double two, double one)
{
	snprintf(out, size, "%.*f", v < two ? 2 : v < one ? 1 : 0, v);
	return out;
}

static void add_half(struct run *r, unsigned long long bytes, double busbw)
{
	double algbw = busbw / (2.0 * (r->ranks - 1) / r->ranks);
	char text[3][32];

	/* Seven and six columns wide. */
	ADD(r, "  %7s  %6s  %6s  %6d",
		fit(text[0], sizeof(text[0]), (double)bytes / (algbw * 1000), 9999.995, 99999.95),
		fit(text[1], sizeof(text[1]), algbw, 999.995, 9999.95),
		fit(text[2], sizeof(text[2]), busbw, 999.995, 9999.95), 0);
}

static void add_rows(struct run *r, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		ADD(r, "%12llu  %12llu  %8s  %6s  %6d", sizes[i].bytes, sizes[i].bytes / 4, "float",
			"sum", -1);
		add_half(r, sizes[i].bytes, r->busbw * sizes[i].share);
		add_half(r, sizes[i].bytes, r->in_place * sizes[i].share);
		ADD(r, "\n");
	}
}

static void add_foot(struct run *r)
{
	double sum = 0;

	for (size_t i = 0; i < ARRAY_LEN(sizes); i++)
		sum += (r->busbw + r->in_place) * sizes[i].share;
	ADD(r,
		"# Out of bounds values : 0 OK\n# Avg bus bandwidth    : %g \n#\n"
		"# Collective test concluded: all_reduce_perf\n#\n",
		sum / (2.0 * ARRAY_LEN(sizes)));
}

/* A queue pair that breaks: the words are those of a real two-node run. */
static void add_failure(struct run *r)
{
	static const char *const after[] = {"common.cu:484", "common.cu:693", "all_reduce.cu:348",
		"common.cu:718", "common.cu:1368"};
	const char *host = host_of(r, r->ranks - 1);

	ADD(r,
		"%s: Test NCCL failure all_reduce.cu:274 'remote process exited or there was a "
		"network error / '\n",
		host);
	for (size_t i = 0; i < ARRAY_LEN(after); i++)
		ADD(r, " .. %s pid %d: Test failure %s\n", host, pid_of(r, r->ranks - 1), after[i]);
}

enum err_code demo_sweep_text(
	struct buf *out, const struct demo_scenario *sc, size_t a, size_t b, int pass, bool half)
{
	struct run r = {
		.out = out,
		.sc = sc,
		.a = a,
		.b = b,
		.ranks = 2 * sc->nodes[a].group->type->gpus,
		.busbw = demo_plan_busbw(sc, a, b, pass),
	};
	bool cut = half || (pass == 0 && demo_plan_has(&sc->sweep, DEMO_CUT, a, b));

	r.in_place = r.busbw * (0.995 + 0.02 * demo_plan_chance(sc, a, b, 0x1b + (uint64_t)pass));
	add_head(&r);
	add_header(&r);
	if (pass == 0 && demo_plan_has(&sc->sweep, DEMO_FAILS, a, b) && !half) {
		add_failure(&r);
	} else if (cut) {
		add_rows(&r, 2);
		ADD(&r, "  1073741824     268435456     float     sum");
	} else {
		add_rows(&r, ARRAY_LEN(sizes));
		add_foot(&r);
	}
	return r.rc;
}
