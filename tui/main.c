/*
 * hyperpod-perf: chooses the command. The only place that ends the program.
 */
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "tui/cmd.h"

#define OUTPUT_MAX   (64u << 10)
#define COMMANDS_MAX 16

typedef const struct cmd *cmd_getter(void);

static cmd_getter *const commands[] = {
	cmd_snapshot,
	cmd_parse,
	cmd_pairs,
	cmd_plan,
	cmd_probe,
	cmd_rules,
	cmd_doctor,
};

static const struct cmd *find_command(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(commands); i++)
		if (strcmp(commands[i]()->name, name) == 0)
			return commands[i]();
	return NULL;
}

static int unknown_command(const char *name)
{
	const char *names[COMMANDS_MAX];
	size_t n = 0;
	struct err e = ERR_INIT;

	for (; n < ARRAY_LEN(commands); n++)
		names[n] = commands[n]()->name;
	const char *near = args_suggest(name, names, n);

	if (near)
		err_set(&e, ERR_USAGE, "%.60s: no such command (did you mean %s?)", name, near);
	else
		err_set(&e, ERR_USAGE, "%.60s: no such command (--help lists them)", name);
	return cmd_fail(&e, CMD_USAGE);
}

static enum err_code add_commands(struct buf *b)
{
	enum err_code rc = buf_add_str(b, "\nCommands:\n");

	for (size_t i = 0; i < ARRAY_LEN(commands) && rc == ERR_OK; i++)
		rc = buf_addf(b, "  %-24s %s\n", commands[i]()->name, commands[i]()->summary);
	if (rc == ERR_OK)
		rc = buf_addf(b, "  %-24s %s\n", "help [COMMAND]", "how to use a command");
	return rc;
}

/* The interface's help, then the commands and what scripts need to know. */
static int general_help(void)
{
	struct buf b = BUF_INIT(OUTPUT_MAX);
	int status = cmd_help(cmd_interface());
	enum err_code rc = add_commands(&b);

	if (rc == ERR_OK)
		rc = buf_add_str(&b,
			"\nExit status: 0 no concern, 1 concerns, 2 usage or configuration error,\n"
			"3 nothing could be collected.\n"
			"Each option can also be set as HYPERPOD_PERF_<OPTION> or in\n"
			"$XDG_CONFIG_HOME/hyperpod-perf/config.json. Nothing is ever changed on a "
			"node.\n");
	if (status == CMD_OK)
		status = rc ? CMD_USAGE : cmd_write(&b, NULL, CMD_OK);
	buf_release(&b);
	return status;
}

static int help_command(int argc, char **argv)
{
	if (argc < 2)
		return general_help();
	const struct cmd *c = find_command(argv[1]);

	return c ? cmd_help(c) : unknown_command(argv[1]);
}

static bool is_one_of(const char *word, const char *a, const char *b)
{
	return strcmp(word, a) == 0 || strcmp(word, b) == 0;
}

int main(int argc, char **argv)
{
	setlocale(LC_ALL, "");
	setlocale(LC_NUMERIC, "C"); /* reports and JSON write 0.5, whatever the country */
	signal(SIGPIPE, SIG_IGN);   /* a closed reader is an error of that write */
	if (argc < 2 || (argv[1][0] == '-' && !is_one_of(argv[1], "-h", "--help")))
		return cmd_interface()->run(cmd_interface(), argc, argv);
	if (is_one_of(argv[1], "-h", "--help"))
		return general_help();
	if (strcmp(argv[1], "help") == 0)
		return help_command(argc - 1, argv + 1);
	const struct cmd *c = find_command(argv[1]);

	return c ? c->run(c, argc - 1, argv + 1) : unknown_command(argv[1]);
}
