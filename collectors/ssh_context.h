/* What the SSH transports of one source share; see ssh_transport.h. Collector thread only. */
#ifndef COLLECTORS_SSH_CONTEXT_H
#define COLLECTORS_SSH_CONTEXT_H

#include "collectors/ssh_dns.h"
#include "collectors/ssh_keyring.h"
#include "collectors/ssh_knownhosts.h"
#include "collectors/ssh_methods.h"
#include "collectors/ssh_options.h"

struct ssh_context {
	char *config_file;
	int step_timeout_ms; /* 0: the configuration's, else 10 s */
	struct ssh_resolver *resolver;
	struct ssh_dns *dns;
	struct ssh_knownhosts *known_hosts;
	struct ssh_keyring keys;
	struct ssh_methods methods;
};

#endif
