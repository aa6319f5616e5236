/* The output of fi_info -p efa, as a piece of the efa section. */
#ifndef COLLECTORS_PARSE_FI_INFO_H
#define COLLECTORS_PARSE_FI_INFO_H

#include <stdbool.h>

#include "collectors/marks.h"
#include "collectors/section.h"

/* True when text without a mark is fi_info's. */
bool fi_info_like(struct span text);

/* Reads "#@ fi_info" with its text, or "#@ fi_info exit N". */
void fi_info_read(struct section *s, const struct marks_piece *piece);

/* After the last piece: says whether the provider is there. */
void fi_info_finish(struct section *s);

#endif
