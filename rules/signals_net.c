/* Derived signals of EFA devices and their counters, and of Neuron devices. */
#include "rules/signals.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

static struct sample *last(const struct signal_ctx *c)
{
	return &c->out->items[c->out->n - 1];
}

static bool is_efa(const struct efa_row *d)
{
	return opt_has(d->is_efa) && d->is_efa.v;
}

void signal_efa_missing(const struct signal_ctx *c)
{
	const struct section *s = c->node->section[SECTION_EFA];
	const struct efa_reading *r = reading_efa(s);
	const struct instance_type *t = c->facts->type;
	struct opt_u64 v = {OPT_UNKNOWN, 0};
	uint64_t expected = t ? t->efa : 0;

	if (opt_has(r->pci_efa) && r->pci_efa.v > expected)
		expected = r->pci_efa.v;
	/* fi_info alone: error 61 is "none found". */
	if (!opt_has(r->efa_devices) && opt_has(r->provider_errno) && r->provider_errno.v == 61 &&
		t)
		v = opt_u64(expected);
	else if (opt_has(r->efa_devices) && (t || opt_has(r->pci_efa)))
		v = opt_u64(r->efa_devices.v < expected ? expected - r->efa_devices.v : 0);
	sample_u64(c, s, v);
	last(c)->index = expected;
}

/* true, false or unknown: the port of d is up. */
static struct opt_bool port_up(const struct efa_row *d)
{
	if (opt_has(d->state_num))
		return opt_bool(d->state_num.v == 4); /* IB_PORT_ACTIVE */
	if (opt_has(d->state))
		return opt_bool(strcasecmp(d->state.v, "ACTIVE") == 0);
	return (struct opt_bool){d->state.state, false};
}

static void ports(const struct signal_ctx *c, bool efa)
{
	const struct section *s = c->node->section[SECTION_EFA];
	const struct efa_reading *r = reading_efa(s);

	for (size_t i = 0; i < r->device_n; i++) {
		const struct efa_row *d = &r->device[i];
		struct opt_bool up = port_up(d);

		if (is_efa(d) != efa)
			continue;
		sample_flag(c, s, (struct opt_bool){up.state, !up.v});
		last(c)->name = opt_has(d->dev) ? d->dev.v : "not named";
		last(c)->row = d;
		/* Beside EFA, other RDMA ports (p6-b200 has two) carry no NCCL traffic. */
		last(c)->minor = !efa && c->facts->efa == HAS_YES;
	}
}

void signal_efa_not_active(const struct signal_ctx *c)
{
	ports(c, true);
}

void signal_ib_not_active(const struct signal_ctx *c)
{
	ports(c, false);
}

void describe_efa_row(const struct sample *s, char *out, size_t size)
{
	const struct efa_row *d = s->row;

	snprintf(out, size, "%s", opt_has(d->state) ? d->state.v : "down");
}

void signal_efa_carrier(const struct signal_ctx *c)
{
	const struct section *s = c->node->section[SECTION_EFA];
	const struct efa_reading *r = reading_efa(s);

	for (size_t i = 0; i < r->device_n; i++) {
		const struct efa_row *d = &r->device[i];
		struct opt_bool v = {OPT_UNSUPPORTED, false}; /* EFA-only: no network interface */

		if (!is_efa(d))
			continue;
		if (opt_has(d->carrier))
			v = opt_bool(!d->carrier.v);
		sample_flag(c, s, v);
		last(c)->name = opt_has(d->dev) ? d->dev.v : "not named";
		last(c)->detail = opt_has(d->netdev) ? d->netdev.v : NULL;
	}
}

void signal_efa_provider(const struct signal_ctx *c)
{
	const struct section *s = c->node->section[SECTION_EFA];
	const struct efa_reading *r = reading_efa(s);
	bool devices = opt_has(r->efa_devices) && r->efa_devices.v;
	struct opt_bool v = {r->provider_ok.state, opt_has(r->provider_ok) && !r->provider_ok.v};

	if (!devices || v.state == OPT_UNKNOWN) /* no device, or no fi_info to ask */
		v.state = OPT_UNSUPPORTED;
	sample_flag(c, s, v);
	last(c)->detail = opt_has(r->error) ? r->error.v : NULL;
}

static struct opt_u64 counter(const void *base, size_t offset)
{
	struct opt_u64 v;

	memcpy(&v, (const char *)base + offset, sizeof(v));
	return v;
}

static struct opt_u64 growth(struct opt_u64 before, struct opt_u64 now)
{
	if (now.state == OPT_UNSUPPORTED)
		return now;
	if (!opt_has(before) || !opt_has(now) || now.v < before.v)
		return (struct opt_u64){OPT_UNKNOWN, 0};
	return opt_u64(now.v - before.v);
}

static const struct efa_counters_row *row_of(
	const struct efa_counters_reading *r, const struct efa_counters_row *d, size_t i)
{
	if (!opt_has(d->dev))
		return NULL;
	if (i < r->device_n && opt_has(r->device[i].dev) &&
		strcmp(r->device[i].dev.v, d->dev.v) == 0)
		return &r->device[i];
	for (size_t j = 0; j < r->device_n; j++)
		if (opt_has(r->device[j].dev) && strcmp(r->device[j].dev.v, d->dev.v) == 0)
			return &r->device[j];
	return NULL;
}

/*
 * Growth of a counter: one sample for the whole node while the sum over its
 * devices stands still, else one a device, so that the device can be named.
 * total and each: offsets of the counter in the section and in a device's row.
 */
static void counter_growth(const struct signal_ctx *c, size_t total, size_t each)
{
	const struct section *s = c->node->section[SECTION_EFA_COUNTERS];
	const struct section *p = c->node->prev[SECTION_EFA_COUNTERS];
	const struct efa_counters_reading *now = reading_efa_counters(s);
	const struct efa_counters_reading *before = reading_efa_counters(p);

	if (!before || p->meta.mono_ms == s->meta.mono_ms) {
		sample_u64(
			c, s, (struct opt_u64){OPT_UNSUPPORTED, 0}); /* one answer: no growth yet */
		return;
	}
	struct opt_u64 sum = growth(counter(before, total), counter(now, total));

	if (opt_has(sum) && sum.v == 0) {
		sample_u64(c, s, sum);
		return;
	}
	for (size_t i = 0; i < now->device_n; i++) {
		const struct efa_counters_row *d = &now->device[i];
		const struct efa_counters_row *b = row_of(before, d, i);
		struct opt_u64 v = counter(d, each);

		if (!opt_has(v))
			v.state = OPT_UNSUPPORTED; /* older drivers have fewer counters */
		else
			v = b ? growth(counter(b, each), v) : (struct opt_u64){OPT_UNKNOWN, 0};
		sample_u64(c, s, v);
		last(c)->name = opt_has(d->dev) ? d->dev.v : "not named";
	}
}

#define COUNTER_GROWTH(c, name)                                        \
	counter_growth(c, offsetof(struct efa_counters_reading, name), \
		offsetof(struct efa_counters_row, name))

void signal_efa_rx_drops(const struct signal_ctx *c)
{
	COUNTER_GROWTH(c, rx_drops);
}

void signal_efa_wr_err(const struct signal_ctx *c)
{
	COUNTER_GROWTH(c, rdma_read_wr_err);
	size_t reads = c->out->n;

	COUNTER_GROWTH(c, rdma_write_wr_err);
	for (size_t i = 0; i < c->out->n; i++)
		c->out->items[i].detail = i < reads ? "RDMA reads" : "RDMA writes";
}

void signal_efa_unresponsive(const struct signal_ctx *c)
{
	COUNTER_GROWTH(c, unresponsive_remote_events);
}

void signal_efa_impaired(const struct signal_ctx *c)
{
	COUNTER_GROWTH(c, impaired_remote_conn_events);
}

void signal_efa_retrans_pkts(const struct signal_ctx *c)
{
	COUNTER_GROWTH(c, retrans_pkts);
}

void signal_efa_retrans_bytes(const struct signal_ctx *c)
{
	COUNTER_GROWTH(c, retrans_bytes);
}

/* One a second is tolerated: what comes on top is compared with the burst. */
void signal_efa_retrans_timeouts(const struct signal_ctx *c)
{
	const struct node *n = c->node;
	const struct section *p = n->prev[SECTION_EFA_COUNTERS];

	COUNTER_GROWTH(c, retrans_timeout_events);
	if (!p)
		return;
	int64_t ms = n->section[SECTION_EFA_COUNTERS]->meta.mono_ms - p->meta.mono_ms;

	for (size_t i = 0; i < c->out->n; i++) {
		struct value *v = &c->out->items[i].value;
		double excess = (double)v->u64 - (double)ms / 1000.0;

		*v = (struct value){.state = v->state, .type = FIELD_F64};
		v->f64 = excess > 0 ? excess : 0;
	}
}

/* Totals say little once growth is known: they are for a first look only. */
static bool has_growth(const struct signal_ctx *c)
{
	const struct section *s = c->node->section[SECTION_EFA_COUNTERS];
	const struct section *p = c->node->prev[SECTION_EFA_COUNTERS];

	return p && p->meta.mono_ms != s->meta.mono_ms;
}

void signal_efa_drops_boot(const struct signal_ctx *c)
{
	const struct section *s = c->node->section[SECTION_EFA_COUNTERS];
	const struct efa_counters_reading *r = reading_efa_counters(s);

	for (size_t i = 0; !has_growth(c) && i < r->device_n; i++) {
		sample_u64(c, s, r->device[i].rx_drops);
		last(c)->name = opt_has(r->device[i].dev) ? r->device[i].dev.v : "not named";
	}
}

void signal_efa_retrans_boot(const struct signal_ctx *c)
{
	const struct section *s = c->node->section[SECTION_EFA_COUNTERS];
	const struct efa_counters_reading *r = reading_efa_counters(s);

	for (size_t i = 0; !has_growth(c) && i < r->device_n; i++) {
		const struct efa_counters_row *d = &r->device[i];
		struct opt_u64 v = {OPT_UNSUPPORTED, 0};

		if (opt_has(d->retrans_pkts) || opt_has(d->retrans_timeout_events))
			v = opt_u64(
				(opt_has(d->retrans_pkts) ? d->retrans_pkts.v : 0) +
				(opt_has(d->retrans_timeout_events) ? d->retrans_timeout_events.v
								    : 0));
		sample_u64(c, s, v);
		last(c)->name = opt_has(d->dev) ? d->dev.v : "not named";
	}
}

void signal_neuron_missing(const struct signal_ctx *c)
{
	const struct section *s = c->node->section[SECTION_NEURON];
	const struct neuron_reading *r = reading_neuron(s);
	struct opt_u64 v = {OPT_UNKNOWN, 0};
	bool cut = opt_has(r->complete) && !r->complete.v;

	if (c->facts->type && c->facts->type->neuron && opt_has(r->devices) && !cut) {
		uint64_t expected = c->facts->type->neuron;

		v = opt_u64(r->devices.v < expected ? expected - r->devices.v : 0);
	}
	sample_u64(c, s, v);
	last(c)->index = c->facts->type ? c->facts->type->neuron : 0;
}
