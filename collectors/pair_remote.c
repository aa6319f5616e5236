#include "collectors/pair_remote.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collectors/clock.h"
#include "collectors/pair_remote_private.h"
#include "collectors/probe.h"
#include "collectors/xmalloc.h"

#define OUT_MAX       (512u << 10)
#define STEP_READ_MAX (1u << 20)
#define BANNER_MAX    (1u << 20)
#define ANSWER_MAX    (4u << 20)

/* As a session's: see session.c and collector.c for why. */
#define CONNECT_MS       60000
#define START_MS         20000
#define ANSWER_MS        45000
#define BACKOFF_FIRST_MS 2000
#define BACKOFF_MOST_MS  60000

/* A look between full ones asks for what changed so lately, minutes. */
#define RECENT_MIN 2
static struct pair_remote *remote_of(const struct pair_feed *f)
{
	return (struct pair_remote *)f;
}

static void drop_connection(struct pair_remote *r)
{
	if (r->transport)
		r->transport->ops->free(r->transport);
	r->transport = NULL;
	if (r->frame_ready)
		frame_release(&r->frame);
	r->frame_ready = false;
	buf_reset(&r->out);
	r->asked = ASK_NOTHING;
	r->n_pieces = 0;
	remote_drop_large(r);
	r->deadline_mono_ms = 0;
}

static void fail(struct pair_remote *r, const struct err *e)
{
	int64_t wait = BACKOFF_FIRST_MS;

	drop_connection(r);
	remote_say(r, e->msg);
	for (unsigned i = 0; i < r->failures && wait < BACKOFF_MOST_MS; i++)
		wait *= 2;
	/* A refused key or a changed host key needs a person. */
	if (wait > BACKOFF_MOST_MS || e->code == ERR_AUTH || e->code == ERR_HOSTKEY)
		wait = BACKOFF_MOST_MS;
	r->failures++;
	r->next_try_mono_ms = r->now_mono_ms + wait;
	r->state = REMOTE_WAITING;
}

static void fail_with(struct pair_remote *r, enum err_code code, const char *what)
{
	struct err e = ERR_INIT;

	err_set(&e, code, "%s", what);
	fail(r, &e);
}

/* ---- connecting ---- */

static void connect_now(struct pair_remote *r)
{
	struct err e = ERR_INIT;

	r->transport = r->source->connect(r->source, &r->source->targets[0], r->now_mono_ms, &e);
	if (!r->transport) {
		fail(r, &e);
		return;
	}
	r->deadline_mono_ms = r->now_mono_ms + CONNECT_MS;
	r->state = REMOTE_CONNECTING;
}

static void start_probe(struct pair_remote *r)
{
	char nonce[FRAME_NONCE_LEN + 1];
	struct err e = ERR_INIT;

	if (frame_nonce(nonce, &e)) {
		fail(r, &e);
		return;
	}
	frame_init(&r->frame, nonce);
	frame_take_also(&r->frame, REMOTE_FRAME);
	r->frame_ready = true;
	if (probe_start_text(&r->out, nonce, 0)) {
		fail_with(r, ERR_BUG, "the probe is larger than the output buffer");
		return;
	}
	r->answer_bytes = 0;
	r->deadline_mono_ms = r->now_mono_ms + START_MS;
	r->state = REMOTE_STARTING;
}

static void step_connecting(struct pair_remote *r)
{
	struct err e = ERR_INIT;
	enum err_code rc = r->transport->ops->step(r->transport, r->now_mono_ms, &e);

	if (rc == ERR_OK)
		start_probe(r);
	else if (rc != ERR_AGAIN)
		fail(r, &e);
}

/* ---- asking ---- */

static void open_request(struct pair_remote *r, enum ask asked, enum err_code rc)
{
	if (rc) {
		fail_with(r, ERR_NET, "the machine takes no more requests");
		return;
	}
	r->asked = asked;
	r->asked_mono_ms = r->now_mono_ms;
	r->answer_bytes = 0;
	r->deadline_mono_ms = r->now_mono_ms + ANSWER_MS;
	r->state = REMOTE_ASKING;
}

static void ask_list(struct pair_remote *r)
{
	if (r->list_skip == 0) {
		r->full = r->now_mono_ms >= r->next_full_mono_ms;
		if (r->full)
			pair_book_begin_look(&r->book);
	}
	r->list_lines = 0;
	r->list_cut = false;
	open_request(r, ASK_LIST,
		remote_list_text(&r->out, r->full ? 0 : RECENT_MIN, r->list_skip, r->path));
}

/* The name that the other side gave a file, from what people see. */
static const char *remote_name(const struct pair_remote *r, const char *shown)
{
	return shown + (r->single ? r->label_dir : strlen(r->label) + 1);
}

/* One file's next piece. False when it does not fit into this request. */
static bool add_piece(struct pair_remote *r, const struct pair_entry *entry, size_t *room)
{
	bool going_on = r->large_path && strcmp(r->large_path, entry->path) == 0;
	uint64_t from = going_on ? r->large.len : 0;
	uint64_t left = entry->seen.size > from ? entry->seen.size - from : 0;
	struct remote_piece *piece = &r->pieces[r->n_pieces];

	if (entry->seen.size > REMOTE_PIECE_MAX && r->n_pieces)
		return false; /* a large one is asked for alone */
	if (left > REMOTE_PIECE_MAX)
		left = REMOTE_PIECE_MAX;
	if (left > *room && r->n_pieces)
		return false;
	*piece = (struct remote_piece){
		.name = remote_name(r, entry->path), .from = from, .want = (size_t)left};
	r->n_pieces++;
	*room = left < *room ? *room - (size_t)left : 0;
	return true;
}

/* True when something is due. */
static bool ask_read(struct pair_remote *r)
{
	size_t room = REMOTE_PIECE_MAX;
	const struct pair_entry *large =
		r->large_path ? pair_book_find(&r->book, r->large_path) : NULL;

	r->n_pieces = 0;
	if (r->large_path && !large)
		remote_drop_large(r);
	if (large)
		add_piece(r, large, &room);
	for (size_t i = 0; !large && i < r->book.n && r->n_pieces < REMOTE_PIECES_MAX; i++) {
		const struct pair_entry *entry = &r->book.entries[i];

		if (!entry->path || pair_book_due(entry) > r->now_mono_ms)
			continue;
		if (!add_piece(r, entry, &room))
			break;
		if (room == 0)
			break;
	}
	if (!r->n_pieces)
		return false;
	open_request(r, ASK_READ, remote_read_text(&r->out, r->path, r->pieces, r->n_pieces));
	return true;
}

static void ask_next(struct pair_remote *r)
{
	if (r->list_skip == 0 && ask_read(r))
		return;
	if (r->list_skip || r->now_mono_ms >= r->next_look_mono_ms)
		ask_list(r);
}

/* ---- the connection ---- */

static void finish_request(struct pair_remote *r)
{
	if (r->asked == ASK_LIST)
		remote_finish_list(r);
	else if (r->asked == ASK_READ)
		remote_finish_read(r);
	r->asked = ASK_NOTHING;
	r->failures = 0;
	r->deadline_mono_ms = 0;
	r->state = REMOTE_IDLE;
}

static void take_events(struct pair_remote *r, struct span in)
{
	enum frame_event ev;

	while ((ev = frame_feed(&r->frame, &in)) != FRAME_NONE) {
		if (ev == FRAME_DONE && (r->state == REMOTE_STARTING || r->state == REMOTE_ASKING))
			finish_request(r);
		else if (ev == FRAME_SECTION && r->frame.id == SECTION_COUNT) {
			if (r->asked == ASK_LIST)
				remote_take_list(r);
			else if (r->asked == ASK_READ)
				remote_take_read(r);
		}
	}
}

static void flush_out(struct pair_remote *r)
{
	while (r->transport && r->out.len) {
		struct err e = ERR_INIT;
		size_t put = 0;
		enum err_code rc =
			r->transport->ops->write(r->transport, r->out.data, r->out.len, &put, &e);

		if (rc == ERR_AGAIN)
			return;
		if (rc) {
			fail(r, &e);
			return;
		}
		buf_consume(&r->out, put);
	}
}

/* True when it stopped before the transport had no more. */
static bool read_input(struct pair_remote *r)
{
	char chunk[16384];
	size_t total = 0;

	while (r->transport) {
		struct err e = ERR_INIT;
		size_t got = 0;
		enum err_code rc =
			r->transport->ops->read(r->transport, chunk, sizeof(chunk), &got, &e);

		if (rc == ERR_AGAIN)
			return false;
		if (rc || got == 0) {
			if (!e.code)
				err_set(&e, ERR_NET, "the connection ended");
			fail(r, &e);
			return false;
		}
		r->answer_bytes += got;
		take_events(r, (struct span){chunk, got});
		if (r->answer_bytes > (r->state == REMOTE_STARTING ? BANNER_MAX : ANSWER_MAX)) {
			fail_with(r, ERR_TOOBIG, "the machine prints without end");
			return false;
		}
		total += got;
		if (total >= STEP_READ_MAX)
			return true;
	}
	return false;
}

static void check_deadline(struct pair_remote *r)
{
	if (!r->transport || !r->deadline_mono_ms || r->now_mono_ms < r->deadline_mono_ms)
		return;
	fail_with(r, ERR_TIMEOUT,
		r->state == REMOTE_CONNECTING ? "no connection within 60 s (is it up?)"
		: r->state == REMOTE_STARTING
			? "connected, but no shell within 20 s (look at its login scripts)"
			: "no answer within 45 s");
}

/* ---- the feed ---- */

static enum err_code remote_step(struct pair_feed *f, struct pair_store *store, int64_t now_mono_ms)
{
	struct pair_remote *r = remote_of(f);
	bool more = false;

	r->store = store;
	r->now_mono_ms = now_mono_ms;
	if (r->state == REMOTE_WAITING && now_mono_ms >= r->next_try_mono_ms)
		connect_now(r);
	if (r->state == REMOTE_CONNECTING)
		step_connecting(r);
	if (r->state == REMOTE_IDLE)
		ask_next(r);
	if (r->transport && r->state != REMOTE_CONNECTING) {
		flush_out(r);
		more = read_input(r);
	}
	check_deadline(r);
	r->counts = pair_book_count(&r->book, now_mono_ms);
	if (r->state == REMOTE_IDLE)
		more |= r->list_skip || r->counts.next_mono_ms <= now_mono_ms ||
			r->next_look_mono_ms <= now_mono_ms;
	return more ? ERR_OK : ERR_AGAIN;
}

static int64_t earlier(int64_t a, int64_t b)
{
	if (!a)
		return b;
	return b && b < a ? b : a;
}

static void remote_poll(const struct pair_feed *f, struct transport_poll *p)
{
	const struct pair_remote *r = remote_of(f);

	p->nfds = 0;
	p->deadline_mono_ms = 0;
	if (r->transport)
		r->transport->ops->poll(r->transport, r->out.len > 0, p);
	p->deadline_mono_ms = earlier(p->deadline_mono_ms, r->deadline_mono_ms);
	if (r->state == REMOTE_WAITING)
		p->deadline_mono_ms = earlier(p->deadline_mono_ms, r->next_try_mono_ms);
	if (r->state == REMOTE_IDLE) {
		p->deadline_mono_ms = earlier(p->deadline_mono_ms, r->next_look_mono_ms);
		p->deadline_mono_ms = earlier(p->deadline_mono_ms, r->counts.next_mono_ms);
	}
}

static void remote_state_of(const struct pair_feed *f, struct pair_feed_state *out)
{
	const struct pair_remote *r = remote_of(f);

	*out = (struct pair_feed_state){
		.label = r->label,
		.first_look = r->looked && r->counts.unread == 0,
		.files = r->counts.files,
		.growing = r->counts.growing,
		.error = r->error[0] ? r->error : NULL,
	};
}

static void remote_again(struct pair_feed *f)
{
	struct pair_remote *r = remote_of(f);

	pair_book_again(&r->book);
	r->counts = pair_book_count(&r->book, r->now_mono_ms);
}

static void remote_free(struct pair_feed *f)
{
	struct pair_remote *r = remote_of(f);

	drop_connection(r);
	buf_release(&r->out);
	pair_book_release(&r->book);
	source_free(r->source);
	free(r->path);
	free(r->label);
	free(r);
}

static const struct pair_feed_ops remote_ops = {
	.name = "remote",
	.step = remote_step,
	.poll = remote_poll,
	.state = remote_state_of,
	.again = remote_again,
	.free = remote_free,
};

enum err_code pair_remote_new(struct pair_feed **out, struct source *src, const char *path,
	const char *label, struct err *e)
{
	struct pair_remote *r;

	if (strncmp(path, "~/", 2) == 0)
		path += 2;
	if (!remote_path_ok(path) || strlen(label) >= PATH_MAX / 2) {
		source_free(src);
		return err_set(e, ERR_USAGE,
			"pairs: \"%.100s\" is not a path (give HOST:DIRECTORY)", label);
	}
	r = xcalloc(1, sizeof(*r));
	r->feed.ops = &remote_ops;
	r->source = src;
	r->path = xstrdup(path);
	r->label = xstrdup(label);
	/* "head:/fsx/run.log": a file there is shown without its name said twice. */
	const char *slash = strrchr(label, '/');
	const char *colon = strrchr(label, ':');

	r->label_dir = slash   ? (size_t)(slash - label) + 1
		       : colon ? (size_t)(colon - label) + 1
			       : 0;
	r->counts.next_mono_ms = PAIR_BOOK_NEVER;
	buf_init(&r->out, OUT_MAX);
	*out = &r->feed;
	return ERR_OK;
}
