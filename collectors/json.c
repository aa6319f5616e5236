#include "collectors/json.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "collectors/buf.h"

static cJSON *raw_number(const char *fmt_done)
{
	return cJSON_CreateRaw(fmt_done);
}

void json_add_u64(cJSON *object, const char *name, uint64_t v)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRIu64, v);
	cJSON_AddItemToObject(object, name, raw_number(text));
}

void json_add_i64(cJSON *object, const char *name, int64_t v)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRId64, v);
	cJSON_AddItemToObject(object, name, raw_number(text));
}

void json_add_str(cJSON *object, const char *name, const char *s)
{
	if (s)
		cJSON_AddStringToObject(object, name, s);
	else
		cJSON_AddNullToObject(object, name);
}

cJSON *json_of_value(const struct value *v)
{
	char text[32];

	if (v->state != OPT_OK)
		return cJSON_CreateNull();
	switch (v->type) {
	case FIELD_U64:
	case FIELD_I64:
		return raw_number(value_text(v, text, sizeof(text)));
	case FIELD_F64:
		return cJSON_CreateNumber(v->f64);
	case FIELD_FLAG:
		return cJSON_CreateBool(v->flag);
	case FIELD_HEX:
		return cJSON_CreateString(value_text(v, text, sizeof(text)));
	case FIELD_STR:
		return cJSON_CreateString(v->str ? v->str : "");
	}
	return cJSON_CreateNull();
}

static void add_fields(
	cJSON *object, const struct field *fields, size_t n, const void *base, int sparse)
{
	for (size_t i = 0; i < n; i++) {
		struct value v = field_value(&fields[i], base);

		if (sparse && v.state == OPT_UNKNOWN)
			continue;
		cJSON_AddItemToObject(object, fields[i].name, json_of_value(&v));
	}
}

cJSON *json_of_table(const struct table *t, const void *reading, int sparse)
{
	cJSON *array = cJSON_CreateArray();
	size_t n;
	const char *row = table_rows(t, reading, &n);

	for (size_t i = 0; i < n; i++, row += t->row_size) {
		cJSON *object = cJSON_CreateObject();

		add_fields(object, t->fields, t->nfields, row, sparse);
		cJSON_AddItemToArray(array, object);
	}
	return array;
}

cJSON *json_of_reading(const struct section *s, int sparse)
{
	const struct schema *schema = &section_desc(s->id)->schema;
	cJSON *object = cJSON_CreateObject();

	add_fields(object, schema->fields, schema->nfields, s->reading, sparse);
	for (size_t i = 0; i < schema->ntables; i++)
		cJSON_AddItemToObject(object, schema->tables[i].name,
			json_of_table(&schema->tables[i], s->reading, sparse));
	return object;
}

cJSON *json_of_unread(const struct section *s)
{
	cJSON *array = cJSON_CreateArray();

	for (size_t i = 0; i < s->unread_n; i++) {
		cJSON *object = cJSON_CreateObject();

		json_add_str(object, "what", s->unread[i].what);
		json_add_str(object, "why", s->unread[i].why);
		cJSON_AddItemToArray(array, object);
	}
	return array;
}

cJSON *json_parse(const char *name, const char *text, size_t len, struct err *e)
{
	const char *end = NULL;
	cJSON *root = cJSON_ParseWithLengthOpts(text, len, &end, 0);

	if (root)
		return root;
	size_t line = 1;
	size_t column = 1;

	for (const char *p = text; end && p < end && p < text + len; p++) {
		column = *p == '\n' ? 1 : column + 1;
		line += *p == '\n';
	}
	err_set(e, ERR_PARSE, "%s:%zu:%zu: not valid JSON (see what stands there)", name, line,
		column);
	return NULL;
}

cJSON *json_read_file(const char *path, size_t cap, struct err *e)
{
	struct buf b = BUF_INIT(cap);
	cJSON *root = NULL;

	if (buf_read_file(&b, path, e) == ERR_OK)
		root = json_parse(path, buf_str(&b), b.len, e);
	buf_release(&b);
	return root;
}
