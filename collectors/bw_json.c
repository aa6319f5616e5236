#include "collectors/bw_json.h"

#include <stdio.h>
#include <string.h>

bool bw_json_key_is(const struct bw_json *j, size_t d, const char *key)
{
	return d < BW_JSON_DEPTH && d < j->depth && strcmp(j->key[d], key) == 0;
}

static bool in_object(const struct bw_json *j)
{
	return j->depth > 0 && j->depth <= BW_JSON_DEPTH && j->kind[j->depth - 1] == '{';
}

static void tell(struct bw_json *j, enum bw_json_event e)
{
	if (j->depth <= BW_JSON_DEPTH)
		j->on(j->ctx, j, e, (struct span){j->token, j->n});
}

/* A string or a bare word has ended. */
static void end_token(struct bw_json *j)
{
	if (in_object(j) && !j->is_value)
		snprintf(j->key[j->depth - 1], BW_JSON_KEY, "%.*s", (int)j->n, j->token);
	else if (j->depth)
		tell(j, BW_JSON_VALUE_READ);
	j->is_value = false;
	j->in_string = j->in_word = false;
	j->n = 0;
}

static void add(struct bw_json *j, char c)
{
	if (j->n < sizeof(j->token))
		j->token[j->n++] = c;
}

static void string_byte(struct bw_json *j, char c)
{
	if (j->escape > 0) {
		/* \u0041: no name or figure needs it. */
		if (j->escape == 1 && c == 'u')
			j->escape = 5;
		else if (j->escape == 1)
			add(j, c == 'n' || c == 't' || c == 'r' ? ' ' : c);
		j->escape--;
		return;
	}
	if (c == '\\')
		j->escape = 1;
	else if (c == '"')
		end_token(j);
	else
		add(j, c);
}

static void begin(struct bw_json *j, char c)
{
	tell(j, BW_JSON_BEGIN);
	if (j->depth < BW_JSON_DEPTH) {
		j->kind[j->depth] = c;
		j->key[j->depth][0] = '\0';
	}
	j->depth++;
	j->is_value = false;
}

static void end(struct bw_json *j)
{
	if (j->depth == 0)
		return;
	j->depth--;
	j->is_value = false;
	tell(j, BW_JSON_END);
}

static void plain_byte(struct bw_json *j, char c)
{
	bool ends_word = (unsigned char)c <= ' ' || strchr(",:{}[]\"", c) != NULL;

	if (j->in_word && ends_word)
		end_token(j);
	if ((unsigned char)c <= ' ')
		return;
	switch (c) {
	case '{':
	case '[':
		begin(j, c);
		break;
	case '}':
	case ']':
		end(j);
		break;
	case ':':
		j->is_value = true;
		break;
	case ',':
		j->is_value = false;
		break;
	case '"':
		j->in_string = true;
		break;
	default:
		/* A word where a key belongs is a value whose key was lost. */
		j->in_word = true;
		add(j, c);
	}
}

void bw_json_feed(struct bw_json *j, const char *bytes, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (j->in_string)
			string_byte(j, bytes[i]);
		else
			plain_byte(j, bytes[i]);
	}
}
