#include "collectors/source.h"

enum err_code source_exec(struct source **out, const char *command_template,
	const char *const *nodes, size_t n, struct err *e)
{
	(void)out;
	(void)nodes;
	(void)n;
	return err_set(e, ERR_USAGE, "--exec '%.100s': not in this build yet", command_template);
}
