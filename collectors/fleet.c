#include "collectors/fleet.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "collectors/fleet_index.h"
#include "collectors/xmalloc.h"

/* Names, places and types of FLEET_NODES_MAX nodes with room to spare. */
#define FLEET_ARENA_MAX ((size_t)64 << 20)

struct fleet *fleet_new(void)
{
	struct fleet *f = xcalloc(1, sizeof(*f));

	arena_init(&f->arena, FLEET_ARENA_MAX);
	f->index = fleet_index_new();
	return f;
}

void fleet_free(struct fleet *f)
{
	if (!f)
		return;
	fleet_index_free(f->index);
	free(f->nodes);
	arena_release(&f->arena);
	free(f);
}

const char *fleet_str(struct fleet *f, struct span s)
{
	char printable[256];

	s = span_trim(s);
	if (!s.n)
		return NULL;
	return arena_strndup(
		&f->arena, printable, text_printable(printable, sizeof(printable), s.p, s.n));
}

size_t fleet_find(const struct fleet *f, struct span host)
{
	return fleet_index_find(f->index, host);
}

void fleet_alias(struct fleet *f, size_t node, struct span alias)
{
	if (node < f->n)
		fleet_index_add(f->index, alias, node);
}

size_t fleet_find_or_add(struct fleet *f, struct span host)
{
	size_t node = fleet_find(f, host);

	if (node != FLEET_NONE || f->n == FLEET_NODES_MAX)
		return node;
	/* A short name that several nodes have is nobody's: see fleet_node.ambiguous. */
	if (fleet_index_is_ambiguous(f->index, host))
		return FLEET_NONE;
	const char *name = fleet_str(f, host);

	if (!name)
		return FLEET_NONE;
	xgrow((void **)&f->nodes, &f->cap, f->n, sizeof(*f->nodes));
	f->nodes[f->n] = (struct fleet_node){.name = name};
	fleet_index_add(f->index, host, f->n);
	return f->n++;
}

static const char *copy(struct arena *a, const char *s)
{
	return s ? arena_strndup(a, s, strlen(s)) : NULL;
}

struct fleet_node *fleet_nodes_copy(const struct fleet *f, struct arena *arena)
{
	struct fleet_node *nodes = xcalloc(f->n + 1, sizeof(*nodes));

	for (size_t i = 0; i < f->n; i++) {
		const struct fleet_node *from = &f->nodes[i];
		struct fleet_node *to = &nodes[i];

		*to = *from;
		to->name = copy(arena, from->name);
		to->id = copy(arena, from->id);
		to->instance_id = copy(arena, from->instance_id);
		to->az = copy(arena, from->az);
		to->spine = copy(arena, from->spine);
		to->leaf = copy(arena, from->leaf);
		to->ultraserver = copy(arena, from->ultraserver);
		to->instance_type = copy(arena, from->instance_type);
	}
	return nodes;
}

struct fleet *fleet_copy(const struct fleet *f)
{
	struct fleet *c = fleet_new();

	c->n = f->n;
	c->cap = f->n + 1;
	c->nodes = fleet_nodes_copy(f, &c->arena);
	fleet_index_free(c->index);
	c->index = fleet_index_copy(f->index);
	return c;
}
