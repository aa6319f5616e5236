#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collectors/clock.h"
#include "collectors/log.h"
#include "collectors/xmalloc.h"
#include "tui/input.h"
#include "tui/view.h"
#include "tui/widgets.h"

#define LINES_MAX 1000

struct view_log {
	struct log_line *lines; /* those shown, oldest first */
	size_t n;
	uint64_t total;
	struct scroll scroll;
	bool held; /* the operator scrolled up: do not follow the end */
};

static void *log_view_open(void)
{
	struct view_log *v = xcalloc(1, sizeof(*v));

	v->lines = xcalloc(LINES_MAX, sizeof(*v->lines));
	return v;
}

static void log_view_close(void *view)
{
	struct view_log *v = view;

	free(v->lines);
	free(v);
}

static void log_view_update(void *view, const struct ui *ui)
{
	struct view_log *v = view;
	size_t all = log_recent(v->lines, LINES_MAX, &v->total);

	v->n = 0;
	for (size_t i = 0; i < all; i++)
		if (input_matches(ui->filter, v->lines[i].text))
			v->lines[v->n++] = v->lines[i];
	v->scroll.n = v->n;
	if (!v->held && v->n)
		v->scroll.at = v->n - 1;
	scroll_fix(&v->scroll);
}

static void draw_line(struct grid *g, struct rect r, const struct log_line *l)
{
	static const struct {
		const char *word;
		int word_style;
		int text_style;
	} levels[] = {
		[LOG_ERR] = {"error", STYLE_CONCERN, STYLE_BRIGHT},
		[LOG_WARN] = {"warn ", STYLE_CONCERN, STYLE_TEXT},
		[LOG_INFO] = {"info ", STYLE_INFO, STYLE_TEXT},
		[LOG_DEBUG] = {"debug", STYLE_DIM, STYLE_DIM},
	};
	char when[32];
	int x = r.x + 1;

	/* Of 2026-12-01T03:12:45Z the time of day is enough here. */
	clock_format_utc(l->wall_ms, when, sizeof(when));
	if (r.w >= 60)
		x += grid_put(g, r, x, r.y, STYLE_DIM, strlen(when) > 11 ? when + 11 : when, 9) + 1;
	x += grid_put(g, r, x, r.y, levels[l->level].word_style, levels[l->level].word, -1) + 1;
	grid_put_cut(g, r, x, r.y, r.x + r.w - 1 - x, levels[l->level].text_style, l->text);
}

static void log_view_draw(void *view, const struct ui *ui, struct grid *g, struct rect r)
{
	struct view_log *v = view;

	v->scroll.page = r.h > 0 ? (size_t)r.h : 0;
	scroll_fix(&v->scroll);
	if (v->n == 0)
		widget_empty(g, r,
			ui->filter[0] ? "no line matches (Esc shows all)"
				      : "nothing is logged yet");
	for (int i = 0; i < r.h && v->scroll.top + (size_t)i < v->n; i++) {
		size_t at = v->scroll.top + (size_t)i;
		struct rect line = {r.x, r.y + i, r.w, 1};

		g->back = v->held && at == v->scroll.at ? BACK_SELECTED : BACK_NONE;
		grid_fill(g, line, STYLE_TEXT);
		draw_line(g, line, &v->lines[at]);
	}
	g->back = BACK_NONE;
	widget_scrollbar(g, ui, r, &v->scroll);
}

static unsigned log_view_act(
	void *view, const struct ui *ui, enum action a, struct view_request *req)
{
	struct view_log *v = view;

	(void)ui;
	(void)req;
	if (!widget_scroll_act(&v->scroll, a))
		return VIEW_IGNORED;
	v->held = v->n > 0 && v->scroll.at + 1 < v->n;
	return VIEW_REDRAW;
}

static void log_view_caption(void *view, const struct ui *ui, char *out, size_t size)
{
	const struct view_log *v = view;

	(void)ui;
	snprintf(out, size, "%zu lines%s", v->n, v->held ? ", held (End follows)" : ", following");
}

extern const struct view_ops view_log_ops;
const struct view_ops view_log_ops = {
	.name = "log",
	.title = "Log",
	.key = '7',
	.where = IN_LOG,
	.open = log_view_open,
	.close = log_view_close,
	.update = log_view_update,
	.draw = log_view_draw,
	.act = log_view_act,
	.caption = log_view_caption,
};
