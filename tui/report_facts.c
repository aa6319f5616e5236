#include "tui/report_facts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collectors/buf.h"
#include "collectors/hostlist.h"
#include "collectors/xmalloc.h"

#define NAMES_SIZE   512
#define LIST_MAX     (64u << 10)
#define UNREAD_SHOWN 12

/* "a, b, c" that grows; errors end up in the page. */
static void list_add(struct page *p, struct buf *list, const char *text)
{
	if (p->rc == ERR_OK && list->len)
		p->rc = buf_add_str(list, ", ");
	if (p->rc == ERR_OK)
		p->rc = buf_add_str(list, text);
}

static const char *plural(size_t n)
{
	return n == 1 ? "" : "s";
}

/* ---- software stack ---- */

struct version {
	const char *text;
	const char *node;
};

static int by_version(const void *a, const void *b)
{
	const struct version *x = a;
	const struct version *y = b;
	int c = hostlist_compare(x->text, y->text);

	return c ? c : hostlist_compare(x->node, y->node);
}

/* Every node's text of one field, sorted; returns how many told it. */
static size_t versions_of(const struct report *r, const struct field *f, struct version *out)
{
	size_t n = 0;

	for (size_t i = 0; i < r->snap->n; i++) {
		const struct node *node = &r->snap->nodes[i];
		const struct section *s = node->section[SECTION_STACK];

		if (!s || node->state == NODE_FAILED)
			continue;
		struct value v = field_value(f, s->reading);

		if (v.state == OPT_OK && v.type == FIELD_STR && v.str)
			out[n++] = (struct version){v.str, node->name};
	}
	if (n)
		qsort(out, n, sizeof(*out), by_version);
	return n;
}

/* "580.95.05 on 20 nodes; 570.86 on node[07,41]": the largest set counted, the others named. */
static void write_versions(struct page *p, const struct field *f, const struct version *v, size_t n)
{
	const char **names = xcalloc(n, sizeof(*names));
	struct buf line = BUF_INIT(LIST_MAX);
	size_t most = 0;
	size_t most_at = 0;

	for (size_t i = 0; i < n;) {
		size_t j = i;

		while (j < n && strcmp(v[i].text, v[j].text) == 0)
			j++;
		if (j - i > most) {
			most = j - i;
			most_at = i;
		}
		i = j;
	}
	if (p->rc == ERR_OK)
		p->rc = buf_addf(&line, "%s on %zu node%s", v[most_at].text, most, plural(most));
	for (size_t i = 0; i < n && p->rc == ERR_OK;) {
		char folded[NAMES_SIZE];
		size_t j = i;

		for (; j < n && strcmp(v[i].text, v[j].text) == 0; j++)
			names[j - i] = v[j].node;
		hostlist_fold(names, j - i, folded, sizeof(folded));
		if (i != most_at)
			p->rc = buf_addf(&line, "; %s on %s", v[i].text, folded);
		i = j;
	}
	page_tagged(p, SEVERITY_INFO, "%s: %s", f->help, buf_str(&line));
	buf_release(&line);
	free(names);
}

void report_facts_stack(struct page *p, const struct report *r)
{
	const struct schema *schema = &section_desc(SECTION_STACK)->schema;
	struct version *v;
	size_t told = 0;
	struct buf same = BUF_INIT(LIST_MAX);
	struct buf untold = BUF_INIT(LIST_MAX);
	char text[200];

	for (size_t i = 0; i < r->snap->n; i++)
		told += r->snap->nodes[i].section[SECTION_STACK] != NULL;
	if (!told)
		return;
	v = xcalloc(told, sizeof(*v));
	page_heading(p, "Software on the hosts");
	for (size_t i = 0; i < schema->nfields; i++) {
		const struct field *f = &schema->fields[i];

		/* Not a version of its own: the module's, in a form that rules compare. */
		if (f->type != FIELD_STR || strcmp(f->name, "efa_kmod_numeric") == 0)
			continue;
		size_t n = versions_of(r, f, v);

		if (n == 0) {
			list_add(p, &untold, f->help);
		} else if (strcmp(v[0].text, v[n - 1].text) == 0) {
			snprintf(text, sizeof(text), n == told ? "%s %s" : "%s %s (%zu nodes)",
				f->help, v[0].text, n);
			list_add(p, &same, text);
		} else {
			write_versions(p, f, v, n);
		}
	}
	if (same.len)
		page_tagged(p, SEVERITY_INFO, "the same on all %zu node%s that told: %s", told,
			plural(told), buf_str(&same));
	if (untold.len)
		page_tagged(p, SEVERITY_INFO, "no node told: %s", buf_str(&untold));
	page_item(p, PAGE_INDENT, "",
		"Read on the host. Containers often bring their own EFA, libfabric, OFI-NCCL and "
		"CUDA, "
		"so what is not known here is no defect.");
	page_item(p, PAGE_INDENT, "→ ", "hyperpod-version-checker");
	buf_release(&same);
	buf_release(&untold);
	free(v);
}

/* ---- what is not known ---- */

struct note {
	const char *section; /* title */
	const char *what;
	const char *why;
	const char *node;
};

static int same_note(const struct note *x, const struct note *y)
{
	int c = strcmp(x->section, y->section);

	if (c == 0)
		c = strcmp(x->what, y->what);
	return c ? c : strcmp(x->why, y->why);
}

static int by_note(const void *a, const void *b)
{
	int c = same_note(a, b);

	return c ? c
		 : hostlist_compare(((const struct note *)a)->node, ((const struct note *)b)->node);
}

static void note_add(struct note **notes, size_t *n, size_t *cap, struct note one)
{
	xgrow((void **)notes, cap, *n, sizeof(**notes));
	(*notes)[(*n)++] = one;
}

static size_t gather_notes(const struct report *r, struct note **notes)
{
	size_t n = 0;
	size_t cap = 0;

	*notes = NULL;
	for (size_t i = 0; i < r->snap->n; i++) {
		const struct node *node = &r->snap->nodes[i];

		for (int id = 0; id < SECTION_COUNT; id++) {
			const struct section *s = node->section[id];

			if (!s)
				continue;
			const char *title = section_desc(s->id)->title;

			if (s->status == SECTION_TIMEOUT)
				note_add(notes, &n, &cap,
					(struct note){title, "", "no answer within its deadline",
						node->name});
			for (size_t k = 0; k < s->unread_n; k++)
				note_add(notes, &n, &cap,
					(struct note){title, s->unread[k].what, s->unread[k].why,
						node->name});
		}
	}
	return n;
}

static void write_notes(struct page *p, const struct report *r)
{
	struct note *notes;
	size_t n = gather_notes(r, &notes);
	const char **names = xcalloc(n ? n : 1, sizeof(*names));
	size_t shown = 0;
	size_t left = 0;

	if (n)
		qsort(notes, n, sizeof(*notes), by_note);
	for (size_t i = 0; i < n;) {
		char folded[NAMES_SIZE];
		size_t j = i;

		for (; j < n && same_note(&notes[i], &notes[j]) == 0; j++)
			names[j - i] = notes[j].node;
		hostlist_fold(names, j - i, folded, sizeof(folded));
		if (shown++ < UNREAD_SHOWN)
			page_tagged(p, SEVERITY_INFO, "%s%s%s: %s (%s)", notes[i].section,
				notes[i].what[0] ? ", " : "", notes[i].what, notes[i].why, folded);
		else
			left++;
		i = j;
	}
	if (left)
		page_tagged(p, SEVERITY_INFO, "and %zu more kinds (--json has them all)", left);
	free(names);
	free(notes);
}

/* A node that was not read at all makes every rule unknown there: that is said once. */
static void write_unjudged(struct page *p, const struct report *r)
{
	struct buf list = BUF_INIT(LIST_MAX);
	size_t unread = 0;

	for (size_t i = 0; i < r->snap->n; i++)
		unread += !node_reached(&r->snap->nodes[i]);
	if (unread)
		page_tagged(p, SEVERITY_INFO, "nothing at all on %zu node%s that %s not read",
			unread, plural(unread), unread == 1 ? "was" : "were");
	for (size_t i = 0; i < r->judgement->nrules; i++) {
		const struct rule_tally *t = &r->judgement->rules[i];
		char label[80];
		char text[120];

		if (t->unknown <= unread)
			continue;
		report_label(catalog_at(r->catalog, i), label, sizeof(label));
		snprintf(text, sizeof(text), "%s (%zu)", label, t->unknown - unread);
		list_add(p, &list, text);
	}
	if (list.len)
		page_tagged(p, SEVERITY_INFO,
			"rules that could not judge some nodes, and how many: %s", buf_str(&list));
	buf_release(&list);
}

/* The judge was given a sweep: some rule on pairs could be applied. */
static bool has_sweep(const struct report *r)
{
	for (size_t i = 0; i < r->judgement->nrules; i++) {
		const struct rule_tally *t = &r->judgement->rules[i];

		if (report_of_pairs(catalog_at(r->catalog, i)) && t->ok + t->fired + t->unknown)
			return true;
	}
	return false;
}

void report_facts_unread(struct page *p, const struct report *r)
{
	page_heading(p, "Not known");
	write_unjudged(p, r);
	write_notes(p, r);
	page_tagged(p, SEVERITY_INFO,
		"not read by this version: NodeRecovery, OnStartDeepHealthChecks, CloudWatch "
		"metrics of FSx%s",
		has_sweep(r) ? "" : ", pairwise bandwidth");
}

/* ---- what to read next ---- */

struct reader {
	char route[160];
	bool ours;    /* in the scope of this program */
	size_t place; /* of its first group */
	enum severity severity;
	size_t findings;
	bool *nodes;
};

static struct reader *reader_of(struct reader *list, size_t *n, const char *route, size_t nodes)
{
	for (size_t i = 0; i < *n; i++)
		if (strcmp(list[i].route, route) == 0)
			return &list[i];
	struct reader *fresh = &list[*n];

	fresh->place = (*n)++;
	snprintf(fresh->route, sizeof(fresh->route), "%s", route);
	fresh->nodes = xcalloc(nodes ? nodes : 1, sizeof(*fresh->nodes));
	return fresh;
}

/* Concerns first, then what is in scope, then as the groups stand. */
static int by_urgency(const void *a, const void *b)
{
	const struct reader *x = a;
	const struct reader *y = b;

	if (x->severity != y->severity)
		return x->severity > y->severity ? -1 : 1;
	if (x->ours != y->ours)
		return x->ours ? -1 : 1;
	return x->place < y->place ? -1 : x->place > y->place;
}

static void write_reader(
	struct page *p, const struct report *r, const struct reader *k, size_t place)
{
	const char **names = xcalloc(r->snap->n ? r->snap->n : 1, sizeof(*names));
	char folded[NAMES_SIZE];
	char lead[32];
	size_t n = 0;

	for (size_t i = 0; i < r->snap->n; i++)
		if (k->nodes[i])
			names[n++] = r->snap->nodes[i].name;
	hostlist_fold(names, n, folded, sizeof(folded));
	snprintf(lead, sizeof(lead), "%zu. ", place);
	page_item(p, 1, lead, "%s: %zu %s%s%s%s", k->route, k->findings,
		k->severity == SEVERITY_CONCERN ? "concern" : "observation", plural(k->findings),
		n ? ", " : "", folded);
	free(names);
}

static void write_readers(struct page *p, const struct report *r, const struct report_groups *g)
{
	struct reader *list = xcalloc(g->n ? g->n : 1, sizeof(*list));
	size_t n = 0;

	for (size_t i = 0; i < g->n; i++) {
		const struct report_group *group = &g->items[i];
		char route[160];

		if (!*report_route(group->rule, route, sizeof(route)))
			continue;
		struct reader *k = reader_of(list, &n, route, r->snap->n);

		k->ours |= strncmp(route, "hyperpod-perf", strlen("hyperpod-perf")) == 0;

		if (group->severity > k->severity) {
			k->severity = group->severity;
			k->findings = 0;
			memset(k->nodes, 0, r->snap->n * sizeof(*k->nodes));
		}
		for (size_t j = 0; j < group->n; j++) {
			if (group->findings[j]->severity != k->severity)
				continue;
			k->findings++;
			for (size_t m = 0; m < r->snap->n; m++)
				k->nodes[m] |= finding_has_node(group->findings[j], m);
		}
	}
	if (n) {
		qsort(list, n, sizeof(*list), by_urgency);
		page_item(p, 0, "", "Read next, in this order:");
	}
	for (size_t i = 0; i < n; i++)
		write_reader(p, r, &list[i], i + 1);
	for (size_t i = 0; i < n; i++)
		free(list[i].nodes);
	free(list);
}

void report_facts_summary(struct page *p, const struct report *r, const struct report_groups *g)
{
	size_t clear = 0;
	size_t nodes = 0;

	for (size_t i = 0; i < r->judgement->nrules; i++)
		clear += r->judgement->rules[i].ok && !r->judgement->rules[i].fired;
	for (size_t i = 0; i < r->judgement->nnodes; i++)
		nodes += r->judgement->nodes[i].concerns > 0;
	page_heading(p, "Summary");
	page_item(p, 0, "",
		"%zu concern%s on %zu of %zu nodes, %zu observation%s; %zu rules found nothing, "
		"%zu "
		"judgements could not be made.",
		r->judgement->concerns, plural(r->judgement->concerns), nodes, r->snap->n,
		r->judgement->infos, plural(r->judgement->infos), clear, r->judgement->unknown);
	write_readers(p, r, g);
}
