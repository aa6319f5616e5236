/*
 * What is expected of a node, and what a fleet has in common: made once a
 * judgement so that signals need not ask again.
 */
#ifndef RULES_FACTS_H
#define RULES_FACTS_H

#include <stddef.h>

#include "collectors/snapshot.h"
#include "rules/instance_type.h"

/* Whether a node has a kind of device at all. */
enum has { HAS_NO, HAS_MAYBE, HAS_YES };

struct node_facts {
	const char *type_name;            /* without "ml."; NULL unknown */
	const struct instance_type *type; /* NULL: unknown, or not in the table */
	enum has gpu;
	enum has efa;
	enum has neuron;
	enum has lustre;
	bool reached; /* some section was read */
};

/* SM clock that half of the loaded GPUs of one product reach. */
struct clock_median {
	const char *product;
	double mhz;
	size_t gpus;
};

#define CLOCK_MEDIANS_MAX 8

struct pair_facts;

struct fleet_facts {
	struct clock_median clocks[CLOCK_MEDIANS_MAX];
	size_t clocks_n;
	const struct pair_facts *pairs; /* of the judge; NULL: no sweep was read */
};

/* prev (may be NULL): facts of another node, whose type look-up is used again when equal. */
void node_facts_get(struct node_facts *f, const struct node *n, const struct node_facts *prev);

void fleet_facts_get(struct fleet_facts *f, const struct snapshot *snap);

/* Median of a product; NULL with fewer than FACTS_PEERS_MIN loaded GPUs of it. */
#define FACTS_PEERS_MIN 8
const struct clock_median *fleet_clock(const struct fleet_facts *f, const char *product);

/*
 * The GPU does real work: a kernel runs nearly always and it draws power as if.
 * Utilization alone also reads 100 % in a hang, or while the query itself wakes
 * the GPU (persistence off).
 */
bool gpu_is_loaded(const struct gpu_row *g);

/* "00000000:53:00.0", "0000:53:00" and "0000:53:00.0" are the same device. */
bool gpu_same_bus(const char *a, const char *b);

/* The GPU on a bus as nvidia-smi lists it; NULL none, or r NULL. */
const struct gpu_row *gpu_on_bus(const struct gpu_reading *r, const char *bus);

#endif
