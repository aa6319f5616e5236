#include "tui/statusbar.h"

#include <stdio.h>
#include <string.h>

#include "collectors/compiler.h"
#include "tui/fmt.h"

enum {
	SEG_PROGRAM,
	SEG_MODE,
	SEG_SOURCE,
	SEG_COVERAGE,
	SEG_AGE,
	SEG_READ_ONLY,
	SEG_UNKNOWN,
	SEG_CONCERNS,
	SEG_COUNT
};

struct segment {
	char full[128];
	char brief[32]; /* "" when it has no short form */
	int style;
	bool shortened;
	bool hidden;
};

/* What gives way, in this order; shorten first where the same segment is named twice. */
static const struct {
	int seg;
	bool hide;
} steps[] = {
	{SEG_SOURCE, false},
	{SEG_PROGRAM, true},
	{SEG_UNKNOWN, true},
	{SEG_AGE, false},
	{SEG_READ_ONLY, false},
	{SEG_COVERAGE, false},
	{SEG_CONCERNS, false},
	{SEG_SOURCE, true},
	{SEG_AGE, true},
	{SEG_READ_ONLY, true},
	{SEG_COVERAGE, true},
	{SEG_MODE, true},
};

const char *statusbar_mode(enum source_mode mode)
{
	static const char *const names[] = {
		[SOURCE_LIVE] = "LIVE",
		[SOURCE_DEMO] = "DEMO",
		[SOURCE_RAW] = "RAW",
		[SOURCE_REPLAY] = "REPLAY",
	};

	return names[mode];
}

static const char *seg_text(const struct segment *s)
{
	return s->shortened ? s->brief : s->full;
}

static int seg_width(const struct segment *s)
{
	int w = s->hidden ? 0 : grid_width(seg_text(s));

	return w ? w + 2 : 0;
}

/* Age of the oldest answer among the nodes that answer; -1 when none does. */
static int64_t oldest_answer_ms(const struct ui *ui)
{
	int64_t oldest = -1;

	for (size_t i = 0; i < ui->snap->n; i++) {
		const struct node *n = &ui->snap->nodes[i];
		int64_t age = ui->now_mono_ms - n->last_ok_mono_ms;

		if (n->state == NODE_OK && n->last_ok_mono_ms && age > oldest)
			oldest = age;
	}
	return oldest;
}

/*
 * What stands for the age while no node's newest request is answered. Sections are judged
 * as they come in, so that there may be findings already, or still.
 */
static const char *silence_words(const struct snapshot *snap)
{
	bool stale = false;

	for (size_t i = 0; i < snap->n; i++) {
		const struct node *n = &snap->nodes[i];

		if (n->state == NODE_PROBING && node_reached(n))
			return "first answers coming in";
		stale = stale || n->state == NODE_STALE;
	}
	return stale ? "no node answers now" : "no answer yet";
}

static void fill_picture(const struct ui *ui, struct segment *seg)
{
	const struct snapshot *snap = ui->snap;
	struct segment *s = &seg[SEG_COVERAGE];
	char age[FMT_MAX];
	int64_t ms = oldest_answer_ms(ui);

	snprintf(s->full, sizeof(s->full), "%zu/%zu nodes", snap->reached, snap->n);
	snprintf(s->brief, sizeof(s->brief), "%u/%u", (unsigned)snap->reached, (unsigned)snap->n);
	s->style = snap->reached == snap->n ? STYLE_TEXT : STYLE_LOST;

	if (snap->n == 0) { /* benchmark output alone is watched */
		snprintf(s->full, sizeof(s->full), "no nodes asked");
		s->brief[0] = '\0';
		s->style = STYLE_DIM;
		return;
	}
	s = &seg[SEG_AGE];
	s->style = STYLE_DIM;
	if (ms < 0) {
		snprintf(s->full, sizeof(s->full), "%s", silence_words(snap));
		snprintf(s->brief, sizeof(s->brief), "-");
	} else {
		snprintf(s->full, sizeof(s->full), "answers %s %s old", ui->gl->le,
			fmt_age(age, ms));
		snprintf(s->brief, sizeof(s->brief), "%.20s", age);
	}
}

static void fill_verdict(const struct ui *ui, struct segment *seg)
{
	const struct judgement *jm = ui->jm;
	struct segment *s = &seg[SEG_CONCERNS];

	/* Nothing answered: nothing to be at ease about. */
	if (ui->snap->n == 0 && (!jm || jm->concerns == 0))
		return;
	if (!jm || (ui->snap->reached == 0 && jm->concerns == 0)) {
		snprintf(s->full, sizeof(s->full), "%s %s", ui->gl->busy,
			jm && jm->infos ? "no concern yet" : "not judged yet");
		snprintf(s->brief, sizeof(s->brief), "%.4s -", ui->gl->busy);
		s->style = STYLE_UNKNOWN;
		return;
	}
	const char *glyph = jm->concerns ? ui->gl->concern : ui->gl->ok;

	snprintf(s->full, sizeof(s->full), "%s %zu concern%s", glyph, jm->concerns,
		jm->concerns == 1 ? "" : "s");
	snprintf(s->brief, sizeof(s->brief), "%.4s %u", glyph, (unsigned)jm->concerns);
	s->style = jm->concerns ? STYLE_CONCERN : STYLE_OK;
	/* While nodes are still to answer, nearly everything is unknown: nothing worth saying. */
	if (jm->unknown && ui->snap->complete) {
		snprintf(seg[SEG_UNKNOWN].full, sizeof(seg[SEG_UNKNOWN].full), "%s %zu unknown",
			ui->gl->unknown, jm->unknown);
		seg[SEG_UNKNOWN].style = STYLE_UNKNOWN;
	}
}

static void fill(const struct ui *ui, struct segment *seg)
{
	const struct snapshot *snap = ui->snap;

	snprintf(seg[SEG_PROGRAM].full, sizeof(seg[0].full), "hyperpod-perf");
	seg[SEG_PROGRAM].style = STYLE_BRIGHT;
	snprintf(seg[SEG_MODE].full, sizeof(seg[0].full), "%s%s", statusbar_mode(snap->mode),
		ui->paused ? " PAUSED" : "");
	seg[SEG_MODE].style = ui->paused ? STYLE_UNKNOWN : STYLE_MODE;
	snprintf(seg[SEG_SOURCE].full, sizeof(seg[0].full), "%s", snap->source ? snap->source : "");
	snprintf(seg[SEG_SOURCE].brief, sizeof(seg[0].brief), "%.*s",
		(int)grid_fit(seg[SEG_SOURCE].full, 18, NULL), seg[SEG_SOURCE].full);
	snprintf(seg[SEG_READ_ONLY].full, sizeof(seg[0].full), "READ-ONLY");
	snprintf(seg[SEG_READ_ONLY].brief, sizeof(seg[0].brief), "RO");
	seg[SEG_READ_ONLY].style = STYLE_DIM;
	fill_picture(ui, seg);
	fill_verdict(ui, seg);
}

static int total(const struct segment *seg)
{
	int w = 0;

	for (int i = 0; i < SEG_COUNT; i++)
		w += seg_width(&seg[i]);
	return w;
}

void statusbar_draw(const struct ui *ui, struct grid *g, struct rect r)
{
	struct segment seg[SEG_COUNT];
	int x = r.x + 1;

	memset(seg, 0, sizeof(seg));
	fill(ui, seg);
	for (size_t i = 0; i < ARRAY_LEN(steps) && total(seg) > r.w; i++) {
		if (steps[i].hide)
			seg[steps[i].seg].hidden = true;
		else
			seg[steps[i].seg].shortened = true;
	}
	g->back = BACK_BAR;
	grid_fill(g, r, STYLE_TEXT);
	for (int i = 0; i < SEG_UNKNOWN; i++)
		if (seg_width(&seg[i]))
			x += grid_put(g, r, x, r.y, seg[i].style, seg_text(&seg[i]), -1) + 2;
	x = r.x + r.w - seg_width(&seg[SEG_UNKNOWN]) - seg_width(&seg[SEG_CONCERNS]) + 1;
	for (int i = SEG_UNKNOWN; i < SEG_COUNT; i++)
		if (seg_width(&seg[i]))
			x += grid_put(g, r, x, r.y, seg[i].style, seg_text(&seg[i]), -1) + 2;
	g->back = BACK_NONE;
}
