#include "collectors/answer.h"

struct marks answer_pieces(struct section *s, struct span text)
{
	struct marks m;

	marks_init(&m, s, text);
	m.cut |= s->status == SECTION_TIMEOUT || answer_tail(text).n > 0;
	return m;
}

struct span answer_tail(struct span text)
{
	size_t n = text.n;

	while (n && text.p[n - 1] != '\n')
		n--;
	return (struct span){text.p + n, text.n - n};
}

struct span answer_first_line(struct span text)
{
	struct span line;

	while (span_line(&text, &line)) {
		line = span_trim(line);
		if (line.n && !span_starts(line, "#@ "))
			return line;
	}
	return (struct span)SPAN_INIT;
}

/* What a shell (dash and busybox leave the word "command" out) or the probe says. */
static bool says_missing(struct span line)
{
	return span_ends(line, ": not found") || span_ends(line, ": command not found") ||
	       span_starts(line, "not available: ");
}

bool answer_is_missing(struct section *s, struct span text, struct span *reason)
{
	*reason = answer_first_line(text);
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
