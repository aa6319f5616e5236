#include "tui/app.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "collectors/clock.h"
#include "collectors/compiler.h"
#include "rules/judge.h"
#include "tui/clipboard.h"
#include "tui/paint.h"
#include "tui/screen.h"
#include "tui/sweep.h"
#include "tui/term.h"

/* Keys taken before a frame is drawn: a pasted text must not starve the screen. */
#define KEYS_PER_FRAME 64

/* Wake-ups of the keyboard without a key, after which it counts as gone. */
#define EMPTY_READS_MAX 50

/* After a picture was judged and shown, rest this many times as long as that took. */
#define JUDGE_REST 50
/* But never longer: on a busy machine that time says little, and the picture must not grow old. */
#define JUDGE_REST_MAX_MS 1000

struct app {
	struct collector *collector;
	struct sweep *sweep; /* NULL: none is read */
	struct judge *judge;
	struct snapshot *snap;
	struct sweep_picture *picture; /* the sweep's newest; NULL before the first */
	struct judgement *jm;
	struct screen *screen;
	struct grid grid;
	struct paint paint;
	bool redraw;
	bool quit;
	int signal; /* that ended us; 0 none */
	int empty_reads;
	int64_t next_take_mono_ms; /* no picture is taken before */
};

/* What is known before anything was asked: the targets, all waiting. */
static struct snapshot *first_picture(const struct source *src)
{
	struct snapshot *snap = snapshot_new(src->n);

	snap->mono_ms = clock_mono_ms();
	snap->wall_ms = clock_wall_ms();
	snap->mode = src->mode;
	snap->source = snapshot_str(snap, src->label);
	for (size_t i = 0; i < src->n; i++) {
		const struct target *t = &src->targets[i];
		struct node *n = &snap->nodes[i];

		n->id = snapshot_str(snap, t->id);
		n->name = snapshot_str(snap, t->name ? t->name : t->id);
		n->address = snapshot_str(snap, t->host);
		n->group = snapshot_str(snap, t->group);
		n->instance_type = snapshot_str(snap, t->instance_type);
		n->placement.az = snapshot_str(snap, t->az);
		n->placement.spine = snapshot_str(snap, t->spine);
		n->placement.leaf = snapshot_str(snap, t->leaf);
		n->placement.ultraserver = snapshot_str(snap, t->ultraserver);
		n->state = NODE_CONNECTING;
	}
	return snap;
}

/* What is known now, the sweep included. NULL before anything was asked. */
static struct judgement *judge_now(const struct app *a)
{
	const struct sweep_picture *p = a->picture;

	if (!a->collector)
		return NULL;
	if (!p)
		return judge_run(a->judge, a->snap);
	const struct judge_pairs pairs = {p->set, p->at, p->mono_ms, p->wall_ms};

	return judge_run_with(a->judge, a->snap, &pairs);
}

/* Takes ownership of snap. */
static void show_picture(struct app *a, struct snapshot *snap)
{
	struct snapshot *old = a->snap;
	struct judgement *old_jm = a->jm;

	a->snap = snap;
	a->jm = judge_now(a);
	screen_set_picture(a->screen, a->snap, a->jm);
	if (a->sweep)
		sweep_set_nodes(a->sweep, snap);
	judgement_free(old_jm);
	snapshot_free(old);
	a->redraw = true;
}

static void draw(struct app *a)
{
	int w;
	int h;

	term_size(&w, &h);
	if (w != a->grid.w || h != a->grid.h)
		grid_resize(&a->grid, w, h);
	screen_draw(a->screen, &a->grid);
	paint_flush(&a->paint, &a->grid);
	a->redraw = false;
}

static void copy(struct app *a)
{
	const char *text = screen_copy_text(a->screen);
	const char *term = getenv("TERM");
	struct buf out = BUF_INIT(4 * CLIPBOARD_MAX);

	if (clipboard_sequence(&out, text, term, getenv("TMUX") != NULL)) {
		term_write(out.data, out.len);
		screen_message(a->screen, "copied: %s", text);
	} else {
		screen_message(a->screen, "this terminal has no clipboard; select it: %s", text);
	}
	buf_release(&out);
}

static void obey(struct app *a, unsigned flags)
{
	if (flags & SCREEN_REFRESH)
		collector_refresh(a->collector, NULL);
	if (flags & SCREEN_PAUSE)
		collector_pause(a->collector, screen_paused(a->screen));
	if (flags & SCREEN_COPY)
		copy(a);
	if (flags & SCREEN_REPAINT)
		paint_forget(&a->paint);
	if (flags & SCREEN_QUIT)
		a->quit = true;
	if (flags)
		a->redraw = true;
}

static void take_keys(struct app *a)
{
	uint32_t key;
	int n = 0;

	while (n < KEYS_PER_FRAME && !a->quit && term_key(&key)) {
		obey(a, screen_key(a->screen, key));
		n++;
	}
	/* Readable without end and nothing to read: the terminal went away. */
	a->empty_reads = n ? 0 : a->empty_reads + 1;
	if (a->empty_reads > EMPTY_READS_MAX) {
		a->quit = true;
		a->signal = SIGHUP;
	}
}

static void take_signals(struct app *a)
{
	enum term_event ev;

	while (!a->quit && (ev = term_event()) != TERM_NOTHING) {
		if (ev == TERM_END) {
			a->signal = term_end_signal();
			a->quit = true;
		} else if (ev == TERM_SUSPEND) {
			term_suspend();
		} else {
			paint_forget(&a->paint);
		}
		a->redraw = true;
	}
}

/*
 * Takes a waiting picture. A large fleet is judged less often than it is published,
 * so that judging stays below a fiftieth of the time and keys find the loop asleep.
 */
static void take_picture(struct app *a)
{
	int64_t now = clock_mono_ms();
	struct snapshot *snap = now < a->next_take_mono_ms ? NULL : collector_take(a->collector);

	if (!snap)
		return;
	show_picture(a, snap);
	int64_t after = clock_mono_ms();
	int64_t rest = JUDGE_REST * (after - now);

	a->next_take_mono_ms = after + (rest < JUDGE_REST_MAX_MS ? rest : JUDGE_REST_MAX_MS);
}

/* The sweep's pictures come as seldom as its thread rests: each is shown at once. */
static void take_sweep(struct app *a)
{
	struct sweep_picture *p = a->sweep ? sweep_take(a->sweep) : NULL;
	struct sweep_picture *old = a->picture;

	if (!p)
		return;
	struct judgement *old_jm = a->jm;

	a->picture = p;
	a->jm = judge_now(a);
	screen_set_judgement(a->screen, a->jm);
	screen_set_sweep(a->screen, p);
	judgement_free(old_jm);
	sweep_picture_free(old);
	a->redraw = true;
}

/*
 * Until the next full second, when every age on the screen is one older, or until
 * a picture may be taken.
 */
static int sleep_ms(const struct app *a)
{
	int64_t now = clock_mono_ms();
	int64_t second = 1000 - now % 1000;
	int64_t take = a->next_take_mono_ms - now;

	return (int)(take > 0 && take < second ? take : second);
}

/* Everything that waits, once. n: what poll returned. */
static void turn(struct app *a, int n, const struct pollfd *keyboard)
{
	screen_set_time(a->screen, clock_mono_ms(), clock_wall_ms());
	a->redraw |= n == 0;
	/* Signals first: a key may belong to a screen that has another size by now. */
	take_signals(a);
	if (n > 0 && keyboard->revents & (POLLHUP | POLLERR | POLLNVAL)) {
		a->quit = true;
		a->signal = SIGHUP;
	}
	if (n > 0 && keyboard->revents & POLLIN)
		take_keys(a);
	/* A key is answered before a new picture is judged. */
	if (a->redraw && !a->quit)
		draw(a);
	take_picture(a);
	take_sweep(a);
	if (a->redraw && !a->quit)
		draw(a);
}

static void loop(struct app *a)
{
	struct pollfd fds[] = {
		{term_key_fd(), POLLIN, 0},
		{term_signal_fd(), POLLIN, 0},
		{-1, POLLIN, 0},
		{a->sweep ? sweep_fd(a->sweep) : -1, POLLIN, 0},
	};

	while (!a->quit) {
		bool resting = clock_mono_ms() < a->next_take_mono_ms;

		fds[2].fd = resting ? -1 : collector_fd(a->collector); /* -1: poll looks away */
		int n = poll(fds, ARRAY_LEN(fds), sleep_ms(a));

		if (n < 0 && errno != EINTR)
			break;
		turn(a, n, &fds[0]);
	}
}

static int exit_status(const struct app *a, struct err *e)
{
	bool answered = false;

	if (a->signal)
		return 128 + a->signal;
	for (size_t i = 0; i < a->snap->n && !answered; i++)
		answered = node_reached(&a->snap->nodes[i]);
	if (!answered && a->snap->n && a->snap->complete) {
		err_set(e, ERR_NET,
			"%s: no node answered (see the Log screen, or: hyperpod-perf doctor)",
			a->snap->source ? a->snap->source : "source");
		return 3;
	}
	return a->jm && a->jm->concerns ? 1 : 0;
}

static enum err_code start_sweep(struct app *a, struct cli_sweep *from, struct err *e)
{
	if (!from || !from->n)
		return ERR_OK;
	size_t n = from->n;
	struct fleet *fleet = from->fleet;

	from->n = 0;
	from->fleet = NULL;
	return sweep_start(&a->sweep, from->feeds, n, &from->select, fleet, e);
}

/* Everything between the terminal's start and its end. Takes src. */
static int run(struct app *a, struct source *src, const struct app_options *opt, struct err *e)
{
	static const struct collector_options defaults;

	paint_init(&a->paint, term_depth());
	screen_set_time(a->screen, clock_mono_ms(), clock_wall_ms());
	if (start_sweep(a, opt->sweep, e) != ERR_OK) {
		source_free(src);
		return 3;
	}
	show_picture(a, first_picture(src));
	draw(a);
	if (collector_start(&a->collector, src, opt->collector ? opt->collector : &defaults, e) !=
		ERR_OK)
		return 3;
	loop(a);
	return exit_status(a, e);
}

int app_run(struct source *src, const struct app_options *opt, struct err *e)
{
	struct app a = {.grid = GRID_INIT};
	const struct view_ops *start = opt->start_view ? view_by_name(opt->start_view) : view_at(0);
	int status = 2;

	if (!start) {
		err_set(e, ERR_USAGE, "view %s: no such screen (nodes, findings or log)",
			opt->start_view);
		source_free(src);
		return 2;
	}
	if (term_open(opt->colour, e) != ERR_OK) {
		source_free(src);
		return 2;
	}
	a.screen = screen_new(opt->ascii || !term_utf8(), start);
	a.judge = judge_new(opt->catalog);
	status = run(&a, src, opt, e);
	term_close();
	collector_stop(a.collector);
	sweep_stop(a.sweep);
	paint_release(&a.paint);
	screen_free(a.screen);
	judgement_free(a.jm);
	judge_free(a.judge);
	snapshot_free(a.snap);
	sweep_picture_free(a.picture);
	grid_release(&a.grid);
	return status;
}
