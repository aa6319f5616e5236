#include "rules/facts.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "collectors/xmalloc.h"

static enum has from_count(unsigned expected)
{
	return expected ? HAS_YES : HAS_NO;
}

/* The section was read and holds no device: nothing there. Never read: cannot tell. */
static enum has from_section(const struct section *s, bool seen)
{
	if (seen)
		return HAS_YES;
	if (!s || s->status == SECTION_FAILED || s->status == SECTION_TIMEOUT)
		return HAS_MAYBE;
	return HAS_NO;
}

/* nvidia-smi is there and said something: of GPUs, or why it could not. */
static bool smi_answers(const struct section *s)
{
	const struct gpu_reading *g = reading_gpu(s);

	return g && s->status != SECTION_UNAVAILABLE &&
	       (g->gpu_n || opt_has(g->error) || opt_has(g->bad_field));
}

static bool sees_gpu(const struct node *n)
{
	const struct stack_reading *st = reading_stack(n->section[SECTION_STACK]);
	const struct nvlink_reading *l = reading_nvlink(n->section[SECTION_NVLINK]);
	const struct gpu_topo_reading *t = reading_gpu_topo(n->section[SECTION_GPU_TOPO]);
	const struct xid_reading *x = reading_xid(n->section[SECTION_XID]);
	const struct fabricmanager_reading *f =
		reading_fabricmanager(n->section[SECTION_FABRICMANAGER]);

	return smi_answers(n->section[SECTION_GPU]) || (st && opt_has(st->nvidia_driver)) ||
	       (l && l->gpu_n) || (t && t->gpu_n) ||
	       (x && (x->xid_n || (opt_has(x->off_bus) && x->off_bus.v[0]))) || (f && f->gpu_n);
}

static bool sees_efa(const struct node *n)
{
	const struct efa_reading *e = reading_efa(n->section[SECTION_EFA]);
	const struct efa_counters_reading *c =
		reading_efa_counters(n->section[SECTION_EFA_COUNTERS]);

	return (e && ((opt_has(e->efa_devices) && e->efa_devices.v) ||
			     (opt_has(e->pci_efa) && e->pci_efa.v))) ||
	       (c && c->device_n);
}

static bool sees_neuron(const struct node *n)
{
	const struct neuron_reading *r = reading_neuron(n->section[SECTION_NEURON]);

	return r && (r->device_n || (opt_has(r->devices) && r->devices.v));
}

static enum has has_lustre(const struct node *n)
{
	const struct mounts_reading *m = reading_mounts(n->section[SECTION_MOUNTS]);
	const struct lustre_df_reading *l = reading_lustre_df(n->section[SECTION_LUSTRE_DF]);

	if ((l && l->target_n) || (m && opt_has(m->lustre) && m->lustre.v))
		return HAS_YES;
	return m || l ? HAS_NO : HAS_MAYBE;
}

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

void node_facts_get(struct node_facts *f, const struct node *n, const struct node_facts *prev)
{
	f->type_name = node_instance_type(n);
	if (prev && same_text(prev->type_name, f->type_name))
		f->type = prev->type;
	else
		f->type = instance_type_find(f->type_name);
	f->reached = node_reached(n);
	f->lustre = has_lustre(n);
	if (f->type) {
		f->gpu = from_count(f->type->gpus);
		f->neuron = from_count(f->type->neuron);
		f->efa = f->type->efa || sees_efa(n) ? HAS_YES : HAS_NO;
		return;
	}
	f->gpu = from_section(n->section[SECTION_GPU], sees_gpu(n));
	f->neuron = from_section(n->section[SECTION_NEURON], sees_neuron(n));
	f->efa = from_section(n->section[SECTION_EFA], sees_efa(n));
	if (f->gpu == HAS_YES)
		f->neuron = HAS_NO;
	else if (f->neuron == HAS_YES)
		f->gpu = HAS_NO;
}

bool gpu_is_loaded(const struct gpu_row *g)
{
	return opt_has(g->util_pct) && g->util_pct.v >= 90 && opt_has(g->power_w) &&
	       opt_has(g->power_limit_w) && g->power_w.v >= 0.5 * g->power_limit_w.v;
}

/* How many loaded GPUs of a product run at each clock; no GPU reaches the end. */
#define MHZ_MAX 8192

struct clock_counts {
	const char *product;
	size_t gpus;
	uint32_t at[MHZ_MAX];
};

static struct clock_counts *counts_of(struct clock_counts **all, size_t *n, const char *product)
{
	for (size_t i = 0; i < *n; i++)
		if (strcmp(all[i]->product, product) == 0)
			return all[i];
	if (*n == CLOCK_MEDIANS_MAX)
		return NULL;
	all[*n] = xcalloc(1, sizeof(*all[*n]));
	all[*n]->product = product;
	return all[(*n)++];
}

static double median_of(const struct clock_counts *c)
{
	size_t below = 0;

	for (size_t mhz = 0; mhz < MHZ_MAX; mhz++) {
		below += c->at[mhz];
		if (below > c->gpus / 2)
			return (double)mhz;
	}
	return 0;
}

void fleet_facts_get(struct fleet_facts *f, const struct snapshot *snap)
{
	struct clock_counts *all[CLOCK_MEDIANS_MAX];
	size_t n = 0;

	memset(f, 0, sizeof(*f));
	for (size_t i = 0; i < snap->n; i++) {
		const struct gpu_reading *r = reading_gpu(snap->nodes[i].section[SECTION_GPU]);

		for (size_t k = 0; r && k < r->gpu_n; k++) {
			const struct gpu_row *g = &r->gpu[k];

			if (!gpu_is_loaded(g) || !opt_has(g->name) || !opt_has(g->sm_mhz) ||
				g->sm_mhz.v >= MHZ_MAX)
				continue;
			struct clock_counts *c = counts_of(all, &n, g->name.v);

			if (!c)
				continue;
			c->at[g->sm_mhz.v]++;
			c->gpus++;
		}
	}
	for (size_t i = 0; i < n; i++) {
		f->clocks[i] =
			(struct clock_median){all[i]->product, median_of(all[i]), all[i]->gpus};
		free(all[i]);
	}
	f->clocks_n = n;
}

const struct clock_median *fleet_clock(const struct fleet_facts *f, const char *product)
{
	for (size_t i = 0; i < f->clocks_n; i++)
		if (strcmp(f->clocks[i].product, product) == 0)
			return f->clocks[i].gpus >= FACTS_PEERS_MIN ? &f->clocks[i] : NULL;
	return NULL;
}

/* "0000:53:00.0" as its domain and "53:00.0"; without a domain it is 0. */
static const char *split_domain(const char *bus, unsigned long *domain)
{
	const char *first = strchr(bus, ':');

	*domain = 0;
	if (!first || !strchr(first + 1, ':'))
		return bus;
	*domain = strtoul(bus, NULL, 16);
	return first + 1;
}

bool gpu_same_bus(const char *a, const char *b)
{
	unsigned long domain_a;
	unsigned long domain_b;

	/* The domain has four or eight digits, the function (".0") may be left out. */
	a = split_domain(a, &domain_a);
	b = split_domain(b, &domain_b);
	size_t n = strlen(a) < strlen(b) ? strlen(a) : strlen(b);

	return domain_a == domain_b && n >= 5 && strncasecmp(a, b, n) == 0;
}

const struct gpu_row *gpu_on_bus(const struct gpu_reading *r, const char *bus)
{
	for (size_t i = 0; r && i < r->gpu_n; i++)
		if (opt_has(r->gpu[i].bus) && gpu_same_bus(r->gpu[i].bus.v, bus))
			return &r->gpu[i];
	return NULL;
}
