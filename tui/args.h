/*
 * Command lines read by tables: the same table parses and documents.
 *
 * Options may stand anywhere among the words, up to "--". Long ones take
 * "--name=value" or "--name value", short ones "-n value" or "-nvalue", and
 * flags may be bundled ("-vv"). No abbreviations: what works today must not
 * change its meaning when an option is added. A mistyped name gets a suggestion.
 */
#ifndef TUI_ARGS_H
#define TUI_ARGS_H

#include <stdbool.h>
#include <stddef.h>

#include "collectors/buf.h"
#include "collectors/err.h"

struct args_option {
	const char *name; /* without dashes; NULL ends a table */
	char letter;      /* 0 none */
	bool optional;    /* the value may be left out; then only "--name=value" gives one */
	int key;          /* the caller's */
	const char *arg;  /* name of the value in the help; NULL: a flag */
	const char *help;
};

/* Options under one heading of the help. Tables are const and borrowed. */
struct args_group {
	const char *title; /* NULL: parsed, not shown */
	const struct args_option *options;
};

struct args {
	int argc;
	char **argv;
	const struct args_group *groups; /* up to one with options == NULL */
	int next;
	const char *bundle; /* letters of the present "-abc" that are left */
	bool words_only;    /* after "--" */
};

enum args_event { ARGS_END, ARGS_OPTION, ARGS_WORD, ARGS_ERROR };

/* argv[0] is skipped. */
void args_init(struct args *a, int argc, char **argv, const struct args_group *groups);

/*
 * The next piece. ARGS_OPTION: *opt and *value (NULL without one). ARGS_WORD:
 * *value. ARGS_ERROR: *e is filled. Values are borrowed from argv.
 */
enum args_event args_next(
	struct args *a, const struct args_option **opt, const char **value, struct err *e);

/* All groups as help text, wrapped to width columns. */
enum err_code args_help(
	struct buf *out, const struct args_group *groups, size_t width) ATTR_MUST_CHECK;

/* Text wrapped to width with every further line indented; the first starts at column `at`. */
enum err_code args_wrap(
	struct buf *out, const char *text, size_t at, size_t indent, size_t width) ATTR_MUST_CHECK;

/*
 * The nearest of n names to a mistyped one, or NULL when none is near enough to
 * be meant (one edit for each three characters).
 */
const char *args_suggest(const char *typed, const char *const *names, size_t n);

/* Edits that turn a into b: a character more, less, another, or two swapped. */
size_t args_distance(const char *a, const char *b);

#endif
