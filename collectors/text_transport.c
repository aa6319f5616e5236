#include "collectors/text_transport.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collectors/clock.h"
#include "collectors/frame.h"
#include "collectors/probe.h"
#include "collectors/xmalloc.h"

/* Longest line that is looked at; the script's are shorter. */
#define LINE_MAX_BYTES 4096
/* Frames that the session has not read yet: every section at its cap. */
#define OUT_MAX ((size_t)SECTION_COUNT * (SECTION_TEXT_MAX + 256u))

struct text_transport {
	struct transport base; /* first member: a struct transport is one of these */
	struct transport_ops ops;
	const struct text_server *server;
	void *ctx;
	int64_t (*clock)(void);
	int64_t connected_at_ms;
	bool connected;
	char refuse[200];

	struct buf line; /* of input, being gathered */
	struct buf text; /* of the section being answered */
	struct buf out;
	size_t out_read;
	char nonce[FRAME_NONCE_LEN + 1]; /* "" until the start line */

	unsigned pending;   /* sections still to be answered */
	bool request_open;  /* its "done" is still to come */
	int64_t next_at_ms; /* when the first pending section is ready */
	bool silent;
	bool dropped;
};

static struct text_transport *of(struct transport *t)
{
	return (struct text_transport *)(void *)t;
}

static enum err_code text_step(struct transport *transport, int64_t now_mono_ms, struct err *e)
{
	struct text_transport *t = of(transport);

	if (now_mono_ms < t->connected_at_ms)
		return ERR_AGAIN;
	if (t->refuse[0])
		return err_set(e, ERR_TIMEOUT, "%s", t->refuse);
	t->connected = true;
	return ERR_OK;
}

static enum section_id first_pending(const struct text_transport *t)
{
	int i = 0;

	while (i < SECTION_COUNT && !(t->pending & 1u << i))
		i++;
	return (enum section_id)i;
}

/* Sets when the next section, or the end of the request, comes. */
static void schedule(struct text_transport *t, int64_t now)
{
	int64_t run = 0;

	if (t->pending && t->server->run_ms)
		run = t->server->run_ms(t->ctx, first_pending(t), now);
	t->next_at_ms = now + run;
}

/* ---- input ---- */

/* The nonce among the words of a line: exactly 32 hex digits, perhaps quoted. */
static bool find_nonce(struct span line, char out[FRAME_NONCE_LEN + 1])
{
	struct span word;

	while (span_word(&line, &word)) {
		size_t digits = 0;

		while (word.n && (*word.p == '\'' || *word.p == '"')) {
			word.p++;
			word.n--;
		}
		while (digits < word.n && strchr("0123456789abcdef", word.p[digits]))
			digits++;
		if (digits != FRAME_NONCE_LEN)
			continue;
		if (word.n > digits && word.p[digits] != '\'' && word.p[digits] != '"')
			continue;
		memcpy(out, word.p, FRAME_NONCE_LEN);
		out[FRAME_NONCE_LEN] = '\0';
		return true;
	}
	return false;
}

static unsigned sections_named(struct span line)
{
	struct span word;
	unsigned mask = 0;

	while (span_word(&line, &word)) {
		for (int i = 0; i < SECTION_COUNT; i++)
			if (span_eq(word, section_desc((enum section_id)i)->name))
				mask |= 1u << i;
	}
	return mask;
}

static enum err_code take_line(struct text_transport *t, struct span line, int64_t now)
{
	unsigned mask;
	enum err_code rc = ERR_OK;

	if (!t->nonce[0]) {
		if (!find_nonce(line, t->nonce))
			return ERR_OK;
		rc = buf_addf(&t->out, "@hp %s ready 1\n", t->nonce);
	}
	mask = sections_named(line);
	if (!mask)
		return rc;
	t->pending |= mask;
	t->request_open = true;
	schedule(t, now);
	return rc;
}

static enum err_code text_write(
	struct transport *transport, const char *bytes, size_t len, size_t *put, struct err *e)
{
	struct text_transport *t = of(transport);
	int64_t now = t->clock();

	for (size_t i = 0; i < len; i++) {
		if (bytes[i] != '\n') {
			if (t->line.len < LINE_MAX_BYTES &&
				buf_add(&t->line, bytes + i, 1) != ERR_OK)
				return err_set(e, ERR_BUG, "%s: line buffer", t->server->name);
			continue;
		}
		enum err_code rc = take_line(t, (struct span){buf_str(&t->line), t->line.len}, now);

		buf_reset(&t->line);
		if (rc != ERR_OK)
			return err_set(e, rc, "%s: more answers than are read", t->server->name);
	}
	*put = len;
	return ERR_OK;
}

/* ---- output ---- */

static enum err_code add_section(
	struct text_transport *t, enum section_id id, const struct text_answer *a)
{
	const char *name = section_desc(id)->name;
	enum err_code rc = buf_addf(&t->out, "@hp %s begin %s\n", t->nonce, name);

	if (rc == ERR_OK)
		rc = buf_add(&t->out, buf_str(&t->text), t->text.len);
	if (rc == ERR_OK)
		rc = buf_addf(&t->out, "\n@hp %s end %s %d %" PRId64 " %d\n", t->nonce, name,
			a->exit_code, a->run_ms, a->cut);
	return rc;
}

static enum err_code answer_next(struct text_transport *t, int64_t now)
{
	enum section_id id = first_pending(t);
	struct text_answer a = {.text = &t->text};
	enum err_code rc = ERR_OK;

	buf_reset(&t->text);
	switch (t->server->answer(t->ctx, id, now, &a)) {
	case TEXT_ANSWERED:
		rc = add_section(t, id, &a);
		break;
	case TEXT_NONE:
		break;
	case TEXT_SILENT:
		t->silent = true;
		return ERR_OK;
	case TEXT_DROPPED:
		t->dropped = true;
		return ERR_OK;
	}
	t->pending &= ~(1u << id);
	schedule(t, now);
	return rc;
}

/* Brings out up to what is due now. */
static enum err_code advance(struct text_transport *t, int64_t now)
{
	enum err_code rc = ERR_OK;

	while (rc == ERR_OK && t->request_open && !t->silent && !t->dropped &&
		now >= t->next_at_ms) {
		if (t->pending) {
			rc = answer_next(t, now);
			continue;
		}
		t->request_open = false;
		rc = buf_addf(&t->out, "@hp %s done\n", t->nonce);
		buf_release(&t->text);
		if (t->server->answered)
			t->server->answered(t->ctx);
	}
	return rc;
}

static enum err_code text_read(
	struct transport *transport, char *out, size_t size, size_t *got, struct err *e)
{
	struct text_transport *t = of(transport);
	size_t left = t->out.len - t->out_read;

	if (!left) {
		buf_release(&t->out); /* idle for long: the room goes back */
		t->out_read = 0;
		if (advance(t, t->clock()) != ERR_OK)
			return err_set(
				e, ERR_TOOBIG, "%s: an answer over its cap", t->server->name);
		left = t->out.len;
	}
	if (!left && t->dropped)
		return err_set(e, ERR_NET, "the connection was reset by the node");
	if (!left)
		return ERR_AGAIN;
	*got = left < size ? left : size;
	memcpy(out, t->out.data + t->out_read, *got);
	t->out_read += *got;
	return ERR_OK;
}

static void text_poll(struct transport *transport, bool want_write, struct transport_poll *p)
{
	struct text_transport *t = of(transport);

	p->nfds = 0;
	p->deadline_mono_ms = 0;
	/* A time that has passed stays the answer until the step that it calls for. */
	if (!t->connected)
		p->deadline_mono_ms = t->connected_at_ms;
	else if (want_write || t->out_read < t->out.len)
		p->deadline_mono_ms = t->clock();
	else if (t->request_open && !t->silent)
		p->deadline_mono_ms = t->next_at_ms;
}

static const char *text_phase(const struct transport *transport)
{
	(void)transport;
	return "connecting";
}

static void text_free(struct transport *transport)
{
	struct text_transport *t = of(transport);

	if (t->server->free_ctx)
		t->server->free_ctx(t->ctx);
	buf_release(&t->line);
	buf_release(&t->text);
	buf_release(&t->out);
	free(t);
}

struct transport *text_transport_new(const struct text_server *server, void *ctx,
	const struct text_options *opt, int64_t now_mono_ms)
{
	struct text_transport *t = xcalloc(1, sizeof(*t));

	t->ops = (struct transport_ops){
		server->name, text_step, text_read, text_write, text_poll, text_free, text_phase};
	t->base.ops = &t->ops;
	t->server = server;
	t->ctx = ctx;
	t->clock = opt->clock ? opt->clock : clock_mono_ms;
	t->connected_at_ms = now_mono_ms + opt->connect_ms;
	if (opt->refuse)
		snprintf(t->refuse, sizeof(t->refuse), "%s", opt->refuse);
	buf_init(&t->line, LINE_MAX_BYTES);
	buf_init(&t->text, SECTION_TEXT_MAX);
	buf_init(&t->out, OUT_MAX);
	return &t->base;
}
