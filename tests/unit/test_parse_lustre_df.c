#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "tests/lib/sect.h"

static const char two_mounts[] =
	"#@ /fsx\n"
	"UUID                   1K-blocks        Used   Available Use% Mounted on\n"
	"abcdefgh-MDT0000_UUID   100000000    1000000    99000000   1% /fsx[MDT:0]\n"
	"abcdefgh-OST0000_UUID  1200000000  240000000   960000000  20% /fsx[OST:0]\n"
	"abcdefgh-OST0010_UUID  1200000000 1140000000    60000000  95% /fsx[OST:16]\n"
	"\n"
	"filesystem_summary:    2400000000 1380000000  1020000000  58% /fsx\n"
	"#@ /other\n"
	"UUID                   1K-blocks        Used   Available Use% Mounted on\n"
	"other-MDT0000_UUID      100000000    5000000    95000000   5% /other[MDT:0]\n"
	"other-OST0000_UUID     1000000000  100000000   900000000  10% /other[OST:0]\n"
	"\n"
	"filesystem_summary:    1000000000  100000000   900000000  10% /other\n";

static void reads_the_probe(void **state)
{
	(void)state;
	struct section *s = sect_parse(SECTION_LUSTRE_DF, two_mounts);
	const struct lustre_df_reading *r = reading_lustre_df(s);

	assert_int_equal(s->status, SECTION_OK);
	assert_u64(r->mdts, 2);
	assert_u64(r->osts, 3);
	assert_u64(r->unavailable_n, 0);
	assert_unset(r->unavailable);
	assert_f64(r->max_ost_pct, 95);
	assert_f64(r->min_ost_pct, 10);
	/* Within one filesystem: 95 - 20, not 95 - 10. */
	assert_f64(r->ost_spread_pct, 75);
	assert_f64(r->max_mdt_pct, 5);
	assert_f64(r->summary_size_kib, 3400000000.0);
	assert_f64(r->summary_pct, 58);
	assert_flag(r->complete, true);
	assert_int_equal(r->target_n, 5);
	assert_str(r->target[2].target, "abcdefgh-OST0010");
	assert_str(r->target[2].kind, "OST");
	assert_u64(r->target[2].index, 16);
	assert_str(r->target[2].mount, "/fsx");
	assert_f64(r->target[2].avail_kib, 60000000);
	section_unref(s);
}

static void without_marks(void **state)
{
	(void)state;
	char text[sizeof(two_mounts)];
	size_t n = 0;

	for (const char *p = two_mounts; *p; p++) {
		if (p[0] == '#' && p[1] == '@')
			p = strchr(p, '\n');
		else
			text[n++] = *p;
	}
	text[n] = '\0';
	struct section *s = sect_parse(SECTION_LUSTRE_DF, text);

	assert_f64(reading_lustre_df(s)->ost_spread_pct, 75);
	assert_flag(reading_lustre_df(s)->complete, true);
	section_unref(s);
}

static void dead_targets(void **state)
{
	(void)state;
	struct section *s = sect_parse(SECTION_LUSTRE_DF,
		"UUID                       bytes        Used   Available Use% Mounted on\n"
		"lustrefs-MDT0000_UUID      66.9G        2.3M       61.0G   1% /mnt/lustre[MDT:0]\n"
		"lustrefs-OST0000_UUID     233.8G        1.5M      221.9G   1% /mnt/lustre[OST:0]\n"
		"OST0001             : Resource temporarily unavailable\n"
		"lustrefs-OST0002_UUID : inactive device\n"
		"\n"
		"filesystem_summary:       467.6G        3.0M      443.8G   1% /mnt/lustre\n");
	const struct lustre_df_reading *r = reading_lustre_df(s);

	assert_u64(r->osts, 1);
	assert_u64(r->unavailable_n, 2);
	assert_str(r->unavailable, "OST0001,lustrefs-OST0002");
	assert_flag(r->target[2].available, false);
	assert_str(r->target[2].error, "Resource temporarily unavailable");
	assert_unset(r->target[2].used_pct);
	assert_u64(r->target[3].index, 2);
	section_unref(s);
}

static void no_summary_is_incomplete(void **state)
{
	(void)state;
	struct section *s = sect_parse(SECTION_LUSTRE_DF,
		"UUID                       bytes        Used   Available Use% Mounted on\n"
		"lustrefs-OST0000_UUID     233.8G        1.5M      221.9G   1% "
		"/mnt/lustre[OST:0]\n");

	assert_flag(reading_lustre_df(s)->complete, false);
	assert_int_equal(s->status, SECTION_PARTIAL);
	section_unref(s);
}

static void wrapped_by_a_terminal(void **state)
{
	(void)state;
	struct section *s = sect_parse(SECTION_LUSTRE_DF,
		"UUID                       bytes        Used   Available Use% Mounted on\n"
		"fs01-MDT0000_UUID          52.7G        6.5M\t   48.0G   1% /lustre/storeA[M\n"
		"DT:0]\n"
		"fs01-OST0001_UUID          87.6G       25.3G\t   57.8G  31% /lustre/sto\n"
		"reA[OST:1]\n"
		"\n"
		"filesystem_summary:\t  248.0G       50.6G\t  184.6G  22% /lustre/storeA\n");
	const struct lustre_df_reading *r = reading_lustre_df(s);

	assert_int_equal(s->status, SECTION_OK);
	assert_u64(r->mdts, 1);
	assert_u64(r->osts, 1);
	assert_str(r->target[0].mount, "/lustre/storeA");
	assert_str(r->target[1].mount, "/lustre/storeA");
	assert_f64(r->target[1].used_pct, 31);
	assert_f64(r->target[1].size_kib, 87.6 * 1024 * 1024);
	section_unref(s);
}

static void odd_cells(void **state)
{
	(void)state;
	struct section *s = sect_parse(SECTION_LUSTRE_DF,
		"UUID                       bytes        Used   Available Use% Mounted on\n"
		"fs-OST0000_UUID             junk        123       0,5G   x% /a[OST:0]\n"
		"some words about nothing\n");
	const struct lustre_df_reading *r = reading_lustre_df(s);

	assert_unset(r->target[0].size_kib);
	/* With -h a number without suffix has no known unit. */
	assert_unset(r->target[0].used_kib);
	assert_f64(r->target[0].avail_kib, 0.5 * 1024 * 1024);
	assert_unset(r->target[0].used_pct);
	assert_unset(r->max_ost_pct);
	assert_true(sect_has_unread(s, "line"));
	section_unref(s);
	s = sect_parse(SECTION_LUSTRE_DF, "sh: 1: lfs: not found\n");
	assert_int_equal(s->status, SECTION_UNAVAILABLE);
	assert_unset(reading_lustre_df(s)->osts);
	section_unref(s);
	/* No Lustre mount: nothing to say, nothing wrong. */
	s = sect_parse(SECTION_LUSTRE_DF, "");
	assert_int_equal(s->status, SECTION_OK);
	assert_unset(reading_lustre_df(s)->complete);
	section_unref(s);
}

/* The probe's word on a mount that hangs is an answer; what it hides is not known. */
static void skipped_mounts_are_an_answer(void **state)
{
	(void)state;
	char text[sizeof(two_mounts) + 100];
	struct section *s =
		sect_parse(SECTION_LUSTRE_DF, "#! /fsx: skipped, the mount does not answer\n");
	const struct lustre_df_reading *r = reading_lustre_df(s);

	assert_int_equal(s->status, SECTION_OK);
	assert_int_equal(s->unread_n, 0);
	assert_unset(r->osts);
	assert_unset(r->mdts);
	assert_unset(r->unavailable_n);
	assert_flag(r->complete, false);
	assert_u64(r->skipped, 1);
	section_unref(s);
	snprintf(text, sizeof(text), "%s#! /hung one: skipped, the mount does not answer\n",
		two_mounts);
	s = sect_parse(SECTION_LUSTRE_DF, text);
	r = reading_lustre_df(s);
	assert_int_equal(s->status, SECTION_OK);
	assert_int_equal(r->target_n, 5);
	assert_f64(r->max_ost_pct, 95);
	assert_f64(r->ost_spread_pct, 75);
	assert_unset(r->osts);
	assert_unset(r->summary_size_kib);
	assert_flag(r->complete, false);
	section_unref(s);
}

static void cut_anywhere(void **state)
{
	(void)state;
	sect_check_robust(SECTION_LUSTRE_DF, two_mounts);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_the_probe),
		cmocka_unit_test(without_marks),
		cmocka_unit_test(dead_targets),
		cmocka_unit_test(no_summary_is_incomplete),
		cmocka_unit_test(wrapped_by_a_terminal),
		cmocka_unit_test(odd_cells),
		cmocka_unit_test(skipped_mounts_are_an_answer),
		cmocka_unit_test(cut_anywhere),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
