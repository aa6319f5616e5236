/* Reading of hosts files, apart for tests; the sources themselves are in source.h. */
#ifndef COLLECTORS_SOURCE_HOSTS_H
#define COLLECTORS_SOURCE_HOSTS_H

#include "collectors/source.h"
#include "collectors/text.h"

/*
 * Adds the nodes of a hosts file's text to src. One entry a line:
 *
 *   [user@]host[:port] [group=…] [type=…] [az=…] [spine=…] [leaf=…] [ultraserver=…] [name=…]
 *
 * '#' begins a comment, at the start of a line or after a blank. Hosts may be
 * ranges as hostlist.h expands them, also several separated by commas; an IPv6
 * address with a port stands in brackets. A node's id is its host, with the port
 * where the same host has several, or its name= (single hosts only).
 * Errors name file:line. name: for messages.
 */
enum err_code source_hosts_parse(
	struct source *src, const char *name, struct span text, struct err *e) ATTR_MUST_CHECK;

/* Adds one "[user@]host[:port]" or range without attributes. where: for messages. */
enum err_code source_hosts_add(
	struct source *src, const char *entry, const char *where, struct err *e) ATTR_MUST_CHECK;

#endif
