#include "collectors/source.h"

#include <stdio.h>
#include <stdlib.h>

#include "collectors/exec_template.h"
#include "collectors/exec_transport.h"
#include "collectors/source_hosts.h"
#include "collectors/spawn.h"
#include "collectors/xmalloc.h"

static struct transport *exec_connect(
	struct source *src, const struct target *t, int64_t now_mono_ms, struct err *e)
{
	struct exec_template argv = EXEC_TEMPLATE_INIT;
	struct transport *out = NULL;

	(void)now_mono_ms;
	if (exec_template_fill(&argv, src->private_data, t->host, t->user, t->port, e) == ERR_OK)
		out = exec_transport_new((const char *const *)argv.words);
	exec_template_release(&argv);
	return out;
}

static void exec_free_private(struct source *src)
{
	exec_template_release(src->private_data);
	free(src->private_data);
}

/* Said once and at once, not by each node after its turn. */
static enum err_code check_program(const struct exec_template *t, struct err *e)
{
	char *path = spawn_find(t->words[0]);

	if (!path)
		return err_set(e, ERR_USAGE,
			"--exec: %.100s: not found (install it, or correct PATH)", t->words[0]);
	free(path);
	return ERR_OK;
}

enum err_code source_exec(struct source **out, const char *command_template,
	const char *const *nodes, size_t n, struct err *e)
{
	struct exec_template *t = xcalloc(1, sizeof(*t));
	enum err_code rc = exec_template_parse(t, command_template, e);
	char label[120];

	if (rc) {
		free(t);
		return rc;
	}
	snprintf(label, sizeof(label), "command %.100s", command_template);
	struct source *src = source_new(SOURCE_LIVE, label);

	src->private_data = t;
	src->connect = exec_connect;
	src->free_private = exec_free_private;
	rc = check_program(t, e);
	if (rc == ERR_OK && n == 0)
		rc = err_set(e, ERR_USAGE,
			"--exec: no node to run it for (name them: --nodes HOSTLIST, or --hosts "
			"FILE)");
	for (size_t i = 0; rc == ERR_OK && i < n; i++)
		rc = source_hosts_add(src, nodes[i], "--host", e);
	if (rc)
		source_free(src);
	else
		*out = src;
	return rc;
}
