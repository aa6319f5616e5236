/*
 * The options of reaching one host, as ssh would use them.
 *
 * ssh_options_ask starts (or joins) the resolution for a host, ssh_options_step
 * moves all resolutions on. See ssh_config.h for how often `ssh -G` really
 * runs; at most four run at the same time. Without ssh, or when asked not to use
 * it, ssh's documented defaults are used. Nothing blocks.
 */
#ifndef COLLECTORS_SSH_OPTIONS_H
#define COLLECTORS_SSH_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collectors/err.h"
#include "collectors/source.h"
#include "collectors/text.h"

enum ssh_strict {
	SSH_STRICT_YES,        /* unknown keys are refused (also "ask": there is nobody to ask) */
	SSH_STRICT_ACCEPT_NEW, /* unknown keys are added */
};

struct ssh_strings {
	char **items;
	size_t n;
	size_t cap;
};

/* Heap strings, owned. After ssh_options_fill all tokens and ~ are filled in. */
struct ssh_options {
	char *hostname; /* where to connect, lower case */
	char *user;
	uint16_t port;
	int family;             /* AF_UNSPEC, AF_INET, AF_INET6 */
	int connect_timeout_ms; /* 0: not set */
	struct ssh_strings identity_files;
	bool identity_explicit; /* the first file was asked for by name: try it first */
	bool identities_only;
	bool pubkey;
	char *identity_agent; /* a socket's path; NULL: no agent */
	struct ssh_strings user_known_hosts;
	struct ssh_strings global_known_hosts;
	char *host_key_alias; /* NULL none */
	char *proxy_command;  /* NULL none; for the user's shell */
	char *proxy_jump;     /* NULL none; one wins: the command */
	enum ssh_strict strict;
	bool hash_known_hosts;
};

void ssh_options_release(struct ssh_options *o);

/* ssh's defaults, tokens not yet filled in. */
void ssh_options_default(struct ssh_options *o);

/* Takes what `ssh -G` printed. Tokens stay. Pure. */
void ssh_options_parse(struct ssh_options *o, struct span text);

/* What tokens stand for, and who we are. Borrowed strings. */
struct ssh_identity {
	const char *host;       /* as the operator gave it: %n */
	const char *home;       /* %d and ~ */
	const char *local_user; /* %u */
	const char *local_host; /* %l */
};

/*
 * Fills tokens (%% %d %h %i %k %l %L %n %p %r %u), ~ and ${VARIABLE} in from's
 * strings and stores copies in *to. ERR_USAGE for a token that is none of these.
 */
enum err_code ssh_options_fill(struct ssh_options *to, const struct ssh_options *from,
	const struct ssh_identity *id, struct err *e) ATTR_MUST_CHECK;

/*
 * True for a host or user name that is safe on command lines and in shells:
 * letters, digits and . _ - : % @ + only, not beginning with '-'.
 */
bool ssh_options_name_ok(const char *name);

struct ssh_resolver; /* all resolutions of one source */
struct ssh_query;    /* one; owned by the resolver */

struct ssh_resolver *ssh_resolver_new(const struct ssh_settings *set);
void ssh_resolver_free(struct ssh_resolver *r); /* NULL is allowed */

/* user NULL, port 0: what the configuration says. The query lives as long as r. */
struct ssh_query *ssh_options_ask(
	struct ssh_resolver *r, const char *host, const char *user, uint16_t port);

/*
 * Moves all queries on. ERR_OK: *out (zeroed before) has q's options with
 * tokens filled in for host; ERR_AGAIN: wait for ssh_options_fd; else why not.
 */
enum err_code ssh_options_step(struct ssh_resolver *r, struct ssh_query *q, const char *host,
	const char *user, uint16_t port, struct ssh_options *out, struct err *e) ATTR_MUST_CHECK;

/* Readable when q may have moved; -1: step again at once. */
int ssh_options_fd(const struct ssh_resolver *r, const struct ssh_query *q);

/* How many times ssh was run, for tests. */
unsigned ssh_resolver_runs(const struct ssh_resolver *r);

#endif
