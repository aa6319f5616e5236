/* The pieces of the host section that tell which instance this is, and where. */
#ifndef COLLECTORS_HOST_IDENTITY_H
#define COLLECTORS_HOST_IDENTITY_H

#include "collectors/marks.h"
#include "collectors/section.h"

struct host_parse {
	struct section *s;
	struct host_reading *r;
	struct span resource_config; /* read last: it needs the instance id */
};

void host_read_dmi(struct host_parse *p, const struct marks_piece *piece);
void host_read_cloud_init(struct host_parse *p, const struct marks_piece *piece);
void host_read_resource_config(struct host_parse *p, const struct marks_piece *piece);

/* After the last piece: the group that resource_config.json gives to this instance. */
void host_set_group(struct host_parse *p);

#endif
