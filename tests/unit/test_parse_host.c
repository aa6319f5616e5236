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
	char *text = sect_read("tests/fixtures/node/host/p5-probe.txt", NULL);
	struct section *s = sect_parse(SECTION_HOST, text);
	const struct host_reading *r = reading_host(s);

	assert_int_equal(s->status, SECTION_OK);
	assert_str(r->hostname, "ip-10-1-2-3");
	assert_str(r->kernel, "6.8.0-1024-aws");
	assert_str(r->arch, "x86_64");
	assert_str(r->os, "Ubuntu 22.04.5 LTS");
	assert_f64(r->uptime_s, 123456.78);
	assert_f64(r->now_unix_s, 1764564000);
	assert_str(r->instance_type, "p5.48xlarge");
	assert_str(r->instance_id, "i-0123456789abcdef0");
	assert_str(r->instance_group, "worker-group-1");
	assert_str(r->az, "us-west-2a");
	assert_str(r->az_id, "usw2-az1");
	assert_str(r->region, "us-west-2");
	assert_u64(r->cpus, 191);
	assert_str(r->cpu_model, "AMD EPYC 7R13 Processor");
	assert_u64(r->mem_total_kib, 2113484572);
	assert_u64(r->mem_available_kib, 2000000000);
	assert_u64(r->mem_free_kib, 1900000000);
	assert_u64(r->mem_cached_kib, 5000000);
	assert_u64(r->mem_shmem_kib, 70000);
	assert_u64(r->hugepages_total, 5128);
	assert_f64(r->load1, 3.25);
	assert_u64(r->procs_running, 4);
	assert_str(r->memlock, "unlimited");
	assert_u64(r->oom_kills, 3);
	section_unref(s);
	free(text);
}

static void cut_anywhere(void **state)
{
	(void)state;
	char *text = sect_read("tests/fixtures/node/host/p5-probe.txt", NULL);

	sect_check_robust(SECTION_HOST, text);
	free(text);
}

static void bare_meminfo_of_an_old_kernel(void **state)
{
	(void)state;
	struct section *s = sect_parse(SECTION_HOST,
		"MemTotal:       15666184 kB\nMemFree:          440324 kB\n"
		"Cached:         12007640 kB\nSwapCached:            7 kB\n"
		"Shmem:              1308 kB\nHugePages_Total:       0\n");
	const struct host_reading *r = reading_host(s);

	assert_u64(r->mem_total_kib, 15666184);
	assert_int_equal(r->mem_available_kib.state, OPT_UNKNOWN);
	assert_u64(r->mem_cached_kib, 12007640);
	assert_u64(r->hugepages_total, 0);
	section_unref(s);
}

static void group_by_address_when_there_is_no_id(void **state)
{
	(void)state;
	static const char config[] =
		"#@ resource_config\n"
		"{\"InstanceGroups\":[{\"Name\":\"g1\",\"InstanceType\":\"ml.trn2.48xlarge\","
		"\"Instances\":["
		"{\"CustomerIpAddress\":\"10.1.2.3\",\"InstanceId\":\"i-0aaaaaaaaaaaaaaaa\"}]}]}\n";
	static const struct {
		const char *before, *group, *type;
	} cases[] = {
		{"#@ uname\nLinux ip-10-1-2-3 6.1 x86_64\n", "g1", "trn2.48xlarge"},
		{"#@ uname\nLinux ip-10-1-2-3.ec2.internal 6.1 x86_64\n", "g1", "trn2.48xlarge"},
		{"#@ uname\nLinux ip-10-1-2-4 6.1 x86_64\n", NULL, NULL},
		{"#@ uname\nLinux worker-7 6.1 x86_64\n", NULL, NULL},
		/* A known id that is not listed is not replaced by a guess. */
		{"#@ uname\nLinux ip-10-1-2-3 6.1 x86_64\n#@ dmi\n"
		 "/sys/devices/virtual/dmi/id/board_asset_tag:i-0bbbbbbbbbbbbbbbb\n",
			NULL, NULL},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		char text[1024];

		snprintf(text, sizeof(text), "%s%s", cases[i].before, config);
		struct section *s = sect_parse(SECTION_HOST, text);
		const struct host_reading *r = reading_host(s);

		if (cases[i].group) {
			assert_str(r->instance_group, cases[i].group);
			assert_str(r->instance_type, cases[i].type);
		} else {
			assert_unset(r->instance_group);
			assert_true(sect_has_unread(s, "resource_config"));
		}
		section_unref(s);
	}
}

static void firmware_of_other_machines_is_no_instance(void **state)
{
	(void)state;
	struct section *s = sect_parse(SECTION_HOST,
		"#@ dmi\n/sys/devices/virtual/dmi/id/product_name:Standard PC (Q35 + ICH9, 2009)\n"
		"/sys/devices/virtual/dmi/id/board_asset_tag:Not Specified\n");
	const struct host_reading *r = reading_host(s);

	assert_unset(r->instance_type);
	assert_unset(r->instance_id);
	section_unref(s);
}

static void clock_offset(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		enum opt_state state;
		double offset;
	} cases[] = {
		{"#@ chrony\nSystem time     : 1.500000000 seconds slow of NTP time\n", OPT_OK,
			-1.5},
		{"#@ chrony\nSystem time     : 0.250000000 seconds fast of NTP time\n", OPT_OK,
			0.25},
		/* Not synchronised: the offset is of nothing. */
		{"#@ chrony\nSystem time     : 0.000000000 seconds fast of NTP time\n"
		 "Leap status     : Not synchronised\n",
			OPT_UNKNOWN, 0},
		{"#@ chrony\n506 Cannot talk to daemon\n", OPT_UNKNOWN, 0},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct section *s = sect_parse(SECTION_HOST, cases[i].text);
		struct opt_f64 o = reading_host(s)->clock_offset_s;

		assert_int_equal(o.state, cases[i].state);
		if (o.state == OPT_OK)
			assert_f64(o, cases[i].offset);
		section_unref(s);
	}
}

static void wrong_values_are_not_zero(void **state)
{
	(void)state;
	struct section *s = sect_parse(SECTION_HOST,
		"#@ uname\nLinux\n#@ uptime\nsoon\n#@ date\nnever\n#@ meminfo\nMemTotal: lots kB\n"
		"MemFree: 99999999999999999999 kB\n#@ loadavg\n-\n#@ ulimit\nfew\n#@ "
		"vmstat\noom_kill x\n"
		"#@ resource_config\n{\"InstanceGroups\":[\n");
	const struct host_reading *r = reading_host(s);

	assert_unset(r->hostname);
	assert_unset(r->uptime_s);
	assert_unset(r->now_unix_s);
	assert_unset(r->mem_total_kib);
	assert_unset(r->mem_free_kib);
	assert_unset(r->load1);
	assert_unset(r->memlock);
	assert_unset(r->oom_kills);
	assert_unset(r->instance_group);
	assert_int_equal(s->status, SECTION_PARTIAL);
	assert_true(s->unread_n >= 8);
	section_unref(s);
	s = sect_parse(SECTION_HOST, "");
	assert_int_equal(s->status, SECTION_PARTIAL);
	section_unref(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_the_probe),
		cmocka_unit_test(cut_anywhere),
		cmocka_unit_test(bare_meminfo_of_an_old_kernel),
		cmocka_unit_test(group_by_address_when_there_is_no_id),
		cmocka_unit_test(firmware_of_other_machines_is_no_instance),
		cmocka_unit_test(clock_offset),
		cmocka_unit_test(wrong_values_are_not_zero),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
