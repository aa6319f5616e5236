#include "collectors/pair_remote_text.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

static bool is_plain(const char *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if ((unsigned char)p[i] < ' ' || p[i] == 127)
			return false;
	return n > 0 && n < PATH_MAX / 2;
}

bool remote_path_ok(const char *path)
{
	return is_plain(path, strlen(path));
}

enum err_code remote_list_text(struct buf *out, unsigned minutes, unsigned skip, const char *path)
{
	return buf_addf(out, "@list %u %u %s\n", minutes, skip, path);
}

enum err_code remote_read_text(
	struct buf *out, const char *path, const struct remote_piece *pieces, size_t n)
{
	enum err_code rc = buf_addf(out, "@read %zu %s\n", n, path);

	for (size_t i = 0; i < n && rc == ERR_OK; i++)
		rc = buf_addf(out, "%llu %zu ./%s\n",
			(unsigned long long)(pieces[i].from / REMOTE_BLOCK),
			(pieces[i].want + REMOTE_BLOCK - 1) / REMOTE_BLOCK, pieces[i].name);
	return rc;
}

bool remote_list_is_file(struct span text)
{
	return span_starts(text, "#@ file");
}

/* "SIZE CHANGED ./NAME" */
static bool read_line(struct span rest, struct remote_line *out)
{
	uint64_t mtime;

	if (!span_lead_u64(rest, &out->size, &rest) || !rest.n || rest.p[0] != ' ')
		return false;
	rest = (struct span){rest.p + 1, rest.n - 1};
	if (!span_lead_u64(rest, &mtime, &rest) || mtime > INT64_MAX / 1000 ||
		!span_starts(rest, " ./"))
		return false;
	out->mtime_s = (int64_t)mtime;
	out->name = (struct span){rest.p + 3, rest.n - 3};
	if (!is_plain(out->name.p, out->name.n))
		out->name.n = 0;
	return true;
}

void remote_list_read(struct span text, bool cut, struct remote_list *list)
{
	struct span line;

	while (text.n) {
		bool ended = memchr(text.p, '\n', text.n) != NULL;
		struct remote_line out = {0, 0, SPAN_INIT};

		if (!span_line(&text, &line) || (cut && !ended))
			return;
		if (span_starts(line, "#! ") && !list->complaint.n)
			list->complaint = (struct span){line.p + 3, line.n - 3};
		else if (read_line(line, &out))
			list->line(list->ctx, &out);
	}
}

/* Position of "\n<nonce> word\n" at or after from; its length in *len. SIZE_MAX when there is none. */
static size_t find_mark(struct span text, size_t from, const char *nonce, size_t *len)
{
	static const char *const words[] = {"piece", "end"};

	for (size_t at = from; at < text.n; at++) {
		const char *nl = memchr(text.p + at, '\n', text.n - at);

		if (!nl)
			break;
		at = (size_t)(nl - text.p);
		for (size_t i = 0; i < ARRAY_LEN(words); i++) {
			char mark[80];
			int n = snprintf(mark, sizeof(mark), "\n%.40s %s", nonce, words[i]);

			if (span_starts((struct span){nl, text.n - at}, mark)) {
				*len = (size_t)n + 1;
				return at;
			}
		}
	}
	return SIZE_MAX;
}

void remote_pieces_read(struct span text, const char *nonce, size_t n, void *ctx,
	void (*piece)(void *ctx, size_t i, struct span bytes))
{
	size_t len = 0;
	size_t at = find_mark(text, 0, nonce, &len);

	for (size_t i = 0; i < n && at != SIZE_MAX; i++) {
		size_t from = at + len < text.n ? at + len : text.n;

		at = find_mark(text, from, nonce, &len);
		if (at == SIZE_MAX)
			break;
		piece(ctx, i, (struct span){text.p + from, at - from});
	}
}
