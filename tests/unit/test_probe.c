#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "collectors/probe.h"

#define N "0123456789abcdef0123456789abcdef"

static void test_script_is_text(void **state)
{
	size_t len = 0;
	const char *s = probe_script(&len);

	(void)state;
	assert_int_equal(strlen(s), len);
	assert_ptr_equal(probe_script(NULL), s);
	assert_true(len > 1000);
	assert_int_equal(s[len - 1], '\n');
	for (size_t i = 0; i < len; i++)
		assert_true(s[i] == '\n' || s[i] == '\t' || (s[i] >= ' ' && s[i] < 127));
}

/* Every section of the C side is a section of the script. */
static void test_script_knows_every_section(void **state)
{
	const char *s = probe_script(NULL);
	char job[64];
	char ask[64];

	(void)state;
	for (int id = 0; id < SECTION_COUNT; id++) {
		const char *name = section_desc((enum section_id)id)->name;

		snprintf(job, sizeof(job), "\nsec_%s() {", name);
		snprintf(ask, sizeof(ask), "\nask_%s() {", name);
		if (!strstr(s, job) && !strstr(s, ask))
			fail_msg("no function for section %s", name);
	}
}

static void test_start_text(void **state)
{
	struct buf out = BUF_INIT(1 << 20);
	size_t len = 0;

	(void)state;
	probe_script(&len);
	assert_int_equal(
		probe_start_text(&out, N, 1u << SECTION_CPU | 1u << SECTION_LUSTRE_DF), ERR_OK);
	assert_string_equal(buf_str(&out) + len, "hp_main " N " cpu lustre_df\n");
	buf_reset(&out);
	assert_int_equal(probe_start_text(&out, N, 0), ERR_OK);
	assert_string_equal(buf_str(&out) + len, "hp_main " N "\n");
	buf_release(&out);
}

static void test_start_text_refuses_other_nonces(void **state)
{
	static const char *const bad[] = {"", "0123", "0123456789abcdef0123456789abcde;", N "0",
		"$(reboot)", "0123456789ABCDEF0123456789ABCDEF"};
	struct buf out = BUF_INIT(1 << 20);

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(bad); i++)
		assert_int_equal(probe_start_text(&out, bad[i], 1), ERR_BUG);
	assert_int_equal(out.len, 0);
	buf_release(&out);
}

static void test_start_text_keeps_the_cap(void **state)
{
	struct buf out = BUF_INIT(100);

	(void)state;
	assert_int_equal(probe_start_text(&out, N, 1), ERR_TOOBIG);
	buf_release(&out);
}

static void test_request_text(void **state)
{
	struct buf out = BUF_INIT(4096);
	unsigned words = 1;

	(void)state;
	assert_int_equal(probe_request_text(&out, PROBE_ALL), ERR_OK);
	for (const char *p = buf_str(&out); *p; p++)
		words += *p == ' ';
	assert_int_equal(words, SECTION_COUNT);
	assert_memory_equal(buf_str(&out), "cpu host ", 9);
	buf_reset(&out);
	/* Bits that mean nothing add nothing. */
	assert_int_equal(probe_request_text(&out, 1u << SECTION_GPU | ~PROBE_ALL), ERR_OK);
	assert_string_equal(buf_str(&out), "gpu\n");
	buf_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_script_is_text),
		cmocka_unit_test(test_script_knows_every_section),
		cmocka_unit_test(test_start_text),
		cmocka_unit_test(test_start_text_refuses_other_nonces),
		cmocka_unit_test(test_start_text_keeps_the_cap),
		cmocka_unit_test(test_request_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
