/* Gives back the room that parsing took and the result does not need. */
#ifndef COLLECTORS_SECTION_COMPACT_H
#define COLLECTORS_SECTION_COMPACT_H

#include "collectors/section.h"

/*
 * Moves the reading, its rows, strings and notes into one block of exactly
 * their size, equal strings of a section stored once. Pointers taken before are
 * invalid. Changes nothing when memory is short. A fleet keeps tens of
 * thousands of sections, so what each wastes counts.
 */
void section_compact(struct section *s);

#endif
