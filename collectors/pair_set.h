/*
 * One consistent set of pair measurements, immutable once made: same tool,
 * collective, rank count and message size, so that its numbers compare.
 *
 * A pair is a, b with a < b: indices into nodes. Readings of a pair are together,
 * in the order in which they were measured (or read, where no time is known).
 * Owned by one holder; may be freed on another thread than the one that made it.
 */
#ifndef COLLECTORS_PAIR_SET_H
#define COLLECTORS_PAIR_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collectors/bandwidth.h"
#include "collectors/fleet.h"

/* What all readings of a set have in common. */
struct pair_key {
	enum bw_tool tool;
	enum bw_collective collective;
	uint32_t ranks;      /* 0 not told */
	uint64_t size_bytes; /* 0 not told */
};

struct pair_reading {
	float busbw_gbps;
	uint32_t source; /* index into sources */
};

/* Where readings came from: one a run or one a CSV file. */
struct pair_source {
	const char *path;       /* the file, for people */
	unsigned line;          /* 0 not known */
	int64_t wall_ms;        /* when measured, else when the file was changed; 0 not known */
	float other_busbw_gbps; /* the half that was not selected; NAN not known */
	enum bw_hosts_from hosts_from;
};

/* A run of two nodes that gave no figure: never shown as 0. */
struct pair_failure {
	uint16_t a;
	uint16_t b;
	enum bw_status status; /* BW_FAILED or BW_TRUNCATED */
	const char *why;
	const char *path;
	int64_t wall_ms;
	bool wrong; /* it printed wrong values: data was corrupted, not only lost */
};

/* Transport trouble that a run's log lines show. */
struct pair_trouble {
	enum bw_trouble what;
	size_t node; /* who printed it; FLEET_NONE not known */
	uint16_t a;  /* the run's pair, when it was one: a < b; else a == b == 0 */
	uint16_t b;
	const char *line;
	const char *path;
};

/* A set that was not taken: what --size or --collective would show. */
struct pair_alternative {
	struct pair_key key;
	size_t pairs;
	size_t runs;
};

/* Runs and files that are in no matrix, counted by reason. */
struct pair_left_out {
	size_t failed;
	size_t truncated;
	size_t one_rank;   /* BW_NONE */
	size_t not_a_pair; /* one host, or more than two */
	size_t no_hosts;   /* nobody says which nodes */
	size_t ambiguous;  /* short names that two nodes share */
	size_t no_size;    /* lacks the size that was asked for */
	size_t wrong;      /* wrong values: the figure is shown nowhere */
	size_t running;    /* not yet at their end */
	size_t no_figure;  /* the half that was asked for is not printed */
	size_t other_set;  /* measured otherwise: see alternatives */
	size_t unread;     /* lines or files that were not understood */
	size_t nothing;    /* files without anything of a benchmark */
};

struct pair_set {
	struct fleet_node *nodes; /* copies; every node of the fleet, measured or not */
	size_t n;
	struct pair_key key;
	bool in_place;

	struct pair_reading *readings; /* sorted by pair */
	size_t n_readings;
	uint32_t *first; /* pair_count(n) + 1: a pair's readings are [first[p], first[p + 1]) */
	size_t measured; /* pairs with a reading */

	struct pair_source *sources;
	size_t n_sources;
	struct pair_failure *failures;
	size_t n_failures;
	struct pair_trouble *troubles;
	size_t n_troubles;
	struct pair_alternative *alternatives; /* most pairs first; without the one taken */
	size_t n_alternatives;
	struct pair_left_out left_out;
	size_t files;
	int64_t newest_wall_ms; /* 0 not known */
	struct arena arena;
};

/* Pairs of n nodes. */
static inline size_t pair_count(size_t n)
{
	return n < 2 ? 0 : n * (n - 1) / 2;
}

/* Position of a pair; a != b, any order, both below n. */
static inline size_t pair_index(size_t n, size_t a, size_t b)
{
	if (a > b) {
		size_t t = a;

		a = b;
		b = t;
	}
	return a * n - a * (a + 1) / 2 + (b - a - 1);
}

/* The nodes of the p-th pair; the opposite of pair_index. */
void pair_nodes(size_t n, size_t p, size_t *a, size_t *b);

/* Readings of a pair and how many; NULL and 0 when it was not measured. */
const struct pair_reading *pair_set_readings(
	const struct pair_set *s, size_t a, size_t b, size_t *count);

/*
 * The figure that stands for a pair: the median of its readings (the lower of the two
 * in the middle is not taken: their mean is). NAN when it was not measured.
 */
double pair_set_busbw(const struct pair_set *s, size_t a, size_t b);

/*
 * A set of given readings, for tests and the simulation: r_a, r_b, busbw of n_readings
 * readings. Copies everything.
 */
struct pair_set *pair_set_make(const struct fleet *fleet, const struct pair_key *key,
	const uint16_t *a, const uint16_t *b, const float *busbw_gbps, size_t n_readings);

/*
 * For pair_store: a set of a fleet's nodes without readings (never NULL), and the
 * readings put into it: a[i], b[i] below n, any order; those of a node with itself
 * are passed over. The order of a pair's readings is kept.
 */
struct pair_set *pair_set_new(const struct fleet *fleet, const struct pair_key *key);
void pair_set_fill(struct pair_set *s, const uint16_t *a, const uint16_t *b,
	const struct pair_reading *readings, size_t n);

void pair_set_free(struct pair_set *s); /* NULL is allowed */

#endif
