#include "tui/paint.h"

#include <curses.h>
#include <string.h>
#include <wchar.h>

void paint_init(struct paint *p, enum theme_depth depth)
{
	memset(p, 0, sizeof(*p));
	p->depth = depth;
}

void paint_release(struct paint *p)
{
	grid_release(&p->last);
}

void paint_forget(struct paint *p)
{
	grid_release(&p->last);
}

/* Pairs are made when first needed: a terminal with 8 colours has 64 of them. */
static short pair_for(struct paint *p, int style, int back, struct theme_look look)
{
	short *slot = &p->pair_of[style][back];

	if (p->depth == THEME_NONE || (look.fg < 0 && look.bg < 0))
		return 0;
	if (*slot == 0 && p->pairs + 1 < COLOR_PAIRS) {
		*slot = (short)++p->pairs;
		init_pair(*slot, (short)look.fg, (short)look.bg);
	}
	return *slot;
}

static attr_t attrs_of(unsigned attrs)
{
	attr_t a = A_NORMAL;

	if (attrs & THEME_BOLD)
		a |= A_BOLD;
	if (attrs & THEME_DIM)
		a |= A_DIM;
	if (attrs & THEME_UNDERLINE)
		a |= A_UNDERLINE;
	if (attrs & THEME_REVERSE)
		a |= A_REVERSE;
	return a;
}

static bool same(const struct grid_cell *a, const struct grid_cell *b)
{
	return a->width == b->width && a->style == b->style && a->back == b->back &&
	       strcmp(a->text, b->text) == 0;
}

static void put_cell(struct paint *p, int x, int y, const struct grid_cell *c)
{
	struct theme_look look = theme_look(p->depth, c->style, c->back);
	wchar_t wide[GRID_TEXT_MAX];
	mbstate_t st;
	const char *in = c->text;
	cchar_t cc;

	memset(&st, 0, sizeof(st));
	size_t n = mbsrtowcs(wide, &in, GRID_TEXT_MAX - 1, &st);

	if (n == (size_t)-1 || n == 0) {
		wide[0] = L'?';
		n = 1;
	}
	wide[n < CCHARW_MAX ? n : CCHARW_MAX] = L'\0';
	attr_set(attrs_of(look.attrs), pair_for(p, c->style, c->back, look), NULL);
	if ((unsigned char)c->text[0] < 0x80) { /* ASCII, perhaps two for a wide one */
		mvaddwstr(y, x, wide);
		return;
	}
	setcchar(&cc, wide, attrs_of(look.attrs), pair_for(p, c->style, c->back, look), NULL);
	mvadd_wch(y, x, &cc);
}

void paint_flush(struct paint *p, const struct grid *g)
{
	bool all = p->last.w != g->w || p->last.h != g->h;

	if (all) {
		grid_resize(&p->last, g->w, g->h);
		erase();
	}
	for (int y = 0; y < g->h; y++) {
		for (int x = 0; x < g->w; x++) {
			size_t i = (size_t)y * (size_t)g->w + (size_t)x;
			const struct grid_cell *c = &g->cells[i];

			if (c->width == 0 ||
				(!all && same(c, &p->last.cells[i]) &&
					(c->width < 2 || same(c + 1, &p->last.cells[i + 1]))))
				continue;
			put_cell(p, x, y, c);
		}
	}
	memcpy(p->last.cells, g->cells, (size_t)g->w * (size_t)g->h * sizeof(*g->cells));
	if (g->h > 0 && g->w > 0)
		move(g->h - 1, 0);
	if (all)
		clearok(curscr, TRUE);
	refresh();
}
