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

static void states_and_counters(void **state)
{
	(void)state;
	struct section *s = want_fixture(SECTION_NVLINK, "probe-hopper.txt");

	want_status(s, SECTION_OK); /* a counter that a link does not have is no gap */
	want_value(s, "gpus", "2");
	want_value(s, "links", "8");
	want_value(s, "inactive", "2");
	want_value(s, "replay", "12");
	want_value(s, "crc", "65535");
	GPU(0, "rate_gb_s", "26.562");
	GPU(0, "active", "4");
	GPU(0, "inactive_links", "");
	GPU(0, "hard_errors", "0");
	GPU(0, "saturated", "no");
	GPU(1, "inactive_links", "1,3");
	GPU(1, "active", "2");
	GPU(1, "all_inactive", "no");
	GPU(1, "saturated", "yes");
	want_rows(s, "errors", 2);
	want_row(s, "errors", 0, "counter", "Replay Errors");
	want_row(s, "errors", 0, "hard", "no");
	want_row(s, "errors", 1, "gpu", "1");
	want_row(s, "errors", 1, "link", "2");
	want_row(s, "errors", 1, "hard", "yes");
	section_unref(s);
}

/* A GPU that tells no links leaves sums over the node unknown, not low. */
static void sentences_in_place_of_links(void **state)
{
	(void)state;
	struct section *s = want_fixture(SECTION_NVLINK, "mixed-sentences.txt");

	want_value(s, "gpus", "4");
	want_value(s, "links", NULL);
	want_value(s, "inactive", NULL);
	GPU(0, "links", "2");
	GPU(1, "all_inactive", "yes");
	GPU(1, "links", NULL);
	GPU(2, "mig", "yes");
	want_state(s, "gpu", 2, "links", OPT_UNSUPPORTED);
	GPU(3, "supported", "no");
	GPU(3, "links", "0");
	section_unref(s);
}

static void counters_of_nvlink_5(void **state)
{
	(void)state;
	struct section *s = want_fixture(SECTION_NVLINK, "blackwell-errors.txt");

	want_status(s, SECTION_PARTIAL);
	GPU(0, "hard_errors", "8"); /* 4 receive, 1 integrity, 1 recovery failed, 2 symbol */
	GPU(0, "rx_errors", "4");
	GPU(0, "symbol_errors", "2");
	GPU(0, "recovery_failed", "1");
	GPU(0, "effective_errors", "0");
	GPU(1, "rx_errors", NULL); /* "many" is not 0 */
	GPU(1, "hard_errors", NULL);
	GPU(1, "symbol_errors", "0");
	want_value(s, "hard_errors", "8");
	section_unref(s);
}

static void no_answer(void **state)
{
	(void)state;
	struct section *s = sect_parse(SECTION_NVLINK, "");

	want_value(s, "gpus", "0");
	want_value(s, "links", NULL);
	want_value(s, "inactive", NULL);
	want_status(s, SECTION_PARTIAL);
	section_unref(s);
	s = want_fixture(SECTION_NVLINK, "nvml-failed.txt");
	want_status(s, SECTION_FAILED);
	want_value(s, "error", "Driver Not Loaded");
	want_value(s, "inactive", NULL);
	section_unref(s);
}

/* A state that we do not know is neither up nor down. */
static void an_unknown_state(void **state)
{
	(void)state;
	struct section *s =
		sect_parse(SECTION_NVLINK, "GPU 0: NVIDIA B200\n\t Link 0: <sleep>\n"
					   "\t Link 1: 53.125 GB/s\n\t Link 99: 1 GB/s\n");

	want_status(s, SECTION_PARTIAL);
	GPU(0, "links", "2");
	GPU(0, "inactive", "0");
	GPU(0, "active", NULL);
	section_unref(s);
}

static void the_old_layout_condensed(void **state)
{
	(void)state;
	struct section *s =
		sect_parse(SECTION_NVLINK, "GPU 3: Tesla V100\n\t Link 2: CRC Errors: 1\n\t Links "
					   "0-1: CRC Errors: 9\n\t [...]\n");

	want_status(s, SECTION_OK);
	GPU(0, "crc", "1");
	GPU(0, "links_with_counters", "1");
	section_unref(s);
}

static void whatever_is_cut_or_broken(void **state)
{
	static const char *const fixtures[] = {"probe-hopper.txt", "mixed-sentences.txt",
		"blackwell-errors.txt", "nvml-failed.txt"};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(fixtures); i++)
		want_robust(SECTION_NVLINK, fixtures[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(states_and_counters),
		cmocka_unit_test(sentences_in_place_of_links),
		cmocka_unit_test(counters_of_nvlink_5),
		cmocka_unit_test(no_answer),
		cmocka_unit_test(an_unknown_state),
		cmocka_unit_test(the_old_layout_condensed),
		cmocka_unit_test(whatever_is_cut_or_broken),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
