#include "tui/cmd.h"

#include <unistd.h>

static int run(const struct cmd *self, int argc, char **argv)
{
	struct cli c;
	int status;

	if (!cmd_begin(self, argc, argv, &c, NULL, NULL, &status))
		return status;
	cli_release(&c);
	struct err e = ERR_INIT;

	err_set(&e, ERR_USAGE, "interface: not in this build (--help shows what there is)");
	return cmd_fail(&e, CMD_USAGE);
}

const struct cmd *cmd_interface(void)
{
	static const struct cmd self = {
		.name = "",
		.summary = "the interface",
		.synopsis = "[SOURCE] [OPTIONS]\nCOMMAND [OPTIONS]",
		.about = "Watches and triages AWS SageMaker HyperPod training clusters: reads "
			 "every node "
			 "of a source, judges what it reads by rules, and says what is wrong, why, "
			 "and "
			 "whose it is. Without a command it opens the interface.",
		.shared = CLI_GROUP_SOURCE | CLI_GROUP_REACH | CLI_GROUP_RULES | CLI_GROUP_SHOW |
			  CLI_GROUP_LIVE,
		.run = run,
	};

	return &self;
}
