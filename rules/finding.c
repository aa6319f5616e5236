#include "rules/finding.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collectors/hostlist.h"
#include "collectors/xmalloc.h"
#include "rules/fill.h"
#include "rules/pair_facts.h"

/* Names of nodes in one finding, as text. */
#define FOLD_ROOM 1024
/* The same in a command. */
#define HOSTS_ROOM 400

bool finding_has_node(const struct finding *f, size_t node)
{
	if (f->node == node)
		return true;
	size_t low = 0;
	size_t high = f->nodes_n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (f->nodes[mid] == node)
			return true;
		if (f->nodes[mid] < node)
			low = mid + 1;
		else
			high = mid;
	}
	return false;
}

static const char *keep(struct judging *j, const char *s)
{
	const char *copy = arena_strndup(&j->jm->arena, s, strlen(s));

	return copy ? copy : "";
}

const char *finding_fold_nodes(struct judging *j, const size_t *nodes, size_t n, size_t room)
{
	char text[FOLD_ROOM];
	const char **names = xcalloc(n, sizeof(*names));

	for (size_t i = 0; i < n; i++)
		names[i] = j->snap->nodes[nodes[i]].name;
	text[0] = '\0';
	if (n)
		hostlist_fold(names, n, text, room < sizeof(text) ? room : sizeof(text));
	free(names);
	return keep(j, text);
}

bool finding_observe(struct judging *j, struct hit *hit, bool fires)
{
	struct observation o = {
		.key = hit->key,
		.fires = fires,
		.needed = hit->rule->for_samples,
		.reading_mono_ms = hit->reading_mono_ms,
		.generation = j->snap->generation,
		.generation_before = j->generation_before,
		.now_mono_ms = j->snap->mono_ms,
		.now_wall_ms = j->snap->wall_ms,
	};
	struct memory *m = hysteresis_observe(j->memory, &o);

	if (!m)
		return false;
	if (fires)
		m->said = hit->said;
	else
		hit->said = m->said;
	hit->since_wall_ms = m->since_wall_ms;
	hit->readings = m->hits ? m->hits : 1;
	hit->tentative = !m->active;
	if (hit->tentative)
		hit->severity = SEVERITY_INFO;
	return true;
}

static int by_index(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a;
	uint64_t y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* "0-3,7" of n numbers, sorted here; repeats are dropped. */
static void name_numbers(uint64_t *numbers, size_t n, char *out, size_t size)
{
	size_t used = 0;

	qsort(numbers, n, sizeof(*numbers), by_index);
	out[0] = '\0';
	for (size_t i = 0; i < n && used + 24 < size;) {
		size_t j = i;

		while (j + 1 < n && numbers[j + 1] <= numbers[j] + 1)
			j++;
		int len = numbers[j] == numbers[i]
				  ? snprintf(out + used, size - used, "%s%llu", used ? "," : "",
					    (unsigned long long)numbers[i])
				  : snprintf(out + used, size - used, "%s%llu-%llu",
					    used ? "," : "", (unsigned long long)numbers[i],
					    (unsigned long long)numbers[j]);

		used += len > 0 ? (size_t)len : 0;
		i = j + 1;
	}
}

#define PARTS_NUMBERED 64
#define PARTS_NAMED    3

struct parts {
	uint64_t numbers[PARTS_NUMBERED];
	size_t numbers_n;
	const char *names[PARTS_NAMED];
	size_t names_n;
	size_t more;
};

static bool named_already(const struct parts *p, enum part_kind kind, const char *name)
{
	for (size_t i = 0; i < p->names_n; i++) {
		if (strcmp(p->names[i], name) == 0)
			return true;
		if (kind == PART_GPU && gpu_same_bus(p->names[i], name))
			return true;
	}
	return false;
}

static void gather_parts(struct parts *p, enum part_kind kind, const struct sample *samples,
	const bool *fired, size_t n)
{
	memset(p, 0, sizeof(*p));
	for (size_t i = 0; i < n; i++) {
		const struct sample *s = &samples[i];
		bool by_number = !s->name && s->index != UINT64_MAX;

		if (!fired[i] || (!s->name && !by_number))
			continue;
		if (by_number && p->numbers_n < PARTS_NUMBERED)
			p->numbers[p->numbers_n++] = s->index;
		else if (by_number)
			p->more++;
		else if (named_already(p, kind, s->name))
			continue;
		else if (p->names_n < PARTS_NAMED)
			p->names[p->names_n++] = s->name;
		else
			p->more++;
	}
}

static void list_parts(struct parts *p, char *out, size_t size)
{
	size_t used;

	name_numbers(p->numbers, p->numbers_n, out, size);
	used = strlen(out);
	/* Three names are a list, more are one and a number. */
	if (p->more) {
		p->more += p->names_n - 1;
		p->names_n = 1;
	}
	for (size_t i = 0; i < p->names_n && used < size; i++) {
		int len = snprintf(out + used, size - used, "%s%s", used ? "," : "", p->names[i]);

		used += len > 0 ? (size_t)len : 0;
	}
	if (p->more && used < size)
		snprintf(out + used, size - used, " +%zu", p->more);
}

void finding_name_parts(const struct signal *s, const struct sample *samples, const bool *fired,
	size_t n, struct said *said)
{
	static const struct {
		const char *lower;
		const char *one;
		const char *many;
	} prefixes[] = {
		[PART_NODE] = {"", "", ""},
		[PART_GPU] = {"gpu ", "GPU ", "GPUs "},
		[PART_DEVICE] = {"", "", ""},
		[PART_TARGET] = {"", "", ""},
		[PART_ROW] = {"", "", ""},
		[PART_MOUNT] = {"", "", ""},
		[PART_CODE] = {"gpu ", "GPU ", "GPUs "},
		[PART_SWITCH] = {"switch ", "switch ", "switches "},
		[PART_SECTION] = {"", "", ""},
		[PART_PAIR] = {"", "", ""},
	};
	struct parts p;
	char list[80];

	said->part[0] = said->title[0] = '\0';
	if (s->part == PART_NODE)
		return;
	gather_parts(&p, s->part, samples, fired, n);
	list_parts(&p, list, sizeof(list));
	if (!list[0])
		return;
	bool many = p.numbers_n + p.names_n > 1;

	snprintf(said->part, sizeof(said->part), "%s%s", prefixes[s->part].lower, list);
	snprintf(said->title, sizeof(said->title), "%s%s",
		many ? prefixes[s->part].many : prefixes[s->part].one, list);
}

static bool is_instance_id(const char *s)
{
	return s && strncmp(s, "i-", 2) == 0 && strlen(s) >= 10 &&
	       s[2 + strspn(s + 2, "0123456789abcdef")] == '\0';
}

static void fill_node(const struct judging *j, size_t i, struct fill *f)
{
	const struct node *n = &j->snap->nodes[i];
	const struct host_reading *h = reading_host(n->section[SECTION_HOST]);

	f->values[FILL_NODE] = n->name;
	f->values[FILL_INSTANCE_TYPE] = j->facts[i].type_name;
	f->values[FILL_GROUP] = n->group;
	if (is_instance_id(n->id))
		f->values[FILL_INSTANCE_ID] = n->id;
	if (!h)
		return;
	if (opt_has(h->instance_id) && is_instance_id(h->instance_id.v))
		f->values[FILL_INSTANCE_ID] = h->instance_id.v;
	if (!n->group && opt_has(h->instance_group))
		f->values[FILL_GROUP] = h->instance_group.v;
	if (opt_has(h->region))
		f->values[FILL_REGION] = h->region.v;
}

static const char *upto(const struct hit *hit)
{
	enum rule_compare c = hit->rule->compare;

	if (!hit->several)
		return "";
	return c == COMPARE_GT || c == COMPARE_GE   ? "up to "
	       : c == COMPARE_LT || c == COMPARE_LE ? "as low as "
						    : "";
}

/* What a command takes: "0-3,7" of "gpu 0-3,7", and one name where several are listed. */
static const char *part_id(struct judging *j, const char *part)
{
	const char *id = strncmp(part, "gpu ", 4) == 0 ? part + 4 : part;
	size_t n = strcspn(id, id == part ? ", " : " ");
	const char *copy = arena_strndup(&j->jm->arena, id, n);

	return copy ? copy : "";
}

/* The sweep's nodes as `plan --nodes` takes them; NULL when they do not fit in a line. */
static const char *hosts_of(struct judging *j)
{
	const struct pair_facts *p = j->fleet->pairs;
	char text[HOSTS_ROOM];

	if (j->hosts || !p || p->n == 0)
		return j->hosts && j->hosts[0] ? j->hosts : NULL;
	const char **names = xcalloc(p->n, sizeof(*names));

	for (size_t i = 0; i < p->n; i++)
		names[i] = p->set->nodes[i].name;
	hostlist_fold(names, p->n, text, sizeof(text));
	free(names);
	j->hosts = strstr(text, "\xe2\x80\xa6") ? "" : keep(j, text);
	return j->hosts[0] ? j->hosts : NULL;
}

static void fill_hit(struct judging *j, const struct hit *hit, struct finding *out, struct fill *f)
{
	if (hit->first_node != SIZE_MAX)
		fill_node(j, hit->first_node, f);
	else
		f->values[FILL_NODE] = hit->outside;
	if (strncmp(hit->rule->signal, "pairs.", strlen("pairs.")) == 0)
		f->values[FILL_HOSTS] = hosts_of(j);
	f->values[FILL_SUBJECT] = out->subject;
	f->values[FILL_PART] = hit->said.title;
	f->values[FILL_PART_ID] = part_id(j, hit->said.part);
	f->values[FILL_VALUE] = out->value;
	f->values[FILL_UPTO] = upto(hit);
	f->values[FILL_EXPECTED] = out->expected;
	f->values[FILL_UNIT] = hit->rule->unit;
	f->values[FILL_WORDS] = hit->words[0] ? hit->words : hit->detail;
	f->values[FILL_PEERS] = hit->peers;
	f->values[FILL_SUMMARY] = hit->summary;
	f->values[FILL_COUNTS] = hit->counts;
	f->values[FILL_DIFFERING] = out->differing;
	f->values[FILL_NODES] = out->differing ? out->differing : f->values[FILL_NODE];
}

static const char *subject_of(struct judging *j, const struct hit *hit)
{
	char text[240];
	const char *part = hit->said.part;

	if (hit->node != SIZE_MAX)
		snprintf(text, sizeof(text), "%s%s%s", j->snap->nodes[hit->node].name,
			part[0] ? " " : "", part);
	else
		snprintf(text, sizeof(text), "%s",
			part[0]      ? part
			: hit->peers ? hit->peers
				     : "cluster");
	return keep(j, text);
}

/* At most this many bytes of a title: two lines of an 80-column screen. */
#define TITLE_MAX 150

static const char *title_of(struct judging *j, const struct hit *hit, const struct fill *f)
{
	char text[TITLE_MAX + 8];
	char clean[TITLE_MAX + 8];
	const char *filled = fill_text(&j->jm->arena, hit->rule->title, f, false);

	if (!filled)
		return hit->rule->title;
	if (!hit->tentative && strlen(filled) < TITLE_MAX)
		return filled;
	snprintf(text, sizeof(text), "%.*s%s", TITLE_MAX - 16, filled,
		hit->tentative ? ", seen once" : "");
	if (hit->tentative && hit->readings > 1)
		snprintf(text, sizeof(text), "%.*s, seen %u of %u", TITLE_MAX - 30, filled,
			hit->readings, hit->rule->for_samples);
	/* A cut inside a character must not leave half of it. */
	text_printable(clean, sizeof(clean), text, strlen(text));
	return keep(j, clean);
}

/*
 * What `ssh` must be told to reach the node that was read: a display name may be
 * an alias that does not resolve, or is another machine. NULL: the name will do.
 */
static const char *ssh_destination(struct judging *j, size_t node)
{
	const struct node *n = node != SIZE_MAX ? &j->snap->nodes[node] : NULL;
	char uri[300];

	if (!n || j->snap->mode != SOURCE_LIVE || !n->address)
		return NULL;
	const char *at = strrchr(n->address, '@');
	const char *host = at ? at + 1 : n->address;
	const char *port = strrchr(host, ':');

	/* "[fd00::1]:22" has its port behind the bracket, bare "fd00::1" has none. */
	if (!port || (host[0] == '[' ? port[-1] != ']' : strchr(host, ':') != port))
		return n->address;
	/* ssh(1): a destination with a port is a URI. */
	snprintf(uri, sizeof(uri), "ssh://%s", n->address);
	return keep(j, uri);
}

static void write_commands(
	struct judging *j, const struct rule *r, struct fill *f, struct finding *out)
{
	const char *destination = ssh_destination(j, out->node);

	if (destination)
		f->values[FILL_NODE] = destination;
	for (size_t i = 0; i < RULE_LIST_MAX; i++) {
		if (r->checks[i])
			out->checks[i] = fill_text(&j->jm->arena, r->checks[i], f, true);
		if (r->commands[i])
			out->commands[i] = fill_text(&j->jm->arena, r->commands[i], f, true);
	}
}

static void copy_nodes(struct judging *j, const struct hit *hit, struct finding *out)
{
	if (!hit->nodes_n)
		return;
	size_t *nodes = arena_alloc(&j->jm->arena, hit->nodes_n * sizeof(*nodes));

	if (!nodes)
		return;
	memcpy(nodes, hit->nodes, hit->nodes_n * sizeof(*nodes));
	out->nodes = nodes;
	out->nodes_n = hit->nodes_n;
}

void finding_add(struct judging *j, const struct hit *hit)
{
	struct judgement *jm = j->jm;
	struct finding out = {.rule = hit->rule, .severity = hit->severity, .node = hit->node};
	struct fill f = {{NULL}};
	char threshold[80];
	char expected[96];

	snprintf(out.id, sizeof(out.id), "%016llx", (unsigned long long)hit->key);
	out.subject = subject_of(j, hit);
	out.part = keep(j, hit->said.part);
	out.value = keep(j, hit->said.value);
	out.number = hit->said.number;
	verdict_threshold_text(hit->rule, threshold, sizeof(threshold));
	f.values[FILL_THRESHOLD] = threshold;
	if (hit->expected) {
		out.expected = hit->expected;
	} else {
		verdict_expected_text(hit->rule, expected, sizeof(expected));
		out.expected = keep(j, expected);
	}
	out.detail = hit->detail[0] ? keep(j, hit->detail) : NULL;
	out.age_ms = hit->reading_mono_ms < 0 ? -1 : j->snap->mono_ms - hit->reading_mono_ms;
	out.since_wall_ms = hit->since_wall_ms;
	out.samples = hit->readings;
	out.same_n = hit->same_n;
	out.differ_n = hit->differ_n;
	copy_nodes(j, hit, &out);
	out.differing = hit->differing;
	if (!out.differing && hit->nodes_n)
		out.differing = finding_fold_nodes(j, hit->nodes, hit->nodes_n, FOLD_ROOM);

	char distinct[24];

	snprintf(distinct, sizeof(distinct), "%zu", hit->distinct);
	f.values[FILL_DISTINCT] = distinct;
	fill_hit(j, hit, &out, &f);
	out.title = title_of(j, hit, &f);
	write_commands(j, hit->rule, &f, &out);
	xgrow((void **)&jm->findings, &j->findings_cap, jm->n, sizeof(*jm->findings));
	jm->findings[jm->n++] = out;
}
