#include "tui/cmd.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collectors/fleet.h"
#include "collectors/pair_files.h"
#include "collectors/xmalloc.h"
#include "tui/output.h"
#include "tui/report_pairs.h"

enum key {
	KEY_TEXT = CLI_OWN_KEY,
	KEY_JSON,
	KEY_CSV,
	KEY_NODES,
	KEY_RULE,
	KEY_SIZE,
	KEY_COLLECTIVE,
	KEY_IN_PLACE,
	KEY_OUTPUT
};

static const struct args_option options[] = {
	{"text", 0, false, KEY_TEXT, NULL, "a report for people (the default)"},
	{"json", 0, false, KEY_JSON, NULL, "one JSON object: runs, pairs, diagnosis"},
	{"csv", 0, false, KEY_CSV, NULL, "a line a pair, which this program reads again"},
	{"nodes", 0, false, KEY_NODES, "FILE",
		"where the nodes stand: CSV with node,az,spine,leaf,ultraserver,instance_type"},
	{"rule", 0, false, KEY_RULE, "NAME",
		"beside our own verdict, that of a published rule: mean5, median10, median20, "
		"max93"},
	{"size", 0, false, KEY_SIZE, "BYTES",
		"this message size instead of each run's largest: 1G"},
	{"collective", 0, false, KEY_COLLECTIVE, "NAME",
		"only runs of this collective: all_reduce"},
	{"in-place", 0, false, KEY_IN_PLACE, NULL, "the in-place figure instead of out-of-place"},
	{"output", 'o', false, KEY_OUTPUT, "FILE", "write the report to FILE, whole or not at all"},
	{.name = NULL},
};

struct wish {
	enum key format;
	const char *file;
	const char *nodes;
	const char *size;
	const char *collective;
	bool in_place;
	bool simple;
	enum simple_rule rule;
	const char **paths;
	size_t n;
	size_t cap;
};

static enum err_code own(void *ctx, const struct args_option *opt, const char *value, struct err *e)
{
	struct wish *w = ctx;

	if (!opt) {
		xgrow((void **)&w->paths, &w->cap, w->n, sizeof(*w->paths));
		w->paths[w->n++] = value;
		return ERR_OK;
	}
	switch (opt->key) {
	case KEY_NODES:
		w->nodes = value;
		break;
	case KEY_RULE:
		w->simple = strcmp(value, "own") != 0;
		if (w->simple && !simple_rule_by_name(value, &w->rule))
			return err_set(e, ERR_USAGE,
				"--rule: \"%.40s\" is none (give own, mean5, median10, median20 or "
				"max93)",
				value);
		break;
	case KEY_SIZE:
		w->size = value;
		break;
	case KEY_COLLECTIVE:
		w->collective = value;
		break;
	case KEY_IN_PLACE:
		w->in_place = true;
		break;
	case KEY_OUTPUT:
		w->file = value;
		break;
	default:
		w->format = (enum key)opt->key;
	}
	return ERR_OK;
}

static enum err_code write_report(struct buf *out, const struct report_pairs *r,
	const struct wish *w, const struct cli *c, struct err *e)
{
	bool file = w->file && strcmp(w->file, "-") != 0;
	struct report_style style = {
		.width = file ? 80 : output_width(STDOUT_FILENO),
		.color = !file && output_may_color(c->color, STDOUT_FILENO),
		.utf8 = file ? !c->ascii : output_may_utf8(c->ascii, STDOUT_FILENO),
	};
	enum err_code rc;

	if (w->format == KEY_JSON)
		rc = report_pairs_json(out, r);
	else if (w->format == KEY_CSV)
		rc = report_pairs_csv(out, r);
	else
		rc = report_pairs_text(out, r, &style);
	return rc ? err_set(e, rc, "report: %s", err_code_name(rc)) : ERR_OK;
}

/* Judges and prints what was read. first: what could not be read; printed beside the report. */
static int report(const struct wish *w, const struct cli *c, const struct catalog *catalog,
	struct pair_store *store, struct fleet *fleet, size_t files, const struct err *first)
{
	struct pair_set *set = pair_store_freeze(store, fleet);
	struct attribution *at = attribution_run(set);
	struct report_pairs r = {
		.store = store, .set = set, .at = at, .rule = w->rule, .files = files};
	struct simple_verdict *simple = w->simple ? simple_rule_run(w->rule, set, at) : NULL;
	struct buf out = BUF_INIT(REPORT_MAX);
	struct err e = ERR_INIT;
	int status;

	r.simple = simple;
	r.catalog = catalog;
	if (first->code != ERR_OK)
		cmd_fail(first, CMD_NOTHING);
	if (write_report(&out, &r, w, c, &e))
		status = cmd_fail(&e, CMD_USAGE);
	else
		status = cmd_write(&out, w->file, report_pairs_status(&r));
	if (status == CMD_NOTHING) {
		err_set(&e, ERR_PARSE,
			"pairs: no pair has a figure in %zu %s (give files of nccl-tests, "
			"nccom-test, or "
			"a CSV node_a,node_b,busbw_gbps)",
			files, files == 1 ? "file" : "files");
		cmd_fail(&e, status);
	}
	simple_verdict_free(simple);
	attribution_free(at);
	pair_set_free(set);
	buf_release(&out);
	return status;
}

static int run_parsed(struct cli *c, const struct wish *w)
{
	struct pair_select select;
	struct fleet *fleet = fleet_new();
	struct pair_store *store = NULL;
	struct catalog *catalog = NULL;
	struct err e = ERR_INIT;
	enum err_code rc = ERR_OK;
	size_t files;
	int status;

	if (w->n == 0)
		rc = err_set(&e, ERR_USAGE,
			"pairs: nothing to read (give files or directories, or - for standard "
			"input)");
	if (!rc)
		rc = cli_pair_select(w->size, w->collective, w->in_place, &select, &e);
	if (!rc && w->nodes)
		rc = fleet_read_csv(fleet, w->nodes, &e);
	if (!rc)
		rc = cli_catalog_new(c, &catalog, &e);
	if (rc) {
		fleet_free(fleet);
		return cmd_fail(&e, CMD_USAGE);
	}
	store = pair_store_new(&select);
	files = pair_files_read(store, w->paths, w->n, &e);
	status = report(w, c, catalog, store, fleet, files, &e);
	catalog_free(catalog);
	pair_store_free(store);
	fleet_free(fleet);
	return status;
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
	free(w.paths);
	return status;
}

const struct cmd *cmd_pairs(void)
{
	static const struct cmd self = {
		.name = "pairs",
		.summary = "read a sweep of pairs of nodes, name what is slow",
		.synopsis =
			"PATH... [--nodes nodes.csv] [--json|--text|--csv] [--rule NAME] [-o FILE]",
		.about =
			"Reads the output of nccl-tests (any version, text or JSON) and "
			"nccom-test, and "
			"tables of pairs, from files, from directories with all that is below "
			"them, or "
			"from standard input (-). Takes the largest set of runs that compare (same "
			"collective, ranks and size), and says which nodes, links or levels of the "
			"network are slow, how sure that is, and which pairs say so.\n\n"
			"Exit status: 0 nothing slow, 1 suspects, slow levels, failed runs or "
			"wrong "
			"values, 2 usage or configuration error, 3 no pair has a figure.",
		.own_title = "Pairs",
		.own = options,
		.shared = CLI_GROUP_SHOW,
		.run = run,
	};

	return &self;
}
