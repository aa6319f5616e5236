#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "tests/lib/sect.h"

static const char proc_mounts[] =
	"/dev/root / ext4 rw,relatime,discard 0 0\n"
	"proc /proc proc rw,nosuid 0 0\n"
	"10.1.0.8:/fsx /home nfs4 "
	"rw,noatime,vers=4.2,rsize=1048576,wsize=262144,hard,proto=tcp,nconnect=16 0 0\n"
	"10.1.0.9@tcp,10.1.0.10@tcp:/ab1cd2ef/sub /fsx lustre rw,noatime,flock,lazystatfs 0 0\n"
	"10.1.0.7:/soft /with\\040blank nfs ro,relatime,nfsvers=3,soft 0 0\n";

static const struct mounts_row *row_of(const struct section *s, const char *mount)
{
	const struct mounts_reading *r = reading_mounts(s);

	for (size_t i = 0; i < r->mount_n; i++)
		if (opt_has(r->mount[i].mount) && strcmp(r->mount[i].mount.v, mount) == 0)
			return &r->mount[i];
	fail_msg("no row for %s", mount);
	return NULL;
}

static void reads_proc_mounts(void **state)
{
	(void)state;
	struct section *s = sect_parse(SECTION_MOUNTS, proc_mounts);
	const struct mounts_reading *r = reading_mounts(s);
	const struct mounts_row *row = row_of(s, "/home");

	assert_int_equal(s->status, SECTION_OK);
	assert_u64(r->mounts, 5);
	assert_u64(r->lustre, 1);
	assert_u64(r->nfs, 2);
	/* /proc is counted, and not listed. */
	assert_int_equal(r->mount_n, 4);
	assert_str(row->server, "10.1.0.8");
	assert_str(row->vers, "4.2");
	assert_u64(row->rsize, 1048576);
	assert_u64(row->wsize, 262144);
	assert_u64(row->nconnect, 16);
	assert_flag(row->hard, true);
	assert_flag(row->read_only, false);
	assert_str(row->atime, "noatime");
	assert_unset(row->flock);
	row = row_of(s, "/fsx");
	assert_str(row->fsname, "ab1cd2ef");
	assert_str(row->nid, "10.1.0.9@tcp,10.1.0.10@tcp");
	assert_flag(row->flock, true);
	assert_unset(row->rsize);
	row = row_of(s, "/with blank");
	assert_flag(row->hard, false);
	assert_flag(row->read_only, true);
	assert_str(row->vers, "3");
	assert_unset(row->nconnect);
	section_unref(s);
}

static void reads_mount_command(void **state)
{
	(void)state;
	struct section *s = sect_parse(SECTION_MOUNTS,
		"172.31.14.250@tcp:/fsx on /fsx type lustre (rw,lazystatfs)\n"
		"fs-1.fsx.us-east-1.amazonaws.com:/fsx on /my home type nfs4 "
		"(rw,relatime,vers=4.2,rsize=262144,nconnect=16,_netdev)\n"
		"a@tcp:/b on /c type lustre (rw,localflock)\n");
	const struct mounts_row *row = row_of(s, "/my home");

	assert_flag(row_of(s, "/fsx")->flock, false);
	/* localflock is coherent on one node only. */
	assert_flag(row_of(s, "/c")->flock, false);
	assert_str(row->server, "fs-1.fsx.us-east-1.amazonaws.com");
	assert_u64(row->nconnect, 16);
	assert_unset(row->hard);
	section_unref(s);
}

static void odd_lines(void **state)
{
	(void)state;
	struct section *s = sect_parse(SECTION_MOUNTS, "garbage\n/dev/root / ext4 rw 0 0\n");

	assert_true(sect_has_unread(s, "line"));
	/* What that line was is not known: no count. */
	assert_unset(reading_mounts(s)->lustre);
	assert_int_equal(reading_mounts(s)->mount_n, 1);
	section_unref(s);
	s = sect_parse(SECTION_MOUNTS, "a:/b /c nfs4 rw,rsize=big,nconnect= 0 0\n");
	assert_int_equal(row_of(s, "/c")->rsize.state, OPT_ERROR);
	assert_unset(row_of(s, "/c")->nconnect);
	section_unref(s);
	s = sect_parse(SECTION_MOUNTS, "");
	assert_unset(reading_mounts(s)->mounts);
	assert_int_equal(s->status, SECTION_PARTIAL);
	section_unref(s);
}

static void cut_anywhere(void **state)
{
	(void)state;
	sect_check_robust(SECTION_MOUNTS, proc_mounts);
	sect_check_robust(SECTION_MOUNTS, "a@tcp:/fsx on /fsx type lustre (rw,lazystatfs,flock)\n"
					  "b:/fsx on /home type nfs4 (rw,vers=4.2,rsize=262144)\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_proc_mounts),
		cmocka_unit_test(reads_mount_command),
		cmocka_unit_test(odd_lines),
		cmocka_unit_test(cut_anywhere),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
