/* The sentences of an attribution: what is slow, why that and nothing else, what to do. */
#include "rules/attribution_model.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "collectors/text.h"

#define SENTENCE_MAX 400
#define WHY_MAX      64
/* Of a kind; the rest is counted. */
#define EACH_MAX 16
/* Nodes named in one sentence. */
#define NAMED_MAX 6

struct talk {
	struct attribution *at;
	const struct attribution_model *m;
	const struct pair_set *set;
	bool ok;
};

ATTR_PRINTF(2, 3) static void say(struct talk *t, const char *fmt, ...)
{
	char line[SENTENCE_MAX];
	char clean[SENTENCE_MAX];
	va_list ap;
	char *kept;

	if (!t->ok || t->at->n_why == WHY_MAX)
		return;
	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	/* A long name may have been cut inside a character. */
	kept = arena_strndup(
		&t->at->arena, clean, text_printable(clean, sizeof(clean), line, strlen(line)));
	t->ok = kept != NULL;
	if (kept)
		t->at->why[t->at->n_why++] = kept;
}

static const char *name_of(const struct talk *t, size_t node)
{
	const char *name = t->set->nodes[node].name;

	return name ? name : "?";
}

static double percent(double share)
{
	return 100 * share;
}

static const char *plural(size_t n)
{
	return n == 1 ? "" : "s";
}

static void say_not_enough(struct talk *t)
{
	say(t,
		"Too little was measured to say who is slow: %zu pair%s among %zu node%s. "
		"Each node needs %d partners or more, and there should be 4 nodes or more.",
		t->m->pairs, plural(t->m->pairs), t->m->place.measured,
		plural(t->m->place.measured), PARTNERS_MIN);
}

static void say_nodes(struct talk *t)
{
	static const char all[] = "its partners are fine with others";
	static const char some[] = "its other pairs are not: part of its paths, or busy for a time";
	const struct attribution *at = t->at;

	for (size_t i = 0; i < at->n_nodes && i < EACH_MAX; i++) {
		const struct suspect_node *s = &at->nodes[i];

		say(t, "%s: %zu of %zu pairs are %.0f %% below what their class reaches; %s.",
			name_of(t, s->node), s->agree, s->pairs, percent(s->deficit),
			2 * s->agree < s->pairs ? some : all);
	}
	if (at->n_nodes > EACH_MAX)
		say(t, "%zu more nodes are slow in the same way.", at->n_nodes - EACH_MAX);
	if (2 * at->n_nodes > t->m->place.measured)
		say(t, "More than half of the nodes are slower than the best: it may be the others "
		       "that "
		       "are special. Compare with an earlier sweep.");
}

/* Where every node of a group is slow, what they share is the first thing to look at. */
static void say_group(struct talk *t, int l, size_t g)
{
	static const char *const names[LEVELS] = {"AZ", "spine", "leaf", "ultraserver"};
	const struct layout *p = &t->m->place;
	const uint16_t *member = p->member[l] + p->first[l][g];
	size_t n = p->first[l][g + 1] - p->first[l][g];

	for (size_t i = 0; i < n; i++)
		if (!t->m->blamed[member[i]])
			return;
	if (n > 1)
		say(t, "All %zu nodes of %s %s are slow: look at what they share first.", n,
			names[l], p->group_name[l][g]);
	else if (l == LEVEL_LEAF && layout_has_level(p, l))
		say(t, "%s is alone in leaf %s: slow uplinks of the leaf would look the same.",
			name_of(t, member[0]), p->group_name[l][g]);
}

static void say_shared(struct talk *t)
{
	for (int l = LEVELS - 1; l >= 0; l--)
		for (size_t g = 0; g < t->m->place.n_groups[l]; g++)
			if (t->m->place.distinct[l] > 1)
				say_group(t, l, g);
}

static void say_links(struct talk *t)
{
	const struct attribution *at = t->at;

	for (size_t i = 0; i < at->n_links && i < EACH_MAX; i++) {
		const struct suspect_link *s = &at->links[i];
		bool little = at->tested[s->a] != TESTED_WELL || at->tested[s->b] != TESTED_WELL;

		say(t, "%s with %s: %zu readings agree on %.1f GB/s, %.0f %% below %.1f; %s.",
			name_of(t, s->a), name_of(t, s->b), s->readings, s->evidence.busbw_gbps,
			percent(s->deficit), s->evidence.expected_gbps,
			little ? "one of both has too few other pairs to tell whether it is the "
				 "node"
			       : "both nodes are fine with others, so it is the path between them");
	}
	if (t->m->links_everywhere)
		say(t,
			"%zu slow pairs that no node and no class explains are too many for broken "
			"links: "
			"was the network in use, or does the placement miss something?",
			at->n_links);
	if (at->n_links > EACH_MAX)
		say(t, "%zu more pairs are slow in the same way.", at->n_links - EACH_MAX);
}

static void say_topology(struct talk *t)
{
	const struct attribution *at = t->at;
	double loss = percent(at->topology_effect);

	if (at->topology == TOPOLOGY_NONE)
		return;
	if (at->topology == TOPOLOGY_INSTANCE_TYPE)
		say(t,
			"Instance types differ (%s): those pairs are %.0f %% apart from the "
			"commonest "
			"type's. That is the hardware; each type is compared with itself.",
			at->topology_where, loss);
	else if (t->m->fit->n_uplinks > 0)
		say(t,
			"Pairs that leave %s are %.0f %% slower than pairs among the others; "
			"within it "
			"they are fine: its uplinks are slow, not its nodes.",
			at->topology_where, loss);
	else
		say(t,
			"Pairs in a different %s (%s) are %.0f %% slower than pairs in the same "
			"one, all "
			"alike: that is the distance, no node is to blame for it.",
			topology_class_name(at->topology), at->topology_where, loss);
	if (t->m->choice.runner_up != TOPOLOGY_NONE && at->topology_confidence < 0.9)
		say(t, "\"%s\" explains the same pairs nearly as well.",
			topology_class_name(t->m->choice.runner_up));
}

static void say_transients(struct talk *t)
{
	const struct attribution *at = t->at;
	size_t retest = 0;
	char names[SENTENCE_MAX / 2] = "";
	size_t used = 0;

	for (size_t i = 0; i < at->n_transients; i++) {
		const struct transient *x = &at->transients[i];

		if (x->retest && retest++ < NAMED_MAX / 2 && used < sizeof(names))
			used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%s with %s",
				retest > 1 ? ", " : "", name_of(t, x->a), name_of(t, x->b));
	}
	if (retest > 0)
		say(t,
			"%zu pair%s low in the only reading there is (%s%s): a slow link or a "
			"passing "
			"disturbance. Measure again.",
			retest, retest == 1 ? " is" : "s are", names,
			retest > NAMED_MAX / 2 ? ", ..." : "");
	if (at->n_transients > retest)
		say(t,
			"%zu of %zu readings are far below the other readings of their pair: "
			"passing "
			"disturbances, nobody is blamed for them.",
			at->n_transients - retest, t->m->readings);
}

/* A few names of those for whom is_one(t, node) holds, then "...". */
static size_t list(const struct talk *t, bool (*is_one)(const struct talk *t, size_t node),
	char names[SENTENCE_MAX / 2])
{
	size_t used = 0;
	size_t n = 0;

	names[0] = '\0';
	for (size_t a = 0; a < t->at->n; a++) {
		if (!is_one(t, a))
			continue;
		if (n < NAMED_MAX && used < SENTENCE_MAX / 2)
			used += (size_t)snprintf(names + used, SENTENCE_MAX / 2 - used, "%s%s",
				n > 0 ? ", " : "", name_of(t, a));
		else if (n == NAMED_MAX && used < SENTENCE_MAX / 2)
			used += (size_t)snprintf(names + used, SENTENCE_MAX / 2 - used, ", ...");
		n++;
	}
	return n;
}

static bool is_little(const struct talk *t, size_t a)
{
	return t->at->tested[a] == TESTED_LITTLE;
}

static bool is_untested(const struct talk *t, size_t a)
{
	return t->at->tested[a] == TESTED_NOT;
}

static bool is_apart(const struct talk *t, size_t a)
{
	return t->m->apart && t->m->apart[a];
}

static void say_tested(struct talk *t)
{
	char names[SENTENCE_MAX / 2];
	size_t n = list(t, is_little, names);

	if (n > 0)
		say(t, "%zu node%s too few (healthy) partners to tell it from them: %s.", n,
			n == 1 ? " has" : "s have", names);
	n = list(t, is_untested, names);
	if (n > 0)
		say(t, "%zu node%s measured with nobody: %s.", n, n == 1 ? " was" : "s were",
			names);
}

static void say_apart(struct talk *t)
{
	char names[SENTENCE_MAX / 2];
	size_t n = list(t, is_apart, names);

	if (n > 0)
		say(t,
			"%zu nodes are slow with all others but fast among each other: it is what "
			"stands "
			"between them and the rest (a leaf, a spine, an AZ that the placement does "
			"not "
			"tell), not they: %s.",
			n, names);
}

static void say_placement(struct talk *t)
{
	const struct layout *p = &t->m->place;
	size_t placed = 0;
	bool possible = p->n_types > 1;

	for (int l = 0; l < LEVELS; l++) {
		placed = p->placed[l] > placed ? p->placed[l] : placed;
		possible |= layout_has_level(p, l);
	}
	if (placed == 0)
		say(t, "Placement (AZ, spine, leaf) is not known: pairs were not split into "
		       "classes, a "
		       "slow part of the network would look like slow nodes. Give it with "
		       "--nodes.");
	else if (placed < p->measured)
		say(t, "Placement is not known for %zu of %zu measured nodes.",
			p->measured - placed, p->measured);
	else if (!possible)
		say(t, "All nodes stand in the same place: there are no classes of pairs to "
		       "compare.");
}

static void say_healthy(struct talk *t)
{
	const struct attribution *at = t->at;

	if (t->m->fit->floor > 2 * DEFICIT_MIN)
		say(t,
			"Nodes differ a lot from each other: only one more than %.0f %% below the "
			"others "
			"would stand out.",
			percent(1 - exp(-t->m->fit->floor)));
	if (at->n_nodes == 0 && at->n_links == 0 && t->m->n_apart == 0)
		say(t,
			"No node and no link is slow: healthy pairs differ by %.1f %% (one "
			"standard "
			"deviation) about what their class reaches.",
			percent(t->m->fit->scale));
}

bool say_why(struct attribution *at, const struct attribution_model *m, const struct pair_set *set)
{
	struct talk t = {at, m, set, true};

	at->why = arena_alloc(&at->arena, WHY_MAX * sizeof(*at->why));
	if (!at->why)
		return false;
	if (at->enough) {
		say_nodes(&t);
		say_shared(&t);
		say_links(&t);
		say_topology(&t);
		say_apart(&t);
		say_healthy(&t);
		say_transients(&t);
	} else {
		say_not_enough(&t);
	}
	say_tested(&t);
	if (at->enough)
		say_placement(&t);
	if (m->ignored > 0)
		say(&t,
			"%zu reading%s no bandwidth of any network (zero, negative, not a number, "
			"too "
			"large): left out.",
			m->ignored, m->ignored == 1 ? " is" : "s are");
	return t.ok;
}
