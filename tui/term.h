/*
 * The terminal: the only place that starts and ends curses, reads keys and
 * catches signals. UI thread only; one terminal a process.
 *
 * The terminal is given back as it was on term_close, on a stop (Ctrl-Z) and on
 * fatal signals: the bytes that undo our set-up are prepared at the start, so that a
 * handler needs no more than write and tcsetattr.
 */
#ifndef TUI_TERM_H
#define TUI_TERM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collectors/err.h"
#include "tui/theme.h"

/*
 * Takes over the terminal. colour: "auto", "256", "16", "none" or NULL (auto:
 * what the terminal has, nothing when NO_COLOR is set and not empty).
 * ERR_USAGE when standard input or output is no terminal, when the terminal
 * cannot move its cursor (TERM=dumb), or for another colour word.
 */
enum err_code term_open(const char *colour, struct err *e) ATTR_MUST_CHECK;
void term_close(void); /* harmless when not open */

enum theme_depth term_depth(void);
/* The locale's text is UTF-8. */
bool term_utf8(void);
void term_size(int *w, int *h);

/* To poll besides term_key_fd: readable when a signal came. */
int term_signal_fd(void);
int term_key_fd(void);

enum term_event {
	TERM_NOTHING,
	TERM_RESIZED, /* curses knows the new size: draw everything */
	TERM_REDRAW,  /* continued after a stop: draw everything */
	TERM_SUSPEND, /* the operator pressed Ctrl-Z: call term_suspend */
	TERM_END      /* a signal asks us to end: term_end_signal tells which */
};

/* The next thing that signals told; call until TERM_NOTHING. */
enum term_event term_event(void);
int term_end_signal(void);

/* Gives the terminal back, stops the process, returns when it is continued. */
void term_suspend(void);

/* The next key (input.h); false when none waits. Never blocks longer than the ESC delay. */
bool term_key(uint32_t *key);

/* Writes bytes to the terminal past curses (for OSC 52). */
void term_write(const char *bytes, size_t len);

#endif
