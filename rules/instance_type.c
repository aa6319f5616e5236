#include "rules/instance_type.h"

#include <stddef.h>
#include <string.h>

#include "collectors/compiler.h"

/* name, GPUs, EFA, NVLinks a GPU, Neuron devices, NVSwitch in the node, NVL72 */
static const struct instance_type types[] = {
	{"p3dn.24xlarge", 8, 1, 6, 0, false, false},    /* V100 SXM2, cube mesh */
	{"p4d.24xlarge", 8, 4, 12, 0, true, false},     /* A100 40 GB */
	{"p4de.24xlarge", 8, 4, 12, 0, true, false},    /* A100 80 GB */
	{"p5.48xlarge", 8, 32, 18, 0, true, false},     /* H100, 32 x 100 Gb/s */
	{"p5e.48xlarge", 8, 32, 18, 0, true, false},    /* H200 */
	{"p5en.48xlarge", 8, 16, 18, 0, true, false},   /* H200, 16 x 200 Gb/s */
	{"p6-b200.48xlarge", 8, 8, 18, 0, true, false}, /* 8 x 400 Gb/s; two ConnectX more */
	{"p6-b300.48xlarge", 8, 16, 18, 0, true, false},
	{"p6e-gb200.36xlarge", 4, 4, 18, 0, false, true}, /* one tray of an NVL72 */
	{"p6e-gb300.36xlarge", 4, 4, 18, 0, false, true},
	{"g5.xlarge", 1, 0, 0, 0, false, false}, /* A10G */
	{"g5.2xlarge", 1, 0, 0, 0, false, false},
	{"g5.4xlarge", 1, 0, 0, 0, false, false},
	{"g5.8xlarge", 1, 1, 0, 0, false, false},
	{"g5.12xlarge", 4, 1, 0, 0, false, false},
	{"g5.16xlarge", 1, 1, 0, 0, false, false},
	{"g5.24xlarge", 4, 1, 0, 0, false, false},
	{"g5.48xlarge", 8, 1, 0, 0, false, false},
	{"g6.xlarge", 1, 0, 0, 0, false, false}, /* L4 */
	{"g6.2xlarge", 1, 0, 0, 0, false, false},
	{"g6.4xlarge", 1, 0, 0, 0, false, false},
	{"g6.8xlarge", 1, 1, 0, 0, false, false},
	{"g6.12xlarge", 4, 1, 0, 0, false, false},
	{"g6.16xlarge", 1, 1, 0, 0, false, false},
	{"g6.24xlarge", 4, 1, 0, 0, false, false},
	{"g6.48xlarge", 8, 1, 0, 0, false, false},
	{"g6e.xlarge", 1, 0, 0, 0, false, false}, /* L40S */
	{"g6e.2xlarge", 1, 0, 0, 0, false, false},
	{"g6e.4xlarge", 1, 0, 0, 0, false, false},
	{"g6e.8xlarge", 1, 1, 0, 0, false, false},
	{"g6e.12xlarge", 4, 1, 0, 0, false, false},
	{"g6e.16xlarge", 1, 1, 0, 0, false, false},
	{"g6e.24xlarge", 4, 2, 0, 0, false, false},
	{"g6e.48xlarge", 8, 4, 0, 0, false, false},
	{"trn1.2xlarge", 0, 0, 0, 1, false, false},
	{"trn1.32xlarge", 0, 8, 0, 16, false, false},
	{"trn1n.32xlarge", 0, 16, 0, 16, false, false},
	{"trn2.48xlarge", 0, 16, 0, 16, false, false},
};

/* Controller and login nodes: families without accelerators. EFA is optional on them. */
static const char *const plain_families[] = {"c5.", "c5n.", "c6i.", "c6in.", "c7i.", "m5.", "m5n.",
	"m6i.", "m6in.", "m7i.", "r5.", "r6i.", "r7i.", "t3.", "t3a."};

const struct instance_type *instance_type_find(const char *type)
{
	static const struct instance_type plain = {"general purpose", 0, 0, 0, 0, false, false};

	if (!type)
		return NULL;
	if (strncmp(type, "ml.", 3) == 0)
		type += 3;
	for (size_t i = 0; i < ARRAY_LEN(types); i++)
		if (strcmp(type, types[i].name) == 0)
			return &types[i];
	for (size_t i = 0; i < ARRAY_LEN(plain_families); i++)
		if (strncmp(type, plain_families[i], strlen(plain_families[i])) == 0)
			return &plain;
	return NULL;
}
