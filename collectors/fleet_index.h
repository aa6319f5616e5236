/*
 * Which node a name means. Names compare without case; "ip-10-1-2-3" and "10.1.2.3" are the
 * same name. A name with dots is also known by what is before the first one, as long as no
 * other node has the same. For fleet.c.
 */
#ifndef COLLECTORS_FLEET_INDEX_H
#define COLLECTORS_FLEET_INDEX_H

#include <stdbool.h>
#include <stddef.h>

#include "collectors/text.h"

struct fleet_index;

struct fleet_index *fleet_index_new(void);
struct fleet_index *fleet_index_copy(const struct fleet_index *x);
void fleet_index_free(struct fleet_index *x); /* NULL is allowed */

/* The first node with a name keeps it. Empty names and those over 255 bytes are passed over. */
void fleet_index_add(struct fleet_index *x, struct span name, size_t node);

/* SIZE_MAX: nobody, or several that share a short name. */
size_t fleet_index_find(const struct fleet_index *x, struct span name);

/* True for a short name that several nodes share and none has for its own. */
bool fleet_index_is_ambiguous(const struct fleet_index *x, struct span name);

#endif
