/* The sources of cli.h: from settings to nodes. */
#include "tui/cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collectors/hostlist.h"
#include "collectors/xmalloc.h"

#define NEAR_NAMES 3

struct names {
	char **name;
	size_t n;
	size_t cap;
};

static void names_add(void *ctx, const char *name)
{
	struct names *list = ctx;

	xgrow((void **)&list->name, &list->cap, list->n, sizeof(*list->name));
	list->name[list->n++] = xstrdup(name);
}

static void names_release(struct names *list)
{
	for (size_t i = 0; i < list->n; i++)
		free(list->name[i]);
	free(list->name);
	*list = (struct names){NULL, 0, 0};
}

/* ---- sources ---- */

/* What the source says of a node wins over --user and --port. */
static void fill_targets(const struct cli *c, struct source *src)
{
	for (size_t i = 0; i < src->n; i++) {
		struct target *t = &src->targets[i];

		if (c->user && !t->user)
			t->user = xstrdup(c->user);
		if (c->port && !t->port)
			t->port = (uint16_t)c->port;
	}
}

static enum err_code hosts_new(struct cli *c, struct source **out, struct err *e)
{
	struct names list = {NULL, 0, 0};
	enum err_code rc = ERR_OK;

	for (size_t i = 0; i < c->host.n && rc == ERR_OK; i++)
		rc = hostlist_expand(c->host.item[i], CLI_NODES_MAX - list.n, names_add, &list, e);
	if (rc == ERR_OK)
		rc = source_hosts(out, (const char *const *)list.name, list.n, &c->ssh, e);
	names_release(&list);
	return rc;
}

static enum err_code exec_new(struct cli *c, struct source **out, struct err *e)
{
	struct names list = {NULL, 0, 0};
	struct source *from = NULL;
	enum err_code rc;

	if (c->nodes && c->hosts)
		return err_set(
			e, ERR_USAGE, "--exec: names from both --nodes and --hosts (give one)");
	if (!c->nodes && !c->hosts)
		return err_set(e, ERR_USAGE,
			"--exec: which nodes? (add --nodes HOSTLIST or --hosts FILE)");
	if (c->hosts) {
		rc = source_hosts_file(&from, c->hosts, &c->ssh, e);
		if (rc == ERR_OK)
			names_add(&list, from->targets[0].host);
	} else {
		rc = hostlist_expand(c->nodes, CLI_NODES_MAX, names_add, &list, e);
		if (rc)
			err_prefix(e, "--nodes");
	}
	if (rc == ERR_OK)
		rc = source_exec(out, c->exec, (const char *const *)list.name, list.n, e);
	/*
	 * The file's nodes as they were read: a name= is not a host list, and
	 * reading it as one would send the command to other hosts.
	 */
	if (rc == ERR_OK && from)
		source_swap_targets(*out, from);
	source_free(from);
	names_release(&list);
	return rc;
}

static void fill_ssh(struct cli *c)
{
	c->ssh = (struct ssh_settings){
		.config_file = c->ssh_config,
		.identity_file = c->identity,
		.known_hosts = c->known_hosts,
		.accept_new = c->accept_new,
		.use_ssh_g = true,
		.connect_timeout_ms = (int)(c->timeout_s * 1000),
	};
}

enum err_code cli_source_new(struct cli *c, struct source **out, struct err *e)
{
	enum err_code rc = ERR_USAGE;

	fill_ssh(c);
	if (c->nodes && c->source != CLI_EXEC && c->nodes_layer == CLI_OPTION)
		return err_set(
			e, ERR_USAGE, "--nodes: only together with --exec (use --host or --hosts)");
	switch (c->source) {
	case CLI_NO_SOURCE:
		return err_set(e, ERR_USAGE,
			"no source: nothing says which nodes (try --demo, or --hosts FILE)");
	case CLI_DEMO:
		return source_demo(out, c->demo, e);
	case CLI_RAW:
		return source_raw(out, c->raw, e);
	case CLI_HOSTS:
		rc = source_hosts_file(out, c->hosts, &c->ssh, e);
		break;
	case CLI_HOST:
		rc = hosts_new(c, out, e);
		break;
	case CLI_EXEC:
		rc = exec_new(c, out, e);
		break;
	}
	if (rc == ERR_OK)
		fill_targets(c, *out);
	return rc;
}

enum err_code cli_source_one(struct cli *c, const char *host, struct source **out, struct err *e)
{
	enum err_code rc;

	fill_ssh(c);
	rc = c->source == CLI_EXEC ? source_exec(out, c->exec, &host, 1, e)
				   : source_hosts(out, &host, 1, &c->ssh, e);
	if (rc == ERR_OK)
		fill_targets(c, *out);
	return rc;
}

/* ---- some nodes only ---- */

static bool is_named(const struct target *t, const char *name)
{
	return strcmp(t->id, name) == 0 || (t->name && strcmp(t->name, name) == 0);
}

/* The nearest ids to a mistyped one, best first, as "a, b or c". */
static void near_names(const struct source *src, const char *typed, char *out, size_t size)
{
	const char *near[NEAR_NAMES] = {NULL};
	size_t distance[NEAR_NAMES] = {0};
	size_t n = 0;
	size_t used = 0;

	for (size_t i = 0; i < src->n; i++) {
		size_t d = args_distance(typed, src->targets[i].id);
		size_t at = n;

		while (at > 0 && d < distance[at - 1])
			at--;
		if (at == NEAR_NAMES)
			continue;
		n += n < NEAR_NAMES;
		for (size_t k = n - 1; k > at; k--) {
			near[k] = near[k - 1];
			distance[k] = distance[k - 1];
		}
		near[at] = src->targets[i].id;
		distance[at] = d;
	}
	out[0] = '\0';
	for (size_t i = 0; i < n && used < size; i++)
		used += (size_t)snprintf(out + used, size - used, "%s%.60s",
			i == 0      ? ""
			: i + 1 < n ? ", "
				    : " or ",
			near[i]);
}

struct keep {
	const struct names *names;
};

static bool keeps(void *ctx, const struct target *t)
{
	const struct names *names = ((const struct keep *)ctx)->names;

	for (size_t i = 0; i < names->n; i++)
		if (is_named(t, names->name[i]))
			return true;
	return false;
}

static enum err_code check_known(const struct source *src, const struct names *names, struct err *e)
{
	for (size_t i = 0; i < names->n; i++) {
		bool known = false;
		char near[220];

		for (size_t j = 0; j < src->n && !known; j++)
			known = is_named(&src->targets[j], names->name[i]);
		if (known)
			continue;
		near_names(src, names->name[i], near, sizeof(near));
		return err_set(e, ERR_USAGE,
			"--node %.80s: no such node among %zu (did you mean %s?)", names->name[i],
			src->n, near);
	}
	return ERR_OK;
}

enum err_code cli_source_limit(
	struct source *src, const char *const *lists, size_t n, struct err *e)
{
	struct names names = {NULL, 0, 0};
	struct keep keep = {&names};
	enum err_code rc = ERR_OK;

	for (size_t i = 0; i < n && rc == ERR_OK; i++) {
		rc = hostlist_expand(lists[i], CLI_NODES_MAX, names_add, &names, e);
		if (rc)
			err_prefix(e, "--node");
	}
	if (rc == ERR_OK)
		rc = check_known(src, &names, e);
	if (rc == ERR_OK && n)
		source_keep(src, keeps, &keep);
	names_release(&names);
	return rc;
}
