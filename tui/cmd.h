/*
 * Subcommands: one file each, one line each in main.c's table.
 *
 * To add one: cmd_<name>.c with a getter of its description, the getter's
 * prototype here, its line in main.c.
 */
#ifndef TUI_CMD_H
#define TUI_CMD_H

#include "collectors/err.h"
#include "tui/args.h"
#include "tui/cli.h"

/* Exit statuses; a contract with scripts. */
#define CMD_OK       0 /* no concern */
#define CMD_CONCERNS 1
#define CMD_USAGE    2 /* wrong arguments or configuration; output that could not be written */
#define CMD_NOTHING  3 /* nothing could be collected */

struct cmd {
	const char *name;     /* "" for the interface */
	const char *summary;  /* one line, for the list of commands */
	const char *synopsis; /* one or more lines, without the program's name */
	const char *about;    /* what it does, for its help */
	const char *own_title;
	const struct args_option *own; /* NULL: no options of its own */
	unsigned shared;               /* CLI_GROUP_... */
	bool lenient;                  /* runs with a broken configuration file, to tell of it */
	int (*run)(const struct cmd *self, int argc, char **argv);
};

const struct cmd *cmd_interface(void);
const struct cmd *cmd_snapshot(void);
const struct cmd *cmd_parse(void);
const struct cmd *cmd_pairs(void);
const struct cmd *cmd_plan(void);
const struct cmd *cmd_probe(void);
const struct cmd *cmd_rules(void);
const struct cmd *cmd_doctor(void);

/*
 * Reads the command's line into c. True: go on. False: *status is the exit
 * status, and what there was to say (help, an error) has been said.
 */
bool cmd_begin(const struct cmd *self, int argc, char **argv, struct cli *c, cli_own_fn *own,
	void *ctx, int *status);

/* Prints the help of a command on standard output; returns the exit status. */
int cmd_help(const struct cmd *self);

int cmd_version(void);

/* What `snapshot --text` does, with settings that were read already. Returns the exit status. */
int cmd_report_text(struct cli *c);

/* Prints "hyperpod-perf: ..." on standard error and returns status. */
int cmd_fail(const struct err *e, int status);

/* Writes b to path (NULL: standard output); returns status, or CMD_USAGE when it failed. */
int cmd_write(const struct buf *b, const char *path, int status);

#endif
