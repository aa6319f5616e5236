#include "collectors/strpool.h"

#include <stdlib.h>
#include <string.h>

#include "collectors/xmalloc.h"

void strpool_init(struct strpool *p, size_t cap_bytes)
{
	*p = (struct strpool){.n_slots = 256};
	p->slots = xcalloc(p->n_slots, sizeof(*p->slots));
	arena_init(&p->arena, cap_bytes);
}

void strpool_release(struct strpool *p)
{
	free(p->items);
	free(p->slots);
	arena_release(&p->arena);
	*p = (struct strpool){0};
}

/* FNV-1a. */
static uint32_t hash_of(struct span s)
{
	uint32_t h = 2166136261u;

	for (size_t i = 0; i < s.n; i++)
		h = (h ^ (unsigned char)s.p[i]) * 16777619u;
	return h;
}

static uint32_t *slot_of(const struct strpool *p, struct span s)
{
	size_t i = hash_of(s) & (p->n_slots - 1);

	while (p->slots[i]) {
		const char *there = p->items[p->slots[i] - 1];

		if (strlen(there) == s.n && memcmp(there, s.p, s.n) == 0)
			break;
		i = (i + 1) & (p->n_slots - 1);
	}
	return &p->slots[i];
}

static void grow(struct strpool *p)
{
	free(p->slots);
	p->n_slots *= 2;
	p->slots = xcalloc(p->n_slots, sizeof(*p->slots));
	for (size_t i = 0; i < p->n; i++)
		*slot_of(p, span_of(p->items[i])) = (uint32_t)i + 1;
}

uint32_t strpool_id(struct strpool *p, struct span s)
{
	/* What follows a NUL could not be told apart by its terminated copy. */
	const char *nul = s.n ? memchr(s.p, '\0', s.n) : NULL;

	if (nul)
		s.n = (size_t)(nul - s.p);
	if (!s.n)
		s.p = "";
	uint32_t *slot = slot_of(p, s);

	if (*slot)
		return *slot - 1;
	const char *copy = p->n < STRPOOL_NONE - 1 ? arena_strndup(&p->arena, s.p, s.n) : NULL;

	if (!copy)
		return STRPOOL_NONE;
	xgrow((void **)&p->items, &p->cap, p->n, sizeof(*p->items));
	p->items[p->n++] = copy;
	*slot = (uint32_t)p->n;
	if (p->n * 2 > p->n_slots)
		grow(p);
	return (uint32_t)p->n - 1;
}

const char *strpool_str(struct strpool *p, const char *s)
{
	uint32_t id = s ? strpool_id(p, span_of(s)) : STRPOOL_NONE;

	return id == STRPOOL_NONE ? NULL : p->items[id];
}
