/* doctor.h: can each node be reached, and where does the time go. */
#include "tui/doctor.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collectors/hostlist.h"
#include "collectors/xmalloc.h"
#include "tui/collect_once.h"

#define STEPS_MAX  8
#define SLOW_SHOWN 5
#define NAMES_SIZE 1024
#define PUBLISH_MS 20 /* so that a step is timed to about this */

/* What a node was seen doing, and since when. */
struct step {
	char name[40];
	int64_t since_ms;
};

struct course {
	struct step steps[STEPS_MAX];
	size_t n;
	int64_t done_ms; /* 0: not yet */
	bool ok;
};

struct watch {
	struct course *courses;
	size_t n;
	int64_t started_ms;
};

static bool is_done(const struct node *n)
{
	return n->state == NODE_OK || n->state == NODE_FAILED || n->state == NODE_STALE;
}

static void watch_node(struct course *c, const struct node *n, int64_t now_ms)
{
	const char *what = n->error && !n->err ? n->error : node_state_name(n->state);

	if (c->done_ms || n->state == NODE_PENDING)
		return;
	if (is_done(n)) {
		c->done_ms = now_ms;
		c->ok = n->state == NODE_OK;
		return;
	}
	if (c->n && strcmp(c->steps[c->n - 1].name, what) == 0)
		return;
	if (c->n == STEPS_MAX)
		return;
	snprintf(c->steps[c->n].name, sizeof(c->steps[c->n].name), "%s", what);
	c->steps[c->n++].since_ms = now_ms;
}

static void watch_snapshot(void *ctx, const struct snapshot *snap)
{
	struct watch *w = ctx;

	if (!w->courses) {
		w->n = snap->n;
		w->courses = xcalloc(snap->n, sizeof(*w->courses));
		w->started_ms = snap->mono_ms;
	}
	for (size_t i = 0; i < w->n && i < snap->n; i++)
		watch_node(&w->courses[i], &snap->nodes[i], snap->mono_ms);
}

static int64_t course_ms(const struct course *c)
{
	return c->n ? c->done_ms - c->steps[0].since_ms : 0;
}

/* "connecting 12 ms, key exchange 80 ms, probing 300 ms" */
static void course_text(const struct course *c, char *out, size_t size)
{
	size_t used = 0;

	out[0] = '\0';
	for (size_t i = 0; i < c->n && used < size; i++) {
		int64_t end = i + 1 < c->n ? c->steps[i + 1].since_ms : c->done_ms;

		used += (size_t)snprintf(out + used, size - used, "%s%s %" PRId64 " ms",
			i ? ", " : "", c->steps[i].name, end - c->steps[i].since_ms);
	}
}

struct timed {
	size_t node;
	int64_t ms;
};

static int by_time(const void *a, const void *b)
{
	const struct timed *x = a;
	const struct timed *y = b;

	if (x->ms != y->ms)
		return x->ms > y->ms ? -1 : 1;
	return x->node < y->node ? -1 : x->node > y->node;
}

static void say_times(struct doctor *d, const struct watch *w, const struct snapshot *snap)
{
	struct timed *list = xcalloc(w->n ? w->n : 1, sizeof(*list));
	char text[400];
	size_t n = 0;

	for (size_t i = 0; i < w->n; i++)
		if (w->courses[i].ok && w->courses[i].n)
			list[n++] = (struct timed){i, course_ms(&w->courses[i])};
	if (n) {
		qsort(list, n, sizeof(*list), by_time);
		doctor_say(d, SEVERITY_OK,
			"%zu of %zu nodes answered: %" PRId64 " ms at the median, %" PRId64
			" ms at most "
			"(steps are timed to about %d ms)",
			n, snap->n, list[n / 2].ms, list[0].ms, PUBLISH_MS);
	}
	for (size_t i = 0; i < n && i < SLOW_SHOWN; i++) {
		course_text(&w->courses[list[i].node], text, sizeof(text));
		page_item(d->page, PAGE_INDENT, "slowest: ", "%s: %s",
			snap->nodes[list[i].node].name, text);
	}
	free(list);
}

struct trouble {
	const char *why;
	const char *node;
};

static int by_why(const void *a, const void *b)
{
	const struct trouble *x = a;
	const struct trouble *y = b;
	int c = strcmp(x->why, y->why);

	return c ? c : hostlist_compare(x->node, y->node);
}

/* Nodes with the same reason in one line; each reason says what to do. */
static void say_troubles(struct doctor *d, struct trouble *list, size_t n)
{
	const char **names = xcalloc(n ? n : 1, sizeof(*names));
	char folded[NAMES_SIZE];

	if (n)
		qsort(list, n, sizeof(*list), by_why);
	for (size_t i = 0; i < n;) {
		size_t j = i;

		for (; j < n && strcmp(list[i].why, list[j].why) == 0; j++)
			names[j - i] = list[j].node;
		hostlist_fold(names, j - i, folded, 300);
		doctor_say(d, SEVERITY_CONCERN, "%s: %s", folded, list[i].why);
		i = j;
	}
	free(names);
}

static void say_unreached(struct doctor *d, const struct snapshot *snap)
{
	struct trouble *list = xcalloc(snap->n ? snap->n : 1, sizeof(*list));
	size_t n = 0;

	for (size_t i = 0; i < snap->n; i++)
		if (snap->nodes[i].state != NODE_OK)
			list[n++] = (struct trouble){
				snap->nodes[i].error ? snap->nodes[i].error : "not waited for",
				snap->nodes[i].name};
	say_troubles(d, list, n);
	free(list);
}

/* What the probe's sections say they could not do for want of a tool. */
static void say_tools(struct doctor *d, const struct snapshot *snap)
{
	struct trouble *list = xcalloc(snap->n ? snap->n : 1, sizeof(*list));
	size_t n = 0;

	for (size_t i = 0; i < snap->n; i++) {
		const struct section *s = snap->nodes[i].section[SECTION_CAPACITY];

		for (size_t k = 0; s && k < s->unread_n; k++) {
			if (!strstr(s->unread[k].why, "timeout is not on this node"))
				continue;
			list[n++] = (struct trouble){
				"no `timeout` command: what may hang is not asked there "
				"(install coreutils)",
				snap->nodes[i].name};
			break;
		}
	}
	say_troubles(d, list, n);
	free(list);
}

size_t doctor_nodes(struct doctor *d, const struct cli *c, struct source *src)
{
	struct collector_options opt;
	struct collect_once got;
	struct watch watch = {NULL, 0, 0};
	struct err e = ERR_INIT;
	size_t reached = 0;

	cli_collector_options(c, &opt);
	/* Light and enough: the shell, the probe, and whether it has its tools. */
	opt.sections = 1u << SECTION_HOST | 1u << SECTION_CAPACITY;
	opt.sample_gap_ms = -1;
	opt.publish_ms = PUBLISH_MS;
	if (collect_once(&got, src, &opt, watch_snapshot, &watch, &e)) {
		doctor_say(d, SEVERITY_CONCERN, "%s", e.msg);
		return 0;
	}
	say_times(d, &watch, got.snap);
	say_unreached(d, got.snap);
	say_tools(d, got.snap);
	reached = got.snap->reached;
	snapshot_free(got.snap);
	free(watch.courses);
	return reached;
}
