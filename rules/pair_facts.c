#include "rules/pair_facts.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collectors/text.h"
#include "collectors/xmalloc.h"

#define WORDS_BYTES (8u << 20)
#define WORDS_MAX   400
/* Pairs named as evidence of one node. */
#define PAIRS_NAMED 3

/* Kept text, cut to WORDS_MAX bytes between characters; NULL when there is no room. */
ATTR_PRINTF(2, 3) static const char *words(struct pair_facts *f, const char *fmt, ...)
{
	char text[WORDS_MAX];
	char clean[WORDS_MAX];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	text_printable(clean, sizeof(clean), text, strlen(text));
	return arena_strndup(&f->arena, clean, strlen(clean));
}

/* ---- nodes of the snapshot by their id ---- */

struct ids {
	const struct snapshot *snap;
	size_t *slots; /* index + 1; 0 free */
	size_t mask;
};

static size_t slot_of(const struct ids *t, const char *id)
{
	uint64_t h = UINT64_C(14695981039346656037); /* FNV-1a */

	for (const char *p = id; *p; p++)
		h = (h ^ (unsigned char)*p) * UINT64_C(1099511628211);
	size_t i = (size_t)(h ^ h >> 32) & t->mask;

	while (t->slots[i] && strcmp(t->snap->nodes[t->slots[i] - 1].id, id) != 0)
		i = (i + 1) & t->mask;
	return i;
}

static void ids_init(struct ids *t, const struct snapshot *snap)
{
	size_t cap = 16;

	while (cap < 2 * snap->n)
		cap *= 2;
	*t = (struct ids){snap, xcalloc(cap, sizeof(*t->slots)), cap - 1};
	for (size_t i = 0; i < snap->n; i++) {
		size_t at = slot_of(t, snap->nodes[i].id);

		if (!t->slots[at])
			t->slots[at] = i + 1;
	}
}

static void name_nodes(struct pair_facts *f, const struct snapshot *snap)
{
	struct ids ids;

	ids_init(&ids, snap);
	f->of_node_n = snap->n;
	f->of_node = xcalloc(snap->n ? snap->n : 1, sizeof(*f->of_node));
	for (size_t i = 0; i < snap->n; i++)
		f->of_node[i] = SIZE_MAX;
	for (size_t i = 0; i < f->n; i++) {
		const char *id = f->set->nodes[i].id;
		size_t at = id ? ids.slots[slot_of(&ids, id)] : 0;

		f->nodes[i].node = at ? at - 1 : SIZE_MAX;
		if (at && f->of_node[at - 1] == SIZE_MAX)
			f->of_node[at - 1] = i;
	}
	free(ids.slots);
}

/* ---- failures ---- */

bool pair_facts_measured(const struct pair_facts *f, size_t a, size_t b)
{
	size_t count = 0;

	pair_set_readings(f->set, a, b, &count);
	return count > 0;
}

/* By pair; within one the newest first, wrong values before all. */
static int by_pair(const void *a, const void *b)
{
	const struct pair_failure *x = *(const struct pair_failure *const *)a;
	const struct pair_failure *y = *(const struct pair_failure *const *)b;

	if (x->a != y->a)
		return x->a < y->a ? -1 : 1;
	if (x->b != y->b)
		return x->b < y->b ? -1 : 1;
	if (x->wrong != y->wrong)
		return x->wrong ? -1 : 1;
	if (x->wall_ms != y->wall_ms)
		return x->wall_ms > y->wall_ms ? -1 : 1;
	return x < y ? -1 : x > y;
}

static void count_failure(struct pair_facts *f, const struct pair_failure *e)
{
	const size_t ends[] = {e->a, e->b};
	const char *path = e->path ? e->path : "";
	bool counts = e->status == BW_FAILED && !e->wrong && !pair_facts_measured(f, e->a, e->b);

	for (size_t i = 0; i < 2; i++) {
		struct pair_node *n = &f->nodes[ends[i]];

		n->seen = true;
		n->failed += counts;
		if (counts && !n->failed_words)
			n->failed_words = words(f, "with %s: %s (%s)",
				f->set->nodes[ends[1 - i]].name, e->why ? e->why : "failed", path);
	}
}

static void gather_failures(struct pair_facts *f)
{
	const struct pair_set *set = f->set;
	size_t n = 0;

	f->failures = xcalloc(set->n_failures ? set->n_failures : 1, sizeof(*f->failures));
	for (size_t i = 0; i < set->n_failures; i++)
		if (set->failures[i].a < f->n && set->failures[i].b < f->n)
			f->failures[n++] = &set->failures[i];
	if (n)
		qsort(f->failures, n, sizeof(*f->failures), by_pair);
	for (size_t i = 0; i < n; i++) {
		const struct pair_failure *e = f->failures[i];

		if (f->n_failures && e->a == f->failures[f->n_failures - 1]->a &&
			e->b == f->failures[f->n_failures - 1]->b)
			continue;
		f->failures[f->n_failures++] = e;
		count_failure(f, e);
	}
}

/* ---- the rest ---- */

static const char *slow_words(struct pair_facts *f, const struct suspect_node *s)
{
	char text[WORDS_MAX] = "";
	size_t used = 0;

	for (size_t i = 0; i < s->n_evidence && i < PAIRS_NAMED && used < sizeof(text); i++) {
		const struct pair_evidence *e = &s->evidence[i];
		size_t other = e->a == s->node ? e->b : e->a;
		int n = snprintf(text + used, sizeof(text) - used, "%s%.1f of %.1f GB/s with %.80s",
			i ? ", " : "", (double)e->busbw_gbps, (double)e->expected_gbps,
			other < f->n ? f->set->nodes[other].name : "?");

		used += n > 0 ? (size_t)n : 0;
	}
	return text[0] ? words(f, "%s", text) : NULL;
}

static const char *trouble_words(struct pair_facts *f, const struct pair_trouble *t)
{
	bool host = t->node < f->n;
	const char *path = t->path ? t->path : "";

	return words(f, "%s%s%.250s (%s)", host ? f->set->nodes[t->node].name : "",
		host ? ": " : "", t->line ? t->line : "", path);
}

static void set_trouble(struct pair_facts *f, size_t node, const struct pair_trouble *t)
{
	if (node >= f->n)
		return;
	f->nodes[node].seen = true;
	if (!f->nodes[node].trouble[t->what])
		f->nodes[node].trouble[t->what] = trouble_words(f, t);
}

/* Who printed it, else both nodes of the run. */
static void gather_troubles(struct pair_facts *f)
{
	for (size_t i = 0; i < f->set->n_troubles; i++) {
		const struct pair_trouble *t = &f->set->troubles[i];

		if (t->node != FLEET_NONE) {
			set_trouble(f, t->node, t);
		} else if (t->a != t->b) {
			set_trouble(f, t->a, t);
			set_trouble(f, t->b, t);
		} else if (!f->nobody[t->what]) {
			f->nobody[t->what] = trouble_words(f, t);
		}
	}
}

int64_t pair_facts_mono_ms(const struct judge_pairs *p, int64_t wall_ms)
{
	int64_t ago = p->wall_ms - wall_ms;

	if (wall_ms <= 0)
		return -1;
	/* Clocks of other machines: nothing was measured after it was read. */
	return ago > 0 ? p->mono_ms - ago : p->mono_ms;
}

void pair_facts_get(struct pair_facts *f, const struct snapshot *snap, const struct judge_pairs *p)
{
	const struct attribution *at = p->at;

	*f = (struct pair_facts){.set = p->set, .at = at, .n = p->set->n, .from = p};
	arena_init(&f->arena, WORDS_BYTES);
	f->newest_mono_ms = pair_facts_mono_ms(p, p->set->newest_wall_ms);
	f->nodes = xcalloc(f->n ? f->n : 1, sizeof(*f->nodes));
	name_nodes(f, snap);
	for (size_t i = 0; i < f->n; i++) {
		f->nodes[i].tested = i < at->n ? (enum tested)at->tested[i] : TESTED_NOT;
		f->nodes[i].seen = f->nodes[i].tested != TESTED_NOT;
	}
	for (size_t i = 0; i < at->n_nodes; i++)
		if (at->nodes[i].node < f->n) {
			struct pair_node *n = &f->nodes[at->nodes[i].node];

			n->suspect = &at->nodes[i];
			n->slow_words = slow_words(f, n->suspect);
		}
	gather_failures(f);
	gather_troubles(f);
}

void pair_facts_release(struct pair_facts *f)
{
	free(f->nodes);
	free(f->of_node);
	free(f->failures);
	arena_release(&f->arena);
	memset(f, 0, sizeof(*f));
}

const struct pair_node *pair_facts_node(const struct pair_facts *f, size_t node)
{
	if (!f || node >= f->of_node_n || f->of_node[node] == SIZE_MAX)
		return NULL;
	return &f->nodes[f->of_node[node]];
}
