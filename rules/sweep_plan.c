#include "rules/sweep_plan.h"

#include <stdlib.h>
#include <string.h>

#include "collectors/xmalloc.h"
#include "rules/sweep_build.h"

static const char *const strategy_names[] = {
	[SWEEP_FULL] = "full",
	[SWEEP_FAST] = "fast",
	[SWEEP_SUSPECTS] = "suspects",
};

static const char *const runner_names[] = {
	[SWEEP_SLURM] = "slurm",
	[SWEEP_MPI] = "mpi",
	[SWEEP_K8S] = "k8s",
};

const char *sweep_strategy_name(enum sweep_strategy s)
{
	return strategy_names[s];
}

const char *sweep_runner_name(enum sweep_runner r)
{
	return runner_names[r];
}

static bool find_name(const char *const *names, size_t n, const char *name, size_t *at)
{
	for (*at = 0; *at < n; ++*at)
		if (strcmp(names[*at], name) == 0)
			return true;
	return false;
}

bool sweep_strategy_by_name(const char *name, enum sweep_strategy *out)
{
	size_t at;

	if (!find_name(strategy_names, ARRAY_LEN(strategy_names), name, &at))
		return false;
	*out = (enum sweep_strategy)at;
	return true;
}

bool sweep_runner_by_name(const char *name, enum sweep_runner *out)
{
	size_t at;

	if (!find_name(runner_names, ARRAY_LEN(runner_names), name, &at))
		return false;
	*out = (enum sweep_runner)at;
	return true;
}

/* ---- making ---- */

struct sweep_plan *sweep_new(const struct sweep_request *req)
{
	struct sweep_plan *p = xcalloc(1, sizeof(*p));

	p->strategy = req->strategy;
	p->n = req->n;
	p->first = xcalloc(1, sizeof(*p->first));
	return p;
}

void sweep_add(struct sweep_plan *p, size_t a, size_t b)
{
	xgrow((void **)&p->pairs, &p->pairs_cap, p->n_pairs, sizeof(*p->pairs));
	p->pairs[p->n_pairs++] = (struct sweep_pair){
		(uint16_t)(a < b ? a : b),
		(uint16_t)(a < b ? b : a),
	};
}

void sweep_close(struct sweep_plan *p)
{
	if (p->first[p->rounds] == p->n_pairs)
		return;
	p->rounds++;
	p->first = xreallocarray(p->first, p->rounds + 1, sizeof(*p->first));
	p->first[p->rounds] = p->n_pairs;
}

size_t sweep_circle_partner(size_t m, size_t r, size_t i)
{
	size_t turn = m - 1;

	if (i == turn)
		return r;
	if (i == r)
		return turn;
	return (2 * r + turn - i) % turn;
}

void sweep_circle(struct sweep_plan *p, const size_t *order, size_t rounds)
{
	size_t m = p->n + p->n % 2; /* an odd number is made even by a node that is not there */

	for (size_t r = 0; r < rounds; r++) {
		for (size_t i = 0; i < p->n; i++) {
			size_t k = sweep_circle_partner(m, r, i);

			if (k > i && k < p->n)
				sweep_add(p, order[i], order[k]);
		}
		sweep_close(p);
	}
}

static void full(struct sweep_plan *p, size_t rounds)
{
	size_t most = p->n - 1 + p->n % 2;
	size_t *order = xcalloc(p->n, sizeof(*order));

	for (size_t i = 0; i < p->n; i++)
		order[i] = i;
	sweep_circle(p, order, rounds && rounds < most ? rounds : most);
	free(order);
}

uint64_t sweep_mix(uint64_t x)
{
	x += 0x9e3779b97f4a7c15u;
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
	return x ^ (x >> 31);
}

void sweep_shuffle(size_t *v, size_t n, uint64_t seed)
{
	for (size_t i = n; i > 1; i--) {
		size_t k = (size_t)(sweep_mix(seed + i) % i);
		size_t t = v[i - 1];

		v[i - 1] = v[k];
		v[k] = t;
	}
}

/* ---- the whole ---- */

static enum err_code check(const struct sweep_request *req, struct err *e)
{
	size_t rounds = req->rounds;

	if (req->n < 2)
		return err_set(e, ERR_USAGE,
			"a sweep of %zu node%s: there is no pair (name at least two nodes)", req->n,
			req->n == 1 ? "" : "s");
	if (req->n > SWEEP_NODES_MAX)
		return err_set(e, ERR_USAGE,
			"a sweep of %zu nodes: at most %d can be planned (name fewer)", req->n,
			SWEEP_NODES_MAX);
	if (req->strategy == SWEEP_FAST && !rounds)
		rounds = sweep_fast_rounds(req->n);
	if (!rounds || rounds > req->n)
		rounds = req->n;
	if (req->strategy != SWEEP_SUSPECTS && rounds * (req->n / 2) > SWEEP_PAIRS_MAX)
		return err_set(e, ERR_USAGE,
			"%zu rounds of %zu nodes are more than %d pairs (use --strategy fast, or "
			"fewer --rounds)",
			rounds, req->n, SWEEP_PAIRS_MAX);
	return ERR_OK;
}

/* Full and fast plans have no pair twice. */
static void set_complete(struct sweep_plan *p)
{
	p->complete = p->strategy != SWEEP_SUSPECTS && p->n_pairs == p->n * (p->n - 1) / 2;
}

enum err_code sweep_plan_make(
	struct sweep_plan **out, const struct sweep_request *req, struct err *e)
{
	enum err_code rc = check(req, e);
	struct sweep_plan *p;

	if (rc)
		return rc;
	p = sweep_new(req);
	if (req->strategy == SWEEP_FULL)
		full(p, req->rounds);
	else if (req->strategy == SWEEP_FAST)
		sweep_fast(p, req);
	else
		rc = sweep_suspects(p, req, e);
	if (rc) {
		sweep_plan_free(p);
		return rc;
	}
	set_complete(p);
	*out = p;
	return ERR_OK;
}

void sweep_plan_free(struct sweep_plan *p)
{
	if (!p)
		return;
	free(p->pairs);
	free(p->first);
	free(p);
}
