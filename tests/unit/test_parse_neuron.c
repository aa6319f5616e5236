#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "tests/lib/want.h"
#include "tests/lib/sect.h"

#define DEV(i, field, want) want_row(s, "device", i, field, want)

static void the_probes_json(void **state)
{
	(void)state;
	struct section *s = want_fixture(SECTION_NEURON, "probe.txt");

	want_status(s, SECTION_OK);
	want_value(s, "devices", "2");
	want_value(s, "cores_per_device", "2");
	want_value(s, "mem_gb", "32");
	want_value(s, "type", "trainium");
	want_value(s, "lnc", "1");
	want_value(s, "runtimes", "1");
	want_value(s, "util_pct", "60");
	want_value(s, "complete", "yes");
	DEV(0, "connected", "1");
	DEV(0, "numa", "0");
	DEV(0, "pids", "411,412");
	DEV(1, "numa", "-1");
	DEV(1, "pids", "");
	section_unref(s);
}

static void a_table(void **state)
{
	(void)state;
	struct section *s = want_fixture(SECTION_NEURON, "table.txt");

	want_status(s, SECTION_OK);
	want_value(s, "devices", "2");
	want_value(s, "type", "trn1.2xlarge");
	want_value(s, "complete", "yes");
	DEV(0, "pids", "411,412");
	DEV(1, "pids", NULL);
	DEV(1, "bdf", "00:1f.0");
	section_unref(s);
}

/* Rows name devices that are not listed: there were more. */
static void a_table_without_its_end(void **state)
{
	(void)state;
	struct section *s = want_fixture(SECTION_NEURON, "table-cut.txt");

	want_status(s, SECTION_PARTIAL);
	want_value(s, "devices", NULL);
	want_value(s, "complete", "no");
	want_rows(s, "device", 2);
	DEV(0, "connected", "3,1");
	section_unref(s);
}

static void an_object_with_the_instance(void **state)
{
	(void)state;
	struct section *s = want_fixture(SECTION_NEURON, "instance-object.txt");

	want_value(s, "devices", "1");
	want_value(s, "type", "trn2.48xlarge");
	want_value(s, "lnc", "2");
	DEV(0, "mem_gb", "96");
	want_state(s, "device", 0, "connected", OPT_UNSUPPORTED);
	want_state(s, "device", 0, "pids", OPT_UNSUPPORTED);
	section_unref(s);
}

static void no_runtime_is_no_load_of_zero(void **state)
{
	(void)state;
	struct section *s = sect_parse(SECTION_NEURON,
		"{\"neuron_runtime_data\": [], \"neuron_hardware_info\": {\"neuron_device_count\": "
		"16, "
		"\"error\": \"\"}}\n");

	want_value(s, "devices", "16");
	want_value(s, "runtimes", "0");
	want_value(s, "util_pct", NULL);
	section_unref(s);
}

static void wrong_types(void **state)
{
	(void)state;
	struct section *s = sect_parse(SECTION_NEURON,
		"[{\"neuron_device\": -1, \"nc_count\": \"two\", \"memory_size\": 1e300, "
		"\"connected_to\": 7, "
		"\"bdf\": 9, \"numa_node\": []}, 5, null, {\"x\": 1}]\n");

	want_rows(s, "device", 1);
	DEV(0, "index", NULL);
	DEV(0, "cores", NULL);
	DEV(0, "mem_gb", NULL);
	DEV(0, "connected", NULL);
	DEV(0, "bdf", NULL);
	DEV(0, "numa", NULL);
	section_unref(s);
}

static void no_answer(void **state)
{
	static const char *const texts[] = {"", "nothing here\n"};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		struct section *s = sect_parse(SECTION_NEURON, texts[i]);

		want_status(s, SECTION_FAILED);
		want_value(s, "devices", NULL);
		section_unref(s);
	}
	struct section *s = want_fixture(SECTION_NEURON, "no-device.txt");

	want_status(s, SECTION_FAILED);
	want_value(s, "error", "level=error msg=\"no neuron device found\"");
	section_unref(s);
	s = sect_parse(
		SECTION_NEURON, "[{\"neuron_device\": 0, \"nc_count\": 2},\n{\"neuron_dev\n");
	want_status(s, SECTION_PARTIAL);
	want_value(s, "devices", NULL);
	want_value(s, "complete", "no");
	section_unref(s);
}

static void whatever_is_cut_or_broken(void **state)
{
	static const char *const fixtures[] = {
		"probe.txt", "table.txt", "table-cut.txt", "no-device.txt", "instance-object.txt"};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(fixtures); i++)
		want_robust(SECTION_NEURON, fixtures[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_probes_json),
		cmocka_unit_test(a_table),
		cmocka_unit_test(a_table_without_its_end),
		cmocka_unit_test(an_object_with_the_instance),
		cmocka_unit_test(no_runtime_is_no_load_of_zero),
		cmocka_unit_test(wrong_types),
		cmocka_unit_test(no_answer),
		cmocka_unit_test(whatever_is_cut_or_broken),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
