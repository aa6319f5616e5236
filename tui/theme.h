/*
 * What things look like: styles by meaning, glyphs by meaning. No terminal here.
 *
 * Colours are chosen to stay apart for the common kinds of colour blindness
 * (orange, blue and purple; never red against green), and colour is never the only
 * sign: each state has a glyph and a word too. What matters is bright, the rest calm.
 */
#ifndef TUI_THEME_H
#define TUI_THEME_H

#include <stdbool.h>
#include <stddef.h>

#include "collectors/node.h"
#include "rules/rule.h"

enum style {
	STYLE_TEXT,
	STYLE_DIM,    /* what is there when looked for: labels, units, healthy rows */
	STYLE_FAINT,  /* rules, guides */
	STYLE_BRIGHT, /* names, values that were asked for */
	STYLE_HEAD,   /* column and section headings */
	STYLE_SORTED, /* heading of the column sorted by */
	STYLE_OK,
	STYLE_INFO,
	STYLE_CONCERN, /* the brightest thing on the screen */
	STYLE_LOST,    /* unreachable or stale */
	STYLE_UNKNOWN, /* not known; never to be taken for good or bad */
	STYLE_KEY,     /* a key in a hint */
	STYLE_MODE,    /* LIVE, DEMO ... */
	STYLE_MATCH,   /* what a search found */
	STYLE_COMMAND, /* text to copy */
	STYLE_BAR,     /* filled part of a gauge, sparklines */
	STYLE_COUNT
};

enum theme_depth { THEME_NONE, THEME_16, THEME_256 };

#define THEME_BOLD      1u
#define THEME_DIM       2u
#define THEME_UNDERLINE 4u
#define THEME_REVERSE   8u

/* Colours are palette numbers, -1 the terminal's own. */
struct theme_look {
	int fg;
	int bg;
	unsigned attrs;
};

/* back: enum grid_back. */
struct theme_look theme_look(enum theme_depth depth, int style, int back);

/* Glyphs of one cell each, in UTF-8 or in ASCII. */
struct glyphs {
	const char *ok;
	const char *info;
	const char *concern;
	const char *lost; /* never answered */
	const char *stale;
	const char *busy; /* pending, connecting, probing */
	const char *unknown;
	const char *rule;   /* horizontal line */
	const char *corner; /* start of a heading's line */
	const char *sep;    /* between items of a line */
	const char *arrow;  /* "routed to" */
	const char *up;     /* sorted ascending */
	const char *down;
	const char *here; /* the present line */
	const char *bar_full;
	const char *bar_empty;
	const char *thumb; /* scroll bar */
	const char *track;
	const char *degree; /* "°C" or "C" */
	const char *dash;   /* range */
	const char *ge;
	const char *le;
	const char *section; /* § */
	const char *spark
		[8]; /* "no value", then lowest to highest; never the whole cell, so that rows stay apart */
};

const struct glyphs *theme_glyphs(bool ascii);

int theme_severity_style(enum severity s);
const char *theme_severity_glyph(const struct glyphs *gl, enum severity s);
/* "CONCERN", "INFO", "OK": the tags of every report. */
const char *theme_severity_tag(enum severity s);

/* How a node's state is shown when no finding is worse. */
int theme_state_style(enum node_state st);
const char *theme_state_glyph(const struct glyphs *gl, enum node_state st);

#endif
