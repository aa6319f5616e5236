/*
 * The clipboard of the operator's own terminal, through any number of SSH hops: the
 * OSC 52 sequence, whose payload the terminal decodes.
 */
#ifndef TUI_CLIPBOARD_H
#define TUI_CLIPBOARD_H

#include <stdbool.h>

#include "collectors/buf.h"

/* Most bytes copied: terminals drop longer sequences, the shortest limit known is 74,994 of base64. */
#define CLIPBOARD_MAX 4096

/*
 * Appends the bytes to write. Inside tmux the sequence goes out twice: plain, which
 * tmux itself takes when set-clipboard is on, and wrapped to pass through, which it
 * hands on when allow-passthrough is on. Inside screen it is wrapped in its own way.
 *
 * term: $TERM, tmux: $TMUX is set. False, and nothing is appended, for terminals
 * that would print the sequence (linux, vt100 ...) and for text that is too long.
 */
bool clipboard_sequence(struct buf *out, const char *text, const char *term, bool tmux);

#endif
