#include "tui/input.h"

#include <ctype.h>
#include <string.h>

#include "collectors/compiler.h"
#include "collectors/text.h"

static const struct {
	const char *name;
	uint32_t key;
} names[] = {
	{"Up", INPUT_UP},
	{"Down", INPUT_DOWN},
	{"Left", INPUT_LEFT},
	{"Right", INPUT_RIGHT},
	{"PgUp", INPUT_PAGE_UP},
	{"PgDn", INPUT_PAGE_DOWN},
	{"Home", INPUT_HOME},
	{"End", INPUT_END},
	{"Enter", INPUT_ENTER},
	{"Esc", INPUT_ESC},
	{"Tab", INPUT_TAB},
	{"S-Tab", INPUT_BACKTAB},
	{"Space", INPUT_SPACE},
	{"BkSp", INPUT_BACKSPACE},
	{"F1", INPUT_F1},
	{"F5", INPUT_F5},
	{"F10", INPUT_F10},
};

static uint32_t key_of(struct span word)
{
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (span_eq(word, names[i].name))
			return names[i].key;
	if (word.n == 2 && word.p[0] == '^')
		return INPUT_CTRL((unsigned char)word.p[1]);
	return word.n == 1 ? (unsigned char)word.p[0] : INPUT_NONE;
}

bool input_next_key(const char **list, uint32_t *key)
{
	struct span rest = span_of(*list);
	struct span word;

	if (!span_word(&rest, &word))
		return false;
	*key = key_of(word);
	*list = word.p + word.n;
	return true;
}

size_t input_utf8(uint32_t key, char *out)
{
	size_t n = 0;

	if (key < 0x20 || key == 0x7f || (key >= 0x80 && key < 0xa0) || key > 0x10ffff)
		return 0;
	if (key < 0x80) {
		out[n++] = (char)key;
	} else if (key < 0x800) {
		out[n++] = (char)(0xc0 | key >> 6);
		out[n++] = (char)(0x80 | (key & 0x3f));
	} else if (key < 0x10000) {
		out[n++] = (char)(0xe0 | key >> 12);
		out[n++] = (char)(0x80 | (key >> 6 & 0x3f));
		out[n++] = (char)(0x80 | (key & 0x3f));
	} else {
		out[n++] = (char)(0xf0 | key >> 18);
		out[n++] = (char)(0x80 | (key >> 12 & 0x3f));
		out[n++] = (char)(0x80 | (key >> 6 & 0x3f));
		out[n++] = (char)(0x80 | (key & 0x3f));
	}
	out[n] = '\0';
	return n;
}

static void drop_char(struct input_line *l)
{
	do
		l->len--;
	while (l->len && ((unsigned char)l->text[l->len] & 0xc0) == 0x80);
	l->text[l->len] = '\0';
}

static void drop_word(struct input_line *l)
{
	while (l->len && l->text[l->len - 1] == ' ')
		drop_char(l);
	while (l->len && l->text[l->len - 1] != ' ')
		drop_char(l);
}

static enum input_result edit_key(struct input_line *l, uint32_t key)
{
	size_t before = l->len;

	if (key == INPUT_CTRL('u'))
		l->text[l->len = 0] = '\0';
	else if (key == INPUT_CTRL('w'))
		drop_word(l);
	else if (l->len)
		drop_char(l);
	return l->len == before ? INPUT_UNCHANGED : INPUT_EDITED;
}

enum input_result input_line_key(struct input_line *l, uint32_t key)
{
	char text[8];
	size_t n;

	switch (key) {
	case INPUT_ENTER:
		return INPUT_DONE;
	case INPUT_ESC:
		return INPUT_CANCELLED;
	case INPUT_BACKSPACE:
		if (l->len == 0)
			return INPUT_CANCELLED;
		return edit_key(l, key);
	case INPUT_CTRL('u'):
	case INPUT_CTRL('w'):
		return edit_key(l, key);
	default:
		n = input_utf8(key, text);
		if (n == 0 || l->len + n >= sizeof(l->text))
			return INPUT_UNCHANGED;
		memcpy(l->text + l->len, text, n + 1);
		l->len += n;
		return INPUT_EDITED;
	}
}

static bool contains(const char *text, struct span word)
{
	for (; *text; text++) {
		size_t i = 0;

		while (i < word.n && text[i] &&
			tolower((unsigned char)text[i]) == tolower((unsigned char)word.p[i]))
			i++;
		if (i == word.n)
			return true;
	}
	return false;
}

bool input_matches(const char *filter, const char *text)
{
	struct span rest = span_of(filter);
	struct span word;

	while (span_word(&rest, &word))
		if (!contains(text, word))
			return false;
	return true;
}
