/*
 * A screen that is driven by keys and read as text, without a terminal. For tests.
 */
#ifndef TESTS_LIB_UI_DRIVE_H
#define TESTS_LIB_UI_DRIVE_H

#include <stdbool.h>

#include "tests/lib/ui_fixture.h"
#include "tui/screen.h"

struct ui_drive {
	struct ui_fixture fixture;
	struct screen *screen;
	struct grid grid;
	unsigned flags; /* of the last key or command */
};

/* Sets a UTF-8 locale; false (after a line on stderr) when the machine has none. */
bool ui_drive_locale(void);

/* Takes the fixture. The first frame is drawn. */
void ui_drive_start(struct ui_drive *d, struct ui_fixture f, int w, int h);
void ui_drive_stop(struct ui_drive *d);

/* Keys by name (input.h), separated by blanks; each is followed by a frame. */
void ui_drive_keys(struct ui_drive *d, const char *keys);
void ui_drive_command(struct ui_drive *d, const char *command);
void ui_drive_resize(struct ui_drive *d, int w, int h);

/* Another picture; the one before is freed, as in the loop. */
void ui_drive_picture(struct ui_drive *d, struct ui_fixture f);

/* The text is on the screen. */
bool ui_drive_sees(const struct ui_drive *d, const char *text);
/* Style of the first cell of text; -1 when it is not on the screen. */
int ui_drive_style(const struct ui_drive *d, const char *text);
/* Row of text; -1 not there. */
int ui_drive_row(const struct ui_drive *d, const char *text);
/* The row on which text stands is the selected one. */
bool ui_drive_selected(const struct ui_drive *d, const char *text);

#endif
