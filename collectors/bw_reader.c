#include "collectors/bw_reader.h"

#include <stdlib.h>
#include <string.h>

#include "collectors/parse_nccl.h"
#include "collectors/xmalloc.h"

struct bw_reader {
	struct bw_sink sink;
	struct nccl *nccl;
	enum bw_kind kind;
	unsigned line;
	size_t held;  /* bytes of an unfinished line */
	bool passing; /* over the rest of a line that is too long */
	char hold[BW_LINE_MAX];
};

struct bw_reader *bw_reader_new(const char *name, const struct bw_sink *sink)
{
	struct bw_reader *r = xcalloc(1, sizeof(*r));

	r->sink = *sink;
	r->nccl = nccl_new(name, sink);
	return r;
}

void bw_reader_free(struct bw_reader *r)
{
	if (!r)
		return;
	nccl_free(r->nccl);
	free(r);
}

static void take_line(struct bw_reader *r, struct span line)
{
	r->line++;
	nccl_line(r->nccl, line, r->line);
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

void bw_reader_feed(struct bw_reader *r, const char *bytes, size_t len)
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

void bw_reader_end(struct bw_reader *r)
{
	if (r->held)
		end_line(r);
	nccl_end(r->nccl);
}

enum bw_kind bw_reader_kind(const struct bw_reader *r)
{
	enum bw_tool tool;

	if (r->kind != BW_KIND_UNKNOWN)
		return r->kind;
	if (!nccl_seen(r->nccl, &tool))
		return BW_KIND_UNKNOWN;
	return tool == BW_NCCOM ? BW_KIND_NCCOM : BW_KIND_NCCL;
}
