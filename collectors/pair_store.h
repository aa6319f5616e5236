/*
 * Every measurement of pairs that was read, from files that come, grow and go.
 *
 * The owner (one thread) opens files, feeds their bytes, closes them; and now and
 * then freezes what is known into a pair_set. A file that is opened again
 * replaces what it said before, so that a growing file is simply read again.
 */
#ifndef COLLECTORS_PAIR_STORE_H
#define COLLECTORS_PAIR_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collectors/bandwidth.h"
#include "collectors/fleet.h"
#include "collectors/pair_set.h"

/* Which figure of a run stands for its pair. Zero: the largest size, out-of-place busbw. */
struct pair_select {
	uint64_t size_bytes;           /* 0: the largest of each run */
	enum bw_collective collective; /* BW_COLL_UNKNOWN: the largest consistent set decides */
	bool in_place;
};

struct pair_store;
struct pair_file;

struct pair_store *pair_store_new(const struct pair_select *sel); /* never NULL; sel copied */
void pair_store_free(struct pair_store *s);                       /* NULL is allowed */

/*
 * Begins a file; what was known from the same path is dropped when it is closed.
 * path: copied; shown to people. wall_ms: when it was last changed (Unix, ms); 0
 * not known. Only one file is open at a time. Never NULL.
 */
struct pair_file *pair_store_open(struct pair_store *s, const char *path, int64_t wall_ms);
void pair_file_feed(struct pair_file *f, const char *bytes, size_t len);
/* growing: more is expected, so a run without an end is not called truncated yet. */
void pair_file_close(struct pair_file *f, bool growing);
/* Drops what was known from this path. */
void pair_store_forget(struct pair_store *s, const char *path);

/* Grows with each change; equal means that a new freeze would say the same. */
uint64_t pair_store_generation(const struct pair_store *s);

/*
 * What is known now, as one consistent set: see pair_set.h. Hosts that fleet does
 * not know are added to it. Caller owns the result; never NULL.
 */
struct pair_set *pair_store_freeze(struct pair_store *s, struct fleet *fleet);

/* ---- what was read, run by run: for `pairs --json` and its lists ---- */

/* A table without its rows. Values that were not printed are not OPT_OK. */
struct pair_table {
	const char *dtype; /* NULL not printed */
	const char *redop;
	size_t rows; /* printed, size 0 included */
	struct opt_u64 max_size_bytes;
	struct opt_f64 oop_busbw_gbps; /* of the first row of the largest size */
	struct opt_f64 ip_busbw_gbps;
	struct opt_f64 avg_busbw_gbps;
	struct opt_f64 wrong; /* of all rows; OPT_UNSUPPORTED where nothing was checked */
};

/* A run as it is kept. Strings are the store's. */
struct pair_run {
	enum bw_tool tool;
	enum bw_collective collective;
	bool collective_stated;
	enum bw_hosts_from hosts_from;
	enum bw_status status;
	bool running; /* no end yet, in a file that grows */
	bool even;    /* every host has as many ranks, or nobody says */
	bool wrong;   /* it printed wrong values */
	unsigned first_line;
	uint32_t ranks;      /* 0 not known */
	const char *version; /* NULL */
	const char *why;     /* NULL */
	uint32_t *hosts;     /* numbers for pair_store_host */
	size_t n_hosts;
	struct pair_table *tables;
	size_t n_tables;
};

/*
 * Runs in the order of paths and lines. run: borrowed by the call. False of fn stops.
 */
void pair_store_runs(const struct pair_store *s,
	bool (*fn)(void *ctx, const char *path, const struct pair_run *run), void *ctx);

/* The name of a run's host, as printed. */
const char *pair_store_host(const struct pair_store *s, uint32_t host);

/* Lines and files that should have been understood and were not; the first PAIR_NOTES_MAX. */
#define PAIR_NOTES_MAX 64
struct pair_note {
	const char *path;
	unsigned line;
	const char *what;
	const char *why;
};
const struct pair_note *pair_store_notes(const struct pair_store *s, size_t *n);

/* For those who read files: something that could not be read at all. */
void pair_store_note(
	struct pair_store *s, const char *path, unsigned line, const char *what, const char *why);

#endif
