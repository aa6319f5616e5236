/*
 * Bump allocation for data that dies together: one free, no inner free.
 * Has a cap, since what is put here is often sized by remote input.
 */
#ifndef COLLECTORS_ARENA_H
#define COLLECTORS_ARENA_H

#include <stdbool.h>
#include <stddef.h>

struct arena_block;

struct arena {
	struct arena_block *blocks;
	size_t used; /* bytes handed out */
	size_t cap;  /* most bytes ever handed out */
};

#define ARENA_INIT(cap_bytes)        \
	{                            \
		NULL, 0, (cap_bytes) \
	}

void arena_init(struct arena *a, size_t cap_bytes);
void arena_release(struct arena *a);

/* Zeroed, aligned for any type. NULL when over the cap or out of memory. */
void *arena_alloc(struct arena *a, size_t size);

/*
 * Makes the next allocations, together up to size bytes after rounding each up
 * to the alignment, come from one block of just that size. False when memory is
 * short.
 */
bool arena_reserve(struct arena *a, size_t size);

/* Terminated copy of len bytes; NULL as above. */
char *arena_strndup(struct arena *a, const char *s, size_t len);

#endif
