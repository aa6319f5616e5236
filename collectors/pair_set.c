#include "collectors/pair_set.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "collectors/xmalloc.h"

/* Strings of a set: names of nodes, paths, lines. */
#define SET_ARENA_MAX ((size_t)256 << 20)

/* Position of the pair (a, a + 1): where the row of a begins. */
static size_t row_start(size_t n, size_t a)
{
	return a * n - a * (a + 1) / 2;
}

void pair_nodes(size_t n, size_t p, size_t *a, size_t *b)
{
	/* The root of row_start(a) <= p is near; rounding may miss it by one. */
	double half = (double)n - 0.5;
	size_t row = (size_t)(half - sqrt(fmax(0, half * half - 2.0 * (double)p)));

	while (row > 0 && row_start(n, row) > p)
		row--;
	while (row + 2 < n && row_start(n, row + 1) <= p)
		row++;
	*a = row;
	*b = row + 1 + (p - row_start(n, row));
}

const struct pair_reading *pair_set_readings(
	const struct pair_set *s, size_t a, size_t b, size_t *count)
{
	*count = 0;
	if (a == b || a >= s->n || b >= s->n)
		return NULL;
	size_t p = pair_index(s->n, a, b);

	*count = s->first[p + 1] - s->first[p];
	return *count ? s->readings + s->first[p] : NULL;
}

static int by_value(const void *a, const void *b)
{
	float x = *(const float *)a;
	float y = *(const float *)b;

	return (x > y) - (x < y);
}

static double median_of(const struct pair_reading *r, size_t n)
{
	float few[16];
	float *v = n <= 16 ? few : xmalloc(n * sizeof(*v));

	for (size_t i = 0; i < n; i++)
		v[i] = r[i].busbw_gbps;
	qsort(v, n, sizeof(*v), by_value);
	double m = n % 2 ? v[n / 2] : ((double)v[n / 2 - 1] + v[n / 2]) / 2;

	if (v != few)
		free(v);
	return m;
}

double pair_set_busbw(const struct pair_set *s, size_t a, size_t b)
{
	size_t n;
	const struct pair_reading *r = pair_set_readings(s, a, b, &n);

	if (n == 0)
		return NAN;
	return n == 1 ? (double)r->busbw_gbps : median_of(r, n);
}

struct pair_set *pair_set_new(const struct fleet *fleet, const struct pair_key *key)
{
	struct pair_set *s = xcalloc(1, sizeof(*s));

	arena_init(&s->arena, SET_ARENA_MAX);
	s->key = *key;
	s->n = fleet->n;
	s->nodes = fleet_nodes_copy(fleet, &s->arena);
	s->first = xcalloc(pair_count(s->n) + 1, sizeof(*s->first));
	return s;
}

void pair_set_fill(struct pair_set *s, const uint16_t *a, const uint16_t *b,
	const struct pair_reading *readings, size_t n)
{
	size_t pairs = pair_count(s->n);

	s->readings = xreallocarray(s->readings, n + 1, sizeof(*s->readings));
	memset(s->first, 0, (pairs + 1) * sizeof(*s->first));
	s->n_readings = 0;
	s->measured = 0;
	/* Counting sort by pair, stable: counts, then starts, then places. */
	for (size_t i = 0; i < n; i++)
		if (a[i] != b[i])
			s->first[pair_index(s->n, a[i], b[i]) + 1]++;
	for (size_t p = 0; p < pairs; p++) {
		s->measured += s->first[p + 1] > 0;
		s->first[p + 1] += s->first[p];
	}
	s->n_readings = s->first[pairs];
	for (size_t i = 0; i < n; i++)
		if (a[i] != b[i])
			s->readings[s->first[pair_index(s->n, a[i], b[i])]++] = readings[i];
	/* Each start has moved to its end, which is the next one's start. */
	memmove(s->first + 1, s->first, pairs * sizeof(*s->first));
	s->first[0] = 0;
}

struct pair_set *pair_set_make(const struct fleet *fleet, const struct pair_key *key,
	const uint16_t *a, const uint16_t *b, const float *busbw_gbps, size_t n_readings)
{
	struct pair_set *s = pair_set_new(fleet, key);
	struct pair_reading *r = xcalloc(n_readings + 1, sizeof(*r));

	for (size_t i = 0; i < n_readings; i++)
		r[i].busbw_gbps = busbw_gbps[i];
	pair_set_fill(s, a, b, r, n_readings);
	free(r);
	s->sources = xcalloc(1, sizeof(*s->sources));
	s->sources[0] = (struct pair_source){
		.path = "", .other_busbw_gbps = NAN, .hosts_from = BW_HOSTS_COLUMNS};
	s->n_sources = 1;
	s->files = 1;
	return s;
}

void pair_set_free(struct pair_set *s)
{
	if (!s)
		return;
	free(s->nodes);
	free(s->readings);
	free(s->first);
	free(s->sources);
	free(s->failures);
	free(s->troubles);
	free(s->alternatives);
	arena_release(&s->arena);
	free(s);
}
