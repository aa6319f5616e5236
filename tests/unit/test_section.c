#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "collectors/json.h"
#include "collectors/node.h"
#include "collectors/section.h"
#include "collectors/snapshot.h"

static struct section *empty(enum section_id id)
{
	return section_parse(id, (struct span)SPAN_INIT, (struct section_meta)SECTION_META_INIT);
}

static void test_names_are_unique_and_found(void **state)
{
	const char *alias;
	enum section_id id;

	(void)state;
	for (int i = 0; i < SECTION_COUNT; i++) {
		const struct section_desc *d = section_desc((enum section_id)i);

		assert_int_equal(section_by_name(span_of(d->name)), i);
		assert_true(d->schema.size > 0);
		for (size_t f = 0; f < d->schema.nfields; f++) {
			const struct field *field = &d->schema.fields[f];

			assert_ptr_equal(
				schema_field(d->schema.fields, d->schema.nfields, field->name),
				field);
			assert_true(field->offset < d->schema.size);
			assert_true(field->help[0]);
		}
		for (size_t t = 0; t < d->schema.ntables; t++)
			assert_ptr_equal(schema_table(&d->schema, d->schema.tables[t].name),
				&d->schema.tables[t]);
	}
	assert_int_equal(section_by_name(span_of("nonsense")), SECTION_COUNT);
	assert_int_equal(section_by_name((struct span)SPAN_INIT), SECTION_COUNT);
	for (size_t i = 0; section_alias(i, &alias, &id); i++)
		assert_int_equal(section_by_name(span_of(alias)), id);
	assert_null(section_desc(SECTION_COUNT));
}

static void test_rows_grow_and_stop_at_the_cap(void **state)
{
	struct section *s = empty(SECTION_MOUNTS);
	struct mounts_reading *r = s->mutable_reading;

	s->compact = false; /* as while it is parsed */

	size_t before = s->unread_n;
	size_t n = 0;

	(void)state;
	for (struct mounts_row *row; (row = SECTION_ROW(s, r, mount)) != NULL; n++)
		row->rsize = opt_u64(n);
	assert_true(n > 100 && n <= SECTION_ROWS_MAX);
	assert_int_equal(r->mount_n, n);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(r->mount[i].rsize.v, i);
	assert_int_equal(s->unread_n, before + 1);
	section_unref(s);
}

static void test_notes_are_printable_and_bounded(void **state)
{
	struct section *s = empty(SECTION_SHM);

	(void)state;
	for (int i = 0; i < 1000; i++)
		section_unread(s, "\033[31mred", "%s", "\xff\n");
	assert_int_equal(s->unread_n, 64);
	assert_string_equal(s->unread[63].what, "?[31mred");
	assert_string_equal(s->unread[63].why, "? ");
	section_set_status(s, SECTION_FAILED);
	section_set_status(s, SECTION_PARTIAL);
	assert_int_equal(s->status, SECTION_FAILED);
	section_unref(s);
}

static void test_exit_codes_become_states(void **state)
{
	static const struct {
		int exit_code;
		enum section_status status;
	} cases[] = {{127, SECTION_UNAVAILABLE}, {124, SECTION_TIMEOUT}, {137, SECTION_TIMEOUT}};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct section_meta meta = SECTION_META_INIT;

		meta.exit_code = cases[i].exit_code;
		struct section *s = section_parse(
			SECTION_GPU, span_of("#! not available: no nvidia-smi\n"), meta);

		assert_true(s->status >= cases[i].status);
		assert_int_not_equal(s->status, SECTION_OK);
		section_unref(s);
	}
}

static void test_every_parser_takes_anything(void **state)
{
	static const char junk[] =
		"\x00\xff\xfe junk,,, \r\n\n#@\n#@ \n= \n? \n:\n[\n{\n\"\n\tLink";

	(void)state;
	for (int id = 0; id < SECTION_COUNT; id++) {
		for (size_t n = 0; n <= sizeof(junk); n++) {
			struct section *s = section_parse((enum section_id)id,
				(struct span){junk, n}, (struct section_meta)SECTION_META_INIT);

			section_unref(s);
		}
	}
}

static void *ref_unref(void *arg)
{
	struct section *s = arg;

	for (int i = 0; i < 20000; i++)
		section_unref(section_ref(s));
	return NULL;
}

static void test_shared_between_threads(void **state)
{
	struct section *s = empty(SECTION_CPU);
	pthread_t t[2];

	(void)state;
	for (int i = 0; i < 2; i++)
		assert_int_equal(pthread_create(&t[i], NULL, ref_unref, s), 0);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	assert_int_equal(atomic_load(&s->refs), 1);
	section_unref(s);
	section_unref(NULL);
	assert_null(section_ref(NULL));
}

static struct section *counters(uint64_t tx_bytes, int64_t mono_ms)
{
	struct section_meta meta = SECTION_META_INIT;

	meta.mono_ms = mono_ms;
	struct section *s = section_parse(SECTION_EFA_COUNTERS, (struct span)SPAN_INIT, meta);
	struct efa_counters_reading *r = s->mutable_reading;

	r->tx_bytes = opt_u64(tx_bytes);
	return s;
}

static struct opt_f64 rate(uint64_t a, int64_t ms_a, uint64_t b, int64_t ms_b)
{
	struct section *before = counters(a, ms_a);
	struct section *now = counters(b, ms_b);
	struct node n = {
		.section[SECTION_EFA_COUNTERS] = now, .prev[SECTION_EFA_COUNTERS] = before};
	struct opt_f64 r = node_rate(
		&n, SECTION_EFA_COUNTERS, offsetof(struct efa_counters_reading, tx_bytes));

	section_unref(before);
	section_unref(now);
	return r;
}

static void test_rates(void **state)
{
	struct node none = {0};

	(void)state;
	assert_true(rate(1000, 0, 3000, 500).v == 4000.0);
	assert_true(opt_has(rate(1000, 0, 1000, 500)));
	assert_false(opt_has(rate(3000, 0, 1000, 500))); /* a reset is not a negative rate */
	assert_false(opt_has(rate(1000, 500, 3000, 500)));
	assert_false(opt_has(node_rate(
		&none, SECTION_EFA_COUNTERS, offsetof(struct efa_counters_reading, tx_bytes))));
	assert_false(opt_has(node_iowait_pct(&none)));
}

static struct section *ticks(uint64_t user, uint64_t idle, uint64_t iowait)
{
	struct section *s = empty(SECTION_CPU);
	struct cpu_reading *r = s->mutable_reading;

	*r = (struct cpu_reading){.user_ticks = opt_u64(user),
		.idle_ticks = opt_u64(idle),
		.iowait_ticks = opt_u64(iowait)};
	return s;
}

static void test_iowait_over_the_interval(void **state)
{
	struct section *a = ticks(1000, 5000, 100);
	struct section *b = ticks(1050, 5025, 125);
	struct node n = {.section[SECTION_CPU] = b, .prev[SECTION_CPU] = a};

	(void)state;
	assert_true(node_iowait_pct(&n).v == 25.0);
	/* iowait may go back: that is no time waited, not a huge number. */
	n.section[SECTION_CPU] = a;
	n.prev[SECTION_CPU] = b;
	assert_false(opt_has(node_iowait_pct(&n)));
	n.prev[SECTION_CPU] = NULL;
	assert_false(opt_has(node_iowait_pct(&n)));
	section_unref(a);
	section_unref(b);
}

static void test_json_keeps_digits_and_unknowns(void **state)
{
	struct section *s = empty(SECTION_EFA_COUNTERS);
	struct efa_counters_reading *r = s->mutable_reading;

	(void)state;
	r->tx_bytes = opt_u64(9007199254740993u);
	r->rx_drops.state = OPT_UNSUPPORTED;
	cJSON *json = json_of_reading(s, 0);
	char *text = cJSON_PrintUnformatted(json);

	assert_non_null(strstr(text, "\"tx_bytes\":9007199254740993"));
	assert_non_null(strstr(text, "\"rx_drops\":null"));
	assert_non_null(strstr(text, "\"retrans_pkts\":null"));
	cJSON_free(text);
	cJSON_Delete(json);
	json = json_of_reading(s, 1);
	text = cJSON_PrintUnformatted(json);
	assert_null(strstr(text, "retrans_pkts"));
	cJSON_free(text);
	cJSON_Delete(json);
	section_unref(s);
}

static void test_json_errors_name_the_place(void **state)
{
	struct err e = ERR_INIT;

	(void)state;
	assert_null(json_parse("rules.json", "{\n  \"a\": x\n}", 12, &e));
	assert_int_equal(e.code, ERR_PARSE);
	assert_non_null(strstr(e.msg, "rules.json:2:"));
}

static void test_snapshot_counts_and_finds(void **state)
{
	struct snapshot *snap = snapshot_new(3);

	(void)state;
	for (int i = 0; i < 3; i++) {
		char id[16];

		snprintf(id, sizeof(id), "n%d", i);
		snap->nodes[i].id = snap->nodes[i].name = snapshot_str(snap, id);
	}
	snapshot_count(snap);
	assert_false(snap->complete);
	snap->nodes[0].state = NODE_OK;
	snap->nodes[1].state = NODE_FAILED;
	snap->nodes[2].state = NODE_STALE;
	snapshot_count(snap);
	assert_true(snap->complete);
	assert_int_equal(snap->reached, 1);
	assert_ptr_equal(snapshot_node(snap, "n2"), &snap->nodes[2]);
	assert_null(snapshot_node(snap, "n3"));
	assert_null(snapshot_str(snap, ""));
	assert_int_equal(snapshot_age_ms(snap, NULL), -1);

	struct section *s = empty(SECTION_CPU);

	snapshot_set_section(&snap->nodes[0], SECTION_CPU, s, NULL);
	assert_int_equal(atomic_load(&s->refs), 2);
	snapshot_free(snap);
	assert_int_equal(atomic_load(&s->refs), 1);
	section_unref(s);
	snapshot_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names_are_unique_and_found),
		cmocka_unit_test(test_rows_grow_and_stop_at_the_cap),
		cmocka_unit_test(test_notes_are_printable_and_bounded),
		cmocka_unit_test(test_exit_codes_become_states),
		cmocka_unit_test(test_every_parser_takes_anything),
		cmocka_unit_test(test_shared_between_threads),
		cmocka_unit_test(test_rates),
		cmocka_unit_test(test_iowait_over_the_interval),
		cmocka_unit_test(test_json_keeps_digits_and_unknowns),
		cmocka_unit_test(test_json_errors_name_the_place),
		cmocka_unit_test(test_snapshot_counts_and_finds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
