#include "tui/cmd.h"

#include <stdio.h>
#include <unistd.h>

#include "tui/app.h"
#include "tui/report.h"
#include "tui/view.h"

#define KEY_VIEW CLI_OWN_KEY

static const struct args_option options[] = {
	{"view", 0, false, KEY_VIEW, "NAME", "start with this screen: nodes, findings, log"},
	{.name = NULL},
};

static enum err_code own(void *ctx, const struct args_option *opt, const char *value, struct err *e)
{
	if (!opt)
		return err_set(e, ERR_USAGE, "%.60s: not expected here (--help shows how)", value);
	*(const char **)ctx = value;
	return ERR_OK;
}

/* Somebody who has just built it and types its name. */
static int say_how(void)
{
	fputs("hyperpod-perf: no source: nothing says which nodes to read. Ways to start:\n"
	      "  hyperpod-perf --demo                      a simulated cluster, to look around\n"
	      "  hyperpod-perf --hosts nodes.txt           over ssh, one node or range a line\n"
	      "  hyperpod-perf --host ubuntu@gpu[01-16]    over ssh, named here\n"
	      "  hyperpod-perf --exec 'kubectl exec -i {node} -- sh -s' --nodes pod-[0-7]\n"
	      "  hyperpod-perf --pairs head:/fsx/sweep     benchmark output as it is written\n"
	      "hyperpod-perf --help lists everything.\n",
		stderr);
	return CMD_USAGE;
}

static int show(struct cli *c, const char *view, struct source *src, const struct catalog *catalog)
{
	struct collector_options collector;
	struct cli_sweep sweep;
	struct err e = ERR_INIT;

	if (cli_sweep_new(c, &sweep, &e)) {
		source_free(src);
		return cmd_fail(&e, CMD_USAGE);
	}
	cli_collector_options(c, &collector);
	struct app_options opt = {
		.catalog = catalog,
		.collector = &collector,
		.ascii = c->ascii,
		.colour = c->color,
		.start_view = view,
		.sweep = &sweep,
	};
	int status = app_run(src, &opt, &e);

	cli_sweep_release(&sweep);
	return e.code ? cmd_fail(&e, status) : status;
}

/* Benchmark output without a cluster: nobody is asked, the heatmap is what there is. */
static bool only_pairs(const struct cli *c)
{
	return c->source == CLI_NO_SOURCE && c->pairs.n > 0;
}

static int no_terminal(void)
{
	struct err e = ERR_INIT;

	err_set(&e, ERR_USAGE,
		"--pairs alone: no terminal to draw on (hyperpod-perf pairs PATH prints what it "
		"says)");
	return cmd_fail(&e, CMD_USAGE);
}

static int run_interface(struct cli *c, const char *view)
{
	struct catalog *catalog = NULL;
	struct source *src = NULL;
	struct err e = ERR_INIT;
	enum err_code rc = cli_open_log(c, &e);
	int status;

	if (rc == ERR_OK)
		rc = cli_catalog_new(c, &catalog, &e);
	if (rc == ERR_OK)
		rc = collector_global_init(&e);
	if (rc)
		goto fail;
	if (only_pairs(c))
		src = source_new(SOURCE_LIVE, "pairs only");
	else
		rc = cli_source_new(c, &src, &e);
	status = rc ? cmd_fail(&e, CMD_USAGE) : show(c, view, src, catalog);
	collector_global_release();
	catalog_free(catalog);
	return status;
fail:
	catalog_free(catalog);
	return cmd_fail(&e, CMD_USAGE);
}

static int run(const struct cmd *self, int argc, char **argv)
{
	struct cli c;
	const char *view = NULL;
	int status;

	if (!cmd_begin(self, argc, argv, &c, own, &view, &status))
		return status;
	if (!view && only_pairs(&c) && view_by_name("heatmap"))
		view = "heatmap";
	if (c.source == CLI_NO_SOURCE && !c.pairs.n)
		status = say_how();
	else if (isatty(STDIN_FILENO) && isatty(STDOUT_FILENO))
		status = run_interface(&c, view);
	else if (only_pairs(&c))
		status = no_terminal();
	else /* nothing to draw on: the report says the same */
		status = cmd_report_text(&c);
	cli_release(&c);
	return status;
}

const struct cmd *cmd_interface(void)
{
	static const struct cmd self = {
		.name = "",
		.summary = "the interface",
		.synopsis = "SOURCE [OPTIONS]\nCOMMAND [OPTIONS]",
		.about = "Watches and triages AWS SageMaker HyperPod training clusters: reads "
			 "every node "
			 "of a source, judges what it reads by rules, and says what is wrong, why, "
			 "and "
			 "whose it is. Without a command it opens the interface, or prints a "
			 "report when "
			 "there is no terminal.",
		.own_title = "Interface",
		.own = options,
		.shared = CLI_GROUP_SOURCE | CLI_GROUP_REACH | CLI_GROUP_RULES | CLI_GROUP_SHOW |
			  CLI_GROUP_LIVE | CLI_GROUP_PAIRS,
		.run = run,
	};

	return &self;
}
