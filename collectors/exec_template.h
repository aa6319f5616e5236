/*
 * Command templates such as `kubectl exec -i {node} -- sh -s`.
 *
 * The text is split into words once, by the quoting rules of a shell ('...',
 * "...", backslash) and nothing else of a shell: no variables, no expansion, no
 * pipes. {node} and {host} (the same), {user} and {port} are replaced inside the
 * words afterwards, so that a name can become part of an argument but never
 * another argument. The command must give a shell that reads standard input;
 * where no word names a shell, "sh" and "-s" are appended, so that
 * `ssh {node}` and `docker exec -i {node}` do what was meant. Pure.
 */
#ifndef COLLECTORS_EXEC_TEMPLATE_H
#define COLLECTORS_EXEC_TEMPLATE_H

#include <stddef.h>
#include <stdint.h>

#include "collectors/err.h"

struct exec_template {
	char **words; /* NULL-terminated */
	size_t n;
	size_t cap;
};

#define EXEC_TEMPLATE_INIT \
	{                  \
		NULL, 0, 0 \
	}

/* ERR_USAGE for open quotes, an empty text, or one without {node}. */
enum err_code exec_template_parse(
	struct exec_template *t, const char *text, struct err *e) ATTR_MUST_CHECK;
void exec_template_release(struct exec_template *t);

/*
 * The argv of one node (exec_template_release it). user NULL with a {user} in
 * the template is ERR_USAGE; port 0 is 22.
 */
enum err_code exec_template_fill(struct exec_template *out, const struct exec_template *t,
	const char *host, const char *user, uint16_t port, struct err *e) ATTR_MUST_CHECK;

#endif
