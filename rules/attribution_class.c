/* Placement as numbers, and the class of a pair under a spec. */
#include "rules/attribution_model.h"

#include <stdlib.h>
#include <string.h>

/* One in so many measured nodes must have a place for it to be looked at. */
#define PLACED_MIN_SHARE 5

_Static_assert(CELLS <= CELL_MASK, "a cell fits its bits of an edge");
_Static_assert(AZS_MAX *(AZS_MAX - 1) / 2 < CODE_UNKNOWN >> 3, "an AZ pair fits its bits");

struct named {
	const char *name;
	size_t node;
};

static int by_name(const void *a, const void *b)
{
	const struct named *x = a;
	const struct named *y = b;
	int c = strcmp(x->name, y->name);

	return c ? c : (x->node > y->node) - (x->node < y->node);
}

static const char *told(const struct fleet_node *node, int level)
{
	const char *name = level == LEVEL_AZ            ? node->az
			   : level == LEVEL_SPINE       ? node->spine
			   : level == LEVEL_LEAF        ? node->leaf
			   : level == LEVEL_ULTRASERVER ? node->ultraserver
							: node->instance_type;

	return name && *name ? name : NULL;
}

/* Nodes whose name of this level (LEVELS: instance type) is told, sorted by it. */
static size_t sorted(const struct pair_set *set, int level, struct named *v)
{
	size_t n = 0;

	for (size_t i = 0; i < set->n; i++) {
		v[n].name = told(&set->nodes[i], level);
		v[n].node = i;
		if (v[n].name)
			n++;
	}
	qsort(v, n, sizeof(*v), by_name);
	return n;
}

static bool make_level(struct layout *p, const struct pair_set *set, const bool *measured,
	int level, struct named *v, struct arena *arena)
{
	size_t n = sorted(set, level, v);
	bool seen = false;

	p->group[level] = arena_alloc(arena, set->n * sizeof(uint16_t) + 1);
	p->group_name[level] = arena_alloc(arena, (n + 1) * sizeof(char *));
	p->member[level] = arena_alloc(arena, (n + 1) * sizeof(uint16_t));
	p->first[level] = arena_alloc(arena, (n + 1) * sizeof(size_t));
	if (!p->group[level] || !p->group_name[level] || !p->member[level] || !p->first[level])
		return false;
	memset(p->group[level], 0xff, set->n * sizeof(uint16_t));
	for (size_t i = 0; i < n; i++) {
		if (i == 0 || strcmp(v[i].name, v[i - 1].name) != 0) {
			char *name = arena_strndup(arena, v[i].name, strlen(v[i].name));

			if (!name)
				return false;
			p->group_name[level][p->n_groups[level]++] = name;
			seen = false;
		}
		p->group[level][v[i].node] = (uint16_t)(p->n_groups[level] - 1);
		p->member[level][i] = (uint16_t)v[i].node;
		p->first[level][p->n_groups[level]] = i + 1;
		p->placed[level] += measured[v[i].node];
		p->distinct[level] += measured[v[i].node] && !seen;
		seen |= measured[v[i].node];
	}
	return true;
}

/* One run of equal names in the sorted list. */
struct run {
	size_t first;
	size_t n;
	size_t measured;
};

static size_t longest_run(
	const struct named *v, size_t n, const bool *measured, const bool *taken, struct run *best)
{
	size_t i = 0;

	*best = (struct run){0, 0, 0};
	while (i < n) {
		struct run r = {i, 0, 0};

		for (; i < n && strcmp(v[i].name, v[r.first].name) == 0; i++) {
			r.measured += measured[v[i].node];
			r.n++;
		}
		if (!taken[v[r.first].node] && r.measured > best->measured)
			*best = r;
	}
	return best->measured;
}

/* The commonest first; the rest, and those of whom nobody told, count as it. */
static bool make_types(struct layout *p, const struct pair_set *set, const bool *measured,
	struct named *v, struct arena *arena)
{
	size_t n = sorted(set, LEVELS, v);
	bool *taken = calloc(set->n + 1, sizeof(*taken));
	struct run r;
	bool ok = false;

	p->type = arena_alloc(arena, set->n + 1);
	if (!taken || !p->type)
		goto out;
	while (p->n_types < TYPES_MAX && longest_run(v, n, measured, taken, &r)) {
		const char *name = v[r.first].name;

		p->type_name[p->n_types] = arena_strndup(arena, name, strlen(name));
		if (!p->type_name[p->n_types])
			goto out;
		for (size_t i = r.first; i < r.first + r.n; i++) {
			p->type[v[i].node] = (uint8_t)p->n_types;
			taken[v[i].node] = true;
		}
		p->n_types++;
	}
	ok = true;
out:
	free(taken);
	return ok;
}

bool layout_make(
	struct layout *p, const struct pair_set *set, const bool *measured, struct arena *arena)
{
	struct named *v = calloc(set->n + 1, sizeof(*v));
	bool ok = v != NULL;

	*p = (struct layout){.n = set->n};
	for (size_t i = 0; i < set->n; i++)
		p->measured += measured[i];
	for (int l = 0; ok && l < LEVELS; l++)
		ok = make_level(p, set, measured, l, v, arena);
	ok = ok && make_types(p, set, measured, v, arena);
	free(v);
	return ok;
}

bool layout_has_level(const struct layout *p, int level)
{
	return p->distinct[level] >= 2 && p->distinct[level] < p->placed[level] &&
	       PLACED_MIN_SHARE * p->placed[level] >= p->measured;
}

/* 0 the same, else which pair of AZs. */
static size_t az_code(size_t azs, size_t a, size_t b)
{
	size_t lo = a < b ? a : b;
	size_t hi = a < b ? b : a;

	if (a == b)
		return 0;
	return azs > AZS_MAX ? 1 : 1 + hi * (hi - 1) / 2 + lo;
}

size_t class_cell(const struct layout *p, const struct class_spec *spec, size_t a, size_t b)
{
	size_t code = 0;
	size_t types = 0;

	if (spec->types) {
		size_t lo = p->type[a] < p->type[b] ? p->type[a] : p->type[b];
		size_t hi = p->type[a] < p->type[b] ? p->type[b] : p->type[a];

		types = hi * (hi + 1) / 2 + lo;
	}
	for (int l = 0; l < LEVELS; l++) {
		uint16_t ga = p->group[l][a];
		uint16_t gb = p->group[l][b];

		if (!spec->level[l])
			continue;
		if (ga == GROUP_NONE || gb == GROUP_NONE)
			return types * CODES + CODE_UNKNOWN;
		if (l == LEVEL_AZ)
			code |= az_code(p->n_groups[l], ga, gb) << 3;
		else if (ga != gb)
			code |= (size_t)1 << (l - 1);
	}
	return types * CODES + code;
}
