#include "collectors/buf.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void buf_init(struct buf *b, size_t cap_bytes)
{
	b->data = NULL;
	b->len = 0;
	b->alloc = 0;
	b->cap = cap_bytes;
}

void buf_release(struct buf *b)
{
	free(b->data);
	buf_init(b, b->cap);
}

void buf_reset(struct buf *b)
{
	b->len = 0;
	if (b->data)
		b->data[0] = '\0';
}

/* Room for extra more bytes and the terminator. */
static enum err_code buf_reserve(struct buf *b, size_t extra)
{
	if (extra > b->cap || b->len > b->cap - extra)
		return ERR_TOOBIG;
	size_t need = b->len + extra + 1;

	if (need <= b->alloc)
		return ERR_OK;
	size_t want = b->alloc ? b->alloc : 64;

	while (want < need)
		want = want < b->cap ? want * 2 : need;
	char *p = realloc(b->data, want);

	if (!p)
		return ERR_NOMEM;
	b->data = p;
	b->alloc = want;
	return ERR_OK;
}

enum err_code buf_add(struct buf *b, const void *bytes, size_t len)
{
	enum err_code rc = buf_reserve(b, len);

	if (rc)
		return rc;
	if (len)
		memcpy(b->data + b->len, bytes, len);
	b->len += len;
	b->data[b->len] = '\0';
	return ERR_OK;
}

enum err_code buf_add_str(struct buf *b, const char *s)
{
	return buf_add(b, s, strlen(s));
}

enum err_code buf_addf(struct buf *b, const char *fmt, ...)
{
	va_list ap;
	va_list again;
	enum err_code rc = ERR_BUG;

	va_start(ap, fmt);
	va_copy(again, ap);
	int n = vsnprintf(NULL, 0, fmt, ap);

	if (n >= 0) {
		rc = buf_reserve(b, (size_t)n);
		if (rc == ERR_OK) {
			vsnprintf(b->data + b->len, (size_t)n + 1, fmt, again);
			b->len += (size_t)n;
		}
	}
	va_end(again);
	va_end(ap);
	return rc;
}

void buf_consume(struct buf *b, size_t n)
{
	if (n == 0)
		return;
	if (n >= b->len) {
		buf_reset(b);
		return;
	}
	memmove(b->data, b->data + n, b->len - n);
	b->len -= n;
	b->data[b->len] = '\0';
}

const char *buf_str(const struct buf *b)
{
	return b->data ? b->data : "";
}

char *buf_detach(struct buf *b)
{
	char *p = b->data;

	if (!p) {
		p = malloc(1);
		if (!p)
			abort();
		p[0] = '\0';
	}
	buf_init(b, b->cap);
	return p;
}

enum err_code buf_read_fd(struct buf *b, int fd, struct err *e)
{
	char chunk[16384];

	for (;;) {
		ssize_t n = read(fd, chunk, sizeof(chunk));

		if (n == 0)
			return ERR_OK;
		if (n < 0) {
			if (errno == EINTR)
				continue;
			return err_set(e, ERR_IO, "read: %s", err_errno(errno));
		}
		enum err_code rc = buf_add(b, chunk, (size_t)n);

		if (rc == ERR_TOOBIG)
			return err_set(e, rc, "input is over %zu bytes (cut it to what is needed)",
				b->cap);
		if (rc)
			return err_set(e, rc, "out of memory after %zu bytes", b->len);
	}
}

enum err_code buf_read_file(struct buf *b, const char *path, struct err *e)
{
	int fd = strcmp(path, "-") == 0 ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return err_set(e, ERR_IO, "%s: %s", path, err_errno(errno));
	enum err_code rc = buf_read_fd(b, fd, e);

	if (rc)
		err_prefix(e, "%s", path);
	if (fd != STDIN_FILENO)
		close(fd);
	return rc;
}
