#include "rules/xid.h"

#include <string.h>

#include "collectors/compiler.h"

static const struct xid_info infos[] = {
	{13, XID_APPLICATION, "graphics engine exception"},
	{31, XID_APPLICATION, "GPU memory page fault"},
	{32, XID_APPLICATION, "corrupted push buffer"},
	{43, XID_APPLICATION, "GPU stopped processing"},
	{45, XID_APPLICATION, "clean-up after an earlier error"},
	{46, XID_HARDWARE, "GPU stopped processing (timeout)"},
	{48, XID_HARDWARE, "double-bit ECC error"},
	{54, XID_HARDWARE, "auxiliary power not connected"},
	{62, XID_HARDWARE, "power management unit halted"},
	{63, XID_HARDWARE, "memory row marked for remapping"},
	{64, XID_HARDWARE, "memory row could not be remapped"},
	{69, XID_APPLICATION, "graphics class error"},
	{74, XID_HARDWARE, "NVLink error"},
	{79, XID_HARDWARE, "GPU has fallen off the bus"},
	{92, XID_HARDWARE, "high rate of single-bit ECC errors"},
	{94, XID_HARDWARE, "contained memory error"},
	{95, XID_HARDWARE, "uncontained memory error"},
	{109, XID_HARDWARE, "context switch timeout"},
	{110, XID_HARDWARE, "security fault"},
	{119, XID_HARDWARE, "GPU firmware (GSP) does not answer"},
	{120, XID_HARDWARE, "GPU firmware (GSP) error"},
	{121, XID_HARDWARE, "chip-to-chip link error"},
	{136, XID_HARDWARE, "link training failed"},
	{137, XID_APPLICATION, "NVLink remote page fault"},
	{140, XID_HARDWARE, "unrecovered ECC error"},
	{143, XID_HARDWARE, "GPU could not be initialized"},
	{144, XID_BY_SEVERITY, "NVLink error (SAW)"},
	{145, XID_BY_SEVERITY, "NVLink error (RLW)"},
	{146, XID_BY_SEVERITY, "NVLink error (TLW)"},
	{147, XID_BY_SEVERITY, "NVLink error (TREX)"},
	{148, XID_BY_SEVERITY, "NVLink error (NVLPW_CTRL)"},
	{149, XID_BY_SEVERITY, "NVLink error (NETIR)"},
	{150, XID_BY_SEVERITY, "NVLink error (MSE)"},
	{154, XID_ACTION, "recovery action changed"},
	{155, XID_HARDWARE, "NVLink software-defined error"},
	{156, XID_HARDWARE, "memory resource retired"},
	{157, XID_HARDWARE, "memory resource could not be retired"},
	{158, XID_HARDWARE, "GPU fatal timeout"},
	{160, XID_HARDWARE, "memory channel retired"},
	{161, XID_HARDWARE, "memory channel could not be retired"},
	{171, XID_HARDWARE, "uncorrected ECC error in DRAM"},
	{172, XID_HARDWARE, "uncorrected ECC error in SRAM"},
};

const struct xid_info *xid_find(uint64_t code)
{
	static const struct xid_info other = {0, XID_OTHER, "see NVIDIA's Xid catalogue"};

	for (size_t i = 0; i < ARRAY_LEN(infos); i++)
		if (infos[i].code == code)
			return &infos[i];
	return &other;
}

static bool is_fatal(const struct xid_row *row)
{
	return opt_has(row->fatal) && row->fatal.v;
}

/* True when the line names an action and it is not "None". */
static bool wants_action(const struct xid_row *row)
{
	if (opt_has(row->action_to))
		return row->action_to.v != 0;
	return opt_has(row->action) && strcmp(row->action.v, "None") != 0;
}

bool xid_is_hardware(const struct xid_row *row)
{
	if (!opt_has(row->code))
		return false;
	switch (xid_find(row->code.v)->class) {
	case XID_HARDWARE:
		return true;
	case XID_BY_SEVERITY:
		return is_fatal(row);
	case XID_ACTION:
		return wants_action(row);
	case XID_APPLICATION:
	case XID_OTHER:
		break;
	}
	return false;
}

static bool one_of(uint64_t code, const uint16_t *codes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (codes[i] == code)
			return true;
	return false;
}

bool xid_means_off_bus(uint64_t code)
{
	return code == 79;
}

bool xid_means_uncorrected_ecc(uint64_t code)
{
	static const uint16_t codes[] = {48, 94, 95, 140, 171, 172};

	return one_of(code, codes, ARRAY_LEN(codes));
}

bool xid_means_remap_failure(uint64_t code)
{
	static const uint16_t codes[] = {64, 157, 161};

	return one_of(code, codes, ARRAY_LEN(codes));
}

bool xid_means_nvlink_down(const struct xid_row *row)
{
	if (!opt_has(row->code))
		return false;
	if (row->code.v == 74)
		return true;
	return row->code.v >= 144 && row->code.v <= 150 && is_fatal(row);
}

bool xid_means_reset(const struct xid_row *row)
{
	if (!opt_has(row->code))
		return false;
	if (row->code.v == 154)
		return wants_action(row);
	return row->code.v == 95;
}
