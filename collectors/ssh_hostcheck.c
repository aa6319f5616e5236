#include "collectors/ssh_hostcheck.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collectors/log.h"
#include "collectors/ssh_bytes.h"
#include "collectors/xmalloc.h"

static void find(struct ssh_knownhosts *files, const struct ssh_options *o, const char *name,
	struct ssh_known *known)
{
	ssh_knownhosts_find(files, (const char *const *)o->user_known_hosts.items,
		o->user_known_hosts.n, name, known);
	ssh_knownhosts_find(files, (const char *const *)o->global_known_hosts.items,
		o->global_known_hosts.n, name, known);
}

void ssh_hostcheck_begin(
	struct ssh_hostcheck *h, struct ssh_knownhosts *files, const struct ssh_options *o)
{
	ssh_hostcheck_release(h);
	h->name = o->host_key_alias ? ssh_knownhosts_name(o->host_key_alias, 0)
				    : ssh_knownhosts_name(o->hostname, o->port);
	find(files, o, h->name, &h->known);
}

void ssh_hostcheck_release(struct ssh_hostcheck *h)
{
	free(h->name);
	h->name = NULL;
	ssh_known_release(&h->known);
}

/* As ssh: a host that is not known under its port may be known without one. */
static bool known_without_port(
	struct ssh_knownhosts *files, const struct ssh_options *o, struct span blob)
{
	struct ssh_known known = SSH_KNOWN_INIT;
	bool ok = false;

	if (o->host_key_alias || o->port == 22)
		return false;
	char *name = ssh_knownhosts_name(o->hostname, 0);

	find(files, o, name, &known);
	ok = ssh_known_check(&known, blob, NULL) == SSH_KNOWN_OK;
	ssh_known_release(&known);
	free(name);
	return ok;
}

static enum err_code unknown_key(struct ssh_hostcheck *h, struct ssh_knownhosts *files,
	const struct ssh_options *o, struct span blob, struct err *e)
{
	char print[SSH_FINGERPRINT_SIZE];
	struct span type = ssh_blob_type(blob);
	struct err why = ERR_INIT;

	ssh_fingerprint(blob, print);
	if (o->strict != SSH_STRICT_ACCEPT_NEW)
		return err_set(e, ERR_HOSTKEY,
			"host key of %.80s is not known: %.*s %s (check the fingerprint, then "
			"connect "
			"once with ssh, or run again with --accept-new to add it)",
			h->name, (int)type.n, type.p, print);
	if (o->user_known_hosts.n && ssh_knownhosts_add(files, o->user_known_hosts.items[0],
					     h->name, blob, o->hash_known_hosts, &why))
		log_write(LOG_WARN, "ssh_hostcheck", o->hostname, "%s", why.msg);
	log_write(LOG_INFO, "ssh_hostcheck", o->hostname, "new host key accepted: %.*s %s",
		(int)type.n, type.p, print);
	return ERR_OK;
}

enum err_code ssh_hostcheck_key(struct ssh_hostcheck *h, struct ssh_knownhosts *files,
	const struct ssh_options *o, struct span blob, struct err *e)
{
	const struct ssh_known_key *which = NULL;
	enum ssh_known_verdict verdict = ssh_known_check(&h->known, blob, &which);
	struct span type = ssh_blob_type(blob);
	char print[SSH_FINGERPRINT_SIZE];

	if (verdict == SSH_KNOWN_OK)
		return ERR_OK;
	if (verdict == SSH_KNOWN_NONE) {
		if (known_without_port(files, o, blob))
			return ERR_OK;
		return unknown_key(h, files, o, blob, e);
	}
	ssh_fingerprint(blob, print);
	if (verdict == SSH_KNOWN_REVOKED)
		return err_set(e, ERR_HOSTKEY,
			"host key of %.60s is REVOKED by %.80s:%u: %.*s %s (do not connect; ask "
			"who "
			"runs the cluster)",
			h->name, which->path, which->line, (int)type.n, type.p, print);
	if (verdict == SSH_KNOWN_OTHER_TYPE)
		return err_set(e, ERR_HOSTKEY,
			"host key of %.50s: the server offers %.*s %s, but only its %s key is "
			"known "
			"(%.60s:%u) (check it, then add it: ssh-keyscan -t %.*s %.50s)",
			h->name, (int)type.n, type.p, print, which->type, which->path, which->line,
			(int)type.n, type.p, o->hostname);
	return err_set(e, ERR_HOSTKEY,
		"host key of %.50s CHANGED: now %.*s %s, not the one in %.80s:%u (a rebuilt node "
		"or an "
		"attack: ask first, then ssh-keygen -R '%.50s')",
		h->name, (int)type.n, type.p, print, which->path, which->line, h->name);
}
