/*
 * The two clocks: monotonic for deadlines and ages, wall for what people read.
 * Both in milliseconds. Thread-safe.
 */
#ifndef COLLECTORS_CLOCK_H
#define COLLECTORS_CLOCK_H

#include <stddef.h>
#include <stdint.h>

/* Never goes back; its zero means nothing. */
int64_t clock_mono_ms(void);

/* Unix time. May jump when the machine's clock is set. */
int64_t clock_wall_ms(void);

/* "2026-12-01T03:12:45Z" into out (at least 21 bytes); returns out. */
char *clock_format_utc(int64_t wall_ms, char *out, size_t size);

#endif
