/*
 * The last line that a helper program or a remote shell said on standard error,
 * which is what an error message shows of it.
 */
#ifndef COLLECTORS_STDERR_TAIL_H
#define COLLECTORS_STDERR_TAIL_H

#include <stdbool.h>
#include <stddef.h>

/* Keeps in last (terminated, printable) the newest non-empty line of the bytes. */
void stderr_tail_add(char *last, size_t size, const char *bytes, size_t len);

/* Reads what fd (non-blocking) has, at most 64 KiB a call. True at its end. */
bool stderr_tail_read(int fd, char *last, size_t size);

#endif
