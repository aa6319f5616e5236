#include "collectors/marks.h"

#include <string.h>

#define MARK "#@ "

struct span marks_whole_lines(struct section *s, struct span text, bool *cut)
{
	size_t n = text.n;

	while (n && text.p[n - 1] != '\n')
		n--;
	bool missing = s->meta.cut;

	if (n < text.n) {
		if (!s->meta.cut)
			section_unread(s, "end", "the last line is cut off");
		missing = true;
	}
	if (cut)
		*cut = missing;
	return (struct span){text.p, n};
}

void marks_init(struct marks *m, struct section *s, struct span text)
{
	m->s = s;
	m->rest = marks_whole_lines(s, text, &m->cut);
	m->started = false;
}

/* Moves *rest to the next mark line (or the end) and returns what was skipped. */
static struct span take_body(struct span *rest)
{
	struct span body = {rest->p, 0};
	struct span line;

	while (rest->n) {
		struct span next = *rest;

		if (span_starts(next, MARK))
			break;
		span_line(&next, &line);
		body.n += rest->n - next.n;
		*rest = next;
	}
	return body;
}

/* The probe's words after a command that it had to give up. */
static void note_silence(struct section *s, const struct marks_piece *piece)
{
	struct span text = piece->body;
	struct span line;
	char what[64];

	text_printable(what, sizeof(what), piece->name.n ? piece->name.p : "text",
		piece->name.n ? piece->name.n : 4);
	while (span_line(&text, &line))
		if (span_starts(line, "no answer within "))
			section_unread(s, what, "%.*s", (int)(line.n > 80 ? 80 : line.n), line.p);
}

bool marks_next(struct marks *m, struct marks_piece *out)
{
	struct marks_piece piece = {.mark = SPAN_INIT};
	struct span line;

	if (!m->started) {
		m->started = true;
		piece.body = take_body(&m->rest);
		if (span_trim(piece.body).n) {
			piece.whole = m->rest.n || !m->cut;
			note_silence(m->s, &piece);
			*out = piece;
			return true;
		}
	}
	if (!span_line(&m->rest, &line))
		return false;
	piece.mark = span_trim((struct span){line.p + strlen(MARK), line.n - strlen(MARK)});
	piece.args = piece.mark;
	if (!span_word(&piece.args, &piece.name))
		piece.name = (struct span)SPAN_INIT;
	piece.args = span_trim(piece.args);
	piece.body = take_body(&m->rest);
	piece.whole = m->rest.n || !m->cut;
	note_silence(m->s, &piece);
	*out = piece;
	return true;
}

static bool is_hex(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/* Length of "dddd:bb:dd.f" at s, or 0. */
static size_t pci_length(struct span s)
{
	static const char shape[] = "xxxx:xx:xx.x";
	const size_t n = sizeof(shape) - 1;

	if (s.n < n)
		return 0;
	for (size_t i = 0; i < n; i++)
		if (shape[i] == 'x' ? !is_hex(s.p[i]) : s.p[i] != shape[i])
			return 0;
	return n;
}

bool marks_path(struct span line, struct span *path, struct span *value)
{
	static const char arrow[] = " -> ";

	line = span_trim(line);
	if (line.n == 0 || line.p[0] != '/')
		return false;
	for (size_t i = 0; i < line.n; i++) {
		struct span here = {line.p + i, line.n - i};
		size_t skip = 0;

		if (line.p[i] == '/' && pci_length((struct span){here.p + 1, here.n - 1})) {
			i += pci_length((struct span){here.p + 1, here.n - 1});
			continue;
		}
		if (span_starts(here, arrow))
			skip = strlen(arrow);
		else if (line.p[i] == ':' || line.p[i] == ' ' || line.p[i] == '\t')
			skip = 1;
		if (skip) {
			*path = (struct span){line.p, i};
			*value = span_trim((struct span){here.p + skip, here.n - skip});
			return true;
		}
	}
	return false;
}

bool marks_item(struct span path, const char *dir, struct span *item, struct span *below)
{
	ptrdiff_t at = span_find(path, dir);

	if (at < 0)
		return false;
	size_t skip = (size_t)at + strlen(dir);
	struct span rest = {path.p + skip, path.n - skip};
	struct span first;

	if (!span_field(&rest, '/', &first) || first.n == 0)
		return false;
	*item = first;
	*below = rest;
	return true;
}

bool marks_missing(struct span line)
{
	static const char *const words[] = {
		"No such file or directory",
		"command not found",
		": not found",
		"No such device",
	};

	if (span_starts(span_trim(line), "not available: "))
		return true;
	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		if (span_ifind(line, words[i]) >= 0)
			return true;
	return false;
}

bool marks_same(struct span a, struct span b)
{
	return a.n == b.n && (a.n == 0 || memcmp(a.p, b.p, a.n) == 0);
}

bool marks_key_value(struct span line, char sep, struct span *key, struct span *value)
{
	struct span rest = line;

	if (!span_field(&rest, sep, key) || !rest.p)
		return false;
	*key = span_trim(*key);
	*value = span_trim(rest);
	if (span_ends(*value, ","))
		value->n--;
	if (value->n >= 2 && value->p[0] == '"' && value->p[value->n - 1] == '"') {
		value->p++;
		value->n -= 2;
	}
	return key->n > 0;
}

/* Value of three octal digits at p, or -1. */
static int octal3(const char *p)
{
	int v = 0;

	for (size_t i = 0; i < 3; i++) {
		if (p[i] < '0' || p[i] > '7')
			return -1;
		v = v * 8 + (p[i] - '0');
	}
	return v <= 0xff ? v : -1;
}

struct span marks_unescape(struct span v, char *out, size_t size)
{
	size_t n = 0;

	for (size_t i = 0; i < v.n && n < size; i++) {
		int byte = v.p[i] == '\\' && v.n - i > 3 ? octal3(v.p + i + 1) : -1;

		out[n++] = byte >= 0 ? (char)byte : v.p[i];
		i += byte >= 0 ? 3 : 0;
	}
	return (struct span){out, n};
}

struct opt_u64 marks_u64(struct span v)
{
	uint64_t n;

	if (span_u64(v, &n))
		return opt_u64(n);
	return (struct opt_u64){span_trim(v).n ? OPT_ERROR : OPT_UNKNOWN, 0};
}

struct opt_f64 marks_f64(struct span v)
{
	double n;

	if (span_f64(v, &n))
		return opt_f64(n);
	return (struct opt_f64){span_trim(v).n ? OPT_ERROR : OPT_UNKNOWN, 0};
}
