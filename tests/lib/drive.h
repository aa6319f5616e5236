/* Drives one transport as the collector does: step, poll, read, write. */
#ifndef TESTS_LIB_DRIVE_H
#define TESTS_LIB_DRIVE_H

#include <stddef.h>

#include "collectors/err.h"
#include "collectors/transport.h"

/* Steps until connected or failed, at most max_ms; ERR_AGAIN after that. */
enum err_code drive_connect(struct transport *t, int max_ms, struct err *e);

/*
 * Writes text, then reads until the end of the stream (ERR_OK; *e then says how
 * it ended) or until want is in out. out is terminated.
 */
enum err_code drive_talk(struct transport *t, const char *text, const char *want, char *out,
	size_t size, int max_ms, struct err *e);

/* The number of times that drive_connect slept in poll, for "no busy loop". */
unsigned drive_polls(void);

#endif
