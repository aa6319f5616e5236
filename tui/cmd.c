#include "tui/cmd.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "collectors/text.h"
#include "tui/output.h"

#define HELP_MAX  (64u << 10)
#define HELP_MOST 100 /* columns; longer lines are tiring */

int cmd_fail(const struct err *e, int status)
{
	char clean[sizeof(e->msg)];

	/* Messages quote files, arguments and nodes, whose bytes must not reach a terminal. */
	text_printable(clean, sizeof(clean), e->msg, strlen(e->msg));
	fprintf(stderr, "hyperpod-perf: %s\n", clean[0] ? clean : err_code_name(e->code));
	return status;
}

int cmd_write(const struct buf *b, const char *path, int status)
{
	struct err e = ERR_INIT;

	if (output_file(b, path, &e))
		return cmd_fail(&e, CMD_USAGE);
	return status;
}

/* "Usage: hyperpod-perf ..." for each line of the synopsis. */
static enum err_code help_synopsis(struct buf *b, const struct cmd *self)
{
	enum err_code rc = ERR_OK;
	const char *lead = "Usage: ";

	const char *p = self->synopsis;

	do {
		size_t n = strcspn(p, "\n");

		rc = buf_addf(b, "%shyperpod-perf%s%s%s%.*s\n", lead, self->name[0] ? " " : "",
			self->name, n ? " " : "", (int)n, p);
		lead = "       ";
		p += n + (p[n] == '\n');
	} while (*p && rc == ERR_OK);
	return rc;
}

int cmd_help(const struct cmd *self)
{
	struct buf b = BUF_INIT(HELP_MAX);
	struct args_group groups[CLI_GROUPS_MAX];
	size_t width = output_width(STDOUT_FILENO);
	enum err_code rc = help_synopsis(&b, self);
	int status;

	if (width > HELP_MOST)
		width = HELP_MOST;
	cli_groups(groups, self->shared, self->own_title, self->own);
	if (rc == ERR_OK)
		rc = buf_add_str(&b, "\n");
	if (rc == ERR_OK)
		rc = args_wrap(&b, self->about, 0, 0, width);
	if (rc == ERR_OK)
		rc = buf_add_str(&b, "\n");
	if (rc == ERR_OK)
		rc = args_help(&b, groups, width);
	status = rc ? CMD_USAGE : cmd_write(&b, NULL, CMD_OK);
	buf_release(&b);
	return status;
}

int cmd_version(void)
{
	struct buf b = BUF_INIT(HELP_MAX);
	int status = CMD_USAGE;

	if (buf_add_str(&b, "hyperpod-perf " HP_VERSION "\n") == ERR_OK)
		status = cmd_write(&b, NULL, CMD_OK);
	buf_release(&b);
	return status;
}

bool cmd_begin(const struct cmd *self, int argc, char **argv, struct cli *c, cli_own_fn *own,
	void *ctx, int *status)
{
	struct args_group groups[CLI_GROUPS_MAX];
	struct err e = ERR_INIT;

	cli_init(c);
	c->lenient = self->lenient;
	cli_groups(groups, self->shared, self->own_title, self->own);
	if (cli_parse(c, argc, argv, groups, own, ctx, &e)) {
		*status = cmd_fail(&e, CMD_USAGE);
	} else if (c->help) {
		*status = cmd_help(self);
	} else if (c->version) {
		*status = cmd_version();
	} else {
		return true;
	}
	cli_release(c);
	return false;
}
