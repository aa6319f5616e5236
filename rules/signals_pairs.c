/*
 * Signals of pairwise bandwidth. Without a sweep none has a sample, so that rules on them
 * are not applicable. What only a log line shows is never known to be fine: a run prints
 * such lines only as NCCL_DEBUG tells it to.
 */
#include "rules/signals.h"

#include <math.h>
#include <stdio.h>

#include "rules/pair_facts.h"

/* Surer than this that it is this node, link or class: less is worth an INFO at most. */
#define CONFIDENCE_MIN 0.5

#define UNKNOWN_F64  ((struct opt_f64){OPT_UNKNOWN, 0})
#define UNKNOWN_FLAG ((struct opt_bool){OPT_UNKNOWN, false})

static struct sample *last(const struct signal_ctx *c)
{
	return &c->out->items[c->out->n - 1];
}

/* A sweep was read, with a figure in it. */
static const struct pair_facts *sweep_of(const struct signal_ctx *c)
{
	const struct pair_facts *f = c->fleet->pairs;

	return f && f->set->measured ? f : NULL;
}

static void stamp(const struct signal_ctx *c)
{
	last(c)->mono_ms = c->fleet->pairs->newest_mono_ms;
}

/* ---- of a node ---- */

void signal_pairs_deficit(const struct signal_ctx *c)
{
	const struct pair_facts *f = sweep_of(c);
	const struct suspect_node *s = c->pair ? c->pair->suspect : NULL;

	if (!f)
		return;
	if (s) {
		sample_f64(c, NULL, opt_f64(100 * s->deficit));
		last(c)->row = s;
		last(c)->detail = c->pair->slow_words;
		last(c)->minor = s->confidence < CONFIDENCE_MIN;
	} else if (c->pair && f->at->enough && c->pair->tested == TESTED_WELL) {
		sample_f64(c, NULL, opt_f64(0));
	} else {
		sample_f64(c, NULL, UNKNOWN_F64);
	}
	stamp(c);
}

void describe_pair_deficit(const struct sample *s, char *out, size_t size)
{
	const struct suspect_node *n = s->row;

	if (n)
		snprintf(out, size, "%zu of %zu pairs agree, %.0f %% sure", n->agree, n->pairs,
			100 * n->confidence);
}

static void tested(const struct signal_ctx *c, enum tested what)
{
	if (!sweep_of(c))
		return;
	sample_flag(c, NULL, c->pair ? opt_bool(c->pair->tested == what) : UNKNOWN_FLAG);
	stamp(c);
}

void signal_pairs_untested(const struct signal_ctx *c)
{
	tested(c, TESTED_NOT);
}

void signal_pairs_little(const struct signal_ctx *c)
{
	tested(c, TESTED_LITTLE);
}

void signal_pairs_failed_partners(const struct signal_ctx *c)
{
	if (!c->pair || !c->pair->seen)
		return;
	sample_u64(c, NULL, opt_u64(c->pair->failed));
	last(c)->detail = c->pair->failed_words;
	stamp(c);
}

static void trouble(const struct signal_ctx *c, enum bw_trouble what)
{
	if (!c->pair || !c->pair->trouble[what])
		return;
	sample_flag(c, NULL, opt_bool(true));
	last(c)->detail = c->pair->trouble[what];
	stamp(c);
}

#define TROUBLE_SIGNAL(fn, WHAT)                           \
	void signal_pairs_##fn(const struct signal_ctx *c) \
	{                                                  \
		trouble(c, BW_TROUBLE_##WHAT);             \
	}
TROUBLE_SIGNAL(socket, SOCKET)
TROUBLE_SIGNAL(ofi_tcp, OFI_TCP)
TROUBLE_SIGNAL(no_plugin, NO_PLUGIN)
TROUBLE_SIGNAL(no_provider, NO_PROVIDER)
TROUBLE_SIGNAL(no_gdr, NO_GDR)
TROUBLE_SIGNAL(memlock, MEMLOCK)
TROUBLE_SIGNAL(shm, SHM)
TROUBLE_SIGNAL(timeout, TIMEOUT)

/* ---- of a pair ---- */

static struct sample *add_pair(const struct signal_ctx *c, size_t a, size_t b, const void *row)
{
	struct sample *s = sample_add(c, NULL);

	s->a = (uint16_t)a; /* a set has at most FLEET_NODES_MAX nodes */
	s->b = (uint16_t)b;
	s->row = row;
	s->mono_ms = c->fleet->pairs->newest_mono_ms;
	return s;
}

static void pair_pct(const struct signal_ctx *c, size_t a, size_t b, const void *row, double pct)
{
	add_pair(c, a, b, row)->value =
		(struct value){.state = OPT_OK, .type = FIELD_F64, .f64 = pct};
}

/* Nothing could be said of any pair. */
static bool not_enough(const struct signal_ctx *c, const struct pair_facts *f)
{
	if (f->at->enough)
		return false;
	add_pair(c, 0, 0, NULL)->value = (struct value){.state = OPT_UNKNOWN, .type = FIELD_F64};
	return true;
}

/* Pairs were looked at and there is nothing to tell: that is known, and fine. */
static void none_of_them(const struct signal_ctx *c)
{
	if (c->out->n == 0)
		pair_pct(c, 0, 0, NULL, 0);
}

void signal_pairs_link(const struct signal_ctx *c)
{
	const struct pair_facts *f = sweep_of(c);

	if (!f || not_enough(c, f))
		return;
	for (size_t i = 0; i < f->at->n_links; i++) {
		const struct suspect_link *l = &f->at->links[i];

		pair_pct(c, l->a, l->b, l, 100 * l->deficit);
		last(c)->minor = l->confidence < CONFIDENCE_MIN;
	}
	none_of_them(c);
}

void describe_link(const struct sample *s, char *out, size_t size)
{
	const struct suspect_link *l = s->row;

	if (l)
		snprintf(out, size, "%.1f of %.1f GB/s, %zu reading%s, %.0f %% sure",
			(double)l->evidence.busbw_gbps, (double)l->evidence.expected_gbps,
			l->readings, l->readings == 1 ? "" : "s", 100 * l->confidence);
}

void signal_pairs_transient(const struct signal_ctx *c)
{
	const struct pair_facts *f = sweep_of(c);

	if (!f || not_enough(c, f))
		return;
	for (size_t i = 0; i < f->at->n_transients; i++) {
		const struct transient *t = &f->at->transients[i];

		if (t->retest && t->expected_gbps > 0)
			pair_pct(c, t->a, t->b, t, 100 * (1 - t->busbw_gbps / t->expected_gbps));
	}
	none_of_them(c);
}

void describe_transient(const struct sample *s, char *out, size_t size)
{
	const struct transient *t = s->row;

	if (t)
		snprintf(out, size, "%.1f of %.1f GB/s in its only reading", t->busbw_gbps,
			t->expected_gbps);
}

static void failure(const struct signal_ctx *c, const struct pair_failure *e, bool minor)
{
	struct sample *s = add_pair(c, e->a, e->b, e);

	s->value = (struct value){.state = OPT_OK, .type = FIELD_FLAG, .flag = true};
	s->minor = minor;
	s->mono_ms = pair_facts_mono_ms(c->fleet->pairs->from, e->wall_ms);
}

/* A run that was cut off, or whose pair has a figure by now, is worth a line only. */
void signal_pairs_failed(const struct signal_ctx *c)
{
	const struct pair_facts *f = c->fleet->pairs;

	for (size_t i = 0; f && i < f->n_failures; i++) {
		const struct pair_failure *e = f->failures[i];

		if (e->wrong || f->nodes[e->a].all_to_node || f->nodes[e->b].all_to_node)
			continue;
		failure(c, e, e->status != BW_FAILED || pair_facts_measured(f, e->a, e->b));
	}
	if (sweep_of(c) && c->out->n == 0)
		add_pair(c, 0, 0, NULL)->value =
			(struct value){.state = OPT_OK, .type = FIELD_FLAG, .flag = false};
}

/* Also of runs of more or other nodes than a pair: those have no names here. */
void signal_pairs_wrong(const struct signal_ctx *c)
{
	const struct pair_facts *f = c->fleet->pairs;
	size_t named = 0;

	for (size_t i = 0; f && i < f->n_failures; i++) {
		if (!f->failures[i]->wrong)
			continue;
		failure(c, f->failures[i], false);
		named++;
	}
	if (f && f->set->left_out.wrong && !named)
		add_pair(c, 0, 0, NULL)->value =
			(struct value){.state = OPT_OK, .type = FIELD_FLAG, .flag = true};
}

void describe_failure(const struct sample *s, char *out, size_t size)
{
	const struct pair_failure *e = s->row;

	if (e)
		snprintf(out, size, "%.120s", e->why ? e->why : "no reason is known");
	else
		snprintf(out, size, "in a run of other than two nodes");
}

/* ---- of the sweep ---- */

static void effect(const struct signal_ctx *c, bool types)
{
	const struct pair_facts *f = sweep_of(c);

	if (!f || not_enough(c, f))
		return;
	enum topology_class t = f->at->topology;
	bool found = t != TOPOLOGY_NONE && (t == TOPOLOGY_INSTANCE_TYPE) == types;

	pair_pct(c, 0, 0, found ? f->at : NULL, found ? 100 * f->at->topology_effect : 0);
	last(c)->minor = found && f->at->topology_confidence < CONFIDENCE_MIN;
}

void signal_pairs_topology(const struct signal_ctx *c)
{
	effect(c, false);
}

void signal_pairs_types(const struct signal_ctx *c)
{
	effect(c, true);
}

void describe_topology(const struct sample *s, char *out, size_t size)
{
	static const char *const places[TOPOLOGY_COUNT] = {
		[TOPOLOGY_AZ] = "availability zones",
		[TOPOLOGY_SPINE] = "spines",
		[TOPOLOGY_LEAF] = "leaves",
		[TOPOLOGY_ULTRASERVER] = "UltraServers",
		[TOPOLOGY_INSTANCE_TYPE] = "instance types",
	};
	const struct attribution *at = s->row;

	if (at && places[at->topology])
		snprintf(out, size, "%s (%s), %.0f %% sure", places[at->topology],
			at->topology_where ? at->topology_where : "all alike",
			100 * at->topology_confidence);
}
