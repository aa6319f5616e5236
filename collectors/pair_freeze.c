/* From everything that was read to one consistent set: see pair_set.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "collectors/pair_keep.h"
#include "collectors/xmalloc.h"

/* Of this many sets the pairs are counted; the others have fewer readings anyway. */
#define SETS_COUNTED_MAX 64
/* Lists of a set: what nobody would read to the end. */
#define FAILURES_MAX     4096
#define TROUBLES_MAX     4096
#define ALTERNATIVES_MAX 32

struct freeze {
	const struct pair_store *store;
	struct fleet *fleet;
	struct pair_set *set;
	size_t *node; /* of each host; FLEET_NONE nobody or several */
	const struct kept_file **by_time;
	struct pair_alternative *of_key; /* readings and pairs of each key */
	uint16_t taken;                  /* the key that was taken */
};

/* ---- who the hosts are ---- */

static const char *text(const struct freeze *z, uint32_t id)
{
	return id == STRPOOL_NONE ? NULL : z->store->pool.items[id];
}

/*
 * A host by its instance where the file tells it: pods and jobs use names again. A name
 * that belongs to another instance is then not that node.
 */
static size_t node_of_host(struct freeze *z, const struct kept_host *h)
{
	const char *instance = text(z, h->instance);
	size_t node = instance ? fleet_find(z->fleet, span_of(instance)) : FLEET_NONE;

	if (node != FLEET_NONE)
		return node;
	node = fleet_find_or_add(z->fleet, span_of(text(z, h->name)));
	if (!instance || node == FLEET_NONE)
		return node;
	struct fleet_node *n = &z->fleet->nodes[node];

	if (n->instance_id && strcmp(n->instance_id, instance) != 0)
		return fleet_find_or_add(z->fleet, span_of(instance));
	if (!n->instance_id)
		n->instance_id = fleet_str(z->fleet, span_of(instance));
	fleet_alias(z->fleet, node, span_of(instance));
	return node;
}

static void resolve_hosts(struct freeze *z)
{
	const struct pair_store *s = z->store;

	z->node = xcalloc(s->n_hosts + 1, sizeof(*z->node));
	for (size_t i = 0; i < s->n_hosts; i++)
		z->node[i] = node_of_host(z, &s->hosts[i]);
}

/* ---- files in the order of time ---- */

static int by_wall_ms(const void *a, const void *b)
{
	const struct kept_file *x = *(const struct kept_file *const *)a;
	const struct kept_file *y = *(const struct kept_file *const *)b;

	if (x->wall_ms != y->wall_ms)
		return x->wall_ms < y->wall_ms ? -1 : 1;
	return strcmp(x->path, y->path);
}

static void order_files(struct freeze *z)
{
	const struct pair_store *s = z->store;

	z->by_time = xcalloc(s->n_files + 1, sizeof(*z->by_time));
	for (size_t i = 0; i < s->n_files; i++)
		z->by_time[i] = s->files[i];
	qsort(z->by_time, s->n_files, sizeof(*z->by_time), by_wall_ms);
}

/* ---- which set ---- */

static bool allowed(const struct freeze *z, uint16_t key)
{
	const struct pair_select *sel = &z->store->select;

	return sel->collective == BW_COLL_UNKNOWN ||
	       z->store->keys[key].collective == sel->collective ||
	       (z->store->keys[key].tool == BW_CSV);
}

static bool resolved(const struct freeze *z, const struct kept_reading *r, size_t *a, size_t *b)
{
	*a = z->node[r->a];
	*b = z->node[r->b];
	return *a != FLEET_NONE && *b != FLEET_NONE && *a != *b;
}

static void count_readings(struct freeze *z)
{
	const struct pair_store *s = z->store;

	z->of_key = xcalloc(s->n_keys + 1, sizeof(*z->of_key));
	for (size_t k = 0; k < s->n_keys; k++)
		z->of_key[k].key = s->keys[k];
	for (size_t i = 0; i < s->n_files; i++)
		for (size_t j = 0; j < s->files[i]->n_readings; j++)
			z->of_key[s->files[i]->readings[j].key].runs++;
}

/* Distinct pairs of a key. seen: a bit for each pair of the fleet, zero before and after. */
static size_t count_pairs(const struct freeze *z, uint16_t key, uint8_t *seen, size_t bytes)
{
	const struct pair_store *s = z->store;
	size_t pairs = 0;
	size_t a;
	size_t b;

	for (size_t i = 0; i < s->n_files; i++) {
		for (size_t j = 0; j < s->files[i]->n_readings; j++) {
			const struct kept_reading *r = &s->files[i]->readings[j];

			if (r->key != key || !resolved(z, r, &a, &b))
				continue;
			size_t p = pair_index(z->fleet->n, a, b);

			pairs += !(seen[p / 8] >> p % 8 & 1);
			seen[p / 8] |= (uint8_t)(1u << p % 8);
		}
	}
	memset(seen, 0, bytes);
	return pairs;
}

/* More pairs; then more readings; then the larger size: the figure nearer to the wire. */
static int better(const struct pair_alternative *x, const struct pair_alternative *y)
{
	if (x->pairs != y->pairs)
		return x->pairs < y->pairs ? 1 : -1;
	if (x->runs != y->runs)
		return x->runs < y->runs ? 1 : -1;
	if (x->key.size_bytes != y->key.size_bytes)
		return x->key.size_bytes < y->key.size_bytes ? 1 : -1;
	if (x->key.ranks != y->key.ranks)
		return x->key.ranks < y->key.ranks ? 1 : -1;
	return (int)x->key.collective - (int)y->key.collective;
}

static int by_better(const void *a, const void *b)
{
	return better(a, b);
}

/* The least number of readings that is among the SETS_COUNTED_MAX largest. */
static int by_runs(const void *a, const void *b)
{
	size_t x = ((const struct pair_alternative *)a)->runs;
	size_t y = ((const struct pair_alternative *)b)->runs;

	return (x < y) - (x > y);
}

static size_t least_runs(const struct freeze *z)
{
	size_t n = z->store->n_keys;

	if (n <= SETS_COUNTED_MAX)
		return 0;
	struct pair_alternative *sorted = xcalloc(n, sizeof(*sorted));

	memcpy(sorted, z->of_key, n * sizeof(*sorted));
	qsort(sorted, n, sizeof(*sorted), by_runs);
	size_t least = sorted[SETS_COUNTED_MAX - 1].runs + 1;

	free(sorted);
	return least;
}

static void choose_key(struct freeze *z)
{
	size_t n = z->store->n_keys;
	size_t bytes = pair_count(z->fleet->n) / 8 + 1;
	uint8_t *seen = xcalloc(bytes, 1);
	size_t least = least_runs(z);

	z->taken = UINT16_MAX;
	for (size_t k = 0; k < n; k++) {
		if (!z->of_key[k].runs || z->of_key[k].runs < least)
			continue;
		z->of_key[k].pairs = count_pairs(z, (uint16_t)k, seen, bytes);
		if (allowed(z, (uint16_t)k) && z->of_key[k].pairs &&
			(z->taken == UINT16_MAX || better(&z->of_key[k], &z->of_key[z->taken]) < 0))
			z->taken = (uint16_t)k;
	}
	free(seen);
}

static void list_alternatives(struct freeze *z)
{
	struct pair_set *set = z->set;
	size_t n = z->store->n_keys;

	set->alternatives = xcalloc(n + 1, sizeof(*set->alternatives));
	for (size_t k = 0; k < n; k++)
		if (k != z->taken && z->of_key[k].pairs)
			set->alternatives[set->n_alternatives++] = z->of_key[k];
	qsort(set->alternatives, set->n_alternatives, sizeof(*set->alternatives), by_better);
	if (set->n_alternatives > ALTERNATIVES_MAX)
		set->n_alternatives = ALTERNATIVES_MAX;
}

/* ---- what goes into it ---- */

static const char *copy(struct freeze *z, const char *s)
{
	return s ? arena_strndup(&z->set->arena, s, strlen(s)) : NULL;
}

struct gathered {
	uint16_t *a;
	uint16_t *b;
	struct pair_reading *r;
	size_t n;
};

/* The source of a reading: the run that the file's last one came from, or a new one. */
static uint32_t source_of(
	struct freeze *z, const struct kept_file *f, const struct kept_reading *r, bool first)
{
	struct pair_set *set = z->set;
	const struct kept_reading *before = first ? NULL : r - 1;

	if (before && before->run == r->run && set->n_sources && before->key == r->key &&
		r->run == UINT32_MAX)
		return (uint32_t)set->n_sources - 1;
	const struct pair_run *run = r->run == UINT32_MAX ? NULL : &f->runs[r->run];

	set->sources[set->n_sources] = (struct pair_source){
		.path = set->n_sources &&
					strcmp(set->sources[set->n_sources - 1].path, f->path) == 0
				? set->sources[set->n_sources - 1].path
				: copy(z, f->path),
		.line = run ? run->first_line : 0,
		.wall_ms = f->wall_ms,
		.other_busbw_gbps = run ? f->other[r->run] : NAN,
		.hosts_from = run ? run->hosts_from : BW_HOSTS_COLUMNS,
	};
	return (uint32_t)set->n_sources++;
}

static void take_file(struct freeze *z, struct gathered *g, const struct kept_file *f)
{
	struct pair_set *set = z->set;
	bool first = true;

	for (size_t j = 0; j < f->n_readings; j++) {
		const struct kept_reading *r = &f->readings[j];
		size_t a;
		size_t b;

		if (r->key != z->taken) {
			set->left_out.other_set++;
			continue;
		}
		if (!resolved(z, r, &a, &b)) {
			set->left_out.ambiguous++;
			continue;
		}
		g->a[g->n] = (uint16_t)a;
		g->b[g->n] = (uint16_t)b;
		g->r[g->n++] = (struct pair_reading){r->busbw_gbps, source_of(z, f, r, first)};
		first = false;
	}
	if (!first && f->wall_ms > set->newest_wall_ms)
		set->newest_wall_ms = f->wall_ms;
}

/* Readings other than those of tables need a source each; tables one a file. */
static size_t sources_at_most(const struct freeze *z)
{
	const struct pair_store *s = z->store;
	size_t n = 1;

	for (size_t i = 0; i < s->n_files; i++)
		for (size_t j = 0; j < s->files[i]->n_readings; j++) {
			const struct kept_reading *r = &s->files[i]->readings[j];

			n += r->key == z->taken &&
			     (j == 0 || r->run != UINT32_MAX || r[-1].key != r->key);
		}
	return n;
}

static void take_readings(struct freeze *z)
{
	const struct pair_store *s = z->store;
	size_t n = z->taken == UINT16_MAX ? 0 : z->of_key[z->taken].runs;
	struct gathered g = {xcalloc(n + 1, sizeof(*g.a)), xcalloc(n + 1, sizeof(*g.b)),
		xcalloc(n + 1, sizeof(*g.r)), 0};

	z->set->sources = xcalloc(sources_at_most(z) + 1, sizeof(*z->set->sources));
	for (size_t i = 0; i < s->n_files; i++)
		take_file(z, &g, z->by_time[i]);
	pair_set_fill(z->set, g.a, g.b, g.r, g.n);
	free(g.a);
	free(g.b);
	free(g.r);
}

/* ---- runs without a figure, and what their logs say ---- */

static bool pair_of(const struct freeze *z, const struct pair_run *run, uint16_t *a, uint16_t *b)
{
	if (run->n_hosts != 2)
		return false;
	size_t x = z->node[run->hosts[0]];
	size_t y = z->node[run->hosts[1]];

	if (x == FLEET_NONE || y == FLEET_NONE || x == y)
		return false;
	*a = (uint16_t)(x < y ? x : y);
	*b = (uint16_t)(x < y ? y : x);
	return true;
}

static void add_failure(struct freeze *z, const struct kept_file *f, const struct pair_run *run)
{
	struct pair_set *set = z->set;
	struct pair_failure fail = {
		.status = run->status, .wall_ms = f->wall_ms, .wrong = run->wrong};

	if (set->n_failures == FAILURES_MAX || !pair_of(z, run, &fail.a, &fail.b))
		return;
	fail.why = copy(z, run->why);
	fail.path = copy(z, f->path);
	if (!set->failures)
		set->failures = xcalloc(FAILURES_MAX, sizeof(*set->failures));
	set->failures[set->n_failures++] = fail;
}

/* Why a run gives no figure, in the first words that apply. */
static void sort_out(struct freeze *z, const struct kept_file *f, const struct pair_run *run)
{
	struct pair_left_out *out = &z->set->left_out;

	if (run->running)
		out->running++;
	else if (run->status == BW_NONE)
		out->one_rank++;
	else if (run->wrong)
		out->wrong++;
	else if (run->status == BW_FAILED)
		out->failed++;
	else if (run->status == BW_TRUNCATED)
		out->truncated++;
	else if (run->n_hosts == 0)
		out->no_hosts++;
	else if (run->n_hosts != 2 || !run->even)
		out->not_a_pair++;
	if (!run->running && (run->status == BW_FAILED || run->status == BW_TRUNCATED))
		add_failure(z, f, run);
}

static void add_troubles(struct freeze *z, const struct kept_file *f)
{
	struct pair_set *set = z->set;

	for (size_t i = 0; i < f->n_troubles && set->n_troubles < TROUBLES_MAX; i++) {
		const struct kept_trouble *k = &f->troubles[i];
		struct pair_trouble t = {.what = k->what, .node = FLEET_NONE};

		if (k->host != STRPOOL_NONE)
			t.node = z->node[k->host];
		pair_of(z, &f->runs[k->run], &t.a, &t.b);
		t.line = copy(z, k->line);
		t.path = copy(z, f->path);
		if (!set->troubles)
			set->troubles = xcalloc(TROUBLES_MAX, sizeof(*set->troubles));
		set->troubles[set->n_troubles++] = t;
	}
}

static void take_the_rest(struct freeze *z)
{
	const struct pair_store *s = z->store;
	struct pair_left_out *out = &z->set->left_out;

	for (size_t i = 0; i < s->n_files; i++) {
		const struct kept_file *f = z->by_time[i];

		out->no_size += f->no_size;
		out->no_figure += f->no_figure;
		out->unread += f->unread;
		out->nothing += f->nothing;
		for (size_t j = 0; j < f->n_runs; j++)
			sort_out(z, f, &f->runs[j]);
		add_troubles(z, f);
	}
}

struct pair_set *pair_store_freeze(struct pair_store *s, struct fleet *fleet)
{
	struct freeze z = {.store = s, .fleet = fleet};
	struct pair_key none = {0};

	resolve_hosts(&z);
	order_files(&z);
	count_readings(&z);
	choose_key(&z);
	z.set = pair_set_new(fleet, z.taken == UINT16_MAX ? &none : &s->keys[z.taken]);
	z.set->in_place = s->select.in_place;
	z.set->files = s->n_files;
	list_alternatives(&z);
	take_readings(&z);
	take_the_rest(&z);
	free(z.node);
	free(z.by_time);
	free(z.of_key);
	return z.set;
}
