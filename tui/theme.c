#include "tui/theme.h"

#include "collectors/compiler.h"
#include "tui/grid.h"

struct entry {
	int fg256;
	int fg16;
	unsigned attrs;      /* with colours */
	unsigned attrs_none; /* without */
};

/*
 * Orange 214 and sky blue 75 / 110 follow the palette of Okabe and Ito; lost
 * nodes are purple 176, which stays apart from both. 16 colours: yellow, cyan, magenta.
 */
static const struct entry entries[STYLE_COUNT] = {
	[STYLE_TEXT] = {-1, -1, 0, 0},
	[STYLE_DIM] = {246, 7, 0, 0},
	[STYLE_FAINT] = {240, 7, 0, 0},
	[STYLE_BRIGHT] = {-1, -1, THEME_BOLD, THEME_BOLD},
	[STYLE_HEAD] = {110, 6, 0, 0},
	[STYLE_SORTED] = {117, 6, THEME_BOLD, THEME_BOLD},
	[STYLE_OK] = {73, 6, 0, 0},
	[STYLE_INFO] = {75, 6, 0, 0},
	[STYLE_CONCERN] = {214, 3, THEME_BOLD, THEME_BOLD},
	[STYLE_LOST] = {176, 5, THEME_BOLD, THEME_BOLD | THEME_UNDERLINE},
	[STYLE_UNKNOWN] = {180, 3, 0, 0},
	[STYLE_KEY] = {117, 6, THEME_BOLD, THEME_BOLD},
	[STYLE_MODE] = {75, 6, THEME_BOLD, THEME_BOLD},
	[STYLE_MATCH] = {-1, -1, THEME_BOLD | THEME_UNDERLINE, THEME_BOLD | THEME_UNDERLINE},
	[STYLE_COMMAND] = {186, 3, 0, 0},
	[STYLE_BAR] = {67, 6, 0, 0},
};

static const int back256[BACK_COUNT] = {
	[BACK_NONE] = -1, [BACK_BAR] = 236, [BACK_SELECTED] = 238, [BACK_CURSOR] = 231};

/*
 * The heatmap's ramp, from calm to glaring: blue over grey to yellow, in the manner of cividis
 * (Nunez, Anderton, Renslow 2018), whose brightness grows evenly and which looks alike
 * with and without the common kinds of colour blindness. fg16: where a terminal has no
 * such backgrounds, the characters of the ramp take these.
 */
static const struct {
	int bg256;
	int fg256;
	int fg16;
	unsigned attrs; /* with 16 colours or none */
} heat[] = {
	{17, 61, 4, 0},
	{24, 153, 6, 0},
	{60, 189, 6, THEME_BOLD},
	{102, 231, 7, 0},
	{144, 16, 7, THEME_BOLD},
	{179, 16, 3, 0},
	{214, 16, 3, THEME_BOLD},
	{226, 16, 3, THEME_BOLD | THEME_REVERSE},
};

static struct theme_look heat_look(enum theme_depth depth, int step, unsigned attrs)
{
	if (depth == THEME_256)
		return (struct theme_look){heat[step].fg256, heat[step].bg256, attrs};
	return (struct theme_look){
		depth == THEME_16 ? heat[step].fg16 : -1, -1, heat[step].attrs | attrs};
}

struct theme_look theme_look(enum theme_depth depth, int style, int back)
{
	if (style < 0 || style >= STYLE_COUNT)
		style = STYLE_TEXT;
	if (back < 0 || back >= BACK_COUNT)
		back = BACK_NONE;
	const struct entry *e = &entries[style];

	if (back >= BACK_HEAT0)
		return heat_look(
			depth, back - BACK_HEAT0, depth == THEME_256 ? e->attrs : e->attrs_none);
	if (back == BACK_CURSOR && depth == THEME_256)
		return (struct theme_look){16, back256[back], THEME_BOLD};
	if (depth == THEME_256) {
		/* Faint text would vanish on a raised background. */
		int fg = back != BACK_NONE && style == STYLE_FAINT ? 245 : e->fg256;

		return (struct theme_look){fg, back256[back], e->attrs};
	}
	unsigned attrs = depth == THEME_16 ? e->attrs : e->attrs_none;

	if (back != BACK_NONE)
		attrs |= THEME_REVERSE;
	return (struct theme_look){
		depth == THEME_16 && back == BACK_NONE ? e->fg16 : -1, -1, attrs};
}

static const struct glyphs utf8 = {
	.ok = "●",
	.info = "◆",
	.concern = "▲",
	.lost = "✖",
	.stale = "◌",
	.busy = "◔",
	.unknown = "?",
	.rule = "─",
	.corner = "╶",
	.sep = "·",
	.arrow = "→",
	.up = "▴",
	.down = "▾",
	.here = "▸",
	.bar_full = "■",
	.bar_empty = "·",
	.thumb = "┃",
	.track = "│",
	.degree = "°",
	.dash = "–",
	.ge = "≥",
	.le = "≤",
	.section = "§",
	.spark = {"·", "▁", "▂", "▃", "▄", "▅", "▆", "▇"},
};

static const struct glyphs ascii_glyphs = {
	.ok = "+",
	.info = "i",
	.concern = "!",
	.lost = "x",
	.stale = "o",
	.busy = "~",
	.unknown = "?",
	.rule = "-",
	.corner = "-",
	.sep = "|",
	.arrow = ">",
	.up = "^",
	.down = "v",
	.here = ">",
	.bar_full = "#",
	.bar_empty = ".",
	.thumb = "#",
	.track = "|",
	.degree = "",
	.dash = "-",
	.ge = ">=",
	.le = "<=",
	.section = "sec.",
	.spark = {" ", "_", ".", ":", "-", "=", "*", "#"},
};

const struct glyphs *theme_glyphs(bool ascii)
{
	return ascii ? &ascii_glyphs : &utf8;
}

int theme_severity_style(enum severity s)
{
	static const int styles[] = {
		[SEVERITY_OK] = STYLE_OK,
		[SEVERITY_INFO] = STYLE_INFO,
		[SEVERITY_CONCERN] = STYLE_CONCERN,
	};

	return (unsigned)s < ARRAY_LEN(styles) ? styles[s] : STYLE_TEXT;
}

const char *theme_severity_glyph(const struct glyphs *gl, enum severity s)
{
	return s == SEVERITY_CONCERN ? gl->concern : s == SEVERITY_INFO ? gl->info : gl->ok;
}

const char *theme_severity_tag(enum severity s)
{
	return s == SEVERITY_CONCERN ? "CONCERN" : s == SEVERITY_INFO ? "INFO" : "OK";
}

int theme_state_style(enum node_state st)
{
	static const int styles[] = {
		[NODE_PENDING] = STYLE_UNKNOWN,
		[NODE_CONNECTING] = STYLE_UNKNOWN,
		[NODE_PROBING] = STYLE_UNKNOWN,
		[NODE_OK] = STYLE_OK,
		[NODE_STALE] = STYLE_LOST,
		[NODE_FAILED] = STYLE_LOST,
	};

	return (unsigned)st < ARRAY_LEN(styles) ? styles[st] : STYLE_UNKNOWN;
}

const char *theme_state_glyph(const struct glyphs *gl, enum node_state st)
{
	switch (st) {
	case NODE_OK:
		return gl->ok;
	case NODE_STALE:
		return gl->stale;
	case NODE_FAILED:
		return gl->lost;
	default:
		return gl->busy;
	}
}
