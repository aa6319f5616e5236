#include "tui/layout.h"

#include <string.h>

static int total(const int *widths, size_t n, int gap)
{
	int sum = 0;
	int shown = 0;

	for (size_t i = 0; i < n; i++) {
		sum += widths[i];
		shown += widths[i] > 0;
	}
	return sum + (shown > 1 ? (shown - 1) * gap : 0);
}

/* The shown column that goes first, or n when only one is left. */
static size_t next_to_go(const struct column *cols, const int *widths, size_t n)
{
	size_t worst = n;
	size_t shown = 0;

	for (size_t i = 0; i < n; i++) {
		if (widths[i] == 0)
			continue;
		shown++;
		if (worst == n || cols[i].priority >= cols[worst].priority)
			worst = i;
	}
	return shown > 1 ? worst : n;
}

/* The shown column of the least priority above `after` (its place breaks ties), or n. */
static size_t next_to_widen(const struct column *cols, const int *widths, size_t n, size_t after)
{
	size_t best = n;

	for (size_t i = 0; i < n; i++) {
		if (!widths[i] || (after < n && (cols[i].priority < cols[after].priority ||
							(cols[i].priority == cols[after].priority &&
								i <= after))))
			continue;
		if (best == n || cols[i].priority < cols[best].priority)
			best = i;
	}
	return best;
}

/* Gives `room` cells to columns up to what they want, those first that go last. */
static int widen(const struct column *cols, int *widths, size_t n, int room)
{
	for (size_t i = next_to_widen(cols, widths, n, n); i < n && room > 0;
		i = next_to_widen(cols, widths, n, i)) {
		int more = cols[i].want - widths[i];

		more = more < 0 ? 0 : more > room ? room : more;
		widths[i] += more;
		room -= more;
	}
	return room;
}

static void grow(const struct column *cols, int *widths, size_t n, int room)
{
	int shares = 0;

	for (size_t i = 0; i < n; i++)
		shares += widths[i] ? cols[i].grow : 0;
	for (size_t i = 0; i < n && shares > 0; i++) {
		if (!widths[i] || !cols[i].grow)
			continue;
		int more = room * cols[i].grow / shares;

		widths[i] += more;
		room -= more;
		shares -= cols[i].grow;
	}
}

void layout_columns(const struct column *cols, size_t n, int w, int gap, int *widths)
{
	size_t gone;

	for (size_t i = 0; i < n; i++)
		widths[i] = cols[i].hidden ? 0 : cols[i].min > 0 ? cols[i].min : 1;
	while (total(widths, n, gap) > w && (gone = next_to_go(cols, widths, n)) < n)
		widths[gone] = 0;

	int room = w - total(widths, n, gap);

	if (room < 0) {
		for (size_t i = 0; i < n; i++)
			if (widths[i])
				widths[i] = w > 0 ? w : 0;
		return;
	}
	grow(cols, widths, n, widen(cols, widths, n, room));
}

struct rect layout_top(struct rect *r, int h)
{
	struct rect top = *r;

	top.h = h < 0 ? 0 : h < r->h ? h : r->h;
	r->y += top.h;
	r->h -= top.h;
	return top;
}

struct rect layout_bottom(struct rect *r, int h)
{
	struct rect bottom = *r;

	bottom.h = h < 0 ? 0 : h < r->h ? h : r->h;
	bottom.y = r->y + r->h - bottom.h;
	r->h -= bottom.h;
	return bottom;
}

void scroll_fix(struct scroll *s)
{
	size_t page = s->page ? s->page : 1;

	if (s->n == 0) {
		s->at = s->top = 0;
		return;
	}
	if (s->at >= s->n)
		s->at = s->n - 1;
	if (s->at < s->top)
		s->top = s->at;
	if (s->at >= s->top + page)
		s->top = s->at - page + 1;
	if (s->top + page > s->n)
		s->top = s->n > page ? s->n - page : 0;
}

void scroll_by(struct scroll *s, long rows)
{
	if (rows < 0)
		s->at = s->at > (size_t)-rows ? s->at - (size_t)-rows : 0;
	else
		s->at += (size_t)rows;
	scroll_fix(s);
}

void scroll_to(struct scroll *s, size_t at)
{
	s->at = at;
	scroll_fix(s);
}

void scroll_thumb(const struct scroll *s, int h, int *first, int *len)
{
	*first = *len = 0;
	if (h <= 0 || s->page == 0 || s->n <= s->page)
		return;
	*len = (int)((size_t)h * s->page / s->n);
	if (*len < 1)
		*len = 1;
	*first = (int)((size_t)(h - *len) * s->top / (s->n - s->page));
}
