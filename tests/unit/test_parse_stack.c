#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/lib/sect.h"

static void reads_the_probe(void **state)
{
	(void)state;
	char *text = sect_read("tests/fixtures/node/stack/p5-probe.txt", NULL);
	struct section *s = sect_parse(SECTION_STACK, text);
	const struct stack_reading *r = reading_stack(s);

	assert_int_equal(s->status, SECTION_OK);
	assert_str(r->efa_installer, "1.38.0");
	assert_str(r->efa_kmod, "2.13.0g");
	assert_str(r->efa_kmod_file, "2.17.3g");
	assert_str(r->efa_kmod_numeric, "2.13.0");
	assert_flag(r->efa_kmod_gdr, true);
	assert_str(r->efa_package, "2.13.0");
	assert_str(r->libfabric, "1.22.0");
	assert_str(r->ofi_nccl, "1.13.2");
	assert_str(r->openmpi, "4.1.7");
	assert_str(r->rdma_core, "54.0");
	assert_str(r->nvidia_driver, "550.163.01");
	/* Every library that a program may load; the files tell more than the package. */
	assert_str(r->nccl, "2.21.5,2.23.4");
	assert_str(r->container_toolkit, "1.17.4");
	assert_str(r->cuda, "12.4.1");
	assert_str(r->lustre_client, "2.15.6");
	assert_unset(r->neuron_driver);
	assert_flag(r->gdrdrv, true);
	assert_flag(r->peermem, false);
	section_unref(s);
	free(text);
}

static void cut_anywhere(void **state)
{
	(void)state;
	char *text = sect_read("tests/fixtures/node/stack/p5-probe.txt", NULL);

	sect_check_robust(SECTION_STACK, text);
	free(text);
}

static void package_versions(void **state)
{
	(void)state;
	static const struct {
		const char *version, *want;
	} cases[] = {
		{"1.2.3", "1.2.3"},
		{"1:2.21.5-1+cuda12.4", "2.21.5"},
		{"1.8.0amzn1.0", "1.8.0"},
		{"5.0.6amzn1-2.amzn2023", "5.0.6"},
		{"2.15.6_1", "2.15.6_1"},
		{"1.0rc1-2", "1.0rc1"},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		char text[128];

		snprintf(text, sizeof(text), "#@ packages\nlibfabric1 %s\n", cases[i].version);
		struct section *s = sect_parse(SECTION_STACK, text);

		assert_str(reading_stack(s)->libfabric, cases[i].want);
		section_unref(s);
	}
}

static void rpm_names(void **state)
{
	(void)state;
	struct section *s = sect_parse(SECTION_STACK,
		"# EFA installer version: 1.43.1\n# Packages installed:\n"
		"efa-2.17.2-1.amzn2023.x86_64 efa-nv-peermem-1.2.1-1.amzn2023.x86_64 "
		"libfabric-aws-2.1.0amzn3.0-1.amzn2023.x86_64 "
		"libfabric-aws-devel-2.9.9-1.amzn2023.x86_64 "
		"openmpi50-aws-5.0.6-2.amzn2023.x86_64 rdma-core-57.0-1.amzn2023.x86_64\n");
	const struct stack_reading *r = reading_stack(s);

	assert_str(r->efa_installer, "1.43.1");
	assert_str(r->efa_package, "2.17.2");
	assert_str(r->libfabric, "2.1.0");
	assert_str(r->openmpi, "5.0.6");
	assert_str(r->rdma_core, "57.0");
	section_unref(s);
}

/* srcversion and vermagic contain "ver", too. */
static void modinfo(void **state)
{
	(void)state;
	struct section *s =
		sect_parse(SECTION_STACK, "filename:       /lib/modules/efa.ko\nsrcversion:     "
					  "78EE70912A60\nvermagic:       6.12.53 SMP\n");

	assert_unset(reading_stack(s)->efa_kmod_file);
	section_unref(s);
	s = sect_parse(SECTION_STACK, "filename:       /lib/modules/efa.ko\nversion:        "
				      "2.1.1\nsrcversion:     78EE70912A60\n");
	assert_str(reading_stack(s)->efa_kmod_file, "2.1.1");
	assert_unset(reading_stack(s)->efa_kmod);
	assert_flag(reading_stack(s)->efa_kmod_gdr, false);
	section_unref(s);
}

static void proprietary_driver(void **state)
{
	(void)state;
	struct section *s =
		sect_parse(SECTION_STACK, "#@ nvidia\nNVRM version: NVIDIA UNIX x86_64 Kernel "
					  "Module  535.183.01  Sun May 12 19:39:15 UTC 2024\n");

	assert_str(reading_stack(s)->nvidia_driver, "535.183.01");
	section_unref(s);
}

static void unknown_stays_unknown(void **state)
{
	(void)state;
	struct section *s = sect_parse(SECTION_STACK, "");

	assert_int_equal(s->status, SECTION_PARTIAL);
	assert_unset(reading_stack(s)->gdrdrv);
	section_unref(s);
	s = sect_parse(SECTION_STACK, "what is this\n");
	assert_true(sect_has_unread(s, "stack"));
	section_unref(s);
	s = sect_parse(SECTION_STACK, "#@ module efa\n(none)\n#@ packages\nefa "
				      "unknown\nlibfabric\n#@ nccl\nlibnccl.so.2\n"
				      "#@ cuda\n/usr/local/cuda -> /usr/local/cuda\n");
	assert_unset(reading_stack(s)->efa_kmod);
	assert_unset(reading_stack(s)->efa_package);
	assert_unset(reading_stack(s)->libfabric);
	assert_unset(reading_stack(s)->nccl);
	assert_unset(reading_stack(s)->cuda);
	section_unref(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_the_probe),
		cmocka_unit_test(cut_anywhere),
		cmocka_unit_test(package_versions),
		cmocka_unit_test(rpm_names),
		cmocka_unit_test(modinfo),
		cmocka_unit_test(proprietary_driver),
		cmocka_unit_test(unknown_stays_unknown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
