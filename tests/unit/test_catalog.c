/* The rules as data: what is compiled in, and what an overlay may say. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "rules/fill.h"
#include "rules/rule.h"
#include "rules/signals.h"

static struct catalog *builtin(void)
{
	struct catalog *c = NULL;
	struct err e = ERR_INIT;

	if (catalog_builtin(&c, &e))
		fail_msg("%s", e.msg);
	return c;
}

/* 2 to 4 words, short, and no other rule's. */
static void check_label(const struct catalog *c, size_t i)
{
	const struct rule *r = catalog_at(c, i);
	size_t words = 1;

	assert_non_null(r->label);
	for (const char *p = r->label; *p; p++)
		words += *p == ' ';
	if (words < 2 || words > 4 || strlen(r->label) > 28)
		fail_msg("%s: label \"%s\"", r->id, r->label);
	for (size_t k = 0; k < i; k++)
		assert_string_not_equal(r->label, catalog_at(c, k)->label);
}

static void builtin_rules_are_whole(void **state)
{
	(void)state;
	struct catalog *c = builtin();

	assert_true(catalog_count(c) > 60);
	for (size_t i = 0; i < catalog_count(c); i++) {
		const struct rule *r = catalog_at(c, i);
		struct signal s;

		assert_non_null(r->title);
		assert_non_null(r->why);
		assert_non_null(r->source);
		assert_non_null(r->owner);
		check_label(c, i);
		assert_true(r->for_samples >= 1);
		assert_true(signal_resolve(r->signal, &s));
		assert_ptr_equal(catalog_find(c, r->id), r);
		assert_string_equal(r->origin, "built in");
		if (strlen(r->title) > 75)
			fail_msg("%s: title is long: %s", r->id, r->title);
		/* A concern that is routed elsewhere says where to look next. */
		if (r->compare != COMPARE_DIFFERS && r->severity == SEVERITY_CONCERN)
			assert_non_null(r->checks[0]);
		/* What changes something says what it may break. */
		for (size_t k = 0; k < RULE_LIST_MAX; k++)
			if (r->commands[k] && !r->blast[k])
				fail_msg("%s: a command without blast radius", r->id);
	}
	assert_null(catalog_at(c, catalog_count(c)));
	assert_null(catalog_find(c, "no-such-rule"));
	catalog_free(c);
}

/* Every command that changes the cluster is printed only, and is one of these two calls. */
static void aws_commands_are_the_known_ones(void **state)
{
	(void)state;
	struct catalog *c = builtin();

	for (size_t i = 0; i < catalog_count(c); i++) {
		const struct rule *r = catalog_at(c, i);

		for (size_t k = 0; k < RULE_LIST_MAX && r->checks[k]; k++)
			if (strstr(r->checks[k], "aws "))
				assert_non_null(strstr(r->checks[k], " describe-"));
		for (size_t k = 0; k < RULE_LIST_MAX && r->commands[k]; k++)
			if (strstr(r->commands[k], "aws "))
				assert_true(strstr(r->commands[k], "batch-reboot-cluster-nodes") ||
					    strstr(r->commands[k], "batch-replace-cluster-nodes"));
	}
	catalog_free(c);
}

static void write_file(char *path, const char *text)
{
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
}

static enum err_code overlay(struct catalog *c, const char *text, struct err *e)
{
	char path[] = "/tmp/hp-rules-XXXXXX";

	write_file(path, text);
	enum err_code rc = catalog_overlay(c, path, e);

	unlink(path);
	return rc;
}

static void overlay_changes_the_keys_it_gives(void **state)
{
	(void)state;
	struct catalog *c = builtin();
	size_t n = catalog_count(c);
	struct err e = ERR_INIT;
	const char *text =
		"{\"rules\": ["
		"{\"id\": \"gpu-temp\", \"threshold\": 80, \"label\": \"heat of GPUs\"},"
		"{\"id\": \"xid\", \"disabled\": true},"
		"{\"id\": \"my-load\", \"signal\": \"host.load1\", \"compare\": \">\","
		" \"threshold\": 500, \"title\": \"Load {value}\", \"why\": \"Ours.\"}]}";

	assert_int_equal(overlay(c, text, &e), ERR_OK);
	assert_int_equal(catalog_count(c), n + 1);
	const struct rule *temp = catalog_find(c, "gpu-temp");

	assert_true(temp->threshold == 80);
	assert_int_equal(temp->compare, COMPARE_GE);
	assert_string_equal(temp->label, "heat of GPUs");
	assert_null(catalog_find(c, "my-load")->label);
	assert_int_equal(strncmp(temp->origin, "hp-rules-", 9), 0);
	assert_true(catalog_find(c, "xid")->disabled);
	const struct rule *mine = catalog_find(c, "my-load");

	assert_int_equal(mine->severity, SEVERITY_CONCERN);
	assert_int_equal(mine->for_samples, 1);
	assert_string_equal(mine->section, "");
	catalog_free(c);
}

static void overlay_errors_name_file_rule_and_key(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		const char *says;
	} cases[] = {
		{"[{\"id\": \"gpu-temp\", \"threshold\": \"hot\"}]",
			"rule gpu-temp: threshold: must be a number (got a string)"},
		{"[{\"id\": \"gpu-temp\", \"threshold\": null}]", "threshold: must be"},
		{"[{\"id\": \"gpu-temp\", \"treshold\": 3}]",
			"rule gpu-temp: unknown key \"treshold\""},
		{"[{\"id\": \"gpu-temp\", \"signal\": \"gpu.temprature\"}]",
			"there is no signal \"gpu.temprature\""},
		{"[{\"id\": \"gpu-temp\", \"compare\": \"=>\"}]", "compare: must be one of"},
		{"[{\"id\": \"gpu-temp\", \"compare\": \"differs\"}]",
			"differs needs scope cluster"},
		{"[{\"id\": \"gpu-temp\", \"label\": \"\"}]", "label: must be 1 to 40 bytes"},
		{"[{\"id\": \"gpu-temp\", \"label\": 3}]",
			"label: must be a string (got a number)"},
		{"[{\"id\": \"gpu-temp\", \"label\": "
		 "\"a label that is far too long to be one of many\"}]",
			"label: must be 1 to 40 bytes"},
		{"[{\"id\": \"gpu-temp\", \"for\": 0}]", "for: must be a whole number"},
		{"[{\"id\": \"gpu-temp\", \"for\": 1.5}]", "for: must be a whole number"},
		{"[{\"id\": \"gpu-temp\", \"severity\": \"ok\"}]",
			"severity: must be info or concern"},
		{"[{\"id\": \"gpu-temp\", \"title\": \"at {valeu}\"}]", "no placeholder {valeu}"},
		{"[{\"id\": \"gpu-temp\", \"section\": \"C\"}]", "section: must be"},
		{"[{\"id\": \"gpu-temp\", \"route\": {\"owner\": 3}}]",
			"route.owner: must be a string (got a number)"},
		{"[{\"id\": \"gpu-temp\", \"route\": {\"to\": \"x\"}}]",
			"route: unknown key \"to\""},
		{"[{\"id\": \"gpu-temp\", \"threshold\": 1, \"threshold\": 2}]",
			"threshold: given twice"},
		{"[{\"id\": \"gpu-temp\"}, {\"id\": \"gpu-temp\"}]", "id: given twice"},
		{"[{\"id\": \"gpu-lost\", \"threshold\": 1}]", "must be true or false"},
		{"[{\"id\": \"gpu-temp\", \"checks\": \"ls\"}]", "checks: must be an array"},
		{"[{\"id\": \"gpu-temp\", \"commands\": [{\"cmd\": \"ls\"}]}]",
			"commands: an entry is"},
		{"[{\"id\": \"gpu-temp\", \"checks\": "
		 "[\"1\",\"2\",\"3\",\"4\",\"5\",\"6\",\"7\",\"8\",\"9\"]}]",
			"more than 8"},
		{"[{\"id\": \"fresh\", \"signal\": \"gpu.temp_c\"}]", "title: is missing"},
		{"[{\"threshold\": 3}]", "rule number 1: id: is missing"},
		{"[{\"id\": \"Bad Id\"}]", "id: must be 1 to 48"},
		{"[7]", "rule number 1: must be an object"},
		{"{\"rule\": []}", "unknown key \"rule\""},
		{"3", "must be an array of rules"},
		{"[{\"id\": \"gpu-temp\",}]", "not valid JSON"},
		{"", "not valid JSON"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct catalog *c = builtin();
		struct err e = ERR_INIT;

		assert_int_not_equal(overlay(c, cases[i].text, &e), ERR_OK);
		if (!strstr(e.msg, cases[i].says) || !strstr(e.msg, "hp-rules-"))
			fail_msg("%s\n  says: %s\n  not:  %s", cases[i].text, e.msg, cases[i].says);
		catalog_free(c);
	}
}

static void overlay_is_all_or_nothing(void **state)
{
	(void)state;
	struct catalog *c = builtin();
	size_t n = catalog_count(c);
	struct err e = ERR_INIT;

	assert_int_not_equal(
		overlay(c, "[{\"id\": \"gpu-temp\", \"threshold\": 1}, {\"id\": \"x\"}]", &e),
		ERR_OK);
	assert_int_equal(catalog_count(c), n);
	assert_true(catalog_find(c, "gpu-temp")->threshold == 88);
	assert_int_not_equal(catalog_overlay(c, "/nowhere/rules.json", &e), ERR_OK);
	assert_non_null(strstr(e.msg, "/nowhere/rules.json"));
	catalog_free(c);
}

static void placeholders_are_filled_and_quoted(void **state)
{
	(void)state;
	struct arena a = ARENA_INIT(1 << 16);
	struct fill f = {{NULL}};
	char unknown[32];

	f.values[FILL_NODE] = "a; rm -rf 'x'";
	f.values[FILL_VALUE] = "91";
	assert_string_equal(fill_text(&a, "at {value} {x y} {", &f, false), "at 91 {x y} {");
	assert_string_equal(fill_text(&a, "ssh {node} {cluster}", &f, true),
		"ssh 'a; rm -rf '\\''x'\\''' <cluster-name>");
	f.values[FILL_NODE] = "-oProxyCommand=x";
	assert_string_equal(fill_text(&a, "{node}", &f, true), "<node>");
	f.values[FILL_NODE] = "ip-10-1-0-7";
	assert_string_equal(fill_text(&a, "{node}", &f, true), "ip-10-1-0-7");
	assert_false(fill_find_unknown("{node} {value}", unknown, sizeof(unknown)));
	assert_true(fill_find_unknown("{node} {nodee}", unknown, sizeof(unknown)));
	assert_string_equal(unknown, "{nodee}");
	arena_release(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(builtin_rules_are_whole),
		cmocka_unit_test(aws_commands_are_the_known_ones),
		cmocka_unit_test(overlay_changes_the_keys_it_gives),
		cmocka_unit_test(overlay_errors_name_file_rule_and_key),
		cmocka_unit_test(overlay_is_all_or_nothing),
		cmocka_unit_test(placeholders_are_filled_and_quoted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
