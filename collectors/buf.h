/*
 * A growing byte buffer with a cap given at construction.
 *
 * Invariants: data[len] is always '\0' once anything was appended; len <= cap.
 * Over the cap an append changes nothing and returns ERR_TOOBIG; the content
 * so far stays readable, so that a cut-off answer can still be shown as such.
 *
 * Embedded: BUF_INIT(cap) or buf_init / buf_release. buf_reset keeps memory.
 */
#ifndef COLLECTORS_BUF_H
#define COLLECTORS_BUF_H

#include <stddef.h>

#include "collectors/compiler.h"
#include "collectors/err.h"

struct buf {
	char *data;
	size_t len;
	size_t alloc;
	size_t cap; /* most bytes of content ever held */
};

#define BUF_INIT(cap_bytes)             \
	{                               \
		NULL, 0, 0, (cap_bytes) \
	}

void buf_init(struct buf *b, size_t cap_bytes);
void buf_release(struct buf *b);
void buf_reset(struct buf *b);

enum err_code buf_add(struct buf *b, const void *bytes, size_t len) ATTR_MUST_CHECK;
enum err_code buf_add_str(struct buf *b, const char *s) ATTR_MUST_CHECK;
enum err_code buf_addf(struct buf *b, const char *fmt, ...) ATTR_PRINTF(2, 3) ATTR_MUST_CHECK;

/* Removes the first n bytes (n <= len). Linear in what remains. */
void buf_consume(struct buf *b, size_t n);

/* Terminated content, "" when empty. Borrowed: valid until the next change. */
const char *buf_str(const struct buf *b);

/* Gives the content away (caller frees; never NULL) and leaves b empty. */
char *buf_detach(struct buf *b);

/* Reads fd to its end. ERR_IO with *e filled, ERR_TOOBIG when over the cap. */
enum err_code buf_read_fd(struct buf *b, int fd, struct err *e) ATTR_MUST_CHECK;

/* Reads a file, or standard input for "-". */
enum err_code buf_read_file(struct buf *b, const char *path, struct err *e) ATTR_MUST_CHECK;

#endif
