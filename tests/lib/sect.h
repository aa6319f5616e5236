/*
 * One section from its text, and what must hold for every parser.
 * Failures end the running cmocka test.
 */
#ifndef TESTS_LIB_SECT_H
#define TESTS_LIB_SECT_H

#include <stddef.h>

#include "collectors/section.h"

/* section_unref it. exit_code -1, nothing cut. */
struct section *sect_parse(enum section_id id, const char *text);
struct section *sect_parse_cut(enum section_id id, const char *text, size_t len);

/* A file below the project's root. Fails the test when it cannot be read. Free it. */
char *sect_read(const char *path, size_t *len);

/* True when a sample of ../shared/corpus/node is there; says so once when it is not. */
int sect_have_corpus(void);

/* A note whose "what" is that word. */
int sect_has_unread(const struct section *s, const char *what);

/*
 * Cuts text after every byte, parses what remains as cut, and fails when a value
 * is told that the whole text does not tell: values and rows of the part must
 * be absent, or the same. Then feeds it CRLF, and bytes that are no text.
 */
void sect_check_robust(enum section_id id, const char *text);

/* What an optional value holds. */
#define assert_u64(o, want)                             \
	do {                                            \
		assert_int_equal((o).state, OPT_OK);    \
		assert_true((o).v == (uint64_t)(want)); \
	} while (0)
#define assert_i64(o, want)                            \
	do {                                           \
		assert_int_equal((o).state, OPT_OK);   \
		assert_true((o).v == (int64_t)(want)); \
	} while (0)
#define assert_f64(o, want)                                                  \
	do {                                                                 \
		assert_int_equal((o).state, OPT_OK);                         \
		assert_true((o).v > (want)-0.001 && (o).v < (want) + 0.001); \
	} while (0)
#define assert_flag(o, want)                         \
	do {                                         \
		assert_int_equal((o).state, OPT_OK); \
		assert_int_equal((o).v, (want));     \
	} while (0)
#define assert_str(o, want)                          \
	do {                                         \
		assert_int_equal((o).state, OPT_OK); \
		assert_string_equal((o).v, (want));  \
	} while (0)
#define assert_unset(o) assert_int_not_equal((o).state, OPT_OK)

#endif
