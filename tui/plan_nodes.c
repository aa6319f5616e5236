#include "tui/plan_nodes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collectors/hostlist.h"
#include "collectors/text.h"
#include "collectors/xmalloc.h"
#include "rules/facts.h"
#include "tui/plan_add.h"

/* Why a node of the fleet is not in the plan. */
enum fate {
	FATE_OUTSIDE, /* the fleet knows it, nobody asked for it */
	FATE_IN,
	FATE_LEFT_OUT,
	FATE_BUSY,
	FATE_NOT_READ,
	FATE_PLAIN, /* no accelerators: head and login nodes */
	FATE_OTHER_TYPE,
	FATE_COUNT
};

static const char *const fate_words[FATE_COUNT] = {
	[FATE_LEFT_OUT] = "as asked",
	[FATE_BUSY] = "run a job (--busy-nodes warn keeps them)",
	[FATE_NOT_READ] = "could not be read: whether they run a job is not known",
	[FATE_OTHER_TYPE] = "of another instance type",
};

struct find {
	struct plan_nodes *out;
	const struct plan_wish *w;
	uint8_t *fate; /* one a node of the fleet */
	bool *busy;
	char **host; /* the name that the node prints itself; NULL not known */
	struct buf *notes;
};

/* ---- who stays ---- */

static void judge_one(struct find *f, const struct node *n)
{
	size_t at = fleet_find(f->out->fleet, span_of(n->id));
	const struct host_reading *host = reading_host(n->section[SECTION_HOST]);
	struct node_facts facts;

	if (at == FLEET_NONE)
		return;
	node_facts_get(&facts, n, NULL);
	f->busy[at] = f->out->fleet->nodes[at].busy;
	if (host && opt_has(host->hostname) && !f->host[at])
		f->host[at] = xstrndup(host->hostname.v, strcspn(host->hostname.v, "."));
	if (f->w->instance_type &&
		(!facts.type_name || strcmp(facts.type_name, f->w->instance_type) != 0))
		f->fate[at] = FATE_OTHER_TYPE;
	else if (facts.gpu == HAS_NO && facts.neuron == HAS_NO)
		f->fate[at] = FATE_PLAIN;
	else if (!facts.reached || (facts.gpu != HAS_NO && !reading_gpu(n->section[SECTION_GPU])))
		f->fate[at] = FATE_NOT_READ;
	else if (f->busy[at] && f->w->busy_nodes <= PLAN_BUSY_SKIP)
		f->fate[at] = FATE_BUSY;
}

static enum err_code mark(struct find *f, const char *option, const char *list,
	void (*each)(struct find *f, size_t at), struct err *e)
{
	struct plan_names names = {NULL, 0, 0};
	enum err_code rc;

	if (!list)
		return ERR_OK;
	rc = plan_expand(option, list, &names, e);
	for (size_t i = 0; i < names.n && rc == ERR_OK; i++) {
		size_t at = fleet_find(f->out->fleet, span_of(names.v[i]));

		if (at == FLEET_NONE || f->fate[at] == FATE_OUTSIDE)
			rc = err_set(e, ERR_USAGE, "%s %.80s: none of the nodes (see --nodes)",
				option, names.v[i]);
		else
			each(f, at);
	}
	plan_expand_release(&names);
	return rc;
}

static void leave_out(struct find *f, size_t at)
{
	f->fate[at] = FATE_LEFT_OUT;
}

static void told_busy(struct find *f, size_t at)
{
	f->busy[at] = true;
	if (f->out->busy_known == SWEEP_BUSY_UNKNOWN)
		f->out->busy_known = SWEEP_BUSY_TOLD;
	if (f->w->busy_nodes == PLAN_BUSY_SKIP && f->fate[at] == FATE_IN)
		f->fate[at] = FATE_BUSY;
}

/* ---- what is said of them ---- */

static const char *runner_name(const struct find *f, size_t at)
{
	/* Slurm and ssh know the host's own name; kubectl what the inventory calls it. */
	if (f->host[at] && f->w->runner != SWEEP_K8S)
		return f->host[at];
	return f->out->fleet->nodes[at].name;
}

/* Names, each a copy, of nodes with one of these fates. */
static void list_names(const struct find *f, unsigned fates, bool busy_only, struct plan_names *out)
{
	for (size_t i = 0; i < f->out->fleet->n; i++)
		if (fates & 1u << f->fate[i] && (!busy_only || f->busy[i]))
			plan_names_add(out, xstrdup(runner_name(f, i)));
}

static void fold(const struct plan_names *names, char *out, size_t size)
{
	out[0] = '\0';
	if (names->n)
		hostlist_fold(names->v, names->n, out, size);
}

static void note(struct find *f, const char *text)
{
	/* Full: the plan says it too. */
	if (buf_addf(f->notes, "%s\n", text))
		return;
}

static void say_left_out(struct find *f)
{
	char folded[PLAN_FOLD_MAX];
	char text[PLAN_FOLD_MAX + 160];

	for (unsigned fate = FATE_LEFT_OUT; fate < FATE_COUNT; fate++) {
		struct plan_names names = {NULL, 0, 0};

		list_names(f, 1u << fate, false, &names);
		fold(&names, folded, sizeof(folded));
		plan_expand_release(&names);
		if (!folded[0] || !fate_words[fate])
			continue;
		snprintf(text, sizeof(text), "left out, %s: %s", fate_words[fate], folded);
		note(f, text);
	}
}

static void say(struct find *f)
{
	struct plan_nodes *p = f->out;
	char text[PLAN_FOLD_MAX + 160];

	say_left_out(f);
	list_names(f, 1u << FATE_LEFT_OUT | 1u << FATE_BUSY | 1u << FATE_NOT_READ, false,
		&p->left_names);
	fold(&p->left_names, p->left_out, sizeof(p->left_out));
	list_names(f, 1u << FATE_IN, true, &p->busy_names);
	if (f->w->busy_nodes == PLAN_BUSY_INCLUDE || !p->busy_names.n)
		return;
	fold(&p->busy_names, p->busy, sizeof(p->busy));
	snprintf(text, sizeof(text),
		"in the plan, but run a job, which it would disturb: %s (--busy-nodes skip leaves "
		"them out)",
		p->busy);
	note(f, text);
}

/* ---- the plan's nodes ---- */

static void take(struct find *f)
{
	struct plan_nodes *p = f->out;

	p->at = xcalloc(p->fleet->n + 1, sizeof(*p->at));
	p->names = xcalloc(p->fleet->n + 1, sizeof(*p->names));
	for (size_t i = 0; i < p->fleet->n; i++) {
		if (f->fate[i] != FATE_IN)
			continue;
		p->names[p->n] = xstrdup(runner_name(f, i));
		p->at[p->n++] = i;
	}
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* ---- order ---- */

struct named {
	char *name;
	size_t at;
};

static int by_name(const void *a, const void *b)
{
	return hostlist_compare(((const struct named *)a)->name, ((const struct named *)b)->name);
}

/* Natural order, whatever named them: the same nodes make the same plan. */
static void sort_nodes(struct plan_nodes *p)
{
	struct named *v = xcalloc(p->n + 1, sizeof(*v));

	for (size_t i = 0; i < p->n; i++)
		v[i] = (struct named){p->names[i], p->at[i]};
	qsort(v, p->n, sizeof(*v), by_name);
	for (size_t i = 0; i < p->n; i++) {
		p->names[i] = v[i].name;
		p->at[i] = v[i].at;
	}
	free(v);
}

/* Machines that call themselves alike (cloned images, containers) go by the inventory's names. */
static void make_unique(struct plan_nodes *p)
{
	char **sorted = xcalloc(p->n + 1, sizeof(*sorted));
	bool twice = false;

	for (size_t i = 0; i < p->n; i++)
		sorted[i] = p->names[i];
	qsort(sorted, p->n, sizeof(*sorted), by_text);
	for (size_t i = 1; i < p->n; i++)
		twice = twice || strcmp(sorted[i - 1], sorted[i]) == 0;
	free(sorted);
	for (size_t i = 0; twice && i < p->n; i++) {
		free(p->names[i]);
		p->names[i] = xstrdup(p->fleet->nodes[p->at[i]].name);
	}
}

static const char *place_of(const struct fleet_node *n)
{
	return n->leaf ? n->leaf : n->spine ? n->spine : n->ultraserver ? n->ultraserver : n->az;
}

/* Nodes of unknown place are a group of their own: nobody is mixed with them for sure. */
static void set_groups(struct plan_nodes *p)
{
	const char **place = xcalloc(p->n + 1, sizeof(*place));
	bool known = false;

	p->group = xcalloc(p->n + 1, sizeof(*p->group));
	for (size_t i = 0; i < p->n; i++) {
		const char *own = place_of(&p->fleet->nodes[p->at[i]]);
		size_t g = 0;

		known = known || own;
		own = own ? own : "";
		while (g < p->groups && strcmp(place[g], own) != 0)
			g++;
		if (g == p->groups)
			place[p->groups++] = own;
		p->group[i] = (uint16_t)g;
	}
	free(place);
	if (known)
		return;
	free(p->group);
	p->group = NULL;
	p->groups = 0;
}

/* More types than a cluster mixes. */
#define TYPES_MAX 16

static void set_type(struct find *f)
{
	struct plan_nodes *p = f->out;
	struct {
		const char *name;
		size_t n;
	} types[TYPES_MAX] = {{NULL, 0}};
	size_t n = 0;
	size_t best = 0;

	for (size_t i = 0; i < p->n; i++) {
		const char *type = p->fleet->nodes[p->at[i]].instance_type;
		size_t k = 0;

		while (type && k < n && strcmp(types[k].name, type) != 0)
			k++;
		if (!type || k == TYPES_MAX)
			continue;
		types[k].name = type;
		types[k].n++;
		n += k == n;
		if (types[k].n > types[best].n)
			best = k;
	}
	p->instance_type = types[best].name;
	if (n > 1)
		note(f, "several instance types: figures of pairs of different ones do not compare "
			"(--instance-type plans one of them)");
}

static void say_assumptions(struct find *f)
{
	if (f->out->placeholders)
		note(f, "the names node-1, node-2, ... are placeholders: give --nodes the real "
			"ones "
			"to get a script that runs");
	if (f->out->busy_known == SWEEP_BUSY_UNKNOWN && !f->out->placeholders)
		note(f, "which nodes run a job is not known: the text says how to look; a source "
			"such as --hosts FILE lets it be read");
}

static enum err_code choose(
	struct find *f, const struct snapshot *snap, bool all, size_t known, struct err *e)
{
	struct fleet *fleet = f->out->fleet;
	enum err_code rc;

	for (size_t i = 0; i < fleet->n; i++)
		f->fate[i] = all || i < known ? FATE_IN : FATE_OUTSIDE;
	for (size_t i = 0; snap && i < snap->n; i++)
		judge_one(f, &snap->nodes[i]);
	rc = mark(f, "--busy", f->w->busy, told_busy, e);
	if (rc == ERR_OK)
		rc = mark(f, "--leave-out", f->w->leave_out, leave_out, e);
	if (rc)
		return rc;
	say(f);
	take(f);
	if (f->out->n < 2 && fleet->n > f->out->n)
		return err_set(e, ERR_USAGE,
			"%zu of %zu nodes left: there is no pair (see what was left out and why; "
			"--busy-nodes warn keeps those that run a job)",
			f->out->n, fleet->n);
	make_unique(f->out);
	sort_nodes(f->out);
	set_groups(f->out);
	set_type(f);
	say_assumptions(f);
	return ERR_OK;
}

enum err_code plan_nodes_find(struct plan_nodes *out, const struct plan_wish *w, struct cli *c,
	struct buf *notes, struct err *e)
{
	struct find f = {.out = out, .w = w, .notes = notes};
	struct snapshot *snap = NULL;
	enum err_code rc;
	size_t known;

	*out = (struct plan_nodes){.fleet = fleet_new()};
	rc = plan_add_nodes(out, w, c, &snap, e);
	known = out->fleet->n;
	if (rc == ERR_OK && w->placement)
		rc = fleet_read_csv(out->fleet, w->placement, e);
	if (rc == ERR_OK) {
		f.fate = xcalloc(out->fleet->n + 1, sizeof(*f.fate));
		f.busy = xcalloc(out->fleet->n + 1, sizeof(*f.busy));
		f.host = xcalloc(out->fleet->n + 1, sizeof(*f.host));
		rc = choose(&f, snap, !known, known, e);
		for (size_t i = 0; i < out->fleet->n; i++)
			free(f.host[i]);
		free(f.fate);
		free(f.busy);
		free(f.host);
	}
	snapshot_free(snap);
	if (rc)
		plan_nodes_release(out);
	return rc;
}

void plan_nodes_release(struct plan_nodes *p)
{
	for (size_t i = 0; i < p->n; i++)
		free(p->names[i]);
	free(p->names);
	free(p->at);
	free(p->group);
	plan_expand_release(&p->busy_names);
	plan_expand_release(&p->left_names);
	fleet_free(p->fleet);
	*p = (struct plan_nodes){.fleet = NULL};
}

size_t *plan_nodes_positions(const struct plan_nodes *p)
{
	size_t *at = xcalloc(p->fleet->n + 1, sizeof(*at));

	for (size_t i = 0; i < p->fleet->n; i++)
		at[i] = SIZE_MAX;
	for (size_t i = 0; i < p->n; i++)
		at[p->at[i]] = i;
	return at;
}

enum err_code plan_nodes_index(const struct plan_nodes *p, const char *name, const char *option,
	size_t *out, struct err *e)
{
	size_t at = fleet_find(p->fleet, span_of(name));

	for (size_t i = 0; i < p->n && at != FLEET_NONE; i++)
		if (p->at[i] == at) {
			*out = i;
			return ERR_OK;
		}
	return err_set(e, ERR_USAGE, "%s %.80s: %s", option, name,
		at == FLEET_NONE ? "none of the nodes (see --nodes)"
				 : "left out of the plan (see --busy-nodes and --leave-out)");
}
