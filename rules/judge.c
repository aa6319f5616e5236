#include "rules/judge.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collectors/xmalloc.h"
#include "rules/drift.h"
#include "rules/finding.h"
#include "rules/pair_findings.h"

#define ARENA_CAP (64u << 20)
/* Findings of one rule on one node; a node with more mounts in trouble than this has one trouble. */
#define PER_NODE_MAX 64

/* A rule with its signal looked up. */
struct compiled {
	const struct rule *rule;
	struct signal signal;
	bool usable;
	bool sweep;          /* of pairwise bandwidth */
	bool remembered;     /* it fired once: the memory may hold something of it */
	struct drift *drift; /* while nodes are judged, of rules that compare peers */
};

struct judge {
	struct compiled *rules;
	size_t n;
	struct hysteresis memory;
	uint64_t generation; /* of the newest snapshot judged */
	bool *fired;         /* scratch: which samples fired */
	size_t fired_cap;
};

struct judge *judge_new(const struct catalog *c)
{
	struct judge *j = xcalloc(1, sizeof(*j));

	j->n = catalog_count(c);
	j->rules = xcalloc(j->n, sizeof(*j->rules));
	for (size_t i = 0; i < j->n; i++) {
		j->rules[i].rule = catalog_at(c, i);
		j->rules[i].usable = !j->rules[i].rule->disabled &&
				     signal_resolve(j->rules[i].rule->signal, &j->rules[i].signal);
		j->rules[i].sweep = j->rules[i].usable && pair_signal(&j->rules[i].signal);
	}
	return j;
}

void judge_free(struct judge *j)
{
	if (!j)
		return;
	hysteresis_release(&j->memory);
	free(j->rules);
	free(j->fired);
	free(j);
}

/* What of several nodes is being gathered into one finding. */
struct shared {
	struct hit hit;
	size_t cap; /* of hit.nodes */
	struct value worst;
};

struct run {
	struct judging j;
	struct judge *judge;
	struct shared *shared;
	size_t shared_n;
	size_t shared_cap;
};

static bool stands_alone(enum part_kind k)
{
	return k == PART_MOUNT || k == PART_CODE || k == PART_SWITCH;
}

/* All samples of a node are remembered as one: key_text tells nothing apart. */
static bool one_memory(const struct signal *s)
{
	return !stands_alone(s->part) && s->part != PART_TARGET;
}

/* Samples a and b belong into one finding. */
static bool same_finding(const struct signal *s, const struct sample *a, const struct sample *b)
{
	if (!stands_alone(s->part))
		return true;
	if (s->part == PART_MOUNT)
		return a->name && b->name && strcmp(a->name, b->name) == 0;
	return a->key == b->key;
}

static void write_words(const struct signal *s, const struct sample *worst, struct hit *hit)
{
	hit->words[0] = hit->detail[0] = '\0';
	if (worst->detail)
		snprintf(hit->detail, sizeof(hit->detail), "%s", worst->detail);
	if (s->describe)
		s->describe(worst, hit->words, sizeof(hit->words));
	/* A title has room for less than a log line. */
	else if (worst->detail)
		snprintf(hit->words, sizeof(hit->words), "%.90s", worst->detail);
}

/* The sample to show of those marked: over the line by most, and not a minor one if it can be. */
static const struct sample *worst_of(
	const struct compiled *c, const struct sample_list *l, const bool *fired, struct hit *hit)
{
	const struct sample *worst = NULL;
	bool minor = true;

	for (size_t i = 0; i < l->n; i++)
		minor = minor && (!fired[i] || l->items[i].minor);
	for (size_t i = 0; i < l->n; i++) {
		const struct sample *s = &l->items[i];

		if (!fired[i] || (s->minor && !minor))
			continue;
		hit->several = hit->several || (worst && s->value.type != FIELD_STR &&
						       s->value.u64 != worst->value.u64);
		if (!worst || verdict_worse(c->rule, &s->value, &worst->value))
			worst = s;
	}
	hit->severity = minor ? SEVERITY_INFO : c->rule->severity;
	return worst;
}

static void write_hit(const struct compiled *c, const struct sample_list *l, const bool *marked,
	const struct sample *worst, struct hit *hit)
{
	write_words(&c->signal, worst, hit);
	finding_name_parts(&c->signal, l->items, marked, l->n, &hit->said);
	if ((worst->value.type == FIELD_FLAG || worst->value.type == FIELD_HEX) && hit->words[0])
		snprintf(hit->said.value, sizeof(hit->said.value), "%.47s", hit->words);
	else
		verdict_value_text(&worst->value, hit->said.value, sizeof(hit->said.value));
	if (!value_number(&worst->value, &hit->said.number))
		hit->said.number = NAN;
	hit->reading_mono_ms = worst->section   ? worst->section->meta.mono_ms
			       : worst->mono_ms ? worst->mono_ms
						: -1;
}

/* What tells one finding of a rule from another on the same node. */
static void key_text(const struct signal *s, const struct sample *worst, char *out, size_t size)
{
	out[0] = '\0';
	if (s->part == PART_MOUNT && worst->name)
		snprintf(out, size, "%s", worst->name);
	else if (s->part == PART_TARGET && worst->detail)
		snprintf(out, size, "%s", worst->detail);
	else if (s->part == PART_CODE || s->part == PART_SWITCH)
		snprintf(out, size, "%llu", (unsigned long long)worst->key);
}

static struct shared *shared_of(struct run *r, uint64_t key)
{
	for (size_t i = 0; i < r->shared_n; i++)
		if (r->shared[i].hit.key == key)
			return &r->shared[i];
	return NULL;
}

/* Adds a node's hit to what other nodes said of the same thing. */
static void share_hit(struct run *r, const struct hit *hit, const struct value *worst)
{
	struct shared *s = shared_of(r, hit->key);

	if (!s) {
		xgrow((void **)&r->shared, &r->shared_cap, r->shared_n, sizeof(*r->shared));
		s = &r->shared[r->shared_n++];
		memset(s, 0, sizeof(*s));
		s->hit = *hit;
		s->hit.node = SIZE_MAX;
		s->worst = *worst;
	} else if (verdict_worse(hit->rule, worst, &s->worst)) {
		size_t *nodes = s->hit.nodes;
		size_t n = s->hit.nodes_n;
		enum severity severity = s->hit.severity;

		s->hit = *hit;
		s->hit.node = SIZE_MAX;
		s->hit.nodes = nodes;
		s->hit.nodes_n = n;
		s->hit.severity = severity > hit->severity ? severity : hit->severity;
		s->worst = *worst;
	}
	xgrow((void **)&s->hit.nodes, &s->cap, s->hit.nodes_n, sizeof(*s->hit.nodes));
	s->hit.nodes[s->hit.nodes_n++] = hit->first_node;
}

static uint64_t key_of(
	const struct run *r, const struct compiled *c, size_t node, const struct sample *s)
{
	bool local = c->rule->scope == SCOPE_NODE;
	char text[256];

	key_text(&c->signal, s, text, sizeof(text));
	return hysteresis_key(
		c->rule->id, local ? r->j.snap->nodes[node].id : "", text, (const char *)NULL);
}

/* One finding's worth of samples on one node. fires: the marked ones are over the line. */
static void judge_marked(
	struct run *r, const struct compiled *c, size_t node, const bool *marked, bool fires)
{
	const struct sample_list *l = &r->j.samples;
	struct hit hit = {.rule = c->rule, .node = node, .first_node = node};
	const struct sample *worst = worst_of(c, l, marked, &hit);

	hit.key = key_of(r, c, node, worst);
	write_hit(c, l, marked, worst, &hit);
	if (c->rule->scope != SCOPE_NODE) {
		if (fires)
			share_hit(r, &hit, &worst->value);
		return;
	}
	if (finding_observe(&r->j, &hit, fires))
		finding_add(&r->j, &hit);
}

/* Marks what belongs with sample i; false when a finding before has taken it already. */
static bool mark_group(const struct compiled *c, const struct sample_list *l,
	const enum verdict *verdicts, size_t i, enum verdict want, bool *marked)
{
	for (size_t k = 0; k < i; k++)
		if (verdicts[k] == want && same_finding(&c->signal, &l->items[k], &l->items[i]))
			return false;
	for (size_t k = 0; k < l->n; k++)
		marked[k] =
			verdicts[k] == want && same_finding(&c->signal, &l->items[k], &l->items[i]);
	return true;
}

static bool fires_too(const struct compiled *c, const struct sample_list *l,
	const enum verdict *verdicts, const struct sample *s)
{
	for (size_t k = 0; k < l->n; k++)
		if (verdicts[k] == VERDICT_FIRED && same_finding(&c->signal, &l->items[k], s))
			return true;
	return false;
}

#define SAMPLES_MAX 4096

static void judge_samples(struct run *r, const struct compiled *c, size_t node,
	const enum verdict *verdicts, bool any)
{
	const struct sample_list *l = &r->j.samples;
	bool *marked = r->judge->fired;
	size_t made = 0;

	for (size_t i = 0; any && i < l->n && made < PER_NODE_MAX; i++) {
		if (verdicts[i] != VERDICT_FIRED ||
			!mark_group(c, l, verdicts, i, VERDICT_FIRED, marked))
			continue;
		judge_marked(r, c, node, marked, true);
		made++;
	}
	if (c->rule->for_samples < 2 || !c->remembered)
		return;
	if (l->n && one_memory(&c->signal) &&
		!hysteresis_knows(r->j.memory, key_of(r, c, node, &l->items[0])))
		return;
	/* What is fine now must count against what was not. */
	for (size_t i = 0; i < l->n && made < PER_NODE_MAX; i++) {
		if (verdicts[i] != VERDICT_OK ||
			!hysteresis_knows(r->j.memory, key_of(r, c, node, &l->items[i])) ||
			fires_too(c, l, verdicts, &l->items[i]) ||
			!mark_group(c, l, verdicts, i, VERDICT_OK, marked))
			continue;
		judge_marked(r, c, node, marked, false);
		made++;
		if (!stands_alone(c->signal.part))
			return;
	}
}

/* The verdict on a plain field when nothing fires; FIRED: samples are needed. */
static enum verdict glance(const struct compiled *c, const char *row, size_t n)
{
	size_t size = c->signal.table ? c->signal.table->row_size : 0;
	enum verdict worst = VERDICT_NOT_APPLICABLE;

	for (size_t i = 0; i < n && worst != VERDICT_FIRED; i++, row += size) {
		struct value v = signal_plain_value(&c->signal, row);
		enum verdict one = verdict_of(c->rule, &v);

		worst = one > worst ? one : worst;
	}
	return worst;
}

static enum verdict judge_rule(struct run *r, struct compiled *c, size_t node)
{
	struct judging *j = &r->j;
	struct signal_ctx ctx = {.snap = j->snap,
		.node = &j->snap->nodes[node],
		.facts = &j->facts[node],
		.fleet = j->fleet,
		.out = &j->samples,
		.pair = pair_facts_node(j->fleet->pairs, node)};
	enum verdict verdicts[SAMPLES_MAX];
	enum verdict worst = VERDICT_NOT_APPLICABLE;
	size_t n;
	const void *rows = signal_plain_rows(&c->signal, &ctx, &n);

	if (rows && (c->rule->for_samples == 1 || !c->remembered)) {
		worst = glance(c, rows, n);
		if (worst != VERDICT_FIRED)
			return worst;
		worst = VERDICT_NOT_APPLICABLE;
	}
	enum signal_state st = signal_eval(&c->signal, &ctx);

	if (st != SIGNAL_SAMPLED)
		return st == SIGNAL_UNKNOWN ? VERDICT_UNKNOWN : VERDICT_NOT_APPLICABLE;
	if (j->samples.n > SAMPLES_MAX)
		j->samples.n = SAMPLES_MAX;
	for (size_t i = 0; i < j->samples.n; i++) {
		verdicts[i] = verdict_of(c->rule, &j->samples.items[i].value);
		worst = verdicts[i] > worst ? verdicts[i] : worst;
	}
	c->remembered = c->remembered || worst == VERDICT_FIRED;
	if (worst == VERDICT_FIRED || (c->rule->for_samples > 1 && c->remembered)) {
		xgrow((void **)&r->judge->fired, &r->judge->fired_cap, j->samples.n,
			sizeof(*r->judge->fired));
		judge_samples(r, c, node, verdicts, worst == VERDICT_FIRED);
	}
	return worst;
}

static void count(struct rule_tally *t, struct node_tally *n, enum verdict v)
{
	switch (v) {
	case VERDICT_OK:
		t->ok++;
		break;
	case VERDICT_FIRED:
		t->fired++;
		break;
	case VERDICT_UNKNOWN:
		t->unknown++;
		n->unknown++;
		break;
	case VERDICT_NOT_APPLICABLE:
		t->not_applicable++;
		break;
	}
}

static void judge_node(struct run *r, size_t node)
{
	struct judgement *jm = r->j.jm;

	for (size_t i = 0; i < r->judge->n; i++) {
		struct compiled *c = &r->judge->rules[i];

		if (!c->usable || c->signal.part == PART_PAIR)
			continue;
		if (c->drift)
			drift_node(c->drift, node);
		else if (c->sweep && !r->j.fleet->pairs)
			jm->rules[i].not_applicable++;
		else
			count(&jm->rules[i], &jm->nodes[node], judge_rule(r, c, node));
	}
}

static void judge_nodes(struct run *r)
{
	struct peer_groups groups[PEERS_WAYS];

	peer_groups_get(groups, &r->j);
	for (size_t i = 0; i < r->judge->n; i++) {
		struct compiled *c = &r->judge->rules[i];

		if (c->usable && c->rule->compare == COMPARE_DIFFERS)
			c->drift =
				drift_begin(&r->j, c->rule, &c->signal, groups, &r->j.jm->rules[i]);
	}
	for (size_t node = 0; node < r->j.jm->nnodes; node++)
		judge_node(r, node);
	for (size_t i = 0; i < r->judge->n; i++) {
		struct compiled *c = &r->judge->rules[i];

		if (c->drift)
			drift_end(c->drift);
		c->drift = NULL;
	}
	peer_groups_release(groups);
}

static const char *count_words(struct run *r, const struct hit *hit)
{
	char text[160];

	if (hit->nodes_n == 1)
		return r->j.snap->nodes[hit->nodes[0]].name;
	snprintf(text, sizeof(text), "%zu nodes", hit->nodes_n);
	const char *copy = arena_strndup(&r->j.jm->arena, text, strlen(text));

	return copy ? copy : "several nodes";
}

static void judge_shared(struct run *r)
{
	for (size_t i = 0; i < r->shared_n; i++) {
		struct hit *hit = &r->shared[i].hit;

		hit->counts = count_words(r, hit);
		hit->peers = "cluster";
		hit->differ_n = hit->nodes_n;
		if (finding_observe(&r->j, hit, true))
			finding_add(&r->j, hit);
		free(hit->nodes);
	}
	free(r->shared);
}

/* What the sweep says beyond the snapshot's nodes. */
static void judge_pairs(struct run *r)
{
	for (size_t i = 0; i < r->judge->n; i++) {
		const struct compiled *c = &r->judge->rules[i];
		struct rule_tally *t = &r->j.jm->rules[i];

		if (!c->sweep || c->rule->compare == COMPARE_DIFFERS)
			continue;
		if (c->signal.part == PART_PAIR)
			pair_findings_judge(&r->j, c->rule, &c->signal, t);
		else
			pair_findings_outside(&r->j, c->rule, &c->signal, t);
	}
}

static void mark_failed(const struct judge *judge, struct pair_facts *f)
{
	for (size_t i = 0; i < judge->n; i++)
		if (judge->rules[i].sweep &&
			strcmp(judge->rules[i].signal.name, "pairs.failed_partners") == 0)
			pair_findings_mark(f, judge->rules[i].rule);
}

/* Section A, then B, then evidence that is routed elsewhere. */
static int section_rank(const struct rule *r)
{
	return r->section[0] == 'A' ? 0 : r->section[0] == 'B' ? 1 : 2;
}

static int worst_first(const void *a, const void *b)
{
	const struct finding *x = a;
	const struct finding *y = b;

	if (x->severity != y->severity)
		return x->severity < y->severity ? 1 : -1;
	if (section_rank(x->rule) != section_rank(y->rule))
		return section_rank(x->rule) - section_rank(y->rule);
	/* Of several nodes (SIZE_MAX) first: + 1 wraps them to 0. */
	if (x->node != y->node)
		return x->node + 1 < y->node + 1 ? -1 : 1;
	if (x->rule != y->rule)
		return x->rule < y->rule ? -1 : 1;
	int parts = strcmp(x->part, y->part);

	return parts ? parts : strcmp(x->id, y->id);
}

static void tally_node(struct node_tally *t, const struct finding *f)
{
	if (f->severity > t->worst)
		t->worst = f->severity;
	t->concerns += f->severity == SEVERITY_CONCERN;
	t->infos += f->severity == SEVERITY_INFO;
	if (!t->top)
		t->top = f;
}

static void tally(struct judgement *jm)
{
	for (size_t i = 0; i < jm->n; i++) {
		const struct finding *f = &jm->findings[i];

		jm->concerns += f->severity == SEVERITY_CONCERN;
		jm->infos += f->severity == SEVERITY_INFO;
		if (f->node != SIZE_MAX)
			tally_node(&jm->nodes[f->node], f);
		for (size_t n = 0; n < f->nodes_n; n++)
			tally_node(&jm->nodes[f->nodes[n]], f);
	}
	for (size_t i = 0; i < jm->nrules; i++)
		jm->unknown += jm->rules[i].unknown;
}

struct judgement *judge_run(struct judge *judge, const struct snapshot *snap)
{
	return judge_run_with(judge, snap, NULL);
}

struct judgement *judge_run_with(
	struct judge *judge, const struct snapshot *snap, const struct judge_pairs *from)
{
	struct judgement *jm = xcalloc(1, sizeof(*jm));
	struct node_facts *facts = xcalloc(snap->n, sizeof(*facts));
	struct fleet_facts fleet;
	struct run r = {.judge = judge};
	struct pair_facts pairs = {.n = 0};

	arena_init(&jm->arena, ARENA_CAP);
	jm->generation = snap->generation;
	jm->nrules = judge->n;
	jm->rules = xcalloc(judge->n, sizeof(*jm->rules));
	jm->nnodes = snap->n;
	jm->nodes = xcalloc(snap->n, sizeof(*jm->nodes));
	for (size_t i = 0; i < snap->n; i++)
		node_facts_get(&facts[i], &snap->nodes[i], i ? &facts[i - 1] : NULL);
	fleet_facts_get(&fleet, snap);
	if (from) {
		pair_facts_get(&pairs, snap, from);
		mark_failed(judge, &pairs);
		fleet.pairs = &pairs;
	}
	r.j = (struct judging){.snap = snap,
		.facts = facts,
		.fleet = &fleet,
		.memory = &judge->memory,
		.generation_before = judge->generation,
		.jm = jm};
	judge_nodes(&r);
	judge_shared(&r);
	judge_pairs(&r);
	if (jm->n)
		qsort(jm->findings, jm->n, sizeof(*jm->findings), worst_first);
	tally(jm);
	hysteresis_sweep(&judge->memory, snap->generation, snap->mono_ms);
	judge->generation = snap->generation;
	free(r.j.samples.items);
	pair_facts_release(&pairs);
	free(facts);
	return jm;
}

void judgement_free(struct judgement *jm)
{
	if (!jm)
		return;
	free(jm->findings);
	free(jm->rules);
	free(jm->nodes);
	arena_release(&jm->arena);
	free(jm);
}
