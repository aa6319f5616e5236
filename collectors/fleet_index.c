#include "collectors/fleet_index.h"

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collectors/xmalloc.h"

#define KEY_MAX 256

/* A name, or a name up to its first dot: two kinds of key in one table. */
enum key_kind { KEY_FREE = 0, KEY_WHOLE, KEY_SHORT };

#define AMBIGUOUS UINT32_MAX

struct entry {
	enum key_kind kind;
	uint32_t hash;
	uint32_t node; /* KEY_SHORT: AMBIGUOUS when several have it */
	char *key;
};

struct fleet_index {
	struct entry *entries; /* open addressing; cap is a power of two, at most half is used */
	size_t cap;
	size_t used;
};

struct fleet_index *fleet_index_new(void)
{
	struct fleet_index *x = xcalloc(1, sizeof(*x));

	x->cap = 64;
	x->entries = xcalloc(x->cap, sizeof(*x->entries));
	return x;
}

struct fleet_index *fleet_index_copy(const struct fleet_index *x)
{
	struct fleet_index *c = xcalloc(1, sizeof(*c));

	*c = *x;
	c->entries = xcalloc(c->cap, sizeof(*c->entries));
	for (size_t i = 0; i < c->cap; i++) {
		c->entries[i] = x->entries[i];
		if (x->entries[i].key)
			c->entries[i].key = xstrdup(x->entries[i].key);
	}
	return c;
}

void fleet_index_free(struct fleet_index *x)
{
	if (!x)
		return;
	for (size_t i = 0; i < x->cap; i++)
		free(x->entries[i].key);
	free(x->entries);
	free(x);
}

/* Lower case; "ip-10-1-2-3" as "10.1.2.3". False for what is no name. */
static bool make_key(struct span name, char key[KEY_MAX])
{
	unsigned part[4];
	int used = 0;

	name = span_trim(name);
	if (!name.n || name.n >= KEY_MAX)
		return false;
	for (size_t i = 0; i < name.n; i++)
		key[i] = (char)tolower((unsigned char)name.p[i]);
	key[name.n] = '\0';
	if (sscanf(key, "ip-%3u-%3u-%3u-%3u%n", &part[0], &part[1], &part[2], &part[3], &used) ==
			4 &&
		(size_t)used == name.n)
		snprintf(key, KEY_MAX, "%u.%u.%u.%u", part[0], part[1], part[2], part[3]);
	return true;
}

/* The part of a name before its first dot; empty for an address and for a name without. */
static struct span short_of(struct span name)
{
	const char *dot = name.n ? memchr(name.p, '.', name.n) : NULL;
	bool letters = false;

	for (size_t i = 0; i < name.n; i++)
		letters |= name.p[i] != '.' && !isdigit((unsigned char)name.p[i]);
	if (!dot || !letters)
		return (struct span)SPAN_INIT;
	return (struct span){name.p, (size_t)(dot - name.p)};
}

/* FNV-1a; the kind is part of it. */
static uint32_t hash_of(enum key_kind kind, const char *key)
{
	uint32_t h = 2166136261u ^ (uint32_t)kind;

	for (; *key; key++)
		h = (h ^ (unsigned char)*key) * 16777619u;
	return h;
}

/* The entry of a key, or the free one where it belongs. */
static struct entry *slot_of(const struct fleet_index *x, enum key_kind kind, const char *key)
{
	uint32_t h = hash_of(kind, key);
	size_t i = h & (x->cap - 1);

	while (x->entries[i].kind != KEY_FREE &&
		(x->entries[i].hash != h || x->entries[i].kind != kind ||
			strcmp(x->entries[i].key, key) != 0))
		i = (i + 1) & (x->cap - 1);
	return &x->entries[i];
}

static void grow(struct fleet_index *x)
{
	struct fleet_index bigger = {.cap = x->cap * 2, .used = x->used};

	bigger.entries = xcalloc(bigger.cap, sizeof(*bigger.entries));
	for (size_t i = 0; i < x->cap; i++)
		if (x->entries[i].kind != KEY_FREE)
			*slot_of(&bigger, x->entries[i].kind, x->entries[i].key) = x->entries[i];
	free(x->entries);
	*x = bigger;
}

/* The entry, made if it was not there; *made tells. */
static struct entry *entry_of(
	struct fleet_index *x, enum key_kind kind, const char *key, size_t node, bool *made)
{
	if (x->used * 2 >= x->cap)
		grow(x);
	struct entry *e = slot_of(x, kind, key);

	*made = e->kind == KEY_FREE;
	if (*made) {
		*e = (struct entry){kind, hash_of(kind, key), (uint32_t)node, xstrdup(key)};
		x->used++;
	}
	return e;
}

void fleet_index_add(struct fleet_index *x, struct span name, size_t node)
{
	char key[KEY_MAX];
	bool made;

	name = span_trim(name);
	if (!make_key(name, key))
		return;
	entry_of(x, KEY_WHOLE, key, node, &made);
	if (!make_key(short_of(name), key))
		return;
	struct entry *e = entry_of(x, KEY_SHORT, key, node, &made);

	if (!made && e->node != node)
		e->node = AMBIGUOUS;
}

static size_t look_up(const struct fleet_index *x, enum key_kind kind, struct span name)
{
	char key[KEY_MAX];

	if (!make_key(name, key))
		return SIZE_MAX;
	const struct entry *e = slot_of(x, kind, key);

	return e->kind == KEY_FREE ? SIZE_MAX : e->node;
}

size_t fleet_index_find(const struct fleet_index *x, struct span name)
{
	name = span_trim(name);
	size_t node = look_up(x, KEY_WHOLE, name);

	if (node != SIZE_MAX)
		return node;
	/* "a" for the node "a.cluster.local", and the other way round. */
	node = look_up(x, KEY_SHORT, name);
	if (node == SIZE_MAX)
		node = look_up(x, KEY_WHOLE, short_of(name));
	return node == AMBIGUOUS ? SIZE_MAX : node;
}

bool fleet_index_is_ambiguous(const struct fleet_index *x, struct span name)
{
	return look_up(x, KEY_WHOLE, name) == SIZE_MAX && look_up(x, KEY_SHORT, name) == AMBIGUOUS;
}
