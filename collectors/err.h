/*
 * Errors: one code for the caller to branch on, one sentence for a person.
 *
 * Functions that can fail return enum err_code and, where the caller passed a
 * struct err, leave the sentence there. ERR_AGAIN is a normal result of a
 * non-blocking step, carries no sentence and is never logged. A remote failure
 * is data: it travels in the snapshot with the time of the last good value.
 */
#ifndef COLLECTORS_ERR_H
#define COLLECTORS_ERR_H

#include "collectors/compiler.h"

enum err_code {
	ERR_OK = 0,
	ERR_AGAIN,   /* would block; call again when its fd or deadline says so */
	ERR_TIMEOUT, /* a deadline passed */
	ERR_NET,     /* name, connect, reset, broken pipe */
	ERR_AUTH,    /* the peer refused our credentials */
	ERR_HOSTKEY, /* the peer's key is unknown, changed or revoked */
	ERR_PROTO,   /* the peer broke the protocol */
	ERR_PARSE,   /* text that could not be understood */
	ERR_TOOBIG,  /* over a cap that protects us */
	ERR_NOMEM,
	ERR_USAGE, /* the operator's arguments or configuration */
	ERR_IO,    /* a local file or descriptor */
	ERR_BUG    /* ours */
};

/* A sentence of the form "what: why (what to do)"; always terminated. */
struct err {
	enum err_code code;
	char msg[320];
};

#define ERR_INIT           \
	{                  \
		ERR_OK, "" \
	}

/* Fills *e (may be NULL) and returns code, so that "return err_set(...)" reads well. */
enum err_code err_set(struct err *e, enum err_code code, const char *fmt, ...) ATTR_PRINTF(3, 4);

/* Puts "prefix: " before what *e says. Keeps the code. e may be NULL. */
void err_prefix(struct err *e, const char *fmt, ...) ATTR_PRINTF(2, 3);

void err_reset(struct err *e);

/* Short lower-case name of a code ("timeout", "host key"); static storage. */
const char *err_code_name(enum err_code code);

/* Message for an errno value; static or thread-local storage, never NULL. */
const char *err_errno(int errnum);

#endif
