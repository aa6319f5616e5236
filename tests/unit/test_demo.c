/* The simulated cluster: scenarios as data, its texts through the real parsers. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collectors/demo_sim.h"
#include "collectors/source.h"
#include "rules/judge.h"
#include "tests/lib/snap.h"

#define START_WALL_MS 1796000000000

static struct demo_scenario *load(const char *name)
{
	struct demo_scenario *sc = NULL;
	struct err e = ERR_INIT;

	if (demo_scenario_load(&sc, name, &e) != ERR_OK)
		fail_msg("%s: %s", name, e.msg);
	return sc;
}

/* A scenario of three nodes with the given faults, or the error's sentence in e. */
static struct demo_scenario *with_faults(const char *faults, struct err *e)
{
	struct demo_scenario *sc = NULL;
	char text[1024];

	snprintf(text, sizeof(text),
		"{\"name\":\"t\",\"groups\":[{\"name\":\"g\",\"nodes\":3,\"first_ip\":\"10.1.2."
		"17\"}],"
		"\"faults\":[%s]}",
		faults);
	if (demo_scenario_parse(&sc, "t.json", text, strlen(text), e) != ERR_OK)
		return NULL;
	return sc;
}

static struct section *read_section(
	const struct demo_scenario *sc, size_t node, enum section_id id, int64_t t_ms)
{
	struct demo_state *st = malloc(sizeof(*st));
	struct buf out = BUF_INIT(SECTION_TEXT_MAX);
	struct demo_answer answer = {0};
	struct section_meta meta = SECTION_META_INIT;

	assert_non_null(st);
	demo_state_at(st, sc, node, t_ms, START_WALL_MS);
	assert_int_equal(demo_sim_text(st, id, &out, &answer), ERR_OK);
	meta.exit_code = answer.exit_code;
	meta.mono_ms = 1000 + t_ms;
	meta.wall_ms = START_WALL_MS + t_ms;
	struct section *s = section_parse(id, (struct span){buf_str(&out), out.len}, meta);

	buf_release(&out);
	free(st);
	return s;
}

/* ---- texts ---- */

static void every_section_of_a_healthy_node_is_read_whole(void **state)
{
	(void)state;
	struct demo_scenario *sc = load("healthy");

	for (int id = 0; id < SECTION_COUNT; id++) {
		struct section *s = read_section(sc, 5, (enum section_id)id, 60000);
		bool absent = id == SECTION_NEURON || id == SECTION_RAS;

		if (s->unread_n)
			fail_msg("%s: %s: %s", section_desc((enum section_id)id)->name,
				s->unread[0].what, s->unread[0].why);
		if (s->status != (absent ? SECTION_UNAVAILABLE : SECTION_OK))
			fail_msg("%s: status %s", section_desc((enum section_id)id)->name,
				section_status_name(s->status));
		section_unref(s);
	}
	demo_scenario_free(sc);
}

static void values_of_a_healthy_node_are_those_of_its_type(void **state)
{
	(void)state;
	struct demo_scenario *sc = load("healthy");
	struct section *gpu = read_section(sc, 0, SECTION_GPU, 1000);
	struct section *efa = read_section(sc, 0, SECTION_EFA, 1000);
	struct section *host = read_section(sc, 0, SECTION_HOST, 1000);

	assert_int_equal(reading_gpu(gpu)->gpu_n, 8);
	for (size_t i = 0; i < 8; i++) {
		const struct gpu_row *g = &reading_gpu(gpu)->gpu[i];

		assert_true(opt_has(g->temp_c) && g->temp_c.v >= 55 && g->temp_c.v <= 75);
		assert_true(opt_has(g->width) && g->width.v == 16);
		assert_true(opt_has(g->ecc_unc_vol) && g->ecc_unc_vol.v == 0);
		assert_true(opt_has(g->sm_mhz) && g->sm_mhz.v > 1900);
	}
	assert_int_equal(reading_efa(efa)->efa_devices.v, 32);
	assert_int_equal(reading_efa(efa)->active.v, 32);
	assert_true(opt_has(reading_efa(efa)->provider_ok) && reading_efa(efa)->provider_ok.v);
	assert_string_equal(reading_host(host)->hostname.v, "ip-10-1-2-17");
	assert_string_equal(reading_host(host)->instance_type.v, "p5.48xlarge");
	assert_string_equal(reading_host(host)->instance_id.v, sc->nodes[0].instance_id);
	assert_int_equal(reading_host(host)->cpus.v, 192);
	section_unref(gpu);
	section_unref(efa);
	section_unref(host);
	demo_scenario_free(sc);
}

static void the_same_moment_gives_the_same_text(void **state)
{
	(void)state;
	struct demo_scenario *a = load(NULL);
	struct demo_scenario *b = load("first-light");
	struct demo_state *st = malloc(sizeof(*st));

	for (int id = 0; id < SECTION_COUNT; id++) {
		struct buf one = BUF_INIT(SECTION_TEXT_MAX);
		struct buf two = BUF_INIT(SECTION_TEXT_MAX);
		struct demo_answer answer;

		demo_state_at(st, a, 3, 123456, START_WALL_MS);
		assert_int_equal(demo_sim_text(st, (enum section_id)id, &one, &answer), ERR_OK);
		demo_state_at(st, b, 7, 999, START_WALL_MS); /* another one in between */
		demo_state_at(st, b, 3, 123456, START_WALL_MS);
		assert_int_equal(demo_sim_text(st, (enum section_id)id, &two, &answer), ERR_OK);
		assert_string_equal(buf_str(&one), buf_str(&two));
		buf_release(&one);
		buf_release(&two);
	}
	free(st);
	demo_scenario_free(a);
	demo_scenario_free(b);
}

static void counters_grow_and_iowait_stays_low(void **state)
{
	(void)state;
	struct demo_scenario *sc = load("healthy");
	uint64_t bytes = 0;
	struct node n = {0};

	for (int64_t t = 0; t <= 480000; t += 5000) {
		struct section *efa = read_section(sc, 2, SECTION_EFA_COUNTERS, t);
		struct section *cpu = read_section(sc, 2, SECTION_CPU, t);
		uint64_t now = reading_efa_counters(efa)->tx_bytes.v;

		assert_true(opt_has(reading_efa_counters(efa)->tx_bytes));
		assert_true(now > bytes);
		bytes = now;
		section_unref((struct section *)n.prev[SECTION_CPU]);
		n.prev[SECTION_CPU] = n.section[SECTION_CPU];
		n.section[SECTION_CPU] = cpu;
		struct opt_f64 wait = node_iowait_pct(&n);

		assert_true(t == 0 || (opt_has(wait) && wait.v < 15));
		section_unref(efa);
	}
	section_unref((struct section *)n.prev[SECTION_CPU]);
	section_unref((struct section *)n.section[SECTION_CPU]);
	demo_scenario_free(sc);
}

static void efa_traffic_is_tens_of_gigabytes_a_second(void **state)
{
	(void)state;
	struct demo_scenario *sc = load("healthy");
	struct section *a = read_section(sc, 4, SECTION_EFA_COUNTERS, 10000);
	struct section *b = read_section(sc, 4, SECTION_EFA_COUNTERS, 15000);
	double rate = (double)(reading_efa_counters(b)->tx_bytes.v -
			       reading_efa_counters(a)->tx_bytes.v) /
		      5e9;

	assert_true(rate > 20 && rate < 90);
	assert_true(reading_efa_counters(b)->rx_drops.v == 0);
	section_unref(a);
	section_unref(b);
	demo_scenario_free(sc);
}

/* ---- faults ---- */

static uint64_t sent_by(const struct section *s, const char *dev)
{
	const struct efa_counters_reading *r = reading_efa_counters(s);

	for (size_t i = 0; i < r->device_n; i++)
		if (strcmp(r->device[i].dev.v, dev) == 0)
			return r->device[i].tx_bytes.v;
	fail_msg("no device %s", dev);
	return 0;
}

#define FAULT_TEST_SETUP(json)                            \
	struct err e = ERR_INIT;                          \
	struct demo_scenario *sc = with_faults(json, &e); \
	if (!sc)                                          \
	fail_msg("%s", e.msg)

static void hot_gpu_is_hot_and_slow_on_its_node_only(void **state)
{
	(void)state;
	FAULT_TEST_SETUP("{\"kind\":\"hot_gpu\",\"node\":1,\"gpu\":3,\"start_s\":10,\"end_s\":20}");
	struct section *before = read_section(sc, 1, SECTION_GPU, 9999);
	struct section *during = read_section(sc, 1, SECTION_GPU, 10000);
	struct section *after = read_section(sc, 1, SECTION_GPU, 20000);
	struct section *other = read_section(sc, 0, SECTION_GPU, 10000);

	assert_true(reading_gpu(before)->gpu[3].temp_c.v < 80);
	assert_true(reading_gpu(during)->gpu[3].temp_c.v >= 89);
	assert_true(reading_gpu(during)->gpu[3].sm_mhz.v < 990);
	assert_int_equal(reading_gpu(during)->gpu[3].reasons.v, 0x20);
	assert_true(reading_gpu(during)->gpu[2].temp_c.v < 80);
	assert_true(reading_gpu(after)->gpu[3].temp_c.v < 80);
	assert_true(reading_gpu(other)->gpu[3].temp_c.v < 80);
	section_unref(before);
	section_unref(during);
	section_unref(after);
	section_unref(other);
	demo_scenario_free(sc);
}

static void efa_port_down_stands_still(void **state)
{
	(void)state;
	FAULT_TEST_SETUP("{\"kind\":\"efa_port_down\",\"node\":0,\"device\":13},"
			 "{\"kind\":\"efa_port_down\",\"node\":1,\"device\":0,\"missing\":true}");
	struct section *efa = read_section(sc, 0, SECTION_EFA, 5000);
	struct section *a = read_section(sc, 0, SECTION_EFA_COUNTERS, 5000);
	struct section *b = read_section(sc, 0, SECTION_EFA_COUNTERS, 400000);
	struct section *gone = read_section(sc, 1, SECTION_EFA, 5000);

	assert_int_equal(reading_efa(efa)->efa_devices.v, 32);
	assert_int_equal(reading_efa(efa)->active.v, 31);
	assert_int_equal(sent_by(a, "rdmap131s0"), sent_by(b, "rdmap131s0"));
	assert_true(sent_by(a, "rdmap130s0") < sent_by(b, "rdmap130s0"));
	assert_int_equal(reading_efa(gone)->efa_devices.v, 31);
	assert_int_equal(reading_efa(gone)->active.v, 31);
	section_unref(efa);
	section_unref(a);
	section_unref(b);
	section_unref(gone);
	demo_scenario_free(sc);
}

static void host_faults_show_in_their_sections(void **state)
{
	(void)state;
	FAULT_TEST_SETUP("{\"kind\":\"governor_powersave\",\"node\":0},"
			 "{\"kind\":\"root_full\",\"node\":0,\"pct\":97},"
			 "{\"kind\":\"hung_mount\",\"node\":0,\"item\":\"/fsx\"},"
			 "{\"kind\":\"version_drift\",\"node\":0,\"item\":\"efa_installer\","
			 "\"value\":\"1.0.1\"}");
	struct section *governor = read_section(sc, 0, SECTION_GOVERNOR, 0);
	struct section *capacity = read_section(sc, 0, SECTION_CAPACITY, 0);
	struct section *stack = read_section(sc, 0, SECTION_STACK, 0);

	assert_int_equal(reading_governor(governor)->not_performance.v, 192);
	assert_true(reading_capacity(capacity)->root_used_pct.v > 96);
	assert_int_equal(reading_capacity(capacity)->hung.v, 1);
	assert_string_equal(reading_stack(stack)->efa_installer.v, "1.0.1");
	section_unref(governor);
	section_unref(capacity);
	section_unref(stack);
	demo_scenario_free(sc);
}

static void xid_carries_its_age(void **state)
{
	(void)state;
	FAULT_TEST_SETUP("{\"kind\":\"xid\",\"node\":2,\"gpu\":5,\"code\":94,\"seconds\":1260,"
			 "\"text\":\"pid=1, name=a, Contained\"}");
	struct section *s = read_section(sc, 2, SECTION_XID, 30000);

	assert_int_equal(reading_xid(s)->xid_n, 1);
	assert_int_equal(reading_xid(s)->xid[0].code.v, 94);
	assert_true(reading_xid(s)->xid[0].age_s.v > 1289 && reading_xid(s)->xid[0].age_s.v < 1291);
	section_unref(s);
	demo_scenario_free(sc);
}

static void every_kind_of_fault_can_be_named_and_printed(void **state)
{
	(void)state;
	const char *name;
	const char *what;

	for (size_t i = 0; demo_fault_kind_at(i, &name, &what); i++) {
		char json[100];

		snprintf(json, sizeof(json), "{\"kind\":\"%s\",\"node\":\"all\"}", name);
		FAULT_TEST_SETUP(json);
		assert_true(what[0] != '\0');
		assert_int_equal(sc->nfaults, 3);
		for (int id = 0; id < SECTION_COUNT; id++) {
			struct section *s = read_section(sc, 1, (enum section_id)id, 90000);

			if (s->status == SECTION_PARTIAL && strcmp(name, "gpu_lost") != 0)
				fail_msg("%s: %s: %s: %s", name,
					section_desc((enum section_id)id)->name, s->unread[0].what,
					s->unread[0].why);
			section_unref(s);
		}
		demo_scenario_free(sc);
	}
}

/* ---- judged ---- */

static struct snapshot *picture(
	const struct demo_scenario *sc, struct snapshot *before, int64_t t_ms, int64_t after_ms)
{
	struct snapshot *snap = before ? snap_advance(before, after_ms) : snap_new(sc->n);
	struct demo_state *st = malloc(sizeof(*st));

	assert_non_null(st);
	for (size_t i = 0; i < sc->n; i++) {
		if (!before)
			snap_identity(snap, i, sc->nodes[i].name, sc->nodes[i].group->type->name,
				sc->nodes[i].group->name);
		demo_state_at(st, sc, i, t_ms, SNAP_NOW_WALL_MS);
		for (int id = 0; id < SECTION_COUNT; id++) {
			struct buf out = BUF_INIT(SECTION_TEXT_MAX);
			struct section_meta meta = {.mono_ms = SNAP_NOW_MONO_MS + t_ms,
				.wall_ms = SNAP_NOW_WALL_MS + t_ms};
			struct demo_answer answer = {0};

			assert_int_equal(
				demo_sim_text(st, (enum section_id)id, &out, &answer), ERR_OK);
			meta.exit_code = answer.exit_code;
			snap_section_meta(
				snap, i, (enum section_id)id, buf_str(&out), out.len, meta);
			buf_release(&out);
		}
	}
	free(st);
	return snap;
}

/* Training, the whole of a checkpoint (from 160 s to 180 s), and training again. */
static void a_healthy_cluster_gives_no_concern(void **state)
{
	(void)state;
	static const int64_t times_ms[] = {
		0, 5000, 10000, 159000, 164000, 169000, 174000, 179000, 184000};
	struct demo_scenario *sc = load("healthy");
	struct catalog *catalog = NULL;
	struct err e = ERR_INIT;
	struct snapshot *snap = NULL;

	assert_int_equal(catalog_builtin(&catalog, &e), ERR_OK);
	struct judge *judge = judge_new(catalog);

	for (size_t i = 0; i < ARRAY_LEN(times_ms); i++) {
		struct snapshot *next =
			picture(sc, snap, times_ms[i], i ? times_ms[i] - times_ms[i - 1] : 0);

		snapshot_free(snap);
		snap = next;
		struct judgement *jm = judge_run(judge, snap);

		if (jm->n)
			fail_msg("at %d s: %s: %s", (int)(times_ms[i] / 1000),
				jm->findings[0].subject, jm->findings[0].title);
		judgement_free(jm);
	}
	snapshot_free(snap);
	judge_free(judge);
	catalog_free(catalog);
	demo_scenario_free(sc);
}

/* ---- scenarios ---- */

static void embedded_scenarios_load(void **state)
{
	(void)state;
	static const size_t nodes[] = {24, 24, 32, 1024};
	size_t i;

	for (i = 0; demo_scenario_name(i); i++) {
		struct demo_scenario *sc = load(demo_scenario_name(i));

		assert_string_equal(sc->name, demo_scenario_name(i));
		assert_string_equal(sc->title, demo_scenario_title(i));
		assert_int_equal(sc->n, nodes[i]);
		demo_scenario_free(sc);
	}
	assert_int_equal(i, ARRAY_LEN(nodes));
	assert_null(demo_scenario_title(i));
}

static void mistakes_name_file_and_key(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		const char *says;
	} cases[] = {
		{"", "t.json:1:1"},
		{"[]", "t.json"},
		{"{}", "groups"},
		{"{\"groups\":[]}", "groups"},
		{"{\"groups\":[{}]}", "groups[0]: nodes"},
		{"{\"grups\":[]}", "grups"},
		{"{\"groups\":[{\"nodes\":1}]}", "groups[0]: first_ip"},
		{"{\"groups\":[{\"nodes\":1,\"first_ip\":\"10.1.2\"}]}", "first_ip"},
		{"{\"groups\":[{\"nodes\":1,\"first_ip\":\"10.1.2.0\"}]}", "first_ip"},
		{"{\"groups\":[{\"nodes\":1e9,\"first_ip\":\"10.1.2.1\"}]}", "nodes"},
		{"{\"groups\":[{\"nodes\":4000,\"first_ip\":\"10.1.255.1\"}]}", "first_ip"},
		{"{\"groups\":[{\"nodes\":1,\"first_ip\":\"10.1.2.1\",\"instance_type\":\"t2."
		 "micro\"}]}",
			"instance_type"},
		{"{\"job\":{\"load\":2},\"groups\":[]}", "job: load"},
		{"{\"job\":{\"period_s\":5,\"checkpoint_s\":9},\"groups\":[]}", "checkpoint_s"},
		{"{\"seed\":-1,\"groups\":[]}", "seed"},
		{"{\"name\":7,\"groups\":[]}", "name"},
		{"{\"versions\":{\"efa\":\"1\"},\"groups\":[]}", "versions: efa"},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct demo_scenario *sc = NULL;
		struct err e = ERR_INIT;

		assert_int_equal(demo_scenario_parse(
					 &sc, "t.json", cases[i].text, strlen(cases[i].text), &e),
			ERR_PARSE);
		assert_null(sc);
		if (!strstr(e.msg, "t.json") || !strstr(e.msg, cases[i].says))
			fail_msg("\"%s\" does not name %s", e.msg, cases[i].says);
	}
}

static void mistakes_in_faults_name_the_entry(void **state)
{
	(void)state;
	static const struct {
		const char *faults;
		const char *says;
	} cases[] = {
		{"{\"node\":0}", "faults[0]: kind"},
		{"{\"kind\":\"ecc\"}", "faults[0]: node"},
		{"{\"kind\":\"ecc\",\"node\":0,\"nodes\":[1]}", "faults[0]: node"},
		{"{\"kind\":\"ecc\",\"node\":3}", "no such node"},
		{"{\"kind\":\"ecc\",\"node\":0},{\"kind\":\"ecc\",\"node\":\"ip-1\"}",
			"faults[1]: node"},
		{"{\"kind\":\"ecc\",\"node\":0,\"temp_c\":3}", "temp_c: not a key of ecc"},
		{"{\"kind\":\"ecc\",\"node\":0,\"gpu\":99}", "faults[0]: gpu"},
		{"{\"kind\":\"ecc\",\"node\":0,\"gpu\":\"1\"}", "faults[0]: gpu"},
		{"{\"kind\":\"xid\",\"node\":0,\"text\":5}", "faults[0]: text"},
		{"{\"kind\":\"ecc\",\"node\":0,\"start_s\":\"x\"}", "start_s"},
		{"7", "faults[0]: kind"},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct err e = ERR_INIT;

		assert_null(with_faults(cases[i].faults, &e));
		if (!strstr(e.msg, cases[i].says))
			fail_msg("\"%s\" does not say %s", e.msg, cases[i].says);
	}
}

/* ---- the source ---- */

static void source_lists_nodes_with_placement(void **state)
{
	(void)state;
	struct source *src = NULL;
	struct err e = ERR_INIT;

	assert_int_equal(source_demo(&src, NULL, &e), ERR_OK);
	assert_int_equal(src->mode, SOURCE_DEMO);
	assert_int_equal(src->n, 24);
	assert_string_equal(src->targets[0].name, "ip-10-1-2-17");
	assert_string_equal(src->targets[23].group, "workers-b");
	assert_string_equal(src->targets[23].instance_type, "p5.48xlarge");
	assert_non_null(src->targets[0].leaf);
	assert_null(src->targets[0].ultraserver);
	source_free(src);
	assert_int_equal(source_demo(&src, "no-such", &e), ERR_USAGE);
	assert_non_null(strstr(e.msg, "first-light"));
	assert_int_equal(source_demo(&src, "/nowhere/x.json", &e), ERR_IO);
	assert_non_null(strstr(e.msg, "/nowhere/x.json"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_section_of_a_healthy_node_is_read_whole),
		cmocka_unit_test(values_of_a_healthy_node_are_those_of_its_type),
		cmocka_unit_test(the_same_moment_gives_the_same_text),
		cmocka_unit_test(counters_grow_and_iowait_stays_low),
		cmocka_unit_test(efa_traffic_is_tens_of_gigabytes_a_second),
		cmocka_unit_test(hot_gpu_is_hot_and_slow_on_its_node_only),
		cmocka_unit_test(efa_port_down_stands_still),
		cmocka_unit_test(host_faults_show_in_their_sections),
		cmocka_unit_test(xid_carries_its_age),
		cmocka_unit_test(every_kind_of_fault_can_be_named_and_printed),
		cmocka_unit_test(a_healthy_cluster_gives_no_concern),
		cmocka_unit_test(embedded_scenarios_load),
		cmocka_unit_test(mistakes_name_file_and_key),
		cmocka_unit_test(mistakes_in_faults_name_the_entry),
		cmocka_unit_test(source_lists_nodes_with_placement),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
