#include "tui/app.h"

int app_run(struct source *src, const struct app_options *opt, struct err *e)
{
	(void)opt;
	source_free(src);
	err_set(e, ERR_USAGE, "interface: not part of this build (use snapshot)");
	return 2;
}
