#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "tests/lib/want.h"
#include "tests/lib/sect.h"

#define XID(i, field, want) want_row(s, "xid", i, field, want)

static struct section *parse_rc(const char *text, int exit_code)
{
	struct section_meta meta = {.exit_code = exit_code, .run_ms = -1};

	return section_parse(SECTION_XID, span_of(text), meta);
}

static void events_with_ages(void **state)
{
	(void)state;
	struct section *s = want_fixture(SECTION_XID, "probe-uptime.txt");

	want_status(s, SECTION_OK);
	want_value(s, "readable", "yes");
	want_value(s, "events", "5");
	want_value(s, "now_s", "90061.25");
	want_value(s, "off_bus", "0000:83:00");
	want_value(s, "sxid_events", "0");
	XID(0, "code", "94");
	XID(0, "pid", "4711");
	XID(0, "name", "python3");
	XID(1, "code", "79");
	XID(1, "count", "2"); /* the same line twice */
	XID(1, "age_s", "61");
	XID(1, "pid", NULL);
	XID(2, "action", "Node Reboot Required");
	XID(2, "action_to", "2");
	XID(2, "latest", "yes");
	XID(3, "latest", "no"); /* taken back by the line below */
	XID(4, "action_from", "1");
	XID(4, "action", "None");
	XID(4, "latest", "yes");
	XID(0, "latest", NULL);
	section_unref(s);
}

static void every_stamp(void **state)
{
	static const struct {
		const char *code;
		const char *time;
		const char *age;
		const char *uptime;
	} want[] = {
		{"13", "2026-12-01 02:59:00", "60", NULL},
		{"31", "2026-12-01T01:58:00.500000Z", "119.5", NULL},
		{"43", "2026-12-01 02:57:00", "180", NULL},
		{"45", "2025-12-31 23:59:59", "28868401", "77.5"}, /* of last year */
		{"48", "2026-12-01T01:56:00Z", "240", NULL},
		{"63", "227.996636", NULL, "227.996636"}, /* no uptime to compare with */
		{"92", "100.000000", NULL, "100"},
		{"109", "101.000000", NULL, "101"},
		{"119", "2026-12-01T01:58:20.250000Z", "99.75", NULL},
		{"149", NULL, NULL, NULL},
	};

	(void)state;
	struct section *s = want_fixture(SECTION_XID, "times.txt");

	want_rows(s, "xid", ARRAY_LEN(want));
	for (size_t i = 0; i < ARRAY_LEN(want); i++) {
		XID(i, "code", want[i].code);
		XID(i, "time", want[i].time);
		XID(i, "age_s", want[i].age);
		XID(i, "uptime_s", want[i].uptime);
	}
	XID(0, "name", "a::b c");
	XID(3, "caused_by", "149");
	XID(7, "bdf", "0008:08:00");
	XID(7, "gpu_instance", "0");
	XID(8, "bdf", "0000:09:00");
	XID(9, "bdf", "0000:0a:00");
	XID(9, "fatal", "no");
	XID(9, "link", "-1");
	want_value(s, "kmsg_seq", "3973");
	section_unref(s);
}

static void switches_and_the_rest(void **state)
{
	(void)state;
	struct section *s = want_fixture(SECTION_XID, "switch.txt");

	want_value(s, "events", "0");
	want_value(s, "sxid_events", "2");
	want_value(s, "sxid_lines", "4");
	want_value(s, "sxid_fatal", "1");
	want_value(s, "sxid_data_lines", "1");
	want_row(s, "sxid", 0, "link", "30");
	want_row(s, "sxid", 0, "fatal", "yes");
	want_row(s, "sxid", 1, "switch_index", "2");
	want_row(s, "sxid", 1, "fatal", "no");
	want_value(s, "off_bus", "0000:0b:00");
	want_value(s, "peermem_invalid_context", "1");
	want_value(s, "nccl_segfault_pid", "4242");
	section_unref(s);
}

/* Only a log that was read can be without events. */
static void no_events_or_no_log(void **state)
{
	static const struct {
		const char *text;
		int exit_code;
		const char *readable;
		const char *events;
		enum section_status status;
	} cases[] = {
		{"#@ uptime\n5.0 1.0\n#@ date\n1796090400\n#@ log\n", 0, "yes", "0", SECTION_OK},
		{"#@ uptime\n5.0 1.0\n#@ log\n", 1, NULL, NULL, SECTION_FAILED},
		{"#@ log\ndmesg: read kernel buffer failed: Operation not permitted\n", 1, "no",
			NULL, SECTION_FAILED},
		{"dmesg: klogctl: Operation not permitted\n", -1, "no", NULL, SECTION_FAILED},
		{"No journal files were opened due to insufficient permissions.\n", 0, "no", NULL,
			SECTION_FAILED},
		{"", 0, NULL, NULL, SECTION_FAILED},
		{"", -1, NULL, NULL, SECTION_FAILED},
		{"total 0\nsome other file\n", -1, NULL, NULL, SECTION_FAILED},
		{"[    1.0] NVRM: loading\n", -1, "yes", "0", SECTION_OK},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct section *s = parse_rc(cases[i].text, cases[i].exit_code);

		want_status(s, cases[i].status);
		want_value(s, "readable", cases[i].readable);
		want_value(s, "events", cases[i].events);
		section_unref(s);
	}
}

static void words_that_only_look_like_an_xid(void **state)
{
	static const char *const lines[] = {
		"NVRM: SXid (PCI:0000:05:00.0): 20034, Fatal, Link 1",
		"NVRM: Xid (PCI:0000:05:00: 79, broken",
		"NVRM: Xid (): 79, nothing",
		"NVRM: Xid (PCI:0000:05:00): many, words",
		"NVRM: Xids seen: 79",
		"NVRM: Xid (PCI:0000:05:00): 99999999999999999999999, too big",
	};
	char text[200];

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(lines); i++) {
		snprintf(text, sizeof(text), "[ 1.0] %s\n", lines[i]);
		struct section *s = parse_rc(text, -1);

		want_value(s, "events", "0");
		section_unref(s);
	}
}

/* The newest lines are the ones that count. */
static void a_storm_keeps_its_end(void **state)
{
	size_t len = 200000;
	char *text = test_malloc(len);
	size_t n = 0;
	unsigned i;

	(void)state;
	for (i = 0; i < 1500; i++)
		n += (size_t)snprintf(text + n, len - n,
			"[%u.0] NVRM: Xid (PCI:0000:01:00): 13, pid=%u, x\n", 1000 + i * 60, i);
	struct section *s = parse_rc(text, -1);

	want_status(s, SECTION_PARTIAL);
	want_rows(s, "xid", 512);
	XID(511, "pid", "1499");
	section_unref(s);
	test_free(text);
}

static void whatever_is_cut_or_broken(void **state)
{
	static const char *const fixtures[] = {"probe-uptime.txt", "nothing-happened.txt",
		"not-permitted.txt", "times.txt", "switch.txt"};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(fixtures); i++)
		want_robust(SECTION_XID, fixtures[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(events_with_ages),
		cmocka_unit_test(every_stamp),
		cmocka_unit_test(switches_and_the_rest),
		cmocka_unit_test(no_events_or_no_log),
		cmocka_unit_test(words_that_only_look_like_an_xid),
		cmocka_unit_test(a_storm_keeps_its_end),
		cmocka_unit_test(whatever_is_cut_or_broken),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
