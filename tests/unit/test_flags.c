/*
 * Real captures: each of the corpus' should_flag labels becomes a finding, and
 * what is healthy raises no concern. Parsing and judging together, one node.
 *
 * Assumptions of this harness: a label is a rule id; "xid-79" is rule xid with
 * value 79, "xid-149-fatal" rule xid-fatal with value 149. Where a label speaks
 * of what is missing, the instance type that expects it is given (CONTEXTS).
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collectors/json.h"
#include "rules/judge.h"
#include "tests/lib/snap.h"

#define CORPUS "../shared/corpus/node/"

static const struct {
	const char *label;
	const char *instance_type;
} contexts[] = {
	{"gpu-count-low", "p5.48xlarge"},
	{"efa-missing", "p5.48xlarge"},
	{"fm-inactive", "p5.48xlarge"},
};

static const char *type_for(const cJSON *labels)
{
	for (const cJSON *l = labels ? labels->child : NULL; l; l = l->next)
		for (size_t i = 0; i < sizeof(contexts) / sizeof(contexts[0]); i++)
			if (strcmp(l->valuestring, contexts[i].label) == 0)
				return contexts[i].instance_type;
	return NULL;
}

static bool is_label(const struct finding *f, const char *label)
{
	char text[64];

	if (strcmp(f->rule->id, label) == 0)
		return true;
	if (strcmp(f->rule->id, "xid") == 0)
		snprintf(text, sizeof(text), "xid-%s", f->value);
	else if (strcmp(f->rule->id, "xid-fatal") == 0)
		snprintf(text, sizeof(text), "xid-%s-fatal", f->value);
	else
		return false;
	return strcmp(text, label) == 0;
}

static bool has_label(const struct judgement *jm, const char *label)
{
	for (size_t i = 0; i < jm->n; i++)
		if (is_label(&jm->findings[i], label))
			return true;
	return false;
}

static void print_findings(const struct judgement *jm)
{
	for (size_t i = 0; i < jm->n; i++)
		print_message("    %s %s: %s\n", severity_name(jm->findings[i].severity),
			jm->findings[i].rule->id, jm->findings[i].title);
}

/* Number of complaints on one entry. */
static int check_entry(struct judge *j, const cJSON *entry, const char *file)
{
	const cJSON *labels = cJSON_GetObjectItemCaseSensitive(entry, "should_flag");
	const cJSON *command = cJSON_GetObjectItemCaseSensitive(entry, "command");
	enum section_id id = section_by_name(span_of(command->valuestring));
	char path[512];
	size_t len = 0;
	int bad = 0;

	snprintf(path, sizeof(path), CORPUS "%s", file);
	char *text = snap_read_file(path, &len);

	if (!text || id == SECTION_COUNT) {
		print_message("%s: no such file or section\n", file);
		free(text);
		return 1;
	}
	struct snapshot *snap = snap_new(1);
	struct section_meta meta = SECTION_META_INIT;

	meta.mono_ms = snap->mono_ms;
	meta.wall_ms = snap->wall_ms;
	snap_identity(snap, 0, NULL, type_for(labels), NULL);
	snap_section_meta(snap, 0, id, text, len, meta);
	/* One capture, two sections: ports and their counters. */
	if (strcmp(command->valuestring, "efa-sysfs") == 0)
		snap_section_meta(snap, 0, SECTION_EFA_COUNTERS, text, len, meta);
	struct judgement *jm = judge_run(j, snap);

	for (const cJSON *l = labels->child; l; l = l->next) {
		if (has_label(jm, l->valuestring))
			continue;
		print_message("%s: %s is not found\n", file, l->valuestring);
		bad++;
	}
	if (!labels->child && jm->concerns) {
		print_message("%s: should raise no concern\n", file);
		bad++;
	}
	if (bad || getenv("VERBOSE")) {
		print_message("  %s\n", file);
		print_findings(jm);
	}
	judgement_free(jm);
	snapshot_free(snap);
	free(text);
	return bad;
}

static void corpus_labels_become_findings(void **state)
{
	(void)state;
	struct err e = ERR_INIT;
	struct catalog *c = NULL;
	cJSON *all = json_read_file(CORPUS "expected.json", 4u << 20, &e);
	int bad = 0;
	int n = 0;

	if (!all) {
		print_message("SKIPPED: no captures at " CORPUS "\n");
		skip();
	}
	assert_int_equal(catalog_builtin(&c, &e), ERR_OK);
	for (const cJSON *entry = all->child; entry; entry = entry->next, n++) {
		const cJSON *file = cJSON_GetObjectItemCaseSensitive(entry, "file");
		struct judge *j = judge_new(c);

		bad += check_entry(j, entry, file->valuestring);
		judge_free(j);
	}
	cJSON_Delete(all);
	catalog_free(c);
	print_message("%d captures\n", n);
	assert_int_equal(bad, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(corpus_labels_become_findings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
