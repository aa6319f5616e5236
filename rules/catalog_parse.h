/*
 * One entry of a rules file into a rule, strictly: a key that does not exist, a
 * value of the wrong type, a signal or placeholder that does not exist is an
 * error that names file, rule and key. For catalog.c only.
 */
#ifndef RULES_CATALOG_PARSE_H
#define RULES_CATALOG_PARSE_H

#include <cjson/cJSON.h>

#include "collectors/arena.h"
#include "rules/rule.h"

/* The rules array of a file: {"rules": [...]} or the array alone. NULL with *e filled. */
const cJSON *catalog_entries(const cJSON *root, const char *file, struct err *e);

/* The entry's id, or NULL with *e filled. nth counts from 1, for messages. */
const char *catalog_entry_id(const cJSON *entry, const char *file, size_t nth, struct err *e);

/* Puts the keys that entry gives into *r (zeroed for a new rule). Strings go to a. */
enum err_code catalog_parse_entry(struct rule *r, const cJSON *entry, const char *file,
	struct arena *a, struct err *e) ATTR_MUST_CHECK;

/* Whether the keys of *r fit together; fills in defaults. */
enum err_code catalog_check_rule(struct rule *r, const char *file, struct err *e) ATTR_MUST_CHECK;

#endif
