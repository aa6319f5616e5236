/*
 * Samples of node text with the values that a careful reader finds in them:
 * ../shared/corpus/node, beside the project. Not part of it; tests that use it
 * are skipped where it is missing.
 */
#ifndef TESTS_LIB_CORPUS_H
#define TESTS_LIB_CORPUS_H

#include "collectors/json.h"
#include "collectors/section.h"

#define CORPUS_DIR "../shared/corpus/node"

/* One sample while its values are compared. */
struct corpus_entry {
	const char *file;
	const char *command;
	char path[256];
	struct section *parsed[SECTION_COUNT]; /* the same text read as each section asked for */
	char why[300];                         /* of the last comparison that failed */
};

/* The list of samples, or NULL when there is none. Caller deletes. */
cJSON *corpus_load(void);

void corpus_open(struct corpus_entry *e, const cJSON *sample);
void corpus_close(struct corpus_entry *e);

/* The sample read as a section; parsed once. */
const struct section *corpus_section(struct corpus_entry *e, enum section_id id);

/* How a comparison ended. */
enum corpus_result { CORPUS_SAME, CORPUS_DIFFERS, CORPUS_NOT_UNDERSTOOD };

/* Compares one expected value by the table in corpus_keys.c; e->why tells what differs. */
enum corpus_result corpus_check(struct corpus_entry *e, const char *key, const cJSON *want);

/* ---- for corpus_keys.c ---- */

/* Says why, returns false. */
bool corpus_differs(struct corpus_entry *e, const char *fmt, ...) ATTR_PRINTF(2, 3);

/*
 * null: no value. Number, bool, string: that value. Array: a list in one string.
 * Hex numbers are compared as printed.
 */
bool corpus_same(
	struct corpus_entry *e, const char *what, const cJSON *want, const struct value *got);

/* "section.field", or "section.table.field": an array for its rows in order, or one value for all. */
bool corpus_same_path(struct corpus_entry *e, const char *path, const cJSON *want);

/* Row i of "section.table"; NULL when there is none. */
const void *corpus_row(struct corpus_entry *e, const char *path, size_t i, const struct table **t);
size_t corpus_rows(struct corpus_entry *e, const char *path);

/* A field of a row by name. */
struct value corpus_field(const struct table *t, const void *row, const char *name);

#endif
