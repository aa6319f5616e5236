#include "tui/node_row.h"

#include <math.h>
#include <string.h>

#include "collectors/compiler.h"
#include "rules/instance_type.h"

/* Sum and count of known values. */
struct mean {
	double sum;
	size_t n;
};

static void mean_add(struct mean *m, struct opt_f64 o)
{
	if (!opt_has(o))
		return;
	m->sum += o.v;
	m->n++;
}

struct gpu_summary node_row_gpus(const struct node *n)
{
	const struct gpu_reading *g = reading_gpu(n->section[SECTION_GPU]);
	struct gpu_summary s = {(double)NAN, (double)NAN, (double)NAN, (double)NAN};
	struct mean util = {0, 0};
	struct mean power = {0, 0};
	size_t lost = 0;

	if (!g || (g->gpu_n == 0 && !opt_has(g->gpus)))
		return s;
	for (size_t i = 0; i < g->gpu_n; i++) {
		const struct gpu_row *row = &g->gpu[i];

		lost += opt_has(row->health) && strcmp(row->health.v, "lost") == 0;
		mean_add(&util, row->util_pct);
		mean_add(&power, row->power_w);
		if (opt_has(row->temp_c) && !(s.temp_max >= row->temp_c.v))
			s.temp_max = row->temp_c.v;
	}
	s.listed = g->gpu_n ? (double)(g->gpu_n - lost) : (double)g->gpus.v;
	if (util.n)
		s.util_mean = util.sum / (double)util.n;
	if (power.n)
		s.power_sum = power.sum;
	return s;
}

static enum node_rank rank_of(const struct node_row *r)
{
	switch (r->node->state) {
	case NODE_FAILED:
	case NODE_STALE:
		return RANK_LOST;
	case NODE_OK:
		break;
	default:
		return RANK_BUSY;
	}
	return r->worst == SEVERITY_CONCERN ? RANK_CONCERN
	       : r->worst == SEVERITY_INFO  ? RANK_INFO
					    : RANK_OK;
}

static void fill_readings(struct node_row *r)
{
	const struct node *n = r->node;
	const struct efa_reading *efa = reading_efa(n->section[SECTION_EFA]);
	const struct capacity_reading *cap = reading_capacity(n->section[SECTION_CAPACITY]);

	r->gpu = node_row_gpus(n);
	r->efa_active = efa ? fmt_u64(efa->active) : (double)NAN;
	r->efa_expected = efa ? fmt_u64(efa->efa_devices) : (double)NAN;
	r->gpu_expected = r->gpu.listed;
	const struct instance_type *known = instance_type_find(r->type);

	if (known && efa)
		r->efa_expected = fmax(r->efa_expected, known->efa);
	if (known && isfinite(r->gpu.listed))
		r->gpu_expected = fmax(r->gpu_expected, known->gpus);
	r->iowait_pct = fmt_f64(node_iowait_pct(n));
	r->root_pct = cap ? fmt_f64(cap->root_used_pct) : (double)NAN;
}

/*
 * What a node should have is what its EC2 type is known to have, and for a type that
 * is not known what the best of that type has: they are built alike.
 */
static void fill_expected(struct node_row *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		/* The first of each type stands for it; later ones copy from it. */
		size_t first = 0;

		while (first < i && !(rows[first].type && rows[i].type &&
					    strcmp(rows[first].type, rows[i].type) == 0))
			first++;
		struct node_row *f = &rows[first];

		f->gpu_expected = fmax(f->gpu_expected, rows[i].gpu.listed);
		f->efa_expected = fmax(f->efa_expected, rows[i].efa_expected);
	}
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < i && rows[i].type; k++)
			if (rows[k].type && strcmp(rows[k].type, rows[i].type) == 0) {
				rows[i].gpu_expected = rows[k].gpu_expected;
				rows[i].efa_expected = rows[k].efa_expected;
				break;
			}
}

static const struct {
	const char *signal; /* prefix of rule.signal */
	unsigned flag;
} flags[] = {
	{"gpu.temp", FLAG_TEMP},
	{"gpu.missing", FLAG_GPU},
	{"gpu.lost", FLAG_GPU},
	{"gpu.smi_failed", FLAG_GPU},
	{"efa.missing", FLAG_EFA},
	{"efa.not_active", FLAG_EFA},
	{"efa.carrier", FLAG_EFA},
	{"cpu.iowait", FLAG_IOWAIT},
	{"capacity.root", FLAG_ROOT},
};

static void fill_flags(struct node_row *rows, size_t n, const struct judgement *jm)
{
	for (size_t i = 0; i < jm->n; i++) {
		const struct finding *f = &jm->findings[i];
		const char *signal = f->rule ? f->rule->signal : NULL;

		if (f->node >= n || f->severity != SEVERITY_CONCERN || !signal)
			continue;
		for (size_t k = 0; k < ARRAY_LEN(flags); k++)
			if (strncmp(signal, flags[k].signal, strlen(flags[k].signal)) == 0) {
				rows[f->node].flagged |= flags[k].flag;
				break;
			}
	}
}

void node_rows_make(struct node_row *rows, const struct snapshot *snap, const struct judgement *jm)
{
	for (size_t i = 0; i < snap->n; i++) {
		struct node_row *r = &rows[i];

		memset(r, 0, sizeof(*r));
		r->node = &snap->nodes[i];
		r->index = i;
		r->type = node_instance_type(r->node);
		r->last_ok_mono_ms = r->node->last_ok_mono_ms;
		if (jm && i < jm->nnodes) {
			r->worst = jm->nodes[i].worst;
			r->concerns = jm->nodes[i].concerns;
			r->infos = jm->nodes[i].infos;
			r->top = jm->nodes[i].top;
		}
		r->rank = rank_of(r);
		fill_readings(r);
	}
	fill_expected(rows, snap->n);
	if (jm)
		fill_flags(rows, snap->n, jm);
}

const char *node_row_word(const struct node_row *r)
{
	return r->rank == RANK_CONCERN ? "concern" : node_state_name(r->node->state);
}

int node_row_style(const struct node_row *r)
{
	return r->rank == RANK_CONCERN ? STYLE_CONCERN
	       : r->rank == RANK_INFO  ? STYLE_INFO
				       : theme_state_style(r->node->state);
}

const char *node_row_glyph(const struct glyphs *gl, const struct node_row *r)
{
	return r->rank == RANK_CONCERN ? gl->concern
	       : r->rank == RANK_INFO  ? gl->info
				       : theme_state_glyph(gl, r->node->state);
}

const char *node_row_message(const struct node_row *r)
{
	if (r->rank == RANK_LOST && r->node->error)
		return r->node->error;
	if (r->top)
		return r->top->title;
	return r->rank == RANK_BUSY && r->node->error ? r->node->error : "";
}
