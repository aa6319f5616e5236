/*
 * Values of a parsed section against their text (value_text); NULL means that there
 * must be no value. A difference ends the running cmocka test.
 */
#ifndef TESTS_LIB_WANT_H
#define TESTS_LIB_WANT_H

#include "collectors/section.h"

void want_value(const struct section *s, const char *field, const char *want);
void want_row(const struct section *s, const char *table, size_t row, const char *field,
	const char *want);
void want_rows(const struct section *s, const char *table, size_t want);
/* The state of a value that is not there. */
void want_state(const struct section *s, const char *table, size_t row, const char *field,
	enum opt_state want);
void want_status(const struct section *s, enum section_status want);

/* tests/fixtures/node/<section>/<name>, parsed; section_unref it. */
struct section *want_fixture(enum section_id id, const char *name);
/* sect_check_robust over a fixture. */
void want_robust(enum section_id id, const char *name);

#endif
