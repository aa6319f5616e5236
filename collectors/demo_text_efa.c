/* What /sys says of a simulated node's EFA devices, in the form of `grep . -r`. */
#include "collectors/demo_sim.h"

#include <stddef.h>
#include <string.h>

#define IB "/sys/class/infiniband/"

/* Devices that are there, in the order in which the shell and grep list them. */
static int listed(const struct demo_state *st, const struct demo_efa *out[DEMO_EFAS_MAX])
{
	int n = 0;

	for (int i = 0; i < st->efas; i++) {
		int at = n;

		if (st->efa[i].missing)
			continue;
		for (; at > 0 && strcmp(out[at - 1]->dev, st->efa[i].dev) > 0; at--)
			out[at] = out[at - 1];
		out[at] = &st->efa[i];
		n++;
	}
	return n;
}

static void provider_blocks(struct demo_text *t, const struct demo_efa *d)
{
	static const char *const endpoints[][3] = {
		{"rdm", "FI_EP_RDM", "FI_PROTO_EFA"},
		{"dgrm", "FI_EP_DGRAM", "FI_PROTO_EFA"},
	};

	for (size_t i = 0; i < ARRAY_LEN(endpoints); i++)
		demo_add(t,
			"provider: efa\n    fabric: efa\n    domain: %s-%s\n    version: 201.0\n"
			"    type: %s\n    protocol: %s\n",
			d->dev, endpoints[i][0], endpoints[i][1], endpoints[i][2]);
}

void demo_text_efa(struct demo_text *t)
{
	const struct demo_state *st = t->st;
	const struct demo_efa *devices[DEMO_EFAS_MAX];
	int n = listed(st, devices);

	for (int i = 0; i < n; i++) {
		const struct demo_efa *d = devices[i];

		demo_add(t, IB "%s/ports/1/state:%s\n", d->dev, d->state);
		demo_add(t, IB "%s/ports/1/phys_state:%s\n", d->dev, d->phys);
		demo_add(t, IB "%s/ports/1/rate:%d Gb/sec (%s)\n", d->dev, st->type->efa_gbps,
			st->type->efa_lanes);
		demo_add(t, IB "%s/ports/1/link_layer:Unspecified\n", d->dev);
		demo_add(t, IB "%s/device/vendor:0x1d0f\n" IB "%s/device/device:0xefa2\n", d->dev,
			d->dev);
		demo_add(t, IB "%s/device/numa_node:%d\n", d->dev, d->numa);
		demo_add(t, IB "%s/device -> %s\n" IB "%s/device/driver -> efa\n", d->dev, d->bus,
			d->dev);
	}
	demo_add(t, "#@ pci_efa %d\n#@ fi_info\n", n);
	for (int i = 0; i < n; i++)
		provider_blocks(t, devices[i]);
	demo_add(t, "#@ fi_info exit 0\n");
}

/*
 * Counters of one port: bytes or packets a second while training and while a
 * checkpoint is written. Sum of tx over 32 devices: about 42 GB/s.
 */
static const struct {
	const char *name;
	double rate;
	double ckpt_rate;
} rates[] = {
	{"tx_bytes", 1.31e9, 4e6},
	{"rx_bytes", 1.31e9, 4e6},
	{"tx_pkts", 158000, 600},
	{"rx_pkts", 158000, 600},
	{"send_bytes", 1.2e6, 9000},
	{"recv_bytes", 1.2e6, 9000},
	{"send_wrs", 2400, 20},
	{"recv_wrs", 2400, 20},
	{"rdma_read_wrs", 900, 2},
	{"rdma_read_bytes", 2.1e7, 1e5},
	{"rdma_read_resp_bytes", 2.1e7, 1e5},
	{"rdma_write_wrs", 5200, 10},
	{"rdma_write_bytes", 1.28e9, 3e6},
	{"rdma_write_recv_bytes", 1.28e9, 3e6},
	{"rdma_read_wr_err", 0, 0},
	{"rdma_write_wr_err", 0, 0},
	{"impaired_remote_conn_events", 0, 0},
};

static void counters_of(struct demo_text *t, const struct demo_efa *d)
{
	uint64_t salt = 0x3000 + (uint64_t)(d - t->st->efa);
	const struct {
		const char *name;
		uint64_t v;
	} events[] = {
		{"rx_drops", d->drops},
		{"retrans_bytes", d->retrans_pkts * 8192},
		{"retrans_pkts", d->retrans_pkts},
		{"retrans_timeout_events", d->retrans_timeouts},
		{"unresponsive_remote_events", d->unresponsive},
	};

	for (size_t k = 0; k < ARRAY_LEN(rates); k++)
		demo_add(t, IB "%s/ports/1/hw_counters/%s:%llu\n", d->dev, rates[k].name,
			(unsigned long long)demo_grown(t->st, d->train_ms, d->ckpt_ms,
				rates[k].rate, rates[k].ckpt_rate, salt));
	for (size_t k = 0; k < ARRAY_LEN(events); k++)
		demo_add(t, IB "%s/ports/1/hw_counters/%s:%llu\n", d->dev, events[k].name,
			(unsigned long long)events[k].v);
	demo_add(t, IB "%s/ports/1/hw_counters/lifespan:12\n", d->dev);
	demo_add(t, IB "%s/hw_counters/keep_alive_rcvd:%llu\n", d->dev,
		(unsigned long long)((d->train_ms + d->ckpt_ms) / 1000));
}

void demo_text_efa_counters(struct demo_text *t)
{
	const struct demo_efa *devices[DEMO_EFAS_MAX];
	int n = listed(t->st, devices);

	for (int i = 0; i < n; i++)
		counters_of(t, devices[i]);
}
