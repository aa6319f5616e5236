#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/lib/sect.h"

static void reads_df(void **state)
{
	(void)state;
	struct section *s = sect_parse(SECTION_SHM,
		"Filesystem     1024-blocks    Used Available Capacity Mounted on\n"
		"tmpfs             24683584 6170896  18512688      26% /dev/shm\n");
	const struct shm_reading *r = reading_shm(s);

	assert_int_equal(s->status, SECTION_OK);
	assert_flag(r->present, true);
	assert_u64(r->size_kib, 24683584);
	assert_u64(r->used_kib, 6170896);
	assert_f64(r->used_pct, 25.0);
	section_unref(s);
}

static void missing(void **state)
{
	(void)state;
	struct section *s = sect_parse(SECTION_SHM, "df: /dev/shm: No such file or directory\n");

	assert_int_equal(s->status, SECTION_OK);
	assert_flag(reading_shm(s)->present, false);
	assert_unset(reading_shm(s)->size_kib);
	section_unref(s);
}

/* A plain directory: df answers with the row of the filesystem it lies on. */
static void directory_that_is_no_mount(void **state)
{
	(void)state;
	struct section *s = sect_parse(SECTION_SHM,
		"Filesystem     1024-blocks  Used Available Capacity Mounted on\n"
		"devtmpfs          12334192     0  12334192       0% /dev\n");

	assert_flag(reading_shm(s)->present, false);
	assert_unset(reading_shm(s)->size_kib);
	section_unref(s);
}

static void among_others(void **state)
{
	(void)state;
	struct section *s = sect_parse(SECTION_SHM,
		"Filesystem               Size  Used Avail Use% Mounted on\n"
		"devtmpfs                 1.9G     0  1.9G   0% /dev\n"
		"tmpfs                    1.9G     0  1.9G   0% /dev/shm\n"
		"tmpfs                    1.9G   12M  1.9G   1% /run\n");

	assert_flag(reading_shm(s)->present, true);
	assert_u64(reading_shm(s)->size_kib, 1992294);
	section_unref(s);
}

/* Junk behind a row does not make it another mount's row. */
static void garbled_rows_are_not_absence(void **state)
{
	(void)state;
	static const char *const mounts[] = {
		"/dev/shm x", "/dev/shm\tx", "/dev/shm#", "/dev x", "/ x"};

	for (size_t i = 0; i < sizeof(mounts) / sizeof(mounts[0]); i++) {
		char text[200];

		snprintf(text, sizeof(text),
			"Filesystem 1024-blocks Used Available Capacity Mounted on\n"
			"devtmpfs 12334192 0 12334192 0%% /run\n"
			"tmpfs 24683584 6170896 18512688 26%% %s\n",
			mounts[i]);
		struct section *s = sect_parse(SECTION_SHM, text);

		if (opt_has(reading_shm(s)->present))
			fail_msg("\"%s\" says that it is known", mounts[i]);
		assert_int_equal(s->status, SECTION_PARTIAL);
		assert_true(sect_has_unread(s, "shm"));
		section_unref(s);
	}
	/* A mount below it is another mount, with its row whole. */
	struct section *s = sect_parse(SECTION_SHM,
		"Filesystem 1024-blocks Used Available Capacity Mounted on\n"
		"tmpfs 24683584 6170896 18512688 26% /dev/shm/a b\n");

	assert_int_equal(s->status, SECTION_OK);
	assert_flag(reading_shm(s)->present, false);
	section_unref(s);
}

static void errors_are_not_absence(void **state)
{
	(void)state;
	struct section *s = sect_parse(SECTION_SHM, "df: /dev/shm: Permission denied\n");

	assert_int_equal(s->status, SECTION_PARTIAL);
	assert_unset(reading_shm(s)->present);
	assert_str(reading_shm(s)->error, "df: /dev/shm: Permission denied");
	section_unref(s);
	s = sect_parse(SECTION_SHM, "");
	assert_int_equal(s->status, SECTION_PARTIAL);
	assert_unset(reading_shm(s)->present);
	section_unref(s);
}

static void cut_anywhere(void **state)
{
	(void)state;
	sect_check_robust(SECTION_SHM,
		"Filesystem     1024-blocks    Used Available Capacity Mounted on\n"
		"devtmpfs          12334192       0  12334192       0% /dev\n"
		"tmpfs             24683584 6170896  18512688      26% /dev/shm\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_df),
		cmocka_unit_test(missing),
		cmocka_unit_test(directory_that_is_no_mount),
		cmocka_unit_test(among_others),
		cmocka_unit_test(garbled_rows_are_not_absence),
		cmocka_unit_test(errors_are_not_absence),
		cmocka_unit_test(cut_anywhere),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
