/* Classes of pairs as people see them: names, figures, where the slow ones are. */
#include "rules/attribution_model.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "collectors/text.h"

#define NAME_MAX_BYTES 320
/* Groups named one by one before "and N more". */
#define GROUPS_NAMED 4

static const char *const level_name[LEVELS] = {"AZ", "spine", "leaf", "ultraserver"};

double class_effect(const struct fit *f, enum topology_class t)
{
	double same = -INFINITY;
	double other = 0;
	double weight = 0;
	double uplink = 0;

	for (size_t i = 0; i < CELLS; i++) {
		size_t code = i % CODES;
		bool differs = t == TOPOLOGY_INSTANCE_TYPE ? i / CODES > 0
			       : t == TOPOLOGY_AZ          ? code >> 3 > 0
						  : (code >> (t - TOPOLOGY_SPINE) & 1) != 0;

		if (isnan(f->mu[i]) || code == CODE_UNKNOWN)
			continue;
		if (!differs && f->mu[i] > same)
			same = f->mu[i];
		if (differs) {
			other += f->mu[i] * (double)f->pairs[i];
			weight += (double)f->pairs[i];
		}
	}
	if (f->spec.uplinks >= 0 && t == (enum topology_class)(TOPOLOGY_AZ + f->spec.uplinks))
		for (size_t a = 0; a < f->n; a++)
			uplink = fmax(uplink, -f->uplink[a]);
	if (weight == 0 || isinf(same))
		return uplink;
	if (t == TOPOLOGY_INSTANCE_TYPE)
		return fabs(same - other / weight);
	return fmax(uplink, same - other / weight);
}

/* Appends to a name; what does not fit is cut off. */
ATTR_PRINTF(2, 3) static void append(char *name, const char *fmt, ...)
{
	size_t used = strlen(name);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(name + used, NAME_MAX_BYTES - used, fmt, ap);
	va_end(ap);
}

/* Types lo with hi of the i-th pair of types. */
static void types_of(size_t i, size_t *lo, size_t *hi)
{
	*hi = 0;
	while ((*hi + 1) * (*hi + 2) / 2 <= i)
		++*hi;
	*lo = i - *hi * (*hi + 1) / 2;
}

static void name_azs(char *name, const struct layout *p, size_t code)
{
	if (code == 0) {
		append(name, "same AZ");
		return;
	}
	if (p->n_groups[LEVEL_AZ] <= 2 || p->n_groups[LEVEL_AZ] > AZS_MAX) {
		append(name, "other AZ");
		return;
	}
	for (size_t b = 1; b < p->n_groups[LEVEL_AZ]; b++)
		for (size_t a = 0; a < b; a++)
			if (code == 1 + b * (b - 1) / 2 + a)
				append(name, "%s to %s", p->group_name[LEVEL_AZ][a],
					p->group_name[LEVEL_AZ][b]);
}

static void name_cell(
	char *name, const struct layout *p, const struct class_spec *spec, size_t cell)
{
	size_t code = cell % CODES;
	const char *comma = "";

	if (spec->types) {
		size_t lo;
		size_t hi;

		types_of(cell / CODES, &lo, &hi);
		append(name, "%s with %s", p->type_name[lo], p->type_name[hi]);
		comma = ", ";
	}
	if (code == CODE_UNKNOWN) {
		append(name, "%splacement not known", comma);
		return;
	}
	for (int l = 0; l < LEVELS; l++) {
		if (!spec->level[l])
			continue;
		append(name, "%s", comma);
		comma = ", ";
		if (l == LEVEL_AZ)
			name_azs(name, p, code >> 3);
		else
			append(name, "%s %s", code >> (l - 1) & 1 ? "other" : "same",
				level_name[l]);
	}
	if (*name == '\0')
		append(name, "all pairs");
}

static const char *keep(struct arena *arena, const char *s)
{
	char clean[NAME_MAX_BYTES];

	/* A long name may have been cut inside a character. */
	return arena_strndup(arena, clean, text_printable(clean, sizeof(clean), s, strlen(s)));
}

/* Groups with slow uplinks: "leaf nn-leaf2", "leaf nn-leaf2, nn-leaf5 and 3 more". */
static void name_uplinks(char *name, const struct attribution_model *m)
{
	const struct layout *p = &m->place;
	int l = m->spec.uplinks;
	size_t named = 0;

	append(name, "%s ", level_name[l]);
	for (size_t g = 0; g < p->n_groups[l]; g++) {
		if (!(m->fit->uplink[p->member[l][p->first[l][g]]] < 0))
			continue;
		if (named++ < GROUPS_NAMED)
			append(name, "%s%s", named > 1 ? ", " : "", p->group_name[l][g]);
	}
	if (named > GROUPS_NAMED)
		append(name, " and %zu more", named - GROUPS_NAMED);
}

/* The slowest cell that differs by the topology found. */
static size_t slowest_cell(const struct fit *f, bool types)
{
	size_t slowest = SIZE_MAX;

	for (size_t c = 0; c < CELLS; c++) {
		bool differs = types ? c / CODES > 0 : c % CODES >> 3 > 0;

		if (!isnan(f->mu[c]) && c % CODES != CODE_UNKNOWN && differs &&
			(slowest == SIZE_MAX || f->mu[c] < f->mu[slowest]))
			slowest = c;
	}
	return slowest;
}

static void name_azs_in_full(char *name, const struct layout *p, const struct fit *f)
{
	size_t cell = slowest_cell(f, false);

	if (p->n_groups[LEVEL_AZ] == 2)
		append(name, "%s to %s", p->group_name[LEVEL_AZ][0], p->group_name[LEVEL_AZ][1]);
	else if (cell != SIZE_MAX)
		name_azs(name, p, cell % CODES >> 3);
}

static bool say_where(struct attribution *at, const struct attribution_model *m)
{
	char name[NAME_MAX_BYTES] = "";
	int level = (int)at->topology - (int)TOPOLOGY_AZ;

	if (at->topology == TOPOLOGY_NONE)
		return true;
	if (at->topology == TOPOLOGY_INSTANCE_TYPE) {
		size_t cell = slowest_cell(m->fit, true);
		size_t lo;
		size_t hi;

		types_of(cell == SIZE_MAX ? 0 : cell / CODES, &lo, &hi);
		append(name, "%s with %s", m->place.type_name[lo], m->place.type_name[hi]);
	} else if (m->fit->n_uplinks > 0 && m->spec.uplinks == level) {
		name_uplinks(name, m);
	} else if (level == LEVEL_AZ) {
		name_azs_in_full(name, &m->place, m->fit);
	} else {
		append(name, "from one %s to another", level_name[level]);
	}
	at->topology_where = keep(&at->arena, name);
	return at->topology_where != NULL;
}

bool say_classes(struct attribution *at, struct attribution_model *m, struct pair_graph *g)
{
	float spread[CELLS];

	at->topology = at->enough ? m->choice.topology : TOPOLOGY_NONE;
	if (at->topology != TOPOLOGY_NONE)
		at->topology_effect = 1 - exp(-class_effect(m->fit, at->topology));
	at->topology_confidence = 0.99 / (1 + exp(-m->choice.rival / 4));
	at->classes = arena_alloc(&at->arena, (m->fit->n_cells + 1) * sizeof(*at->classes));
	if (!at->classes)
		return false;
	fit_spreads(m->fit, g, &m->place, spread);
	for (size_t c = 0; c < CELLS; c++) {
		char name[NAME_MAX_BYTES] = "";
		struct pair_class *k = &at->classes[at->n_classes];

		if (m->fit->pairs[c] == 0)
			continue;
		name_cell(name, &m->place, &m->spec, c);
		k->name = keep(&at->arena, name);
		k->expected_gbps = exp(m->fit->mu[c]);
		k->pairs = m->fit->pairs[c];
		k->spread = spread[c];
		if (!k->name)
			return false;
		at->n_classes++;
	}
	return say_where(at, m);
}
