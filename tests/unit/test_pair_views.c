/*
 * Findings of pairwise bandwidth where people read them: the reports, the Findings view,
 * the panels of a node and of a pair. From a sweep as it would be measured.
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
#include "tests/lib/snap.h"
#include "tests/lib/sweep_fixture.h"
#include "tests/lib/ui_drive.h"
#include "tui/report.h"

#define NODES 16

/* 16 nodes of which node01 has no pair; one slow node, one slow link, a failed run. */
struct scene {
	struct catalog *catalog;
	struct judge *judge;
	struct snapshot *snap;
	struct sweep_picture *sweep;
	struct judgement *jm;
	struct report report;
};

static void scene_open(struct scene *s)
{
	static struct pair_trouble trouble = {.what = BW_TROUBLE_SOCKET,
		.node = 6,
		.line = "NCCL INFO NET/Socket : Using [0]ens5:10.1.2.3<0>",
		.path = "/fsx/sweep/r9.log"};

	assert_int_equal(catalog_builtin(&s->catalog, NULL), ERR_OK);
	s->judge = judge_new(s->catalog);
	s->snap = snap_new(NODES);
	s->sweep = sweep_fixture(NODES, 1, NULL);
	/* The fixture's nodes are those of the snapshot, but for the last, which is a stranger. */
	struct pair_set *set = (struct pair_set *)s->sweep->set;

	for (size_t i = 0; i < NODES; i++) {
		set->nodes[i].id = i + 1 < NODES ? s->snap->nodes[i].id : NULL;
		if (i + 1 < NODES)
			set->nodes[i].name = s->snap->nodes[i].name;
	}
	set->troubles = malloc(sizeof(trouble));
	assert_non_null(set->troubles);
	set->troubles[0] = trouble;
	set->n_troubles = 1;
	const struct judge_pairs pairs = {
		s->sweep->set, s->sweep->at, s->snap->mono_ms, s->snap->wall_ms};

	s->jm = judge_run_with(s->judge, s->snap, &pairs);
	s->report = (struct report){.snap = s->snap, .judgement = s->jm, .catalog = s->catalog};
}

/* What the screen does not hold itself. */
static void scene_close(struct scene *s, bool taken)
{
	if (!taken) {
		judgement_free(s->jm);
		snapshot_free(s->snap);
	}
	sweep_picture_free(s->sweep);
	judge_free(s->judge);
	catalog_free(s->catalog);
}

static void says(const struct buf *b, const char *text)
{
	if (!strstr(buf_str(b), text)) {
		fprintf(stderr, "%s\n", buf_str(b));
		fail_msg("\"%s\" is missing", text);
	}
}

static void test_text(void **state)
{
	const struct report_style style = {.width = 400, .utf8 = true};
	const struct report_style ascii = {.width = 400};
	struct buf b = BUF_INIT(1 << 20);
	struct scene s;

	(void)state;
	scene_open(&s);
	assert_int_equal(report_text(&b, &s.report, &style), ERR_OK);
	says(&b, "[CONCERN] node06: Loses 17.9 % of the bandwidth of its pairs; ");
	says(&b, "[CONCERN] node10 – node15: Path between two nodes loses 39.9 %; ");
	says(&b, "[CONCERN] node04 – node08: A run gave no figure: NCCL failure: remote");
	says(&b, "said NCCL failure: remote process exited or there was a network error "
		 "(/fsx/sweep/round-03.log)");
	says(&b, "[CONCERN] NCCL runs over NET/Socket on node07");
	says(&b, "said node07: NCCL INFO NET/Socket : Using [0]ens5:10.1.2.3<0> "
		 "(/fsx/sweep/r9.log)");
	says(&b, "[OK]      Pairwise bandwidth, ");
	says(&b, "unlike type pairs");
	says(&b, "The sweep has no pair of node08");
	says(&b, "hyperpod-perf plan --nodes ");
	assert_null(strstr(buf_str(&b), "FSx, pairwise bandwidth"));
	buf_reset(&b);
	assert_int_equal(report_text(&b, &s.report, &ascii), ERR_OK);
	says(&b, "node10 - node15: ");
	buf_release(&b);
	scene_close(&s, false);
}

static void test_markdown(void **state)
{
	struct buf b = BUF_INIT(1 << 20);
	struct scene s;

	(void)state;
	scene_open(&s);
	assert_int_equal(report_markdown(&b, &s.report), ERR_OK);
	says(&b, "### [CONCERN] node06: Loses 17.9 %");
	says(&b, "### [CONCERN] node10 – node15: Path between");
	says(&b, "- said: node07: NCCL INFO NET/Socket : Using \\[0\\]ens5");
	buf_release(&b);
	scene_close(&s, false);
}

static const cJSON *json_finding(const cJSON *root, const char *rule)
{
	const cJSON *f;

	cJSON_ArrayForEach(f, cJSON_GetObjectItemCaseSensitive(root, "findings"))
	{
		if (strcmp(cJSON_GetObjectItemCaseSensitive(f, "rule")->valuestring, rule) == 0)
			return f;
	}
	fail_msg("no finding of %s", rule);
	return NULL;
}

static void test_json(void **state)
{
	struct buf b = BUF_INIT(16 << 20);
	struct err e = ERR_INIT;
	struct scene s;

	(void)state;
	scene_open(&s);
	assert_int_equal(report_json(&b, &s.report), ERR_OK);
	cJSON *root = json_parse("report", buf_str(&b), b.len, &e);
	const cJSON *f = json_finding(root, "pairs-link-slow");

	assert_string_equal(cJSON_GetObjectItemCaseSensitive(f, "scope")->valuestring, "pair");
	assert_string_equal(
		cJSON_GetObjectItemCaseSensitive(f, "subject")->valuestring, "node10 – node15");
	assert_true(cJSON_IsNull(cJSON_GetObjectItemCaseSensitive(f, "node")));
	assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItemCaseSensitive(f, "nodes")), 2);
	f = json_finding(root, "nccl-net-socket");
	const cJSON *evidence = cJSON_GetObjectItemCaseSensitive(f, "evidence");

	assert_non_null(strstr(
		cJSON_GetObjectItemCaseSensitive(evidence, "detail")->valuestring, "NET/Socket"));
	cJSON_Delete(root);
	buf_release(&b);
	scene_close(&s, false);
}

static void test_screens(void **state)
{
	struct ui_drive d;
	struct scene s;

	(void)state;
	scene_open(&s);
	ui_drive_start(&d, (struct ui_fixture){s.snap, s.jm}, 160, 50);
	screen_set_sweep(d.screen, s.sweep);
	ui_drive_keys(&d, "4");
	assert_true(ui_drive_sees(&d, "node10 – node15"));
	assert_true(ui_drive_sees(&d, "node06"));
	/* The panel of a pair's finding. */
	ui_drive_keys(&d, "/ p a t h Enter Enter");
	assert_true(ui_drive_sees(&d, "node10 – node15"));
	assert_true(ui_drive_sees(&d, "pairs.link_deficit_pct"));
	assert_true(ui_drive_sees(&d, "hyperpod-perf plan --nodes"));
	ui_drive_keys(&d, "Esc Esc");
	/* The panels of both nodes of a pair tell it, as their tallies do. */
	ui_drive_command(&d, "node node15");
	assert_true(ui_drive_sees(&d, "Path between two nodes"));
	ui_drive_keys(&d, "Esc");
	ui_drive_command(&d, "node node07");
	assert_true(ui_drive_sees(&d, "NCCL runs over NET/Socket"));
	assert_true(ui_drive_sees(&d, "NET/Socket : Using [0]ens5"));
	/* Every size: nothing breaks. */
	for (int w = 1; w < 130; w += 9)
		ui_drive_resize(&d, w, 12);
	screen_set_sweep(d.screen, NULL);
	/* The drive frees what ui_fixture makes: a judgement without tallies of rules. */
	free(s.jm->rules);
	s.jm->rules = NULL;
	ui_drive_stop(&d);
	scene_close(&s, true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_text),
		cmocka_unit_test(test_markdown),
		cmocka_unit_test(test_json),
		cmocka_unit_test(test_screens),
	};

	if (!ui_drive_locale())
		return 0;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
