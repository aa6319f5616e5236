#include "tui/screen.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collectors/compiler.h"
#include "collectors/xmalloc.h"
#include "tui/screen_private.h"

static void slot_open(struct slot *sl, const struct view_ops *ops)
{
	sl->ops = ops;
	sl->state = ops->open();
	sl->stale = true;
}

static void slot_close(struct slot *sl)
{
	if (sl->ops)
		sl->ops->close(sl->state);
}

struct screen *screen_new(bool ascii, const struct view_ops *start)
{
	struct screen *s = xcalloc(1, sizeof(*s));
	const struct view_ops *ops;

	s->ui.ascii = ascii;
	s->ui.gl = theme_glyphs(ascii);
	s->ui.filter = "";
	s->ui.trend = s->trend = trend_new();
	for (size_t i = 0; (ops = view_at(i)) && i < SCREEN_TABS_MAX; i++) {
		slot_open(&s->tabs[s->ntabs++], ops);
		if (ops == start)
			s->tab = i;
	}
	slot_open(&s->detail, &view_node_ops);
	slot_open(&s->help, &view_help_ops);
	return s;
}

void screen_free(struct screen *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->ntabs; i++)
		slot_close(&s->tabs[i]);
	slot_close(&s->detail);
	slot_close(&s->help);
	trend_free(s->trend);
	free(s);
}

struct slot *screen_front(struct screen *s)
{
	struct slot *sl = s->help_open ? &s->help : s->detail_open ? &s->detail : &s->tabs[s->tab];

	s->ui.filter = sl->filter;
	if (sl->stale) {
		sl->stale = false;
		sl->ops->update(sl->state, &s->ui);
	}
	return sl;
}

void screen_set_picture(struct screen *s, const struct snapshot *snap, const struct judgement *jm)
{
	s->ui.snap = snap;
	s->ui.jm = jm;
	trend_push(s->trend, snap);
	for (size_t i = 0; i < s->ntabs; i++)
		s->tabs[i].stale = true;
	s->detail.stale = s->help.stale = true;
	screen_front(s);
}

void screen_set_sweep(struct screen *s, const struct sweep_picture *sweep)
{
	s->ui.sweep = sweep;
	for (size_t i = 0; i < s->ntabs; i++)
		s->tabs[i].stale = true;
	s->detail.stale = s->help.stale = true;
	if (s->ui.snap)
		screen_front(s);
}

void screen_set_judgement(struct screen *s, const struct judgement *jm)
{
	s->ui.jm = jm;
}

bool screen_set_time(struct screen *s, int64_t mono_ms, int64_t wall_ms)
{
	s->ui.now_mono_ms = mono_ms;
	s->ui.now_wall_ms = wall_ms;
	if (!s->message[0] || mono_ms < s->message_until_mono_ms)
		return false;
	s->message[0] = '\0';
	return true;
}

void screen_message(struct screen *s, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	if (vsnprintf(s->message, sizeof(s->message), fmt, ap) < 0)
		s->message[0] = '\0';
	va_end(ap);
	s->message_until_mono_ms = s->ui.now_mono_ms + SCREEN_MESSAGE_MS;
}

bool screen_paused(const struct screen *s)
{
	return s->ui.paused;
}

const char *screen_copy_text(const struct screen *s)
{
	return s->copy;
}

void screen_detail(struct screen *s, const char *node_id, const char *finding_id)
{
	s->detail.filter[0] = '\0';
	s->ui.filter = "";
	s->detail_open = true;
	s->help_open = false;
	s->detail.stale = false;
	s->detail.ops->show(s->detail.state, &s->ui, node_id, finding_id);
}

void screen_go(struct screen *s, size_t tab)
{
	s->tab = tab;
	s->detail_open = s->help_open = false;
}

void screen_set_filter(struct screen *s, const char *words)
{
	struct slot *sl = screen_front(s);

	snprintf(sl->filter, sizeof(sl->filter), "%s", words);
	sl->stale = true;
	screen_front(s);
}

/* ---- keys ---- */

static unsigned back(struct screen *s, bool quit)
{
	if (s->help_open)
		s->help_open = false;
	else if (s->detail_open)
		s->detail_open = false;
	else
		return quit ? SCREEN_QUIT : 0;
	return SCREEN_REDRAW;
}

static unsigned start_prompt(struct screen *s, enum prompt p)
{
	s->prompt = p;
	s->message[0] = '\0';
	s->line = (struct input_line){.len = 0};
	if (p == PROMPT_SEARCH) {
		s->line.len = strlen(screen_front(s)->filter);
		memcpy(s->line.text, screen_front(s)->filter, s->line.len + 1);
	}
	return SCREEN_REDRAW;
}

static unsigned toggle_pause(struct screen *s)
{
	s->ui.paused = !s->ui.paused;
	screen_message(s, "%s",
		s->ui.paused ? "paused: no node is asked until Space is pressed again"
			     : "going on");
	return SCREEN_PAUSE | SCREEN_REDRAW;
}

/* Actions that mean the same on every screen; 0 when a is not one of them. */
static unsigned common_act(struct screen *s, enum action a)
{
	switch (a) {
	case ACTION_QUIT:
		return back(s, true);
	case ACTION_SEARCH:
		return start_prompt(s, PROMPT_SEARCH);
	case ACTION_COMMAND:
		return start_prompt(s, PROMPT_COMMAND);
	case ACTION_HELP:
		s->help_open = !s->help_open;
		return SCREEN_REDRAW;
	case ACTION_REFRESH:
		screen_message(s, "asking every node now");
		return SCREEN_REFRESH | SCREEN_REDRAW;
	case ACTION_PAUSE:
		return toggle_pause(s);
	case ACTION_REDRAW:
		return SCREEN_REPAINT | SCREEN_REDRAW;
	default:
		return 0;
	}
}

static unsigned view_act(struct screen *s, enum action a)
{
	struct slot *sl = screen_front(s);
	struct view_request req = {{0}, {0}, {0}};
	unsigned flags = sl->ops->act(sl->state, &s->ui, a, &req);

	if (flags & VIEW_DETAIL)
		screen_detail(s, req.node_id, req.finding_id);
	if (flags & VIEW_CLOSE)
		back(s, false);
	if (flags & VIEW_COPY) {
		memcpy(s->copy, req.text, sizeof(s->copy));
		return SCREEN_COPY | SCREEN_REDRAW;
	}
	return flags ? SCREEN_REDRAW : 0;
}

static unsigned act(struct screen *s, enum action a)
{
	struct slot *sl = screen_front(s);
	unsigned flags = common_act(s, a);

	if (flags)
		return flags;
	if (a == ACTION_BACK && sl->filter[0]) {
		screen_set_filter(s, "");
		return SCREEN_REDRAW;
	}
	flags = view_act(s, a);
	if (flags)
		return flags;
	/* Rows that do not match are not shown, so the next match is the next row. */
	if (a == ACTION_NEXT || a == ACTION_PREV)
		return view_act(s, a == ACTION_NEXT ? ACTION_DOWN : ACTION_UP);
	return a == ACTION_BACK ? back(s, false) : 0;
}

static unsigned prompt_key(struct screen *s, uint32_t key)
{
	enum prompt p = s->prompt;
	enum input_result res = input_line_key(&s->line, key);

	if (res == INPUT_DONE || res == INPUT_CANCELLED)
		s->prompt = PROMPT_NONE;
	if (p == PROMPT_SEARCH)
		screen_set_filter(s, res == INPUT_CANCELLED ? "" : s->line.text);
	else if (res == INPUT_DONE)
		return screen_command(s, s->line.text) | SCREEN_REDRAW;
	return SCREEN_REDRAW;
}

unsigned screen_key(struct screen *s, uint32_t key)
{
	if (key == INPUT_NONE)
		return 0;
	if (s->prompt != PROMPT_NONE)
		return prompt_key(s, key);
	if (key < 128) /* a digit goes to the tab that carries it */
		for (size_t i = 0; i < s->ntabs; i++)
			if (s->tabs[i].ops->key == (char)key) {
				screen_go(s, i);
				return SCREEN_REDRAW;
			}
	enum action a = action_of_key(key, screen_front(s)->ops->where);

	if (a == ACTION_NONE)
		return 0;
	s->message[0] = '\0';
	return act(s, a) | SCREEN_REDRAW;
}
