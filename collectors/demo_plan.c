#include "collectors/demo_plan.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collectors/compiler.h"
#include "collectors/demo_scenario.h"
#include "collectors/xmalloc.h"

static const struct {
	const char *name;
	bool pair;
	bool pct;
} kinds[DEMO_EFFECT_COUNT] = {
	[DEMO_SLOW_NODE] = {"slow_node", false, true},
	[DEMO_SLOW_LINK] = {"slow_link", true, true},
	[DEMO_TRANSIENT] = {"transient", true, true},
	[DEMO_FAILS] = {"fails", true, false},
	[DEMO_CUT] = {"cut", true, false},
	[DEMO_ABSENT] = {"absent", false, false},
};

static const struct demo_plan defaults = {
	.there = true,
	.start_s = 2,
	.round_s = 2,
	.passes = 1,
	.busbw_gbps = 470,
	.noise_pct = 0.6,
};

static const struct {
	const char *name;
	size_t offset;
	bool whole;
	double min;
	double max;
} numbers[] = {
	{"start_s", offsetof(struct demo_plan, start_s), false, 0, 86400},
	{"round_s", offsetof(struct demo_plan, round_s), false, 0.1, 3600},
	{"rounds", offsetof(struct demo_plan, rounds), true, 0, DEMO_NODES_MAX},
	{"passes", offsetof(struct demo_plan, passes), true, 1, 100},
	{"busbw_gbps", offsetof(struct demo_plan, busbw_gbps), false, 0.1, 10000},
	{"noise_pct", offsetof(struct demo_plan, noise_pct), false, 0, 20},
	{"cross_pct", offsetof(struct demo_plan, cross_pct), false, 0, 99},
};

/* ---- reading ---- */

static bool read_node(const struct demo_scenario *sc, const cJSON *item, size_t *out)
{
	if (cJSON_IsString(item))
		*out = demo_scenario_node(sc, item->valuestring);
	else if (cJSON_IsNumber(item) && item->valuedouble >= 0 &&
		 item->valuedouble < (double)sc->n)
		*out = (size_t)item->valuedouble;
	else
		return false;
	return *out < sc->n;
}

static enum err_code read_effect(
	struct demo_scenario *sc, const cJSON *entry, const char *where, struct err *e)
{
	const cJSON *kind = cJSON_GetObjectItemCaseSensitive(entry, "kind");
	const cJSON *pct = cJSON_GetObjectItemCaseSensitive(entry, "pct");
	struct demo_effect *out = &sc->sweep.effects[sc->sweep.n_effects];
	size_t i = 0;

	while (cJSON_IsString(kind) && i < ARRAY_LEN(kinds) &&
		strcmp(kinds[i].name, kind->valuestring) != 0)
		i++;
	if (!cJSON_IsString(kind) || i == ARRAY_LEN(kinds))
		return err_set(e, ERR_PARSE,
			"%s: kind: must be slow_node, slow_link, transient, fails, cut or absent",
			where);
	*out = (struct demo_effect){.kind = (enum demo_effect_kind)i};
	const cJSON *a = cJSON_GetObjectItemCaseSensitive(entry, kinds[i].pair ? "a" : "node");

	if (!read_node(sc, a, &out->a))
		return err_set(
			e, ERR_PARSE, "%s: %s: no such node", where, kinds[i].pair ? "a" : "node");
	out->b = out->a;
	if (kinds[i].pair &&
		(!read_node(sc, cJSON_GetObjectItemCaseSensitive(entry, "b"), &out->b) ||
			out->b == out->a))
		return err_set(e, ERR_PARSE, "%s: b: must be another node", where);
	if (kinds[i].pct &&
		!(cJSON_IsNumber(pct) && pct->valuedouble > 0 && pct->valuedouble < 100))
		return err_set(e, ERR_PARSE, "%s: pct: must be a number between 0 and 100", where);
	out->pct = kinds[i].pct ? pct->valuedouble : 0;
	if (cJSON_GetArraySize(entry) != 2 + kinds[i].pair + kinds[i].pct)
		return err_set(
			e, ERR_PARSE, "%s: a key that %s does not have", where, kinds[i].name);
	sc->sweep.n_effects++;
	return ERR_OK;
}

static enum err_code read_effects(
	struct demo_scenario *sc, const cJSON *list, const char *name, struct err *e)
{
	const cJSON *entry;
	char where[200];
	enum err_code rc = ERR_OK;

	if (!cJSON_IsArray(list))
		return err_set(e, ERR_PARSE, "%s: sweep: effects: must be a list", name);
	sc->sweep.effects =
		xcalloc((size_t)cJSON_GetArraySize(list) + 1, sizeof(*sc->sweep.effects));
	cJSON_ArrayForEach(entry, list)
	{
		snprintf(where, sizeof(where), "%.120s: sweep: effects[%zu]", name,
			sc->sweep.n_effects);
		if (rc == ERR_OK)
			rc = read_effect(sc, entry, where, e);
	}
	return rc;
}

static enum err_code read_number(
	struct demo_plan *p, size_t i, const cJSON *item, const char *name, struct err *e)
{
	char *at = (char *)p + numbers[i].offset;

	if (!cJSON_IsNumber(item) ||
		!(item->valuedouble >= numbers[i].min && item->valuedouble <= numbers[i].max))
		return err_set(e, ERR_PARSE, "%s: sweep: %s: must be a number from %g to %g", name,
			numbers[i].name, numbers[i].min, numbers[i].max);
	if (numbers[i].whole)
		*(int *)(void *)at = (int)item->valuedouble;
	else
		*(double *)(void *)at = item->valuedouble;
	return ERR_OK;
}

static enum err_code read_cross(
	struct demo_plan *p, const cJSON *item, const char *name, struct err *e)
{
	static const char *const levels[] = {"az", "spine", "leaf"};

	for (size_t i = 0; i < ARRAY_LEN(levels) && cJSON_IsString(item); i++) {
		if (strcmp(item->valuestring, levels[i]) != 0)
			continue;
		snprintf(p->cross, sizeof(p->cross), "%s", levels[i]);
		return ERR_OK;
	}
	return err_set(e, ERR_PARSE, "%s: sweep: cross: must be az, spine or leaf", name);
}

static enum err_code read_key(
	struct demo_scenario *sc, const cJSON *item, const char *name, struct err *e)
{
	struct demo_plan *p = &sc->sweep;

	for (size_t i = 0; i < ARRAY_LEN(numbers); i++)
		if (strcmp(numbers[i].name, item->string) == 0)
			return read_number(p, i, item, name, e);
	if (strcmp(item->string, "cross") == 0)
		return read_cross(p, item, name, e);
	if (strcmp(item->string, "effects") == 0)
		return read_effects(sc, item, name, e);
	if (strcmp(item->string, "file_a_round") == 0 && cJSON_IsBool(item)) {
		p->file_a_round = cJSON_IsTrue(item);
		return ERR_OK;
	}
	return err_set(e, ERR_PARSE, "%s: sweep: %.40s: no such key here", name, item->string);
}

enum err_code demo_plan_parse(
	struct demo_scenario *sc, const cJSON *object, const char *name, struct err *e)
{
	struct demo_plan *p = &sc->sweep;
	const cJSON *item;

	if (!cJSON_IsObject(object))
		return err_set(e, ERR_PARSE, "%s: sweep: must be an object", name);
	*p = defaults;
	cJSON_ArrayForEach(item, object)
	{
		enum err_code rc = read_key(sc, item, name, e);

		if (rc != ERR_OK)
			return rc;
	}
	p->nodes = xcalloc(sc->n, sizeof(*p->nodes));
	for (size_t i = 0; i < sc->n; i++)
		if (!demo_plan_has(p, DEMO_ABSENT, i, i))
			p->nodes[p->n++] = i;
	return p->n < 2 ? err_set(e, ERR_PARSE, "%s: sweep: fewer than two nodes take part", name)
			: ERR_OK;
}

void demo_plan_release(struct demo_plan *p)
{
	free(p->effects);
	free(p->nodes);
	*p = (struct demo_plan){.there = false};
}

/* ---- rounds ---- */

/* Places at the table: with an odd number of nodes one of them is empty. */
static size_t places(const struct demo_plan *p)
{
	return p->n + p->n % 2;
}

size_t demo_plan_rounds(const struct demo_plan *p)
{
	size_t all = places(p) - 1;

	return p->rounds > 0 && (size_t)p->rounds < all ? (size_t)p->rounds : all;
}

size_t demo_plan_round_pairs(const struct demo_plan *p)
{
	return places(p) / 2;
}

bool demo_plan_pair(const struct demo_plan *p, size_t round, size_t k, size_t *a, size_t *b)
{
	size_t turn = places(p) - 1; /* who goes round; the last place stands still */
	size_t one = (round + k) % turn;
	size_t two = k == 0 ? turn : (round + turn - k) % turn;

	if (one >= p->n || two >= p->n)
		return false;
	*a = p->nodes[one < two ? one : two];
	*b = p->nodes[one < two ? two : one];
	return true;
}

/* ---- what is measured ---- */

/* splitmix64: spreads neighbouring numbers over all bits. */
static uint64_t mix(uint64_t x)
{
	x += 0x9e3779b97f4a7c15u;
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
	return x ^ (x >> 31);
}

double demo_plan_chance(const struct demo_scenario *sc, size_t a, size_t b, uint64_t salt)
{
	uint64_t h = mix(mix(mix(mix(sc->seed) ^ a) ^ b) ^ salt);

	return (double)(h >> 11) / 9007199254740992.0; /* 2^53 */
}

bool demo_plan_has(const struct demo_plan *p, enum demo_effect_kind kind, size_t a, size_t b)
{
	for (size_t i = 0; i < p->n_effects; i++) {
		const struct demo_effect *f = &p->effects[i];

		if (f->kind == kind && ((f->a == a && f->b == b) || (f->a == b && f->b == a)))
			return true;
	}
	return false;
}

/* The largest loss of that kind that concerns the pair, 0..1. */
static double loss(const struct demo_plan *p, enum demo_effect_kind kind, size_t a, size_t b)
{
	double most = 0;

	for (size_t i = 0; i < p->n_effects; i++) {
		const struct demo_effect *f = &p->effects[i];
		bool mine = kind == DEMO_SLOW_NODE
				    ? f->a == a || f->a == b
				    : (f->a == a && f->b == b) || (f->a == b && f->b == a);

		if (f->kind == kind && mine && f->pct / 100 > most)
			most = f->pct / 100;
	}
	return most;
}

static bool is_across(const struct demo_scenario *sc, size_t a, size_t b)
{
	const struct demo_node *na = &sc->nodes[a];
	const struct demo_node *nb = &sc->nodes[b];

	switch (sc->sweep.cross[0]) {
	case 'a':
		return strcmp(na->group->az, nb->group->az) != 0;
	case 's':
		return strcmp(na->group->spine, nb->group->spine) != 0;
	case 'l':
		return strcmp(na->leaf, nb->leaf) != 0;
	default:
		return false;
	}
}

double demo_plan_busbw(const struct demo_scenario *sc, size_t a, size_t b, int pass)
{
	const struct demo_plan *p = &sc->sweep;
	double noise =
		-2; /* the sum of four numbers in [0, 1) less their mean: near enough normal */
	double v = p->busbw_gbps;

	for (uint64_t i = 0; i < 4; i++)
		noise += demo_plan_chance(sc, a, b, 0x5eed + i + 16 * (uint64_t)pass);
	v *= 1 + noise * sqrt(3) * p->noise_pct / 100;
	if (is_across(sc, a, b))
		v *= 1 - p->cross_pct / 100;
	v *= 1 - loss(p, DEMO_SLOW_NODE, a, b);
	v *= 1 - loss(p, DEMO_SLOW_LINK, a, b);
	if (pass == 0)
		v *= 1 - loss(p, DEMO_TRANSIENT, a, b);
	return v;
}
