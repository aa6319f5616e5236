#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collectors/xmalloc.h"
#include "tui/heat.h"
#include "tui/input.h"

/* What a node is ordered by. */
struct place {
	const struct fleet_node *node;
	uint16_t index;
	double deficit; /* of a suspect; 0 none */
	bool tested;
};

/* "node2" before "node10": runs of digits compare as numbers. */
static int natural(const char *a, const char *b)
{
	while (*a && *b) {
		if (isdigit((unsigned char)*a) && isdigit((unsigned char)*b)) {
			char *a_end;
			char *b_end;
			unsigned long long x = strtoull(a, &a_end, 10);
			unsigned long long y = strtoull(b, &b_end, 10);

			if (x != y)
				return x < y ? -1 : 1;
			a = a_end;
			b = b_end;
		} else if (*a != *b) {
			return (unsigned char)*a < (unsigned char)*b ? -1 : 1;
		} else {
			a++;
			b++;
		}
	}
	return *a ? 1 : *b ? -1 : 0;
}

/* Names of places; the unknown after the known. */
static int by_name(const char *a, const char *b)
{
	if (!a || !b)
		return (!a) - (!b);
	return natural(a, b);
}

static int by_place(const struct fleet_node *a, const struct fleet_node *b)
{
	int c = by_name(a->az, b->az);

	if (!c)
		c = by_name(a->spine, b->spine);
	if (!c)
		c = by_name(a->ultraserver, b->ultraserver);
	return c ? c : by_name(a->leaf, b->leaf);
}

static int compare(const void *x, const void *y)
{
	const struct place *a = x;
	const struct place *b = y;
	int c = by_place(a->node, b->node);

	if (!c)
		c = (int)b->tested - (int)a->tested;
	if (!c && a->deficit != b->deficit)
		c = a->deficit > b->deficit ? -1 : 1;
	if (!c)
		c = by_name(a->node->name, b->node->name);
	return c ? c : (int)a->index - (int)b->index;
}

static bool wanted(const struct fleet_node *n, const char *words)
{
	char text[1024];

	if (!words[0])
		return true;
	snprintf(text, sizeof(text), "%s %s %s %s %s %s %s", n->name,
		n->instance_id ? n->instance_id : "", n->az ? n->az : "", n->spine ? n->spine : "",
		n->leaf ? n->leaf : "", n->ultraserver ? n->ultraserver : "",
		n->instance_type ? n->instance_type : "");
	return input_matches(words, text);
}

void heat_axis_make(struct heat_axis *a, const struct pair_set *set, const struct attribution *at,
	const char *words)
{
	struct place *places = xcalloc(set->n + 1, sizeof(*places));
	double *deficit = xcalloc(set->n + 1, sizeof(*deficit));

	heat_axis_release(a);
	for (size_t i = 0; i < at->n_nodes; i++)
		deficit[at->nodes[i].node] = at->nodes[i].deficit;
	for (size_t i = 0; i < set->n; i++)
		if (wanted(&set->nodes[i], words))
			places[a->n++] = (struct place){&set->nodes[i], (uint16_t)i, deficit[i],
				at->tested[i] != TESTED_NOT};
	qsort(places, a->n, sizeof(*places), compare);
	a->node = xcalloc(a->n + 1, sizeof(*a->node));
	a->border = xcalloc(a->n + 1, sizeof(*a->border));
	a->at = xcalloc(set->n + 1, sizeof(*a->at));
	for (size_t i = 0; i < set->n; i++)
		a->at[i] = UINT16_MAX;
	for (size_t i = 0; i < a->n; i++) {
		a->node[i] = places[i].index;
		a->at[places[i].index] = (uint16_t)i;
		a->border[i] = i > 0 && by_place(places[i - 1].node, places[i].node) != 0;
	}
	free(places);
	free(deficit);
}

void heat_axis_release(struct heat_axis *a)
{
	free(a->node);
	free(a->border);
	free(a->at);
	*a = (struct heat_axis){0};
}
