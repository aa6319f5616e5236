/*
 * JSON as benchmarks write it, in pieces of any length: what is whole is told at once, so
 * that a report whose writer was killed still gives its rows. Bare words (inf, nan), which
 * JSON does not know, are values. Memory is bounded by this struct.
 */
#ifndef COLLECTORS_BW_JSON_H
#define COLLECTORS_BW_JSON_H

#include <stdbool.h>
#include <stddef.h>

#include "collectors/text.h"

/* Deeper values are passed over. A longer key or value is cut. */
#define BW_JSON_DEPTH 8
#define BW_JSON_KEY   40
#define BW_JSON_VALUE 1024

enum bw_json_event {
	BW_JSON_BEGIN, /* of an object or array: the value of its key */
	BW_JSON_END,
	BW_JSON_VALUE_READ
};

struct bw_json {
	void (*on)(void *ctx, const struct bw_json *j, enum bw_json_event e, struct span value);
	void *ctx;
	/* Depth of the value that is told: 1 within the outermost object. */
	size_t depth;
	/* key[d] is that of the value at depth d + 1; "" within an array. */
	char key[BW_JSON_DEPTH][BW_JSON_KEY];
	/* The rest is bw_json.c's. */
	char kind[BW_JSON_DEPTH];
	bool is_value; /* a colon was read: the next token is no key */
	bool in_string;
	bool in_word;
	int escape; /* characters of an escape sequence to come */
	size_t n;
	char token[BW_JSON_VALUE];
};

void bw_json_feed(struct bw_json *j, const char *bytes, size_t len);
/* Whether the key of the value at depth d + 1 is this. */
bool bw_json_key_is(const struct bw_json *j, size_t d, const char *key);

#endif
