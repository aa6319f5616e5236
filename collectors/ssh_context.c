#include "collectors/ssh_context.h"

#include <stdlib.h>

#include "collectors/ssh_transport.h"
#include "collectors/xmalloc.h"

struct ssh_context *ssh_context_new(const struct ssh_settings *set)
{
	static const struct ssh_settings defaults = {.use_ssh_g = true};
	struct ssh_context *c = xcalloc(1, sizeof(*c));

	if (!set)
		set = &defaults;
	c->config_file = set->config_file ? xstrdup(set->config_file) : NULL;
	c->step_timeout_ms = set->connect_timeout_ms;
	c->resolver = ssh_resolver_new(set);
	c->dns = ssh_dns_new();
	c->known_hosts = ssh_knownhosts_new();
	c->keys = (struct ssh_keyring)SSH_KEYRING_INIT;
	return c;
}

void ssh_context_free(struct ssh_context *c)
{
	if (!c)
		return;
	ssh_keyring_release(&c->keys);
	ssh_knownhosts_free(c->known_hosts);
	ssh_dns_free(c->dns);
	ssh_resolver_free(c->resolver);
	ssh_methods_release(&c->methods);
	free(c->config_file);
	free(c);
}

struct transport *ssh_source_connect(
	struct source *src, const struct target *t, int64_t now_mono_ms, struct err *e)
{
	return ssh_transport_new(
		src->private_data, t->host ? t->host : t->id, t->user, t->port, now_mono_ms, e);
}

void ssh_source_free(struct source *src)
{
	ssh_context_free(src->private_data);
	src->private_data = NULL;
}
