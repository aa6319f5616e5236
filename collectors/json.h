/*
 * cJSON with the two things it lacks: numbers that keep 64 bits, and readings
 * written from their schema.
 */
#ifndef COLLECTORS_JSON_H
#define COLLECTORS_JSON_H

#include <cjson/cJSON.h>
#include <stdint.h>

#include "collectors/err.h"
#include "collectors/section.h"

/* Exact digits, not a double. */
void json_add_u64(cJSON *object, const char *name, uint64_t v);
void json_add_i64(cJSON *object, const char *name, int64_t v);
/* String, or null for NULL. */
void json_add_str(cJSON *object, const char *name, const char *s);
/* A value: number, string, bool; null unless OPT_OK. */
cJSON *json_of_value(const struct value *v);

/*
 * All values and tables of a reading as one object. Values that are OPT_UNKNOWN
 * are left out when sparse, null otherwise; unsupported and error are null.
 */
cJSON *json_of_reading(const struct section *s, int sparse);
/* One table as an array of objects. */
cJSON *json_of_table(const struct table *t, const void *reading, int sparse);
/* [{"what": ..., "why": ...}] */
cJSON *json_of_unread(const struct section *s);

/* Reads and parses a file. Errors name file, line and column. Caller deletes. */
cJSON *json_read_file(const char *path, size_t cap, struct err *e);
cJSON *json_parse(const char *name, const char *text, size_t len, struct err *e);

#endif
