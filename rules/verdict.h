/* Comparing one value with a rule's threshold. Pure. */
#ifndef RULES_VERDICT_H
#define RULES_VERDICT_H

#include <stdbool.h>
#include <stddef.h>

#include "collectors/schema.h"
#include "rules/rule.h"

enum verdict { VERDICT_NOT_APPLICABLE, VERDICT_OK, VERDICT_UNKNOWN, VERDICT_FIRED };

/*
 * Strings under < <= > >= compare as versions do: runs of digits by value. A
 * value in state unsupported is not applicable; unknown and error are unknown.
 */
enum verdict verdict_of(const struct rule *r, const struct value *v);

/* True when a is further over the threshold than b; both hold values. */
bool verdict_worse(const struct rule *r, const struct value *a, const struct value *b);

/* Text of a value for titles: as few digits as a person needs. Returns out. */
char *verdict_value_text(const struct value *v, char *out, size_t size);

/* Text of a rule's threshold, without unit. Returns out. */
char *verdict_threshold_text(const struct rule *r, char *out, size_t size);

/* What a value should have been: the limit, or "not hung" of "== hung". Returns out. */
char *verdict_expected_text(const struct rule *r, char *out, size_t size);

#endif
