/* Where a plan's nodes come from. */
#include "tui/plan_add.h"

#include <stdio.h>
#include <stdlib.h>

#include "collectors/hostlist.h"
#include "collectors/text.h"
#include "collectors/xmalloc.h"
#include "tui/collect_once.h"

/* ---- lists ---- */

static void expand_one(void *ctx, const char *name)
{
	plan_names_add(ctx, xstrdup(name));
}

enum err_code plan_expand(
	const char *option, const char *list, struct plan_names *out, struct err *e)
{
	enum err_code rc = hostlist_expand(list, SWEEP_NODES_MAX, expand_one, out, e);

	if (rc)
		err_prefix(e, "%s", option);
	return rc;
}

void plan_expand_release(struct plan_names *names)
{
	for (size_t i = 0; i < names->n; i++)
		free((char *)names->v[i]);
	free(names->v);
	*names = (struct plan_names){NULL, 0, 0};
}

/* ---- where nodes come from ---- */

static enum err_code add_named(struct plan_nodes *p, const struct plan_names *names, struct err *e)
{
	for (size_t i = 0; i < names->n; i++)
		if (fleet_find_or_add(p->fleet, span_of(names->v[i])) == FLEET_NONE)
			return err_set(e, ERR_USAGE,
				"more than %d nodes (plan fewer at once, such as one spine)",
				FLEET_NODES_MAX);
	return ERR_OK;
}

/* "64": so many nodes without names. */
static enum err_code add_counted(struct plan_nodes *p, uint64_t count, struct err *e)
{
	char name[32];

	if (count < 2 || count > SWEEP_NODES_MAX)
		return err_set(e, ERR_USAGE, "--nodes %llu: from 2 to %d can be planned",
			(unsigned long long)count, SWEEP_NODES_MAX);
	for (uint64_t i = 1; i <= count; i++) {
		snprintf(name, sizeof(name), "node-%llu", (unsigned long long)i);
		fleet_find_or_add(p->fleet, span_of(name));
	}
	p->placeholders = true;
	return ERR_OK;
}

static enum err_code add_listed(struct plan_nodes *p, const char *nodes, struct err *e)
{
	struct plan_names names = {NULL, 0, 0};
	uint64_t count = 0;
	enum err_code rc;

	if (span_u64(span_of(nodes), &count))
		return add_counted(p, count, e);
	rc = plan_expand("--nodes", nodes, &names, e);
	if (rc == ERR_OK)
		rc = add_named(p, &names, e);
	plan_expand_release(&names);
	return rc;
}

/* The source, asked once for what a plan needs to know. */
static enum err_code read_source(
	struct cli *c, const char *nodes, struct snapshot **out, struct err *e)
{
	struct collector_options opt;
	struct collect_once got;
	struct source *src = NULL;
	enum err_code rc;

	if (c->source == CLI_EXEC && nodes)
		c->nodes = nodes;
	rc = cli_source_new(c, &src, e);
	if (rc == ERR_OK && nodes && c->source != CLI_EXEC)
		rc = cli_source_limit(src, &nodes, 1, e);
	if (rc) {
		source_free(src);
		return rc;
	}
	cli_collector_options(c, &opt);
	opt.sections = 1u << SECTION_HOST | 1u << SECTION_GPU | 1u << SECTION_NEURON;
	opt.sample_gap_ms = -1;
	rc = collect_once(&got, src, &opt, NULL, NULL, e);
	if (rc == ERR_OK && got.interrupted) {
		snapshot_free(got.snap);
		return err_set(e, ERR_USAGE,
			"interrupted before all nodes had answered (a plan of part of them "
			"would not say so)");
	}
	*out = rc ? NULL : got.snap;
	return rc;
}

static bool wants_source(const struct cli *c, const struct plan_wish *w)
{
	/* One that only the configuration names must not be read when nodes are told. */
	if (c->source == CLI_NO_SOURCE)
		return false;
	return c->source_layer == CLI_OPTION || (!w->nodes && !w->from && !w->placement);
}

static enum err_code add_source(struct plan_nodes *p, const struct plan_wish *w, struct cli *c,
	struct snapshot **snap, struct err *e)
{
	enum err_code rc = collector_global_init(e);

	if (rc)
		return rc;
	rc = read_source(c, w->nodes, snap, e);
	if (rc == ERR_OK) {
		fleet_add_snapshot(p->fleet, *snap);
		p->busy_known = SWEEP_BUSY_SEEN;
	}
	collector_global_release();
	return rc;
}

enum err_code plan_add_nodes(struct plan_nodes *p, const struct plan_wish *w, struct cli *c,
	struct snapshot **snap, struct err *e)
{
	if (wants_source(c, w))
		return add_source(p, w, c, snap, e);
	if (w->nodes)
		return add_listed(p, w->nodes, e);
	if (w->from)
		return add_named(p, &w->from->nodes, e);
	if (w->placement)
		return ERR_OK; /* all that the file names */
	return err_set(e, ERR_USAGE,
		"which nodes? (add --nodes HOSTLIST, --from pairs.json, or a source such as "
		"--hosts FILE)");
}
