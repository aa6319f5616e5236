#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collectors/compiler.h"
#include "collectors/xmalloc.h"
#include "tui/doc.h"
#include "tui/view.h"
#include "tui/widgets.h"

struct view_help {
	struct doc doc;
	struct scroll scroll;
};

static void *help_open(void)
{
	struct view_help *v = xcalloc(1, sizeof(*v));

	doc_init(&v->doc);
	return v;
}

static void help_close(void *view)
{
	struct view_help *v = view;

	doc_release(&v->doc);
	free(v);
}

static void help_update(void *view, const struct ui *ui)
{
	(void)view;
	(void)ui;
}

/* "Enter Right l" as it is read: keys apart from each other. */
static void put_keys(struct doc *d, int x, const char *keys)
{
	while (*keys) {
		size_t n = strcspn(keys, " ");

		doc_putf(d, x, STYLE_KEY, "%.*s", (int)n, keys);
		x += (int)n + 1;
		keys += n + (keys[n] == ' ');
	}
}

static void add_actions(struct doc *d)
{
	const char *group = "";

	for (int a = 0; a < ACTION_COUNT; a++) {
		const struct action_desc *desc = action_desc((enum action)a);

		if (strcmp(group, desc->group) != 0) {
			group = desc->group;
			if (a)
				doc_line(d);
			doc_heading(d, group, "", STYLE_DIM);
		}
		doc_line(d);
		put_keys(d, 3, desc->keys);
		doc_wrap(d, 18, STYLE_TEXT, desc->help);
	}
}

static void add_signs(struct doc *d, const struct ui *ui)
{
	const struct glyphs *gl = ui->gl;
	const struct {
		const char *glyph;
		int style;
		const char *help;
	} signs[] = {
		{gl->concern, STYLE_CONCERN, "concern: worth investigating; always with its owner"},
		{gl->lost, STYLE_LOST, "unreachable: the node never answered"},
		{gl->stale, STYLE_LOST,
			"stale: it answered once, does not now; its values are old"},
		{gl->busy, STYLE_UNKNOWN, "waiting: first answer under way; nothing is known yet"},
		{gl->info, STYLE_INFO, "info: good to know, nothing to do"},
		{gl->ok, STYLE_OK, "ok: answered, and no rule sees a concern"},
		{gl->unknown, STYLE_UNKNOWN,
			"unknown: could not be read, which is neither good nor bad"},
		{"-", STYLE_DIM, "no value: the node does not have it or did not tell"},
	};

	doc_line(d);
	doc_heading(d, "Signs", "", STYLE_DIM);
	for (size_t i = 0; i < ARRAY_LEN(signs); i++) {
		doc_line(d);
		doc_put(d, 3, signs[i].style, signs[i].glyph);
		doc_wrap(d, 18, STYLE_TEXT, signs[i].help);
	}
	doc_line(d);
	doc_line(d);
	doc_wrap(d, 1, STYLE_DIM,
		"Nothing here changes a node: the program only reads. Commands are shown for you "
		"to "
		"read, copy and run yourself.");
}

static void help_draw(void *view, const struct ui *ui, struct grid *g, struct rect r)
{
	struct view_help *v = view;

	if (v->doc.width != r.w - 2 || v->doc.nlines == 0) {
		doc_reset(&v->doc, r.w - 2);
		add_actions(&v->doc);
		add_signs(&v->doc, ui);
	}
	v->scroll.n = v->doc.nlines;
	v->scroll.page = r.h > 0 ? (size_t)r.h : 0;
	scroll_fix(&v->scroll);
	doc_draw(&v->doc, ui, g, r, &v->scroll);
}

static unsigned help_act(void *view, const struct ui *ui, enum action a, struct view_request *req)
{
	struct view_help *v = view;

	(void)ui;
	(void)req;
	return widget_scroll_act(&v->scroll, a) ? VIEW_REDRAW : VIEW_IGNORED;
}

static void help_caption(void *view, const struct ui *ui, char *out, size_t size)
{
	(void)view;
	(void)ui;
	snprintf(out, size, "help (? or Esc: back)");
}

const struct view_ops view_help_ops = {
	.name = "help",
	.title = "Help",
	.where = IN_HELP,
	.open = help_open,
	.close = help_close,
	.update = help_update,
	.draw = help_draw,
	.act = help_act,
	.caption = help_caption,
};
