/*
 * What a healthy machine of an EC2 instance type has. Only types that training
 * clusters use; for any other, and for a type that is not known, nothing is
 * expected (NULL): unknown is never "none".
 *
 * Sources: the EC2 instance type pages and the EFA user guide (network cards),
 * NVIDIA product pages (links of a GPU), the Neuron documentation (devices).
 */
#ifndef RULES_INSTANCE_TYPE_H
#define RULES_INSTANCE_TYPE_H

#include <stdbool.h>

struct instance_type {
	const char *name; /* without "ml." */
	unsigned gpus;
	unsigned efa;     /* EFA devices when all network cards are attached */
	unsigned nvlinks; /* NVLinks of each GPU; 0: the board has none */
	unsigned neuron;  /* Neuron devices */
	bool nvswitch;    /* the node itself has NVSwitches: Fabric Manager runs on it */
	bool nvl72;       /* one NVLink domain over many nodes */
};

/* type may start with "ml."; NULL gives NULL. Static. */
const struct instance_type *instance_type_find(const char *type);

#endif
