#include "tui/cmd.h"

#include <unistd.h>

#include "collectors/collector.h"
#include "tui/doctor.h"
#include "tui/output.h"

#define OUTPUT_MAX (4u << 20)

/* The nodes' part; *status is worsened by what it finds. */
static void ask_nodes(struct doctor *d, struct cli *c, struct source *src, int *status)
{
	page_heading(d->page, "Nodes");
	if (doctor_nodes(d, c, src) == 0)
		*status = CMD_NOTHING;
}

static int check(struct cli *c)
{
	struct buf out = BUF_INIT(OUTPUT_MAX);
	struct report_style style = {
		.width = output_width(STDOUT_FILENO),
		.color = output_may_color(c->color, STDOUT_FILENO),
		.utf8 = output_may_utf8(c->ascii, STDOUT_FILENO),
	};
	struct page page;
	struct doctor d = {&page, 0};
	struct source *src = NULL;
	struct err e = ERR_INIT;
	int status = CMD_OK;

	page_init(&page, &out, &style);
	if (c->source != CLI_NO_SOURCE && cli_source_new(c, &src, &e))
		return cmd_fail(&e, CMD_USAGE);
	page_item(&page, 0, "", "hyperpod-perf %s doctor · reads only", HP_VERSION);
	page_heading(&page, "Terminal");
	doctor_terminal(&d, c);
	page_heading(&page, "Reaching nodes");
	doctor_ssh(&d, c);
	page_heading(&page, "Limits and settings");
	doctor_limits(&d, c, src ? src->n : 0);
	if (src)
		ask_nodes(&d, c, src, &status);
	if (status == CMD_OK && d.concerns)
		status = CMD_CONCERNS;
	page_blank(&page);
	page_item(&page, 0, "", d.concerns ? "%zu to look at." : "Nothing stands in the way.",
		d.concerns);
	if (page_error(&page)) {
		err_set(&e, ERR_TOOBIG, "doctor: too much to print");
		status = cmd_fail(&e, CMD_USAGE);
	} else {
		status = cmd_write(&out, NULL, status);
	}
	buf_release(&out);
	return status;
}

static int run(const struct cmd *self, int argc, char **argv)
{
	struct cli c;
	struct err e = ERR_INIT;
	int status;

	if (!cmd_begin(self, argc, argv, &c, NULL, NULL, &status))
		return status;
	if (cli_open_log(&c, &e) || collector_global_init(&e)) {
		status = cmd_fail(&e, CMD_USAGE);
	} else {
		status = check(&c);
		collector_global_release();
	}
	cli_release(&c);
	return status;
}

const struct cmd *cmd_doctor(void)
{
	static const struct cmd self = {
		.name = "doctor",
		.summary = "check this machine's set-up, and how nodes are reached",
		.synopsis = "[SOURCE] [OPTIONS]",
		.about = "Checks terminal, ssh, keys, agent, limits, configuration and rules; with "
			 "a "
			 "source also asks each node once and says who answered, how long each "
			 "step took, "
			 "and what to do about the others. Changes nothing.\n\n"
			 "Exit status: 0 nothing stands in the way, 1 something does, 2 usage "
			 "error, 3 no "
			 "node answered.",
		.shared = CLI_GROUP_SOURCE | CLI_GROUP_REACH | CLI_GROUP_RULES | CLI_GROUP_SHOW,
		.lenient = true,
		.run = run,
	};

	return &self;
}
