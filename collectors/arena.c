#include "collectors/arena.h"

#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK_BYTES 2048

struct arena_block {
	struct arena_block *next;
	size_t used;
	size_t size;
	alignas(max_align_t) unsigned char data[];
};

void arena_init(struct arena *a, size_t cap_bytes)
{
	a->blocks = NULL;
	a->used = 0;
	a->cap = cap_bytes;
}

void arena_release(struct arena *a)
{
	struct arena_block *b = a->blocks;

	while (b) {
		struct arena_block *next = b->next;

		free(b);
		b = next;
	}
	arena_init(a, a->cap);
}

static struct arena_block *add_block(struct arena *a, size_t size)
{
	struct arena_block *b = malloc(sizeof(*b) + size);

	if (!b)
		return NULL;
	b->next = a->blocks;
	b->used = 0;
	b->size = size;
	a->blocks = b;
	return b;
}

void *arena_alloc(struct arena *a, size_t size)
{
	const size_t align = alignof(max_align_t);

	if (size > a->cap || a->used > a->cap - size)
		return NULL;
	size_t padded = (size + align - 1) / align * align;
	struct arena_block *b = a->blocks;

	if (!b || b->size - b->used < padded)
		b = add_block(a, padded > BLOCK_BYTES ? padded : BLOCK_BYTES);
	if (!b)
		return NULL;
	void *p = b->data + b->used;

	b->used += padded;
	a->used += size;
	memset(p, 0, padded);
	return p;
}

char *arena_strndup(struct arena *a, const char *s, size_t len)
{
	if (len == (size_t)-1)
		return NULL;
	char *p = arena_alloc(a, len + 1);

	if (p && len)
		memcpy(p, s, len);
	return p;
}

bool arena_reserve(struct arena *a, size_t size)
{
	return add_block(a, size) != NULL;
}
