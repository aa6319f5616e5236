#include "tui/cmd.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collectors/json.h"
#include "collectors/xmalloc.h"
#include "tui/output.h"
#include "tui/page.h"
#include "tui/report_group.h"

#define OUTPUT_MAX (16u << 20)
#define KEY_JSON   CLI_OWN_KEY

static const struct args_option options[] = {
	{"json", 0, false, KEY_JSON, NULL, "everything about every rule, as JSON"},
	{.name = NULL},
};

struct wish {
	bool json;
	const char *id;
};

static enum err_code own(void *ctx, const struct args_option *opt, const char *value, struct err *e)
{
	struct wish *w = ctx;

	if (opt)
		w->json = true;
	else if (!w->id)
		w->id = value;
	else
		return err_set(e, ERR_USAGE, "%.60s: one rule at a time (rules ID)", value);
	return ERR_OK;
}

/* ---- JSON ---- */

static void add_list(cJSON *object, const char *name, const char *const *list)
{
	cJSON *array = cJSON_AddArrayToObject(object, name);

	for (size_t i = 0; i < RULE_LIST_MAX && list[i]; i++)
		cJSON_AddItemToArray(array, cJSON_CreateString(list[i]));
}

/* Keyed as in the catalog, so that an entry can be copied into an overlay. */
static cJSON *rule_json(const struct rule *rule)
{
	cJSON *object = cJSON_CreateObject();

	json_add_str(object, "id", rule->id);
	if (rule->label)
		json_add_str(object, "label", rule->label);
	json_add_str(object, "scope", rule_scope_name(rule->scope));
	json_add_str(object, "signal", rule->signal);
	json_add_str(object, "compare", rule_compare_name(rule->compare));
	if (rule->threshold_text)
		json_add_str(object, "threshold", rule->threshold_text);
	else if (rule->compare == COMPARE_DIFFERS || isnan(rule->threshold))
		cJSON_AddNullToObject(object, "threshold");
	else
		cJSON_AddNumberToObject(object, "threshold", rule->threshold);
	json_add_str(object, "unit", rule->unit);
	json_add_u64(object, "for", rule->for_samples);
	json_add_str(object, "severity", severity_name(rule->severity));
	json_add_str(object, "section", rule->section ? rule->section : "");
	cJSON *route = cJSON_AddObjectToObject(object, "route");

	json_add_str(route, "owner", rule->owner);
	json_add_str(route, "section", rule->owner_section);
	json_add_str(object, "title", rule->title);
	json_add_str(object, "why", rule->why);
	json_add_str(object, "source", rule->source);
	add_list(object, "checks", rule->checks);
	add_list(object, "commands", rule->commands);
	cJSON_AddBoolToObject(object, "disabled", rule->disabled);
	json_add_str(object, "origin", rule->origin);
	return object;
}

static enum err_code catalog_json(struct buf *out, const struct catalog *c, const struct rule *only)
{
	cJSON *root = cJSON_CreateObject();

	json_add_str(root, "schema", "hyperpod-perf/rules/1");
	cJSON *rules = cJSON_AddArrayToObject(root, "rules");

	for (size_t i = 0; i < catalog_count(c); i++)
		if (!only || only == catalog_at(c, i))
			cJSON_AddItemToArray(rules, rule_json(catalog_at(c, i)));
	char *text = cJSON_Print(root);
	enum err_code rc = text ? buf_add_str(out, text) : ERR_NOMEM;

	if (rc == ERR_OK)
		rc = buf_add_str(out, "\n");
	cJSON_free(text);
	cJSON_Delete(root);
	return rc;
}

/* ---- text ---- */

static enum err_code catalog_table(struct buf *out, const struct catalog *c)
{
	enum err_code rc = ERR_OK;
	size_t widest = 4;

	for (size_t i = 0; i < catalog_count(c); i++) {
		size_t n = strlen(catalog_at(c, i)->id);

		widest = n > widest ? n : widest;
	}
	rc = buf_addf(
		out, "%-*s %-8s %-2s %s\n", (int)widest, "RULE", "SEVERITY", "IN", "FIRES WHEN");
	for (size_t i = 0; i < catalog_count(c) && rc == ERR_OK; i++) {
		const struct rule *rule = catalog_at(c, i);
		const char *section = rule->section && *rule->section ? rule->section : "-";
		char condition[256];

		rc = buf_addf(out, "%-*s %-8s %-2s %s%s%s\n", (int)widest, rule->id,
			severity_name(rule->severity), section,
			report_condition(rule, condition, sizeof(condition)),
			rule->disabled ? " (disabled)" : "",
			rule->origin && strcmp(rule->origin, "built in") != 0 ? " (changed)" : "");
	}
	return rc;
}

/* notes: what the entry of the same index may break; NULL for none at all. */
static void write_list(
	struct page *p, const char *title, const char *const *list, const char *const *notes)
{
	if (list[0])
		page_item(p, 0, "", "%s", title);
	for (size_t i = 0; i < RULE_LIST_MAX && list[i]; i++) {
		page_verbatim(p, 2, list[i]);
		if (notes && notes[i])
			page_item(p, 4, "careful: ", "%s", notes[i]);
	}
}

/* One rule in full. */
static enum err_code explain(struct buf *out, const struct rule *rule, const struct cli *c)
{
	struct report_style style = {
		.width = output_width(STDOUT_FILENO),
		.color = output_may_color(c->color, STDOUT_FILENO),
		.utf8 = output_may_utf8(c->ascii, STDOUT_FILENO),
	};
	struct page p;
	char text[256];

	page_init(&p, out, &style);
	page_item(&p, 0, "", "%s", rule->id);
	page_tagged(&p, rule->severity, "%s", rule->title ? rule->title : "");
	page_item(&p, 2, "fires when  ", "%s", report_condition(rule, text, sizeof(text)));
	page_item(&p, 2, "readings    ", "%u in a row must agree", rule->for_samples);
	if (rule->label)
		page_item(&p, 2, "in short    ", "%s", rule->label);
	page_item(&p, 2, "scope       ", "%s", rule_scope_name(rule->scope));
	page_item(&p, 2, "owner       ", "%s", report_route(rule, text, sizeof(text)));
	page_item(&p, 2, "why         ", "%s", rule->why ? rule->why : "not said");
	page_item(&p, 2, "threshold   ", "%s", rule->source ? rule->source : "no source given");
	page_item(&p, 2, "defined     ", "%s%s", rule->origin ? rule->origin : "built in",
		rule->disabled ? ", disabled" : "");
	write_list(&p, "Look at:", rule->checks, NULL);
	write_list(&p, "Suggested command (run this yourself):", rule->commands, rule->blast);
	return page_error(&p);
}

static enum err_code unknown_rule(const struct catalog *c, const char *id, struct err *e)
{
	size_t n = catalog_count(c);
	const char **names = xcalloc(n ? n : 1, sizeof(*names));

	for (size_t i = 0; i < n; i++)
		names[i] = catalog_at(c, i)->id;
	const char *near = args_suggest(id, names, n);

	free(names);
	if (near)
		return err_set(e, ERR_USAGE, "%.60s: no such rule (did you mean %s?)", id, near);
	return err_set(e, ERR_USAGE, "%.60s: no such rule (`rules` lists them)", id);
}

static enum err_code show(struct buf *out, const struct catalog *catalog, const struct wish *w,
	const struct cli *c, struct err *e)
{
	const struct rule *only = w->id ? catalog_find(catalog, w->id) : NULL;

	if (w->id && !only)
		return unknown_rule(catalog, w->id, e);
	enum err_code rc = w->json ? catalog_json(out, catalog, only)
			   : only  ? explain(out, only, c)
				   : catalog_table(out, catalog);

	return rc ? err_set(e, rc, "rules: %s", err_code_name(rc)) : ERR_OK;
}

static int run(const struct cmd *self, int argc, char **argv)
{
	struct cli c;
	struct wish w = {false, NULL};
	struct catalog *catalog = NULL;
	struct buf b = BUF_INIT(OUTPUT_MAX);
	struct err e = ERR_INIT;
	int status;

	if (!cmd_begin(self, argc, argv, &c, own, &w, &status))
		return status;
	if (cli_catalog_new(&c, &catalog, &e) || show(&b, catalog, &w, &c, &e))
		status = cmd_fail(&e, CMD_USAGE);
	else
		status = cmd_write(&b, NULL, CMD_OK);
	catalog_free(catalog);
	buf_release(&b);
	cli_release(&c);
	return status;
}

const struct cmd *cmd_rules(void)
{
	static const struct cmd self = {
		.name = "rules",
		.summary = "print the rules, or explain one",
		.synopsis = "[ID] [--json] [--rules FILE]",
		.about = "Prints every rule with its condition, or one rule in full: when it "
			 "fires, where "
			 "the threshold comes from, who owns it, what to look at, what to run.",
		.own_title = "Options",
		.own = options,
		.shared = CLI_GROUP_RULES | CLI_GROUP_SHOW,
		.run = run,
	};

	return &self;
}
