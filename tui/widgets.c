#include "tui/widgets.h"

#include <math.h>
#include <string.h>

#include "tui/fmt.h"

void widget_titles(struct grid *g, const struct ui *ui, struct rect r, const struct column *cols,
	size_t n, const int *widths, int gap, size_t sorted, bool descending)
{
	int x = r.x;

	for (size_t i = 0; i < n; i++) {
		if (widths[i] == 0)
			continue;
		char title[64];
		int style = i == sorted ? STYLE_SORTED : STYLE_HEAD;

		snprintf(title, sizeof(title), "%s%s", cols[i].title,
			i != sorted  ? ""
			: descending ? ui->gl->down
				     : ui->gl->up);
		if (cols[i].right)
			grid_put_right(g, r, x, r.y, widths[i], style, title);
		else
			grid_put(g, r, x, r.y, style, title, widths[i]);
		x += widths[i] + gap;
	}
}

void widget_scrollbar(struct grid *g, const struct ui *ui, struct rect r, const struct scroll *s)
{
	int first;
	int len;

	scroll_thumb(s, r.h, &first, &len);
	for (int i = 0; len > 0 && i < r.h; i++) {
		bool thumb = i >= first && i < first + len;

		grid_put(g, r, r.x + r.w - 1, r.y + i, thumb ? STYLE_DIM : STYLE_FAINT,
			thumb ? ui->gl->thumb : ui->gl->track, 1);
	}
}

void widget_gauge(struct grid *g, const struct ui *ui, struct rect clip, int x, int y, int w,
	double pct, int style)
{
	if (!isfinite(pct)) {
		grid_put(g, clip, x, y, STYLE_UNKNOWN, ui->gl->unknown, w);
		return;
	}
	int full = (int)(pct / 100 * w + 0.5);

	/* A little is not nothing, and nearly full is not full. */
	if (full == 0 && pct > 0)
		full = 1;
	if (full >= w && pct < 100)
		full = w - 1;
	full = full < 0 ? 0 : full > w ? w : full;
	grid_repeat(g, clip, x, y, style, ui->gl->bar_full, full);
	grid_repeat(g, clip, x + full, y, STYLE_FAINT, ui->gl->bar_empty, w - full);
}

void widget_trend(struct grid *g, const struct ui *ui, struct rect clip, int x, int y, int w,
	size_t node, enum trend_metric m, int style)
{
	double lo;
	double hi;
	int n = (int)trend_count(ui->trend, node, m);

	trend_range(m, &lo, &hi);
	for (int i = 0; i < w && i < n; i++) {
		double v = trend_get(ui->trend, node, m, (size_t)i);

		grid_put(g, clip, x + w - 1 - i, y, isfinite(v) ? style : STYLE_FAINT,
			fmt_spark(ui->gl, v, lo, hi), 1);
	}
}

void widget_empty(struct grid *g, struct rect r, const char *text)
{
	int w = grid_width(text);

	grid_put_cut(
		g, r, r.x + (w < r.w ? (r.w - w) / 2 : 0), r.y + r.h / 3, r.w, STYLE_DIM, text);
}

size_t widget_wrap(const char **text, int w)
{
	const char *s = *text;

	while (*s == ' ')
		s++;
	size_t n = grid_fit(s, w > 0 ? w : 1, NULL);
	size_t end = n;

	if (n == 0 && *s) /* a wide character in one cell */
		end = n = strlen(s);
	if (s[n] && s[n] != ' ') {
		while (end > 0 && s[end] != ' ')
			end--;
		if (end == 0)
			end = n;
	}
	*text = s + end;
	while (end > 0 && s[end - 1] == ' ')
		end--;
	return end;
}

bool widget_scroll_act(struct scroll *s, enum action a)
{
	long page = s->page > 1 ? (long)s->page - 1 : 1;

	switch (a) {
	case ACTION_UP:
		scroll_by(s, -1);
		return true;
	case ACTION_DOWN:
		scroll_by(s, 1);
		return true;
	case ACTION_PAGE_UP:
		scroll_by(s, -page);
		return true;
	case ACTION_PAGE_DOWN:
		scroll_by(s, page);
		return true;
	case ACTION_HOME:
		scroll_to(s, 0);
		return true;
	case ACTION_END:
		scroll_to(s, s->n ? s->n - 1 : 0);
		return true;
	default:
		return false;
	}
}
