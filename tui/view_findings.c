#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collectors/xmalloc.h"
#include "tui/detail.h"
#include "tui/fmt.h"
#include "tui/input.h"
#include "tui/view.h"
#include "tui/widgets.h"

#define GAP 2

enum { COL_TAG, COL_SUBJECT, COL_TITLE, COL_VALUE, COL_AGE, COL_ROUTE, COL_COUNT };

/*
 * The owner stays longer than the value: whose it is decides what happens next, and
 * titles carry the value in words.
 */
static const struct column columns[COL_COUNT] = {
	[COL_TAG] = {"", 1, 1, 0, 0, false, false},
	[COL_SUBJECT] = {"SUBJECT", 12, 14, 1, 1, false, false},
	[COL_TITLE] = {"FINDING", 20, 44, 4, 0, false, false},
	[COL_VALUE] = {"VALUE", 12, 16, 1, 4, false, false},
	[COL_AGE] = {"AGE", 4, 4, 0, 3, true, false},
	[COL_ROUTE] = {"OWNER", 16, 24, 0, 2, false, false},
};

/* A row is a finding, or the heading of those that follow. */
struct row {
	const struct finding *f; /* the first of its group for a heading */
	bool heading;
	size_t count; /* of a heading's group */
};

struct view_findings {
	struct row *rows;
	size_t n;
	size_t cap;
	struct scroll scroll;
	char selected[20]; /* id of the finding the operator is on; "" the first */
	bool concerns_only;
	size_t shown;
};

static void *findings_open(void)
{
	return xcalloc(1, sizeof(struct view_findings));
}

static void findings_close(void *view)
{
	struct view_findings *v = view;

	free(v->rows);
	free(v);
}

static const char *section_of(const struct finding *f)
{
	return f->rule && f->rule->section ? f->rule->section : "";
}

static bool same_group(const struct finding *a, const struct finding *b)
{
	return a->severity == b->severity && strcmp(section_of(a), section_of(b)) == 0;
}

static const char *owner_of(const struct finding *f)
{
	return f->rule && f->rule->owner ? f->rule->owner : "";
}

static bool shown(const struct view_findings *v, const struct ui *ui, const struct finding *f)
{
	char text[1024];

	if (f->severity == SEVERITY_OK || (v->concerns_only && f->severity != SEVERITY_CONCERN))
		return false;
	snprintf(text, sizeof(text), "%s %s %s %s %s", f->subject, f->title, owner_of(f),
		theme_severity_tag(f->severity), f->rule && f->rule->id ? f->rule->id : "");
	return input_matches(ui->filter, text);
}

static struct row *add_row(struct view_findings *v, struct row r)
{
	xgrow((void **)&v->rows, &v->cap, v->n, sizeof(*v->rows));
	v->rows[v->n] = r;
	return &v->rows[v->n++];
}

/* From a heading on to the next finding in that direction. */
static void leave_heading(struct view_findings *v, int step)
{
	while (v->scroll.at < v->n && v->rows[v->scroll.at].heading) {
		if (step < 0 && v->scroll.at == 0)
			step = 1;
		scroll_by(&v->scroll, step);
	}
	/* The heading of the first finding in sight belongs to what is seen. */
	if (v->scroll.top > 0 && v->scroll.top == v->scroll.at &&
		v->rows[v->scroll.top - 1].heading)
		v->scroll.top--;
}

static void findings_update(void *view, const struct ui *ui)
{
	struct view_findings *v = view;
	size_t heading = 0;

	v->n = v->shown = 0;
	for (size_t i = 0; ui->jm && i < ui->jm->n; i++) {
		const struct finding *f = &ui->jm->findings[i];

		if (!shown(v, ui, f))
			continue;
		if (v->n == 0 || !same_group(v->rows[heading].f, f)) {
			heading = v->n;
			add_row(v, (struct row){f, true, 0});
		}
		v->rows[heading].count++;
		v->shown++;
		if (strcmp(f->id, v->selected) == 0)
			v->scroll.at = v->n;
		add_row(v, (struct row){f, false, 0});
	}
	v->scroll.n = v->n;
	if (!v->selected[0])
		v->scroll.at = 0;
	scroll_fix(&v->scroll);
	leave_heading(v, 1);
}

static const char *section_title(const char *section)
{
	return strcmp(section, "A") == 0   ? "Uneven NCCL performance"
	       : strcmp(section, "B") == 0 ? "Poor filesystem performance"
					   : "Evidence, routed to its owner";
}

static void draw_heading(const struct ui *ui, struct grid *g, struct rect r, const struct row *row)
{
	const char *section = section_of(row->f);
	char text[96];
	int x = r.x + 1;

	x += grid_put(g, r, x, r.y, theme_severity_style(row->f->severity),
		     theme_severity_tag(row->f->severity), -1) +
	     1;
	snprintf(text, sizeof(text), "%s%s%s", section, section[0] ? "  " : "",
		section_title(section));
	x += grid_put(g, r, x, r.y, STYLE_HEAD, text, -1) + 1;
	x += grid_putf(g, r, x, r.y, STYLE_DIM, "%zu", row->count) + 1;
	grid_repeat(g, r, x, r.y, STYLE_FAINT, ui->gl->rule, r.x + r.w - 2 - x);
}

/* "node-debugger § G": the owner as short as people call it. The panel has it in full. */
static void short_route(const struct ui *ui, const struct finding *f, char *out, size_t size)
{
	const char *section = f->rule && f->rule->owner_section ? f->rule->owner_section : "";
	const char *owner = owner_of(f);
	size_t n = 0;

	if (strncmp(owner, "hyperpod-", 9) == 0 && strcmp(owner, "hyperpod-perf") != 0)
		owner += 9;
	/* Of "§ G GPU / Accelerator" the first two words. */
	for (int words = 0; section[n]; n++)
		if (section[n] == ' ' && ++words == 2)
			break;
	snprintf(out, size, "%s %s %.*s", ui->gl->arrow, owner, (int)n, section);
}

/* Node and part, or the node alone where both do not fit: the title names the part. */
static const char *subject_text(const struct ui *ui, const struct finding *f, int w)
{
	if (f->rule && f->rule->scope == SCOPE_PAIR)
		return f->subject ? f->subject : "";
	if (f->differing && f->differing[0])
		return f->differing;
	if (f->node < ui->snap->n && f->subject && grid_width(f->subject) > w)
		return ui->snap->nodes[f->node].name;
	return f->subject ? f->subject : "";
}

static void draw_finding(const struct ui *ui, struct grid *g, struct rect r, const int *widths,
	const struct finding *f)
{
	char text[COL_COUNT][256];
	int style = theme_severity_style(f->severity);
	int styles[COL_COUNT] = {style, STYLE_BRIGHT, style, STYLE_TEXT, STYLE_DIM, STYLE_DIM};
	int x = r.x;

	snprintf(text[COL_TAG], sizeof(text[0]), "%s", theme_severity_glyph(ui->gl, f->severity));
	snprintf(
		text[COL_SUBJECT], sizeof(text[0]), "%s", subject_text(ui, f, widths[COL_SUBJECT]));
	snprintf(text[COL_TITLE], sizeof(text[0]), "%s", f->title ? f->title : "");
	detail_value(f, text[COL_VALUE], sizeof(text[0]));
	fmt_age(text[COL_AGE], detail_age_ms(ui, f));
	short_route(ui, f, text[COL_ROUTE], sizeof(text[0]));
	for (size_t i = 0; i < COL_COUNT; i++) {
		if (widths[i] == 0)
			continue;
		if (columns[i].right)
			grid_put_right(g, r, x, r.y, widths[i], styles[i], text[i]);
		else
			grid_put_cut(g, r, x, r.y, widths[i], styles[i], text[i]);
		x += widths[i] + GAP;
	}
}

static void draw_nothing(
	const struct view_findings *v, const struct ui *ui, struct grid *g, struct rect r)
{
	char text[160];

	if (!ui->jm)
		snprintf(text, sizeof(text), "no node has answered yet");
	else if (ui->filter[0] || (v->concerns_only && ui->jm->n))
		snprintf(text, sizeof(text), "no finding matches (Esc shows all)");
	else
		snprintf(text, sizeof(text),
			"no finding on %zu of %zu nodes; %zu checks could not be made",
			ui->snap->reached, ui->snap->n, ui->jm->unknown);
	widget_empty(g, r, text);
}

static void findings_draw(void *view, const struct ui *ui, struct grid *g, struct rect r)
{
	struct view_findings *v = view;
	int widths[LAYOUT_COLUMNS_MAX];
	struct rect head = layout_top(&r, 1);

	layout_columns(columns, COL_COUNT, r.w - 2, GAP, widths);
	head.x++;
	head.w -= 2;
	widget_titles(g, ui, head, columns, COL_COUNT, widths, GAP, SIZE_MAX, false);
	v->scroll.page = r.h > 0 ? (size_t)r.h : 0;
	scroll_fix(&v->scroll);
	leave_heading(v, 1);
	if (v->n == 0)
		draw_nothing(v, ui, g, r);
	for (int i = 0; i < r.h && v->scroll.top + (size_t)i < v->n; i++) {
		size_t at = v->scroll.top + (size_t)i;
		struct rect line = {r.x, r.y + i, r.w, 1};

		if (v->rows[at].heading) {
			draw_heading(ui, g, line, &v->rows[at]);
			continue;
		}
		g->back = at == v->scroll.at ? BACK_SELECTED : BACK_NONE;
		grid_fill(g, line, STYLE_TEXT);
		line.x++;
		line.w -= 2;
		draw_finding(ui, g, line, widths, v->rows[at].f);
		g->back = BACK_NONE;
	}
	widget_scrollbar(g, ui, r, &v->scroll);
}

static const struct finding *current(const struct view_findings *v)
{
	return v->scroll.at < v->n && !v->rows[v->scroll.at].heading ? v->rows[v->scroll.at].f
								     : NULL;
}

static void remember(struct view_findings *v)
{
	const struct finding *f = current(v);

	snprintf(v->selected, sizeof(v->selected), "%s", f ? f->id : "");
}

static unsigned open_finding(const struct ui *ui, const struct finding *f, struct view_request *req)
{
	if (!f)
		return VIEW_HANDLED;
	snprintf(req->node_id, sizeof(req->node_id), "%s",
		f->node < ui->snap->n ? ui->snap->nodes[f->node].id : "");
	snprintf(req->finding_id, sizeof(req->finding_id), "%s", f->id);
	return VIEW_DETAIL;
}

static unsigned findings_act(
	void *view, const struct ui *ui, enum action a, struct view_request *req)
{
	struct view_findings *v = view;
	const struct finding *f = current(v);

	if (widget_scroll_act(&v->scroll, a)) {
		leave_heading(v, a == ACTION_UP || a == ACTION_PAGE_UP ? -1 : 1);
		remember(v);
		if (a == ACTION_HOME)
			v->selected[0] = '\0';
		return VIEW_REDRAW;
	}
	switch (a) {
	case ACTION_OPEN:
		return open_finding(ui, f, req);
	case ACTION_COPY:
		if (f)
			snprintf(req->text, sizeof(req->text), "%s: %s", f->subject, f->title);
		return f ? VIEW_COPY : VIEW_HANDLED;
	case ACTION_CONCERNS:
		v->concerns_only = !v->concerns_only;
		findings_update(v, ui);
		return VIEW_REDRAW;
	case ACTION_BACK:
		if (!v->concerns_only)
			return VIEW_IGNORED;
		v->concerns_only = false;
		findings_update(v, ui);
		return VIEW_REDRAW;
	default:
		return VIEW_IGNORED;
	}
}

static void findings_caption(void *view, const struct ui *ui, char *out, size_t size)
{
	const struct view_findings *v = view;

	if (!ui->jm)
		snprintf(out, size, "not judged yet");
	else
		snprintf(out, size, "%zu shown %s %zu concern%s %s %zu info %s %zu unknown",
			v->shown, ui->gl->sep, ui->jm->concerns, ui->jm->concerns == 1 ? "" : "s",
			ui->gl->sep, ui->jm->infos, ui->gl->sep, ui->jm->unknown);
}

extern const struct view_ops view_findings_ops;
const struct view_ops view_findings_ops = {
	.name = "findings",
	.title = "Findings",
	.key = '4',
	.where = IN_FINDINGS,
	.open = findings_open,
	.close = findings_close,
	.update = findings_update,
	.draw = findings_draw,
	.act = findings_act,
	.caption = findings_caption,
};
