#include "collectors/demo_sweep.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collectors/clock.h"
#include "collectors/xmalloc.h"

#define TEXT_MAX (64u << 10)
/* What one step gives at most (see pair_feed.h). */
#define STEP_BYTES (1u << 20)
/* Every so many of a round's files are seen half-written. */
#define HALF_CHANCE 0.3

enum stage { STAGE_NOT_YET, STAGE_HALF, STAGE_DONE };

struct demo_sweep {
	struct pair_feed feed; /* first */
	struct demo_scenario *sc;
	int64_t start_mono_ms; /* 0: before the first step */
	int64_t start_wall_ms;
	size_t round;   /* of all passes */
	uint8_t *stage; /* of the round's pairs: enum stage */
	struct buf text;
	size_t files;
	size_t growing;
	bool caught_up;
	int64_t deadline_mono_ms;
};

static struct demo_sweep *sweep_of(const struct pair_feed *f)
{
	return (struct demo_sweep *)f;
}

static size_t rounds(const struct demo_sweep *d)
{
	return demo_plan_rounds(&d->sc->sweep) * (size_t)d->sc->sweep.passes;
}

static int pass_of(const struct demo_sweep *d)
{
	return (int)(d->round / demo_plan_rounds(&d->sc->sweep));
}

static bool pair_of(const struct demo_sweep *d, size_t k, size_t *a, size_t *b)
{
	return demo_plan_pair(&d->sc->sweep, d->round % demo_plan_rounds(&d->sc->sweep), k, a, b);
}

/* Milliseconds since the start at which this share of the open round is over. */
static int64_t moment(const struct demo_sweep *d, double share)
{
	const struct demo_plan *p = &d->sc->sweep;

	return (int64_t)(1000 * (p->start_s + p->round_s * ((double)d->round + share)));
}

static void next_round(struct demo_sweep *d)
{
	d->round++;
	memset(d->stage, STAGE_NOT_YET, demo_plan_round_pairs(&d->sc->sweep));
}

/* ---- one file a pair ---- */

static size_t give_pair(struct demo_sweep *d, struct pair_store *store, size_t a, size_t b,
	bool half, int64_t at_ms)
{
	const struct demo_scenario *sc = d->sc;
	char path[160];

	buf_reset(&d->text);
	if (demo_sweep_text(&d->text, sc, a, b, pass_of(d), half) != ERR_OK)
		return 0; /* longer than any run is: nothing is better than a part */
	snprintf(path, sizeof(path), "demo/pass-%d/nccl_N2_G%d_%s_%s.log", pass_of(d) + 1,
		sc->nodes[a].group->type->gpus, sc->nodes[a].name, sc->nodes[b].name);
	struct pair_file *file = pair_store_open(store, path, d->start_wall_ms + at_ms);

	pair_file_feed(file, buf_str(&d->text), d->text.len);
	pair_file_close(file, half);
	return d->text.len;
}

/*
 * What is due of the k-th pair at t_ms. *next_ms becomes the time of what comes next, if
 * that is earlier.
 */
static size_t step_pair(
	struct demo_sweep *d, struct pair_store *store, size_t k, int64_t t_ms, int64_t *next_ms)
{
	size_t a;
	size_t b;

	if (d->stage[k] == STAGE_DONE)
		return 0;
	if (!pair_of(d, k, &a, &b)) {
		d->stage[k] = STAGE_DONE;
		return 0;
	}
	double chance = demo_plan_chance(d->sc, a, b, 0xd0e + (uint64_t)pass_of(d));
	bool halves = demo_plan_chance(d->sc, a, b, 0xaf) < HALF_CHANCE;
	int64_t half_ms = moment(d, 0.1 + 0.3 * chance);
	int64_t done_ms = moment(d, 0.5 + 0.45 * chance);
	int64_t due_ms = halves && d->stage[k] == STAGE_NOT_YET ? half_ms : done_ms;

	if (t_ms < due_ms) {
		if (due_ms < *next_ms)
			*next_ms = due_ms;
		return 0;
	}
	/* Late enough for the whole: the half is left out. */
	bool half = t_ms < done_ms;

	if (half && done_ms < *next_ms)
		*next_ms = done_ms;
	d->growing += half ? 1 : 0;
	d->growing -= !half && d->stage[k] == STAGE_HALF ? 1 : 0;
	d->files += d->stage[k] == STAGE_NOT_YET ? 1 : 0;
	d->stage[k] = half ? STAGE_HALF : STAGE_DONE;
	return give_pair(d, store, a, b, half, half ? half_ms : done_ms);
}

/* False when there is more that is due. */
static bool step_pairs(
	struct demo_sweep *d, struct pair_store *store, int64_t t_ms, int64_t *next_ms)
{
	size_t pairs = demo_plan_round_pairs(&d->sc->sweep);
	size_t bytes = 0;

	while (d->round < rounds(d)) {
		size_t done = 0;

		for (size_t k = 0; k < pairs && bytes < STEP_BYTES; k++) {
			bytes += step_pair(d, store, k, t_ms, next_ms);
			done += d->stage[k] == STAGE_DONE;
		}
		if (bytes >= STEP_BYTES)
			return false;
		if (done < pairs)
			return true;
		next_round(d);
	}
	return true;
}

/* ---- one file a round ---- */

static void give_round(struct demo_sweep *d, struct pair_store *store)
{
	char path[80];
	size_t a;
	size_t b;

	snprintf(path, sizeof(path), "demo/pass-%d/round-%04zu.out", pass_of(d) + 1,
		d->round % demo_plan_rounds(&d->sc->sweep) + 1);
	struct pair_file *file = pair_store_open(store, path, d->start_wall_ms + moment(d, 1));

	for (size_t k = 0; k < demo_plan_round_pairs(&d->sc->sweep); k++) {
		if (!pair_of(d, k, &a, &b))
			continue;
		buf_reset(&d->text);
		if (demo_sweep_text(&d->text, d->sc, a, b, pass_of(d), false) == ERR_OK)
			pair_file_feed(file, buf_str(&d->text), d->text.len);
	}
	pair_file_close(file, false);
	d->files++;
}

static bool step_round(
	struct demo_sweep *d, struct pair_store *store, int64_t t_ms, int64_t *next_ms)
{
	if (d->round == rounds(d))
		return true;
	if (t_ms >= moment(d, 1)) {
		give_round(d, store);
		next_round(d);
	}
	if (d->round < rounds(d) && moment(d, 1) < *next_ms)
		*next_ms = moment(d, 1);
	return *next_ms > t_ms;
}

/* ---- the feed ---- */

static enum err_code demo_step(struct pair_feed *f, struct pair_store *store, int64_t now_mono_ms)
{
	struct demo_sweep *d = sweep_of(f);
	int64_t next_ms = INT64_MAX;

	if (!d->start_mono_ms) {
		d->start_mono_ms = now_mono_ms;
		d->start_wall_ms = clock_wall_ms();
	}
	int64_t t_ms = now_mono_ms - d->start_mono_ms;
	bool all = d->sc->sweep.file_a_round ? step_round(d, store, t_ms, &next_ms)
					     : step_pairs(d, store, t_ms, &next_ms);

	d->caught_up |= all;
	d->deadline_mono_ms = next_ms == INT64_MAX ? 0 : d->start_mono_ms + next_ms;
	return all ? ERR_AGAIN : ERR_OK;
}

static void demo_poll(const struct pair_feed *f, struct transport_poll *p)
{
	p->nfds = 0;
	p->deadline_mono_ms = sweep_of(f)->deadline_mono_ms;
}

static void demo_state_of(const struct pair_feed *f, struct pair_feed_state *out)
{
	const struct demo_sweep *d = sweep_of(f);

	*out = (struct pair_feed_state){
		.label = "demo",
		.first_look = d->caught_up,
		.files = d->files,
		.growing = d->growing,
	};
}

static void demo_again(struct pair_feed *f)
{
	struct demo_sweep *d = sweep_of(f);

	d->round = 0;
	d->files = 0;
	d->growing = 0;
	d->caught_up = false;
	d->deadline_mono_ms = d->start_mono_ms;
	memset(d->stage, STAGE_NOT_YET, demo_plan_round_pairs(&d->sc->sweep));
}

static void demo_free(struct pair_feed *f)
{
	struct demo_sweep *d = sweep_of(f);

	demo_scenario_free(d->sc);
	buf_release(&d->text);
	free(d->stage);
	free(d);
}

static const struct pair_feed_ops demo_ops = {
	.name = "demo",
	.step = demo_step,
	.poll = demo_poll,
	.state = demo_state_of,
	.again = demo_again,
	.free = demo_free,
};

enum err_code demo_sweep_new(struct pair_feed **out, const char *scenario, struct err *e)
{
	struct demo_scenario *sc = NULL;
	enum err_code rc = demo_scenario_load(&sc, scenario, e);
	struct demo_sweep *d;

	if (rc != ERR_OK)
		return rc;
	*out = NULL;
	if (!sc->sweep.there) {
		demo_scenario_free(sc);
		return ERR_OK;
	}
	d = xcalloc(1, sizeof(*d));
	d->feed.ops = &demo_ops;
	d->sc = sc;
	d->stage = xcalloc(demo_plan_round_pairs(&sc->sweep), sizeof(*d->stage));
	buf_init(&d->text, TEXT_MAX);
	*out = &d->feed;
	return ERR_OK;
}
