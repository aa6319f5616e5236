#include "tui/cmd.h"

#include <string.h>

#include "collectors/json.h"

/* Somewhat over what a section may have, so that the parser can say that it was cut. */
#define TEXT_MAX   (4u << 20)
#define RESULT_MAX (64u << 20)
#define KEY_LIST   CLI_OWN_KEY

static const struct args_option options[] = {
	{"list", 'l', false, KEY_LIST, NULL, "name the sections, what they hold, other names"},
	{.name = NULL},
};

struct wish {
	bool list;
	const char *section;
	const char *file;
};

static enum err_code own(void *ctx, const struct args_option *opt, const char *value, struct err *e)
{
	struct wish *w = ctx;

	if (opt)
		w->list = true;
	else if (!w->section)
		w->section = value;
	else if (!w->file)
		w->file = value;
	else
		return err_set(
			e, ERR_USAGE, "%.60s: one file at a time (parse SECTION [FILE])", value);
	return ERR_OK;
}

static enum err_code list_sections(struct buf *b)
{
	enum err_code rc = ERR_OK;

	for (int id = 0; id < SECTION_COUNT && rc == ERR_OK; id++) {
		const struct section_desc *d = section_desc((enum section_id)id);
		const char *alias;
		enum section_id of;
		const char *lead = "   also ";

		rc = buf_addf(b, "%-14s %-20s", d->name, d->title);
		for (size_t i = 0; rc == ERR_OK && section_alias(i, &alias, &of); i++) {
			if (of != (enum section_id)id)
				continue;
			rc = buf_addf(b, "%s%s", lead, alias);
			lead = ", ";
		}
		while (b->len && b->data[b->len - 1] == ' ')
			b->data[--b->len] = '\0';
		if (rc == ERR_OK)
			rc = buf_add_str(b, "\n");
	}
	return rc;
}

static enum err_code unknown_section(const char *name, struct err *e)
{
	const char *names[SECTION_COUNT];

	for (int id = 0; id < SECTION_COUNT; id++)
		names[id] = section_desc((enum section_id)id)->name;
	const char *near = args_suggest(name, names, SECTION_COUNT);

	if (near)
		return err_set(
			e, ERR_USAGE, "%.60s: no such section (did you mean %s?)", name, near);
	return err_set(e, ERR_USAGE, "%.60s: no such section (parse --list names them)", name);
}

static enum err_code section_json(struct buf *out, const struct section *s)
{
	cJSON *root = cJSON_CreateObject();

	json_add_str(root, "schema", "hyperpod-perf/parse/1");
	json_add_str(root, "section", section_desc(s->id)->name);
	json_add_str(root, "status", section_status_name(s->status));
	cJSON_AddItemToObject(root, "values", json_of_reading(s, 1));
	cJSON_AddItemToObject(root, "unread", json_of_unread(s));
	char *text = cJSON_Print(root);
	enum err_code rc = text ? buf_add_str(out, text) : ERR_NOMEM;

	if (rc == ERR_OK)
		rc = buf_add_str(out, "\n");
	cJSON_free(text);
	cJSON_Delete(root);
	return rc;
}

static enum err_code parse_file(struct buf *out, const struct wish *w, int *status, struct err *e)
{
	enum section_id id = section_by_name(span_of(w->section));
	struct section_meta meta = SECTION_META_INIT;
	struct buf text = BUF_INIT(TEXT_MAX);
	enum err_code rc;

	if (id == SECTION_COUNT)
		return unknown_section(w->section, e);
	rc = buf_read_file(&text, w->file ? w->file : "-", e);
	if (rc == ERR_OK) {
		struct section *s =
			section_parse(id, (struct span){buf_str(&text), text.len}, meta);

		*status = s->status == SECTION_FAILED ? CMD_NOTHING : CMD_OK;
		rc = section_json(out, s);
		section_unref(s);
		if (rc)
			err_set(e, rc, "%s: too much to print", w->section);
	}
	buf_release(&text);
	return rc;
}

static int run(const struct cmd *self, int argc, char **argv)
{
	struct cli c;
	struct wish w = {false, NULL, NULL};
	struct buf b = BUF_INIT(RESULT_MAX);
	struct err e = ERR_INIT;
	enum err_code rc;
	int status = CMD_OK;

	if (!cmd_begin(self, argc, argv, &c, own, &w, &status))
		return status;
	if (w.list)
		rc = list_sections(&b);
	else if (!w.section)
		rc = err_set(&e, ERR_USAGE, "parse: which section? (parse --list names them)");
	else
		rc = parse_file(&b, &w, &status, &e);
	status = rc ? cmd_fail(&e, CMD_USAGE) : cmd_write(&b, NULL, status);
	buf_release(&b);
	cli_release(&c);
	return status;
}

const struct cmd *cmd_parse(void)
{
	static const struct cmd self = {
		.name = "parse",
		.summary = "show what is understood of one section's text",
		.synopsis = "SECTION [FILE]\n--list",
		.about = "Reads what a node's command printed (a file, or standard input) and "
			 "prints, as "
			 "JSON, the values that were understood and what could not be read and "
			 "why. Exit "
			 "status 3: nothing of the text was understood.",
		.own_title = "Options",
		.own = options,
		.run = run,
	};

	return &self;
}
