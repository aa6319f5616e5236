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

static bool sees_gpu(const struct node *n)
{
	const struct gpu_reading *g = reading_gpu(n->section[SECTION_GPU]);
	const struct nvlink_reading *l = reading_nvlink(n->section[SECTION_NVLINK]);
	const struct gpu_topo_reading *t = reading_gpu_topo(n->section[SECTION_GPU_TOPO]);
	const struct xid_reading *x = reading_xid(n->section[SECTION_XID]);
	const struct fabricmanager_reading *f =
		reading_fabricmanager(n->section[SECTION_FABRICMANAGER]);

	return (g && (g->gpu_n || opt_has(g->error) || opt_has(g->bad_field))) || (l && l->gpu_n) ||
	       (t && t->gpu_n) || (x && (x->xid_n || opt_has(x->off_bus))) || (f && f->gpu_n);
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

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a;
	double y = *(const double *)b;

	return (x > y) - (x < y);
}

struct clock_list {
	const char *product;
	double *mhz;
	size_t n;
	size_t cap;
};

static void add_clock(struct clock_list *lists, size_t *n, const struct gpu_row *g)
{
	size_t i = 0;

	while (i < *n && strcmp(lists[i].product, g->name.v) != 0)
		i++;
	if (i == CLOCK_MEDIANS_MAX)
		return;
	if (i == *n)
		lists[(*n)++].product = g->name.v;
	struct clock_list *l = &lists[i];

	xgrow((void **)&l->mhz, &l->cap, l->n, sizeof(*l->mhz));
	l->mhz[l->n++] = (double)g->sm_mhz.v;
}

void fleet_facts_get(struct fleet_facts *f, const struct snapshot *snap)
{
	struct clock_list lists[CLOCK_MEDIANS_MAX] = {{NULL, NULL, 0, 0}};
	size_t n = 0;

	memset(f, 0, sizeof(*f));
	for (size_t i = 0; i < snap->n; i++) {
		const struct gpu_reading *r = reading_gpu(snap->nodes[i].section[SECTION_GPU]);

		for (size_t g = 0; r && g < r->gpu_n; g++)
			if (gpu_is_loaded(&r->gpu[g]) && opt_has(r->gpu[g].name) &&
				opt_has(r->gpu[g].sm_mhz))
				add_clock(lists, &n, &r->gpu[g]);
	}
	for (size_t i = 0; i < n; i++) {
		qsort(lists[i].mhz, lists[i].n, sizeof(double), by_value);
		f->clocks[i] = (struct clock_median){
			lists[i].product, lists[i].mhz[lists[i].n / 2], lists[i].n};
		free(lists[i].mhz);
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
