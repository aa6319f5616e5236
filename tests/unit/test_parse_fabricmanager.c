#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "tests/lib/want.h"
#include "tests/lib/sect.h"

#define GPU(i, field, want) want_row(s, "gpu", i, field, want)

static void the_service(void **state)
{
	static const struct {
		const char *fixture;
		const char *state;
		const char *load;
		enum section_status status;
	} cases[] = {
		{"probe.txt", "active", "loaded", SECTION_OK},
		{"absent.txt", "inactive", "not-found", SECTION_OK},
		{"no-systemd.txt", NULL, NULL, SECTION_UNAVAILABLE},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct section *s = want_fixture(SECTION_FABRICMANAGER, cases[i].fixture);

		want_status(s, cases[i].status);
		want_value(s, "state", cases[i].state);
		want_value(s, "load_state", cases[i].load);
		section_unref(s);
	}
}

static void other_words_are_no_state(void **state)
{
	static const char *const texts[] = {"", "activeish\n", "Permission denied\n", "Active\n"};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		struct section *s = sect_parse(SECTION_FABRICMANAGER, texts[i]);

		want_status(s, SECTION_PARTIAL);
		want_value(s, "state", NULL);
		section_unref(s);
	}
}

static void fabric_as_csv(void **state)
{
	(void)state;
	struct section *s = want_fixture(SECTION_FABRICMANAGER, "query.csv.txt");

	want_rows(s, "gpu", 3);
	GPU(0, "gpu", "00000000:72:00.0");
	GPU(0, "clique", "3");
	GPU(0, "cluster_zero", "no");
	GPU(0, "summary", "Healthy");
	GPU(1, "status", "Insufficient Resources");
	GPU(1, "cluster_zero", "yes");
	GPU(1, "route_unhealthy", "yes");
	GPU(2, "state", "In Progress");
	GPU(2, "status", NULL);
	GPU(2, "cluster_zero", NULL);
	section_unref(s);
	s = sect_parse(
		SECTION_FABRICMANAGER, "Field \"fabric.state\" is not a valid field to query.\n");
	want_rows(s, "gpu", 0);
	want_status(s, SECTION_PARTIAL);
	section_unref(s);
}

static void fabric_as_text(void **state)
{
	(void)state;
	struct section *s = want_fixture(SECTION_FABRICMANAGER, "q-text.txt");

	want_rows(s, "gpu", 2);
	GPU(0, "gpu", "00000000:72:00.0");
	GPU(0, "state", "Completed"); /* not that of the process below */
	GPU(0, "summary", "Healthy");
	GPU(0, "bandwidth", NULL);
	GPU(0, "route_unhealthy", "yes");
	GPU(1, "state", "In Progress"); /* not the recovery line above */
	GPU(1, "health", "lost");
	section_unref(s);
}

static void fabric_as_xml(void **state)
{
	(void)state;
	struct section *s = want_fixture(SECTION_FABRICMANAGER, "q-xml.txt");

	want_rows(s, "gpu", 2);
	GPU(0, "mem_used_mib", "77"); /* of the frame buffer, not of BAR1 */
	GPU(0, "util_pct", "12");
	GPU(0, "temp_c", "44");
	GPU(0, "status", "Success");
	GPU(0, "cluster_zero", NULL);
	GPU(0, "route_unhealthy", "yes");
	GPU(0, "health", NULL);
	GPU(1, "health", "lost");
	GPU(1, "mem_used_mib", NULL);
	section_unref(s);
}

static void whatever_is_cut_or_broken(void **state)
{
	static const char *const fixtures[] = {"probe.txt", "absent.txt", "no-systemd.txt",
		"query.csv.txt", "q-text.txt", "q-xml.txt"};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(fixtures); i++)
		want_robust(SECTION_FABRICMANAGER, fixtures[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_service),
		cmocka_unit_test(other_words_are_no_state),
		cmocka_unit_test(fabric_as_csv),
		cmocka_unit_test(fabric_as_text),
		cmocka_unit_test(fabric_as_xml),
		cmocka_unit_test(whatever_is_cut_or_broken),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
