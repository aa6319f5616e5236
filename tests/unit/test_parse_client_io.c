#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>

#include "tests/lib/sect.h"

static void reads_the_probe(void **state)
{
	(void)state;
	char *text = sect_read("tests/fixtures/node/client_io/probe.txt", NULL);
	struct section *s = sect_parse(SECTION_CLIENT_IO, text);
	const struct client_io_reading *r = reading_client_io(s);

	assert_int_equal(s->status, SECTION_OK);
	assert_int_equal(r->mount_n, 2);
	assert_str(r->mount[0].fs, "abcdefgh-ffff9c3a8f6e2000");
	assert_str(r->mount[0].kind, "lustre");
	assert_u64(r->mount[0].read_bytes, 5000000000);
	assert_u64(r->mount[0].write_samples, 89467810);
	assert_u64(r->mount[0].write_bytes, 93813797294080);
	assert_u64(r->mount[0].metadata_ops, 136 + 96 + 41);
	assert_str(r->mount[1].fs, "/home");
	assert_str(r->mount[1].kind, "nfs");
	assert_u64(r->mount[1].read_samples, 100);
	assert_u64(r->mount[1].read_bytes, 7000000000);
	assert_u64(r->mount[1].write_bytes, 8000000000);
	assert_f64(r->mount[1].read_rtt_ms, 2.5);
	assert_f64(r->mount[1].write_rtt_ms, 10);
	assert_u64(r->mount[1].open, 25);
	assert_u64(r->mount[1].close, 24);
	assert_u64(r->mount[1].getattr, 400);
	assert_u64(r->mount[1].metadata_ops, 449);
	assert_u64(r->mount[1].retrans, 4);
	assert_u64(r->read_bytes, 12000000000);
	assert_u64(r->write_bytes, 93821797294080);
	assert_u64(r->metadata_ops, 449 + 273);
	assert_u64(r->nfs_retrans, 4);
	assert_int_equal(r->import_n, 2);
	assert_str(r->import[0].target, "abcdefgh-OST0000_UUID");
	assert_u64(r->import[0].connection_attempts, 3);
	assert_u64(r->import[0].avg_waittime_usec, 300);
	assert_str(r->import[1].state, "DISCONN");
	assert_u64(r->import[1].inflight, 4);
	assert_u64(r->import[1].timeouts, 9);
	assert_unset(r->import[1].avg_waittime_usec);
	assert_u64(r->imports_bad, 1);
	section_unref(s);
	free(text);
}

static void cut_anywhere(void **state)
{
	(void)state;
	char *text = sect_read("tests/fixtures/node/client_io/probe.txt", NULL);

	sect_check_robust(SECTION_CLIENT_IO, text);
	free(text);
}

/* A key appears with its first use: in a whole list its absence is a count of none. */
static void nothing_read_yet(void **state)
{
	(void)state;
	static const char text[] =
		"#@ llite x-1\nsnapshot_time 1.5 secs.nsecs\nopen 1 samples [regs]\n";
	struct section *s = sect_parse(SECTION_CLIENT_IO, text);

	assert_u64(reading_client_io(s)->mount[0].read_bytes, 0);
	assert_u64(reading_client_io(s)->read_bytes, 0);
	section_unref(s);
	s = sect_parse_cut(SECTION_CLIENT_IO, text, sizeof(text) - 1);
	assert_unset(reading_client_io(s)->mount[0].read_bytes);
	assert_unset(reading_client_io(s)->read_bytes);
	section_unref(s);
	/* A file that gave nothing is no list. */
	s = sect_parse(SECTION_CLIENT_IO, "#@ llite x-1\n");
	assert_unset(reading_client_io(s)->read_bytes);
	section_unref(s);
}

static void idle_imports_are_good(void **state)
{
	(void)state;
	struct section *s =
		sect_parse(SECTION_CLIENT_IO, "import:\n    target: a_UUID\n    state: IDLE\n"
					      "import:\n    target: b_UUID\n    state: FULL\n");

	assert_u64(reading_client_io(s)->imports_bad, 0);
	section_unref(s);
	s = sect_parse(SECTION_CLIENT_IO, "import:\n    target: a_UUID\n");
	assert_unset(reading_client_io(s)->imports_bad);
	section_unref(s);
}

static void no_remote_filesystem(void **state)
{
	(void)state;
	struct section *s = sect_parse(SECTION_CLIENT_IO, "#@ mountstats\n");
	const struct client_io_reading *r = reading_client_io(s);

	assert_int_equal(s->status, SECTION_OK);
	assert_int_equal(r->mount_n, 0);
	assert_unset(r->read_bytes);
	assert_unset(r->nfs_retrans);
	section_unref(s);
	s = sect_parse(SECTION_CLIENT_IO, "sh: 1: lctl: not found\n");
	assert_int_equal(s->status, SECTION_UNAVAILABLE);
	section_unref(s);
	/* Only Lustre is missing. */
	s = sect_parse(SECTION_CLIENT_IO,
		"error: get_param: param_path 'llite/*/stats': No such file or directory\n"
		"#@ import\n#@ mountstats\n");
	assert_int_equal(s->status, SECTION_OK);
	section_unref(s);
}

static void other_mounts_and_odd_lines(void **state)
{
	(void)state;
	struct section *s = sect_parse(SECTION_CLIENT_IO,
		"#@ mountstats\n"
		"device rootfs mounted on / with fstype rootfs\n"
		"device nfsd mounted on /proc/fs/nfsd with fstype nfsd\n"
		"device a:/b mounted on /c\\040d with fstype nfs statvers=1.1\n"
		"\tper-op statistics\n"
		"\t        READ: 1 2 0 x\n");
	const struct client_io_reading *r = reading_client_io(s);

	assert_int_equal(r->mount_n, 1);
	assert_str(r->mount[0].fs, "/c d");
	assert_unset(r->mount[0].retrans);
	assert_unset(r->nfs_retrans);
	assert_true(sect_has_unread(s, "mountstats"));
	section_unref(s);
	s = sect_parse(SECTION_CLIENT_IO, "snapshot_time 1.5 secs.nsecs\nread_bytes 5 samples "
					  "[bytes] 1 2\nwrite_bytes many\n");
	assert_unset(reading_client_io(s)->mount[0].read_bytes);
	assert_unset(reading_client_io(s)->read_bytes);
	assert_int_equal(s->status, SECTION_PARTIAL);
	section_unref(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_the_probe),
		cmocka_unit_test(cut_anywhere),
		cmocka_unit_test(nothing_read_yet),
		cmocka_unit_test(idle_imports_are_good),
		cmocka_unit_test(no_remote_filesystem),
		cmocka_unit_test(other_mounts_and_odd_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
