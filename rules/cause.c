#include "rules/cause.h"

#include <stdlib.h>
#include <string.h>

#include "collectors/compiler.h"

/*
 * From the causes that AWS's HyperPod troubleshooting text gives for uneven NCCL
 * performance (placement, degraded EFA, mixed types, CPU frequency) and NVIDIA's descriptions
 * of what PCIe width, clocks and NVLink do to NCCL's path.
 */
static const struct {
	const char *rule;
	enum cause_weight weight;
	const char *reason;
} table[] = {
	{"efa-missing", CAUSE_LIKELY, "fewer EFA devices carry its traffic"},
	{"efa-port-down", CAUSE_LIKELY, "a port that is down carries none of its traffic"},
	{"efa-carrier-down", CAUSE_LIKELY,
		"a device without a carrier carries none of its traffic"},
	{"ib-port-down", CAUSE_LIKELY, "a port that is down carries none of its traffic"},
	{"efa-provider", CAUSE_LIKELY, "NCCL falls back to TCP, many times slower"},
	{"nccl-net-socket", CAUSE_LIKELY, "NCCL fell back to TCP, many times slower"},
	{"nccl-ofi-tcp", CAUSE_LIKELY, "NCCL fell back to TCP, many times slower"},
	{"nccl-no-plugin", CAUSE_LIKELY, "without its OFI plugin NCCL cannot use EFA"},
	{"nccl-no-provider", CAUSE_LIKELY, "the OFI plugin saw no EFA device"},
	{"nccl-no-gdr", CAUSE_LIKELY, "data is staged in host memory"},
	{"drift-efa-count", CAUSE_LIKELY, "it has another number of EFA devices than its peers"},
	{"efa-unresponsive", CAUSE_LIKELY, "packets wait for remote nodes that do not answer"},
	{"efa-impaired", CAUSE_LIKELY, "the path to some nodes is impaired"},
	{"efa-retrans-timeouts", CAUSE_LIKELY, "packets are lost and sent again after a timeout"},
	{"efa-retrans-rising", CAUSE_LIKELY, "packets are lost and sent again"},
	{"efa-retrans-bytes", CAUSE_LIKELY, "packets are lost and sent again"},
	{"efa-rx-drops-rising", CAUSE_LIKELY, "what arrives is dropped and must be sent again"},
	{"efa-wr-err", CAUSE_LIKELY, "RDMA writes fail and are repeated"},
	{"pcie-width-low", CAUSE_LIKELY, "fewer PCIe lanes between GPU and network"},
	{"drift-pcie-width", CAUSE_LIKELY, "fewer PCIe lanes than its peers"},
	{"gpu-lost", CAUSE_LIKELY, "a GPU is gone, and its share of the path with it"},
	{"gpu-count-low", CAUSE_LIKELY, "a GPU is gone, and its share of the path with it"},
	{"nvlink-down", CAUSE_LIKELY, "NCCL gathers over NVLink before it sends"},
	{"fm-inactive", CAUSE_LIKELY, "NVLink's fabric is not set up"},
	{"fabric-error", CAUSE_LIKELY, "NVLink's fabric is not healthy"},
	{"gpu-throttle", CAUSE_PLAUSIBLE, "slowed GPUs copy and reduce slower"},
	{"gpu-clock-hot", CAUSE_PLAUSIBLE, "slowed GPUs copy and reduce slower"},
	{"gpu-clock-peers", CAUSE_PLAUSIBLE, "it runs at lower clocks than its peers"},
	{"gpu-temp", CAUSE_PLAUSIBLE, "heat makes GPUs slow down"},
	{"drift-gpu-power-limit", CAUSE_PLAUSIBLE, "another power limit than its peers"},
	{"drift-gpu-product", CAUSE_PLAUSIBLE, "another GPU than its peers"},
	{"group-instance-types", CAUSE_PLAUSIBLE, "another instance type has another network"},
	{"governor-slow", CAUSE_PLAUSIBLE, "slow CPU clocks slow NCCL's proxy threads"},
	{"drift-governor", CAUSE_PLAUSIBLE, "its CPUs are clocked otherwise than its peers'"},
	{"drift-ofi-nccl", CAUSE_PLAUSIBLE, "another OFI plugin tunes NCCL otherwise"},
	{"drift-nccl", CAUSE_PLAUSIBLE, "another NCCL chooses other algorithms"},
	{"drift-libfabric", CAUSE_PLAUSIBLE, "another libfabric drives EFA otherwise"},
	{"drift-efa-installer", CAUSE_PLAUSIBLE, "another EFA stack than its peers"},
	{"drift-efa-module", CAUSE_PLAUSIBLE, "another EFA driver than its peers"},
	{"efa-old", CAUSE_PLAUSIBLE, "old EFA software lacks later speed-ups"},
	{"drift-gdrdrv", CAUSE_PLAUSIBLE, "GPUDirect may be set up otherwise"},
	{"drift-peermem", CAUSE_PLAUSIBLE, "GPUDirect may be set up otherwise"},
	{"nvlink-errors-rising", CAUSE_PLAUSIBLE, "NVLink repeats what arrives broken"},
	{"xid-fatal", CAUSE_PLAUSIBLE, "a GPU reported a serious fault"},
	{"sxid-fatal", CAUSE_PLAUSIBLE, "an NVSwitch reported a serious fault"},
	{"leaf-spread", CAUSE_PLAUSIBLE, "traffic crosses more switches"},
	{"spine-spread", CAUSE_PLAUSIBLE, "traffic crosses more switches"},
	{"az-spread", CAUSE_PLAUSIBLE, "traffic crosses zones"},
	{"ultraserver-spread", CAUSE_PLAUSIBLE, "traffic leaves the UltraServer's NVLink"},
	{"xid", CAUSE_HINT, "a GPU reported something"},
	{"nvlink-errors", CAUSE_HINT, "NVLink saw errors since the driver loaded"},
	{"efa-rx-drops", CAUSE_HINT, "packets were dropped since boot"},
	{"efa-retrans", CAUSE_HINT, "packets were sent again since boot"},
	{"iowait-high", CAUSE_HINT, "its CPUs wait for disks while NCCL's threads need them"},
	{"drift-nvidia-driver", CAUSE_HINT, "another driver than its peers"},
	{"drift-cuda", CAUSE_HINT, "another CUDA than its peers"},
	{"drift-kernel", CAUSE_HINT, "another kernel than its peers"},
	{"node-unreachable", CAUSE_HINT, "it does not answer now: nothing is known of it"},
};

const char *cause_reason(const char *rule_id, enum cause_weight *weight)
{
	for (size_t i = 0; i < ARRAY_LEN(table); i++)
		if (strcmp(table[i].rule, rule_id) == 0) {
			*weight = table[i].weight;
			return table[i].reason;
		}
	return NULL;
}

size_t cause_count(void)
{
	return ARRAY_LEN(table);
}

const char *cause_weight_name(enum cause_weight w)
{
	return w == CAUSE_LIKELY ? "likely" : w == CAUSE_PLAUSIBLE ? "plausible" : "hint";
}

static bool better(const struct cause *a, const struct cause *b)
{
	if (a->weight != b->weight)
		return a->weight > b->weight;
	return a->finding->severity > b->finding->severity;
}

size_t cause_rank(const struct judgement *jm, size_t node, struct cause out[CAUSES_MAX])
{
	size_t n = 0;

	for (size_t i = 0; jm && i < jm->n; i++) {
		struct cause c = {.finding = &jm->findings[i]};
		size_t at;

		if (c.finding->severity == SEVERITY_OK || !finding_has_node(c.finding, node))
			continue;
		c.reason = cause_reason(c.finding->rule->id, &c.weight);
		if (!c.reason)
			continue;
		/* Insertion behind its equals; the last one falls off when it is full. */
		for (at = n; at > 0 && better(&c, &out[at - 1]); at--)
			if (at < CAUSES_MAX)
				out[at] = out[at - 1];
		if (at < CAUSES_MAX)
			out[at] = c;
		n += n < CAUSES_MAX;
	}
	return n;
}
