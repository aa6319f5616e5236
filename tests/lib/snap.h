/*
 * Fleet pictures for tests, made from the text that a node would print.
 *
 * Everything goes through section_parse, so a test sees what the program sees.
 * Times: a new picture stands at SNAP_NOW_MONO_MS / SNAP_NOW_WALL_MS and its
 * sections arrived at that moment; snap_advance makes the next picture.
 * Failures abort the test binary with a message: a helper that lies is worse.
 */
#ifndef TESTS_LIB_SNAP_H
#define TESTS_LIB_SNAP_H

#include <stddef.h>
#include <stdint.h>

#include "collectors/snapshot.h"

#define SNAP_NOW_MONO_MS 1000000
#define SNAP_NOW_WALL_MS 1764564000000 /* 2025-12-01T04:40:00Z */

/* n nodes "node01", "node02" ..., all NODE_OK, generation 1, SOURCE_RAW. snapshot_free it. */
struct snapshot *snap_new(size_t n);

/* Node i says text in that section; what it said before becomes its previous answer. */
void snap_section(struct snapshot *snap, size_t i, enum section_id id, const char *text);
/* The same for bytes that need not be terminated, with the frame's own facts. */
void snap_section_meta(struct snapshot *snap, size_t i, enum section_id id, const char *bytes,
	size_t len, struct section_meta meta);

/* All nodes say the same text. */
void snap_section_all(struct snapshot *snap, enum section_id id, const char *text);

/* Inventory facts; NULL leaves them unknown. */
void snap_identity(struct snapshot *snap, size_t i, const char *id, const char *instance_type,
	const char *group);
void snap_placement(struct snapshot *snap, size_t i, const char *az, const char *spine,
	const char *leaf, const char *ultraserver);

/* Reached no more: NODE_FAILED drops the sections, NODE_STALE keeps them. why may be NULL. */
void snap_state(struct snapshot *snap, size_t i, enum node_state st, const char *why);

/*
 * The picture ms later, same nodes and sections (shared, not newer), generation
 * one higher. The old one stays valid. snap_section on the new one then gives
 * a newer answer whose predecessor is the old one.
 */
struct snapshot *snap_advance(const struct snapshot *snap, int64_t ms);

/*
 * DIR/<node>/<section>: one node a directory, in byte order of the names; files
 * that are no section's name are skipped. NULL when DIR cannot be opened.
 */
struct snapshot *snap_raw_dir(const char *dir);

/*
 * The simulated cluster as it is t_ms after its start: at most max nodes (0 all), those
 * that do not answer NODE_FAILED, SOURCE_DEMO. prev (may be NULL): the same cluster
 * earlier, for rates. Aborts when there is no such scenario.
 */
struct snapshot *snap_demo(
	const char *scenario, int64_t t_ms, size_t max, const struct snapshot *prev);

/* Content of a file, terminated; NULL when it cannot be read. Caller frees. */
char *snap_read_file(const char *path, size_t *len);

#endif
