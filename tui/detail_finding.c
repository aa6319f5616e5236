#include "tui/detail.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collectors/hostlist.h"
#include "collectors/xmalloc.h"
#include "tui/fmt.h"
#include "tui/widgets.h"

/* Where the words after a label begin. */
#define TEXT_X 13

static bool has(const char *s)
{
	return s && s[0];
}

int64_t detail_age_ms(const struct ui *ui, const struct finding *f)
{
	return f->age_ms < 0 ? -1 : f->age_ms + ui->now_mono_ms - ui->snap->mono_ms;
}

char *detail_value(const struct finding *f, char *out, size_t size)
{
	const struct rule *rule = f->rule;
	const char *unit = rule && has(rule->unit) ? rule->unit : "";
	const char *blank = unit[0] && strcmp(unit, "%") != 0 ? " " : "";

	if (f->differ_n && (!rule || rule->compare == COMPARE_DIFFERS))
		snprintf(out, size, "%zu differ, %zu same", f->differ_n, f->same_n);
	else if (f->differ_n && rule->compare == COMPARE_EQ)
		snprintf(out, size, "%zu node%s", f->differ_n, f->differ_n == 1 ? "" : "s");
	else if (!has(f->value))
		snprintf(out, size, "-");
	else if (has(f->expected) && rule && rule->compare != COMPARE_EQ)
		snprintf(out, size, "%s%s%s (%s %s)", f->value, blank, unit,
			rule->compare == COMPARE_DIFFERS ? "peers"
							 : rule_compare_name(rule->compare),
			f->expected);
	else
		snprintf(out, size, "%s%s%s", f->value, blank, unit);
	return out;
}

char *detail_route(const struct ui *ui, const struct finding *f, char *out, size_t size)
{
	const struct rule *rule = f->rule;

	if (!rule || !has(rule->owner))
		snprintf(out, size, "%s %s", ui->gl->arrow,
			rule && has(rule->section) ? rule->section : "-");
	else
		snprintf(out, size, "%s %s%s%s", ui->gl->arrow, rule->owner,
			has(rule->owner_section) ? " " : "",
			has(rule->owner_section) ? rule->owner_section : "");
	return out;
}

void detail_finding_line(struct doc *d, const struct ui *ui, const struct finding *f, bool open)
{
	int style = theme_severity_style(f->severity);
	int x = 11;

	doc_line(d);
	doc_put(d, 1, style, theme_severity_glyph(ui->gl, f->severity));
	doc_put(d, 3, style, theme_severity_tag(f->severity));
	if (has(f->part)) {
		doc_putf(d, x, STYLE_BRIGHT, "%s", f->part);
		x += grid_width(f->part) + 2;
	}
	if (open)
		doc_wrap(d, x, style, f->title ? f->title : "");
	else
		doc_put(d, x, style, f->title ? f->title : "");
}

static void labelled(struct doc *d, const char *label, int style, const char *text)
{
	if (!has(text))
		return;
	doc_line(d);
	doc_put(d, 3, STYLE_DIM, label);
	doc_wrap(d, TEXT_X, style, text);
}

static void add_evidence(struct doc *d, const struct ui *ui, const struct finding *f)
{
	char text[640];
	char value[256];
	char ago[FMT_MAX];
	char since[FMT_MAX];
	int n = snprintf(text, sizeof(text), "%s %s %s read %s",
		f->rule && has(f->rule->signal) ? f->rule->signal : "",
		detail_value(f, value, sizeof(value)), ui->gl->sep,
		fmt_ago(ago, detail_age_ms(ui, f)));

	if (f->samples > 1 && n > 0 && (size_t)n < sizeof(text))
		n += snprintf(text + n, sizeof(text) - (size_t)n, " %s %u readings agree",
			ui->gl->sep, f->samples);
	if (f->since_wall_ms > 0 && n > 0 && (size_t)n < sizeof(text))
		snprintf(text + n, sizeof(text) - (size_t)n, " %s first seen %s", ui->gl->sep,
			fmt_ago(since, ui->now_wall_ms - f->since_wall_ms));
	labelled(d, "evidence", STYLE_TEXT, text);
}

/* Text that can be copied, whole, from each of the lines that it is wrapped over. */
static void add_copyable(struct doc *d, int x, const char *text)
{
	size_t first = d->nlines;

	doc_line(d);
	doc_copy(d, text);
	doc_wrap(d, x, STYLE_COMMAND, text);
	for (size_t i = first + 1; i < d->nlines; i++)
		d->lines[i].copy = d->lines[first].copy;
}

static void add_commands(struct doc *d, const struct finding *f)
{
	bool any = false;

	for (size_t i = 0; i < RULE_LIST_MAX && has(f->checks[i]); i++) {
		if (i == 0) {
			doc_line(d);
			doc_put(d, 3, STYLE_HEAD, "Look further (read-only)");
		}
		add_copyable(d, 5, f->checks[i]);
	}
	for (size_t i = 0; i < RULE_LIST_MAX && has(f->commands[i]); i++) {
		if (!any) {
			doc_line(d);
			doc_put(d, 3, STYLE_HEAD, "Suggested command (run this yourself)");
		}
		any = true;
		add_copyable(d, 5, f->commands[i]);
		if (f->rule && has(f->rule->blast[i])) {
			doc_line(d);
			doc_put(d, 7, STYLE_DIM, "blast radius");
			doc_wrap(d, 20, STYLE_LOST, f->rule->blast[i]);
		}
	}
}

void detail_finding_body(struct doc *d, const struct ui *ui, const struct finding *f)
{
	char text[512];

	labelled(d, "why", STYLE_TEXT, f->rule ? f->rule->why : NULL);
	add_evidence(d, ui, f);
	/* Who has what is told by detail_peers, in more room. */
	if (f->rule && f->rule->compare != COMPARE_DIFFERS)
		labelled(d, "said", STYLE_TEXT, f->detail);
	if (f->differ_n && has(f->differing))
		labelled(d, "differing", STYLE_BRIGHT, f->differing);
	detail_peers(d, ui, f);
	labelled(d, "source", STYLE_DIM, f->rule ? f->rule->source : NULL);
	labelled(d, "route", STYLE_INFO, detail_route(ui, f, text, sizeof(text)));
	add_commands(d, f);
	if (f->rule && has(f->rule->id)) {
		doc_line(d);
		doc_putf(d, 3, STYLE_FAINT, "rule %s (%s)", f->rule->id,
			has(f->rule->origin) ? f->rule->origin : "built in");
	}
}

/* ---- who has which value ---- */

#define NOT_KNOWN "not known"
/* Different values of one signal that are told. */
#define CAMPS_MAX 12

struct holder {
	char value[96];
	const char *node;
};

static int compare_holders(const void *a, const void *b)
{
	const struct holder *x = a;
	const struct holder *y = b;
	int c = strcmp(x->value, y->value);

	return c ? c : hostlist_compare(x->node, y->node);
}

/* The value of "section.field" on a node; false when the path is no plain value. */
static bool value_on(const struct node *n, const char *signal, struct value *v)
{
	struct span rest = span_of(signal);
	struct span part;

	if (!span_field(&rest, '.', &part))
		return false;
	enum section_id id = section_by_name(part);

	if (id == SECTION_COUNT || rest.n == 0)
		return false;
	const struct schema *schema = &section_desc(id)->schema;
	const struct field *f = schema_field(schema->fields, schema->nfields, rest.p);

	if (!f)
		return false;
	*v = (struct value)VALUE_UNKNOWN;
	if (n->section[id])
		*v = field_value(f, n->section[id]->reading);
	return true;
}

static const char *placement_on(const struct node *n, const char *signal)
{
	return strcmp(signal, "node.az") == 0              ? n->placement.az
	       : strcmp(signal, "node.spine") == 0         ? n->placement.spine
	       : strcmp(signal, "node.leaf") == 0          ? n->placement.leaf
	       : strcmp(signal, "node.ultraserver") == 0   ? n->placement.ultraserver
	       : strcmp(signal, "node.instance_type") == 0 ? node_instance_type(n)
							   : NULL;
}

static size_t collect(const struct snapshot *snap, const char *signal, struct holder *out)
{
	size_t n = 0;

	for (size_t i = 0; i < snap->n; i++) {
		const struct node *node = &snap->nodes[i];
		const char *text = placement_on(node, signal);
		struct value v = VALUE_UNKNOWN;

		if (!text && strncmp(signal, "node.", 5) != 0 && !value_on(node, signal, &v))
			return 0;
		if (text)
			snprintf(out[n].value, sizeof(out[n].value), "%s", text);
		else if (v.state == OPT_OK)
			value_text(&v, out[n].value, sizeof(out[n].value));
		else
			snprintf(out[n].value, sizeof(out[n].value), NOT_KNOWN);
		out[n++].node = node->name;
	}
	return n;
}

/* A run of holders of one value. */
struct camp {
	size_t first;
	size_t n;
};

/* The fewest first: they are who differs. Those that are not known come last. */
static int compare_camps(const struct holder *all, const struct camp *a, const struct camp *b)
{
	bool x = strcmp(all[a->first].value, NOT_KNOWN) == 0;
	bool y = strcmp(all[b->first].value, NOT_KNOWN) == 0;

	if (x != y)
		return x ? 1 : -1;
	return a->n < b->n ? -1 : a->n > b->n;
}

static size_t split(const struct holder *all, size_t n, struct camp *camps)
{
	size_t count = 0;

	for (size_t i = 0; i < n && count < CAMPS_MAX; i += camps[count++].n) {
		struct camp c = {i, 1};

		while (i + c.n < n && strcmp(all[i].value, all[i + c.n].value) == 0)
			c.n++;
		camps[count] = c;
	}
	for (size_t i = 1; i < count; i++)
		for (size_t k = i; k > 0 && compare_camps(all, &camps[k], &camps[k - 1]) < 0; k--) {
			struct camp tmp = camps[k];

			camps[k] = camps[k - 1];
			camps[k - 1] = tmp;
		}
	return count;
}

static void add_camp(
	struct doc *d, const struct holder *all, const struct camp *c, const char **names)
{
	char list[400];

	for (size_t i = 0; i < c->n; i++)
		names[i] = all[c->first + i].node;
	hostlist_fold(names, c->n, list, sizeof(list));
	doc_line(d);
	doc_putf(d, TEXT_X, STYLE_BRIGHT, "%s", all[c->first].value);
	doc_line(d);
	doc_putf(d, TEXT_X + 2, STYLE_DIM, "%zu", c->n);
	doc_wrap(d, TEXT_X + 7, STYLE_TEXT, list);
}

void detail_peers(struct doc *d, const struct ui *ui, const struct finding *f)
{
	const struct snapshot *snap = ui->snap;
	struct camp camps[CAMPS_MAX];

	if (!f->differ_n || !f->rule || !has(f->rule->signal) || snap->n == 0)
		return;
	struct holder *all = xcalloc(snap->n, sizeof(*all));
	const char **names = xcalloc(snap->n, sizeof(*names));
	size_t n = collect(snap, f->rule->signal, all);

	qsort(all, n, sizeof(*all), compare_holders);
	n = split(all, n, camps);
	for (size_t i = 0; i < n; i++)
		add_camp(d, all, &camps[i], names);
	free(all);
	free(names);
}
