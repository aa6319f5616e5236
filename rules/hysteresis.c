#include "rules/hysteresis.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "collectors/xmalloc.h"

#define FORGET_MS 120000

uint64_t hysteresis_key(const char *first, ...)
{
	uint64_t h = UINT64_C(14695981039346656037);
	va_list ap;

	va_start(ap, first);
	for (const char *s = first; s; s = va_arg(ap, const char *)) {
		for (; *s; s++)
			h = (h ^ (unsigned char)*s) * UINT64_C(1099511628211);
		h = (h ^ 0xff) * UINT64_C(1099511628211); /* no byte of UTF-8 */
	}
	va_end(ap);
	return h ? h : 1;
}

/* The slot that holds key, or the free one where it belongs. */
static struct memory *slot_of(const struct hysteresis *h, uint64_t key)
{
	size_t i = (size_t)(key ^ key >> 32) & (h->cap - 1);

	while (h->slots[i].used && h->slots[i].key != key)
		i = (i + 1) & (h->cap - 1);
	return &h->slots[i];
}

static void rebuild(struct hysteresis *h, size_t cap, uint64_t generation, int64_t now, bool all)
{
	struct hysteresis next = {xcalloc(cap, sizeof(*next.slots)), cap, 0};

	for (size_t i = 0; i < h->cap; i++) {
		const struct memory *m = &h->slots[i];

		if (!m->used ||
			(!all && m->generation != generation && now - m->seen_mono_ms > FORGET_MS))
			continue;
		*slot_of(&next, m->key) = *m;
		next.n++;
	}
	free(h->slots);
	*h = next;
}

static struct memory *remember(struct hysteresis *h, const struct observation *o)
{
	if (h->n * 2 >= h->cap)
		rebuild(h, h->cap ? h->cap * 2 : 64, 0, 0, true);
	struct memory *m = slot_of(h, o->key);

	if (!m->used) {
		memset(m, 0, sizeof(*m));
		m->used = true;
		m->key = o->key;
		m->since_wall_ms = o->now_wall_ms;
		m->reading_mono_ms = INT64_MIN;
		h->n++;
	}
	return m;
}

static void count(struct memory *m, const struct observation *o)
{
	if (o->reading_mono_ms == m->reading_mono_ms)
		return;
	m->reading_mono_ms = o->reading_mono_ms;
	if (o->fires) {
		if (!m->active && m->hits == 0)
			m->since_wall_ms = o->now_wall_ms;
		m->hits++;
		m->misses = 0;
		m->active = m->active || m->hits >= o->needed;
	} else if (m->active && ++m->misses < o->needed) {
		m->hits = 0;
	} else {
		m->active = false;
		m->hits = 0;
		m->misses = 0;
	}
}

struct memory *hysteresis_observe(struct hysteresis *h, const struct observation *o)
{
	struct memory *m = NULL;

	if (!o->fires) {
		if (h->cap)
			m = slot_of(h, o->key);
		if (!m || !m->used)
			return NULL;
	} else {
		m = remember(h, o);
	}
	/* Not seen in the snapshot before: the row of readings is broken, the start is kept. */
	if (m->generation && m->generation != o->generation_before &&
		m->generation != o->generation && !m->active)
		m->hits = 0;
	m->generation = o->generation;
	m->seen_mono_ms = o->now_mono_ms;
	count(m, o);
	return m->active || (o->fires && m->hits) ? m : NULL;
}

bool hysteresis_knows(const struct hysteresis *h, uint64_t key)
{
	return h->n && slot_of(h, key)->used;
}

void hysteresis_sweep(struct hysteresis *h, uint64_t generation, int64_t now_mono_ms)
{
	size_t old = 0;

	for (size_t i = 0; i < h->cap; i++)
		old += h->slots[i].used && h->slots[i].generation != generation &&
		       now_mono_ms - h->slots[i].seen_mono_ms > FORGET_MS;
	if (old)
		rebuild(h, h->cap, generation, now_mono_ms, false);
}

void hysteresis_release(struct hysteresis *h)
{
	free(h->slots);
	memset(h, 0, sizeof(*h));
}
