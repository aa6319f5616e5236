/*
 * Strings kept once each: the same text gives the same pointer and the same
 * number, for as long as the pool lives. For names that a hundred thousand
 * readings repeat. Not thread-safe.
 */
#ifndef COLLECTORS_STRPOOL_H
#define COLLECTORS_STRPOOL_H

#include <stddef.h>
#include <stdint.h>

#include "collectors/arena.h"
#include "collectors/text.h"

#define STRPOOL_NONE UINT32_MAX

struct strpool {
	const char **items; /* by number; terminated */
	size_t n;
	size_t cap;
	uint32_t *slots; /* open addressing, number + 1; a power of two */
	size_t n_slots;
	struct arena arena;
};

void strpool_init(struct strpool *p, size_t cap_bytes);
void strpool_release(struct strpool *p);

/* The number of s, kept if it is new; STRPOOL_NONE when the pool is full. */
uint32_t strpool_id(struct strpool *p, struct span s);

/* Its pointer; NULL for NULL and when the pool is full. */
const char *strpool_str(struct strpool *p, const char *s);

#endif
