/*
 * Splits the probe's output into sections.
 *
 * Wire format, one line each ("<N>" is the run's nonce, 32 hex digits made by
 * the client; a line counts only when it holds exactly that nonce):
 *
 *   @hp <N> ready <version>              the probe runs and reads requests
 *   @hp <N> begin <section>
 *   ...the section's bytes...
 *   @hp <N> end <section> <exit> <ms> <cut:0|1>
 *   @hp <N> done                         the request is answered
 *
 * The probe adds one newline before each "end" line; the splitter removes it.
 * Everything outside begin ... end (login banners, motd, a stray echo) is
 * dropped. A node that does not know the nonce cannot forge a frame. A second
 * "begin" before an "end" closes the open section as cut.
 *
 * Pure and bounded: a line or a section over its cap is dropped or cut, never
 * kept. Pieces of input may be of any size.
 */
#ifndef COLLECTORS_FRAME_H
#define COLLECTORS_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collectors/buf.h"
#include "collectors/section.h"

#define FRAME_NONCE_LEN 32

enum frame_event {
	FRAME_NONE,    /* needs more input */
	FRAME_READY,   /* the probe answers to our nonce */
	FRAME_SECTION, /* one section is complete: see fields below */
	FRAME_DONE     /* the request is answered */
};

struct frame {
	char nonce[FRAME_NONCE_LEN + 1];
	struct buf line;    /* the line being gathered */
	struct buf body;    /* the open section's bytes */
	bool line_overflow; /* the rest of an over-long line is skipped */
	bool open;
	bool own_open; /* it has the own name */
	bool cut;
	enum section_id open_id;
	const char *own;      /* a name that is no section's and is taken all the same */
	uint64_t total_bytes; /* all input, for the session's own cap */

	/* valid after FRAME_SECTION, until the next call; id SECTION_COUNT: of the own name */
	enum section_id id;
	struct span text;
	int exit_code;
	int64_t run_ms;
	bool text_cut;
};

void frame_init(struct frame *f, const char *nonce);
void frame_release(struct frame *f);

/* Also takes what is framed by this name, which is no section's. Static. */
void frame_take_also(struct frame *f, const char *name);

/*
 * Takes input from *in until one event is ready or *in is empty; moves *in past
 * what it took. Call until it returns FRAME_NONE.
 */
enum frame_event frame_feed(struct frame *f, struct span *in);

/*
 * The stream ended: a section still open is given as a FRAME_SECTION with
 * text_cut set, once; then FRAME_NONE.
 */
enum frame_event frame_end(struct frame *f);

/* 32 hex digits from the system's random source. ERR_IO when there is none. */
enum err_code frame_nonce(char out[FRAME_NONCE_LEN + 1], struct err *e) ATTR_MUST_CHECK;

#endif
