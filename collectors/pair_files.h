/*
 * Reads benchmark output that lies in files, once: files, directories with all that
 * is below them, standard input.
 *
 * Passed over in directories: hidden names, what is no regular file, links to
 * directories, and names of archives and pictures. A file that is named itself is
 * always read. Order: as given, and by name within a directory.
 */
#ifndef COLLECTORS_PAIR_FILES_H
#define COLLECTORS_PAIR_FILES_H

#include <stdbool.h>
#include <stddef.h>

#include "collectors/err.h"
#include "collectors/pair_store.h"

#define PAIR_FILES_DEPTH_MAX 16
/* Read of one file at most; the rest is passed over and noted. */
#define PAIR_FILES_BYTES_MAX ((size_t)4 << 30)

/* "-": standard input. What cannot be read is noted in the store; the rest is read. Returns how
 * many files were read; *e (may be NULL) holds the first failure, ERR_OK when there was none. */
size_t pair_files_read(struct pair_store *s, const char *const *paths, size_t n, struct err *e);

/* Whether a name inside a directory may be benchmark output. */
bool pair_files_wants(const char *name);

#endif
