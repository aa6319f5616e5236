/* Derived signals of GPUs, NVLink, Xid lines and the NVLink fabric. */
#include "rules/signals.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "rules/xid.h"

/* Clock event reason bits (NVML): hardware slowdown, hardware thermal, power brake; software thermal. */
#define REASONS_HARDWARE    (UINT64_C(0x8) | UINT64_C(0x40) | UINT64_C(0x80))
#define REASON_SW_THERMAL   UINT64_C(0x20)
#define HOT_C               80
#define SLOW_SMI_DEADLINE_S 20

static bool says(struct opt_str s, const char *word)
{
	return opt_has(s) && (s.v[0] | 0x20) == (word[0] | 0x20) && strcasecmp(s.v, word) == 0;
}

static struct opt_bool flag_when(bool known, bool v)
{
	return (struct opt_bool){known ? OPT_OK : OPT_UNKNOWN, v};
}

static struct sample *last(const struct signal_ctx *c)
{
	return &c->out->items[c->out->n - 1];
}

static void gpu_flag(const struct signal_ctx *c, const struct section *s, uint64_t index, bool v)
{
	sample_flag(c, s, opt_bool(v));
	last(c)->index = index;
}

void sample_name_gpu(const struct signal_ctx *c, const char *bus)
{
	const struct gpu_row *g = gpu_on_bus(reading_gpu(c->node->section[SECTION_GPU]), bus);

	if (g && opt_has(g->index))
		last(c)->index = g->index.v;
	else
		last(c)->name = bus;
}

/* A GPU that its bus id names, with what was said of it. */
static void bus_flag(
	const struct signal_ctx *c, const struct section *s, const char *bus, const char *detail)
{
	sample_flag(c, s, opt_bool(true));
	sample_name_gpu(c, bus);
	last(c)->detail = detail;
}

static uint64_t row_index(struct opt_u64 index, size_t i)
{
	return opt_has(index) ? index.v : i;
}

static bool smi_was_read(const struct section *s)
{
	return s && (s->status == SECTION_OK || s->status == SECTION_PARTIAL);
}

void signal_slow_smi(const struct signal_ctx *c)
{
	const struct section *s = c->node->section[SECTION_GPU];
	struct opt_f64 v = {OPT_UNKNOWN, 0};

	if (s->meta.run_ms >= 0)
		v = opt_f64((double)s->meta.run_ms / 1000.0);
	else if (s->status == SECTION_TIMEOUT)
		v = opt_f64(SLOW_SMI_DEADLINE_S);
	else
		v.state = OPT_UNSUPPORTED; /* captured text carries no times */
	sample_f64(c, s, v);
}

void signal_gpu_missing(const struct signal_ctx *c)
{
	const struct section *s = c->node->section[SECTION_GPU];
	const struct gpu_reading *r = reading_gpu(s);
	struct opt_u64 v = {OPT_UNKNOWN, 0};
	bool cut = s->meta.cut || (opt_has(r->partial_rows) && r->partial_rows.v);

	if (c->facts->type && opt_has(r->gpus) && !cut) {
		uint64_t expected = c->facts->type->gpus;

		v = opt_u64(r->gpus.v < expected ? expected - r->gpus.v : 0);
	}
	sample_u64(c, s, v);
	last(c)->index = c->facts->type ? c->facts->type->gpus : 0;
}

/* index: how many there should be. */
void describe_missing(const struct sample *s, char *out, size_t size)
{
	unsigned long long expected = (unsigned long long)s->index;

	snprintf(out, size, "%llu of %llu", expected - (unsigned long long)s->value.u64, expected);
}

static bool row_is_lost(const struct gpu_row *g)
{
	return says(g->health, "lost") || (says(g->health, "error") && !opt_has(g->temp_c) &&
						  !opt_has(g->util_pct) && !opt_has(g->power_w));
}

/* nvidia-smi lists it and it answers: an older log line does not make it lost now. */
static bool answers_now(const struct signal_ctx *c, const char *bus)
{
	const struct section *s = c->node->section[SECTION_GPU];
	const struct gpu_row *g = gpu_on_bus(reading_gpu(s), bus);

	return smi_was_read(s) && g && says(g->health, "ok");
}

static void lost_by_smi(const struct signal_ctx *c)
{
	const struct section *s = c->node->section[SECTION_GPU];
	const struct gpu_reading *r = reading_gpu(s);
	bool named = false;

	for (size_t i = 0; r && i < r->gpu_n; i++) {
		bool lost = row_is_lost(&r->gpu[i]);

		named = named || lost;
		gpu_flag(c, s, row_index(r->gpu[i].index, i), lost);
		last(c)->detail = "it answers no query";
	}
	if (r && opt_has(r->failed_bus)) {
		bus_flag(c, s, r->failed_bus.v, opt_has(r->error) ? r->error.v : NULL);
		named = true;
	}
	if (r && !named && opt_has(r->lost) && r->lost.v)
		bus_flag(c, s, "not named", opt_has(r->error) ? r->error.v : NULL);
}

static void lost_by_log(const struct signal_ctx *c)
{
	const struct section *s = c->node->section[SECTION_XID];
	const struct xid_reading *r = reading_xid(s);

	if (!r)
		return;
	for (size_t i = 0; i < r->xid_n; i++) {
		const struct xid_row *x = &r->xid[i];
		const char *bus = opt_has(x->bdf) ? x->bdf.v : "not named";

		if (opt_has(x->code) && xid_means_off_bus(x->code.v) && !answers_now(c, bus))
			bus_flag(c, s, bus, opt_has(x->text) ? x->text.v : NULL);
	}
	if (opt_has(r->off_bus) && r->off_bus.v[0] && !answers_now(c, r->off_bus.v))
		bus_flag(c, s, r->off_bus.v, "the kernel log says that it has fallen off the bus");
}

void signal_gpu_lost(const struct signal_ctx *c)
{
	const struct section *fs = c->node->section[SECTION_FABRICMANAGER];
	const struct fabricmanager_reading *f = reading_fabricmanager(fs);

	lost_by_smi(c);
	lost_by_log(c);
	for (size_t i = 0; f && i < f->gpu_n; i++)
		if (says(f->gpu[i].health, "lost"))
			bus_flag(c, fs, opt_has(f->gpu[i].gpu) ? f->gpu[i].gpu.v : "not named",
				"nvidia-smi -q says that the GPU is lost");
	if (c->out->n == 0 && c->facts->gpu == HAS_YES && !c->node->section[SECTION_GPU])
		sample_flag(c, NULL, flag_when(false, false));
}

static bool action_wanted(struct opt_str action)
{
	return opt_has(action) && action.v[0] && action.v[0] != '[' && !says(action, "None") &&
	       !says(action, "N/A");
}

/* The newest line of a bus id decides: "to 0x0 (None)" takes an earlier action back. */
static bool is_superseded(const struct xid_reading *r, size_t i)
{
	const struct xid_row *x = &r->xid[i];

	for (size_t j = i + 1; j < r->xid_n; j++)
		if (opt_has(r->xid[j].code) && r->xid[j].code.v == 154 && opt_has(x->bdf) &&
			opt_has(r->xid[j].bdf) && strcmp(r->xid[j].bdf.v, x->bdf.v) == 0)
			return true;
	return false;
}

void signal_gpu_reset(const struct signal_ctx *c)
{
	const struct section *s = c->node->section[SECTION_GPU];
	const struct gpu_reading *r = reading_gpu(s);
	const struct section *xs = c->node->section[SECTION_XID];
	const struct xid_reading *x = reading_xid(xs);

	for (size_t i = 0; r && i < r->gpu_n; i++) {
		const struct gpu_row *g = &r->gpu[i];
		bool asked = action_wanted(g->recovery_action);

		gpu_flag(c, s, row_index(g->index, i), asked || says(g->health, "reset_required"));
		last(c)->detail = asked ? g->recovery_action.v : "nvidia-smi says so";
	}
	for (size_t i = 0; x && i < x->xid_n; i++) {
		const struct xid_row *e = &x->xid[i];
		const char *bus = opt_has(e->bdf) ? e->bdf.v : "not named";
		const struct gpu_row *g = gpu_on_bus(r, bus);

		/* The GPU's own word on its recovery action is newer than the log. */
		if (!xid_means_reset(e) || is_superseded(x, i) ||
			(g && opt_has(g->recovery_action)))
			continue;
		bus_flag(c, xs, bus,
			opt_has(e->action) ? e->action.v
			: opt_has(e->text) ? e->text.v
					   : NULL);
	}
}

void signal_gpu_smi_failed(const struct signal_ctx *c)
{
	const struct section *s = c->node->section[SECTION_GPU];
	const struct gpu_reading *r = reading_gpu(s);
	bool failed = opt_has(r->error) && r->error.v[0] && !opt_has(r->bad_field);

	failed = failed || opt_has(r->failed_bus);
	sample_flag(c, s, flag_when(failed || r->gpu_n || opt_has(r->gpus), failed));
	last(c)->detail = opt_has(r->error) ? r->error.v : NULL;
}

void signal_gpu_field_invalid(const struct signal_ctx *c)
{
	const struct section *s = c->node->section[SECTION_GPU];
	const struct gpu_reading *r = reading_gpu(s);

	sample_flag(c, s, flag_when(true, opt_has(r->bad_field)));
	last(c)->detail = opt_has(r->bad_field) ? r->bad_field.v : NULL;
}

/* What every data-centre GPU tells unless it is shared out (MIG, vGPU). */
void signal_gpu_unsupported(const struct signal_ctx *c)
{
	const struct section *s = c->node->section[SECTION_GPU];
	const struct gpu_reading *r = reading_gpu(s);

	for (size_t i = 0; i < r->gpu_n; i++) {
		const struct gpu_row *g = &r->gpu[i];
		uint64_t n = (g->temp_c.state == OPT_UNSUPPORTED) +
			     (g->util_pct.state == OPT_UNSUPPORTED) +
			     (g->power_w.state == OPT_UNSUPPORTED) +
			     (g->sm_mhz.state == OPT_UNSUPPORTED) +
			     (g->sm_max_mhz.state == OPT_UNSUPPORTED) +
			     (g->width.state == OPT_UNSUPPORTED);

		sample_u64(c, s, opt_u64(n));
		last(c)->index = row_index(g->index, i);
	}
}

/* With MIG on, utilization and row remapping read [N/A] while ECC and memory do not. */
static bool row_is_mig(const struct gpu_row *g)
{
	if (opt_has(g->mig))
		return says(g->mig, "Enabled");
	return g->util_pct.state == OPT_UNSUPPORTED && g->remap_pending.state == OPT_UNSUPPORTED &&
	       opt_has(g->ecc_unc_vol) && opt_has(g->mem_used_mib);
}

void signal_gpu_mig(const struct signal_ctx *c)
{
	const struct section *s = c->node->section[SECTION_GPU];
	const struct gpu_reading *r = reading_gpu(s);
	const struct section *ls = c->node->section[SECTION_NVLINK];
	const struct nvlink_reading *l = reading_nvlink(ls);

	for (size_t i = 0; r && i < r->gpu_n; i++)
		gpu_flag(c, s, row_index(r->gpu[i].index, i), row_is_mig(&r->gpu[i]));
	if (r && r->gpu_n)
		return;
	for (size_t i = 0; l && i < l->gpu_n; i++)
		if (opt_has(l->gpu[i].mig))
			gpu_flag(c, ls, row_index(l->gpu[i].index, i), l->gpu[i].mig.v);
}

void signal_gpu_hot_clock(const struct signal_ctx *c)
{
	const struct section *s = c->node->section[SECTION_GPU];
	const struct gpu_reading *r = reading_gpu(s);

	for (size_t i = 0; i < r->gpu_n; i++) {
		const struct gpu_row *g = &r->gpu[i];
		struct opt_f64 v = {OPT_UNKNOWN, 0};

		if (g->temp_c.state == OPT_UNSUPPORTED || g->sm_max_mhz.state == OPT_UNSUPPORTED)
			v.state = OPT_UNSUPPORTED;
		else if (opt_has(g->temp_c) && g->temp_c.v < HOT_C)
			v = opt_f64(100); /* cool: nothing holds it back */
		else if (opt_has(g->temp_c) && opt_has(g->sm_mhz) && opt_has(g->sm_max_mhz) &&
			 g->sm_max_mhz.v)
			v = opt_f64(100.0 * (double)g->sm_mhz.v / (double)g->sm_max_mhz.v);
		sample_f64(c, s, v);
		last(c)->index = row_index(g->index, i);
	}
}

void signal_gpu_peer_clock(const struct signal_ctx *c)
{
	const struct section *s = c->node->section[SECTION_GPU];
	const struct gpu_reading *r = reading_gpu(s);

	for (size_t i = 0; i < r->gpu_n; i++) {
		const struct gpu_row *g = &r->gpu[i];

		if (!gpu_is_loaded(g) || !opt_has(g->name) || !opt_has(g->sm_mhz))
			continue;
		const struct clock_median *m = fleet_clock(c->fleet, g->name.v);

		if (!m || m->mhz <= 0)
			continue;
		sample_f64(c, s, opt_f64(100.0 * (double)g->sm_mhz.v / m->mhz));
		last(c)->index = row_index(g->index, i);
	}
}

void signal_gpu_throttle(const struct signal_ctx *c)
{
	const struct section *s = c->node->section[SECTION_GPU];
	const struct gpu_reading *r = reading_gpu(s);

	for (size_t i = 0; i < r->gpu_n; i++) {
		const struct gpu_row *g = &r->gpu[i];
		struct sample *out = sample_add(c, s);
		uint64_t mask = REASONS_HARDWARE;

		if (opt_has(g->util_pct) && g->util_pct.v >= 50)
			mask |= REASON_SW_THERMAL;
		out->value = (struct value){
			.state = g->reasons.state, .type = FIELD_HEX, .u64 = g->reasons.v & mask};
		out->index = row_index(g->index, i);
	}
}

void describe_throttle(const struct sample *s, char *out, size_t size)
{
	static const struct {
		uint64_t bit;
		const char *name;
	} bits[] = {
		{0x8, "hardware slowdown"},
		{0x20, "software thermal"},
		{0x40, "hardware thermal"},
		{0x80, "power brake"},
	};
	size_t used = 0;

	out[0] = '\0';
	for (size_t i = 0; i < ARRAY_LEN(bits); i++) {
		if (!(s->value.u64 & bits[i].bit) || used >= size)
			continue;
		int n = snprintf(out + used, size - used, "%s%s", used ? ", " : "", bits[i].name);

		used += n > 0 ? (size_t)n : 0;
	}
}

void signal_gpu_width(const struct signal_ctx *c)
{
	const struct section *s = c->node->section[SECTION_GPU];
	const struct gpu_reading *r = reading_gpu(s);

	for (size_t i = 0; i < r->gpu_n; i++) {
		const struct gpu_row *g = &r->gpu[i];
		struct opt_u64 v = {g->width.state, 0};

		if (opt_has(g->width) && opt_has(g->width_max))
			v = opt_u64(g->width.v < g->width_max.v ? g->width_max.v - g->width.v : 0);
		else if (opt_has(g->width))
			v.state = g->width_max.state;
		sample_u64(c, s, v);
		last(c)->index = row_index(g->index, i);
		last(c)->row = g;
	}
}

void describe_width(const struct sample *s, char *out, size_t size)
{
	const struct gpu_row *g = s->row;

	snprintf(out, size, "x%u of x%u", (unsigned)g->width.v, (unsigned)g->width_max.v);
}

/* Xid lines that stand for something: one sample a bus id and code. */
static void from_xids(const struct signal_ctx *c, bool (*means)(uint64_t), bool as_flag)
{
	const struct section *s = c->node->section[SECTION_XID];
	const struct xid_reading *r = reading_xid(s);

	for (size_t i = 0; r && i < r->xid_n; i++) {
		const struct xid_row *x = &r->xid[i];

		if (!opt_has(x->code) || !means(x->code.v))
			continue;
		const char *bus = opt_has(x->bdf) ? x->bdf.v : "not named";
		const char *text = opt_has(x->text) ? x->text.v : NULL;

		if (as_flag) {
			bus_flag(c, s, bus, text);
			continue;
		}
		sample_u64(c, s, opt_u64(opt_has(x->count) && x->count.v ? x->count.v : 1));
		sample_name_gpu(c, bus);
		last(c)->detail = text;
	}
}

void signal_gpu_ecc(const struct signal_ctx *c)
{
	const struct section *s = c->node->section[SECTION_GPU];
	const struct gpu_reading *r = reading_gpu(s);

	for (size_t i = 0; r && i < r->gpu_n; i++) {
		sample_u64(c, s, r->gpu[i].ecc_unc_vol);
		last(c)->index = row_index(r->gpu[i].index, i);
	}
	from_xids(c, xid_means_uncorrected_ecc, false);
}

void signal_gpu_remap_failure(const struct signal_ctx *c)
{
	const struct section *s = c->node->section[SECTION_GPU];
	const struct gpu_reading *r = reading_gpu(s);

	for (size_t i = 0; r && i < r->gpu_n; i++) {
		sample_flag(c, s, r->gpu[i].remap_failure);
		last(c)->index = row_index(r->gpu[i].index, i);
	}
	from_xids(c, xid_means_remap_failure, true);
}

void signal_gpu_remap_pending(const struct signal_ctx *c)
{
	const struct section *s = c->node->section[SECTION_GPU];
	const struct gpu_reading *r = reading_gpu(s);

	for (size_t i = 0; i < r->gpu_n; i++) {
		const struct gpu_row *g = &r->gpu[i];
		struct opt_bool v = g->remap_pending;

		/* A board has one of the two: row remapping since Ampere, page retirement before. */
		if (opt_has(g->retired_pending) && (!opt_has(v) || g->retired_pending.v))
			v = g->retired_pending;
		sample_flag(c, s, v);
		last(c)->index = row_index(g->index, i);
	}
}
