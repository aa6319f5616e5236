/*
 * What a judge remembers from one snapshot to the next: since when something is
 * so, and how many readings in a row said it. Keeps findings from flapping.
 */
#ifndef RULES_HYSTERESIS_H
#define RULES_HYSTERESIS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What was said when it last fired: shown while it has not cleared yet. */
struct said {
	char value[48];
	char part[96];  /* "gpu 3" */
	char title[96]; /* "GPU 3" */
	double number;
};

struct memory {
	uint64_t key;
	int64_t since_wall_ms;
	int64_t reading_mono_ms; /* of the newest reading counted */
	uint64_t generation;     /* of the newest snapshot that had it */
	int64_t seen_mono_ms;
	unsigned hits;   /* readings in a row that fired */
	unsigned misses; /* readings in a row that did not, while active */
	bool active;
	bool used;
	struct said said;
};

struct hysteresis {
	struct memory *slots;
	size_t cap; /* a power of two, or 0 */
	size_t n;
};

#define HYSTERESIS_INIT    \
	{                  \
		NULL, 0, 0 \
	}

/* FNV-1a over several texts, with a mark between them; never 0. Ends with NULL. */
uint64_t hysteresis_key(const char *first, ...);

struct observation {
	uint64_t key;
	bool fires;
	unsigned needed;         /* readings that must agree, at least 1 */
	int64_t reading_mono_ms; /* a reading that was counted is not counted again */
	uint64_t generation;
	uint64_t generation_before; /* of the snapshot judged before this one */
	int64_t now_mono_ms;
	int64_t now_wall_ms;
};

/*
 * Counts one observation. NULL: nothing to show. Otherwise the memory of it,
 * active or, while fewer than needed readings agreed, not yet. Valid until the
 * next call.
 */
struct memory *hysteresis_observe(struct hysteresis *h, const struct observation *o);

/* Whether anything is remembered of key. */
bool hysteresis_knows(const struct hysteresis *h, uint64_t key);

/* Forgets what was not observed for a while (two minutes of the snapshots' time). */
void hysteresis_sweep(struct hysteresis *h, uint64_t generation, int64_t now_mono_ms);

void hysteresis_release(struct hysteresis *h);

#endif
