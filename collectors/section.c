#include "collectors/section.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collectors/section_compact.h"
#include "collectors/section_schema.h"
#include "collectors/xmalloc.h"

#define UNREAD_MAX 64

/* How the probe marks a line of stderr among a command's output. */
#define STDERR_MARK "#! "

static const struct {
	const char *alias;
	enum section_id id;
} aliases[] = {
	{"nvidia-smi-query", SECTION_GPU},
	{"nvlink-s", SECTION_NVLINK},
	{"nvlink-e", SECTION_NVLINK},
	{"topo-m", SECTION_GPU_TOPO},
	{"dmesg", SECTION_XID},
	{"efa-sysfs", SECTION_EFA},
	{"fi_info", SECTION_EFA},
	{"efa-packages", SECTION_STACK},
	{"modinfo-efa", SECTION_STACK},
	{"smi-q-fabric", SECTION_FABRICMANAGER},
	{"df", SECTION_CAPACITY},
	{"lfs-df", SECTION_LUSTRE_DF},
	{"mount", SECTION_MOUNTS},
	{"iostat", SECTION_CPU},
	{"proc-stat", SECTION_CPU},
	{"meminfo", SECTION_HOST},
	{"cpufreq", SECTION_GOVERNOR},
	{"lctl", SECTION_CLIENT_IO},
	{"neuron-ls", SECTION_NEURON},
	{"neuron-monitor", SECTION_NEURON},
	{"ncclras", SECTION_RAS},
};

const struct section_desc *section_desc(enum section_id id)
{
	return (unsigned)id < SECTION_COUNT ? &section_descs[id] : NULL;
}

enum section_id section_by_name(struct span name)
{
	for (int i = 0; i < SECTION_COUNT; i++)
		if (span_eq(name, section_descs[i].name))
			return (enum section_id)i;
	for (size_t i = 0; i < ARRAY_LEN(aliases); i++)
		if (span_eq(name, aliases[i].alias))
			return aliases[i].id;
	return SECTION_COUNT;
}

bool section_alias(size_t i, const char **alias, enum section_id *id)
{
	if (i >= ARRAY_LEN(aliases))
		return false;
	*alias = aliases[i].alias;
	*id = aliases[i].id;
	return true;
}

/* Removes the stderr marks in place; the words after them are what the command said. */
static size_t drop_stderr_marks(char *p, size_t len)
{
	const size_t mark = strlen(STDERR_MARK);
	size_t out = 0;
	bool line_start = true;

	for (size_t i = 0; i < len;) {
		if (line_start && len - i >= mark && memcmp(p + i, STDERR_MARK, mark) == 0) {
			i += mark;
			line_start = false;
			continue;
		}
		line_start = p[i] == '\n';
		p[out++] = p[i++];
	}
	return out;
}

static void status_from_meta(struct section *s)
{
	if (s->meta.exit_code == 127)
		section_set_status(s, SECTION_UNAVAILABLE);
	else if (s->meta.exit_code == 124 || s->meta.exit_code == 137)
		section_set_status(s, SECTION_TIMEOUT);
	if (s->meta.cut) {
		section_set_status(s, SECTION_PARTIAL);
		section_unread(s, "end", "the text is cut off");
	}
}

struct section *section_parse(enum section_id id, struct span text, struct section_meta meta)
{
	const struct section_desc *desc = section_desc(id);
	struct section *s = xcalloc(1, sizeof(*s));

	atomic_init(&s->refs, 1);
	s->id = id;
	s->meta = meta;
	arena_init(&s->arena, SECTION_ARENA_MAX);
	s->mutable_reading = arena_alloc(&s->arena, desc->schema.size);
	if (!s->mutable_reading)
		abort();
	s->reading = s->mutable_reading;
	if (text.n > SECTION_TEXT_MAX) {
		text.n = SECTION_TEXT_MAX;
		s->meta.cut = true;
	}
	status_from_meta(s);

	char *copy = xmalloc(text.n + 1);

	if (text.n)
		memcpy(copy, text.p, text.n);
	size_t len = text_strip(copy, text.n);

	len = drop_stderr_marks(copy, len);
	copy[len] = '\0';
	desc->parse(s, (struct span){copy, len});
	free(copy);
	if (s->unread_n)
		section_set_status(s, SECTION_PARTIAL);
	section_compact(s);
	return s;
}

struct section *section_ref(const struct section *s)
{
	struct section *mine = (struct section *)s;

	if (mine)
		atomic_fetch_add_explicit(&mine->refs, 1, memory_order_relaxed);
	return mine;
}

void section_unref(struct section *s)
{
	if (!s || atomic_fetch_sub_explicit(&s->refs, 1, memory_order_acq_rel) != 1)
		return;
	arena_release(&s->arena);
	free(s);
}

const char *section_status_name(enum section_status st)
{
	static const char *const names[] = {
		[SECTION_OK] = "ok",
		[SECTION_PARTIAL] = "partial",
		[SECTION_UNAVAILABLE] = "unavailable",
		[SECTION_FAILED] = "failed",
		[SECTION_TIMEOUT] = "timeout",
	};

	return names[st];
}

void section_unread(struct section *s, const char *what, const char *why_fmt, ...)
{
	char why[200];
	char clean[200];
	va_list ap;

	if (s->unread_n >= UNREAD_MAX)
		return;
	if (!s->unread || s->compact) {
		struct unread *grown = arena_alloc(&s->arena, UNREAD_MAX * sizeof(*s->unread));

		if (!grown)
			return;
		if (s->unread_n)
			memcpy(grown, s->unread, s->unread_n * sizeof(*grown));
		s->unread = grown;
	}
	va_start(ap, why_fmt);
	if (vsnprintf(why, sizeof(why), why_fmt, ap) < 0)
		why[0] = '\0';
	va_end(ap);

	struct unread *u = (struct unread *)&s->unread[s->unread_n];
	size_t n = text_printable(clean, sizeof(clean), why, sizeof(why));

	u->why = arena_strndup(&s->arena, clean, n);
	n = text_printable(clean, sizeof(clean), what, strlen(what));
	u->what = arena_strndup(&s->arena, clean, n);
	if (u->what && u->why)
		s->unread_n++;
}

void section_set_status(struct section *s, enum section_status st)
{
	if (st > s->status)
		s->status = st;
}

struct opt_str section_str(struct section *s, struct span v)
{
	char clean[1024];

	v = span_trim(v);
	if (v.n == 0)
		return (struct opt_str){OPT_UNKNOWN, NULL};
	size_t n = text_printable(clean, sizeof(clean), v.p, v.n);
	const char *copy = arena_strndup(&s->arena, clean, n);

	if (!copy)
		return (struct opt_str){OPT_ERROR, NULL};
	return (struct opt_str){OPT_OK, copy};
}

struct opt_str section_strf(struct section *s, const char *fmt, ...)
{
	char text[1024];
	va_list ap;

	va_start(ap, fmt);
	if (vsnprintf(text, sizeof(text), fmt, ap) < 0)
		text[0] = '\0';
	va_end(ap);
	return section_str(s, span_of(text));
}

void *section_row(struct section *s, void **rows, size_t *n, size_t size)
{
	char *base = *rows;

	if (*n >= SECTION_ROWS_MAX) {
		section_unread(s, "rows", "more than %d rows", SECTION_ROWS_MAX);
		return NULL;
	}
	/*
	 * Capacity is implied: 8, then every power of two that the count reaches.
	 * A compact section has none to spare.
	 */
	if (*n == 0 || s->compact || (*n >= 8 && (*n & (*n - 1)) == 0)) {
		char *grown = arena_alloc(&s->arena, (*n ? *n * 2 : 8) * size);

		if (!grown) {
			section_unread(s, "rows", "more rows than the memory limit allows");
			return NULL;
		}
		if (*n)
			memcpy(grown, base, *n * size);
		*rows = base = grown;
	}
	return base + (*n)++ * size;
}
