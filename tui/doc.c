#include "tui/doc.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collectors/xmalloc.h"
#include "tui/widgets.h"

/* A node with every table full stays far below these. */
#define ARENA_MAX (8u << 20)
#define LINES_MAX 20000

void doc_init(struct doc *d)
{
	memset(d, 0, sizeof(*d));
	arena_init(&d->arena, ARENA_MAX);
}

void doc_release(struct doc *d)
{
	arena_release(&d->arena);
	free(d->pieces);
	free(d->lines);
	doc_init(d);
}

void doc_reset(struct doc *d, int width)
{
	arena_release(&d->arena);
	arena_init(&d->arena, ARENA_MAX);
	d->npieces = d->nlines = 0;
	d->width = width;
	d->mark = -1;
}

void doc_line(struct doc *d)
{
	if (d->nlines >= LINES_MAX)
		return;
	xgrow((void **)&d->lines, &d->lines_cap, d->nlines, sizeof(*d->lines));
	d->lines[d->nlines++] = (struct doc_line){.first = d->npieces, .mark = d->mark};
}

static void add(struct doc *d, struct doc_piece p)
{
	if (d->nlines == 0 || d->nlines >= LINES_MAX)
		return;
	xgrow((void **)&d->pieces, &d->pieces_cap, d->npieces, sizeof(*d->pieces));
	d->pieces[d->npieces++] = p;
	d->lines[d->nlines - 1].n++;
}

static const char *keep(struct doc *d, const char *text, size_t n)
{
	const char *copy = arena_strndup(&d->arena, text, n);

	return copy ? copy : "";
}

void doc_put(struct doc *d, int x, int style, const char *text)
{
	add(d, (struct doc_piece){.x = x, .style = style, .text = keep(d, text, strlen(text))});
}

void doc_putf(struct doc *d, int x, int style, const char *fmt, ...)
{
	char text[1024];
	va_list ap;

	va_start(ap, fmt);
	if (vsnprintf(text, sizeof(text), fmt, ap) < 0)
		text[0] = '\0';
	va_end(ap);
	doc_put(d, x, style, text);
}

void doc_put_right(struct doc *d, int x, int w, int style, const char *text)
{
	add(d, (struct doc_piece){x, w, style, keep(d, text, strlen(text)), 0});
}

void doc_gauge(struct doc *d, int x, int w, int style, double pct)
{
	add(d, (struct doc_piece){x, w, style, NULL, pct});
}

void doc_wrap(struct doc *d, int x, int style, const char *text)
{
	bool first = true;

	for (;;) {
		const char *rest = text;
		size_t n = widget_wrap(&rest, d->width - x > 8 ? d->width - x : 8);

		while (*text == ' ')
			text++;
		if (n == 0)
			return;
		if (!first)
			doc_line(d);
		first = false;
		add(d, (struct doc_piece){.x = x, .style = style, .text = keep(d, text, n)});
		text = rest;
	}
}

void doc_heading(struct doc *d, const char *title, const char *note, int note_style)
{
	int w = grid_width(note);

	doc_line(d);
	doc_put(d, 1, STYLE_HEAD, title);
	if (note[0])
		doc_put_right(d, d->width - w, w, note_style, note);
	d->lines[d->nlines - 1].heading = true;
}

void doc_copy(struct doc *d, const char *text)
{
	if (d->nlines)
		d->lines[d->nlines - 1].copy = keep(d, text, strlen(text));
}

static void draw_heading_rule(const struct doc *d, const struct doc_line *l, const struct ui *ui,
	struct grid *g, struct rect r, int y)
{
	const struct doc_piece *p = &d->pieces[l->first];
	int from = p->x + grid_width(p->text) + 1;
	int to = l->n > 1 ? p[1].x - 1 : d->width;

	grid_repeat(g, r, r.x + from, y, STYLE_FAINT, ui->gl->rule, to - from);
}

static void draw_piece(
	const struct doc_piece *p, const struct ui *ui, struct grid *g, struct rect r, int y)
{
	int x = r.x + p->x;

	if (!p->text)
		widget_gauge(g, ui, r, x, y, p->w, p->pct, p->style);
	else if (p->w > 0)
		grid_put_right(g, r, x, y, p->w, p->style, p->text);
	else
		grid_put_cut(g, r, x, y, r.x + r.w - x, p->style, p->text);
}

void doc_draw(const struct doc *d, const struct ui *ui, struct grid *g, struct rect r,
	const struct scroll *s)
{
	struct rect text = {r.x, r.y, r.w > 1 ? r.w - 1 : r.w, r.h};

	for (int i = 0; i < r.h && s->top + (size_t)i < d->nlines; i++) {
		size_t at = s->top + (size_t)i;
		const struct doc_line *l = &d->lines[at];
		int y = r.y + i;

		if (l->heading && l->n)
			draw_heading_rule(d, l, ui, g, text, y);
		for (size_t k = 0; k < l->n; k++)
			draw_piece(&d->pieces[l->first + k], ui, g, text, y);
		if (at != s->at)
			continue;
		grid_put(g, text, r.x, y, STYLE_KEY, ui->gl->here, 1);
		if (l->copy)
			grid_set_back(g, (struct rect){r.x, y, text.w, 1}, BACK_SELECTED);
	}
	widget_scrollbar(g, ui, r, s);
}

char *doc_line_text(const struct doc *d, size_t line, char *out, size_t size)
{
	const struct doc_line *l = &d->lines[line];
	size_t n = 0;

	out[0] = '\0';
	for (size_t k = 0; k < l->n; k++) {
		const char *text = d->pieces[l->first + k].text;
		int put = text ? snprintf(out + n, size - n, "%s ", text) : 0;

		if (put < 0 || (size_t)put >= size - n)
			break;
		n += (size_t)put;
	}
	return out;
}

size_t doc_find_mark(const struct doc *d, int mark)
{
	for (size_t i = 0; i < d->nlines; i++)
		if (d->lines[i].mark == mark)
			return i;
	return SIZE_MAX;
}
