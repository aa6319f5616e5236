#include "collectors/frame.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

/* Every marker line starts so; what follows must be the run's nonce. */
#define MARK "@hp "

/* Longer than any marker line: nonce, the longest section name, three numbers. */
#define LINE_MAX_BYTES 256

void frame_init(struct frame *f, const char *nonce)
{
	*f = (struct frame){.exit_code = -1, .run_ms = -1};
	for (size_t i = 0; i < FRAME_NONCE_LEN && nonce[i]; i++)
		f->nonce[i] = nonce[i];
	buf_init(&f->line, LINE_MAX_BYTES);
	buf_init(&f->body, SECTION_TEXT_MAX);
}

void frame_release(struct frame *f)
{
	buf_release(&f->line);
	buf_release(&f->body);
	f->open = false;
	f->text = (struct span)SPAN_INIT;
}

void frame_take_also(struct frame *f, const char *name)
{
	f->own = name;
}

/* Whether what stands in the open frame is wanted. */
static bool is_wanted(const struct frame *f)
{
	return f->open && (f->open_id != SECTION_COUNT || f->own_open);
}

/* Keeps what fits into the open section; the rest is lost and the section marked. */
static void body_add(struct frame *f, const char *p, size_t n)
{
	if (!is_wanted(f))
		return;
	size_t room = f->body.cap - f->body.len;
	size_t fits = n < room ? n : room;

	if (fits < n)
		f->cut = true;
	if (fits && buf_add(&f->body, p, fits) != ERR_OK)
		f->cut = true;
}

/* Could a line that starts with these n bytes still be a marker with our nonce? */
static bool may_be_marker(const struct frame *f, const char *p, size_t n)
{
	const size_t mark = strlen(MARK);
	const size_t nonce = strlen(f->nonce);

	if (n <= mark)
		return memcmp(p, MARK, n) == 0;
	if (memcmp(p, MARK, mark) != 0)
		return false;
	p += mark;
	n -= mark;
	if (n <= nonce)
		return memcmp(p, f->nonce, n) == 0;
	return memcmp(p, f->nonce, nonce) == 0 && p[nonce] == ' ';
}

/*
 * Closes the open section. FRAME_NONE for one whose name we do not know: it is
 * skipped as a whole.
 */
static enum frame_event close_section(struct frame *f, bool cut)
{
	bool known = is_wanted(f);

	f->open = false;
	if (!known)
		return FRAME_NONE;
	f->id = f->open_id;
	f->text = (struct span){buf_str(&f->body), f->body.len};
	f->text_cut = cut || f->cut;
	return FRAME_SECTION;
}

static void open_section(struct frame *f, struct span name)
{
	enum section_id id = section_by_name(name);

	/* Aliases are for people; on the wire only a section's own name counts. */
	if (id != SECTION_COUNT && !span_eq(name, section_desc(id)->name))
		id = SECTION_COUNT;
	buf_reset(&f->body);
	f->open = true;
	f->own_open = f->own && span_eq(name, f->own);
	f->cut = false;
	f->open_id = id;
}

/* end <section> <exit> <ms> <cut>: what is missing or no number stays unknown. */
static enum frame_event end_section(struct frame *f, struct span rest)
{
	struct span name = SPAN_INIT;
	struct span word;
	int64_t exit_code = -1;
	int64_t run_ms = -1;
	bool cut = true;

	if (!f->open)
		return FRAME_NONE;
	span_word(&rest, &name);
	if (f->open_id != SECTION_COUNT && !span_eq(name, section_desc(f->open_id)->name)) {
		f->exit_code = -1;
		f->run_ms = -1;
		return close_section(f, true);
	}
	if (span_word(&rest, &word) && (!span_i64(word, &exit_code) || exit_code > INT_MAX))
		exit_code = -1;
	if (span_word(&rest, &word) && !span_i64(word, &run_ms))
		run_ms = -1;
	if (span_word(&rest, &word))
		cut = !span_eq(word, "0");
	f->exit_code = exit_code < 0 ? -1 : (int)exit_code;
	f->run_ms = run_ms < 0 ? -1 : run_ms;
	if (f->body.len && f->body.data[f->body.len - 1] == '\n' && !f->cut)
		f->body.data[--f->body.len] = '\0';
	return close_section(f, cut);
}

/*
 * Acts on the marker in f->line. A marker that may not come inside a section
 * closes that section first and stays in f->line for the next call.
 */
static enum frame_event take_marker(struct frame *f)
{
	struct span rest = span_trim((struct span){buf_str(&f->line), f->line.len});
	struct span verb = SPAN_INIT;
	struct span name = SPAN_INIT;
	enum frame_event ev = FRAME_NONE;

	rest.p += strlen(MARK) + strlen(f->nonce);
	rest.n -= strlen(MARK) + strlen(f->nonce);
	span_word(&rest, &verb);
	if (span_eq(verb, "end")) {
		ev = end_section(f, rest);
		buf_reset(&f->line);
		return ev;
	}
	if (f->open &&
		(span_eq(verb, "begin") || span_eq(verb, "done") || span_eq(verb, "ready"))) {
		f->exit_code = -1;
		f->run_ms = -1;
		ev = close_section(f, true);
		if (ev != FRAME_NONE)
			return ev;
	}
	if (span_eq(verb, "begin") && span_word(&rest, &name))
		open_section(f, name);
	else if (span_eq(verb, "done")) {
		/* A session may idle for long after an answer: its room goes back. */
		if (!f->open)
			buf_release(&f->body);
		ev = FRAME_DONE;
	} else if (span_eq(verb, "ready"))
		ev = FRAME_READY;
	buf_reset(&f->line);
	return ev;
}

static void advance(struct frame *f, struct span *in, size_t n)
{
	in->p += n;
	in->n -= n;
	f->total_bytes += n;
}

/* The bytes gathered in f->line turned out to be no marker. */
static void line_to_body(struct frame *f)
{
	f->line_overflow = f->line.data[f->line.len - 1] != '\n';
	body_add(f, f->line.data, f->line.len);
	buf_reset(&f->line);
}

static bool line_is_whole(const struct frame *f)
{
	return f->line.len && f->line.data[f->line.len - 1] == '\n';
}

/* Takes one line, or the piece of a line that there is. */
static void take_piece(struct frame *f, struct span *in)
{
	const char *nl = memchr(in->p, '\n', in->n);
	size_t n = nl ? (size_t)(nl - in->p) + 1 : in->n;

	if (f->line_overflow || (f->line.len == 0 && !may_be_marker(f, in->p, n))) {
		body_add(f, in->p, n);
		f->line_overflow = nl == NULL;
		advance(f, in, n);
		return;
	}
	size_t room = f->line.cap - f->line.len;

	if (n > room)
		n = room;
	if (buf_add(&f->line, in->p, n) != ERR_OK) {
		/* Out of memory: the line is lost, and with it an open section's wholeness. */
		f->cut = true;
		buf_reset(&f->line);
		f->line_overflow = nl == NULL;
		advance(f, in, n);
		return;
	}
	advance(f, in, n);
	if (!may_be_marker(f, f->line.data, f->line.len) ||
		(f->line.len == f->line.cap && !line_is_whole(f)))
		line_to_body(f);
}

enum frame_event frame_feed(struct frame *f, struct span *in)
{
	for (;;) {
		if (line_is_whole(f)) {
			enum frame_event ev = take_marker(f);

			if (ev != FRAME_NONE)
				return ev;
		}
		if (in->n == 0)
			return FRAME_NONE;
		take_piece(f, in);
	}
}

enum frame_event frame_end(struct frame *f)
{
	buf_reset(&f->line);
	f->line_overflow = false;
	f->exit_code = -1;
	f->run_ms = -1;
	return close_section(f, true);
}

enum err_code frame_nonce(char out[FRAME_NONCE_LEN + 1], struct err *e)
{
	static const char hex[] = "0123456789abcdef";
	unsigned char raw[FRAME_NONCE_LEN / 2];
	size_t got = 0;
	int fd = open("/dev/urandom", O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return err_set(e, ERR_IO, "/dev/urandom: %s", err_errno(errno));
	while (got < sizeof(raw)) {
		ssize_t n = read(fd, raw + got, sizeof(raw) - got);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		got += (size_t)n;
	}
	close(fd);
	if (got < sizeof(raw))
		return err_set(e, ERR_IO, "/dev/urandom: gives no bytes");
	for (size_t i = 0; i < sizeof(raw); i++) {
		out[2 * i] = hex[raw[i] >> 4];
		out[2 * i + 1] = hex[raw[i] & 15];
	}
	out[FRAME_NONCE_LEN] = '\0';
	return ERR_OK;
}
