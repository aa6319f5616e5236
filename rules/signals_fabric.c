/* Derived signals of NVLink, its fabric and the kernel log. */
#include "rules/signals.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "rules/xid.h"

/* A line older than this is history: worth knowing, not worth a page. */
#define XID_RECENT_S (24 * 3600.0)

static struct sample *last(const struct signal_ctx *c)
{
	return &c->out->items[c->out->n - 1];
}

static bool says(struct opt_str s, const char *word)
{
	return opt_has(s) && (s.v[0] | 0x20) == (word[0] | 0x20) && strcasecmp(s.v, word) == 0;
}

/*
 * Boards whose links go to a bridge that need not be fitted: inactive links are
 * by design there (H100 NVL uses 12 of 18).
 */
static bool is_bridge_board(struct opt_str name)
{
	static const char *const marks[] = {"PCIe", "PCIE", " NVL", "RTX", "GeForce", "Quadro",
		"GH200", "A10", "A30", "A40", "A16", "A2 ", "L4", "L40", "T4", "P4"};

	if (!opt_has(name))
		return false;
	if (strstr(name.v, "SXM") || strstr(name.v, "A100"))
		return strstr(name.v, "PCI") != NULL;
	for (size_t i = 0; i < ARRAY_LEN(marks); i++)
		if (strstr(name.v, marks[i]))
			return true;
	return false;
}

static uint64_t most_active(const struct nvlink_reading *r)
{
	uint64_t most = 0;

	for (size_t i = 0; i < r->gpu_n; i++)
		if (opt_has(r->gpu[i].active) && r->gpu[i].active.v > most)
			most = r->gpu[i].active.v;
	return most;
}

static bool is_true(struct opt_bool b)
{
	return opt_has(b) && b.v;
}

static bool is_false(struct opt_bool b)
{
	return opt_has(b) && !b.v;
}

/*
 * Links of one GPU that should be up and are not. The type tells how many there
 * are; failing that, the other GPUs of the node do.
 */
static struct opt_u64 links_down(
	const struct instance_type *t, uint64_t siblings, const struct nvlink_row *g, bool whole)
{

	if (is_true(g->mig) || is_false(g->supported) || (t && t->nvlinks == 0))
		return (struct opt_u64){OPT_UNSUPPORTED, 0};
	if (is_true(g->all_inactive)) {
		if (siblings)
			return opt_u64(siblings);
		if (t)
			return opt_u64(t->nvlinks);
		if (is_bridge_board(g->name))
			return (struct opt_u64){OPT_UNSUPPORTED, 0};
		return opt_u64(opt_has(g->links) && g->links.v ? g->links.v : 1);
	}
	if (!opt_has(g->active))
		return (struct opt_u64){g->active.state, 0};
	uint64_t down = opt_has(g->inactive) ? g->inactive.v : 0;

	if (down == 0 && g->active.v == siblings && (!t || g->active.v >= t->nvlinks))
		return opt_u64(0);
	if (!t && is_bridge_board(g->name))
		return opt_u64(siblings > g->active.v ? siblings - g->active.v : 0);
	if (t && whole && g->active.v + down < t->nvlinks)
		down = t->nvlinks - g->active.v;
	return opt_u64(down);
}

static void links_by_topo(const struct signal_ctx *c)
{
	const struct section *s = c->node->section[SECTION_GPU_TOPO];
	const struct gpu_topo_reading *r = reading_gpu_topo(s);
	bool joined = false;

	for (size_t i = 0; r && i < r->gpu_n; i++)
		joined = joined || (opt_has(r->gpu[i].nv_peers) && r->gpu[i].nv_peers.v);
	for (size_t i = 0; joined && i < r->gpu_n; i++) {
		const struct gpu_topo_row *g = &r->gpu[i];

		if (!opt_has(g->nv_peers))
			continue;
		sample_u64(c, s, opt_u64(g->nv_peers.v == 0));
		last(c)->index = opt_has(g->index) ? g->index.v : i;
		last(c)->detail = "no NVLink path to any other GPU of the node";
	}
}

static void links_by_log(const struct signal_ctx *c)
{
	const struct section *s = c->node->section[SECTION_XID];
	const struct xid_reading *r = reading_xid(s);

	for (size_t i = 0; r && i < r->xid_n; i++) {
		const struct xid_row *x = &r->xid[i];

		if (!xid_means_nvlink_down(x))
			continue;
		sample_u64(c, s, opt_u64(1));
		last(c)->name = opt_has(x->bdf) ? x->bdf.v : "not named";
		last(c)->detail =
			opt_has(x->text) ? x->text.v : "the kernel log reports a link error";
		last(c)->minor = opt_has(x->age_s) && x->age_s.v > XID_RECENT_S;
	}
}

void signal_nvlink_down(const struct signal_ctx *c)
{
	const struct section *s = c->node->section[SECTION_NVLINK];
	const struct nvlink_reading *r = reading_nvlink(s);
	uint64_t siblings = r ? most_active(r) : 0;

	for (size_t i = 0; r && i < r->gpu_n; i++) {
		const struct nvlink_row *g = &r->gpu[i];

		sample_u64(c, s, links_down(c->facts->type, siblings, g, s->status == SECTION_OK));
		last(c)->index = opt_has(g->index) ? g->index.v : i;
		last(c)->row = g;
	}
	if (!r || r->gpu_n == 0)
		links_by_topo(c);
	links_by_log(c);
	if (c->out->n == 0 && c->facts->type && c->facts->type->nvlinks)
		sample_u64(c, s, (struct opt_u64){OPT_UNKNOWN, 0});
}

void describe_nvlink(const struct sample *s, char *out, size_t size)
{
	const struct nvlink_row *g = s->row;
	unsigned long long n = (unsigned long long)s->value.u64;

	if (!g && s->key)
		snprintf(out, size, "NVLink error in the kernel log (Xid %llu)",
			(unsigned long long)s->key);
	else if (!g)
		snprintf(out, size, "%s", s->detail ? s->detail : "NVLink is down");
	else if (is_true(g->all_inactive))
		snprintf(out, size, "all NVLinks inactive");
	else if (opt_has(g->inactive_links) && g->inactive_links.v[0])
		snprintf(out, size, "NVLink %.40s inactive", g->inactive_links.v);
	else
		snprintf(out, size, "%llu NVLink%s missing", n, n == 1 ? "" : "s");
}

void signal_nvlink_errors(const struct signal_ctx *c)
{
	const struct section *s = c->node->section[SECTION_NVLINK];
	const struct nvlink_reading *r = reading_nvlink(s);

	for (size_t i = 0; i < r->gpu_n; i++) {
		const struct nvlink_row *g = &r->gpu[i];
		struct opt_u64 v = g->hard_errors;

		/* Up to NVLink 4 these three are all the counters there are. */
		if (opt_has(g->replay) || opt_has(g->recovery) || opt_has(g->crc)) {
			uint64_t sum = (opt_has(g->replay) ? g->replay.v : 0) +
				       (opt_has(g->recovery) ? g->recovery.v : 0) +
				       (opt_has(g->crc) ? g->crc.v : 0);

			if (!opt_has(v) || sum > v.v)
				v = opt_u64(sum);
		}
		if (!opt_has(v) && (is_true(g->mig) || is_false(g->supported)))
			v.state = OPT_UNSUPPORTED;
		sample_u64(c, s, v);
		last(c)->index = opt_has(g->index) ? g->index.v : i;
		last(c)->detail =
			is_true(g->saturated) ? "a counter stands at its 16-bit end" : NULL;
	}
}

static void xid_sample(
	const struct signal_ctx *c, const struct xid_row *x, uint64_t code, bool minor)
{
	const struct section *s = c->node->section[SECTION_XID];

	sample_u64(c, s, opt_u64(code));
	last(c)->key = code;
	last(c)->index = UINT64_MAX;
	if (opt_has(x->bdf))
		sample_name_gpu(c, x->bdf.v);
	last(c)->row = x;
	last(c)->detail = opt_has(x->text) ? x->text.v : NULL;
	last(c)->minor = minor || (opt_has(x->age_s) && x->age_s.v > XID_RECENT_S);
}

/* A log that could not be read is not a clean one. */
static void xid_nothing(const struct signal_ctx *c)
{
	const struct section *s = c->node->section[SECTION_XID];
	const struct xid_reading *r = reading_xid(s);
	bool read = s->status == SECTION_OK || s->status == SECTION_PARTIAL;

	if (c->out->n)
		return;
	if (is_false(r->readable) || !read)
		sample_u64(c, s, (struct opt_u64){OPT_UNKNOWN, 0});
	else
		sample_u64(c, s, opt_u64(0));
}

static bool goes_by_severity(const struct xid_row *x)
{
	return xid_find(x->code.v)->class == XID_BY_SEVERITY && is_true(x->fatal);
}

void signal_xid(const struct signal_ctx *c)
{
	const struct xid_reading *r = reading_xid(c->node->section[SECTION_XID]);

	for (size_t i = 0; i < r->xid_n; i++) {
		const struct xid_row *x = &r->xid[i];

		if (!opt_has(x->code) || goes_by_severity(x))
			continue;
		xid_sample(c, x, x->code.v, !xid_is_hardware(x));
		if (opt_has(x->caused_by))
			xid_sample(c, x, x->caused_by.v,
				xid_find(x->caused_by.v)->class != XID_HARDWARE);
	}
	xid_nothing(c);
}

void signal_xid_fatal(const struct signal_ctx *c)
{
	const struct xid_reading *r = reading_xid(c->node->section[SECTION_XID]);

	for (size_t i = 0; i < r->xid_n; i++)
		if (opt_has(r->xid[i].code) && goes_by_severity(&r->xid[i]))
			xid_sample(c, &r->xid[i], r->xid[i].code.v, false);
	xid_nothing(c);
}

static void format_age(double s, char *out, size_t size)
{
	if (s < 120)
		snprintf(out, size, "%.0f s ago", s);
	else if (s < 2 * 3600)
		snprintf(out, size, "%.0f min ago", s / 60);
	else if (s < 2 * 86400)
		snprintf(out, size, "%.0f h ago", s / 3600);
	else
		snprintf(out, size, "%.0f days ago", s / 86400);
}

void describe_xid(const struct sample *s, char *out, size_t size)
{
	const struct xid_row *x = s->row;
	char age[40] = "age not known";

	if (x && opt_has(x->age_s) && x->age_s.v >= 0)
		format_age(x->age_s.v, age, sizeof(age));
	snprintf(out, size, "%s, %s", xid_find(s->value.u64)->name, age);
}

void signal_sxid_fatal(const struct signal_ctx *c)
{
	const struct section *s = c->node->section[SECTION_XID];
	const struct xid_reading *r = reading_xid(s);

	for (size_t i = 0; i < r->sxid_n; i++) {
		const struct xid_sxid *x = &r->sxid[i];

		if (!is_true(x->fatal) || !opt_has(x->code))
			continue;
		sample_u64(c, s, opt_u64(x->code.v));
		last(c)->key = x->code.v;
		last(c)->index = UINT64_MAX;
		last(c)->name = opt_has(x->bdf) ? x->bdf.v : NULL;
		last(c)->detail = opt_has(x->text) ? x->text.v : NULL;
		last(c)->minor = opt_has(x->age_s) && x->age_s.v > XID_RECENT_S;
	}
	xid_nothing(c);
}

enum fabric { FABRIC_UNKNOWN, FABRIC_NONE, FABRIC_GOOD, FABRIC_WAITING, FABRIC_BAD };

static enum fabric fabric_of(struct opt_str state, struct opt_str status)
{
	if (state.state == OPT_UNSUPPORTED || says(state, "N/A") || says(state, "Not Supported"))
		return FABRIC_NONE;
	if (!opt_has(state))
		return FABRIC_UNKNOWN;
	if (!says(state, "Completed"))
		return FABRIC_WAITING;
	if (opt_has(status) && !says(status, "Success") && !says(status, "N/A"))
		return FABRIC_BAD;
	return FABRIC_GOOD;
}

/* Every GPU that tells has joined its NVLink fabric: then the manager did its work. */
static bool fabric_is_up(const struct node *n)
{
	const struct fabricmanager_reading *f =
		reading_fabricmanager(n->section[SECTION_FABRICMANAGER]);
	const struct gpu_reading *g = reading_gpu(n->section[SECTION_GPU]);
	size_t good = 0;
	size_t other = 0;

	for (size_t i = 0; f && i < f->gpu_n; i++)
		*(fabric_of(f->gpu[i].state, f->gpu[i].status) == FABRIC_GOOD ? &good : &other) +=
			1;
	for (size_t i = 0; good + other == 0 && g && i < g->gpu_n; i++)
		*(fabric_of(g->gpu[i].fabric_state, g->gpu[i].fabric_status) == FABRIC_GOOD
				? &good
				: &other) += 1;
	return good && !other;
}

void signal_fm_inactive(const struct signal_ctx *c)
{
	const struct section *s = c->node->section[SECTION_FABRICMANAGER];
	const struct fabricmanager_reading *r = reading_fabricmanager(s);
	const struct instance_type *t = c->facts->type;
	struct opt_str v = r->state;

	if (t && !t->nvswitch && !t->nvl72)
		v.state = OPT_UNSUPPORTED;
	sample_str(c, s, v);
	last(c)->minor = !t || fabric_is_up(c->node);
	last(c)->detail = fabric_is_up(c->node) ? "yet every GPU has joined its NVLink fabric"
			  : !t ? "the instance type is not known; only NVSwitch machines need it"
			       : NULL;
}

static void fabric_sample(const struct signal_ctx *c, const struct section *s, size_t i,
	enum fabric f, const char *detail)
{
	struct opt_bool v = {OPT_OK, f == FABRIC_BAD || f == FABRIC_WAITING};

	if (f == FABRIC_UNKNOWN || f == FABRIC_NONE)
		v.state = OPT_UNSUPPORTED; /* older drivers have no such column */
	sample_flag(c, s, v);
	last(c)->index = i;
	last(c)->detail = detail;
	last(c)->minor = f == FABRIC_WAITING && !c->facts->type;
}

static const char *fabric_words(const struct fabricmanager_row *g, bool zero_is_bad)
{
	if (says(g->summary, "Unhealthy"))
		return "health summary: Unhealthy";
	if (is_true(g->route_unhealthy))
		return "a route is unhealthy";
	if (zero_is_bad && is_true(g->cluster_zero))
		return "no NVLink domain (the cluster UUID is zero)";
	return NULL;
}

void signal_fabric_unhealthy(const struct signal_ctx *c)
{
	const struct section *fs = c->node->section[SECTION_FABRICMANAGER];
	const struct fabricmanager_reading *f = reading_fabricmanager(fs);
	const struct section *gs = c->node->section[SECTION_GPU];
	const struct gpu_reading *g = reading_gpu(gs);
	bool nvl72 = c->facts->type && c->facts->type->nvl72;

	for (size_t i = 0; f && i < f->gpu_n; i++) {
		const struct fabricmanager_row *row = &f->gpu[i];
		enum fabric st = fabric_of(row->state, row->status);
		const char *words = st == FABRIC_GOOD ? fabric_words(row, nvl72) : NULL;

		if (words)
			st = FABRIC_BAD;
		else if (st == FABRIC_BAD)
			words = row->status.v;
		else if (st == FABRIC_WAITING)
			words = row->state.v;
		fabric_sample(c, fs, opt_has(row->index) ? row->index.v : i, st, words);
	}
	for (size_t i = 0; (!f || f->gpu_n == 0) && g && i < g->gpu_n; i++) {
		enum fabric st = fabric_of(g->gpu[i].fabric_state, g->gpu[i].fabric_status);

		fabric_sample(c, gs, opt_has(g->gpu[i].index) ? g->gpu[i].index.v : i, st,
			st == FABRIC_BAD       ? g->gpu[i].fabric_status.v
			: st == FABRIC_WAITING ? g->gpu[i].fabric_state.v
					       : NULL);
	}
}
