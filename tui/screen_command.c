#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "collectors/compiler.h"
#include "collectors/text.h"
#include "tui/screen_private.h"

/* arg: the words after the command's name, "" when there are none. */
struct command {
	const char *name;
	const char *brief; /* a short form; NULL none */
	unsigned (*run)(struct screen *s, const char *arg);
};

static unsigned run_quit(struct screen *s, const char *arg)
{
	(void)s;
	(void)arg;
	return SCREEN_QUIT;
}

static unsigned run_help(struct screen *s, const char *arg)
{
	(void)arg;
	s->help_open = true;
	return 0;
}

static unsigned run_sort(struct screen *s, const char *arg)
{
	struct slot *sl = screen_front(s);

	if (!sl->ops->sort_by)
		screen_message(s, "sort: this screen is not sorted");
	else if (!sl->ops->sort_by(sl->state, &s->ui, arg))
		screen_message(s, "sort %s: no such column", arg);
	return 0;
}

static unsigned run_node(struct screen *s, const char *arg)
{
	const struct node *n = arg[0] ? snapshot_node(s->ui.snap, arg) : NULL;

	/* Not the exact name: the first node that has the words in it. */
	for (size_t i = 0; !n && arg[0] && i < s->ui.snap->n; i++)
		if (input_matches(arg, s->ui.snap->nodes[i].name))
			n = &s->ui.snap->nodes[i];
	if (n)
		screen_detail(s, n->id, "");
	else
		screen_message(s, "node %s: no node has that name", arg);
	return 0;
}

static unsigned run_filter(struct screen *s, const char *arg)
{
	screen_set_filter(s, arg);
	return 0;
}

static unsigned run_refresh(struct screen *s, const char *arg)
{
	(void)arg;
	screen_message(s, "asking every node now");
	return SCREEN_REFRESH;
}

static const struct command commands[] = {
	{"quit", "q", run_quit},
	{"help", "h", run_help},
	{"sort", NULL, run_sort},
	{"node", NULL, run_node},
	{"filter", NULL, run_filter},
	{"refresh", NULL, run_refresh},
};

static bool run_view(struct screen *s, const char *name)
{
	const struct view_ops *ops = view_by_name(name);

	for (size_t i = 0; ops && i < s->ntabs; i++)
		if (s->tabs[i].ops == ops) {
			screen_go(s, i);
			return true;
		}
	return false;
}

unsigned screen_command(struct screen *s, const char *text)
{
	struct span rest = span_trim(span_of(text));
	struct span word;
	char name[32];
	char arg[sizeof(s->line.text)];

	if (!span_word(&rest, &word))
		return 0;
	rest = span_trim(rest);
	snprintf(name, sizeof(name), "%.*s", (int)word.n, word.p);
	snprintf(arg, sizeof(arg), "%.*s", (int)rest.n, rest.n ? rest.p : "");
	for (size_t i = 0; i < ARRAY_LEN(commands); i++)
		if (strcasecmp(commands[i].name, name) == 0 ||
			(commands[i].brief && strcasecmp(commands[i].brief, name) == 0))
			return commands[i].run(s, arg) | SCREEN_REDRAW;
	if (!run_view(s, name))
		screen_message(s,
			"%s: no such command (:q :nodes :findings :log :sort COL :node NAME "
			":filter WORDS :refresh :help)",
			name);
	return SCREEN_REDRAW;
}
