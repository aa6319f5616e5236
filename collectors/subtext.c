#include "collectors/subtext.h"

#include <string.h>

#define MARK "#@ "

/* Length of the lines of text that stand before the next mark. */
static size_t body_length(struct span text)
{
	struct span rest = text;
	struct span line;

	while (rest.n) {
		const char *at = rest.p;

		span_line(&rest, &line);
		if (span_starts(line, MARK))
			return (size_t)(at - text.p);
	}
	return text.n;
}

bool subtext_next(struct span *rest, struct subtext *part)
{
	while (rest->n) {
		*part = (struct subtext){SPAN_INIT, SPAN_INIT};
		if (span_starts(*rest, MARK)) {
			struct span line;

			span_line(rest, &line);
			part->name = (struct span){line.p + strlen(MARK), line.n - strlen(MARK)};
			part->name = span_trim(part->name);
		}
		size_t n = body_length(*rest);

		part->body = (struct span){rest->p, n};
		rest->p += n;
		rest->n -= n;
		if (part->name.n || span_trim(part->body).n)
			return true;
	}
	return false;
}

bool subtext_drop_cut_line(const struct section *s, struct span *text)
{
	size_t n = text->n;

	if (!subtext_is_cut(s))
		return false;
	while (n && text->p[n - 1] != '\n')
		n--;
	bool dropped = n != text->n;

	text->n = n;
	return dropped;
}

struct span subtext_first_line(struct span text)
{
	struct span line;

	while (span_line(&text, &line)) {
		line = span_trim(line);
		if (line.n && !span_starts(line, MARK))
			return line;
	}
	return (struct span)SPAN_INIT;
}

bool subtext_is_cut(const struct section *s)
{
	return s->meta.cut || s->status == SECTION_TIMEOUT;
}

/* What a shell (dash and busybox leave the word "command" out) or the probe says. */
static bool says_missing(struct span line)
{
	return span_ends(line, ": not found") || span_ends(line, ": command not found") ||
	       span_starts(line, "not available: ");
}

bool subtext_no_answer(struct section *s, struct span text, struct span *reason)
{
	*reason = subtext_first_line(text);
	if (s->status == SECTION_UNAVAILABLE)
		return true;
	if (reason->n != span_trim(text).n)
		return false;
	if (s->status == SECTION_TIMEOUT)
		return true;
	if (!says_missing(*reason))
		return false;
	section_set_status(s, SECTION_UNAVAILABLE);
	return true;
}
