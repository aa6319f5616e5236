#include "collectors/source.h"

#include <stdlib.h>
#include <string.h>

#include "collectors/xmalloc.h"

struct source *source_new(enum source_mode mode, const char *label)
{
	struct source *src = xcalloc(1, sizeof(*src));

	src->mode = mode;
	src->label = xstrdup(label);
	return src;
}

static void target_release(struct target *t)
{
	free(t->id);
	free(t->name);
	free(t->host);
	free(t->user);
	free(t->group);
	free(t->instance_type);
	free(t->az);
	free(t->spine);
	free(t->leaf);
	free(t->ultraserver);
	free(t->where);
}

void source_free(struct source *src)
{
	if (!src)
		return;
	if (src->free_private)
		src->free_private(src);
	for (size_t i = 0; i < src->n; i++)
		target_release(&src->targets[i]);
	free(src->targets);
	free(src->index);
	free(src->label);
	free(src);
}

/* FNV-1a, 32 bits: ids differ in their last digits, which it spreads well. */
static uint32_t id_hash(const char *id)
{
	uint32_t h = 2166136261u;

	for (; *id; id++)
		h = (h ^ (unsigned char)*id) * 16777619u;
	return h;
}

/* The slot that holds id, or the empty one where it belongs. */
static uint32_t *index_slot(struct source *src, const char *id)
{
	size_t mask = src->index_cap - 1;
	size_t i = id_hash(id) & mask;

	while (src->index[i] && strcmp(src->targets[src->index[i] - 1].id, id) != 0)
		i = (i + 1) & mask;
	return &src->index[i];
}

/* Keeps the index at most half full, which also means that a search ends. */
static void index_grow(struct source *src)
{
	if (src->n * 2 < src->index_cap)
		return;
	free(src->index);
	src->index_cap = src->index_cap ? src->index_cap * 2 : 64;
	src->index = xcalloc(src->index_cap, sizeof(*src->index));
	for (size_t i = 0; i < src->n; i++)
		*index_slot(src, src->targets[i].id) = (uint32_t)i + 1;
}

enum err_code source_add(struct source *src, const char *id, struct target **out, struct err *e)
{
	if (!id || !*id)
		return err_set(e, ERR_USAGE, "a node without a name (give each node one)");
	index_grow(src);
	uint32_t *slot = index_slot(src, id);

	if (*slot) {
		if (out)
			*out = &src->targets[*slot - 1];
		return err_set(e, ERR_USAGE, "node %s is there twice (name each node once)", id);
	}
	xgrow((void **)&src->targets, &src->cap, src->n, sizeof(*src->targets));
	struct target *t = &src->targets[src->n++];

	memset(t, 0, sizeof(*t));
	t->id = xstrdup(id);
	*slot = (uint32_t)src->n;
	if (out)
		*out = t;
	return ERR_OK;
}

void source_keep(struct source *src, bool (*keep)(void *ctx, const struct target *t), void *ctx)
{
	size_t kept = 0;

	for (size_t i = 0; i < src->n; i++) {
		if (keep(ctx, &src->targets[i]))
			src->targets[kept++] = src->targets[i];
		else
			target_release(&src->targets[i]);
	}
	src->n = kept;
	if (!src->index)
		return;
	memset(src->index, 0, src->index_cap * sizeof(*src->index));
	for (size_t i = 0; i < src->n; i++)
		*index_slot(src, src->targets[i].id) = (uint32_t)i + 1;
}

void source_swap_targets(struct source *a, struct source *b)
{
	struct source was = *a;

	a->targets = b->targets;
	a->n = b->n;
	a->cap = b->cap;
	a->index = b->index;
	a->index_cap = b->index_cap;
	b->targets = was.targets;
	b->n = was.n;
	b->cap = was.cap;
	b->index = was.index;
	b->index_cap = was.index_cap;
}
