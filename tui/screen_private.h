/* The state behind screen.h, shared by screen.c, screen_draw.c and screen_command.c only. */
#ifndef TUI_SCREEN_PRIVATE_H
#define TUI_SCREEN_PRIVATE_H

#include "tui/input.h"
#include "tui/screen.h"

#define SCREEN_TABS_MAX   9
#define SCREEN_MESSAGE_MS 5000

/* A view with what belongs to it. */
struct slot {
	const struct view_ops *ops;
	void *state;
	char filter[sizeof(((struct input_line *)0)->text)];
	bool stale; /* must be updated before it is drawn or gets a key */
};

enum prompt { PROMPT_NONE, PROMPT_SEARCH, PROMPT_COMMAND };

struct screen {
	struct ui ui;
	struct trend *trend;
	struct slot tabs[SCREEN_TABS_MAX];
	size_t ntabs;
	size_t tab;
	struct slot detail;
	struct slot help;
	bool detail_open; /* over the tab */
	bool help_open;   /* over both */
	enum prompt prompt;
	struct input_line line;
	char message[256];
	int64_t message_until_mono_ms;
	char copy[1024];
};

/* The view that is seen, with its update done. */
struct slot *screen_front(struct screen *s);

/* Shows a tab; closes what lies over it. */
void screen_go(struct screen *s, size_t tab);

/* Sets the front view's filter. */
void screen_set_filter(struct screen *s, const char *words);

#endif
