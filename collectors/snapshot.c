#include "collectors/snapshot.h"

#include <stdlib.h>
#include <string.h>

#include "collectors/xmalloc.h"

#define ARENA_MAX (16u << 20)

struct snapshot *snapshot_new(size_t n)
{
	struct snapshot *snap = xcalloc(1, sizeof(*snap));

	snap->nodes = xcalloc(n, sizeof(*snap->nodes));
	snap->n = n;
	for (size_t i = 0; i < n; i++)
		snap->nodes[i].answer_ms = -1;
	arena_init(&snap->arena, ARENA_MAX);
	return snap;
}

const char *snapshot_str(struct snapshot *snap, const char *s)
{
	char clean[1024];

	if (!s || !s[0])
		return NULL;
	size_t n = text_printable(clean, sizeof(clean), s, strlen(s));

	return arena_strndup(&snap->arena, clean, n);
}

void snapshot_set_section(
	struct node *n, enum section_id id, const struct section *cur, const struct section *prev)
{
	section_unref((struct section *)n->section[id]);
	section_unref((struct section *)n->prev[id]);
	n->section[id] = section_ref(cur);
	n->prev[id] = section_ref(prev);
}

void snapshot_count(struct snapshot *snap)
{
	snap->reached = 0;
	snap->complete = true;
	for (size_t i = 0; i < snap->n; i++) {
		enum node_state st = snap->nodes[i].state;

		snap->reached += st == NODE_OK;
		if (st == NODE_PENDING || st == NODE_CONNECTING || st == NODE_PROBING)
			snap->complete = false;
	}
}

void snapshot_free(struct snapshot *snap)
{
	if (!snap)
		return;
	for (size_t i = 0; i < snap->n; i++)
		for (int id = 0; id < SECTION_COUNT; id++)
			snapshot_set_section(&snap->nodes[i], (enum section_id)id, NULL, NULL);
	free(snap->nodes);
	arena_release(&snap->arena);
	free(snap);
}

const struct node *snapshot_node(const struct snapshot *snap, const char *id)
{
	for (size_t i = 0; i < snap->n; i++)
		if (strcmp(snap->nodes[i].id, id) == 0 || strcmp(snap->nodes[i].name, id) == 0)
			return &snap->nodes[i];
	return NULL;
}

int64_t snapshot_age_ms(const struct snapshot *snap, const struct section *s)
{
	return s ? snap->mono_ms - s->meta.mono_ms : -1;
}
