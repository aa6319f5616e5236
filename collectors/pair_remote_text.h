/*
 * The words between pair_remote and the probe's file requests, pure: requests as
 * lines, lists of files, pieces of files. See the end of probe.sh.
 */
#ifndef COLLECTORS_PAIR_REMOTE_TEXT_H
#define COLLECTORS_PAIR_REMOTE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collectors/buf.h"
#include "collectors/text.h"

#define REMOTE_FRAME "files" /* what the probe frames its answers by */

/* Lines of a list, as in probe.sh. */
#define REMOTE_LIST_MAX 4000
#define REMOTE_BLOCK    4096u
/* Bytes of one request, a multiple of the block: the probe's reader passes on 512 KiB. */
#define REMOTE_PIECE_MAX  (64u * REMOTE_BLOCK)
#define REMOTE_PIECES_MAX 64

/* Whether a path or name can stand on a line of the request: no control bytes, not too long. */
bool remote_path_ok(const char *path);

enum err_code remote_list_text(
	struct buf *out, unsigned minutes, unsigned skip, const char *path) ATTR_MUST_CHECK;

struct remote_piece {
	const char *name; /* as the list gave it, without "./"; borrowed */
	uint64_t from;    /* a multiple of REMOTE_BLOCK */
	size_t want;
	bool answered;
};
enum err_code remote_read_text(struct buf *out, const char *path, const struct remote_piece *pieces,
	size_t n) ATTR_MUST_CHECK;

struct remote_line {
	uint64_t size;
	int64_t mtime_s;
	struct span name; /* without "./"; empty: one that cannot be asked for */
};
struct remote_list {
	void *ctx;
	void (*line)(void *ctx, const struct remote_line *line);
	struct span complaint; /* what went wrong there; points into the text */
};

/* Whether the path that was asked for is a single file. */
bool remote_list_is_file(struct span text);
/* cut: the last line may be half a line and does not count. */
void remote_list_read(struct span text, bool cut, struct remote_list *list);

/* Gives each piece's bytes, in the order of the request; a piece without an end is not given. */
void remote_pieces_read(struct span text, const char *nonce, size_t n, void *ctx,
	void (*piece)(void *ctx, size_t i, struct span bytes));

#endif
