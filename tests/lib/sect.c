#include "tests/lib/sect.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collectors/buf.h"

struct section *sect_parse(enum section_id id, const char *text)
{
	struct section_meta meta = SECTION_META_INIT;

	return section_parse(id, span_of(text), meta);
}

struct section *sect_parse_cut(enum section_id id, const char *text, size_t len)
{
	struct section_meta meta = SECTION_META_INIT;

	meta.cut = true;
	return section_parse(id, (struct span){text, len}, meta);
}

char *sect_read(const char *path, size_t *len)
{
	struct buf b = BUF_INIT(1 << 20);
	struct err e = ERR_INIT;

	if (buf_read_file(&b, path, &e) != ERR_OK)
		fail_msg("%s: %s", path, e.msg);
	if (len)
		*len = b.len;
	return buf_detach(&b);
}

int sect_have_corpus(void)
{
	FILE *f = fopen("../shared/corpus/node/expected.json", "r");

	if (!f) {
		print_message("[  SKIP    ] ../shared/corpus is not here\n");
		return 0;
	}
	fclose(f);
	return 1;
}

int sect_has_unread(const struct section *s, const char *what)
{
	for (size_t i = 0; i < s->unread_n; i++)
		if (strcmp(s->unread[i].what, what) == 0)
			return 1;
	return 0;
}

static int same_value(const struct value *a, const struct value *b)
{
	if (a->state != OPT_OK || b->state != OPT_OK)
		return a->state != OPT_OK;
	switch (a->type) {
	case FIELD_I64:
		return a->i64 == b->i64;
	case FIELD_F64:
		return !(a->f64 < b->f64) && !(a->f64 > b->f64);
	case FIELD_FLAG:
		return a->flag == b->flag;
	case FIELD_STR:
		return strcmp(a->str, b->str) == 0;
	default:
		return a->u64 == b->u64;
	}
}

static void check_fields(
	const struct field *fields, size_t n, const void *part, const void *whole, size_t cut_at)
{
	for (size_t i = 0; i < n; i++) {
		struct value a = field_value(&fields[i], part);
		struct value b = field_value(&fields[i], whole);
		char ta[128];
		char tb[128];

		/* These tell of the cut itself. */
		if (strcmp(fields[i].name, "partial_rows") == 0 ||
			strcmp(fields[i].name, "complete") == 0)
			continue;
		if (!same_value(&a, &b))
			fail_msg("cut after byte %zu: %s is \"%s\", of the whole text \"%s\"",
				cut_at, fields[i].name, value_text(&a, ta, sizeof(ta)),
				value_text(&b, tb, sizeof(tb)));
	}
}

static void check_part(const struct section *part, const struct section *whole, size_t cut_at)
{
	const struct schema *sc = &section_desc(whole->id)->schema;

	check_fields(sc->fields, sc->nfields, part->reading, whole->reading, cut_at);
	for (size_t t = 0; t < sc->ntables; t++) {
		size_t na;
		size_t nb;
		const char *a = table_rows(&sc->tables[t], part->reading, &na);
		const char *b = table_rows(&sc->tables[t], whole->reading, &nb);

		if (na > nb)
			fail_msg("cut after byte %zu: %zu rows of %zu", cut_at, na, nb);
		for (size_t i = 0; i < na; i++)
			check_fields(sc->tables[t].fields, sc->tables[t].nfields,
				a + i * sc->tables[t].row_size, b + i * sc->tables[t].row_size,
				cut_at);
	}
}

static void check_crlf(enum section_id id, const char *text, const struct section *whole)
{
	char *crlf = malloc(2 * strlen(text) + 1);
	size_t n = 0;

	assert_non_null(crlf);
	for (const char *p = text; *p; p++) {
		if (*p == '\n')
			crlf[n++] = '\r';
		crlf[n++] = *p;
	}
	crlf[n] = '\0';
	struct section *s = sect_parse(id, crlf);

	check_part(whole, s, n);
	section_unref(s);
	free(crlf);
}

/* Nothing to compare: it must only not crash, and tools such as ASan look on. */
static void feed_noise(enum section_id id, const char *text)
{
	struct section_meta meta = SECTION_META_INIT;
	size_t len = strlen(text);
	char *noisy = malloc(len + 1);
	uint32_t seed = 12345;

	assert_non_null(noisy);
	for (int round = 0; round < 50; round++) {
		memcpy(noisy, text, len + 1);
		for (size_t k = 0; k < 1 + len / 40; k++) {
			seed = seed * 1664525u + 1013904223u;
			noisy[(seed >> 8) % (len + 1)] = (char)(seed >> 24);
		}
		section_unref(section_parse(id, (struct span){noisy, len}, meta));
	}
	free(noisy);
}

void sect_check_robust(enum section_id id, const char *text)
{
	struct section *whole = sect_parse(id, text);
	size_t len = strlen(text);

	for (size_t n = 0; n < len; n++) {
		/* An exact-size copy, so that a read past the end is seen. */
		char *part = malloc(n + 1);

		assert_non_null(part);
		memcpy(part, text, n);
		struct section *s = sect_parse_cut(id, part, n);

		check_part(s, whole, n);
		section_unref(s);
		if (n && part[n - 1] != '\n') {
			part[n] = '\0';
			s = sect_parse(id, part);
			check_part(s, whole, n);
			section_unref(s);
		}
		free(part);
	}
	check_crlf(id, text, whole);
	section_unref(whole);
	feed_noise(id, text);
}
