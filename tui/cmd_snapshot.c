#include "tui/cmd.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collectors/xmalloc.h"
#include "rules/judge.h"
#include "tui/collect_once.h"
#include "tui/output.h"
#include "tui/report.h"

enum key {
	KEY_TEXT = CLI_OWN_KEY,
	KEY_JSON,
	KEY_MARKDOWN,
	KEY_NODE,
	KEY_OUTPUT,
	KEY_ONE_SAMPLE,
	KEY_SECTIONS
};

static const struct args_option options[] = {
	{"text", 0, false, KEY_TEXT, NULL, "a report for people (the default)"},
	{"json", 0, false, KEY_JSON, NULL, "one JSON object with every value, for programs"},
	{"markdown", 0, false, KEY_MARKDOWN, NULL, "a report for a ticket"},
	{"node", 'n', false, KEY_NODE, "ID", "only this node, or range; may be given again"},
	{"sections", 0, false, KEY_SECTIONS, "NAMES",
		"ask for these only, as cpu,gpu (`parse --list` names them); what is left out is "
		"not known"},
	{"one-sample", 0, false, KEY_ONE_SAMPLE, NULL,
		"do not read counters a second time: quicker, but rates and iowait are not known"},
	{"output", 'o', false, KEY_OUTPUT, "FILE", "write the report to FILE, whole or not at all"},
	{.name = NULL},
};

struct wish {
	enum key format;
	const char *file;
	bool one_sample;
	unsigned sections; /* mask; 0: all */
	const char **nodes;
	size_t n;
	size_t cap;
};

/* A list such as "cpu,gpu" as a mask. */
static enum err_code read_sections(unsigned *mask, const char *value, struct err *e)
{
	struct span rest = span_of(value);
	struct span name;

	while (span_field(&rest, ',', &name)) {
		enum section_id id = section_by_name(span_trim(name));

		if (id == SECTION_COUNT)
			return err_set(e, ERR_USAGE,
				"--sections: %.*s: no such section (`parse --list` names them)",
				(int)(name.n < 40 ? name.n : 40), name.p);
		*mask |= 1u << id;
	}
	return ERR_OK;
}

static enum err_code own(void *ctx, const struct args_option *opt, const char *value, struct err *e)
{
	struct wish *w = ctx;

	if (!opt)
		return err_set(e, ERR_USAGE,
			"%.60s: not expected here (name nodes with --host, or limit with --node)",
			value);
	switch (opt->key) {
	case KEY_NODE:
		xgrow((void **)&w->nodes, &w->cap, w->n, sizeof(*w->nodes));
		w->nodes[w->n++] = value;
		break;
	case KEY_OUTPUT:
		w->file = value;
		break;
	case KEY_SECTIONS:
		return read_sections(&w->sections, value, e);
	case KEY_ONE_SAMPLE:
		w->one_sample = true;
		break;
	default:
		w->format = (enum key)opt->key;
	}
	return ERR_OK;
}

static enum err_code write_report(struct buf *out, const struct report *r, const struct wish *w,
	const struct cli *c, struct err *e)
{
	bool file = w->file && strcmp(w->file, "-") != 0;
	struct report_style style = {
		.width = file ? 80 : output_width(STDOUT_FILENO),
		.color = !file && output_may_color(c->color, STDOUT_FILENO),
		.utf8 = file ? !c->ascii : output_may_utf8(c->ascii, STDOUT_FILENO),
	};
	enum err_code rc;

	if (w->format == KEY_JSON)
		rc = report_json(out, r);
	else if (w->format == KEY_MARKDOWN)
		rc = report_markdown(out, r);
	else
		rc = report_text(out, r, &style);
	return rc ? err_set(e, rc, "report: %s", err_code_name(rc)) : ERR_OK;
}

/* Collects, judges, prints. Returns the exit status. */
static int report_source(
	struct cli *c, const struct wish *w, const struct catalog *catalog, struct source *src)
{
	struct collector_options opt;
	struct collect_once got;
	struct buf out = BUF_INIT(REPORT_MAX);
	struct err e = ERR_INIT;
	int status;

	cli_collector_options(c, &opt);
	opt.sections = w->sections;
	if (w->one_sample)
		opt.sample_gap_ms = -1;
	if (collect_once(&got, src, &opt, NULL, NULL, &e))
		return cmd_fail(&e, CMD_NOTHING);
	struct judge *judge = judge_new(catalog);
	struct judgement *judgement = judge_run(judge, got.snap);
	struct report r = {got.snap, judgement, catalog, got.interrupted};

	if (write_report(&out, &r, w, c, &e))
		status = cmd_fail(&e, CMD_USAGE);
	else
		status = cmd_write(&out, w->file, report_status(&r));
	judgement_free(judgement);
	judge_free(judge);
	snapshot_free(got.snap);
	buf_release(&out);
	return status;
}

/* Everything that can be wrong with the request is said before a node is asked. */
static int run_parsed(struct cli *c, const struct wish *w)
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
	rc = cli_source_new(c, &src, &e);
	if (rc == ERR_OK)
		rc = cli_source_limit(src, w->nodes, w->n, &e);
	if (rc)
		source_free(src);
	status = rc ? cmd_fail(&e, CMD_USAGE) : report_source(c, w, catalog, src);
	collector_global_release();
	catalog_free(catalog);
	return status;
fail:
	catalog_free(catalog);
	return cmd_fail(&e, CMD_USAGE);
}

int cmd_report_text(struct cli *c)
{
	const struct wish w = {.format = KEY_TEXT};

	return run_parsed(c, &w);
}

static int run(const struct cmd *self, int argc, char **argv)
{
	struct cli c;
	struct wish w = {.format = KEY_TEXT};
	int status;

	if (cmd_begin(self, argc, argv, &c, own, &w, &status)) {
		status = run_parsed(&c, &w);
		cli_release(&c);
	}
	free(w.nodes);
	return status;
}

const struct cmd *cmd_snapshot(void)
{
	static const struct cmd self = {
		.name = "snapshot",
		.summary = "read every node once, judge, print a report",
		.synopsis = "SOURCE [--json|--text|--markdown] [--node ID]... [-o FILE]",
		.about = "Reads every node of the source once, judges what was read by the rules, "
			 "and "
			 "prints a report. Reads only: nothing is changed on any node. Ctrl-C "
			 "reports what "
			 "has arrived so far.\n\n"
			 "Exit status: 0 no concern, 1 concerns or nodes that were not read, 2 "
			 "usage or "
			 "configuration error, 3 nothing could be collected.",
		.own_title = "Report",
		.own = options,
		.shared = CLI_GROUP_SOURCE | CLI_GROUP_REACH | CLI_GROUP_RULES | CLI_GROUP_SHOW,
		.run = run,
	};

	return &self;
}
