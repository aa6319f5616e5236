#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/lib/sect.h"

#define HW(dev, name) "/sys/class/infiniband/" dev "/ports/1/hw_counters/" name

static const char probe[] = HW("rdmap79s0", "lifespan:12\n") HW(
	"rdmap79s0", "rx_bytes:18446744073709551615\n") HW("rdmap79s0",
	"rx_drops:7\n") HW("rdmap79s0", "retrans_pkts:10\n") HW("rdmap80s0",
	"rx_bytes:0\n") HW("rdmap80s0", "rx_drops:3\n") HW("mlx5_0",
	"out_of_sequence:5\n") "/sys/class/infiniband/rdmap79s0/hw_counters/keep_alive_rcvd:99\n";

static void reads_the_probe(void **state)
{
	(void)state;
	struct section *s = sect_parse(SECTION_EFA_COUNTERS, probe);
	const struct efa_counters_reading *r = reading_efa_counters(s);

	assert_int_equal(s->status, SECTION_OK);
	/* The bridge has counters, but none of EFA's. */
	assert_int_equal(r->device_n, 3);
	assert_u64(r->devices, 2);
	assert_u64(r->counters, 6);
	assert_u64(r->rx_drops, 10);
	assert_u64(r->rx_bytes, UINT64_MAX);
	/* One device's driver does not have it: the sum is not known. */
	assert_unset(r->retrans_pkts);
	assert_unset(r->tx_bytes);
	assert_u64(r->device[0].retrans_pkts, 10);
	assert_u64(r->device[0].lifespan_ms, 12);
	assert_u64(r->device[0].keep_alive_rcvd, 99);
	assert_u64(r->device[0].counters, 3);
	assert_unset(r->device[1].retrans_pkts);
	section_unref(s);
}

static void unreadable_counter(void **state)
{
	(void)state;
	struct section *s = sect_parse(SECTION_EFA_COUNTERS,
		HW("a", "rx_drops:7\n") HW("a", "rx_bytes:1x\n")
			HW("b", "rx_bytes:5\n") "grep: " HW("b", "rx_drops: Input/output error\n"));
	const struct efa_counters_reading *r = reading_efa_counters(s);

	assert_int_equal(s->status, SECTION_PARTIAL);
	assert_int_equal(r->device[1].rx_drops.state, OPT_ERROR);
	assert_int_equal(r->device[0].rx_bytes.state, OPT_ERROR);
	assert_unset(r->rx_drops);
	assert_unset(r->rx_bytes);
	section_unref(s);
}

static void sum_beyond_64_bits(void **state)
{
	(void)state;
	struct section *s = sect_parse(SECTION_EFA_COUNTERS,
		HW("a", "rx_bytes:18446744073709551615\n") HW("b", "rx_bytes:1\n"));

	assert_unset(reading_efa_counters(s)->rx_bytes);
	section_unref(s);
}

static void short_form(void **state)
{
	(void)state;
	struct section *s = sect_parse(SECTION_EFA_COUNTERS,
		"mlx5_0 state 4: ACTIVE\nmlx5_0 local_ack_timeout_err 131\nmlx5_0 lifespan 10\n");
	const struct efa_counters_reading *r = reading_efa_counters(s);

	assert_u64(r->devices, 0);
	assert_u64(r->counters, 1);
	assert_u64(r->device[0].lifespan_ms, 10);
	section_unref(s);
}

static void no_devices(void **state)
{
	(void)state;
	struct section *s = sect_parse(SECTION_EFA_COUNTERS,
		"ls: cannot access '/sys/class/infiniband': No such file or directory\n");

	assert_int_equal(s->status, SECTION_OK);
	assert_u64(reading_efa_counters(s)->devices, 0);
	assert_unset(reading_efa_counters(s)->rx_drops);
	section_unref(s);
}

/* Names without end must not become rows without end. */
static void thousands_of_devices(void **state)
{
	(void)state;
	size_t size = 400000;
	char *text = malloc(size);
	size_t n = 0;

	assert_non_null(text);
	for (int i = 0; i < 5000; i++)
		n += (size_t)snprintf(text + n, size - n, HW("d%d", "rx_drops:1\n"), i);
	struct section *s = sect_parse(SECTION_EFA_COUNTERS, text);

	assert_true(reading_efa_counters(s)->device_n <= 128);
	assert_unset(reading_efa_counters(s)->devices);
	assert_unset(reading_efa_counters(s)->rx_drops);
	section_unref(s);
	free(text);
}

static void cut_anywhere(void **state)
{
	(void)state;
	sect_check_robust(SECTION_EFA_COUNTERS, probe);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_the_probe),
		cmocka_unit_test(unreadable_counter),
		cmocka_unit_test(sum_beyond_64_bits),
		cmocka_unit_test(short_form),
		cmocka_unit_test(no_devices),
		cmocka_unit_test(thousands_of_devices),
		cmocka_unit_test(cut_anywhere),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
