/*
 * Logging to a file only, never to a terminal that curses owns.
 *
 * Off until log_open. One line: time, level, module, host (or "-"), message.
 * Remote text must be passed as a "%s" argument; it is made printable here.
 * Secrets are never passed. Thread-safe. The newest lines are also kept in
 * memory for the Log screen.
 */
#ifndef COLLECTORS_LOG_H
#define COLLECTORS_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collectors/compiler.h"
#include "collectors/err.h"

enum log_level { LOG_ERR, LOG_WARN, LOG_INFO, LOG_DEBUG };

struct log_line {
	int64_t wall_ms;
	enum log_level level;
	char text[200]; /* "module host message", printable */
};

/* Opens (appends to) path with mode 0600. */
enum err_code log_open(const char *path, enum log_level level, struct err *e) ATTR_MUST_CHECK;
void log_close(void);

/* module is the file's name without suffix; host may be NULL. */
void log_write(enum log_level level, const char *module, const char *host, const char *fmt, ...)
	ATTR_PRINTF(4, 5);

/*
 * Copies up to max of the newest lines, oldest first, and returns how many.
 * *total (may be NULL) gets the number of lines ever written.
 */
size_t log_recent(struct log_line *out, size_t max, uint64_t *total);

#endif
