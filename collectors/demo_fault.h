/*
 * Faults of the simulation, as data: one table entry a kind.
 *
 * A fault changes the state of a node (demo_state.h) between its start and its
 * end; the texts are then printed from that state, so that a fault shows in
 * every section that a real one shows in.
 */
#ifndef COLLECTORS_DEMO_FAULT_H
#define COLLECTORS_DEMO_FAULT_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collectors/err.h"

struct demo_fault_kind;
struct demo_state;

/* One fault of one node. Which members mean something is the kind's business. */
struct demo_fault {
	const struct demo_fault_kind *kind;
	size_t node;
	int64_t start_ms; /* since the start of the demo */
	int64_t end_ms;   /* INT64_MAX: never */

	double gpu;
	double device; /* EFA device number */
	double link;
	double count;
	double code;
	double temp_c;
	double mhz;
	double width;
	double pct;
	double rate; /* per second */
	double ms;
	double seconds;
	double missing; /* 1: gone altogether */
	double reset;   /* 1: the session is reset */
	char text[160];
	char item[40];
	char value[64];
};

/*
 * Reads the keys of one entry of "faults" apart from node and nodes. where names
 * file and entry in errors. Checks numbers against the kind's limits.
 */
enum err_code demo_fault_parse(struct demo_fault *out, const cJSON *entry, const char *where,
	struct err *e) ATTR_MUST_CHECK;

/* Changes st as the fault says; st->t_ms is the time. Only when it is in force. */
void demo_fault_apply(const struct demo_fault *f, struct demo_state *st);

const char *demo_fault_name(const struct demo_fault *f);

/* The i-th kind: its name and what it does; false after the last. */
bool demo_fault_kind_at(size_t i, const char **name, const char **what);

#endif
