/* /proc/self/mountstats (NFS), as a piece of the client_io section. */
#ifndef COLLECTORS_PARSE_MOUNTSTATS_H
#define COLLECTORS_PARSE_MOUNTSTATS_H

#include "collectors/marks.h"
#include "collectors/section.h"

/* Adds one row to client_io's mounts for each NFS mount of the text. */
void mountstats_read(struct section *s, const struct marks_piece *piece);

#endif
