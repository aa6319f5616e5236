/*
 * The patterns of ssh_config(5) and known_hosts: * and ?, comma or blank lists,
 * ! for negation. Case-blind for ASCII, as OpenSSH is with host names. Pure.
 */
#ifndef COLLECTORS_SSH_PATTERN_H
#define COLLECTORS_SSH_PATTERN_H

#include <stdbool.h>

#include "collectors/text.h"

/* One pattern without negation. Linear in name × pattern, never exponential. */
bool ssh_pattern_match(struct span pattern, const char *name);

/*
 * A list: true when a pattern matches and no negated one does. seps: characters
 * between patterns ("," or " \t").
 */
bool ssh_pattern_list_match(struct span list, const char *seps, const char *name);

#endif
