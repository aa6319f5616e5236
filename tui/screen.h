/*
 * The whole interface without a terminal: which screen is shown, what is typed,
 * what each key does, how a frame looks. The loop in app.c feeds it keys, pictures
 * and the time, and does what the returned flags ask for.
 */
#ifndef TUI_SCREEN_H
#define TUI_SCREEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tui/view.h"

#define SCREEN_REDRAW  1u /* something changed on the grid */
#define SCREEN_QUIT    2u
#define SCREEN_REFRESH 4u  /* ask all nodes now */
#define SCREEN_PAUSE   8u  /* screen_paused() changed */
#define SCREEN_COPY    16u /* put screen_copy_text() on the clipboard */
#define SCREEN_REPAINT 32u /* the terminal's content is in doubt */

struct screen;

/* Never NULL. start: name of the first screen, NULL the default. */
struct screen *screen_new(bool ascii, const struct view_ops *start);
void screen_free(struct screen *s); /* does not free the picture */

/*
 * The picture to show from now on, borrowed until the next call: the caller frees
 * the one before only after this returns. jm may be NULL.
 */
void screen_set_picture(struct screen *s, const struct snapshot *snap, const struct judgement *jm);

/*
 * The sweep to show from now on, borrowed until the next call as the picture is; NULL
 * none. Comes and goes on its own: newer or older than the picture.
 */
void screen_set_sweep(struct screen *s, const struct sweep_picture *sweep);

/* Another judgement of the same picture, borrowed as it is: before the sweep that it is of. */
void screen_set_judgement(struct screen *s, const struct judgement *jm);

/* The time of what is drawn and typed next. True when a message ran out. */
bool screen_set_time(struct screen *s, int64_t mono_ms, int64_t wall_ms);

/* One key; returns SCREEN_ flags. A picture must have been set. */
unsigned screen_key(struct screen *s, uint32_t key);

/* One command as typed after ':'; returns SCREEN_ flags. */
unsigned screen_command(struct screen *s, const char *text);

void screen_draw(struct screen *s, struct grid *g);

/* A sentence at the bottom for a few seconds. */
void screen_message(struct screen *s, const char *fmt, ...) ATTR_PRINTF(2, 3);

bool screen_paused(const struct screen *s);
const char *screen_copy_text(const struct screen *s);

/* Opens the panel of a node or finding ("" none). */
void screen_detail(struct screen *s, const char *node_id, const char *finding_id);

#endif
