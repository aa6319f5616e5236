/* The nodes of a snapshot, under every name that a benchmark may print. */
#include <string.h>

#include "collectors/fleet.h"

/* A GPU at work, near enough: a kernel runs most of the time. */
#define BUSY_UTIL_PCT 50

static bool is_busy(const struct node *n)
{
	const struct gpu_reading *r = reading_gpu(n->section[SECTION_GPU]);

	for (size_t i = 0; r && i < r->gpu_n; i++)
		if (opt_has(r->gpu[i].util_pct) && r->gpu[i].util_pct.v >= BUSY_UTIL_PCT)
			return true;
	return false;
}

/* Copies text into *to unless it is there already: snapshots come every second. */
static void keep(struct fleet *f, const char **to, const char *text)
{
	if (!text || (*to && strcmp(*to, text) == 0))
		return;
	const char *s = fleet_str(f, span_of(text));

	if (s)
		*to = s;
}

static void alias(struct fleet *f, size_t i, const char *name)
{
	if (name)
		fleet_alias(f, i, span_of(name));
}

static size_t place_of(struct fleet *f, const struct node *n, const struct host_reading *host)
{
	const char *known[] = {n->name, n->id, n->address,
		host && opt_has(host->instance_id) ? host->instance_id.v : NULL,
		host && opt_has(host->hostname) ? host->hostname.v : NULL};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		size_t at = known[i] ? fleet_find(f, span_of(known[i])) : FLEET_NONE;

		if (at != FLEET_NONE)
			return at;
	}
	return fleet_find_or_add(f, span_of(n->name ? n->name : n->id));
}

static void add_node(struct fleet *f, const struct node *n)
{
	const struct host_reading *host = reading_host(n->section[SECTION_HOST]);
	size_t i = place_of(f, n, host);

	if (i == FLEET_NONE)
		return;
	struct fleet_node *node = &f->nodes[i];

	keep(f, &node->name, n->name);
	keep(f, &node->id, n->id);
	keep(f, &node->az, n->placement.az);
	keep(f, &node->spine, n->placement.spine);
	keep(f, &node->leaf, n->placement.leaf);
	keep(f, &node->ultraserver, n->placement.ultraserver);
	keep(f, &node->instance_type, node_instance_type(n));
	node->busy = is_busy(n);
	alias(f, i, n->name);
	alias(f, i, n->id);
	alias(f, i, n->address);
	if (!host)
		return;
	if (opt_has(host->instance_id)) {
		keep(f, &node->instance_id, host->instance_id.v);
		alias(f, i, host->instance_id.v);
	}
	if (opt_has(host->hostname))
		alias(f, i, host->hostname.v);
	if (!node->az && (opt_has(host->az_id) || opt_has(host->az)))
		keep(f, &node->az, opt_has(host->az_id) ? host->az_id.v : host->az.v);
}

void fleet_add_snapshot(struct fleet *f, const struct snapshot *snap)
{
	for (size_t i = 0; i < snap->n; i++)
		add_node(f, &snap->nodes[i]);
}
