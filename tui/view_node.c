#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collectors/xmalloc.h"
#include "tui/detail.h"
#include "tui/detail_pair.h"
#include "tui/input.h"
#include "tui/view.h"
#include "tui/widgets.h"

#define NO_NODE SIZE_MAX

/*
 * The panel of one node (its findings, one of them unfolded, then its readings),
 * or of one finding about the whole cluster. Remembers ids, not pointers: the
 * picture changes under it.
 */
struct view_node {
	char node_id[256];   /* "" the cluster */
	char finding_id[20]; /* the one that is unfolded; "" the first */
	size_t node;         /* index in the snapshot; NO_NODE the cluster or gone */
	const struct finding **findings;
	size_t n;
	size_t cap;
	size_t open; /* index of the unfolded one; < n unless n is 0 */
	struct doc doc;
	struct scroll scroll;
	int64_t made_s; /* the second for which ages were written */
	bool dirty;
	bool to_finding;    /* bring the unfolded finding in sight when made next */
	char searched[128]; /* the words that were last gone to */
};

static void *node_open(void)
{
	struct view_node *v = xcalloc(1, sizeof(*v));

	doc_init(&v->doc);
	v->node = NO_NODE;
	return v;
}

static void node_close(void *view)
{
	struct view_node *v = view;

	doc_release(&v->doc);
	free(v->findings);
	free(v);
}

static bool concerns_us(const struct view_node *v, const struct finding *f)
{
	if (f->severity == SEVERITY_OK)
		return false;
	if (v->node != NO_NODE)
		return finding_has_node(f, v->node);
	return v->node_id[0] == '\0' && f->node == SIZE_MAX;
}

static void node_update(void *view, const struct ui *ui)
{
	struct view_node *v = view;

	v->node = NO_NODE;
	for (size_t i = 0; v->node_id[0] && i < ui->snap->n; i++)
		if (strcmp(ui->snap->nodes[i].id, v->node_id) == 0)
			v->node = i;
	v->n = 0;
	v->open = 0;
	for (size_t i = 0; ui->jm && i < ui->jm->n; i++) {
		const struct finding *f = &ui->jm->findings[i];

		if (!concerns_us(v, f))
			continue;
		if (strcmp(f->id, v->finding_id) == 0)
			v->open = v->n;
		xgrow((void **)&v->findings, &v->cap, v->n, sizeof(*v->findings));
		v->findings[v->n++] = f;
	}
	v->dirty = true;
}

static void node_show(void *view, const struct ui *ui, const char *node_id, const char *finding_id)
{
	struct view_node *v = view;

	snprintf(v->node_id, sizeof(v->node_id), "%s", node_id);
	snprintf(v->finding_id, sizeof(v->finding_id), "%s", finding_id);
	v->scroll = (struct scroll){.n = 0};
	v->to_finding = finding_id[0] != '\0';
	node_update(v, ui);
}

static void make_findings(struct view_node *v, const struct ui *ui)
{
	struct doc *d = &v->doc;

	for (size_t i = 0; i < v->n; i++) {
		bool open = i == v->open;

		d->mark = (int)i;
		if (open || i == v->open + 1 || i == 0)
			doc_line(d);
		detail_finding_line(d, ui, v->findings[i], open);
		if (open)
			detail_finding_body(d, ui, v->findings[i]);
	}
	d->mark = -1;
}

static void make(struct view_node *v, const struct ui *ui, int width)
{
	struct doc *d = &v->doc;

	doc_reset(d, width);
	if (v->node != NO_NODE) {
		detail_identity(d, ui, v->node);
	} else {
		doc_line(d);
		doc_put(d, 1, STYLE_BRIGHT, v->node_id[0] ? v->node_id : "The whole cluster");
		if (v->node_id[0])
			doc_put(d, grid_width(v->node_id) + 3, STYLE_UNKNOWN,
				"is not in the picture any more");
	}
	if (v->n)
		make_findings(v, ui);
	else {
		doc_line(d);
		doc_line(d);
		doc_put(d, 1, STYLE_DIM, ui->jm ? "no finding here" : "not judged yet");
	}
	if (v->node != NO_NODE) {
		detail_node_pairs(d, ui, v->node);
		detail_sections(d, ui, v->node);
	}
	v->scroll.n = d->nlines;
	if (v->to_finding && v->n) {
		v->to_finding = false;
		v->scroll.at = doc_find_mark(d, (int)v->open);
		if (v->open == 0) /* keep the identity in sight */
			v->scroll.top = 0;
		else
			v->scroll.top = v->scroll.at > 2 ? v->scroll.at - 2 : 0;
		/* The mark's first line is the blank before it. */
		v->scroll.at++;
	}
	v->dirty = false;
	v->made_s = ui->now_mono_ms / 1000;
}

static unsigned go_finding(struct view_node *v, int step)
{
	if (v->n == 0)
		return VIEW_HANDLED;
	v->open = (v->open + v->n + (size_t)step) % v->n;
	snprintf(v->finding_id, sizeof(v->finding_id), "%s", v->findings[v->open]->id);
	v->dirty = v->to_finding = true;
	return VIEW_REDRAW;
}

/*
 * The line's own text to copy, else the first thing to look at for the unfolded
 * finding; never a command that changes something unless the operator is on it.
 */
static unsigned copy(const struct view_node *v, struct view_request *req)
{
	const char *text = v->scroll.at < v->doc.nlines ? v->doc.lines[v->scroll.at].copy : NULL;
	const struct finding *f = v->n ? v->findings[v->open] : NULL;

	if (!text && f)
		text = f->checks[0] ? f->checks[0] : f->title;
	if (!text)
		text = v->node_id;
	snprintf(req->text, sizeof(req->text), "%s", text);
	return VIEW_COPY;
}

/* To the next (1) or former (-1) line that has the words, round the end; 0: this line too. */
static unsigned search(struct view_node *v, const struct ui *ui, int step)
{
	size_t n = v->doc.nlines;
	char text[1024];

	for (size_t i = step ? 1 : 0; i <= n && n && ui->filter[0]; i++) {
		size_t at = (v->scroll.at + (step < 0 ? n - i : i)) % n;

		if (input_matches(ui->filter, doc_line_text(&v->doc, at, text, sizeof(text)))) {
			scroll_to(&v->scroll, at);
			break;
		}
	}
	return VIEW_REDRAW;
}

static void node_draw(void *view, const struct ui *ui, struct grid *g, struct rect r)
{
	struct view_node *v = view;

	v->scroll.page = r.h > 0 ? (size_t)r.h : 0;
	if (v->dirty || v->doc.width != r.w - 2 || v->made_s != ui->now_mono_ms / 1000)
		make(v, ui, r.w - 2);
	if (strcmp(v->searched, ui->filter) != 0) {
		snprintf(v->searched, sizeof(v->searched), "%s", ui->filter);
		search(v, ui, 0);
	}
	scroll_fix(&v->scroll);
	doc_draw(&v->doc, ui, g, r, &v->scroll);
}

static unsigned node_act(void *view, const struct ui *ui, enum action a, struct view_request *req)
{
	struct view_node *v = view;

	if (widget_scroll_act(&v->scroll, a))
		return VIEW_REDRAW;
	switch (a) {
	case ACTION_FINDING_NEXT:
		return go_finding(v, 1);
	case ACTION_FINDING_PREV:
		return go_finding(v, -1);
	case ACTION_COPY:
		return copy(v, req);
	case ACTION_NEXT:
		return search(v, ui, 1);
	case ACTION_PREV:
		return search(v, ui, -1);
	default:
		return VIEW_IGNORED;
	}
}

static void node_caption(void *view, const struct ui *ui, char *out, size_t size)
{
	const struct view_node *v = view;

	const char *name = v->node != NO_NODE ? ui->snap->nodes[v->node].name
			   : v->node_id[0]    ? v->node_id
					      : "cluster";

	if (v->n)
		snprintf(out, size, "%s: finding %zu of %zu", name, v->open + 1, v->n);
	else
		snprintf(out, size, "%s", name);
}

const struct view_ops view_node_ops = {
	.name = "node",
	.title = "Details",
	.where = IN_DETAIL,
	.open = node_open,
	.close = node_close,
	.update = node_update,
	.draw = node_draw,
	.act = node_act,
	.caption = node_caption,
	.show = node_show,
};
