/*
 * Keys as numbers and as names, without curses: characters are their code
 * points, everything else is one of enum input_key.
 */
#ifndef TUI_INPUT_H
#define TUI_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Above every Unicode code point. */
enum input_key {
	INPUT_NONE = 0,
	INPUT_TAB = 9,
	INPUT_ENTER = 13,
	INPUT_ESC = 27,
	INPUT_SPACE = 32,
	INPUT_UP = 0x110000,
	INPUT_DOWN,
	INPUT_LEFT,
	INPUT_RIGHT,
	INPUT_PAGE_UP,
	INPUT_PAGE_DOWN,
	INPUT_HOME,
	INPUT_END,
	INPUT_BACKSPACE,
	INPUT_DELETE,
	INPUT_BACKTAB,
	INPUT_F1,
	INPUT_F5 = INPUT_F1 + 4,
	INPUT_F10 = INPUT_F1 + 9,
	INPUT_F12 = INPUT_F1 + 11
};

#define INPUT_CTRL(c) ((c)&0x1f)

/*
 * Takes one key name off the front of *names, which holds them separated by
 * blanks: "q", "Up", "PgDn", "^F", "F5". False at the end. An unknown name is a
 * mistake in our tables: INPUT_NONE.
 */
bool input_next_key(const char **names, uint32_t *key);

/* The code as UTF-8 into out (at least 5 bytes); 0 when it is no printable character. */
size_t input_utf8(uint32_t key, char *out);

/* A line being typed, for searches and commands. */
struct input_line {
	char text[120];
	size_t len;
};

enum input_result { INPUT_EDITED, INPUT_UNCHANGED, INPUT_DONE, INPUT_CANCELLED };

/*
 * Enter is done, Esc (or deleting from an empty line) cancels, ^U empties, ^W
 * drops a word. A line that is full takes no more.
 */
enum input_result input_line_key(struct input_line *l, uint32_t key);

/* True when every word of filter is in text, whatever the case; an empty filter matches. */
bool input_matches(const char *filter, const char *text);

#endif
