/*
 * Who the nodes are and where they stand, for reading pairs: names and aliases of
 * the inventory, placement from nodes.csv or the cluster, and nodes that are
 * known only because a benchmark named them.
 *
 * A node has an index that stays the same while nodes are added.
 * Not thread-safe; fleet_copy makes one for another thread.
 */
#ifndef COLLECTORS_FLEET_H
#define COLLECTORS_FLEET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collectors/arena.h"
#include "collectors/err.h"
#include "collectors/snapshot.h"
#include "collectors/text.h"

/* Most nodes: pairs index them with 16 bits. */
#define FLEET_NODES_MAX 16384
#define FLEET_NONE      SIZE_MAX

/* Strings: printable, the fleet's. NULL where nobody told. */
struct fleet_node {
	const char *name; /* what is shown */
	const char *id;   /* of the snapshot's node, to open its panel; NULL not in the inventory */
	const char *instance_id; /* "i-..." */
	const char *az;
	const char *spine;
	const char *leaf;
	const char *ultraserver;
	const char *instance_type; /* without "ml." */
	bool busy;                 /* seems to run a job: its GPUs are loaded */
	bool ambiguous;            /* its short name belongs to several nodes */
};

struct fleet {
	struct fleet_node *nodes;
	size_t n;
	size_t cap;
	struct arena arena;
	struct fleet_index *index; /* of names; fleet.c's own */
};

/* An empty fleet; never NULL. */
struct fleet *fleet_new(void);
void fleet_free(struct fleet *f); /* NULL is allowed */
struct fleet *fleet_copy(const struct fleet *f);

/*
 * Reads nodes.csv (header: node,az,spine,leaf,ultraserver,instance_type in any
 * order, other columns passed over; only node is needed). Nodes that are there
 * already get what the file says. ERR_IO, ERR_PARSE with file, line, what to do.
 */
enum err_code fleet_read_csv(struct fleet *f, const char *path, struct err *e) ATTR_MUST_CHECK;

/*
 * The inventory of a snapshot: names, addresses, instance ids, host names that the
 * nodes print themselves, placement, instance type, whether busy. Keeps indices of
 * nodes that were there.
 */
void fleet_add_snapshot(struct fleet *f, const struct snapshot *snap);

/*
 * The node that a benchmark calls `host`: by name, alias, instance id, address
 * ("ip-10-1-2-3" is 10.1.2.3), or, where only one node fits, by the name up to the
 * first dot. FLEET_NONE when nobody fits; then fleet_add makes it one.
 */
size_t fleet_find(const struct fleet *f, struct span host);
/* fleet_find, or a new node. FLEET_NONE only when there are FLEET_NODES_MAX. */
size_t fleet_find_or_add(struct fleet *f, struct span host);
/* Another name for a node ("host: i-..." lines, pod names). The first owner of a name keeps it. */
void fleet_alias(struct fleet *f, size_t node, struct span alias);

/* ---- for fleet_*.c ---- */

/* The nodes, their strings in arena; the caller frees the array. Never NULL. For pair_set too. */
struct fleet_node *fleet_nodes_copy(const struct fleet *f, struct arena *arena);

/* Printable copy, NULL for nothing; at most 255 bytes. */
const char *fleet_str(struct fleet *f, struct span s);

#endif
