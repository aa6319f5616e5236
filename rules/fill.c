#include "rules/fill.h"

#include <stdio.h>
#include <string.h>

#include "collectors/buf.h"
#include "collectors/text.h"

#define TEXT_MAX 4096

#define FILL_NAME(ID, name, gap) name,
static const char *const names[FILL_COUNT] = {PLACEHOLDERS(FILL_NAME)};
#define FILL_GAP(ID, name, gap) gap,
static const char *const gaps[FILL_COUNT] = {PLACEHOLDERS(FILL_GAP)};

/*
 * "{lower_case}" at p: its length with braces, and *id (FILL_COUNT: not one of
 * ours); 0 when p does not start a placeholder.
 */
static size_t placeholder_at(const char *p, enum fill_id *id)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz_";

	if (p[0] != '{')
		return 0;
	size_t n = strspn(p + 1, letters);

	if (n == 0 || p[1 + n] != '}')
		return 0;
	*id = FILL_COUNT;
	for (int i = 0; i < FILL_COUNT; i++)
		if (span_eq((struct span){p + 1, n}, names[i]))
			*id = (enum fill_id)i;
	return n + 2;
}

static bool shell_safe(const char *s)
{
	static const char safe[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				   "0123456789_-.,:/@+=%";

	return s[strspn(s, safe)] == '\0';
}

/* 'it'\''s': what every POSIX shell reads as the bytes themselves. */
static enum err_code add_quoted(struct buf *b, const char *s)
{
	enum err_code rc = buf_add_str(b, "'");

	for (; *s && rc == ERR_OK; s++)
		rc = *s == '\'' ? buf_add_str(b, "'\\''") : buf_add(b, s, 1);
	return rc ? rc : buf_add_str(b, "'");
}

static enum err_code add_value(struct buf *b, enum fill_id id, const struct fill *f, bool shell)
{
	const char *v = f->values[id];

	/* A name that begins with a dash would be read as an option, quoted or not. */
	if (!v || !v[0] || (shell && v[0] == '-'))
		return buf_add_str(b, gaps[id]);
	return shell && !shell_safe(v) ? add_quoted(b, v) : buf_add_str(b, v);
}

const char *fill_text(struct arena *a, const char *text, const struct fill *f, bool shell)
{
	struct buf b = BUF_INIT(TEXT_MAX);
	enum err_code rc = ERR_OK;

	while (*text && rc == ERR_OK) { /* over the cap: what fits is shown */
		enum fill_id id = FILL_COUNT;
		size_t n = placeholder_at(text, &id);

		if (n == 0)
			n = 1 + strcspn(text + 1, "{");
		rc = id == FILL_COUNT ? buf_add(&b, text, n) : add_value(&b, id, f, shell);
		text += n;
	}
	const char *out = arena_strndup(a, buf_str(&b), b.len);

	buf_release(&b);
	return out;
}

bool fill_find_unknown(const char *text, char *out, size_t size)
{
	while (*text) {
		enum fill_id id = FILL_COUNT;
		size_t n = placeholder_at(text, &id);

		if (n && id == FILL_COUNT) {
			snprintf(out, size, "%.*s", (int)n, text);
			return true;
		}
		text += n ? n : 1;
	}
	return false;
}
