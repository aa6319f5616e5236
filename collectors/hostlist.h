/*
 * Lists of host names written short, as Slurm writes them:
 *
 *   ip-10-1-[0-3]-[1-64],gpu[007-012,020],head
 *
 * A bracket holds numbers and ranges; several brackets multiply, the last one
 * changing fastest. A leading zero of a range's first number is kept as width.
 * "[0-8:2]" and "[0-8/2]" step. Names are separated by commas or white space.
 * A bracket with two or more colons is an IPv6 address and is kept as it is.
 *
 * Pure, thread-safe.
 */
#ifndef COLLECTORS_HOSTLIST_H
#define COLLECTORS_HOSTLIST_H

#include <stddef.h>

#include "collectors/compiler.h"
#include "collectors/err.h"

/* Longest name that expansion makes, in bytes: user@ and :port included. */
#define HOSTLIST_NAME_MAX 320

/*
 * Calls each with every name in order, repeats included. The name is valid
 * during the call only. Everything is checked before the first call: on
 * ERR_USAGE (*e names the column) and on ERR_TOOBIG (more than max names)
 * nothing was called. A text without any name is ERR_USAGE.
 */
enum err_code hostlist_expand(const char *text, size_t max,
	void (*each)(void *ctx, const char *name), void *ctx, struct err *e) ATTR_MUST_CHECK;

/*
 * Writes names short, in natural order (gpu9 before gpu10), each once:
 * "node[07,41]", "gpu3, ip-10-1-[0-3]-7". The same set of names always gives
 * the same text, and hostlist_expand of it gives the names back. What does not
 * fit is cut between names: "node[01-03], … (+12)". Instance ids (i- and hex
 * digits) are not folded, so that each can be pasted into a command.
 */
void hostlist_fold(const char *const *names, size_t n, char *out, size_t size);

/* Natural order for qsort-like uses: runs of digits by value. Total: 0 only when equal. */
int hostlist_compare(const char *a, const char *b);

#endif
