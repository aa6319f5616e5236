#include "collectors/schema.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct value field_value(const struct field *f, const void *base)
{
	const char *at = (const char *)base + f->offset;
	struct value v = {.type = f->type};

	switch (f->type) {
	case FIELD_U64:
	case FIELD_HEX: {
		const struct opt_u64 *o = (const void *)at;

		v.state = o->state;
		v.u64 = o->v;
		break;
	}
	case FIELD_I64: {
		const struct opt_i64 *o = (const void *)at;

		v.state = o->state;
		v.i64 = o->v;
		break;
	}
	case FIELD_F64: {
		const struct opt_f64 *o = (const void *)at;

		v.state = o->state;
		v.f64 = o->v;
		break;
	}
	case FIELD_FLAG: {
		const struct opt_bool *o = (const void *)at;

		v.state = o->state;
		v.flag = o->v;
		break;
	}
	case FIELD_STR: {
		const struct opt_str *o = (const void *)at;

		v.state = o->state;
		v.str = o->v;
		break;
	}
	}
	return v;
}

const void *table_rows(const struct table *t, const void *reading, size_t *n)
{
	const char *base = reading;
	void *rows;

	memcpy(n, base + t->count_offset, sizeof(*n));
	memcpy(&rows, base + t->rows_offset, sizeof(rows));
	return *n ? rows : NULL;
}

const struct field *schema_field(const struct field *fields, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(fields[i].name, name) == 0)
			return &fields[i];
	return NULL;
}

const struct table *schema_table(const struct schema *s, const char *name)
{
	for (size_t i = 0; i < s->ntables; i++)
		if (strcmp(s->tables[i].name, name) == 0)
			return &s->tables[i];
	return NULL;
}

bool value_number(const struct value *v, double *out)
{
	if (v->state != OPT_OK)
		return false;
	switch (v->type) {
	case FIELD_U64:
	case FIELD_HEX:
		*out = (double)v->u64;
		return true;
	case FIELD_I64:
		*out = (double)v->i64;
		return true;
	case FIELD_F64:
		*out = v->f64;
		return true;
	case FIELD_FLAG:
		*out = v->flag ? 1 : 0;
		return true;
	case FIELD_STR:
		break;
	}
	return false;
}

char *value_text(const struct value *v, char *out, size_t size)
{
	if (v->state != OPT_OK) {
		snprintf(out, size, "-");
		return out;
	}
	switch (v->type) {
	case FIELD_U64:
		snprintf(out, size, "%" PRIu64, v->u64);
		break;
	case FIELD_HEX:
		snprintf(out, size, "0x%016" PRIx64, v->u64);
		break;
	case FIELD_I64:
		snprintf(out, size, "%" PRId64, v->i64);
		break;
	case FIELD_F64:
		snprintf(out, size, "%.10g", v->f64);
		break;
	case FIELD_FLAG:
		snprintf(out, size, "%s", v->flag ? "yes" : "no");
		break;
	case FIELD_STR:
		snprintf(out, size, "%s", v->str ? v->str : "");
		break;
	}
	return out;
}
