/*
 * Where results go: standard output, or a file that is whole or not there.
 * A full disk and a reader that went away are errors, never silence.
 */
#ifndef TUI_OUTPUT_H
#define TUI_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>

#include "collectors/buf.h"
#include "collectors/err.h"

/* Writes all of b to fd. ERR_IO with *e filled. */
enum err_code output_fd(const struct buf *b, int fd, struct err *e) ATTR_MUST_CHECK;

/*
 * Writes b to path by way of a temporary file beside it, renamed when it is
 * complete. A path that is there and is no regular file (a fifo, /dev/null) is
 * written to directly. NULL or "-": standard output.
 */
enum err_code output_file(const struct buf *b, const char *path, struct err *e) ATTR_MUST_CHECK;

/*
 * True when what goes to fd may hold colour: color is the --color setting;
 * "auto" wants a terminal that is not dumb, and no NO_COLOR (no-color.org).
 */
bool output_may_color(const char *color, int fd);

/* True when what goes to fd may hold characters beyond ASCII. */
bool output_may_utf8(bool ascii, int fd);

/* Columns of the terminal on fd, 40 to 200; 80 when it is none. */
size_t output_width(int fd);

#endif
