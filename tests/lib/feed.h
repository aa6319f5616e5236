/* A feed of pairs with a store of its own, driven as the sweep's thread drives it. */
#ifndef TESTS_LIB_FEED_H
#define TESTS_LIB_FEED_H

#include <stdbool.h>
#include <stddef.h>

#include "collectors/pair_feed.h"
#include "collectors/pair_store.h"

struct feed {
	struct pair_feed *feed;
	struct pair_store *store;
	int64_t skew_ms; /* added to the monotonic clock: time that the test lets pass */
};

void feed_init(struct feed *f, struct pair_feed *feed); /* takes feed */
void feed_release(struct feed *f);

/* Steps until it would sleep, then sleeps as it says, at most ms. */
void feed_turn(struct feed *f, int ms);

/* Turns until the pair's figure is busbw (NAN: there is none); false after forty seconds. */
bool feed_until(struct feed *f, const char *a, const char *b, double busbw);
bool feed_until_error(struct feed *f, const char *words); /* NULL: none stands */
bool feed_until_files(struct feed *f, size_t files);

double feed_busbw(struct feed *f, const char *a, const char *b); /* NAN: not measured */
size_t feed_measured(struct feed *f);
struct pair_feed_state feed_state(const struct feed *f);

/* dir/name with that text; also makes the directory of the name. */
void feed_write(const char *dir, const char *name, const char *text);
void feed_append(const char *dir, const char *name, const char *text);
/* "node_a,node_b,busbw_gbps" and one row. Static. */
const char *feed_csv(const char *a, const char *b, double busbw);
/* A new directory under /tmp, and its end with all in it. */
void feed_tmp_dir(char *out, size_t size);
void feed_remove_dir(const char *dir);

#endif
