/*
 * Readings described once.
 *
 * reading.h lists every field of every section in X-macros. From one list come
 * the C struct, this run-time description, the JSON, the generic detail panel
 * and the names that rules may use. A field is reached by its path:
 *   section.field         a value of the section     ("cpu.iowait_pct")
 *   section.table.field   a value of each row        ("gpu.gpu.temp_c")
 * and, where the table is named as its section, simply section.field.
 */
#ifndef COLLECTORS_SCHEMA_H
#define COLLECTORS_SCHEMA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collectors/opt.h"

enum field_type { FIELD_U64, FIELD_I64, FIELD_F64, FIELD_FLAG, FIELD_STR, FIELD_HEX };

struct field {
	const char *name;
	enum field_type type;
	size_t offset;    /* of the opt_* in the reading or the row */
	const char *unit; /* "" when it has none */
	const char *help; /* what the value means, for panels and `parse` */
};

struct table {
	const char *name; /* JSON key of the array */
	const struct field *fields;
	size_t nfields;
	size_t row_size;
	size_t rows_offset;  /* of the row pointer in the reading */
	size_t count_offset; /* of the size_t row count in the reading */
};

struct schema {
	const struct field *fields;
	size_t nfields;
	const struct table *tables;
	size_t ntables;
	size_t size; /* of the reading's struct */
};

/* One value of any type, as rules, tables and JSON see it. */
struct value {
	enum opt_state state;
	enum field_type type;
	union {
		uint64_t u64;
		int64_t i64;
		double f64;
		bool flag;
		const char *str; /* borrowed from the reading */
	};
};

#define VALUE_UNKNOWN                \
	{                            \
		.state = OPT_UNKNOWN \
	}

/* base is a reading or a row of the struct that f describes. */
struct value field_value(const struct field *f, const void *base);

/* Rows of t in reading; *n gets the count. NULL when there are none. */
const void *table_rows(const struct table *t, const void *reading, size_t *n);

const struct field *schema_field(const struct field *fields, size_t n, const char *name);
const struct table *schema_table(const struct schema *s, const char *name);

/* True when v is OPT_OK and a number or a flag (1 / 0); *out gets it. */
bool value_number(const struct value *v, double *out);

/* Text of a value for people, without unit; "-" when it holds none. Returns out. */
char *value_text(const struct value *v, char *out, size_t size);

#endif
