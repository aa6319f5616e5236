#include "tui/grid.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "collectors/xmalloc.h"

void grid_release(struct grid *g)
{
	free(g->cells);
	*g = (struct grid){.ascii = g->ascii};
}

static int clamp_side(int n)
{
	return n < 0 ? 0 : n > GRID_SIDE_MAX ? GRID_SIDE_MAX : n;
}

void grid_resize(struct grid *g, int w, int h)
{
	w = clamp_side(w);
	h = clamp_side(h);
	if (w != g->w || h != g->h) {
		size_t n = (size_t)w * (size_t)h;

		g->cells = xreallocarray(g->cells, n ? n : 1, sizeof(*g->cells));
		g->w = w;
		g->h = h;
	}
	grid_erase(g);
}

static void blank(struct grid_cell *c, int style, enum grid_back back)
{
	c->text[0] = ' ';
	c->text[1] = '\0';
	c->width = 1;
	c->style = (uint8_t)style;
	c->back = (uint8_t)back;
}

void grid_erase(struct grid *g)
{
	size_t n = (size_t)g->w * (size_t)g->h;

	for (size_t i = 0; i < n; i++)
		blank(&g->cells[i], 0, BACK_NONE);
	g->back = BACK_NONE;
}

struct rect grid_rect(const struct grid *g)
{
	return (struct rect){0, 0, g->w, g->h};
}

struct rect rect_intersect(struct rect a, struct rect b)
{
	int x0 = a.x > b.x ? a.x : b.x;
	int y0 = a.y > b.y ? a.y : b.y;
	int x1 = a.x + a.w < b.x + b.w ? a.x + a.w : b.x + b.w;
	int y1 = a.y + a.h < b.y + b.h ? a.y + a.h : b.y + b.h;

	return (struct rect){x0, y0, x1 > x0 ? x1 - x0 : 0, y1 > y0 ? y1 - y0 : 0};
}

const struct grid_cell *grid_at(const struct grid *g, int x, int y)
{
	if (x < 0 || y < 0 || x >= g->w || y >= g->h)
		return NULL;
	return &g->cells[(size_t)y * (size_t)g->w + (size_t)x];
}

static struct grid_cell *cell_at(struct grid *g, int x, int y)
{
	return (struct grid_cell *)grid_at(g, x, y);
}

/* Bytes of the UTF-8 character at s and its code point; a broken byte is one '?'. */
static size_t decode(const char *s, uint32_t *cp)
{
	const unsigned char *p = (const unsigned char *)s;
	size_t n = p[0] < 0x80 ? 1 : p[0] >= 0xf0 ? 4 : p[0] >= 0xe0 ? 3 : p[0] >= 0xc2 ? 2 : 0;

	if (n == 0 || p[0] > 0xf4)
		goto broken;
	*cp = n == 1 ? p[0] : p[0] & (0xffu >> (n + 1));
	for (size_t i = 1; i < n; i++) {
		if ((p[i] & 0xc0) != 0x80)
			goto broken;
		*cp = *cp << 6 | (p[i] & 0x3f);
	}
	if (*cp > 0x10ffff || (*cp >= 0xd800 && *cp <= 0xdfff) || (n == 3 && *cp < 0x800) ||
		(n == 4 && *cp < 0x10000))
		goto broken;
	return n;
broken:
	*cp = '?';
	return 1;
}

static int char_width(uint32_t cp)
{
	if (cp < 0x20 || (cp >= 0x7f && cp < 0xa0))
		return -1;
	if (cp < 0x7f)
		return 1;
	return wcwidth((wchar_t)cp);
}

/* One grapheme as it will stand in a cell. */
struct grapheme {
	char text[GRID_TEXT_MAX];
	int width;
	size_t bytes; /* of the input */
};

static void set_text(struct grapheme *gr, const char *s, size_t n)
{
	memcpy(gr->text, s, n);
	gr->text[n] = '\0';
}

static void next_grapheme(const char *s, struct grapheme *gr)
{
	uint32_t cp;
	size_t n = decode(s, &cp);
	bool broken = n == 1 && (unsigned char)s[0] >= 0x80;
	size_t len = n;

	gr->width = char_width(cp);
	gr->bytes = n;
	if (broken || gr->width <= 0 || gr->width > 2) {
		gr->width = 1;
		set_text(gr, "?", 1);
		return;
	}
	while (s[len]) {
		n = decode(s + len, &cp);
		if (n == 1 || char_width(cp) != 0)
			break;
		len += n;
		if (len < GRID_TEXT_MAX)
			gr->bytes = len;
	}
	set_text(gr, s, gr->bytes);
	/* Marks that did not fit in the cell are dropped. */
	gr->bytes = len;
}

/* Before a cell changes: the other half of a wide character becomes a blank. */
static void split_wide(struct grid *g, int x, int y)
{
	struct grid_cell *c = cell_at(g, x, y);
	struct grid_cell *left = cell_at(g, x - 1, y);
	struct grid_cell *right = cell_at(g, x + 1, y);

	if (c->width == 0 && left)
		blank(left, left->style, (enum grid_back)left->back);
	if (c->width == 2 && right)
		blank(right, right->style, (enum grid_back)right->back);
}

/* One cell for one cell, so that widths stay what they were. */
static const struct {
	const char *from;
	char to;
} nearest[] = {
	{"→", '>'},
	{"§", '#'},
	{"≥", '>'},
	{"≤", '<'},
	{"–", '-'},
	{"—", '-'},
	{"…", '~'},
	{"·", '.'},
	{"°", 'o'},
	{"×", 'x'},
	{"µ", 'u'},
	{"’", '\''},
	{"“", '"'},
	{"”", '"'},
};

static void to_ascii(struct grapheme *gr)
{
	char c = '?';

	if ((unsigned char)gr->text[0] < 0x80)
		c = gr->text[0];
	for (size_t i = 0; i < ARRAY_LEN(nearest); i++)
		if (strcmp(gr->text, nearest[i].from) == 0)
			c = nearest[i].to;
	gr->text[0] = c;
	gr->text[1] = '\0';
	if (gr->width == 2) {
		gr->text[1] = '?';
		gr->text[2] = '\0';
	}
}

static void set_cell(struct grid *g, int x, int y, int style, const struct grapheme *gr)
{
	struct grid_cell *c = cell_at(g, x, y);

	split_wide(g, x, y);
	memcpy(c->text, gr->text, sizeof(c->text));
	c->width = (uint8_t)gr->width;
	c->style = (uint8_t)style;
	c->back = (uint8_t)g->back;
	if (gr->width == 2) {
		split_wide(g, x + 1, y);
		c[1].text[0] = '\0';
		c[1].width = 0;
		c[1].style = (uint8_t)style;
		c[1].back = (uint8_t)g->back;
	}
}

int grid_put(struct grid *g, struct rect clip, int x, int y, int style, const char *s, int max_w)
{
	const struct grapheme space = {" ", 1, 1};
	struct grapheme gr;
	int used = 0;

	clip = rect_intersect(clip, grid_rect(g));
	if (y < clip.y || y >= clip.y + clip.h)
		return 0;
	for (; *s; s += gr.bytes, used += gr.width) {
		next_grapheme(s, &gr);
		if (g->ascii)
			to_ascii(&gr);
		if (max_w >= 0 && used + gr.width > max_w)
			break;
		int at = x + used;

		if (at >= clip.x + clip.w)
			break;
		if (at >= clip.x && at + gr.width <= clip.x + clip.w)
			set_cell(g, at, y, style, &gr);
		else if (at + 1 >= clip.x && gr.width == 2) /* half of it is outside */
			set_cell(g, at >= clip.x ? at : at + 1, y, style, &space);
	}
	return used;
}

int grid_width(const char *s)
{
	struct grapheme gr;
	int w = 0;

	for (; *s; s += gr.bytes) {
		next_grapheme(s, &gr);
		w += gr.width;
	}
	return w;
}

size_t grid_fit(const char *s, int w, int *used)
{
	struct grapheme gr;
	size_t bytes = 0;
	int cells = 0;

	for (; s[bytes]; bytes += gr.bytes, cells += gr.width) {
		next_grapheme(s + bytes, &gr);
		if (cells + gr.width > w)
			break;
	}
	if (used)
		*used = cells;
	return bytes;
}

int grid_put_right(struct grid *g, struct rect clip, int x, int y, int w, int style, const char *s)
{
	int need = grid_width(s);

	return grid_put(g, clip, need < w ? x + w - need : x, y, style, s, w);
}

int grid_put_cut(struct grid *g, struct rect clip, int x, int y, int w, int style, const char *s)
{
	if (w <= 0)
		return 0;
	if (grid_width(s) <= w)
		return grid_put(g, clip, x, y, style, s, w);
	int used = grid_put(g, clip, x, y, style, s, w - 1);

	return used + grid_put(g, clip, x + used, y, style, "…", 1);
}

int grid_putf(struct grid *g, struct rect clip, int x, int y, int style, const char *fmt, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	if (vsnprintf(text, sizeof(text), fmt, ap) < 0)
		text[0] = '\0';
	va_end(ap);
	return grid_put(g, clip, x, y, style, text, -1);
}

void grid_repeat(struct grid *g, struct rect clip, int x, int y, int style, const char *s, int n)
{
	for (int i = 0; i < n; i++)
		grid_put(g, clip, x + i, y, style, s, 1);
}

void grid_fill(struct grid *g, struct rect r, int style)
{
	r = rect_intersect(r, grid_rect(g));
	for (int y = r.y; y < r.y + r.h; y++)
		grid_repeat(g, r, r.x, y, style, " ", r.w);
}

void grid_set_back(struct grid *g, struct rect r, enum grid_back back)
{
	r = rect_intersect(r, grid_rect(g));
	for (int y = r.y; y < r.y + r.h; y++)
		for (int x = r.x; x < r.x + r.w; x++)
			cell_at(g, x, y)->back = (uint8_t)back;
}

static size_t row_text(const struct grid *g, int y, char *out, size_t size)
{
	size_t n = 0;
	size_t end = 0;

	for (int x = 0; x < g->w; x++) {
		const struct grid_cell *c = grid_at(g, x, y);
		size_t len = strlen(c->text);

		if (n + len >= size)
			break;
		memcpy(out + n, c->text, len);
		n += len;
		if (len != 1 || c->text[0] != ' ')
			end = n;
	}
	out[end] = '\0';
	return end;
}

#define ROW_BYTES (GRID_SIDE_MAX * 4 + GRID_TEXT_MAX)

enum err_code grid_dump(const struct grid *g, struct buf *out)
{
	char row[ROW_BYTES];

	for (int y = 0; y < g->h; y++) {
		size_t n = row_text(g, y, row, sizeof(row));
		enum err_code c = buf_add(out, row, n);

		if (c == ERR_OK)
			c = buf_add_str(out, "\n");
		if (c != ERR_OK)
			return c;
	}
	return ERR_OK;
}

bool grid_find(const struct grid *g, const char *text, int *x, int *y)
{
	char row[ROW_BYTES];

	for (int r = 0; r < g->h; r++) {
		row_text(g, r, row, sizeof(row));
		const char *at = strstr(row, text);

		if (!at)
			continue;
		row[at - row] = '\0';
		*x = grid_width(row);
		*y = r;
		return true;
	}
	return false;
}
