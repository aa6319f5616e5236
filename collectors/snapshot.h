/*
 * The fleet picture: immutable, made by the collector, owned by one reader.
 *
 * A snapshot holds a reference to each section that it shows and one arena for
 * its strings; snapshot_free drops both. It may be freed on another thread than
 * the one that made it.
 */
#ifndef COLLECTORS_SNAPSHOT_H
#define COLLECTORS_SNAPSHOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collectors/arena.h"
#include "collectors/node.h"

enum source_mode { SOURCE_LIVE, SOURCE_DEMO, SOURCE_RAW, SOURCE_REPLAY };

struct snapshot {
	uint64_t generation; /* grows by one with each snapshot of a collector */
	int64_t mono_ms;     /* when it was frozen; ages are against this */
	int64_t wall_ms;
	enum source_mode mode;
	const char *source; /* "hosts file nodes.txt", "demo first-light": for people */
	bool complete;      /* every node has answered or failed at least once */
	struct node *nodes; /* in the order of the source */
	size_t n;
	size_t reached; /* nodes whose newest request was answered (NODE_OK) */
	struct arena arena;
};

/*
 * For the maker (collector, tests): n empty nodes, everything else zero.
 * Never NULL. String fields are copied in by snapshot_str.
 */
struct snapshot *snapshot_new(size_t n);

/* Printable copy of s in the snapshot's arena; NULL for NULL or "". */
const char *snapshot_str(struct snapshot *snap, const char *s);

/* Takes a reference to each of cur and prev (NULL allowed) for that section. */
void snapshot_set_section(
	struct node *n, enum section_id id, const struct section *cur, const struct section *prev);

/* Sets reached and complete from the nodes' states. */
void snapshot_count(struct snapshot *snap);

void snapshot_free(struct snapshot *snap); /* NULL is allowed */

/* Node by id or name, or NULL. */
const struct node *snapshot_node(const struct snapshot *snap, const char *id);

/* Age of a section at the time of the snapshot, ms; -1 when it was never read. */
int64_t snapshot_age_ms(const struct snapshot *snap, const struct section *s);

#endif
