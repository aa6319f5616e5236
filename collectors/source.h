/*
 * A source: which nodes there are, and how each is reached.
 *
 * Made from the command line before any thread starts; then given to
 * collector_start, which owns it. Targets are in display order; ids are unique.
 */
#ifndef COLLECTORS_SOURCE_H
#define COLLECTORS_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collectors/err.h"
#include "collectors/snapshot.h"
#include "collectors/transport.h"

/* All strings are owned by the target (heap), NULL where nobody told. */
struct target {
	char *id;
	char *name;
	char *host; /* what ssh is told, or {node} of a template */
	char *user;
	uint16_t port; /* 0: the default or what the configuration says */
	char *group;
	char *instance_type;
	char *az;
	char *spine;
	char *leaf;
	char *ultraserver;
	char *where; /* "nodes.txt:12", for messages */
};

struct source {
	enum source_mode mode;
	char *label; /* "hosts file nodes.txt", for people */
	struct target *targets;
	size_t n;
	size_t cap;

	/*
	 * Makes the transport for a target, not yet connected. Never blocks.
	 * NULL with *e filled when that cannot be. now: monotonic.
	 */
	struct transport *(*connect)(
		struct source *src, const struct target *t, int64_t now_mono_ms, struct err *e);
	void (*free_private)(struct source *src); /* may be NULL */
	void *private_data;

	/* Of source_add: open-addressed positions + 1 of ids; nobody else's. */
	uint32_t *index;
	size_t index_cap;
};

/* One empty source with the given label. */
struct source *source_new(enum source_mode mode, const char *label);
void source_free(struct source *src); /* NULL is allowed */

/*
 * Appends a target with the given id (copied; must not be changed afterwards).
 * ERR_USAGE when the id is empty or there already, with *out set to the one that
 * has it, so that the caller can name its place (where). *out (may be NULL) is
 * valid until the next call.
 */
enum err_code source_add(
	struct source *src, const char *id, struct target **out, struct err *e) ATTR_MUST_CHECK;

/*
 * Drops the targets that keep does not want; the others keep their order and
 * ids. Before collector_start only, and after the last source_add. Sources find
 * what is private to a target by its id, never by its place.
 */
void source_keep(struct source *src, bool (*keep)(void *ctx, const struct target *t), void *ctx);

/* Settings of reaching nodes over SSH. */
struct ssh_settings {
	const char *config_file;   /* -F; NULL: ssh's own */
	const char *identity_file; /* tried first; NULL none */
	const char *known_hosts;   /* instead of the configured files; NULL none */
	bool accept_new;           /* add unknown host keys */
	bool use_ssh_g;            /* resolve options by `ssh -G` where ssh is installed */
	int connect_timeout_ms;    /* each step; 0: 10 s */
};

/* Sources that reach nodes over SSH, exec templates, captured files, the simulation. */
enum err_code source_hosts_file(struct source **out, const char *path,
	const struct ssh_settings *ssh, struct err *e) ATTR_MUST_CHECK;
enum err_code source_hosts(struct source **out, const char *const *hosts, size_t n,
	const struct ssh_settings *ssh, struct err *e) ATTR_MUST_CHECK;
enum err_code source_exec(struct source **out, const char *command_template,
	const char *const *nodes, size_t n, struct err *e) ATTR_MUST_CHECK;
enum err_code source_raw(struct source **out, const char *dir, struct err *e) ATTR_MUST_CHECK;
/* scenario: a name from demo_scenario_name(), NULL for the default, or a path to a JSON file. */
enum err_code source_demo(struct source **out, const char *scenario, struct err *e) ATTR_MUST_CHECK;

/* Exchanges the nodes of two sources; label, mode and transport stay. */
void source_swap_targets(struct source *a, struct source *b);

#endif
