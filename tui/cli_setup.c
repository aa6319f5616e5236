/* The small rest of cli.h: from settings to rules, limits and a log. */
#include "tui/cli.h"

#include "collectors/log.h"

enum err_code cli_catalog_new(const struct cli *c, struct catalog **out, struct err *e)
{
	struct catalog *catalog = NULL;
	enum err_code rc = catalog_builtin(&catalog, e);

	for (size_t i = 0; i < c->rules.n && rc == ERR_OK; i++)
		rc = catalog_overlay(catalog, c->rules.item[i], e);
	if (rc)
		catalog_free(catalog);
	else
		*out = catalog;
	return rc;
}

void cli_collector_options(const struct cli *c, struct collector_options *out)
{
	*out = (struct collector_options){
		.concurrency = c->concurrency,
		.fast_ms = (int64_t)(c->interval_s * 1000),
		.answer_ms = (int64_t)(c->answer_timeout_s * 1000),
	};
}

enum err_code cli_open_log(const struct cli *c, struct err *e)
{
	if (!c->log)
		return ERR_OK;
	return log_open(c->log, c->verbose ? LOG_DEBUG : LOG_INFO, e);
}
