#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "tests/lib/sect.h"

static const struct capacity_row *row_of(const struct section *s, const char *mount)
{
	const struct capacity_reading *r = reading_capacity(s);

	for (size_t i = 0; i < r->mount_n; i++)
		if (opt_has(r->mount[i].mount) && strcmp(r->mount[i].mount.v, mount) == 0)
			return &r->mount[i];
	fail_msg("no row for %s", mount);
	return NULL;
}

static const char probe[] =
	"? ext4 /dev/root /\n"
	"? lustre 10.1.0.9@tcp:/abcdefgh /fsx\n"
	"? nfs4 10.1.0.8:/fsx /home\n"
	"? nfs4 10.1.0.7:/x /with\\040blank\n"
	"= / 4096 26214400 2621440 2621440 6553600 6000000 0\n"
	"! /home stat: cannot read file system information for '/home': Stale file handle\n"
	"= /with\\040blank 1048576 1000 250 200 0 0 20\n";

static void reads_the_probe(void **state)
{
	(void)state;
	struct section *s = sect_parse(SECTION_CAPACITY, probe);
	const struct capacity_reading *r = reading_capacity(s);
	const struct capacity_row *row = row_of(s, "/");

	assert_int_equal(s->status, SECTION_OK);
	assert_str(row->state, "ok");
	assert_str(row->fstype, "ext4");
	assert_str(row->source, "/dev/root");
	assert_u64(row->size_kib, 104857600);
	assert_u64(row->used_kib, 94371840);
	assert_u64(row->avail_kib, 10485760);
	assert_f64(row->used_pct, 90.0);
	assert_u64(row->inodes, 6553600);
	assert_u64(row->inodes_free, 6000000);
	assert_f64(row->answer_ms, 0);
	/* Asked, and no answer. */
	row = row_of(s, "/fsx");
	assert_str(row->state, "hung");
	assert_unset(row->used_pct);
	row = row_of(s, "/home");
	assert_str(row->state, "stale");
	assert_str(row->error, "Stale file handle");
	row = row_of(s, "/with blank");
	assert_str(row->state, "ok");
	/* Used of used plus available: root's reserve is not available. */
	assert_f64(row->used_pct, 100.0 * 750 / 950);
	assert_int_equal(row->inodes.state, OPT_UNSUPPORTED);
	assert_u64(r->mounts, 4);
	assert_u64(r->hung, 1);
	assert_u64(r->failed, 1);
	assert_f64(r->root_used_pct, 90.0);
	assert_f64(r->worst_used_pct, 90.0);
	section_unref(s);
}

static void a_garbled_answer_is_not_hung(void **state)
{
	(void)state;
	struct section *s =
		sect_parse(SECTION_CAPACITY, "? ext4 /dev/root /\n"
					     "= / 4096 26214400 x 2621440 6553600 1 0\n");

	assert_false(opt_has(row_of(s, "/")->state));
	assert_false(opt_has(reading_capacity(s)->hung));
	assert_true(s->unread_n > 0);
	section_unref(s);
}

static void still_hung(void **state)
{
	(void)state;
	struct section *s = sect_parse(SECTION_CAPACITY,
		"? lustre 10.1.0.9@tcp:/abcdefgh /fsx\n~ /fsx still not answering\n");

	assert_str(row_of(s, "/fsx")->state, "hung");
	assert_str(row_of(s, "/fsx")->error, "still not answering");
	assert_u64(reading_capacity(s)->hung, 1);
	section_unref(s);
}

/* A question whose answer may have been cut off is not a hung mount. */
static void cut_is_not_hung(void **state)
{
	(void)state;
	static const char text[] = "? ext4 /dev/root /\n? lustre a@tcp:/f /fsx\n";
	struct section *s = sect_parse_cut(SECTION_CAPACITY, text, strlen(text));

	assert_unset(row_of(s, "/fsx")->state);
	assert_unset(reading_capacity(s)->hung);
	section_unref(s);
}

static void numbers_beyond_64_bits(void **state)
{
	(void)state;
	struct section *s =
		sect_parse(SECTION_CAPACITY, "= /a 4096 18446744073709551615 0 0 0 0 1\n= /b 4096 "
					     "10 20 5 0 0 1\n= /c 0 1 1 1 0 0 1\n"
					     "= /d 4096 x 0 0 0 0 1\n= /e 4096 0 0 0 0 0 1\n");

	assert_unset(row_of(s, "/a")->size_kib);
	assert_unset(row_of(s, "/b")->used_kib);
	assert_unset(row_of(s, "/b")->used_pct);
	assert_unset(row_of(s, "/c")->size_kib);
	assert_u64(row_of(s, "/e")->size_kib, 0);
	assert_unset(row_of(s, "/e")->used_pct);
	assert_true(sect_has_unread(s, "line"));
	section_unref(s);
}

static void df_wrapped_with_commas(void **state)
{
	(void)state;
	struct section *s = sect_parse(SECTION_CAPACITY,
		"Filesystem            Size  Used Avail Use% Mounted on\n"
		"/dev/mapper/vg_node0-lv_root\n"
		"                       50G  2,0G   45G   5% /\n"
		"tmpfs                 911M     0  911M   0% /dev/shm\n"
		"/dev/loop3             62M   62M     0 100% /snap/core20/1\n"
		"/dev/sda1             477M   62M  390M  14% /boot dir\n");
	const struct capacity_row *row = row_of(s, "/");

	assert_int_equal(s->status, SECTION_OK);
	assert_str(row->source, "/dev/mapper/vg_node0-lv_root");
	assert_u64(row->size_kib, 50u * 1024 * 1024);
	assert_u64(row->used_kib, 2u * 1024 * 1024);
	assert_f64(row->used_pct, 5);
	assert_u64(row_of(s, "/dev/shm")->used_kib, 0);
	assert_str(row_of(s, "/boot dir")->state, "ok");
	/* A read-only image is always full and says nothing. */
	assert_f64(reading_capacity(s)->worst_used_pct, 14);
	assert_f64(reading_capacity(s)->root_used_pct, 5);
	section_unref(s);
}

static void df_types_dashes_and_units(void **state)
{
	(void)state;
	struct section *s = sect_parse(SECTION_CAPACITY,
		"Filesystem    Type 1024-blocks      Used Available Capacity Mounted on\n"
		"/dev/root     ext3     6030784   1147932   4571556      21% /\n"
		"proc          proc           0         0         0       -  /proc\n"
		"a:/b          nfs4   6030784   6030784         -5      101% /n\n"
		"Filesystem     1B-blocks  Used Available Use% Mounted on\n"
		"/dev/sda1           2048  1024      1024  50% /bytes\n"
		"Filesystem     512-blocks  Used Available Use% Mounted on\n"
		"/dev/sda2           2048  1024      1024  50% /halves\n");

	assert_str(row_of(s, "/")->fstype, "ext3");
	assert_str(row_of(s, "/")->source, "/dev/root");
	assert_unset(row_of(s, "/proc")->used_pct);
	assert_unset(row_of(s, "/n")->avail_kib);
	assert_u64(row_of(s, "/bytes")->size_kib, 2);
	assert_u64(row_of(s, "/halves")->size_kib, 1024);
	section_unref(s);
}

static void df_errors_among_rows(void **state)
{
	(void)state;
	static const struct {
		const char *line, *mount, *state;
	} cases[] = {
		{"df: '/a': Stale file handle\n", "/a", "stale"},
		{"df: `/b': Transport endpoint is not connected\n", "/b", "disconnected"},
		{"df: \xe2\x80\x98/c\xe2\x80\x99: Stale NFS file handle\n", "/c", "stale"},
		{"df: /d: Input/output error\n", "/d", "error"},
		{"df: '/e': Cannot send after transport endpoint shutdown\n", "/e", "disconnected"},
		{"df: '/f': Connection timed out\n", "/f", "hung"},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		char text[512];

		snprintf(text, sizeof(text),
			"%sFilesystem     1K-blocks  Used Available Use%% Mounted on\n"
			"/dev/sda1        1000000 10000    990000   2%% /\n",
			cases[i].line);
		struct section *s = sect_parse(SECTION_CAPACITY, text);

		assert_str(row_of(s, cases[i].mount)->state, cases[i].state);
		assert_unset(row_of(s, cases[i].mount)->used_pct);
		assert_f64(row_of(s, "/")->used_pct, 2);
		assert_true(reading_capacity(s)->hung.v + reading_capacity(s)->failed.v == 1);
		section_unref(s);
	}
}

static void not_available_and_empty(void **state)
{
	(void)state;
	struct section_meta meta = SECTION_META_INIT;

	meta.exit_code = 127;
	struct section *s = section_parse(SECTION_CAPACITY,
		span_of("#! not available: stat may hang, and timeout is not on this node\n"),
		meta);

	assert_int_equal(s->status, SECTION_UNAVAILABLE);
	assert_int_equal(s->unread_n, 0);
	section_unref(s);
	s = sect_parse(SECTION_CAPACITY, "");
	assert_int_equal(s->status, SECTION_PARTIAL);
	assert_unset(reading_capacity(s)->mounts);
	section_unref(s);
	s = sect_parse(SECTION_CAPACITY, "something else entirely\n\xff\xfe\n");
	assert_true(sect_has_unread(s, "line"));
	section_unref(s);
}

static void cut_anywhere(void **state)
{
	(void)state;
	sect_check_robust(SECTION_CAPACITY, probe);
	sect_check_robust(SECTION_CAPACITY,
		"Filesystem            Size  Used Avail Use% Mounted on\n"
		"/dev/mapper/vg_node0-lv_root\n"
		"                       50G  2,0G   45G   5% /\n"
		"df: '/a': Stale file handle\n"
		"tmpfs                 911M     0  911M   0% /dev/shm\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_the_probe),
		cmocka_unit_test(a_garbled_answer_is_not_hung),
		cmocka_unit_test(still_hung),
		cmocka_unit_test(cut_is_not_hung),
		cmocka_unit_test(numbers_beyond_64_bits),
		cmocka_unit_test(df_wrapped_with_commas),
		cmocka_unit_test(df_types_dashes_and_units),
		cmocka_unit_test(df_errors_among_rows),
		cmocka_unit_test(not_available_and_empty),
		cmocka_unit_test(cut_anywhere),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
