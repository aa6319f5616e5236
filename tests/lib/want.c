#include "tests/lib/want.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/lib/sect.h"

static void compare(const struct field *f, const void *base, const char *name, const char *want)
{
	char text[300];

	if (!f)
		fail_msg("no field %s", name);
	struct value got = field_value(f, base);

	value_text(&got, text, sizeof(text));
	if (want ? got.state != OPT_OK || strcmp(text, want) != 0 : got.state == OPT_OK)
		fail_msg("%s: want %s, got %s", name, want ? want : "no value", text);
}

static const void *row_of(
	const struct section *s, const char *table, size_t row, const struct table **t)
{
	size_t n = 0;

	*t = schema_table(&section_desc(s->id)->schema, table);
	if (!*t)
		fail_msg("no table %s", table);
	const char *rows = table_rows(*t, s->reading, &n);

	if (row >= n)
		fail_msg("%s: no row %zu, there are %zu", table, row, n);
	return rows + row * (*t)->row_size;
}

void want_value(const struct section *s, const char *field, const char *want)
{
	const struct schema *schema = &section_desc(s->id)->schema;

	compare(schema_field(schema->fields, schema->nfields, field), s->reading, field, want);
}

void want_row(
	const struct section *s, const char *table, size_t row, const char *field, const char *want)
{
	const struct table *t;
	const void *base = row_of(s, table, row, &t);

	compare(schema_field(t->fields, t->nfields, field), base, field, want);
}

void want_rows(const struct section *s, const char *table, size_t want)
{
	const struct table *t = schema_table(&section_desc(s->id)->schema, table);
	size_t n = 0;

	assert_non_null(t);
	table_rows(t, s->reading, &n);
	assert_int_equal(n, want);
}

void want_state(const struct section *s, const char *table, size_t row, const char *field,
	enum opt_state want)
{
	const struct table *t;
	const void *base = row_of(s, table, row, &t);
	const struct field *f = schema_field(t->fields, t->nfields, field);

	assert_non_null(f);
	struct value got = field_value(f, base);

	if (got.state != want)
		fail_msg("%s: want state %d, got %d", field, (int)want, (int)got.state);
}

void want_status(const struct section *s, enum section_status want)
{
	if (s->status != want)
		fail_msg("want %s, got %s (%s: %s)", section_status_name(want),
			section_status_name(s->status), s->unread_n ? s->unread[0].what : "-",
			s->unread_n ? s->unread[0].why : "-");
}

static char *read_fixture(enum section_id id, const char *name, size_t *len)
{
	char path[200];

	snprintf(path, sizeof(path), "tests/fixtures/node/%s/%s", section_desc(id)->name, name);
	return sect_read(path, len);
}

struct section *want_fixture(enum section_id id, const char *name)
{
	struct section_meta meta = SECTION_META_INIT;
	size_t len;
	char *text = read_fixture(id, name, &len);
	struct section *s = section_parse(id, (struct span){text, len}, meta);

	free(text);
	return s;
}

void want_robust(enum section_id id, const char *name)
{
	size_t len;
	char *text = read_fixture(id, name, &len);

	sect_check_robust(id, text);
	free(text);
}
