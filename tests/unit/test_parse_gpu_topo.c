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

static void a_matrix(void **state)
{
	(void)state;
	struct section *s = want_fixture(SECTION_GPU_TOPO, "probe-four-gpus.txt");

	want_status(s, SECTION_OK);
	want_value(s, "gpus", "4");
	want_value(s, "rows_seen", "4");
	want_value(s, "nics", "2");
	want_value(s, "nvlink_pairs", "3");
	want_value(s, "lost_gpus", "3");
	GPU(0, "peers", "X,NV12,NV12,SYS");
	GPU(0, "nv_peers", "2");
	GPU(0, "nv_links", "24");
	GPU(0, "nearest_nic", "NIC0");
	GPU(0, "cpu_affinity", "0-23,48-71");
	GPU(0, "numa", "0");
	GPU(2, "nearest_nic", "NIC0,NIC1"); /* as near as each other */
	GPU(3, "nearest_nic", "NIC1");
	GPU(3, "nv_peers", "0");
	GPU(3, "cpu_affinity", NULL); /* an empty cell */
	GPU(3, "numa", "1");
	want_row(s, "nic", 1, "device", "rdmap32s27");
	section_unref(s);
}

static void a_cell_overrun_by_the_next(void **state)
{
	(void)state;
	struct section *s = want_fixture(SECTION_GPU_TOPO, "overrun-cell.txt");

	want_status(s, SECTION_PARTIAL);
	GPU(0, "nics", "?");
	GPU(0, "nearest_nic", NULL);
	GPU(0, "cpu_affinity", "0-31,64-95");
	GPU(0, "numa", "0");
	GPU(1, "nearest_nic", "NIC0");
	want_value(s, "nvlink_pairs", "1");
	section_unref(s);
}

/* In a copy with blanks, an affinity that is missing must not move the next column into its place. */
static void blanks_for_tabs(void **state)
{
	(void)state;
	struct section *s = want_fixture(SECTION_GPU_TOPO, "blanks-no-affinity.txt");

	GPU(0, "peers", "X,NV4");
	GPU(0, "cpu_affinity", NULL);
	GPU(0, "numa", NULL);
	GPU(1, "cpu_affinity", "8-15");
	GPU(1, "numa", "1");
	section_unref(s);
}

static void an_unknown_word_is_no_nvlink_and_no_path(void **state)
{
	(void)state;
	struct section *s = sect_parse(SECTION_GPU_TOPO,
		"\tGPU0\tGPU1\tCPU Affinity\nGPU0\t X \tQQ\t0-3\nGPU1\tQQ\t X \t0-3\n");

	want_status(s, SECTION_PARTIAL);
	want_value(s, "nvlink_pairs", NULL);
	want_value(s, "lost_gpus", NULL);
	GPU(0, "peers", "X,?");
	GPU(0, "nv_peers", NULL);
	section_unref(s);
}

static void no_matrix(void **state)
{
	static const char *const texts[] = {"", "hello\n", "GPU0\n", "\tGPU0\n"};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		struct section *s = sect_parse(SECTION_GPU_TOPO, texts[i]);

		want_status(s, SECTION_FAILED);
		want_value(s, "gpus", NULL);
		section_unref(s);
	}
	struct section *s = want_fixture(SECTION_GPU_TOPO, "failed.txt");

	want_status(s, SECTION_FAILED);
	section_unref(s);
}

static void whatever_is_cut_or_broken(void **state)
{
	static const char *const fixtures[] = {
		"probe-four-gpus.txt", "overrun-cell.txt", "blanks-no-affinity.txt"};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(fixtures); i++)
		want_robust(SECTION_GPU_TOPO, fixtures[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_matrix),
		cmocka_unit_test(a_cell_overrun_by_the_next),
		cmocka_unit_test(blanks_for_tabs),
		cmocka_unit_test(an_unknown_word_is_no_nvlink_and_no_path),
		cmocka_unit_test(no_matrix),
		cmocka_unit_test(whatever_is_cut_or_broken),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
