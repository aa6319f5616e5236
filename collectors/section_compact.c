#include "collectors/section_compact.h"

#include <stdalign.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Strings already moved: a row table repeats few of them many times. */
#define SEEN_MAX 64

struct mover {
	struct arena *to; /* NULL while only measuring */
	size_t bytes;
	struct {
		const char *from;
		const char *to;
	} seen[SEEN_MAX];
	size_t nseen;
};

static size_t padded(size_t n)
{
	const size_t align = alignof(max_align_t);

	return (n + align - 1) / align * align;
}

/* Room in the new block; while measuring only counts it and gives NULL. */
static void *take(struct mover *m, size_t n)
{
	m->bytes += padded(n);
	return m->to ? arena_alloc(m->to, n) : NULL;
}

static const char *move_string(struct mover *m, const char *s)
{
	for (size_t i = 0; i < m->nseen; i++)
		if (m->seen[i].from == s || strcmp(m->seen[i].from, s) == 0)
			return m->seen[i].to;
	size_t n = strlen(s) + 1;
	char *copy = take(m, n);

	if (copy)
		memcpy(copy, s, n);
	if (m->nseen < SEEN_MAX) {
		m->seen[m->nseen].from = s;
		m->seen[m->nseen++].to = copy;
	}
	return copy;
}

/* base: the moved copy of a reading or row, or the original while measuring. */
static void move_strings(struct mover *m, const struct field *fields, size_t n, void *base)
{
	for (size_t i = 0; i < n; i++) {
		struct opt_str *o = (struct opt_str *)((char *)base + fields[i].offset);

		if (fields[i].type != FIELD_STR || !o->v)
			continue;
		const char *moved = move_string(m, o->v);

		if (m->to)
			o->v = moved;
	}
}

static void move_table(struct mover *m, const struct table *t, char *reading)
{
	size_t n;
	const void *rows = table_rows(t, reading, &n);

	if (!n)
		return;
	char *copy = take(m, n * t->row_size);

	if (copy) {
		memcpy(copy, rows, n * t->row_size);
		memcpy(reading + t->rows_offset, &copy, sizeof(copy));
	}
	char *row = copy ? copy : (char *)(uintptr_t)rows;

	for (size_t i = 0; i < n; i++, row += t->row_size)
		move_strings(m, t->fields, t->nfields, row);
}

static void *move_reading(struct mover *m, const struct section *s)
{
	const struct schema *schema = &section_desc(s->id)->schema;
	void *reading = take(m, schema->size);

	if (reading)
		memcpy(reading, s->reading, schema->size);
	else
		reading = s->mutable_reading;
	move_strings(m, schema->fields, schema->nfields, reading);
	for (size_t i = 0; i < schema->ntables; i++)
		move_table(m, &schema->tables[i], reading);
	return reading;
}

static struct unread *move_notes(struct mover *m, const struct section *s)
{
	if (!s->unread_n)
		return NULL;
	struct unread *notes = take(m, s->unread_n * sizeof(*notes));

	for (size_t i = 0; i < s->unread_n; i++) {
		struct unread moved = {
			move_string(m, s->unread[i].what), move_string(m, s->unread[i].why)};

		if (notes)
			notes[i] = moved;
	}
	return notes;
}

void section_compact(struct section *s)
{
	struct mover m = {.to = NULL};
	struct arena block;

	move_reading(&m, s);
	move_notes(&m, s);
	size_t need = m.bytes;

	/* The arena keeps its cap: a test may still add to the section. */
	arena_init(&block, s->arena.cap);
	if (!arena_reserve(&block, need))
		return;
	m = (struct mover){.to = &block};
	s->mutable_reading = move_reading(&m, s);
	s->reading = s->mutable_reading;
	s->unread = move_notes(&m, s);
	arena_release(&s->arena);
	s->arena = block;
	s->compact = true;
}
