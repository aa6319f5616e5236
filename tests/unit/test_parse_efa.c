#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/lib/sect.h"

#define IB "/sys/class/infiniband/"

static const char probe[] = IB
	"ibp198s0/ports/1/state:1: DOWN\n" IB "ibp198s0/ports/1/rate:10 Gb/sec (4X SDR)\n" IB
	"ibp198s0/device/vendor:0x15b3\n" IB "ibp198s0/device/driver -> mlx5_core\n" IB
	"rdmap79s0/ports/1/state:4: ACTIVE\n" IB "rdmap79s0/ports/1/phys_state:5: LinkUp\n" IB
	"rdmap79s0/ports/1/rate:200 Gb/sec (4X HDR)\n" IB
	"rdmap79s0/ports/1/link_layer:Unspecified\n" IB "rdmap79s0/device/vendor:0x1d0f\n" IB
	"rdmap79s0/device/device:0xefa2\n" IB "rdmap79s0/device/numa_node:-1\n" IB
	"rdmap79s0/device/driver -> efa\n" IB "rdmap79s0/device -> 0000:4f:00.0\n" IB
	"rdmap79s0/device/net/enp79s0/operstate:up\n" IB "rdmap79s0/device/net/enp79s0/carrier:1\n"
	"#@ pci_efa 2\n"
	"#@ fi_info\n"
	"provider: efa\n    fabric: efa-direct\n    domain: rdmap79s0-rdm\n    version: 122.0\n"
	"provider: efa\n    fabric: efa\n    domain: rdmap79s0-rdm\n    version: 122.0\n"
	"provider: efa\n    fabric: efa\n    domain: rdmap79s0-dgrm\n    version: 122.0\n"
	"#@ fi_info exit 0\n";

static void reads_the_probe(void **state)
{
	(void)state;
	struct section *s = sect_parse(SECTION_EFA, probe);
	const struct efa_reading *r = reading_efa(s);

	assert_int_equal(s->status, SECTION_OK);
	assert_u64(r->devices, 2);
	assert_u64(r->efa_devices, 1);
	assert_u64(r->active, 1);
	assert_u64(r->pci_efa, 2);
	assert_flag(r->provider_ok, true);
	assert_u64(r->provider_devices, 1);
	assert_u64(r->provider_entries, 3);
	assert_str(r->provider_version, "122.0");
	assert_str(r->libfabric, "1.22");
	assert_str(r->device[0].dev, "ibp198s0");
	assert_flag(r->device[0].is_efa, false);
	assert_str(r->device[0].state, "DOWN");
	assert_u64(r->device[0].state_num, 1);
	assert_flag(r->device[1].is_efa, true);
	assert_str(r->device[1].driver, "efa");
	assert_str(r->device[1].phys, "LinkUp");
	assert_u64(r->device[1].phys_num, 5);
	assert_f64(r->device[1].rate_gbps, 200);
	assert_str(r->device[1].netdev, "enp79s0");
	assert_str(r->device[1].operstate, "up");
	assert_flag(r->device[1].carrier, true);
	assert_i64(r->device[1].numa, -1);
	assert_str(r->device[1].pci, "0000:4f:00.0");
	section_unref(s);
}

static void no_devices_is_known(void **state)
{
	(void)state;
	struct section *s = sect_parse(SECTION_EFA,
		"ls: cannot access '/sys/class/infiniband': No such file or directory\n"
		"#@ pci_efa 32\n#@ fi_info\nfi_getinfo: -61 (No data available)\n#@ fi_info exit "
		"61\n");
	const struct efa_reading *r = reading_efa(s);

	assert_u64(r->efa_devices, 0);
	assert_u64(r->devices, 0);
	assert_u64(r->active, 0);
	assert_u64(r->pci_efa, 32);
	assert_flag(r->provider_ok, false);
	assert_u64(r->provider_errno, 61);
	assert_u64(r->provider_devices, 0);
	section_unref(s);
	/* The directory is there and empty. */
	s = sect_parse(SECTION_EFA, "#@ pci_efa 0\n");
	assert_u64(reading_efa(s)->efa_devices, 0);
	section_unref(s);
}

static void silence_is_not_zero(void **state)
{
	(void)state;
	struct section *s = sect_parse(SECTION_EFA, "");

	assert_unset(reading_efa(s)->efa_devices);
	assert_int_equal(s->status, SECTION_PARTIAL);
	section_unref(s);
	/* Only fi_info was asked. */
	s = sect_parse(SECTION_EFA, "provider: efa\n    domain: rdmap47s0-rdm\n    version: 2.0\n");
	assert_unset(reading_efa(s)->efa_devices);
	assert_u64(reading_efa(s)->provider_devices, 1);
	assert_unset(reading_efa(s)->libfabric);
	section_unref(s);
}

static void provider_states(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		enum opt_state state;
		bool ok;
	} cases[] = {
		{"#@ fi_info\nnot available: fi_info is not on this node\n#@ fi_info exit 127\n",
			OPT_UNSUPPORTED, false},
		{"#@ fi_info\nno answer within 5 s\n#@ fi_info exit 124\n", OPT_ERROR, false},
		{"#@ fi_info\nfi_getinfo: -2 (No such file or directory)\n#@ fi_info exit 2\n",
			OPT_OK, false},
		{"#@ fi_info\n#@ fi_info exit 0\n", OPT_UNKNOWN, false},
		{"#@ fi_info\nprovider: efa\n    domain: a-rdm\n#@ fi_info exit 0\n", OPT_OK, true},
		/* Cut: no exit status, and the list may go on. */
		{"#@ fi_info\nprovider: efa\n    domain: a-rdm\n    ver", OPT_UNKNOWN, false},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct section *s = sect_parse(SECTION_EFA, cases[i].text);
		struct opt_bool ok = reading_efa(s)->provider_ok;

		assert_int_equal(ok.state, cases[i].state);
		if (ok.state == OPT_OK)
			assert_int_equal(ok.v, cases[i].ok);
		section_unref(s);
	}
}

static void layered_provider_and_mpirun(void **state)
{
	(void)state;
	struct section *s = sect_parse(SECTION_EFA,
		"Warning: Permanently added 'w-1,192.0.2.224' (ECDSA) to the list of known hosts.\n"
		"[1,1]<stdout>:provider: efa\n[1,1]<stdout>:    domain: efa_0-rdm\n"
		"[1,1]<stdout>:    version: 116.10\n"
		"[1,0]<stdout>:provider: efa;ofi_rxd\n[1,0]<stdout>:    domain: efa_0-dgrm\n"
		"[1,0]<stdout>:    version: 1.0\n");
	const struct efa_reading *r = reading_efa(s);

	assert_u64(r->provider_devices, 1);
	assert_u64(r->provider_entries, 2);
	assert_str(r->provider_version, "116.10");
	assert_str(r->libfabric, "1.16");
	section_unref(s);
}

static void is_efa_without_driver(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		enum opt_state state;
		bool efa, guessed;
	} cases[] = {
		{IB "a/device/vendor:0x1d0f\n" IB "a/device/device:0xefa3\n", OPT_OK, true, false},
		{IB "a/device/vendor:0x1d0f\n" IB "a/device/device:0xec20\n", OPT_OK, false, false},
		{IB "a/device/vendor:0x15b3\n", OPT_OK, false, false},
		{"mlx5_4 state 4: ACTIVE\n", OPT_OK, false, true},
		{IB "rdmap0s31/ports/1/state:4: ACTIVE\n", OPT_OK, true, true},
		{IB "a/ports/1/state:4: ACTIVE\n" IB "a/ports/1/hw_counters/rdma_read_wr_err:0\n",
			OPT_OK, true, true},
		{IB "a/ports/1/state:4: ACTIVE\n", OPT_UNKNOWN, false, false},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct section *s = sect_parse(SECTION_EFA, cases[i].text);
		const struct efa_reading *r = reading_efa(s);

		assert_int_equal(r->device_n, 1);
		assert_int_equal(r->device[0].is_efa.state, cases[i].state);
		if (cases[i].state == OPT_OK) {
			assert_int_equal(r->device[0].is_efa.v, cases[i].efa);
			assert_u64(r->efa_devices, cases[i].efa);
		} else {
			assert_unset(r->efa_devices);
		}
		assert_int_equal(sect_has_unread(s, "driver"), cases[i].guessed);
		section_unref(s);
	}
}

static void unreadable_values(void **state)
{
	(void)state;
	struct section *s = sect_parse(SECTION_EFA, IB
		"a/device/driver -> efa\n" IB "a/ports/1/state:what\n" IB "a/ports/1/rate:fast\n" IB
		"a/device/numa_node:x\n" IB "a/device/net/e/carrier:\n#@ pci_efa many\n");
	const struct efa_reading *r = reading_efa(s);

	assert_u64(r->efa_devices, 1);
	/* One port whose state is unknown: "0 of 1 active" would be a lie. */
	assert_unset(r->active);
	assert_unset(r->device[0].state);
	assert_unset(r->device[0].rate_gbps);
	assert_unset(r->device[0].numa);
	assert_unset(r->device[0].carrier);
	assert_unset(r->pci_efa);
	section_unref(s);
	s = sect_parse(SECTION_EFA, IB "a/device/driver -> efa\n"
				       "grep: " IB "b/ports/1/state: Input/output error\n");
	assert_unset(reading_efa(s)->efa_devices);
	assert_true(sect_has_unread(s, "line"));
	section_unref(s);
}

static void cut_anywhere(void **state)
{
	(void)state;
	sect_check_robust(SECTION_EFA, probe);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_the_probe),
		cmocka_unit_test(no_devices_is_known),
		cmocka_unit_test(silence_is_not_zero),
		cmocka_unit_test(provider_states),
		cmocka_unit_test(layered_provider_and_mpirun),
		cmocka_unit_test(is_efa_without_driver),
		cmocka_unit_test(unreadable_values),
		cmocka_unit_test(cut_anywhere),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
