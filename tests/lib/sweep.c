#include "tests/lib/sweep.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collectors/arena.h"
#include "collectors/xmalloc.h"

double sweep_chance(uint32_t *state)
{
	*state = *state * 1664525u + 1013904223u;
	return (double)(*state >> 8) / 16777216.0;
}

static size_t az_of(const struct sweep *s, size_t i)
{
	return s->cross_az > 0 && i >= s->n - s->n / 3;
}

static double or_all(double share)
{
	return share > 0 ? share : 1;
}

static double true_busbw(const struct sweep *s, size_t a, size_t b)
{
	double v = a >= s->n - s->old || b >= s->n - s->old ? 120 : 400;
	size_t la = s->leaf ? a / s->leaf : 0;
	size_t lb = s->leaf ? b / s->leaf : 0;

	v *= fmin(or_all(s->slow[a]), or_all(s->slow[b]));
	if (la / 2 != lb / 2)
		v *= or_all(s->cross_spine);
	if ((la == 1) != (lb == 1))
		v *= or_all(s->bad_leaf);
	if (az_of(s, a) != az_of(s, b))
		v *= or_all(s->cross_az);
	if (s->link > 0 && a == s->link_a && b == s->link_b)
		v *= s->link;
	return v;
}

static bool is_measured(const struct sweep *s, size_t a, size_t b)
{
	if (b != s->n - 1)
		return true;
	return !s->untested && (s->only_few == 0 || a < s->only_few);
}

static const char *named(struct fleet *f, const char *what, size_t i)
{
	char name[32];

	snprintf(name, sizeof(name), "%s%zu", what, i);
	return arena_strndup(&f->arena, name, strlen(name));
}

struct fleet *sweep_fleet(const struct sweep *s)
{
	struct fleet *f = fleet_new();

	for (size_t i = 0; i < s->n; i++) {
		size_t at = fleet_find_or_add(f, span_of(named(f, "node-", i)));
		struct fleet_node *node = &f->nodes[at];

		if (s->leaf == 0)
			continue;
		node->instance_type = i >= s->n - s->old ? "p4d.24xlarge" : "p5.48xlarge";
		if (s->half_told && i % 3 == 0)
			continue;
		node->leaf = named(f, "leaf", i / s->leaf);
		node->spine = named(f, "spine", i / s->leaf / 2);
		node->az = az_of(s, i) ? "use1-az2" : "use1-az1";
	}
	return f;
}

void sweep_measure(const struct sweep *s, struct sweep_readings *r)
{
	uint32_t state = s->salt + 12345;

	r->n = 0;
	for (size_t a = 0; a < s->n; a++)
		for (size_t b = a + 1; b < s->n; b++)
			for (size_t k = 0; k < (s->repeats ? s->repeats : 3); k++) {
				double noise = sweep_chance(&state) + sweep_chance(&state) +
					       sweep_chance(&state);

				if (!is_measured(s, a, b))
					continue;
				r->a[r->n] = (uint16_t)a;
				r->b[r->n] = (uint16_t)b;
				r->v[r->n++] =
					(float)(true_busbw(s, a, b) * (1 + 0.02 * (noise - 1.5)));
			}
}

struct attribution *sweep_judge(const struct sweep *s, const struct sweep_readings *r)
{
	struct pair_key key = {.tool = BW_CSV, .collective = BW_ALL_REDUCE};
	struct fleet *f = sweep_fleet(s);
	struct pair_set *set = pair_set_make(f, &key, r->a, r->b, r->v, r->n);
	struct attribution *at = attribution_run(set);

	/* The result stands alone. */
	pair_set_free(set);
	fleet_free(f);
	return at;
}

struct attribution *sweep_attribute(const struct sweep *s)
{
	struct sweep_readings *r = xmalloc(sizeof(*r));
	struct attribution *at;

	sweep_measure(s, r);
	at = sweep_judge(s, r);
	free(r);
	return at;
}

bool sweep_says(const struct attribution *at, const char *part)
{
	for (size_t i = 0; i < at->n_why; i++)
		if (strstr(at->why[i], part))
			return true;
	return false;
}
