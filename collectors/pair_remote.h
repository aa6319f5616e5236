/*
 * A file or directory of benchmark output on another machine, watched through
 * the probe: see pair_feed.h and, for what is asked, the end of probe.sh.
 *
 * One session like those of the collector, but of the sweep's thread: `sh -s` over
 * ssh or a command, the probe, then requests: a list of what is there (every few
 * seconds of what changed in the last minutes, every minute of everything) and the
 * bytes of files that are new or changed, many small ones or a piece of a large
 * one at a time. Each step has a deadline; after a failure it connects again, later
 * and later. Never blocks.
 */
#ifndef COLLECTORS_PAIR_REMOTE_H
#define COLLECTORS_PAIR_REMOTE_H

#include "collectors/err.h"
#include "collectors/pair_feed.h"
#include "collectors/source.h"

/*
 * src: a source with one target, the machine; taken, also on failure. path: on that
 * machine, absolute or from the login directory. label: "head:/fsx/sweep", for people;
 * copied. ERR_USAGE when path cannot be asked for.
 */
enum err_code pair_remote_new(struct pair_feed **out, struct source *src, const char *path,
	const char *label, struct err *e) ATTR_MUST_CHECK;

#endif
