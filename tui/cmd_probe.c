#include "tui/cmd.h"

#include "collectors/probe.h"

#define SCRIPT_MAX (1u << 20)

static int run(const struct cmd *self, int argc, char **argv)
{
	struct cli c;
	struct buf b = BUF_INIT(SCRIPT_MAX);
	size_t len;
	int status;

	if (!cmd_begin(self, argc, argv, &c, NULL, NULL, &status))
		return status;
	const char *script = probe_script(&len);

	status = buf_add(&b, script, len) ? CMD_USAGE : cmd_write(&b, NULL, CMD_OK);
	buf_release(&b);
	cli_release(&c);
	return status;
}

const struct cmd *cmd_probe(void)
{
	static const struct cmd self = {
		.name = "probe",
		.summary = "print the script that is run on nodes",
		.synopsis = "",
		.about = "Prints the shell script that is the only text this program ever runs on "
			 "a node. "
			 "It is sent to `sh -s` over standard input, reads, and changes nothing.",
		.run = run,
	};

	return &self;
}
