#include <stdio.h>
#include <string.h>

#include "tui/fmt.h"
#include "tui/layout.h"
#include "tui/screen_private.h"
#include "tui/statusbar.h"

/* Rows of the terminal below which the line of tabs gives way. */
#define TABS_MIN_ROWS 12

static int draw_tab(struct grid *g, struct rect r, int x, const struct view_ops *ops, bool front)
{
	char text[40];

	snprintf(text, sizeof(text), " %c ", ops->key);
	g->back = front ? BACK_SELECTED : BACK_NONE;
	x += grid_put(g, r, x, r.y, front ? STYLE_KEY : STYLE_DIM, text, -1);
	x += grid_put(g, r, x, r.y, front ? STYLE_BRIGHT : STYLE_DIM, ops->title, -1);
	x += grid_put(g, r, x, r.y, STYLE_TEXT, " ", -1);
	g->back = BACK_NONE;
	return x + 1;
}

static void draw_tabs(struct screen *s, struct slot *front, struct grid *g, struct rect r)
{
	char caption[160] = "";
	int x = r.x;

	for (size_t i = 0; i < s->ntabs; i++)
		x = draw_tab(g, r, x, s->tabs[i].ops, !s->help_open && i == s->tab);
	if (front->ops->caption)
		front->ops->caption(front->state, &s->ui, caption, sizeof(caption));
	int w = grid_width(caption);
	int left = r.x + r.w - 1 - w;

	if (left < x + 1)
		left = x + 1;
	grid_put_cut(g, r, left, r.y, r.x + r.w - 1 - left, STYLE_DIM, caption);
}

/* The keys that matter here, as many as fit; help and quit always, on the right. */
static void draw_hints(const struct slot *front, struct grid *g, struct rect r)
{
	static const enum action last[] = {ACTION_HELP, ACTION_QUIT};
	unsigned where = front->ops->where;
	char key[16];
	char text[64];
	int right = r.x + r.w - 1;

	for (size_t i = 2; i-- > 0;) {
		action_key_name(last[i], key, sizeof(key));
		snprintf(text, sizeof(text), " %s", action_desc(last[i])->hint);
		int w = grid_width(key) + grid_width(text);

		if (right - w < r.x)
			return;
		right -= w;
		grid_put(g, r, right, r.y, STYLE_KEY, key, -1);
		grid_put(g, r, right + grid_width(key), r.y, STYLE_DIM, text, -1);
		right -= 2;
	}
	int x = r.x + 1;

	for (int a = 0; a < ACTION_COUNT; a++) {
		const struct action_desc *d = action_desc((enum action)a);

		if (!(d->hinted & where) || a == ACTION_HELP || a == ACTION_QUIT)
			continue;
		action_key_name((enum action)a, key, sizeof(key));
		snprintf(text, sizeof(text), " %s", d->hint);
		if (x + grid_width(key) + grid_width(text) > right)
			return;
		x += grid_put(g, r, x, r.y, STYLE_KEY, key, -1);
		x += grid_put(g, r, x, r.y, STYLE_DIM, text, -1) + 2;
	}
}

static void draw_prompt(const struct screen *s, struct grid *g, struct rect r)
{
	const char *text = s->line.text;
	int x = r.x +
		grid_put(g, r, r.x, r.y, STYLE_KEY, s->prompt == PROMPT_SEARCH ? "/" : ":", 1);
	int over = grid_width(text) + 2 - r.w;

	/* A long line shows its end, where the typing is. */
	while (over > 0 && *text) {
		size_t n = grid_fit(text, 1, NULL);

		text += n ? n : 1;
		over = grid_width(text) + 2 - r.w;
	}
	x += grid_put(g, r, x, r.y, STYLE_BRIGHT, text, -1);
	g->back = BACK_SELECTED;
	grid_put(g, r, x, r.y, STYLE_TEXT, " ", 1);
	g->back = BACK_NONE;
}

static void draw_bottom(struct screen *s, struct slot *front, struct grid *g, struct rect r)
{
	if (s->prompt != PROMPT_NONE) {
		draw_prompt(s, g, r);
		return;
	}
	if (s->message[0]) {
		grid_put_cut(g, r, r.x + 1, r.y, r.w - 2, STYLE_BRIGHT, s->message);
		return;
	}
	if (front->filter[0]) {
		int x = r.x + 1;

		x += grid_put(g, r, x, r.y, STYLE_KEY, "/", 1);
		x += grid_put_cut(g, r, x, r.y, r.w / 2, STYLE_MATCH, front->filter);
		x += grid_put(g, r, x, r.y, STYLE_DIM, "  Esc shows all", -1) + 1;
		r.w -= x - r.x;
		r.x = x;
	}
	draw_hints(front, g, r);
}

void screen_draw(struct screen *s, struct grid *g)
{
	struct slot *front = screen_front(s);
	struct rect r = grid_rect(g);

	g->ascii = s->ui.ascii;
	grid_erase(g);
	statusbar_draw(&s->ui, g, layout_top(&r, 1));
	if (g->h >= 3)
		draw_bottom(s, front, g, layout_bottom(&r, 1));
	if (g->h >= TABS_MIN_ROWS)
		draw_tabs(s, front, g, layout_top(&r, 1));
	if (r.h > 0 && r.w > 0)
		front->ops->draw(front->state, &s->ui, g, r);
}
