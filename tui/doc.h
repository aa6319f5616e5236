/*
 * A text to read: lines of styled pieces at columns, made for one width, scrolled.
 * Bounded: what does not fit under the caps is left out.
 */
#ifndef TUI_DOC_H
#define TUI_DOC_H

#include <stdbool.h>
#include <stddef.h>

#include "collectors/arena.h"
#include "tui/layout.h"
#include "tui/view.h"

struct doc_piece {
	int x;
	int w; /* > 0: aligned right in w cells, or the width of a gauge; 0: as long as it is */
	int style;
	const char *text; /* NULL: a gauge of pct */
	double pct;
};

struct doc_line {
	size_t first; /* its pieces */
	size_t n;
	const char *copy; /* what `y` copies here; NULL nothing */
	int mark;         /* what the line belongs to (a finding's number); -1 nothing */
	bool heading;     /* a rule is drawn after its text */
};

struct doc {
	struct arena arena;
	struct doc_piece *pieces;
	size_t npieces, pieces_cap;
	struct doc_line *lines;
	size_t nlines, lines_cap;
	int width;
	int mark; /* of lines that are added next */
};

void doc_init(struct doc *d);
void doc_release(struct doc *d);

/* Empties it, for lines of `width` cells. */
void doc_reset(struct doc *d, int width);

void doc_line(struct doc *d); /* starts a new line */
void doc_put(struct doc *d, int x, int style, const char *text);
void doc_putf(struct doc *d, int x, int style, const char *fmt, ...) ATTR_PRINTF(4, 5);
void doc_put_right(struct doc *d, int x, int w, int style, const char *text);
void doc_gauge(struct doc *d, int x, int w, int style, double pct);

/* Text over as many lines as it needs, each from column x on; begins on the present line. */
void doc_wrap(struct doc *d, int x, int style, const char *text);

/* A line of its own: a section's title and, on the right, what is to say of it. */
void doc_heading(struct doc *d, const char *title, const char *note, int note_style);

/* What `y` copies on the present line. */
void doc_copy(struct doc *d, const char *text);

/* Draws from scroll->top on; the present line is marked, brightly where it can be copied. */
void doc_draw(const struct doc *d, const struct ui *ui, struct grid *g, struct rect r,
	const struct scroll *s);

/* All text of a line, for searches. Returns out. */
char *doc_line_text(const struct doc *d, size_t line, char *out, size_t size);

/* First line with that mark; SIZE_MAX none. */
size_t doc_find_mark(const struct doc *d, int mark);

#endif
