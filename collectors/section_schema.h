/* The run-time description of every section, made from the lists in reading.h. */
#ifndef COLLECTORS_SECTION_SCHEMA_H
#define COLLECTORS_SECTION_SCHEMA_H

#include "collectors/section.h"

extern const struct section_desc section_descs[SECTION_COUNT];

#endif
