/* A sweep for people: what is wrong first, then what was read, then the slowest pairs. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collectors/xmalloc.h"
#include "tui/heat_words.h"
#include "tui/page.h"
#include "tui/report_group.h"
#include "tui/report_pairs.h"

#define WORST_SHOWN    12
#define LIST_SHOWN     12
#define SUSPECTS_BYTES 4096

static const char *name(const struct report_pairs *r, size_t node)
{
	return r->set->nodes[node].name;
}

/* Whose it is, as the rule of that id says. */
static void say_route(struct page *p, const struct report_pairs *r, const char *rule_id)
{
	const struct rule *rule = catalog_find(r->catalog, rule_id);
	char route[160];

	if (rule && *report_route(rule, route, sizeof(route)))
		page_item(p, PAGE_INDENT, p->style->utf8 ? "→ " : "> ", "%s", route);
}

/* ---- what is wrong ---- */

static void say_nodes(struct page *p, const struct report_pairs *r)
{
	for (size_t i = 0; i < r->at->n_nodes; i++) {
		const struct suspect_node *s = &r->at->nodes[i];

		page_tagged(p, SEVERITY_CONCERN,
			"%s is slow: loses %.0f %% of what its pairs should reach (%.0f %% sure)",
			name(r, s->node), 100 * s->deficit, 100 * s->confidence);
		page_item(p, PAGE_INDENT, "", "%zu of its %zu pairs say so", s->agree, s->pairs);
		for (size_t k = 0; k < s->n_evidence && k < 3; k++) {
			const struct pair_evidence *e = &s->evidence[k];

			page_item(p, PAGE_INDENT, k ? "            " : "for example ",
				"%.1f of %.1f GB/s with %s", (double)e->busbw_gbps,
				(double)e->expected_gbps, name(r, e->a == s->node ? e->b : e->a));
		}
		say_route(p, r, "pairs-node-slow");
	}
}

static void say_links(struct page *p, const struct report_pairs *r)
{
	for (size_t i = 0; i < r->at->n_links; i++) {
		const struct suspect_link *l = &r->at->links[i];

		page_tagged(p, SEVERITY_CONCERN,
			"between %s and %s: loses %.0f %% beyond what both nodes explain (%.0f %% "
			"sure)",
			name(r, l->a), name(r, l->b), 100 * l->deficit, 100 * l->confidence);
		page_item(p, PAGE_INDENT, "", "%.1f of %.1f GB/s; %zu readings agree",
			(double)l->evidence.busbw_gbps, (double)l->evidence.expected_gbps,
			l->readings);
		say_route(p, r, "pairs-link-slow");
	}
}

static void say_failures(struct page *p, const struct report_pairs *r)
{
	const struct pair_set *set = r->set;

	for (size_t i = 0; i < set->n_failures && i < LIST_SHOWN; i++) {
		const struct pair_failure *f = &set->failures[i];
		size_t n;

		pair_set_readings(set, f->a, f->b, &n);
		page_tagged(p, f->status == BW_FAILED && !n ? SEVERITY_CONCERN : SEVERITY_INFO,
			"%s with %s: the run %s%s%s%s", name(r, f->a), name(r, f->b),
			f->status == BW_FAILED ? "failed" : "was cut off", f->why ? ": " : "",
			f->why ? f->why : "", n ? " (another run of this pair has a figure)" : "");
		page_item(p, PAGE_INDENT, "", "%s", f->path ? f->path : "");
		if (f->status == BW_FAILED && !n)
			say_route(p, r, "pairs-run-failed");
	}
	if (set->n_failures > LIST_SHOWN)
		page_item(p, PAGE_INDENT, "", "and %zu more (--json lists them)",
			set->n_failures - LIST_SHOWN);
}

static void say_troubles(struct page *p, const struct report_pairs *r)
{
	const struct pair_set *set = r->set;
	unsigned said = 0;

	for (size_t i = 0; i < set->n_troubles; i++) {
		const struct pair_trouble *t = &set->troubles[i];
		size_t runs = 0;

		if (said & 1u << t->what)
			continue;
		said |= 1u << t->what;
		for (size_t k = i; k < set->n_troubles; k++)
			runs += set->troubles[k].what == t->what;
		const struct rule *rule = catalog_find(r->catalog, bw_trouble_name(t->what));

		page_tagged(p, SEVERITY_CONCERN, "%s: in the log of %zu %s, first of %s",
			rule && rule->label ? rule->label : bw_trouble_name(t->what), runs,
			runs == 1 ? "run" : "runs",
			t->node == FLEET_NONE ? "a node that is not named" : name(r, t->node));
		if (t->line)
			page_item(p, PAGE_INDENT, "", "%s", t->line);
		say_route(p, r, bw_trouble_name(t->what));
	}
}

/* A level of the network that costs bandwidth is a concern, and nobody's fault. */
static void say_topology(struct page *p, const struct report_pairs *r)
{
	const struct attribution *at = r->at;

	if (at->topology == TOPOLOGY_NONE)
		return;
	page_tagged(p, SEVERITY_CONCERN,
		"level %s: pairs across it lose %.0f %%%s%s%s (%.0f %% sure)",
		topology_class_name(at->topology), 100 * at->topology_effect,
		at->topology_where ? " (" : "", at->topology_where ? at->topology_where : "",
		at->topology_where ? ")" : "", 100 * at->topology_confidence);
	say_route(p, r,
		at->topology == TOPOLOGY_INSTANCE_TYPE ? "pairs-instance-types" : "pairs-topology");
}

static void say_why(struct page *p, const struct report_pairs *r)
{
	bool wrong = r->at->n_nodes || r->at->n_links;

	/* The first sentences are those of the suspects, said above with more. */
	for (size_t i = r->at->n_nodes + r->at->n_links; i < r->at->n_why; i++)
		page_tagged(p, SEVERITY_INFO, "%s", r->at->why[i]);
	if (!wrong && !r->at->n_why)
		page_tagged(p, SEVERITY_INFO, "nothing can be said yet");
}

/* ---- what was read ---- */

static void say_read(struct page *p, const struct report_pairs *r)
{
	const struct pair_set *set = r->set;
	char text[512];
	char words[160];

	page_heading(p, "Read");
	heat_key_words(words, sizeof(words), &set->key, p->style->utf8 ? "·" : "|");
	if (set->measured)
		page_item(p, 2, "figure    ", "%s, %s, median of each pair's readings", words,
			set->key.tool == BW_CSV ? "busbw"
			: set->in_place         ? "in-place busbw"
						: "out-of-place busbw");
	page_item(p, 2, "pairs     ", "%zu of %zu, %zu readings, %zu nodes, %zu files",
		set->measured, pair_count(set->n), set->n_readings, set->n, r->files);
	heat_left_out_words(text, sizeof(text), &set->left_out);
	if (text[0])
		page_item(p, 2, "left out  ", "%s", text);
	for (size_t i = 0; i < set->n_alternatives && i < 4; i++) {
		const struct pair_alternative *a = &set->alternatives[i];
		char how[64] = "";

		heat_key_words(words, sizeof(words), &a->key, p->style->utf8 ? "·" : "|");
		if (a->key.collective != set->key.collective)
			snprintf(how, sizeof(how), " (--collective %s)",
				bw_collective_name(a->key.collective));
		else if (a->key.size_bytes != set->key.size_bytes)
			snprintf(how, sizeof(how), " (--size %llu)",
				(unsigned long long)a->key.size_bytes);
		page_item(p, 2, i ? "          " : "others    ", " %s: %zu pairs%s", words,
			a->pairs, how);
	}
	for (size_t i = 0; i < r->at->n_classes && r->at->n_classes > 1; i++) {
		const struct pair_class *c = &r->at->classes[i];

		if (c->pairs)
			page_item(p, 2, i ? "          " : "healthy   ",
				"%.1f GB/s %s, %zu pairs, spread %.1f %%", c->expected_gbps,
				c->name, c->pairs, 100 * c->spread);
	}
}

static void say_notes(struct page *p, const struct report_pairs *r)
{
	size_t n;
	const struct pair_note *notes = pair_store_notes(r->store, &n);

	for (size_t i = 0; i < n && i < LIST_SHOWN; i++) {
		if (notes[i].line)
			page_item(p, 2, "not read  ", "%s:%u: %s: %s", notes[i].path, notes[i].line,
				notes[i].what, notes[i].why);
		else
			page_item(p, 2, "not read  ", "%s: %s: %s", notes[i].path, notes[i].what,
				notes[i].why);
	}
	if (n > LIST_SHOWN)
		page_item(p, 2, "          ", "and %zu more", n - LIST_SHOWN);
}

/* ---- the slowest pairs ---- */

struct worst {
	size_t a, b;
	double lost;
};

/* The WORST_SHOWN that lose most against healthy nodes; returns how many. */
static size_t find_worst(const struct report_pairs *r, struct worst out[WORST_SHOWN])
{
	size_t n = 0;
	size_t p = 0;

	for (size_t a = 0; a < r->set->n; a++)
		for (size_t b = a + 1; b < r->set->n; b++, p++) {
			if (r->set->first[p + 1] == r->set->first[p])
				continue;
			double expected = attribution_expected(r->at, a, b);
			struct worst w = {a, b, 1 - pair_set_busbw(r->set, a, b) / expected};
			size_t at = n;

			if (!isfinite(w.lost) || w.lost <= 0)
				continue;
			for (; at > 0 && out[at - 1].lost < w.lost; at--)
				if (at < WORST_SHOWN)
					out[at] = out[at - 1];
			if (at < WORST_SHOWN)
				out[at] = w;
			n += n < WORST_SHOWN;
		}
	return n;
}

static void say_worst(struct page *p, const struct report_pairs *r)
{
	struct worst w[WORST_SHOWN];
	size_t n = find_worst(r, w);
	int width = 4;
	char line[700];

	if (!n)
		return;
	for (size_t i = 0; i < n; i++) {
		int x = (int)(strlen(name(r, w[i].a)) + strlen(name(r, w[i].b)) + 3);

		width = x > width ? x : width;
	}
	width = width > 60 ? 60 : width;
	page_heading(p, "Slowest pairs");
	snprintf(line, sizeof(line), "%-*s %8s %8s %7s %4s  %s", width, "pair", "GB/s", "healthy",
		"lost", "n", "verdict");
	page_verbatim(p, 2, line);
	for (size_t i = 0; i < n; i++) {
		char pair[300];
		size_t readings;

		pair_set_readings(r->set, w[i].a, w[i].b, &readings);
		snprintf(pair, sizeof(pair), "%s - %s", name(r, w[i].a), name(r, w[i].b));
		snprintf(line, sizeof(line), "%-*s %8.1f %8.1f %6.1f%% %4zu  %s", width, pair,
			pair_set_busbw(r->set, w[i].a, w[i].b),
			attribution_expected(r->at, w[i].a, w[i].b), 100 * w[i].lost, readings,
			report_pairs_verdict(r, w[i].a, w[i].b));
		page_verbatim(p, 2, line);
	}
}

/* ---- the simple rule, and what to do next ---- */

static void say_simple(struct page *p, const struct report_pairs *r)
{
	const struct simple_verdict *v = r->simple;
	char names[512] = "";
	size_t used = 0;
	size_t shown = 0;

	if (!v)
		return;
	page_heading(p, "The published rule beside it");
	page_item(p, 2, "", "%s (%s): low is below %.1f GB/s", simple_rule_name(r->rule),
		simple_rule_source(r->rule), v->limit_gbps);
	for (size_t i = 0; i < r->set->n && used + 64 < sizeof(names); i++)
		if (v->node_low[i] && shown++ < LIST_SHOWN)
			used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%.60s",
				used ? ", " : "", name(r, i));
	page_item(p, 2, "", "It blames %zu %s%s%s%s and calls %zu pairs low.", v->n_nodes_low,
		v->n_nodes_low == 1 ? "node" : "nodes", names[0] ? ": " : "", names,
		v->n_nodes_low > LIST_SHOWN ? ", ..." : "", v->pairs_low);
	page_item(p, 2, "", "Verdicts that differ from ours: %zu nodes, %zu pairs.",
		v->nodes_differ, v->pairs_differ);
}

static void say_next(struct page *p, const struct report_pairs *r)
{
	char suspects[SUSPECTS_BYTES] = "";
	size_t used = 0;

	for (size_t i = 0; i < r->at->n_nodes && used + 256 < sizeof(suspects); i++)
		used += (size_t)snprintf(suspects + used, sizeof(suspects) - used, "%s%.200s",
			used ? "," : " --suspects ", name(r, r->at->nodes[i].node));
	size_t begin = used;

	for (size_t i = 0; i < r->at->n_links && used + 512 < sizeof(suspects); i++)
		used += (size_t)snprintf(suspects + used, sizeof(suspects) - used,
			"%s%.200s:%.200s", used > begin ? "," : " --links ",
			name(r, r->at->links[i].a), name(r, r->at->links[i].b));
	if (!used)
		return;
	page_heading(p, "Next: measure again with other partners (prints a plan, runs nothing)");
	char line[SUSPECTS_BYTES + 100];

	snprintf(line, sizeof(line), "hyperpod-perf plan --nodes HOSTLIST --strategy suspects%s",
		suspects);
	page_verbatim(p, 2, line);
}

enum err_code report_pairs_text(
	struct buf *out, const struct report_pairs *r, const struct report_style *style)
{
	struct page p;

	page_init(&p, out, style);
	page_heading(&p, "Pairwise bandwidth");
	say_nodes(&p, r);
	say_links(&p, r);
	say_topology(&p, r);
	say_failures(&p, r);
	say_troubles(&p, r);
	say_why(&p, r);
	say_read(&p, r);
	say_notes(&p, r);
	say_worst(&p, r);
	say_simple(&p, r);
	say_next(&p, r);
	return page_error(&p);
}
