#include "collectors/session.h"

#include <stdio.h>
#include <string.h>

#include "collectors/clock.h"
#include "collectors/log.h"
#include "collectors/probe.h"

/* Most bytes read in one step, so that a node that prints without end starves nobody. */
#define STEP_READ_MAX (64u << 10)
/* Most bytes before "ready": banners and login scripts. */
#define BANNER_MAX (1u << 20)
/* Most bytes of one answer: every section at its cap. */
#define ANSWER_MAX (8u << 20)
/* Unsent bytes: the script and some requests. */
#define OUT_MAX (256u << 10)

static const char *const state_names[] = {
	[SESSION_WAITING] = "waiting",
	[SESSION_CONNECTING] = "connecting",
	[SESSION_STARTING] = "starting",
	[SESSION_ANSWERING] = "answering",
	[SESSION_IDLE] = "idle",
	[SESSION_FINISHED] = "finished",
};

/* The only writer of s->state. */
static void set_state(struct session *s, enum session_state st)
{
	if (s->state == st)
		return;
	log_write(LOG_DEBUG, "session", s->target->id, "%s -> %s", state_names[s->state],
		state_names[st]);
	s->state = st;
}

void session_init(struct session *s, struct source *src, const struct target *t,
	const struct session_limits *limits, unsigned index)
{
	memset(s, 0, sizeof(*s));
	s->source = src;
	s->target = t;
	s->limits = limits;
	s->index = index;
	s->answer_ms = -1;
	buf_init(&s->out, OUT_MAX);
}

static void drop_connection(struct session *s)
{
	if (s->transport)
		s->transport->ops->free(s->transport);
	s->transport = NULL;
	if (s->frame_ready)
		frame_release(&s->frame);
	s->frame_ready = false;
	buf_reset(&s->out);
	s->deadline_ms = 0;
	s->asked_mask = 0;
	s->input_pending = false;
	s->once_asked = false;
}

void session_release(struct session *s)
{
	drop_connection(s);
	buf_release(&s->out);
	for (int i = 0; i < SECTION_COUNT; i++) {
		section_unref(s->cur[i]);
		section_unref(s->prev[i]);
	}
}

static int64_t backoff_ms(const struct session *s)
{
	int64_t wait = s->limits->backoff_first_ms;

	/* A refused key or a changed host key needs a person: do not knock every few seconds. */
	if (s->last_err.code == ERR_AUTH || s->last_err.code == ERR_HOSTKEY)
		return s->limits->backoff_most_ms;
	for (unsigned i = 1; i < s->failures && wait < s->limits->backoff_most_ms; i++)
		wait *= 2;
	if (wait > s->limits->backoff_most_ms)
		wait = s->limits->backoff_most_ms;
	/* Spread, so that a rebooted switch is not met by all nodes in one instant. */
	return wait + wait * (int64_t)(s->index * 37 % 100) / 400;
}

static void fail(struct session *s, int64_t now, const struct err *e)
{
	s->last_err = *e;
	s->failures++;
	log_write(LOG_WARN, "session", s->target->id, "failed (%s): %s", err_code_name(e->code),
		e->msg);
	drop_connection(s);
	if (s->limits->once) {
		set_state(s, SESSION_FINISHED);
		return;
	}
	s->next_try_ms = now + backoff_ms(s);
	set_state(s, SESSION_WAITING);
}

bool session_wants_connect(const struct session *s, int64_t now)
{
	return s->state == SESSION_WAITING && now >= s->next_try_ms;
}

bool session_is_connecting(const struct session *s)
{
	return s->state == SESSION_CONNECTING || s->state == SESSION_STARTING;
}

void session_connect(struct session *s, int64_t now)
{
	struct err e = ERR_INIT;

	s->transport = s->source->connect(s->source, s->target, now, &e);
	if (!s->transport) {
		fail(s, now, &e);
		return;
	}
	s->deadline_ms = now + s->limits->connect_ms;
	set_state(s, SESSION_CONNECTING);
}

static unsigned cadence_mask(enum section_cadence c)
{
	unsigned mask = 0;

	for (int i = 0; i < SECTION_COUNT; i++)
		if (section_desc((enum section_id)i)->cadence == c)
			mask |= 1u << i;
	return mask;
}

/* Sections that are due, and their next times moved on. */
static unsigned take_due(struct session *s, int64_t now)
{
	unsigned mask = 0;

	if (s->refresh || !s->once_asked)
		mask = PROBE_ALL;
	if (now >= s->next_fast_ms)
		mask |= cadence_mask(CADENCE_FAST);
	if (now >= s->next_slow_ms)
		mask |= cadence_mask(CADENCE_SLOW);
	mask &= s->limits->sections;
	s->refresh = false;
	if (mask & cadence_mask(CADENCE_FAST))
		s->next_fast_ms = now + s->limits->fast_ms;
	if (mask & cadence_mask(CADENCE_SLOW)) /* the first time, spread over the period */
		s->next_slow_ms =
			now + s->limits->slow_ms +
			(s->once_asked ? 0 : s->limits->slow_ms * (s->index * 37 % 100) / 400);
	return mask;
}

static void open_request(struct session *s, unsigned mask, int64_t now)
{
	s->asked_mask = mask;
	s->got_mask = 0;
	s->asked_ms = now;
	s->answer_bytes = 0;
	s->deadline_ms = now + s->limits->answer_ms;
}

/* Connected: the script and the first request go out together, which saves a round trip. */
static void start_probe(struct session *s, int64_t now)
{
	char nonce[FRAME_NONCE_LEN + 1];
	struct err e = ERR_INIT;

	if (frame_nonce(nonce, &e)) {
		fail(s, now, &e);
		return;
	}
	frame_init(&s->frame, nonce);
	s->frame_ready = true;
	s->second_sample = false;
	unsigned mask = take_due(s, now);

	if (probe_start_text(&s->out, nonce, mask)) {
		err_set(&e, ERR_BUG, "the probe is larger than the output buffer");
		fail(s, now, &e);
		return;
	}
	open_request(s, mask, now);
	s->deadline_ms = now + s->limits->start_ms;
	set_state(s, SESSION_STARTING);
}

static void step_connecting(struct session *s, int64_t now)
{
	struct err e = ERR_INIT;
	enum err_code rc = s->transport->ops->step(s->transport, now, &e);

	if (rc == ERR_OK)
		start_probe(s, now);
	else if (rc != ERR_AGAIN)
		fail(s, now, &e);
}

static void flush_out(struct session *s, int64_t now)
{
	while (s->transport && s->out.len) {
		struct err e = ERR_INIT;
		size_t put = 0;
		enum err_code rc =
			s->transport->ops->write(s->transport, s->out.data, s->out.len, &put, &e);

		if (rc == ERR_AGAIN)
			return;
		if (rc) {
			fail(s, now, &e);
			return;
		}
		buf_consume(&s->out, put);
	}
	/* The script is sent once: a thousand idle sessions need not keep its room. */
	if (s->out.len == 0)
		buf_release(&s->out);
}

static void take_section(struct session *s, int64_t now)
{
	const struct frame *f = &s->frame;
	struct section_meta meta = SECTION_META_INIT;

	meta.exit_code = f->exit_code;
	meta.run_ms = f->run_ms;
	meta.cut = f->text_cut;
	meta.mono_ms = now;
	meta.wall_ms = clock_wall_ms();
	s->got_mask |= 1u << f->id;
	section_unref(s->prev[f->id]);
	s->prev[f->id] = s->cur[f->id];
	s->cur[f->id] = section_parse(f->id, f->text, meta);
}

static void finish_once(struct session *s)
{
	drop_connection(s);
	set_state(s, SESSION_FINISHED);
}

static void request_done(struct session *s, int64_t now)
{
	s->answered = true;
	s->failures = 0;
	err_reset(&s->last_err);
	s->last_ok_ms = now;
	s->once_asked = true;
	s->deadline_ms = 0;
	s->asked_mask = 0;
	if (!s->second_sample)
		s->answer_ms = now - s->asked_ms;
	if (!s->limits->once) {
		set_state(s, SESSION_IDLE);
	} else if (s->limits->sample_gap_ms < 0 || s->second_sample) {
		finish_once(s);
	} else {
		s->next_fast_ms = now + s->limits->sample_gap_ms;
		set_state(s, SESSION_IDLE);
	}
}

/* One piece of input. True when the picture changed. */
static bool feed(struct session *s, struct span in, int64_t now)
{
	bool changed = false;

	for (;;) {
		switch (frame_feed(&s->frame, &in)) {
		case FRAME_NONE:
			return changed;
		case FRAME_READY:
			if (s->state == SESSION_STARTING) {
				s->answer_bytes = 0;
				s->deadline_ms = now + s->limits->answer_ms;
				set_state(s, SESSION_ANSWERING);
				changed = true;
			}
			break;
		case FRAME_SECTION:
			take_section(s, now);
			changed = true;
			break;
		case FRAME_DONE:
			if (s->state == SESSION_ANSWERING) {
				request_done(s, now);
				if (s->state == SESSION_FINISHED)
					return true;
			}
			changed = true;
			break;
		}
	}
}

/* Names of sections asked for and not answered, for messages. */
static const char *missing_names(const struct session *s, char *out, size_t size)
{
	unsigned missing = s->asked_mask & ~s->got_mask;
	size_t used = 0;

	out[0] = '\0';
	for (int i = 0; i < SECTION_COUNT && used < size; i++) {
		if (!(missing & 1u << i))
			continue;
		int n = snprintf(out + used, size - used, "%s%s", used ? " " : "",
			section_desc((enum section_id)i)->name);

		if (n < 0)
			break;
		used += (size_t)n;
	}
	return out;
}

static void over_limit(struct session *s, int64_t now)
{
	struct err e = ERR_INIT;

	if (s->state == SESSION_STARTING)
		err_set(&e, ERR_TOOBIG,
			"the node prints without end before its shell is ready (look at its "
			"login scripts and banner)");
	else
		err_set(&e, ERR_TOOBIG,
			"the answer is over %u MiB and goes on (look at what the node prints)",
			ANSWER_MAX >> 20);
	fail(s, now, &e);
}

static void stream_ended(struct session *s, int64_t now, const struct err *why)
{
	struct err e = ERR_INIT;
	char names[200];

	if (frame_end(&s->frame) == FRAME_SECTION)
		take_section(s, now);
	if (why && why->code && s->state == SESSION_ANSWERING) {
		err_set(&e, why->code, "%.200s; missing: %s", why->msg,
			missing_names(s, names, sizeof(names)));
	} else if (why && why->code) {
		e = *why;
	} else if (s->state == SESSION_STARTING) {
		err_set(&e, ERR_PROTO,
			"the node's shell ended before the probe started (log in by hand: does "
			"`sh -s` work there?)");
	} else if (s->state == SESSION_ANSWERING) {
		err_set(&e, ERR_NET, "the connection ended in mid-answer; missing: %s",
			missing_names(s, names, sizeof(names)));
	} else {
		err_set(&e, ERR_NET, "the connection ended");
	}
	fail(s, now, &e);
}

static bool read_input(struct session *s, int64_t now)
{
	char chunk[16384];
	size_t total = 0;
	bool changed = false;

	s->input_pending = false;
	while (s->transport) {
		struct err e = ERR_INIT;
		size_t got = 0;
		enum err_code rc =
			s->transport->ops->read(s->transport, chunk, sizeof(chunk), &got, &e);

		if (rc == ERR_AGAIN)
			return changed;
		if (rc || got == 0) {
			stream_ended(s, now, &e);
			return true;
		}
		s->answer_bytes += got;
		changed |= feed(s, (struct span){chunk, got}, now);
		if (!s->transport)
			return true;
		if (s->answer_bytes > (s->state == SESSION_STARTING ? BANNER_MAX : ANSWER_MAX)) {
			over_limit(s, now);
			return true;
		}
		total += got;
		if (total >= STEP_READ_MAX) {
			s->input_pending = true;
			return changed;
		}
	}
	return changed;
}

static void check_deadline(struct session *s, int64_t now)
{
	struct err e = ERR_INIT;
	char names[200];

	if (!s->deadline_ms || now < s->deadline_ms)
		return;
	if (s->frame_ready && frame_end(&s->frame) == FRAME_SECTION)
		take_section(s, now);
	switch (s->state) {
	case SESSION_CONNECTING:
		err_set(&e, ERR_TIMEOUT, "no connection within %lld s (is the node up?)",
			(long long)(s->limits->connect_ms / 1000));
		break;
	case SESSION_STARTING:
		err_set(&e, ERR_TIMEOUT,
			"connected, but no shell within %lld s (look at the node's login scripts)",
			(long long)(s->limits->start_ms / 1000));
		break;
	default:
		err_set(&e, ERR_TIMEOUT, "no answer within %lld s; missing: %s",
			(long long)(s->limits->answer_ms / 1000),
			missing_names(s, names, sizeof(names)));
		break;
	}
	fail(s, now, &e);
}

/* The mask of a request that is due now, 0 for none. */
static unsigned due_request(struct session *s, int64_t now)
{
	if (!s->limits->once)
		return s->refresh || now >= s->next_fast_ms || now >= s->next_slow_ms
			       ? take_due(s, now)
			       : 0;
	if (s->second_sample || now < s->next_fast_ms)
		return 0;
	s->second_sample = true;
	/* Only what is read as a rate: the GPUs are not asked twice for one report. */
	return s->limits->sections &
	       (1u << SECTION_CPU | 1u << SECTION_EFA_COUNTERS | 1u << SECTION_CLIENT_IO);
}

static void send_due(struct session *s, int64_t now)
{
	unsigned mask = due_request(s, now);

	if (!mask) {
		if (s->limits->once && s->second_sample)
			finish_once(s);
		return;
	}
	if (probe_request_text(&s->out, mask)) {
		struct err e = ERR_INIT;

		err_set(&e, ERR_NET, "the node takes no more requests");
		fail(s, now, &e);
		return;
	}
	open_request(s, mask, now);
	set_state(s, SESSION_ANSWERING);
}

bool session_step(struct session *s, int64_t now, bool paused)
{
	enum session_state before = s->state;
	bool changed = false;

	if (s->state == SESSION_CONNECTING)
		step_connecting(s, now);
	if (s->state == SESSION_IDLE && !paused)
		send_due(s, now);
	if (s->transport && s->state != SESSION_CONNECTING) {
		flush_out(s, now);
		if (s->transport)
			changed |= read_input(s, now);
	}
	if (s->transport)
		check_deadline(s, now);
	return changed || s->state != before;
}

static int64_t earlier(int64_t a, int64_t b)
{
	if (!a)
		return b;
	return b && b < a ? b : a;
}

void session_poll(const struct session *s, int64_t now, bool paused, struct transport_poll *p)
{
	p->nfds = 0;
	p->deadline_mono_ms = 0;
	if (s->transport)
		s->transport->ops->poll(s->transport, s->out.len > 0, p);
	p->deadline_mono_ms = earlier(p->deadline_mono_ms, s->deadline_ms);
	if (s->input_pending)
		p->deadline_mono_ms = now;
	if (s->state == SESSION_WAITING)
		p->deadline_mono_ms = earlier(p->deadline_mono_ms, s->next_try_ms);
	if (s->state == SESSION_IDLE && !paused) {
		int64_t next = s->limits->once ? s->next_fast_ms
					       : earlier(s->next_fast_ms, s->next_slow_ms);

		p->deadline_mono_ms = earlier(p->deadline_mono_ms, s->refresh ? now : next);
	}
}

void session_refresh(struct session *s)
{
	s->refresh = true;
	if (s->state == SESSION_WAITING)
		s->next_try_ms = 0;
}

static enum node_state node_state_of(const struct session *s)
{
	bool any = false;

	for (int i = 0; i < SECTION_COUNT && !any; i++)
		any = s->cur[i] != NULL;
	if (s->last_err.code)
		return any ? NODE_STALE : NODE_FAILED;
	switch (s->state) {
	case SESSION_WAITING:
		return NODE_PENDING;
	case SESSION_CONNECTING:
		return NODE_CONNECTING;
	case SESSION_STARTING:
		return NODE_PROBING;
	case SESSION_ANSWERING:
	case SESSION_IDLE:
		/* A report needs both samples before the node counts as answered. */
		if (s->limits->once || !s->answered)
			return NODE_PROBING;
		return NODE_OK;
	case SESSION_FINISHED:
		break;
	}
	return NODE_OK;
}

static const char *address_of(const struct target *t, char *out, size_t size)
{
	if (!t->host)
		return NULL;
	/* As in a hosts file: the colons of an IPv6 address are none before a port. */
	bool brackets = t->port && strchr(t->host, ':');

	if (t->port)
		snprintf(out, size, "%s%s%s%s%s:%u", t->user ? t->user : "", t->user ? "@" : "",
			brackets ? "[" : "", t->host, brackets ? "]" : "", t->port);
	else
		snprintf(out, size, "%s%s%s", t->user ? t->user : "", t->user ? "@" : "", t->host);
	return out;
}

void session_fill(const struct session *s, struct snapshot *snap, struct node *n)
{
	const struct target *t = s->target;
	char address[300];

	n->id = snapshot_str(snap, t->id);
	n->name = t->name ? snapshot_str(snap, t->name) : n->id;
	n->address = snapshot_str(snap, address_of(t, address, sizeof(address)));
	n->group = snapshot_str(snap, t->group);
	n->instance_type = snapshot_str(snap, t->instance_type);
	n->placement.az = snapshot_str(snap, t->az);
	n->placement.spine = snapshot_str(snap, t->spine);
	n->placement.leaf = snapshot_str(snap, t->leaf);
	n->placement.ultraserver = snapshot_str(snap, t->ultraserver);
	n->state = node_state_of(s);
	n->err = s->last_err.code;
	n->error = s->last_err.code ? snapshot_str(snap, s->last_err.msg) : NULL;
	if (!n->error && s->state == SESSION_CONNECTING && s->transport && s->transport->ops->phase)
		n->error = snapshot_str(snap, s->transport->ops->phase(s->transport));
	n->last_ok_mono_ms = s->last_ok_ms;
	n->next_try_mono_ms = s->state == SESSION_WAITING ? s->next_try_ms : 0;
	n->failures = s->failures;
	n->answer_ms = s->answer_ms;
	for (int i = 0; i < SECTION_COUNT; i++)
		snapshot_set_section(n, (enum section_id)i, s->cur[i], s->prev[i]);
}
