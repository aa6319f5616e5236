/*
 * What a reader of benchmark output gave to its sink, as lines of text that tests compare:
 *
 *   run nccl-tests 2.17.8 all_reduce ok ranks 4 per 2 hosts 1: a b
 *   table float sum 3 avg 71.75 max 33554432 oop 90 ip 82.5 wrong 0
 *   trouble nccl-net-socket a
 *   pair a b 48.25 17179869184 all_reduce / instance a i-0 / unread 5 pair
 *
 * "-" is a value that is not there.
 */
#ifndef TESTS_LIB_BW_SEEN_H
#define TESTS_LIB_BW_SEEN_H

#include "collectors/buf.h"
#include "collectors/bw_reader.h"

struct bw_seen {
	struct buf text;
	enum bw_kind kind;
	char why[256]; /* of the last run; "" */
};

#define BW_SEEN_INIT                                 \
	{                                            \
		BUF_INIT(1u << 20), BW_KIND_UNKNOWN, \
		{                                    \
			0                            \
		}                                    \
	}

/* piece: how many bytes are fed at a time; 0: all at once. */
void bw_seen_read(struct bw_seen *s, const char *name, const char *text, size_t len, size_t piece);
/* A file of tests/fixtures/nccl. */
void bw_seen_fixture(struct bw_seen *s, const char *file, size_t piece);
void bw_seen_release(struct bw_seen *s);

#endif
