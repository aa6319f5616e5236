/*
 * Few rounds with mixed partners.
 *
 * Every other round stays in the groups (1-factorization of each), the others cross
 * them, so that a node's slowness can be told from its switch's and from its partners'.
 * Partners are spread by a fixed mixing, because neighbours in a list of names often
 * stand together and would all meet the same few others.
 */
#include <stdlib.h>
#include <string.h>

#include "collectors/xmalloc.h"
#include "rules/sweep_build.h"

#define NOBODY SIZE_MAX
/* Other mixings to try until nodes are connected and meet several groups. */
#define TRIES 16

/*
 * A node needs 6 to 7 partners before its own slowness stands out from theirs (see
 * attribution.h); where more nodes compete to look slow by chance, a little more.
 */
size_t sweep_fast_rounds(size_t n)
{
	size_t most = n < 2 ? 0 : n - 1 + n % 2;
	size_t want = n <= 256 ? 7 : n <= 2048 ? 8 : 9;

	return want < most ? want : most;
}

struct group {
	size_t *node;
	size_t n;
};

struct fast {
	struct sweep_plan *plan;
	size_t n;
	size_t rounds;
	const uint16_t *group_of; /* NULL: each node is a group of its own */
	struct group *groups;
	size_t n_groups;
	size_t *nodes;   /* of all groups, one after the other */
	size_t *partner; /* of this round */
	size_t *met;     /* rounds a node: partners so far */
	size_t *n_met;
	uint64_t seed;
};

static bool have_met(const struct fast *f, size_t a, size_t b)
{
	for (size_t i = 0; i < f->n_met[a]; i++)
		if (f->met[a * f->rounds + i] == b)
			return true;
	return false;
}

static bool same_group(const struct fast *f, size_t a, size_t b)
{
	return f->group_of && f->group_of[a] == f->group_of[b];
}

static void join(struct fast *f, size_t a, size_t b)
{
	f->partner[a] = b;
	f->partner[b] = a;
}

/* ---- a round in which groups keep to themselves ---- */

/* Turn r of each group that has one left; nodes without a partner stay for match. */
static void match_inside(struct fast *f, size_t r)
{
	for (size_t g = 0; g < f->n_groups; g++) {
		const struct group *in = &f->groups[g];
		size_t m = in->n + in->n % 2;

		if (in->n < 2 || r >= m - 1)
			continue;
		for (size_t i = 0; i < in->n; i++) {
			size_t k = sweep_circle_partner(m, r, i);

			if (k > i && k < in->n && !have_met(f, in->node[i], in->node[k]))
				join(f, in->node[i], in->node[k]);
		}
	}
}

/* ---- everybody else, across groups where that is possible ---- */

/* How choosy a search for a partner is. */
enum wish { WISH_ANY, WISH_OTHER_GROUP, WISH_NEW_GROUP };

/* A new group is looked for among so many: enough to find one where there are several. */
#define NEW_GROUP_LOOKS 64

static bool has_met_group(const struct fast *f, size_t a, size_t b)
{
	for (size_t i = 0; i < f->n_met[a]; i++)
		if (same_group(f, f->met[a * f->rounds + i], b))
			return true;
	return false;
}

static bool fits(const struct fast *f, size_t a, size_t b, enum wish wish)
{
	if (have_met(f, a, b))
		return false;
	if (wish == WISH_ANY || !f->group_of)
		return true;
	if (same_group(f, a, b))
		return false;
	return wish == WISH_OTHER_GROUP || (!has_met_group(f, a, b) && !has_met_group(f, b, a));
}

/* The last one in rest[0..n) that fits u. */
static size_t find_in(const struct fast *f, const size_t *rest, size_t n, size_t u, enum wish wish)
{
	size_t looks = wish == WISH_NEW_GROUP ? NEW_GROUP_LOOKS : n;

	for (size_t i = n; i-- > 0 && looks-- > 0;)
		if (fits(f, u, rest[i], wish))
			return i;
	return NOBODY;
}

/*
 * u and w are left over and have met: takes a pair x-y apart whose ends may meet them.
 */
static bool swap_in(struct fast *f, size_t u, size_t w)
{
	for (size_t i = 0; i < f->n; i++) {
		size_t x = (size_t)(f->seed % f->n + i) % f->n;
		size_t y = f->partner[x];

		if (y == NOBODY || x == u || x == w || have_met(f, u, x) || have_met(f, w, y))
			continue;
		join(f, u, x);
		join(f, w, y);
		return true;
	}
	return false;
}

static size_t most_met(const struct fast *f)
{
	size_t most = 0;

	for (size_t i = 0; i < f->n; i++)
		if (f->n_met[i] > most)
			most = f->n_met[i];
	return most;
}

/* u would rest and has rested before: somebody who has not rests in its place. */
static void relieve(struct fast *f, size_t u)
{
	size_t most = most_met(f);

	for (size_t i = 0; i < f->n && f->n_met[u] < most; i++) {
		size_t x = (size_t)(f->seed % f->n + i) % f->n;
		size_t y = f->partner[x];

		if (y == NOBODY || f->n_met[y] < most || have_met(f, u, x))
			continue;
		f->partner[y] = NOBODY;
		join(f, u, x);
		return;
	}
}

static void match_left(struct fast *f, size_t *left, size_t n)
{
	while (n > 1) {
		size_t u = left[--n];
		size_t at = find_in(f, left, n, u, WISH_ANY);

		if (at != NOBODY) {
			join(f, u, left[at]);
			left[at] = left[--n];
		} else if (swap_in(f, u, left[n - 1])) {
			n--;
		}
	}
	if (n)
		relieve(f, left[0]);
}

/*
 * Nodes without a partner, those with the fewest so far last: they are served first, so
 * that with an odd number it is not the same one that rests again.
 */
static size_t list_rest(const struct fast *f, size_t *rest)
{
	size_t most = most_met(f);
	size_t n = 0;
	size_t full;

	for (size_t i = 0; i < f->n; i++)
		if (f->partner[i] == NOBODY && f->n_met[i] == most)
			rest[n++] = i;
	full = n;
	for (size_t i = 0; i < f->n; i++)
		if (f->partner[i] == NOBODY && f->n_met[i] < most)
			rest[n++] = i;
	sweep_shuffle(rest, full, f->seed);
	sweep_shuffle(rest + full, n - full, f->seed);
	return n;
}

static void match_rest(struct fast *f)
{
	size_t *rest = xcalloc(f->n, sizeof(*rest));
	size_t *left = xcalloc(f->n, sizeof(*left));
	size_t n = list_rest(f, rest);
	size_t n_left = 0;

	while (n) {
		size_t u = rest[--n];
		size_t at = find_in(f, rest, n, u, WISH_NEW_GROUP);

		if (at == NOBODY)
			at = find_in(f, rest, n, u, WISH_OTHER_GROUP);
		if (at == NOBODY) {
			left[n_left++] = u;
			continue;
		}
		join(f, u, rest[at]);
		memmove(&rest[at], &rest[at + 1], (n - at - 1) * sizeof(*rest));
		n--;
	}
	match_left(f, left, n_left);
	free(rest);
	free(left);
}

static void take_round(struct fast *f)
{
	for (size_t a = 0; a < f->n; a++) {
		size_t b = f->partner[a];

		if (b == NOBODY)
			continue;
		f->met[a * f->rounds + f->n_met[a]++] = b;
		if (a < b)
			sweep_add(f->plan, a, b);
	}
	sweep_close(f->plan);
}

static void make_rounds(struct fast *f)
{
	memset(f->n_met, 0, f->n * sizeof(*f->n_met));
	for (size_t r = 0; r < f->rounds; r++) {
		for (size_t i = 0; i < f->n; i++)
			f->partner[i] = NOBODY;
		f->seed = sweep_mix(f->seed + r);
		if (f->n_groups > 1 && r % 2)
			match_inside(f, r / 2);
		match_rest(f);
		take_round(f);
	}
}

/* ---- is it any good ---- */

static size_t root_of(size_t *up, size_t i)
{
	while (up[i] != i)
		i = up[i] = up[up[i]];
	return i;
}

/* Every node can be compared with every other by way of pairs. */
static bool is_connected(const struct sweep_plan *p)
{
	size_t *up = xcalloc(p->n, sizeof(*up));
	size_t parts = p->n;

	for (size_t i = 0; i < p->n; i++)
		up[i] = i;
	for (size_t i = 0; i < p->n_pairs; i++) {
		size_t a = root_of(up, p->pairs[i].a);
		size_t b = root_of(up, p->pairs[i].b);

		parts -= a != b;
		up[a] = b;
	}
	free(up);
	return parts == 1;
}

/* Whether a node meets nodes of two other groups, so that neither can be mistaken for it. */
static bool sees_two_groups(const struct fast *f, size_t node)
{
	size_t first = NOBODY;

	for (size_t i = 0; i < f->n_met[node]; i++) {
		size_t with = f->met[node * f->rounds + i];

		if (same_group(f, node, with))
			continue;
		if (first == NOBODY)
			first = with;
		else if (!same_group(f, first, with))
			return true;
	}
	return false;
}

static bool is_mixed(const struct fast *f)
{
	/* The first, third, ... round crosses groups. */
	if (f->n_groups < 3 || f->rounds < 3)
		return true;
	for (size_t i = 0; i < f->n; i++)
		if (!sees_two_groups(f, i))
			return false;
	return true;
}

/* ---- groups ---- */

static int by_group(const void *a, const void *b)
{
	const size_t *x = a;
	const size_t *y = b;

	if (x[0] != y[0])
		return x[0] < y[0] ? -1 : 1;
	return x[1] < y[1] ? -1 : 1;
}

/* Members of each group in an order of their own. One group alone is no division. */
static void set_groups(struct fast *f)
{
	size_t *key = xcalloc(2 * f->n, sizeof(*key));

	f->groups = xcalloc(f->n, sizeof(*f->groups));
	f->nodes = xcalloc(f->n, sizeof(*f->nodes));
	for (size_t i = 0; i < f->n; i++) {
		key[2 * i] = f->group_of ? f->group_of[i] : i;
		key[2 * i + 1] = i;
	}
	qsort(key, f->n, 2 * sizeof(*key), by_group);
	for (size_t i = 0; i < f->n; i++) {
		f->nodes[i] = key[2 * i + 1];
		if (i == 0 || key[2 * i] != key[2 * (i - 1)])
			f->groups[f->n_groups++].node = &f->nodes[i];
		f->groups[f->n_groups - 1].n++;
	}
	for (size_t g = 0; g < f->n_groups; g++)
		sweep_shuffle(f->groups[g].node, f->groups[g].n, g);
	if (f->n_groups == 1)
		f->group_of = NULL;
	free(key);
}

/* So many rounds that matching by search would run dry: a 1-factorization has them all. */
static void many_rounds(struct fast *f)
{
	size_t *order = xcalloc(f->n, sizeof(*order));

	for (size_t i = 0; i < f->n; i++)
		order[i] = i;
	sweep_shuffle(order, f->n, 0);
	sweep_circle(f->plan, order, f->rounds);
	free(order);
}

static void few_rounds(struct fast *f)
{
	for (uint64_t attempt = 0; attempt < TRIES; attempt++) {
		f->plan->n_pairs = 0;
		f->plan->rounds = 0;
		f->seed = attempt;
		make_rounds(f);
		if (f->rounds < 2 || (is_connected(f->plan) && is_mixed(f)))
			return;
	}
}

void sweep_fast(struct sweep_plan *p, const struct sweep_request *req)
{
	size_t most = p->n - 1 + p->n % 2;
	struct fast f = {.plan = p, .n = p->n, .group_of = req->group};

	f.rounds = req->rounds ? req->rounds : sweep_fast_rounds(p->n);
	if (f.rounds > most)
		f.rounds = most;
	if (f.rounds > most / 3) {
		many_rounds(&f);
		return;
	}
	set_groups(&f);
	f.partner = xcalloc(f.n, sizeof(*f.partner));
	f.met = xcalloc(f.n * f.rounds, sizeof(*f.met));
	f.n_met = xcalloc(f.n, sizeof(*f.n_met));
	few_rounds(&f);
	free(f.partner);
	free(f.met);
	free(f.n_met);
	free(f.groups);
	free(f.nodes);
}
