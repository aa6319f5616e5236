/*
 * Allocation of small things whose failure nobody could handle: they abort
 * with a message. Anything sized by remote input uses buf.h or arena.h, which
 * have caps and return ERR_TOOBIG / ERR_NOMEM instead.
 */
#ifndef COLLECTORS_XMALLOC_H
#define COLLECTORS_XMALLOC_H

#include <stddef.h>

void *xmalloc(size_t size);
void *xcalloc(size_t count, size_t size);
void *xreallocarray(void *p, size_t count, size_t size);
char *xstrdup(const char *s);
char *xstrndup(const char *s, size_t n);

/*
 * Grows *items (elements of size bytes) so that one more than count fits;
 * *cap is its capacity. Doubles, so appending is amortised constant.
 */
void xgrow(void **items, size_t *cap, size_t count, size_t size);

/*
 * Gives memory that was freed back to the system, where the allocator has a way
 * to. Takes some milliseconds with many megabytes: for after a burst.
 */
void xtrim(void);

#endif
