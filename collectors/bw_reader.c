#include "collectors/bw_reader.h"

#include <stdlib.h>
#include <string.h>

#include "collectors/parse_nccl.h"
#include "collectors/parse_nccl_json.h"
#include "collectors/parse_pairs_csv.h"
#include "collectors/xmalloc.h"

/* Which parser has the input. */
enum mode {
	MODE_BLANK, /* nothing but blanks so far */
	MODE_LINES, /* a terminal's text, or a table of pairs: the first lines tell */
	MODE_TEXT,
	MODE_PAIRS,
	MODE_JSON
};

struct bw_reader {
	struct bw_sink sink;
	char *name;
	enum mode mode;
	struct nccl *nccl;
	struct pairs_csv *pairs;
	struct nccl_json *json;
	unsigned line;
	size_t held;  /* bytes of an unfinished line */
	bool passing; /* over the rest of a line that is too long */
	char hold[BW_LINE_MAX];
};

struct bw_reader *bw_reader_new(const char *name, const struct bw_sink *sink)
{
	struct bw_reader *r = xcalloc(1, sizeof(*r));

	r->sink = *sink;
	r->name = name ? xstrdup(name) : NULL;
	return r;
}

void bw_reader_free(struct bw_reader *r)
{
	if (!r)
		return;
	nccl_free(r->nccl);
	pairs_csv_free(r->pairs);
	nccl_json_free(r->json);
	free(r->name);
	free(r);
}

static void forget_pairs(struct bw_reader *r)
{
	pairs_csv_free(r->pairs);
	r->pairs = NULL;
	r->mode = MODE_TEXT;
}

/* A table of pairs shows in its first lines, whose text says nothing to the other parser. */
static void try_line(struct bw_reader *r, struct span line)
{
	switch (pairs_csv_line(r->pairs, line, r->line)) {
	case PAIRS_CSV_YES:
		r->mode = MODE_PAIRS;
		return;
	case PAIRS_CSV_NO:
		forget_pairs(r);
		break;
	case PAIRS_CSV_MAYBE:
		break;
	}
	nccl_line(r->nccl, line, r->line);
}

static void take_line(struct bw_reader *r, struct span line)
{
	r->line++;
	if (r->mode == MODE_TEXT)
		nccl_line(r->nccl, line, r->line);
	else if (r->mode == MODE_PAIRS)
		pairs_csv_line(r->pairs, line, r->line);
	else
		try_line(r, line);
}

static void hold(struct bw_reader *r, const char *bytes, size_t len)
{
	size_t room = BW_LINE_MAX - r->held;

	if (len > room) {
		len = room;
		r->passing = true;
	}
	memcpy(r->hold + r->held, bytes, len);
	r->held += len;
}

static void end_line(struct bw_reader *r)
{
	take_line(r, (struct span){r->hold, r->held});
	r->held = 0;
	r->passing = false;
}

static void feed_lines(struct bw_reader *r, const char *bytes, size_t len)
{
	const char *end = bytes + len;

	while (bytes < end) {
		const char *lf = memchr(bytes, '\n', (size_t)(end - bytes));
		size_t n = (size_t)((lf ? lf : end) - bytes);

		if (!lf) {
			if (!r->passing)
				hold(r, bytes, n);
			return;
		}
		if (r->held || r->passing) {
			if (!r->passing)
				hold(r, bytes, n);
			end_line(r);
		} else {
			take_line(r, (struct span){bytes, n < BW_LINE_MAX ? n : BW_LINE_MAX});
		}
		bytes = lf + 1;
	}
}

/* The first byte that is none of a blank line's tells whether it is JSON. */
static void choose(struct bw_reader *r, const char *bytes, size_t len)
{
	size_t i = 0;

	while (i < len && strchr(" \t\r\n", bytes[i]) && bytes[i])
		i++;
	if (i == len)
		return;
	if (bytes[i] == '{') {
		r->mode = MODE_JSON;
		r->json = nccl_json_new(r->name, &r->sink);
		return;
	}
	r->mode = MODE_LINES;
	r->nccl = nccl_new(r->name, &r->sink);
	r->pairs = pairs_csv_new(&r->sink);
}

/* Lines of blanks before the first byte that matters. */
static void pass_blanks(struct bw_reader *r, const char *bytes, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (bytes[i] == '\n') {
			r->line++;
			r->held = 0;
		} else if (r->held < BW_LINE_MAX) {
			r->hold[r->held++] = bytes[i];
		}
}

void bw_reader_feed(struct bw_reader *r, const char *bytes, size_t len)
{
	if (r->mode == MODE_BLANK)
		choose(r, bytes, len);
	if (r->mode == MODE_BLANK)
		pass_blanks(r, bytes, len);
	else if (r->mode == MODE_JSON)
		nccl_json_feed(r->json, bytes, len);
	else
		feed_lines(r, bytes, len);
}

void bw_reader_end(struct bw_reader *r)
{
	if (r->mode == MODE_JSON) {
		nccl_json_end(r->json);
		return;
	}
	if (r->mode == MODE_BLANK)
		return;
	if (r->held)
		end_line(r);
	nccl_end(r->nccl);
}

enum bw_kind bw_reader_kind(const struct bw_reader *r)
{
	enum bw_tool tool;

	if (r->mode == MODE_PAIRS)
		return pairs_csv_is_square(r->pairs) ? BW_KIND_PAIR_TABLE : BW_KIND_CSV;
	if (r->json && nccl_json_seen(r->json, &tool))
		return tool == BW_NCCOM ? BW_KIND_NCCOM_JSON : BW_KIND_NCCL_JSON;
	if (r->nccl && nccl_seen(r->nccl, &tool))
		return tool == BW_NCCOM ? BW_KIND_NCCOM : BW_KIND_NCCL;
	return BW_KIND_UNKNOWN;
}
