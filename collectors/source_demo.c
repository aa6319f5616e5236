/* The simulated cluster as a source: each node answers through a text transport. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collectors/clock.h"
#include "collectors/demo_sim.h"
#include "collectors/source.h"
#include "collectors/text_transport.h"
#include "collectors/xmalloc.h"

/* Shorter than a real network's, so that the first screen is complete soon. */
#define UNREACHABLE_AFTER_MS 3000

struct demo {
	struct demo_scenario *scenario;
	int64_t start_mono_ms; /* of the first connection: the fleet is asked from then on */
	int64_t start_wall_ms;
	unsigned *answered; /* requests, one a node */
	/*
	 * The state last asked for: a node answers its sections in one go, so one is
	 * enough, and a thousand would be the largest thing in memory.
	 */
	struct demo_state state;
	size_t state_node;
};

/* Of one connection. */
struct demo_line {
	struct demo *demo;
	size_t node;
};

/* The node's state now; until the next call. */
static const struct demo_state *state_of(const struct demo_line *line, int64_t now)
{
	struct demo *demo = line->demo;
	int64_t t_ms = now - demo->start_mono_ms;

	if (!demo->state.sc || demo->state_node != line->node || demo->state.t_ms != t_ms)
		demo_state_at(&demo->state, demo->scenario, line->node, t_ms, demo->start_wall_ms);
	demo->state_node = line->node;
	return &demo->state;
}

static bool has_stopped(const struct demo_line *line, const struct demo_state *st)
{
	return st->contact != DEMO_ANSWERS &&
	       line->demo->answered[line->node] >= st->contact_answers;
}

static int64_t demo_run_ms(void *ctx, enum section_id id, int64_t now)
{
	return demo_sim_run_ms(state_of(ctx, now), id);
}

static enum text_verdict demo_answer(
	void *ctx, enum section_id id, int64_t now, struct text_answer *out)
{
	struct demo_line *line = ctx;
	const struct demo_state *st = state_of(line, now);
	struct demo_answer answer = {0};

	if (has_stopped(line, st))
		return st->contact == DEMO_SILENT ? TEXT_SILENT : TEXT_DROPPED;
	out->cut = demo_sim_text(st, id, out->text, &answer) != ERR_OK;
	out->exit_code = answer.exit_code;
	out->run_ms = demo_sim_run_ms(st, id);
	return TEXT_ANSWERED;
}

static void demo_answered(void *ctx)
{
	struct demo_line *line = ctx;

	line->demo->answered[line->node]++;
}

static const struct text_server demo_server = {
	.name = "demo",
	.run_ms = demo_run_ms,
	.answer = demo_answer,
	.answered = demo_answered,
	.free_ctx = free,
};

static struct transport *demo_connect(
	struct source *src, const struct target *t, int64_t now_mono_ms, struct err *e)
{
	struct demo *demo = src->private_data;
	struct text_options opt = {0};
	struct demo_line *line;
	const struct demo_state *st;
	size_t node = demo_scenario_node(demo->scenario, t->id);

	if (node == SIZE_MAX) {
		err_set(e, ERR_BUG, "demo: %.60s is not in the scenario", t->id);
		return NULL;
	}
	if (!demo->start_mono_ms) {
		demo->start_mono_ms = now_mono_ms;
		demo->start_wall_ms = clock_wall_ms();
	}
	line = xcalloc(1, sizeof(*line));
	line->demo = demo;
	line->node = node;
	st = state_of(line, now_mono_ms);
	opt.connect_ms = (int64_t)st->latency_ms;
	if (st->contact == DEMO_UNREACHABLE ||
		(st->contact != DEMO_ANSWERS && has_stopped(line, st))) {
		opt.connect_ms = UNREACHABLE_AFTER_MS;
		opt.refuse = "no connection within 3 s (is the node up?)";
	}
	return text_transport_new(&demo_server, line, &opt, now_mono_ms);
}

static void demo_free(struct source *src)
{
	struct demo *demo = src->private_data;

	demo_scenario_free(demo->scenario);
	free(demo->answered);
	free(demo);
}

static char *copy_or_null(const char *s)
{
	return s[0] ? xstrdup(s) : NULL;
}

static enum err_code add_target(struct source *src, const struct demo_node *node, struct err *e)
{
	const struct demo_group *g = node->group;
	struct target *t;
	enum err_code rc = source_add(src, node->instance_id, &t, e);

	if (rc != ERR_OK)
		return rc;
	t->name = xstrdup(node->name);
	t->host = xstrdup(node->ip);
	t->group = copy_or_null(g->name);
	t->instance_type = xstrdup(g->type->name);
	t->az = copy_or_null(g->az);
	t->spine = copy_or_null(g->spine);
	t->leaf = copy_or_null(node->leaf);
	t->ultraserver = copy_or_null(g->ultraserver);
	return ERR_OK;
}

enum err_code source_demo(struct source **out, const char *scenario, struct err *e)
{
	struct demo_scenario *sc;
	struct source *src;
	struct demo *demo;
	char label[100];
	enum err_code rc = demo_scenario_load(&sc, scenario, e);

	if (rc != ERR_OK)
		return rc;
	snprintf(label, sizeof(label), "demo %s", sc->name);
	src = source_new(SOURCE_DEMO, label);
	demo = xcalloc(1, sizeof(*demo));
	demo->scenario = sc;
	demo->answered = xcalloc(sc->n, sizeof(*demo->answered));
	src->private_data = demo;
	src->free_private = demo_free;
	src->connect = demo_connect;
	for (size_t i = 0; i < sc->n && rc == ERR_OK; i++)
		rc = add_target(src, &sc->nodes[i], e);
	if (rc != ERR_OK) {
		source_free(src);
		return rc;
	}
	*out = src;
	return ERR_OK;
}
