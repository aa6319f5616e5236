#include "tui/args.h"

#include <stdio.h>
#include <string.h>

#define HELP_COLUMN   27 /* where the explanations start */
#define DISTANCE_MOST 48 /* longer names are not compared */
#define NAMES_MAX     96

void args_init(struct args *a, int argc, char **argv, const struct args_group *groups)
{
	*a = (struct args){.argc = argc, .argv = argv, .groups = groups, .next = 1};
}

static const struct args_option *find_long(const struct args *a, const char *name, size_t len)
{
	for (const struct args_group *g = a->groups; g->options; g++)
		for (const struct args_option *o = g->options; o->name; o++)
			if (strlen(o->name) == len && memcmp(o->name, name, len) == 0)
				return o;
	return NULL;
}

static const struct args_option *find_letter(const struct args *a, char letter)
{
	for (const struct args_group *g = a->groups; g->options; g++)
		for (const struct args_option *o = g->options; o->name; o++)
			if (o->letter == letter)
				return o;
	return NULL;
}

static enum args_event unknown_long(
	const struct args *a, const char *name, size_t len, struct err *e)
{
	const char *names[NAMES_MAX];
	char typed[DISTANCE_MOST + 1];
	size_t n = 0;

	for (const struct args_group *g = a->groups; g->options; g++)
		for (const struct args_option *o = g->options; o->name && n < NAMES_MAX; o++)
			if (g->title)
				names[n++] = o->name;
	snprintf(typed, sizeof(typed), "%.*s", (int)(len < 60 ? len : 60), name);
	const char *near = args_suggest(typed, names, n);

	if (near)
		err_set(e, ERR_USAGE, "--%s: unknown option (did you mean --%s?)", typed, near);
	else
		err_set(e, ERR_USAGE, "--%s: unknown option (--help lists them)", typed);
	return ARGS_ERROR;
}

/* The value that must follow: the rest of this word, or the next word. */
static enum args_event take_value(struct args *a, const char *shown, const struct args_option *o,
	const char **value, struct err *e)
{
	if (a->next < a->argc) {
		*value = a->argv[a->next++];
		return ARGS_OPTION;
	}
	err_set(e, ERR_USAGE, "%s: needs a value (%s %s)", shown, shown, o->arg);
	return ARGS_ERROR;
}

static enum args_event next_long(struct args *a, const char *word, const struct args_option **opt,
	const char **value, struct err *e)
{
	const char *equals = strchr(word, '=');
	size_t len = equals ? (size_t)(equals - word) : strlen(word);
	const struct args_option *o = find_long(a, word, len);
	char shown[DISTANCE_MOST + 4];

	if (!o)
		return unknown_long(a, word, len, e);
	*opt = o;
	*value = NULL;
	snprintf(shown, sizeof(shown), "--%s", o->name);
	if (equals && !o->arg) {
		err_set(e, ERR_USAGE, "%s: takes no value (leave out \"%.40s\")", shown, equals);
		return ARGS_ERROR;
	}
	if (equals) {
		*value = equals + 1;
		return ARGS_OPTION;
	}
	return o->arg && !o->optional ? take_value(a, shown, o, value, e) : ARGS_OPTION;
}

static enum args_event next_letter(
	struct args *a, const struct args_option **opt, const char **value, struct err *e)
{
	char letter = *a->bundle++;
	const struct args_option *o = find_letter(a, letter);
	char shown[3] = {'-', letter, '\0'};
	bool printable = letter > ' ' && letter < 0x7f;

	if (!o) {
		err_set(e, ERR_USAGE, "-%c: unknown option (--help lists them)",
			printable ? letter : '?');
		return ARGS_ERROR;
	}
	*opt = o;
	*value = NULL;
	if (!o->arg || o->optional)
		return ARGS_OPTION;
	const char *rest = a->bundle;

	a->bundle = "";
	if (!*rest)
		return take_value(a, shown, o, value, e);
	*value = rest[0] == '=' ? rest + 1 : rest;
	return ARGS_OPTION;
}

enum args_event args_next(
	struct args *a, const struct args_option **opt, const char **value, struct err *e)
{
	if (a->bundle && *a->bundle)
		return next_letter(a, opt, value, e);
	if (a->next >= a->argc)
		return ARGS_END;
	const char *word = a->argv[a->next++];

	if (!a->words_only && strcmp(word, "--") == 0) {
		a->words_only = true;
		return args_next(a, opt, value, e);
	}
	if (a->words_only || word[0] != '-' || word[1] == '\0') {
		*value = word;
		return ARGS_WORD;
	}
	if (word[1] == '-')
		return next_long(a, word + 2, opt, value, e);
	a->bundle = word + 1;
	return next_letter(a, opt, value, e);
}

/* ---- help ---- */

enum err_code args_wrap(struct buf *out, const char *text, size_t at, size_t indent, size_t width)
{
	enum err_code rc = ERR_OK;
	bool start = true;

	while (*text && rc == ERR_OK) {
		size_t word = strcspn(text, " \n");
		size_t cells = 0;

		for (size_t i = 0; i < word; i++) /* one cell a character, however many bytes */
			cells += ((unsigned char)text[i] & 0xc0) != 0x80;
		if (word && !start && at + 1 + cells > width) {
			rc = buf_addf(out, "\n%*s", (int)indent, "");
			at = indent;
			start = true;
		}
		if (rc == ERR_OK && word && !start) {
			rc = buf_add(out, " ", 1);
			at++;
		}
		if (rc == ERR_OK && word)
			rc = buf_add(out, text, word);
		at += cells;
		start = start && word == 0;
		text += word;
		if (*text == '\n' && rc == ERR_OK) {
			rc = buf_addf(out, "\n%*s", text[1] ? (int)indent : 0, "");
			at = indent;
			start = true;
		}
		text += *text != '\0';
	}
	return rc;
}

static enum err_code help_option(struct buf *out, const struct args_option *o, size_t width)
{
	char left[80];
	char value[48] = "";
	char letter[5] = "";

	if (o->arg)
		snprintf(value, sizeof(value), o->optional ? "[=%s]" : " %s", o->arg);
	if (o->letter)
		snprintf(letter, sizeof(letter), "-%c, ", o->letter);
	int n = snprintf(left, sizeof(left), "  %s--%s%s", letter, o->name, value);
	enum err_code rc = buf_add_str(out, left);

	if (rc)
		return rc;
	if (n + 2 > HELP_COLUMN)
		rc = buf_addf(out, "\n%*s", HELP_COLUMN, "");
	else
		rc = buf_addf(out, "%*s", HELP_COLUMN - n, "");
	if (rc == ERR_OK)
		rc = args_wrap(out, o->help, HELP_COLUMN, HELP_COLUMN, width);
	return rc ? rc : buf_add_str(out, "\n");
}

enum err_code args_help(struct buf *out, const struct args_group *groups, size_t width)
{
	enum err_code rc = ERR_OK;

	for (const struct args_group *g = groups; g->options && rc == ERR_OK; g++) {
		if (!g->title)
			continue;
		rc = buf_addf(out, "\n%s:\n", g->title);
		for (const struct args_option *o = g->options; o->name && rc == ERR_OK; o++)
			rc = help_option(out, o, width);
	}
	return rc;
}

/* ---- suggestions ---- */

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

size_t args_distance(const char *a, const char *b)
{
	size_t na = strlen(a);
	size_t nb = strlen(b);
	size_t rows[3][DISTANCE_MOST + 1]; /* two rows back for swapped neighbours */

	if (na > DISTANCE_MOST || nb > DISTANCE_MOST)
		return DISTANCE_MOST;
	for (size_t j = 0; j <= nb; j++)
		rows[0][j] = j;
	for (size_t i = 1; i <= na; i++) {
		size_t *now = rows[i % 3];
		const size_t *up = rows[(i - 1) % 3];
		const size_t *upper = rows[(i + 1) % 3];

		now[0] = i;
		for (size_t j = 1; j <= nb; j++) {
			size_t d = up[j - 1] + (a[i - 1] != b[j - 1]);

			d = least(d, least(up[j], now[j - 1]) + 1);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				d = least(d, upper[j - 2] + 1);
			now[j] = d;
		}
	}
	return rows[na % 3][nb];
}

const char *args_suggest(const char *typed, const char *const *names, size_t n)
{
	size_t best = strlen(typed) / 3 + 1;
	const char *found = NULL;

	for (size_t i = 0; i < n; i++) {
		size_t d = args_distance(typed, names[i]);

		/* A name that goes on where the typed one ends is likely meant. */
		if (strlen(typed) >= 3 && strncmp(typed, names[i], strlen(typed)) == 0)
			d = 1;
		if (d < best || (d == best && !found)) {
			best = d;
			found = names[i];
		}
	}
	return found;
}
