/* Comparing numbers that never agree to the last digit: clocks. */
#include "rules/drift_scan.h"
#include "rules/pair_facts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collectors/xmalloc.h"

static int by_number(const void *a, const void *b)
{
	const struct numbered *x = a;
	const struct numbered *y = b;

	int groups = x->group == y->group ? 0 : strcmp(x->group, y->group);

	if (groups)
		return groups;
	return (x->number > y->number) - (x->number < y->number);
}

static void report_numbers(
	struct drift *s, const struct numbered *all, size_t n, struct rule_tally *tally)
{
	struct judging *j = s->j;
	double median = all[n / 2].number;
	size_t *odd = xcalloc(n, sizeof(*odd));
	size_t odd_n = 0;
	const struct numbered *worst = &all[0];
	int64_t newest = -1;

	for (size_t i = 0; i < n; i++) {
		if (fabs(all[i].number - median) > fabs(worst->number - median))
			worst = &all[i];
		if (fabs(all[i].number - median) > s->rule->threshold)
			odd[odd_n++] = all[i].node;
		newest = all[i].mono_ms > newest ? all[i].mono_ms : newest;
	}
	/* Two nodes: the median is one of them, and neither is the right one. */
	bool majority = n >= DRIFT_GROUP_MIN && odd_n * 2 < n;

	qsort(odd, odd_n, sizeof(*odd), drift_by_node);
	struct hit hit = {.rule = s->rule,
		.node = SIZE_MAX,
		.severity = s->rule->severity,
		.reading_mono_ms = newest,
		.distinct = 2,
		.peers = all[0].group,
		.first_node = majority && odd_n ? odd[0] : SIZE_MAX,
		.nodes = odd,
		.nodes_n = majority ? odd_n : 0,
		.same_n = majority ? n - odd_n : 0,
		.differ_n = majority ? odd_n : 0};
	bool fires = odd_n > 0;

	hit.key = hysteresis_key(s->rule->id, all[0].group, (const char *)NULL);
	hit.said.number = worst->number - median;
	snprintf(hit.said.value, sizeof(hit.said.value), "%+.1f", hit.said.number);
	if (majority) {
		char text[160];

		snprintf(text, sizeof(text), "%zu same, %zu differ%s: %s", hit.same_n, odd_n,
			odd_n == 1 ? "s" : "", finding_fold_nodes(j, odd, odd_n, 48));
		hit.summary = drift_keep(j, text);
	} else {
		hit.summary = "no majority";
	}
	tally->fired += majority ? odd_n : fires ? n : 0;
	tally->ok += majority ? n - odd_n : fires ? 0 : n;
	if ((fires || s->rule->for_samples > 1) && finding_observe(j, &hit, fires))
		finding_add(j, &hit);
	free(odd);
}

void drift_take_number(struct drift *s, size_t i)
{
	struct judging *j = s->j;
	struct signal_ctx c = {.snap = j->snap,
		.node = &j->snap->nodes[i],
		.facts = &j->facts[i],
		.fleet = j->fleet,
		.out = &j->samples,
		.pair = pair_facts_node(j->fleet->pairs, i)};
	enum verdict v = VERDICT_NOT_APPLICABLE;
	double number = 0;

	if (s->groups[i]) {
		enum signal_state st = signal_eval(s->signal, &c);

		if (st == SIGNAL_UNKNOWN)
			v = VERDICT_UNKNOWN;
		else if (st == SIGNAL_SAMPLED && value_number(&j->samples.items[0].value, &number))
			v = VERDICT_OK;
		else if (st == SIGNAL_SAMPLED && j->samples.items[0].value.state != OPT_UNSUPPORTED)
			v = VERDICT_UNKNOWN;
	}
	drift_count_known(v, s->tally, &j->jm->nodes[i]);
	if (v != VERDICT_OK)
		return;
	const struct section *sec = j->samples.items[0].section;

	s->numbers[s->n_numbers++] =
		(struct numbered){number, i, sec ? sec->meta.mono_ms : -1, s->groups[i]};
}

void drift_report_numbers(struct drift *s)
{
	struct numbered *all = s->numbers;
	size_t n = s->n_numbers;

	if (n)
		qsort(all, n, sizeof(*all), by_number);
	for (size_t i = 0; i < n;) {
		size_t end = i;

		while (end < n && drift_same(all[end].group, all[i].group))
			end++;
		if (end - i > 1)
			report_numbers(s, all + i, end - i, s->tally);
		else
			s->tally->ok++;
		i = end;
	}
}
