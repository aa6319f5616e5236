/*
 * The files that a feed knows: how large and how old each was when it was last
 * looked at, whether it must be read (again), and when.
 *
 * A file that changes is read once it has been quiet for a moment, or every other
 * second when it never is; never more often than twenty times what reading it takes.
 * After a minute without a change it is read a last time, as one that has ended.
 * One feed's thread only.
 */
#ifndef COLLECTORS_PAIR_BOOK_H
#define COLLECTORS_PAIR_BOOK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collectors/pair_store.h"

/* Most files of one feed; a sweep of 1,024 nodes with a file a round has 1,023. */
#define PAIR_BOOK_MAX 65536
/* Read of one file at most: a run with NCCL_DEBUG=INFO of many nodes stays far below. */
#define PAIR_BOOK_FILE_MAX (64u << 20)

#define PAIR_BOOK_NEVER INT64_MAX

/* What a look says of a file. */
struct pair_seen {
	uint64_t size;
	int64_t mtime_ms; /* Unix */
	uint64_t ino;     /* 0 not known */
	int64_t age_ms;   /* since it was changed */
};

struct pair_entry {
	char *path; /* NULL: was dropped, goes with the next pair_book_tidy */
	struct pair_seen seen;
	int64_t changed_mono_ms;
	int64_t since_mono_ms; /* pending since */
	int64_t read_mono_ms;
	int64_t gap_ms; /* least time between reads */
	unsigned look;  /* the last that saw it */
	bool pending;   /* has changed since it was read */
	bool known;     /* was read */
	bool growing;   /* was closed as one that may still grow */
};

struct pair_book {
	struct pair_entry *entries;
	size_t n;
	size_t cap;
	uint32_t *index; /* open-addressed positions + 1 */
	size_t index_cap;
	unsigned look;
	bool untidy;
};

#define PAIR_BOOK_INIT                        \
	{                                     \
		NULL, 0, 0, NULL, 0, 0, false \
	}

void pair_book_release(struct pair_book *b);

/* Notes what a look saw. NULL when the book is full. Good until the next call. */
struct pair_entry *pair_book_see(
	struct pair_book *b, const char *path, const struct pair_seen *seen, int64_t now_mono_ms);
struct pair_entry *pair_book_find(const struct pair_book *b, const char *path);

/* The file is gone: what it said is forgotten. */
void pair_book_drop(struct pair_book *b, struct pair_entry *entry, struct pair_store *store);

/* A look at everything: those not seen in `looks` looks in a row are dropped at its end. */
void pair_book_begin_look(struct pair_book *b);
void pair_book_end_look(struct pair_book *b, unsigned looks, struct pair_store *store);
/* Gives up the places of dropped entries; entries move. */
void pair_book_tidy(struct pair_book *b);

/* When it is to be read next, monotonic; PAIR_BOOK_NEVER. */
int64_t pair_book_due(const struct pair_entry *entry);
/* Whether it may still grow: what pair_file_close is told. */
bool pair_book_growing(const struct pair_entry *entry, int64_t now_mono_ms);
/* It was read; that took cost_ms. */
void pair_book_was_read(
	struct pair_entry *entry, bool growing, int64_t now_mono_ms, int64_t cost_ms);

/* Reads everything once more. */
void pair_book_again(struct pair_book *b);

struct pair_counts {
	size_t files;         /* that were read */
	size_t growing;       /* of these, changed a moment ago */
	size_t unread;        /* not read even once */
	int64_t next_mono_ms; /* the earliest pair_book_due; PAIR_BOOK_NEVER */
};
struct pair_counts pair_book_count(const struct pair_book *b, int64_t now_mono_ms);

#endif
