#include "rules/pair_findings.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collectors/hostlist.h"
#include "collectors/text.h"
#include "collectors/xmalloc.h"

#define NAMES_ROOM 400

bool pair_signal(const struct signal *s)
{
	return strncmp(s->name, "pairs.", strlen("pairs.")) == 0;
}

void pair_findings_mark(struct pair_facts *f, const struct rule *r)
{
	for (size_t i = 0; i < f->n; i++) {
		struct value v = {.state = OPT_OK, .type = FIELD_U64, .u64 = f->nodes[i].failed};

		if (v.u64 && verdict_of(r, &v) == VERDICT_FIRED)
			f->nodes[i].all_to_node = true;
	}
}

static const char *kept(struct judging *j, const char *text)
{
	const char *copy = arena_strndup(&j->jm->arena, text, strlen(text));

	return copy ? copy : "";
}

static void count(struct rule_tally *t, enum verdict v)
{
	t->ok += v == VERDICT_OK;
	t->fired += v == VERDICT_FIRED;
	t->unknown += v == VERDICT_UNKNOWN;
	t->not_applicable += v == VERDICT_NOT_APPLICABLE;
}

/* What a sample says, apart from whom. */
static void describe(const struct signal *s, const struct sample *x, struct hit *hit)
{
	hit->severity = x->minor ? SEVERITY_INFO : hit->rule->severity;
	hit->reading_mono_ms = x->mono_ms;
	if (s->describe)
		s->describe(x, hit->words, sizeof(hit->words));
	if (x->detail) {
		text_printable(hit->detail, sizeof(hit->detail), x->detail, strlen(x->detail));
		if (!s->describe)
			snprintf(hit->words, sizeof(hit->words), "%.90s", hit->detail);
	}
	verdict_value_text(&x->value, hit->said.value, sizeof(hit->said.value));
	if (!value_number(&x->value, &hit->said.number))
		hit->said.number = NAN;
}

static void show(struct judging *j, struct hit *hit)
{
	if (finding_observe(j, hit, true))
		finding_add(j, hit);
}

/* ---- pairs ---- */

static bool is_pair(const struct sample *x)
{
	return x->a != x->b;
}

/* "node03 – node07", cut where both names do not fit. */
static void name_pair(const char *a, const char *b, struct said *said)
{
	char text[sizeof(said->part) + 8];

	snprintf(text, sizeof(text), "%.44s – %.44s", a, b);
	text_printable(said->part, sizeof(said->part), text, strlen(text));
	snprintf(said->title, sizeof(said->title), "%s", said->part);
}

/* Run, file and reason of a failure; of others the words say all. */
static void pair_evidence(const struct signal *s, const struct sample *x, struct hit *hit)
{
	const struct pair_failure *e = s->type == FIELD_FLAG ? x->row : NULL;
	char text[sizeof(hit->detail)];

	if (!e)
		return;
	snprintf(text, sizeof(text), "%.250s (%.140s)", e->why ? e->why : "no reason is known",
		e->path ? e->path : "file not known");
	text_printable(hit->detail, sizeof(hit->detail), text, strlen(text));
}

static void add_pair(
	struct judging *j, const struct rule *r, const struct signal *s, const struct sample *x)
{
	const struct pair_facts *f = j->fleet->pairs;
	struct hit hit = {.rule = r, .node = SIZE_MAX, .first_node = SIZE_MAX, .peers = "cluster"};
	const char *names[2] = {"", ""};
	size_t nodes[2];
	char folded[NAMES_ROOM];

	describe(s, x, &hit);
	if (is_pair(x)) {
		const size_t ends[2] = {x->a, x->b};

		for (size_t i = 0; i < 2; i++) {
			names[i] = f->set->nodes[ends[i]].name;
			if (f->nodes[ends[i]].node != SIZE_MAX)
				nodes[hit.nodes_n++] = f->nodes[ends[i]].node;
		}
		if (hit.nodes_n == 2 && nodes[0] > nodes[1]) {
			size_t swap = nodes[0];

			nodes[0] = nodes[1];
			nodes[1] = swap;
		}
		hit.nodes = nodes;
		hit.first_node = hit.nodes_n ? nodes[0] : SIZE_MAX;
		hit.outside = names[0];
		name_pair(names[0], names[1], &hit.said);
		hostlist_fold(names, 2, folded, sizeof(folded));
		hit.differing = kept(j, folded);
		pair_evidence(s, x, &hit);
	}
	hit.key = hysteresis_key(r->id, names[0], names[1], (const char *)NULL);
	show(j, &hit);
}

/* The pairs behind the first PAIR_FINDINGS_MAX, in one finding without names. */
static void add_rest(struct judging *j, const struct rule *r, const struct signal *s,
	const struct sample *const *rest, size_t n)
{
	struct hit hit = {.rule = r, .node = SIZE_MAX, .first_node = SIZE_MAX};

	describe(s, rest[0], &hit);
	hit.several = true;
	for (size_t i = 0; i < n; i++)
		if (!rest[i]->minor)
			hit.severity = r->severity;
	snprintf(hit.said.part, sizeof(hit.said.part), "%zu more pairs", n);
	snprintf(hit.said.title, sizeof(hit.said.title), "%s", hit.said.part);
	hit.key = hysteresis_key(r->id, "more pairs", (const char *)NULL);
	show(j, &hit);
}

struct fired {
	const struct rule *rule;
	const struct sample *sample;
};

/* What counts in full first, then by how far it is over the line, then by pair. */
static int worst_first(const void *a, const void *b)
{
	const struct fired *x = a;
	const struct fired *y = b;

	if (x->sample->minor != y->sample->minor)
		return x->sample->minor ? 1 : -1;
	if (verdict_worse(x->rule, &x->sample->value, &y->sample->value))
		return -1;
	if (verdict_worse(x->rule, &y->sample->value, &x->sample->value))
		return 1;
	if (x->sample->a != y->sample->a)
		return x->sample->a < y->sample->a ? -1 : 1;
	return x->sample->b < y->sample->b ? -1 : x->sample->b > y->sample->b;
}

static void add_findings(struct judging *j, const struct rule *r, const struct signal *s,
	struct fired *fired, size_t n)
{
	size_t shown = n <= PAIR_FINDINGS_MAX + 1 ? n : PAIR_FINDINGS_MAX;

	qsort(fired, n, sizeof(*fired), worst_first);
	for (size_t i = 0; i < shown; i++)
		add_pair(j, r, s, fired[i].sample);
	if (shown == n)
		return;
	const struct sample **rest = xcalloc(n - shown, sizeof(*rest));

	for (size_t i = shown; i < n; i++)
		rest[i - shown] = fired[i].sample;
	add_rest(j, r, s, rest, n - shown);
	free(rest);
}

void pair_findings_judge(
	struct judging *j, const struct rule *r, const struct signal *s, struct rule_tally *t)
{
	struct signal_ctx ctx = {.snap = j->snap, .fleet = j->fleet, .out = &j->samples};

	if (!j->fleet->pairs || signal_eval(s, &ctx) != SIGNAL_SAMPLED) {
		t->not_applicable++;
		return;
	}
	struct fired *fired = xcalloc(j->samples.n, sizeof(*fired));
	size_t n = 0;

	for (size_t i = 0; i < j->samples.n; i++) {
		const struct sample *x = &j->samples.items[i];
		enum verdict v = verdict_of(r, &x->value);

		count(t, v);
		if (v == VERDICT_FIRED)
			fired[n++] = (struct fired){r, x};
	}
	if (n)
		add_findings(j, r, s, fired, n);
	free(fired);
}

/* ---- nodes that the inventory does not have ---- */

struct strangers {
	const char **names;
	size_t n;
	bool nobody; /* a line that names no node, too */
	struct sample worst;
	bool any;
};

static void meet(
	struct strangers *g, const struct rule *r, const struct sample *x, const char *name)
{
	if (name)
		g->names[g->n++] = name;
	else
		g->nobody = true;
	if (!g->any || (g->worst.minor && !x->minor) ||
		(g->worst.minor == x->minor && verdict_worse(r, &x->value, &g->worst.value)))
		g->worst = *x;
	g->any = true;
}

static void add_strangers(
	struct judging *j, const struct rule *r, const struct signal *s, const struct strangers *g)
{
	struct hit hit = {.rule = r, .node = SIZE_MAX, .first_node = SIZE_MAX};
	char folded[NAMES_ROOM];
	char counts[64];
	char detail[sizeof(hit.detail)];

	describe(s, &g->worst, &hit);
	hostlist_fold(g->names, g->n, folded, sizeof(folded));
	snprintf(counts, sizeof(counts), "%zu nodes", g->n);
	hit.counts = g->n == 0 ? "a node that is not named" : g->n == 1 ? folded : counts;
	hit.counts = kept(j, hit.counts);
	hit.several = g->n > 1;
	if (g->n) {
		char *part = hit.said.part;

		hostlist_fold(g->names, g->n, part, sizeof(hit.said.part));
		snprintf(hit.said.title, sizeof(hit.said.title), "%s", part);
		hit.differing = kept(j, folded);
		hit.outside = g->names[0];
		snprintf(detail, sizeof(detail), "not in the inventory%s%.340s",
			hit.detail[0] ? "; " : "", hit.detail);
		text_printable(hit.detail, sizeof(hit.detail), detail, strlen(detail));
	}
	hit.key = hysteresis_key(r->id, "outside", (const char *)NULL);
	show(j, &hit);
}

void pair_findings_outside(
	struct judging *j, const struct rule *r, const struct signal *s, struct rule_tally *t)
{
	const struct pair_facts *f = j->fleet->pairs;

	if (!f)
		return;
	/* Stands for those who are not named: nothing is wrong with it but what a line says. */
	struct pair_node nobody = {.node = SIZE_MAX, .tested = TESTED_WELL};
	struct strangers g = {.names = xcalloc(f->n ? f->n : 1, sizeof(*g.names))};
	struct signal_ctx ctx = {.snap = j->snap, .fleet = j->fleet, .out = &j->samples};

	memcpy(nobody.trouble, f->nobody, sizeof(nobody.trouble));
	for (size_t i = 0; i <= f->n; i++) {
		ctx.pair = i < f->n ? &f->nodes[i] : &nobody;
		if (ctx.pair->node != SIZE_MAX || signal_eval(s, &ctx) != SIGNAL_SAMPLED)
			continue;
		if (verdict_of(r, &j->samples.items[0].value) != VERDICT_FIRED)
			continue;
		t->fired++;
		meet(&g, r, &j->samples.items[0], i < f->n ? f->set->nodes[i].name : NULL);
	}
	if (g.any)
		add_strangers(j, r, s, &g);
	free(g.names);
}
