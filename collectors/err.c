#include "collectors/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum err_code err_set(struct err *e, enum err_code code, const char *fmt, ...)
{
	va_list ap;

	if (!e)
		return code;
	e->code = code;
	va_start(ap, fmt);
	if (vsnprintf(e->msg, sizeof(e->msg), fmt, ap) < 0)
		e->msg[0] = '\0';
	va_end(ap);
	return code;
}

void err_prefix(struct err *e, const char *fmt, ...)
{
	char head[sizeof(e->msg)];
	char tail[sizeof(e->msg)];
	va_list ap;

	if (!e)
		return;
	va_start(ap, fmt);
	if (vsnprintf(head, sizeof(head), fmt, ap) < 0)
		head[0] = '\0';
	va_end(ap);
	memcpy(tail, e->msg, sizeof(tail));
	/* A long prefix may cut the tail: the head names the place, so it wins. */
	size_t used = strlen(head);
	size_t room = sizeof(e->msg) - 1;

	memcpy(e->msg, head, used + 1);
	if (used + 2 < room) {
		memcpy(e->msg + used, ": ", 2);
		used += 2;
		size_t len = strlen(tail);

		if (len > room - used)
			len = room - used;
		memcpy(e->msg + used, tail, len);
		e->msg[used + len] = '\0';
	}
}

void err_reset(struct err *e)
{
	if (!e)
		return;
	e->code = ERR_OK;
	e->msg[0] = '\0';
}

const char *err_code_name(enum err_code code)
{
	static const char *const names[] = {
		[ERR_OK] = "ok",
		[ERR_AGAIN] = "again",
		[ERR_TIMEOUT] = "timeout",
		[ERR_NET] = "network",
		[ERR_AUTH] = "authentication",
		[ERR_HOSTKEY] = "host key",
		[ERR_PROTO] = "protocol",
		[ERR_PARSE] = "unreadable",
		[ERR_TOOBIG] = "too big",
		[ERR_NOMEM] = "out of memory",
		[ERR_USAGE] = "usage",
		[ERR_IO] = "input/output",
		[ERR_BUG] = "internal",
	};

	if ((unsigned)code >= ARRAY_LEN(names) || !names[code])
		return "unknown";
	return names[code];
}

const char *err_errno(int errnum)
{
	const char *s = strerror(errnum);

	return s ? s : "unknown error";
}
