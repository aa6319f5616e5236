/*
 * Suspects again, against others than before: if a node is slow, it is slow with each
 * of several healthy partners; if a link is, only its own pair is. Healthy partners
 * are measured with each other once, so that there is something to compare with.
 */
#include <stdlib.h>
#include <string.h>

#include "collectors/xmalloc.h"
#include "rules/sweep_build.h"

struct tasks {
	struct sweep_pair *v;
	size_t n;
	size_t cap;
};

struct suspects {
	const struct sweep_request *req;
	size_t partners;
	bool *suspect;  /* a suspect node, or an end of a suspect link */
	size_t *load;   /* pairs that a node is in */
	bool *met;      /* of the node that partners are chosen for: who it was measured with */
	size_t healthy; /* nodes that are no suspects */
	struct tasks tasks;
};

static void add_task(struct suspects *s, size_t a, size_t b)
{
	xgrow((void **)&s->tasks.v, &s->tasks.cap, s->tasks.n, sizeof(*s->tasks.v));
	s->tasks.v[s->tasks.n++] =
		(struct sweep_pair){(uint16_t)(a < b ? a : b), (uint16_t)(a < b ? b : a)};
	s->load[a]++;
	s->load[b]++;
}

static bool is_task(const struct suspects *s, size_t a, size_t b)
{
	size_t low = a < b ? a : b;
	size_t high = a < b ? b : a;

	for (size_t i = 0; i < s->tasks.n; i++)
		if (s->tasks.v[i].a == low && s->tasks.v[i].b == high)
			return true;
	return false;
}

/*
 * The partner of node that has the fewest pairs: a healthy one, of its own group when
 * inside, where there is one. n: nobody.
 */
static size_t choose_partner(const struct suspects *s, size_t node, bool inside)
{
	size_t n = s->req->n;
	size_t best = n;
	uint64_t best_cost = UINT64_MAX;

	for (size_t k = 1; k < n; k++) {
		size_t i = (node + k) % n;
		bool same = s->req->group && s->req->group[i] == s->req->group[node];
		/* A suspect partner only where nobody else is left; a new one; the group; load. */
		uint64_t cost = ((uint64_t)s->suspect[i] << 48) + ((uint64_t)s->met[i] << 40) +
				((uint64_t)(s->req->group && same != inside) << 32) + s->load[i];

		if (cost < best_cost && !is_task(s, node, i)) {
			best = i;
			best_cost = cost;
		}
	}
	return best;
}

static void note_met(struct suspects *s, size_t node)
{
	memset(s->met, 0, s->req->n * sizeof(*s->met));
	for (size_t i = 0; i < s->req->n_met; i++) {
		const struct sweep_pair *p = &s->req->met[i];

		if (p->a == node || p->b == node)
			s->met[p->a == node ? p->b : p->a] = true;
	}
}

/* What the node's own pairs are, those of a suspect link apart. */
static void add_partners(struct suspects *s, size_t node)
{
	size_t want = s->partners;

	if (s->healthy && want > s->healthy)
		want = s->healthy;
	note_met(s, node);
	for (size_t k = 0; k < want; k++) {
		size_t with = choose_partner(s, node, k % 2 == 0);

		if (with == s->req->n || (s->healthy && s->suspect[with]))
			return;
		add_task(s, node, with);
	}
}

/* Healthy nodes that are in a pair already, two by two: as many pairs as make a median. */
static void add_controls(struct suspects *s)
{
	size_t before = s->req->n;
	size_t n = 0;
	size_t want = s->partners > 2 ? s->partners / 2 : 1;

	for (size_t i = 0; i < s->req->n && n < want; i++) {
		if (s->suspect[i] || !s->load[i])
			continue;
		if (before == s->req->n) {
			before = i;
			continue;
		}
		add_task(s, before, i);
		before = s->req->n;
		n++;
	}
}

/* Each task in the first round in which both of its nodes are free. */
static void fill_rounds(struct sweep_plan *p, const struct suspects *s)
{
	size_t n = s->req->n;
	bool *done = xcalloc(s->tasks.n + 1, sizeof(*done));
	bool *busy = xcalloc(n, sizeof(*busy));
	size_t left = s->tasks.n;

	while (left) {
		memset(busy, 0, n * sizeof(*busy));
		for (size_t i = 0; i < s->tasks.n; i++) {
			const struct sweep_pair *t = &s->tasks.v[i];

			if (done[i] || busy[t->a] || busy[t->b])
				continue;
			sweep_add(p, t->a, t->b);
			busy[t->a] = busy[t->b] = done[i] = true;
			left--;
		}
		sweep_close(p);
	}
	free(done);
	free(busy);
}

static enum err_code check(const struct sweep_request *req, struct err *e)
{
	if (!req->n_suspects && !req->n_links)
		return err_set(e, ERR_USAGE,
			"strategy suspects: nobody is suspected (add --suspects HOSTLIST, --links "
			"A:B, or --from FILE with the output of pairs --json)");
	for (size_t i = 0; i < req->n_suspects; i++)
		if (req->suspects[i] >= req->n)
			return err_set(
				e, ERR_BUG, "suspect %zu of %zu nodes", req->suspects[i], req->n);
	for (size_t i = 0; i < req->n_links; i++)
		if (req->links[i].a >= req->n || req->links[i].b >= req->n ||
			req->links[i].a == req->links[i].b)
			return err_set(e, ERR_BUG, "link %u-%u of %zu nodes", req->links[i].a,
				req->links[i].b, req->n);
	for (size_t i = 0; i < req->n_met; i++)
		if (req->met[i].a >= req->n || req->met[i].b >= req->n)
			return err_set(e, ERR_BUG, "met %u-%u of %zu nodes", req->met[i].a,
				req->met[i].b, req->n);
	return ERR_OK;
}

static void mark(struct suspects *s)
{
	const struct sweep_request *req = s->req;

	for (size_t i = 0; i < req->n_suspects; i++)
		s->suspect[req->suspects[i]] = true;
	for (size_t i = 0; i < req->n_links; i++)
		s->suspect[req->links[i].a] = s->suspect[req->links[i].b] = true;
	for (size_t i = 0; i < req->n; i++)
		s->healthy += !s->suspect[i];
}

enum err_code sweep_suspects(struct sweep_plan *p, const struct sweep_request *req, struct err *e)
{
	struct suspects s = {.req = req, .partners = req->partners};
	enum err_code rc = check(req, e);

	if (rc)
		return rc;
	if (!s.partners)
		s.partners = SWEEP_PARTNERS;
	s.suspect = xcalloc(req->n, sizeof(*s.suspect));
	s.load = xcalloc(req->n, sizeof(*s.load));
	s.met = xcalloc(req->n, sizeof(*s.met));
	mark(&s);
	for (size_t i = 0; i < req->n_links; i++)
		for (size_t k = 0; k < SWEEP_LINK_TIMES; k++)
			if (k || !is_task(&s, req->links[i].a, req->links[i].b))
				add_task(&s, req->links[i].a, req->links[i].b);
	for (size_t i = 0; i < req->n; i++)
		if (s.suspect[i])
			add_partners(&s, i);
	add_controls(&s);
	fill_rounds(p, &s);
	free(s.suspect);
	free(s.load);
	free(s.met);
	free(s.tasks.v);
	return ERR_OK;
}
