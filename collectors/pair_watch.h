/* A local file or directory of benchmark output, watched: see pair_feed.h. */
#ifndef COLLECTORS_PAIR_WATCH_H
#define COLLECTORS_PAIR_WATCH_H

#include "collectors/err.h"
#include "collectors/pair_feed.h"

/*
 * Watches a local file or directory (recursively; inotify, with a look every few
 * seconds where there is none or it does not see: NFS and Lustre do not tell
 * of other machines' writes). ERR_USAGE, ERR_IO when path cannot be watched at all.
 */
enum err_code pair_watch_new(
	struct pair_feed **out, const char *path, struct err *e) ATTR_MUST_CHECK;

#endif
