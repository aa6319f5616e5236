#include "rules/drift_scan.h"
#include "rules/pair_facts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collectors/xmalloc.h"

/* More different values than this in one group are not told apart any more. */
#define VALUES_MAX 64
/* More groups than this are not judged: counted as unknown. */
#define BUCKETS_MAX 256
#define COUNTS_MAX  4

/* One value that nodes of a group have. */
struct peer_value {
	const char *text; /* judgement's arena */
	size_t *nodes;    /* gathered only when the bucket has several values */
	size_t n;
	size_t cap;
	size_t count;
};

/* The nodes of one group, and one part where parts are the same thing everywhere (a mount). */
struct bucket {
	const char *group;
	const char *part; /* "" */
	struct peer_value values[VALUES_MAX];
	size_t values_n;
	struct value usual; /* what values[0] was made from, when a node's parts all had it */
	size_t overflow;    /* nodes whose value found no place */
	size_t count;
	int64_t newest_mono_ms;
	size_t first_node;
};

bool drift_same(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

int drift_by_node(const void *a, const void *b)
{
	size_t x = *(const size_t *)a;
	size_t y = *(const size_t *)b;

	return (x > y) - (x < y);
}

const char *drift_keep(struct judging *j, const char *text)
{
	const char *copy = arena_strndup(&j->jm->arena, text, strlen(text));

	return copy ? copy : "";
}

void drift_count_known(enum verdict v, struct rule_tally *tally, struct node_tally *node)
{
	if (v == VERDICT_UNKNOWN) {
		tally->unknown++;
		node->unknown++;
	} else if (v == VERDICT_NOT_APPLICABLE) {
		tally->not_applicable++;
	}
}

static const char *group_name(
	struct judging *j, const char *before, const char *name, const char *after)
{
	char text[160];

	snprintf(text, sizeof(text), "%s%s%s", before, name, after);
	const char *copy = arena_strndup(&j->jm->arena, text, strlen(text));

	return copy ? copy : "cluster";
}

/* One node's group by name; reuses the text of the node before when it is the same. */
static const char *own_group(const struct judging *j, size_t i)
{
	const struct node *n = &j->snap->nodes[i];
	const struct host_reading *h = reading_host(n->section[SECTION_HOST]);

	if (n->group && n->group[0])
		return n->group;
	return h && opt_has(h->instance_group) ? h->instance_group.v : NULL;
}

void peer_groups_get(struct peer_groups out[PEERS_WAYS], struct judging *j)
{
	size_t n = j->snap->n;
	const char *before = NULL;
	const char *type_before = NULL;

	for (int w = 0; w < PEERS_WAYS; w++)
		out[w].names = xcalloc(n, sizeof(*out[w].names));
	for (size_t i = 0; i < n; i++) {
		const char *group = own_group(j, i);
		const char *type = j->facts[i].type_name;
		bool again = i && drift_same(group, before) && drift_same(type, type_before);

		out[PEERS_CLUSTER].names[i] = "cluster";
		if (again) {
			out[PEERS_GROUP].names[i] = out[PEERS_GROUP].names[i - 1];
			out[PEERS_IN_GROUP].names[i] = out[PEERS_IN_GROUP].names[i - 1];
			continue;
		}
		out[PEERS_IN_GROUP].names[i] = group ? group_name(j, "group ", group, "") : NULL;
		out[PEERS_GROUP].names[i] = group  ? out[PEERS_IN_GROUP].names[i]
					    : type ? group_name(j, "", type, " nodes")
						   : "cluster";
		before = group;
		type_before = type;
	}
}

void peer_groups_release(struct peer_groups groups[PEERS_WAYS])
{
	for (int w = 0; w < PEERS_WAYS; w++)
		free(groups[w].names);
}

static struct bucket *bucket_of(struct drift *s, const char *group, const char *part)
{
	for (size_t k = 0; k < s->n; k++) {
		size_t i = (s->last + k) % s->n;
		struct bucket *b = &s->buckets[i];

		if (drift_same(b->group, group) && drift_same(b->part, part)) {
			s->last = i;
			return b;
		}
	}
	if (s->n >= BUCKETS_MAX || s->gather)
		return NULL;
	xgrow((void **)&s->buckets, &s->cap, s->n, sizeof(*s->buckets));
	struct bucket *b = &s->buckets[s->n];

	memset(b, 0, sizeof(*b));
	b->group = group;
	b->part = part;
	b->newest_mono_ms = -1;
	b->first_node = SIZE_MAX;
	s->last = s->n++;
	return b;
}

static bool same_value(const struct value *a, const struct value *b)
{
	if (a->state != b->state || a->type != b->type)
		return false;
	switch (a->type) {
	case FIELD_STR:
		return drift_same(a->str, b->str);
	case FIELD_FLAG:
		return a->flag == b->flag;
	case FIELD_F64:
		return a->f64 == b->f64;
	case FIELD_U64:
	case FIELD_I64:
	case FIELD_HEX:
		break;
	}
	return a->u64 == b->u64;
}

/* Who has which value matters where there are several. */
static void add_holder(struct bucket *b, size_t v, size_t node)
{
	if (v >= b->values_n || b->values_n < 2)
		return;
	struct peer_value *p = &b->values[v];

	xgrow((void **)&p->nodes, &p->cap, p->n, sizeof(*p->nodes));
	p->nodes[p->n++] = node;
}

/* text NULL: the usual value of b. */
static void put_value(
	struct drift *s, struct bucket *b, const char *text, size_t node, const struct section *sec)
{
	size_t v = 0;

	while (text && v < b->values_n && strcmp(b->values[v].text, text) != 0)
		v++;
	if (s->gather) {
		add_holder(b, v, node);
		return;
	}
	b->count++;
	if (sec && sec->meta.mono_ms > b->newest_mono_ms)
		b->newest_mono_ms = sec->meta.mono_ms;
	if (b->first_node == SIZE_MAX)
		b->first_node = node;
	if (v == b->values_n) {
		const char *copy = NULL;

		if (v < VALUES_MAX)
			copy = arena_strndup(&s->j->jm->arena, text, strlen(text));
		if (!copy) {
			b->overflow++;
			return;
		}
		b->values[b->values_n++].text = copy;
	}
	b->values[v].count++;
	if (s->places)
		s->places[node] = (struct drift_place){(uint16_t)(b - s->buckets), (uint16_t)v};
}

static void sample_text(const struct signal *sig, const struct sample *s, char *out, size_t size)
{
	if (sig->normalize && s->value.type == FIELD_STR && s->value.str)
		sig->normalize(s->value.str, out, size);
	else
		verdict_value_text(&s->value, out, size);
}

static bool has_item(const char *list, const char *item)
{
	struct span rest = span_of(list);
	struct span one;

	while (span_field(&rest, ',', &one))
		if (span_eq(one, item))
			return list[0] != '\0';
	return false;
}

/* The different values of a node's parts, in order of appearance: "16" or "16,8". */
static enum verdict join_values(const struct drift *s, char *out, size_t size)
{
	const struct sample_list *l = &s->j->samples;
	enum verdict worst = VERDICT_NOT_APPLICABLE;
	size_t used = 0;
	const struct value *before = NULL;

	out[0] = '\0';
	for (size_t i = 0; i < l->n; i++) {
		const struct value *v = &l->items[i].value;
		char text[256];
		char mark[260];

		if (v->state == OPT_UNSUPPORTED)
			continue;
		if (v->state != OPT_OK)
			return VERDICT_UNKNOWN;
		worst = VERDICT_OK;
		/* Most often all parts have the same number. */
		if (before && v->type != FIELD_STR && v->type != FIELD_F64 && v->u64 == before->u64)
			continue;
		before = v;
		sample_text(s->signal, &l->items[i], text, sizeof(text));
		snprintf(mark, sizeof(mark), ",%s", text);
		if (has_item(out, text))
			continue;
		int n = snprintf(out + used, size - used, "%s", used ? mark : text);

		used += n > 0 ? (size_t)n : 0;
		if (used >= size)
			break;
	}
	return worst;
}

static enum verdict put_mounts(struct drift *s, const char *group, size_t node)
{
	const struct sample_list *l = &s->j->samples;
	enum verdict worst = VERDICT_NOT_APPLICABLE;

	for (size_t i = 0; i < l->n; i++) {
		const struct sample *m = &l->items[i];
		char text[1024];

		if (m->value.state == OPT_UNSUPPORTED)
			continue;
		if (m->value.state != OPT_OK) {
			worst = VERDICT_UNKNOWN;
			continue;
		}
		if (worst == VERDICT_NOT_APPLICABLE)
			worst = VERDICT_OK;
		struct bucket *b = bucket_of(s, group, m->name ? m->name : "");

		if (!b) {
			worst = VERDICT_UNKNOWN;
			continue;
		}
		if (b->values_n && same_value(&b->usual, &m->value)) {
			put_value(s, b, NULL, node, m->section);
			continue;
		}
		sample_text(s->signal, m, text, sizeof(text));
		put_value(s, b, text, node, m->section);
		if (!s->gather && b->count == 1)
			b->usual = m->value;
	}
	return worst;
}

static bool all_alike(const struct sample_list *l)
{
	for (size_t i = 1; i < l->n; i++)
		if (!same_value(&l->items[i].value, &l->items[0].value))
			return false;
	return true;
}

/* What one node has, put into the buckets. */
static enum verdict scan_node(struct drift *s, size_t i)
{
	struct judging *j = s->j;
	struct signal_ctx c = {.snap = j->snap,
		.node = &j->snap->nodes[i],
		.facts = &j->facts[i],
		.fleet = j->fleet,
		.out = &j->samples,
		.pair = pair_facts_node(j->fleet->pairs, i)};
	const char *group = s->groups[i];

	if (!group)
		return VERDICT_NOT_APPLICABLE;
	enum signal_state st = signal_eval(s->signal, &c);

	if (st != SIGNAL_SAMPLED)
		return st == SIGNAL_UNKNOWN ? VERDICT_UNKNOWN : VERDICT_NOT_APPLICABLE;
	if (s->signal->part == PART_MOUNT)
		return put_mounts(s, group, i);
	struct bucket *b = bucket_of(s, group, "");
	const struct value *first = &j->samples.items[0].value;

	if (!b)
		return VERDICT_UNKNOWN;
	/* Nearly always all parts of all nodes have the same: no text is made of it. */
	bool alike = all_alike(&j->samples);

	if (alike && first->state == OPT_OK && b->values_n && same_value(&b->usual, first)) {
		put_value(s, b, NULL, i, j->samples.items[0].section);
		return VERDICT_OK;
	}
	char text[256];
	enum verdict v = join_values(s, text, sizeof(text));

	if (v != VERDICT_OK)
		return v;
	put_value(s, b, text, i, j->samples.items[0].section);
	if (alike && !s->gather && b->count == 1)
		b->usual = *first;
	return VERDICT_OK;
}

static int most_first(const void *a, const void *b)
{
	const struct peer_value *x = a;
	const struct peer_value *y = b;

	if (x->count != y->count)
		return x->count < y->count ? 1 : -1;
	return strcmp(x->text, y->text);
}

/* "use1-az1 on 22, use1-az2 on 2" */
static const char *counts_text(struct judging *j, const struct bucket *b)
{
	char text[400];
	size_t used = 0;

	text[0] = '\0';
	for (size_t i = 0; i < b->values_n && i < COUNTS_MAX && used < sizeof(text); i++) {
		int n = snprintf(text + used, sizeof(text) - used, "%s%.60s on %zu", i ? ", " : "",
			b->values[i].text, b->values[i].count);

		used += n > 0 ? (size_t)n : 0;
	}
	if (b->values_n > COUNTS_MAX && used < sizeof(text))
		snprintf(text + used, sizeof(text) - used, " and %zu more",
			b->values_n - COUNTS_MAX);
	const char *copy = arena_strndup(&j->jm->arena, text, strlen(text));

	return copy ? copy : "";
}

/* All nodes whose value is not the first one's, ascending. Caller frees. */
static size_t *odd_nodes(const struct bucket *b, size_t *n)
{
	size_t *out = xcalloc(b->count, sizeof(*out));

	*n = 0;
	for (size_t v = 1; v < b->values_n; v++)
		for (size_t i = 0; i < b->values[v].n && *n < b->count; i++)
			out[(*n)++] = b->values[v].nodes[i];
	qsort(out, *n, sizeof(*out), drift_by_node);
	return out;
}

static void fill_summary(struct judging *j, const struct bucket *b, struct hit *hit, bool majority)
{
	char text[300];

	hit->counts = counts_text(j, b);
	if (!majority) {
		hit->summary = hit->counts;
		hit->expected = "the same on all";
		snprintf(hit->said.value, sizeof(hit->said.value), "%zu values", b->values_n);
		return;
	}
	hit->expected = b->values[0].text;
	hit->same_n = b->values[0].count;
	hit->differ_n = b->count - b->values[0].count;
	hit->differing = finding_fold_nodes(j, hit->nodes, hit->nodes_n, 1024);
	snprintf(text, sizeof(text), "%zu same, %zu differ%s: %s", hit->same_n, hit->differ_n,
		hit->differ_n == 1 ? "s" : "", finding_fold_nodes(j, hit->nodes, hit->nodes_n, 48));
	hit->summary = drift_keep(j, text);
	if (b->values_n == 2)
		snprintf(hit->said.value, sizeof(hit->said.value), "%s", b->values[1].text);
	else
		snprintf(hit->said.value, sizeof(hit->said.value), "%zu values", b->values_n);
}

/* Who has what, as evidence: one value a line would be a table; here in one sentence. */
static void fill_detail(struct judging *j, const struct bucket *b, struct hit *hit)
{
	size_t used = 0;

	for (size_t i = 0; i < b->values_n && used < sizeof(hit->detail); i++) {
		const struct peer_value *v = &b->values[i];
		int n = snprintf(hit->detail + used, sizeof(hit->detail) - used, "%s%.80s: %s",
			i ? "; " : "", v->text, finding_fold_nodes(j, v->nodes, v->n, 80));

		used += n > 0 ? (size_t)n : 0;
	}
}

static void report(struct drift *s, struct bucket *b, struct rule_tally *tally)
{
	struct judging *j = s->j;
	struct hit hit = {.rule = s->rule,
		.node = SIZE_MAX,
		.severity = s->rule->severity,
		.reading_mono_ms = b->newest_mono_ms,
		.distinct = b->values_n,
		.peers = b->group,
		.first_node = SIZE_MAX};
	size_t odd_n;

	qsort(b->values, b->values_n, sizeof(b->values[0]), most_first);
	size_t *odd = odd_nodes(b, &odd_n);
	bool majority = b->count >= DRIFT_GROUP_MIN && b->values[0].count * 2 > b->count;

	tally->fired += majority ? b->count - b->values[0].count : b->count;
	tally->ok += majority ? b->values[0].count : 0;
	hit.said.number = NAN;
	hit.key = hysteresis_key(s->rule->id, b->group, b->part, (const char *)NULL);
	if (majority) {
		hit.nodes = odd;
		hit.nodes_n = odd_n;
		hit.first_node = odd_n ? odd[0] : SIZE_MAX;
	}
	snprintf(hit.said.part, sizeof(hit.said.part), "%s", b->part);
	snprintf(hit.said.title, sizeof(hit.said.title), "%s", b->part);
	fill_summary(j, b, &hit, majority);
	fill_detail(j, b, &hit);
	if (finding_observe(j, &hit, true))
		finding_add(j, &hit);
	free(odd);
}

struct drift *drift_begin(struct judging *j, const struct rule *r, const struct signal *sig,
	const struct peer_groups groups[PEERS_WAYS], struct rule_tally *tally)
{
	struct drift *s = xcalloc(1, sizeof(*s));

	s->j = j;
	s->rule = r;
	s->signal = sig;
	s->groups = groups[sig->peers].names;
	s->tally = tally;
	if (r->threshold > 0 && sig->type != FIELD_STR && sig->type != FIELD_FLAG)
		s->numbers = xcalloc(j->snap->n, sizeof(*s->numbers));
	else if (sig->part != PART_MOUNT)
		s->places = xcalloc(j->snap->n, sizeof(*s->places));
	for (size_t i = 0; s->places && i < j->snap->n; i++)
		s->places[i].value = DRIFT_NOWHERE;
	return s;
}

void drift_node(struct drift *s, size_t node)
{
	if (s->numbers)
		drift_take_number(s, node);
	else
		drift_count_known(scan_node(s, node), s->tally, &s->j->jm->nodes[node]);
}

static void report_texts(struct drift *s)
{
	struct judging *j = s->j;
	bool several = false;

	for (size_t b = 0; b < s->n; b++)
		several = several || s->buckets[b].values_n > 1;
	s->gather = true;
	for (size_t i = 0; several && i < j->snap->n; i++) {
		if (!s->places)
			scan_node(s, i);
		else if (s->places[i].value != DRIFT_NOWHERE)
			add_holder(&s->buckets[s->places[i].bucket], s->places[i].value, i);
	}
	for (size_t b = 0; b < s->n; b++) {
		if (s->buckets[b].values_n > 1)
			report(s, &s->buckets[b], s->tally);
		else
			s->tally->ok += s->buckets[b].count;
		for (size_t v = 0; v < s->buckets[b].values_n; v++)
			free(s->buckets[b].values[v].nodes);
	}
}

void drift_end(struct drift *s)
{
	if (s->numbers)
		drift_report_numbers(s);
	else
		report_texts(s);
	free(s->numbers);
	free(s->places);
	free(s->buckets);
	free(s);
}
