#include "tests/lib/corpus.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "collectors/buf.h"

cJSON *corpus_load(void)
{
	struct err e;

	if (access(CORPUS_DIR "/expected.json", R_OK) != 0)
		return NULL;
	return json_read_file(CORPUS_DIR "/expected.json", 4u << 20, &e);
}

void corpus_open(struct corpus_entry *e, const cJSON *sample)
{
	*e = (struct corpus_entry){0};
	e->file = cJSON_GetStringValue(cJSON_GetObjectItem(sample, "file"));
	e->command = cJSON_GetStringValue(cJSON_GetObjectItem(sample, "command"));
	snprintf(e->path, sizeof(e->path), "%s/%s", CORPUS_DIR, e->file ? e->file : "");
}

void corpus_close(struct corpus_entry *e)
{
	for (size_t i = 0; i < SECTION_COUNT; i++)
		section_unref(e->parsed[i]);
}

const struct section *corpus_section(struct corpus_entry *e, enum section_id id)
{
	struct section_meta meta = SECTION_META_INIT;
	struct buf text = BUF_INIT(SECTION_TEXT_MAX);
	struct err err;

	if (!e->parsed[id]) {
		if (buf_read_file(&text, e->path, &err) != ERR_OK)
			text.len = 0;
		e->parsed[id] = section_parse(id, (struct span){text.data, text.len}, meta);
		buf_release(&text);
	}
	return e->parsed[id];
}

bool corpus_differs(struct corpus_entry *e, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(e->why, sizeof(e->why), fmt, ap);
	va_end(ap);
	return false;
}

/* ["a", "b"] or [1, 2] as "a,b". */
static void join(const cJSON *array, char *out, size_t size)
{
	const cJSON *item;
	size_t n = 0;

	out[0] = '\0';
	cJSON_ArrayForEach(item, array)
	{
		if (n + 1 >= size)
			return;
		if (cJSON_IsString(item))
			n += (size_t)snprintf(
				out + n, size - n, "%s%s", n ? "," : "", item->valuestring);
		else
			n += (size_t)snprintf(
				out + n, size - n, "%s%.0f", n ? "," : "", item->valuedouble);
	}
}

bool corpus_same(
	struct corpus_entry *e, const char *what, const cJSON *want, const struct value *got)
{
	char text[300];
	char list[300];
	double number;

	value_text(got, text, sizeof(text));
	if (cJSON_IsNull(want))
		return got->state != OPT_OK ||
		       corpus_differs(e, "%s: want no value, got %s", what, text);
	if (got->state != OPT_OK)
		return corpus_differs(e, "%s: got no value", what);
	if (cJSON_IsArray(want)) {
		join(want, list, sizeof(list));
		return strcmp(list, text) == 0 ||
		       corpus_differs(e, "%s: want %s, got %s", what, list, text);
	}
	if (cJSON_IsBool(want))
		return (got->type == FIELD_FLAG && got->flag == cJSON_IsTrue(want)) ||
		       corpus_differs(e, "%s: want %d, got %s", what, cJSON_IsTrue(want), text);
	if (cJSON_IsString(want))
		return strcmp(want->valuestring, text) == 0 ||
		       corpus_differs(e, "%s: want %s, got %s", what, want->valuestring, text);
	if (got->type == FIELD_FLAG || !value_number(got, &number))
		return corpus_differs(e, "%s: want %g, got %s", what, want->valuedouble, text);
	return fabs(number - want->valuedouble) <= 1e-9 * fabs(want->valuedouble) ||
	       corpus_differs(e, "%s: want %.10g, got %.10g", what, want->valuedouble, number);
}

static enum section_id split_path(const char *path, struct span *rest)
{
	struct span section;

	*rest = span_of(path);
	span_field(rest, '.', &section);
	return section_by_name(section);
}

static const struct table *table_of(
	struct corpus_entry *e, const char *path, const struct section **s)
{
	char name[64];
	struct span rest;
	struct span table;
	enum section_id id = split_path(path, &rest);

	if (id == SECTION_COUNT || !span_field(&rest, '.', &table))
		return NULL;
	snprintf(name, sizeof(name), "%.*s", (int)table.n, table.p);
	*s = corpus_section(e, id);
	return schema_table(&section_desc(id)->schema, name);
}

const void *corpus_row(struct corpus_entry *e, const char *path, size_t i, const struct table **t)
{
	const struct section *s = NULL;
	size_t n = 0;

	*t = table_of(e, path, &s);
	const char *rows = *t ? table_rows(*t, s->reading, &n) : NULL;

	return rows && i < n ? rows + i * (*t)->row_size : NULL;
}

size_t corpus_rows(struct corpus_entry *e, const char *path)
{
	const struct section *s = NULL;
	const struct table *t = table_of(e, path, &s);
	size_t n = 0;

	if (t)
		table_rows(t, s->reading, &n);
	return n;
}

struct value corpus_field(const struct table *t, const void *row, const char *name)
{
	const struct field *f = schema_field(t->fields, t->nfields, name);
	struct value none = VALUE_UNKNOWN;

	if (!f) {
		none.type = FIELD_STR;
		fprintf(stderr, "corpus: table %s has no field %s\n", t->name, name);
		return none;
	}
	return field_value(f, row);
}

/* A list of strings is one value of one row only when the table has that row alone. */
static bool same_rows(
	struct corpus_entry *e, const char *path, const char *field, const cJSON *want)
{
	const struct table *t;
	size_t n = corpus_rows(e, path);
	bool per_row = cJSON_IsArray(want) && (n > 1 || cJSON_GetArraySize(want) == 1);

	if (per_row && (size_t)cJSON_GetArraySize(want) != n)
		return corpus_differs(
			e, "%s: want %d rows, got %zu", path, cJSON_GetArraySize(want), n);
	if (n == 0)
		return corpus_differs(e, "%s: no rows", path);
	for (size_t i = 0; i < n; i++) {
		const void *row = corpus_row(e, path, i, &t);
		struct value got = corpus_field(t, row, field);

		if (!corpus_same(e, path, per_row ? cJSON_GetArrayItem(want, (int)i) : want, &got))
			return false;
	}
	return true;
}

bool corpus_same_path(struct corpus_entry *e, const char *path, const cJSON *want)
{
	char name[64];
	struct span rest;
	enum section_id id = split_path(path, &rest);
	const char *dot = memchr(rest.p, '.', rest.n);

	if (dot)
		return same_rows(e, path, dot + 1, want);
	snprintf(name, sizeof(name), "%.*s", (int)rest.n, rest.p);

	const struct schema *schema = &section_desc(id)->schema;
	const struct field *f = schema_field(schema->fields, schema->nfields, name);

	if (!f)
		return corpus_differs(e, "%s: no such field", path);
	struct value got = field_value(f, corpus_section(e, id)->reading);

	return corpus_same(e, path, want, &got);
}
