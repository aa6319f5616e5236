/*
 * What a sweep makes of the judge: findings on nodes, pairs, the network's classes and log
 * lines, from attributions made by hand.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "rules/judge.h"
#include "tests/lib/snap.h"

#define NODES    8 /* of the sweep; the snapshot has IN_SNAP of them */
#define IN_SNAP  6
#define MEASURED (SNAP_NOW_WALL_MS - 95000)

/* A sweep of node01 to node08, all measured with 100 GB/s, and an attribution to fill in. */
struct bench {
	struct catalog *catalog;
	struct judge *judge;
	struct snapshot *snap;
	struct pair_set *set;
	struct attribution at;
	uint8_t tested[NODES];
	struct suspect_node nodes[2];
	struct suspect_link links[40];
	struct transient transients[4];
	struct pair_failure failures[16];
	struct pair_trouble troubles[16];
	struct judge_pairs pairs;
	struct judgement *jm;
};

static struct pair_set *make_set(const struct snapshot *snap)
{
	static const struct pair_key key = {BW_NCCL_TESTS, BW_ALL_REDUCE, 16, (uint64_t)8 << 30};
	struct fleet *fleet = fleet_new();
	uint16_t a[NODES * NODES];
	uint16_t b[NODES * NODES];
	float v[NODES * NODES];
	size_t n = 0;

	for (size_t i = 0; i < NODES; i++) {
		char name[16];

		snprintf(name, sizeof(name), "node%02zu", i + 1);
		size_t at = fleet_find_or_add(fleet, span_of(name));

		if (i < IN_SNAP)
			fleet->nodes[at].id = fleet_str(fleet, span_of(snap->nodes[i].id));
		for (size_t k = i + 1; k < NODES; k++) {
			a[n] = (uint16_t)i;
			b[n] = (uint16_t)k;
			v[n++] = 100;
		}
	}
	struct pair_set *set = pair_set_make(fleet, &key, a, b, v, n);

	set->newest_wall_ms = MEASURED;
	fleet_free(fleet);
	return set;
}

static void start_with(struct bench *b, const char *overlay)
{
	memset(b, 0, sizeof(*b));
	assert_int_equal(catalog_builtin(&b->catalog, NULL), ERR_OK);
	if (overlay) {
		char path[] = "/tmp/hp-pair-rules-XXXXXX";
		int fd = mkstemp(path);
		struct err e = ERR_INIT;

		assert_true(fd >= 0);
		assert_int_equal(write(fd, overlay, strlen(overlay)), (ssize_t)strlen(overlay));
		close(fd);
		if (catalog_overlay(b->catalog, path, &e))
			fail_msg("%s", e.msg);
		unlink(path);
	}
	b->judge = judge_new(b->catalog);
	b->snap = snap_new(IN_SNAP);
	b->set = make_set(b->snap);
	b->at = (struct attribution){.nodes = b->nodes,
		.links = b->links,
		.transients = b->transients,
		.tested = b->tested,
		.n = NODES,
		.enough = true};
	b->set->failures = b->failures;
	b->set->troubles = b->troubles;
	b->pairs = (struct judge_pairs){b->set, &b->at, b->snap->mono_ms, b->snap->wall_ms};
}

static void start(struct bench *b)
{
	start_with(b, NULL);
}

static void run(struct bench *b)
{
	judgement_free(b->jm);
	b->jm = judge_run_with(b->judge, b->snap, &b->pairs);
}

static void stop(struct bench *b)
{
	judgement_free(b->jm);
	judge_free(b->judge);
	catalog_free(b->catalog);
	snapshot_free(b->snap);
	b->set->failures = NULL;
	b->set->troubles = NULL;
	pair_set_free(b->set);
}

static void slow_node(struct bench *b, size_t node, double deficit, double confidence)
{
	struct suspect_node *s = &b->nodes[b->at.n_nodes++];

	*s = (struct suspect_node){.node = node,
		.deficit = deficit,
		.confidence = confidence,
		.pairs = 7,
		.agree = 5,
		.n_evidence = 2};
	s->evidence[0] = (struct pair_evidence){(uint16_t)(node ? 0 : 1), (uint16_t)node, 81, 100};
	s->evidence[1] = (struct pair_evidence){(uint16_t)node, 7, 82.5F, 100};
}

static void slow_link(struct bench *b, size_t x, size_t y, double deficit, double confidence)
{
	b->links[b->at.n_links++] = (struct suspect_link){.a = x,
		.b = y,
		.deficit = deficit,
		.confidence = confidence,
		.readings = 3,
		.evidence = {(uint16_t)x, (uint16_t)y, (float)(100 - 100 * deficit), 100}};
}

static void failure(struct bench *b, size_t x, size_t y, enum bw_status st, const char *why)
{
	b->failures[b->set->n_failures++] = (struct pair_failure){.a = (uint16_t)x,
		.b = (uint16_t)y,
		.status = st,
		.why = why,
		.path = "/fsx/sweep/r1.log",
		.wall_ms = MEASURED};
}

/* As if the pair had not been measured. */
static void unmeasure(struct bench *b, size_t x, size_t y)
{
	struct pair_set *s = b->set;
	size_t p = pair_index(s->n, x, y);

	for (size_t i = s->first[p]; i + 1 < s->n_readings; i++)
		s->readings[i] = s->readings[i + 1];
	s->n_readings--;
	s->measured--;
	for (size_t i = p + 1; i <= pair_count(s->n); i++)
		s->first[i]--;
}

static const struct finding *nth(const struct bench *b, const char *rule, size_t n)
{
	for (size_t i = 0; i < b->jm->n; i++)
		if (strcmp(b->jm->findings[i].rule->id, rule) == 0 && n-- == 0)
			return &b->jm->findings[i];
	return NULL;
}

static const struct finding *find(const struct bench *b, const char *rule)
{
	const struct finding *f = nth(b, rule, 0);

	if (!f)
		fail_msg("no finding of %s", rule);
	return f;
}

static size_t count(const struct bench *b, const char *rule)
{
	size_t n = 0;

	while (nth(b, rule, n))
		n++;
	return n;
}

static const struct rule_tally *tally(const struct bench *b, const char *rule)
{
	for (size_t i = 0; i < catalog_count(b->catalog); i++)
		if (strcmp(catalog_at(b->catalog, i)->id, rule) == 0)
			return &b->jm->rules[i];
	fail_msg("no rule %s", rule);
	return NULL;
}

static void routed(const struct finding *f, const char *owner, const char *section)
{
	assert_string_equal(f->rule->owner, owner);
	if (section)
		assert_string_equal(f->rule->owner_section, section);
	else
		assert_null(f->rule->owner_section);
}

static bool has_check(const struct finding *f, const char *text)
{
	for (size_t i = 0; i < RULE_LIST_MAX && f->checks[i]; i++)
		if (strcmp(f->checks[i], text) == 0)
			return true;
	return false;
}

static bool is_pair_rule(const struct rule *r)
{
	return strncmp(r->signal, "pairs.", 6) == 0;
}

/* ---- */

/* Without a sweep nothing is known, and nothing is fine. */
static void no_sweep(void **state)
{
	struct bench b;
	size_t rules = 0;

	(void)state;
	start(&b);
	b.jm = judge_run(b.judge, b.snap);
	for (size_t i = 0; i < catalog_count(b.catalog); i++) {
		const struct rule_tally *t = &b.jm->rules[i];

		if (!is_pair_rule(catalog_at(b.catalog, i)))
			continue;
		rules++;
		if (t->ok || t->fired || t->unknown || !t->not_applicable)
			fail_msg("%s", catalog_at(b.catalog, i)->id);
	}
	assert_int_equal(rules, 18);
	for (size_t i = 0; i < b.jm->n; i++)
		assert_false(is_pair_rule(b.jm->findings[i].rule));
	stop(&b);
}

static void healthy_sweep(void **state)
{
	struct bench b;

	(void)state;
	start(&b);
	run(&b);
	for (size_t i = 0; i < b.jm->n; i++)
		if (is_pair_rule(b.jm->findings[i].rule))
			fail_msg("%s", b.jm->findings[i].title);
	assert_int_equal(tally(&b, "pairs-node-slow")->ok, IN_SNAP);
	assert_int_equal(tally(&b, "pairs-untested")->ok, IN_SNAP);
	assert_true(tally(&b, "pairs-link-slow")->ok > 0);
	assert_true(tally(&b, "pairs-topology")->ok > 0);
	assert_true(tally(&b, "pairs-run-failed")->ok > 0);
	/* No log line is no proof: NCCL prints them only when it is told to. */
	assert_int_equal(tally(&b, "nccl-net-socket")->ok, 0);
	assert_int_equal(tally(&b, "nccl-net-socket")->not_applicable, IN_SNAP);
	assert_int_equal(tally(&b, "pairs-wrong-values")->ok, 0);
	stop(&b);
}

static void slow_nodes(void **state)
{
	struct bench b;

	(void)state;
	start(&b);
	slow_node(&b, 2, 0.18, 0.93);
	slow_node(&b, 4, 0.10, 0.3);
	run(&b);
	const struct finding *f = find(&b, "pairs-node-slow");

	assert_int_equal(count(&b, "pairs-node-slow"), 2);
	assert_int_equal(f->severity, SEVERITY_CONCERN);
	assert_int_equal(f->node, 2);
	assert_string_equal(f->subject, "node03");
	assert_string_equal(f->title, "Loses 18 % of the bandwidth of its pairs; 5 of 7 pairs "
				      "agree, 93 % sure");
	assert_string_equal(f->value, "18");
	assert_string_equal(f->expected, "2.5");
	assert_string_equal(f->rule->section, "A");
	routed(f, "hyperpod-perf", "§ A Uneven NCCL Performance");
	assert_string_equal(
		f->detail, "81.0 of 100.0 GB/s with node01, 82.5 of 100.0 GB/s with node08");
	assert_int_equal(f->age_ms, 95000);
	assert_true(has_check(f, "hyperpod-perf plan --nodes 'node[01-08]' --strategy suspects "
				 "--suspects node03"));
	assert_ptr_equal(b.jm->nodes[2].top, f);
	assert_int_equal(b.jm->nodes[2].concerns, 1);
	/* Little sure: worth a line, no more. */
	f = nth(&b, "pairs-node-slow", 1);
	assert_int_equal(f->node, 4);
	assert_int_equal(f->severity, SEVERITY_INFO);
	assert_int_equal(tally(&b, "pairs-node-slow")->ok, IN_SNAP - 2);
	stop(&b);
}

static void thresholds_are_the_catalogs(void **state)
{
	struct bench b;

	(void)state;
	start(&b);
	slow_node(&b, 2, 0.0249, 0.9);
	run(&b);
	assert_int_equal(count(&b, "pairs-node-slow"), 0);
	assert_int_equal(tally(&b, "pairs-node-slow")->ok, IN_SNAP);
	b.nodes[0].deficit = 0.025;
	run(&b);
	assert_int_equal(count(&b, "pairs-node-slow"), 1);
	stop(&b);
	start_with(&b, "[{\"id\": \"pairs-node-slow\", \"threshold\": 20},"
		       "{\"id\": \"pairs-link-slow\", \"threshold\": 50}]");
	slow_node(&b, 2, 0.18, 0.93);
	slow_link(&b, 0, 1, 0.4, 0.9);
	run(&b);
	assert_int_equal(count(&b, "pairs-node-slow"), 0);
	assert_int_equal(count(&b, "pairs-link-slow"), 0);
	assert_int_equal(tally(&b, "pairs-link-slow")->ok, 1);
	stop(&b);
}

/* A node that was not measured is not fine: unknown, and named. */
static void untested_nodes(void **state)
{
	struct bench b;

	(void)state;
	start(&b);
	b.tested[1] = b.tested[3] = TESTED_NOT;
	b.tested[4] = TESTED_LITTLE;
	run(&b);
	const struct finding *f = find(&b, "pairs-untested");

	assert_int_equal(f->severity, SEVERITY_INFO);
	assert_int_equal(f->node, SIZE_MAX);
	assert_int_equal(f->nodes_n, 2);
	assert_string_equal(f->differing, "node[02,04]");
	assert_string_equal(f->title, "The sweep has no pair of 2 nodes");
	assert_true(has_check(f, "hyperpod-perf plan --nodes 'node[01-08]' --strategy suspects "
				 "--suspects 'node[02,04]'"));
	f = find(&b, "pairs-little-tested");
	assert_string_equal(f->title, "Too few partners to judge node05");
	assert_int_equal(tally(&b, "pairs-node-slow")->unknown, 3);
	assert_int_equal(tally(&b, "pairs-node-slow")->ok, 3);
	assert_int_equal(b.jm->nodes[1].worst, SEVERITY_INFO);
	stop(&b);
}

static void too_little_to_tell(void **state)
{
	struct bench b;

	(void)state;
	start(&b);
	b.at.enough = false;
	run(&b);
	assert_int_equal(tally(&b, "pairs-node-slow")->unknown, IN_SNAP);
	assert_int_equal(tally(&b, "pairs-node-slow")->ok, 0);
	assert_int_equal(tally(&b, "pairs-link-slow")->unknown, 1);
	assert_int_equal(tally(&b, "pairs-topology")->ok, 0);
	stop(&b);
}

/* Files were read and no pair was in them: the same as no sweep. */
static void nothing_measured(void **state)
{
	struct bench b;

	(void)state;
	start(&b);
	b.set->measured = 0;
	memset(b.tested, TESTED_NOT, sizeof(b.tested));
	run(&b);
	assert_int_equal(tally(&b, "pairs-node-slow")->not_applicable, IN_SNAP);
	assert_int_equal(tally(&b, "pairs-link-slow")->not_applicable, 1);
	assert_int_equal(count(&b, "pairs-untested"), 0);
	stop(&b);
}

static void links(void **state)
{
	struct bench b;

	(void)state;
	start(&b);
	slow_link(&b, 5, 1, 0.4, 0.97);
	slow_link(&b, 2, 7, 0.2, 0.9); /* node08 is not in the inventory */
	slow_link(&b, 0, 3, 0.3, 0.2); /* little sure */
	slow_link(&b, 0, 4, 0.04, 0.9);
	run(&b);
	assert_int_equal(count(&b, "pairs-link-slow"), 3);
	const struct finding *f = nth(&b, "pairs-link-slow", 0);

	assert_string_equal(f->subject, "node03 – node08");
	assert_int_equal(f->nodes_n, 1);
	assert_int_equal(f->nodes[0], 2);
	f = nth(&b, "pairs-link-slow", 1);
	assert_string_equal(f->subject, "node06 – node02");
	assert_string_equal(f->part, "node06 – node02");
	assert_string_equal(f->title, "Path between two nodes loses 40 %; 60.0 of 100.0 GB/s, 3 "
				      "readings, 97 % sure");
	assert_int_equal(f->rule->scope, SCOPE_PAIR);
	assert_int_equal(f->severity, SEVERITY_CONCERN);
	routed(f, "hyperpod-perf", "§ A Uneven NCCL Performance");
	assert_int_equal(f->nodes_n, 2);
	assert_int_equal(f->nodes[0], 1);
	assert_int_equal(f->nodes[1], 5);
	assert_true(finding_has_node(f, 5) && !finding_has_node(f, 4));
	assert_int_equal(b.jm->nodes[1].concerns, 1);
	assert_true(has_check(f, "hyperpod-perf plan --nodes 'node[01-08]' --strategy suspects "
				 "--suspects 'node[02,06]'"));
	assert_int_equal(nth(&b, "pairs-link-slow", 2)->severity, SEVERITY_INFO);
	assert_int_equal(tally(&b, "pairs-link-slow")->fired, 3);
	stop(&b);
}

/* Hundreds of slow pairs do not bury everything else. */
static void many_links_are_folded(void **state)
{
	struct bench b;
	const struct finding *rest = NULL;
	size_t n = 0;

	(void)state;
	start(&b);
	for (size_t x = 0; x < NODES; x++)
		for (size_t y = x + 1; y < NODES; y++)
			slow_link(&b, x, y, 0.1 + 0.01 * (double)n++, 0.9);
	run(&b);
	assert_int_equal(count(&b, "pairs-link-slow"), 9);
	assert_int_equal(tally(&b, "pairs-link-slow")->fired, 28);
	for (size_t i = 0; i < 9; i++)
		if (strstr(nth(&b, "pairs-link-slow", i)->subject, "more"))
			rest = nth(&b, "pairs-link-slow", i);
	assert_non_null(rest);
	assert_string_equal(rest->subject, "20 more pairs");
	assert_int_equal(rest->nodes_n, 0);
	assert_true(rest->number > 28 && rest->number < 30); /* the worst of the rest */
	stop(&b);
}

static void classes(void **state)
{
	static const struct {
		enum topology_class class;
		const char *rule;
		const char *owner;
		const char *section;
		const char *says;
	} cases[] = {
		{TOPOLOGY_AZ, "pairs-topology", "hyperpod-cluster-debugger", "§ B Capacity & AZ",
			"Pairs across availability zones (here), 80 % sure lose 12 %"},
		{TOPOLOGY_SPINE, "pairs-topology", "hyperpod-cluster-debugger", "§ B Capacity & AZ",
			"across spines"},
		{TOPOLOGY_LEAF, "pairs-topology", "hyperpod-cluster-debugger", "§ B Capacity & AZ",
			"across leaves"},
		{TOPOLOGY_ULTRASERVER, "pairs-topology", "hyperpod-cluster-debugger",
			"§ B Capacity & AZ", "across UltraServers"},
		{TOPOLOGY_INSTANCE_TYPE, "pairs-instance-types", "hyperpod-perf",
			"§ A Uneven NCCL Performance", "12 % apart by instance types (here)"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct bench b;

		start(&b);
		b.at.topology = cases[i].class;
		b.at.topology_effect = 0.12;
		b.at.topology_confidence = 0.8;
		b.at.topology_where = "here";
		run(&b);
		const struct finding *f = find(&b, cases[i].rule);

		routed(f, cases[i].owner, cases[i].section);
		if (!strstr(f->title, cases[i].says))
			fail_msg("%s", f->title);
		assert_string_equal(f->subject, "cluster");
		assert_int_equal(f->severity, SEVERITY_CONCERN);
		assert_int_equal(f->nodes_n, 0);
		assert_int_equal(
			count(&b, "pairs-topology") + count(&b, "pairs-instance-types"), 1);
		b.at.topology_confidence = 0.4;
		run(&b);
		assert_int_equal(find(&b, cases[i].rule)->severity, SEVERITY_INFO);
		stop(&b);
	}
}

static void transients(void **state)
{
	struct bench b;

	(void)state;
	start(&b);
	b.transients[0] = (struct transient){1, 4, 60, 100, true};
	b.transients[1] = (struct transient){0, 2, 50, 100, false}; /* its repeats were fine */
	b.at.n_transients = 2;
	run(&b);
	assert_int_equal(count(&b, "pairs-retest"), 1);
	const struct finding *f = find(&b, "pairs-retest");

	assert_string_equal(f->subject, "node02 – node05");
	assert_string_equal(f->title, "Measure again: 40 % low, 60.0 of 100.0 GB/s in its only "
				      "reading");
	assert_int_equal(f->severity, SEVERITY_INFO);
	stop(&b);
}

static void failed_runs(void **state)
{
	struct bench b;

	(void)state;
	start(&b);
	failure(&b, 1, 4, BW_FAILED, "NCCL failure: remote process exited");
	failure(&b, 1, 4, BW_FAILED, "NCCL failure: an older one");
	b.failures[1].wall_ms -= 1000;
	failure(&b, 0, 2, BW_FAILED, "NCCL failure: but measured since");
	failure(&b, 0, 3, BW_TRUNCATED, "it ends in the middle");
	unmeasure(&b, 1, 4);
	unmeasure(&b, 0, 3);
	run(&b);
	assert_int_equal(count(&b, "pairs-run-failed"), 3);
	const struct finding *f = find(&b, "pairs-run-failed");

	assert_string_equal(f->subject, "node02 – node05");
	assert_int_equal(f->severity, SEVERITY_CONCERN);
	assert_string_equal(f->title, "A run gave no figure: NCCL failure: remote process exited");
	assert_string_equal(f->detail, "NCCL failure: remote process exited (/fsx/sweep/r1.log)");
	assert_int_equal(f->age_ms, 95000);
	routed(f, "hyperpod-nccl", NULL);
	assert_int_equal(nth(&b, "pairs-run-failed", 1)->severity, SEVERITY_INFO);
	assert_int_equal(nth(&b, "pairs-run-failed", 2)->severity, SEVERITY_INFO);
	assert_int_equal(count(&b, "pairs-node-failed"), 0);
	stop(&b);
}

/* One dead node of a sweep is one finding, and its partners are not blamed. */
static void a_node_that_fails_with_all(void **state)
{
	struct bench b;

	(void)state;
	start(&b);
	for (size_t i = 0; i < NODES; i++)
		if (i != 3) {
			failure(&b, i < 3 ? i : 3, i < 3 ? 3 : i, BW_FAILED, "no route to host");
			unmeasure(&b, i, 3);
		}
	run(&b);
	const struct finding *f = find(&b, "pairs-node-failed");

	assert_int_equal(count(&b, "pairs-node-failed"), 1);
	assert_int_equal(f->node, 3);
	assert_string_equal(f->value, "7");
	assert_string_equal(f->detail, "with node01: no route to host (/fsx/sweep/r1.log)");
	routed(f, "hyperpod-nccl", NULL);
	assert_int_equal(count(&b, "pairs-run-failed"), 0);
	assert_int_equal(b.jm->nodes[0].concerns, 0);
	stop(&b);
	/* Where that rule is silenced, the pairs speak. */
	start_with(&b, "[{\"id\": \"pairs-node-failed\", \"disabled\": true}]");
	for (size_t i = 4; i < NODES; i++) {
		failure(&b, 3, i, BW_FAILED, "no route to host");
		unmeasure(&b, 3, i);
	}
	run(&b);
	assert_int_equal(count(&b, "pairs-run-failed"), 4);
	stop(&b);
}

static void wrong_values(void **state)
{
	struct bench b;

	(void)state;
	start(&b);
	b.set->left_out.wrong = 1;
	run(&b);
	assert_string_equal(find(&b, "pairs-wrong-values")->subject, "cluster");
	failure(&b, 2, 5, BW_FAILED, "12 wrong values");
	b.failures[0].wrong = true;
	run(&b);
	const struct finding *f = find(&b, "pairs-wrong-values");

	assert_int_equal(count(&b, "pairs-wrong-values"), 1);
	assert_int_equal(f->severity, SEVERITY_CONCERN);
	assert_string_equal(f->subject, "node03 – node06");
	assert_string_equal(f->title, "A run computed wrong values: 12 wrong values");
	routed(f, "hyperpod-node-debugger", "§ G GPU / Accelerator");
	assert_int_equal(count(&b, "pairs-run-failed"), 0);
	stop(&b);
}

static void troubles(void **state)
{
	static const struct {
		const char *owner;
		const char *section;
	} routes[BW_TROUBLE_COUNT] = {
		[BW_TROUBLE_SOCKET] = {"hyperpod-nccl", "§ 13 TCP Fallback"},
		[BW_TROUBLE_OFI_TCP] = {"hyperpod-nccl", "§ 13 TCP Fallback"},
		[BW_TROUBLE_NO_PLUGIN] = {"hyperpod-nccl", "§ 13 TCP Fallback"},
		[BW_TROUBLE_NO_PROVIDER] = {"hyperpod-nccl", "§ 13 TCP Fallback"},
		[BW_TROUBLE_NO_GDR] = {"hyperpod-version-checker", NULL},
		[BW_TROUBLE_MEMLOCK] = {"hyperpod-nccl", NULL},
		[BW_TROUBLE_SHM] = {"hyperpod-nccl", "§ 17 Shared Memory"},
		[BW_TROUBLE_TIMEOUT] = {"hyperpod-nccl", NULL},
	};

	(void)state;
	for (int what = 0; what < BW_TROUBLE_COUNT; what++) {
		const char *rule = bw_trouble_name((enum bw_trouble)what);
		struct bench b;

		start(&b);
		b.troubles[0] = (struct pair_trouble){.what = (enum bw_trouble)what,
			.node = 1,
			.line = "NCCL INFO \033[2Jsaid so",
			.path = "r1.log"};
		b.troubles[1] = b.troubles[0];
		b.troubles[1].node = 4;
		b.set->n_troubles = 2;
		run(&b);
		const struct finding *f = find(&b, rule);

		assert_int_equal(count(&b, rule), 1);
		routed(f, routes[what].owner, routes[what].section);
		assert_int_equal(f->severity, SEVERITY_CONCERN);
		assert_string_equal(f->differing, "node[02,05]");
		assert_non_null(strstr(f->title, " on 2 nodes"));
		/* The line, its host and file, and nothing that a terminal would obey. */
		assert_int_equal(strncmp(f->detail, "node02: NCCL INFO ", 18), 0);
		assert_non_null(strstr(f->detail, "said so (r1.log)"));
		assert_null(strchr(f->detail, '\033'));
		assert_non_null(f->checks[0]);
		assert_int_equal(b.jm->nodes[4].concerns, 1);
		for (int other = 0; other < BW_TROUBLE_COUNT; other++)
			if (other != what)
				assert_int_equal(
					count(&b, bw_trouble_name((enum bw_trouble)other)), 0);
		stop(&b);
	}
}

/* Lines without a host speak of their run's pair; without that, of nobody by name. */
static void troubles_without_host(void **state)
{
	struct bench b;

	(void)state;
	start(&b);
	b.troubles[0] = (struct pair_trouble){.what = BW_TROUBLE_SOCKET,
		.node = FLEET_NONE,
		.a = 2,
		.b = 7,
		.line = "NCCL INFO Using network Socket",
		.path = "r1.log"};
	b.troubles[1] = (struct pair_trouble){.what = BW_TROUBLE_SHM,
		.node = FLEET_NONE,
		.line = "NCCL WARN Error: failed to extend",
		.path = "r2.log"};
	b.set->n_troubles = 2;
	run(&b);
	assert_int_equal(count(&b, "nccl-net-socket"), 2);
	const struct finding *f = nth(&b, "nccl-net-socket", 0);
	const struct finding *other = nth(&b, "nccl-net-socket", 1);

	if (f->nodes_n == 0) {
		f = other;
		other = nth(&b, "nccl-net-socket", 0);
	}
	assert_int_equal(f->nodes_n, 1);
	assert_int_equal(f->nodes[0], 2);
	assert_string_equal(other->subject, "node08");
	assert_string_equal(other->title, "NCCL runs over NET/Socket on node08");
	f = find(&b, "nccl-shm");
	assert_string_equal(f->subject, "cluster");
	assert_string_equal(
		f->title, "NCCL could not make shared memory on a node that is not named");
	assert_non_null(strstr(f->detail, "failed to extend (r2.log)"));
	stop(&b);
}

/* Suspects that the inventory does not have are named all the same, in one finding. */
static void strangers(void **state)
{
	struct bench b;

	(void)state;
	start(&b);
	slow_node(&b, 7, 0.2, 0.9);
	slow_node(&b, 6, 0.3, 0.8);
	b.tested[6] = TESTED_LITTLE;
	run(&b);
	assert_int_equal(count(&b, "pairs-node-slow"), 1);
	const struct finding *f = find(&b, "pairs-node-slow");

	assert_int_equal(f->node, SIZE_MAX);
	assert_int_equal(f->nodes_n, 0);
	assert_string_equal(f->subject, "node[07-08]");
	assert_string_equal(f->differing, "node[07-08]");
	assert_string_equal(f->value, "30");
	assert_int_equal(f->severity, SEVERITY_CONCERN);
	assert_int_equal(strncmp(f->detail, "not in the inventory; ", 22), 0);
	assert_true(has_check(f, "hyperpod-perf plan --nodes 'node[01-08]' --strategy suspects "
				 "--suspects node07"));
	assert_string_equal(
		find(&b, "pairs-little-tested")->title, "Too few partners to judge node07");
	assert_int_equal(tally(&b, "pairs-node-slow")->fired, 2);
	stop(&b);
	/* Benchmark output alone: nobody is in the inventory. */
	start(&b);
	snapshot_free(b.snap);
	b.snap = snap_new(0);
	slow_node(&b, 2, 0.2, 0.9);
	slow_link(&b, 0, 1, 0.4, 0.9);
	run(&b);
	assert_string_equal(find(&b, "pairs-node-slow")->subject, "node03");
	assert_string_equal(find(&b, "pairs-link-slow")->subject, "node01 – node02");
	assert_int_equal(b.jm->concerns, 2);
	stop(&b);
}

/* The same sweep judged again is no second reading; a newer one is. */
static void readings_of_a_sweep(void **state)
{
	struct bench b;
	char id[2][20];

	(void)state;
	start_with(&b, "[{\"id\": \"pairs-node-slow\", \"for\": 2},"
		       "{\"id\": \"pairs-link-slow\", \"for\": 2}]");
	slow_node(&b, 2, 0.18, 0.9);
	slow_link(&b, 0, 1, 0.4, 0.9);
	for (int i = 0; i < 3; i++) {
		run(&b);
		assert_int_equal(find(&b, "pairs-node-slow")->severity, SEVERITY_INFO);
		assert_int_equal(find(&b, "pairs-link-slow")->severity, SEVERITY_INFO);
		assert_non_null(strstr(find(&b, "pairs-node-slow")->title, ", seen once"));
		snprintf(id[0], sizeof(id[0]), "%s", find(&b, "pairs-node-slow")->id);
		snprintf(id[1], sizeof(id[1]), "%s", find(&b, "pairs-link-slow")->id);
		if (i == 1) { /* a new snapshot is no new sweep either */
			struct snapshot *next = snap_advance(b.snap, 5000);

			snapshot_free(b.snap);
			b.snap = next;
		}
	}
	assert_int_equal(find(&b, "pairs-node-slow")->age_ms, 100000);
	b.set->newest_wall_ms = b.snap->wall_ms - 1000;
	b.pairs.mono_ms = b.snap->mono_ms;
	b.pairs.wall_ms = b.snap->wall_ms;
	run(&b);
	assert_int_equal(find(&b, "pairs-node-slow")->severity, SEVERITY_CONCERN);
	assert_int_equal(find(&b, "pairs-link-slow")->severity, SEVERITY_CONCERN);
	assert_int_equal(find(&b, "pairs-node-slow")->age_ms, 1000);
	assert_int_equal(find(&b, "pairs-node-slow")->since_wall_ms, SNAP_NOW_WALL_MS);
	assert_string_equal(find(&b, "pairs-node-slow")->id, id[0]);
	assert_string_equal(find(&b, "pairs-link-slow")->id, id[1]);
	/* One newer reading that is fine does not clear a node, two do. */
	b.at.n_nodes = 0;
	for (int i = 0; i < 2; i++) {
		assert_int_equal(count(&b, "pairs-node-slow"), 1);
		b.set->newest_wall_ms += 100;
		run(&b);
	}
	assert_int_equal(count(&b, "pairs-node-slow"), 0);
	stop(&b);
}

/* Hostile names stay names: one line, in quotes where a shell would read them. */
static void hostile_names(void **state)
{
	struct bench b;

	(void)state;
	start(&b);
	b.set->nodes[6].name = "a;reboot $(x) with a name that goes on for ever and ever and ever";
	slow_node(&b, 6, 0.2, 0.9);
	slow_link(&b, 6, 7, 0.4, 0.9);
	run(&b);
	const struct finding *f = find(&b, "pairs-node-slow");
	const char *quoted = strstr(f->checks[0], "--suspects '");

	assert_non_null(quoted);
	assert_null(strstr(f->checks[0], "--suspects a;"));
	assert_true(strlen(find(&b, "pairs-link-slow")->subject) < 100);
	stop(&b);
}

static void scopes_are_checked(void **state)
{
	static const struct {
		const char *text;
		const char *says;
	} cases[] = {
		{"[{\"id\": \"gpu-temp\", \"scope\": \"pair\"}]",
			"rule gpu-temp: scope: pair needs a signal of pairs"},
		{"[{\"id\": \"pairs-link-slow\", \"scope\": \"node\"}]",
			"scope: must be pair or cluster"},
		{"[{\"id\": \"pairs-topology\", \"compare\": \"differs\"}]",
			"compare: pairs have no peers"},
	};
	struct catalog *c = NULL;

	(void)state;
	assert_int_equal(catalog_builtin(&c, NULL), ERR_OK);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char path[] = "/tmp/hp-pair-rules-XXXXXX";
		int fd = mkstemp(path);
		struct err e = ERR_INIT;
		size_t n = strlen(cases[i].text);

		assert_int_equal(write(fd, cases[i].text, n), (ssize_t)n);
		close(fd);
		assert_int_equal(catalog_overlay(c, path, &e), ERR_USAGE);
		unlink(path);
		if (!strstr(e.msg, cases[i].says))
			fail_msg("%s", e.msg);
	}
	catalog_free(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_sweep),
		cmocka_unit_test(healthy_sweep),
		cmocka_unit_test(slow_nodes),
		cmocka_unit_test(thresholds_are_the_catalogs),
		cmocka_unit_test(untested_nodes),
		cmocka_unit_test(too_little_to_tell),
		cmocka_unit_test(nothing_measured),
		cmocka_unit_test(links),
		cmocka_unit_test(many_links_are_folded),
		cmocka_unit_test(classes),
		cmocka_unit_test(transients),
		cmocka_unit_test(failed_runs),
		cmocka_unit_test(a_node_that_fails_with_all),
		cmocka_unit_test(wrong_values),
		cmocka_unit_test(troubles),
		cmocka_unit_test(troubles_without_host),
		cmocka_unit_test(strangers),
		cmocka_unit_test(readings_of_a_sweep),
		cmocka_unit_test(hostile_names),
		cmocka_unit_test(scopes_are_checked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
