/*
 * A node as the fleet picture shows it: who it is, whether it can be reached,
 * and the newest answer (and the one before it) of each section.
 */
#ifndef COLLECTORS_NODE_H
#define COLLECTORS_NODE_H

#include <stdint.h>

#include "collectors/err.h"
#include "collectors/section.h"

enum node_state {
	NODE_PENDING,    /* not tried yet (waiting for a place under the concurrency limit) */
	NODE_CONNECTING, /* first contact under way */
	NODE_PROBING,    /* connected, first answer under way */
	NODE_OK,         /* answered its newest request */
	NODE_STALE,      /* answered once, does not now; the values shown are old */
	NODE_FAILED      /* never answered; error says why */
};

/* Where the node stands; NULL where nobody told. */
struct placement {
	const char *az;
	const char *spine; /* network node layer above the leaf */
	const char *leaf;  /* highest-numbered network node layer: the nearest switch */
	const char *ultraserver;
};

/* Strings: printable, owned by the snapshot's arena. */
struct node {
	const char *id;            /* unique within the source: what --node takes */
	const char *name;          /* what people call it; equals id where nobody told more */
	const char *address;       /* where it was tried, "[user@]host[:port]", an IPv6 host with a
				      port in [ ]; NULL where that means nothing */
	const char *group;         /* instance group; NULL unknown */
	const char *instance_type; /* of the inventory, without "ml."; NULL unknown */
	struct placement placement;

	enum node_state state;
	enum err_code err;        /* of the last failure; ERR_OK when none is standing */
	const char *error;        /* its sentence; NULL when none */
	int64_t last_ok_mono_ms;  /* newest complete answer; 0 never */
	int64_t next_try_mono_ms; /* planned retry; 0 none */
	unsigned failures;        /* in a row */
	int64_t answer_ms;        /* how long the newest answer took; -1 not known */

	const struct section *section[SECTION_COUNT]; /* newest; NULL never answered */
	const struct section *prev[SECTION_COUNT];    /* the one before, for rates; NULL none */
};

/* "pending", "connecting", ..., static. */
const char *node_state_name(enum node_state st);

/*
 * The instance type without "ml.": of the inventory, else what the host itself
 * says; NULL when neither is known. Borrowed.
 */
const char *node_instance_type(const struct node *n);

/* True when any section was ever read. */
int node_reached(const struct node *n);

/*
 * Growth of a counter between the last two answers of its section, per second
 * of the time between them. Unknown when one of them is missing, when the
 * counter went back (a reset), or when no time passed.
 * offset: of the struct opt_u64 in the section's reading (offsetof).
 */
struct opt_f64 node_rate(const struct node *n, enum section_id id, size_t offset);

/*
 * iowait over the interval between the last two cpu answers, %; or what the
 * newest answer itself measured (iostat). Unknown with a single reading.
 */
struct opt_f64 node_iowait_pct(const struct node *n);

#endif
