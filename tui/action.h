/*
 * Everything a key can do, once: the key map, the help screen and the hints at the
 * bottom are all made from this list.
 *   A(ID, keys, where, hinted, group, hint, help)
 * keys: names of input.h, the first one is shown in hints. where: the screens on
 * which it means something. hint: one word for the bottom line of the screens `hinted`.
 */
#ifndef TUI_ACTION_H
#define TUI_ACTION_H

#include <stddef.h>
#include <stdint.h>

#define IN_NODES    1u
#define IN_FINDINGS 2u
#define IN_DETAIL   4u
#define IN_LOG      8u
#define IN_HELP     16u
#define IN_LISTS    (IN_NODES | IN_FINDINGS)
#define IN_HEATMAP  32u
#define IN_ALL      63u

#define ACTIONS(A)                                                                                \
	A(OPEN_CELL, "Enter", IN_HEATMAP, IN_HEATMAP, "Look", "closer",                           \
		"closer, then the pair, then its node")                                           \
	A(LEFT, "Left h", IN_HEATMAP, 0, "Move", "", "one column to the left")                    \
	A(RIGHT, "Right l", IN_HEATMAP, 0, "Move", "", "one column to the right")                 \
	A(SUSPECT_NEXT, "Tab ]", IN_HEATMAP, IN_HEATMAP, "Find", "next suspect",                  \
		"to the next suspect")                                                            \
	A(SUSPECT_PREV, "S-Tab [", IN_HEATMAP, 0, "Find", "", "to the suspect before")            \
	A(WORST, "w", IN_HEATMAP, IN_HEATMAP, "Look", "worst first",                              \
		"the slowest pairs as a list, or the matrix")                                     \
	A(MODE, "m", IN_HEATMAP, IN_HEATMAP, "Look", "% or GB/s",                                 \
		"colour by what is lost, or by speed")                                            \
	A(ZOOM_IN, "+ =", IN_HEATMAP, IN_HEATMAP, "Look", "zoom", "half as many nodes")           \
	A(ZOOM_OUT, "-", IN_HEATMAP, 0, "Look", "", "twice as many nodes")                        \
	A(ZOOM_ALL, "0", IN_HEATMAP, 0, "Look", "", "all nodes")                                  \
	A(OPEN, "Enter Right l", IN_LISTS, IN_LISTS, "Look", "details",                           \
		"open the details of the row")                                                    \
	A(FINDING_NEXT, "Tab ]", IN_DETAIL, IN_DETAIL, "Look", "next finding",                    \
		"unfold the next finding")                                                        \
	A(FINDING_PREV, "S-Tab [", IN_DETAIL, 0, "Look", "", "unfold the finding before")         \
	A(COPY, "y", IN_DETAIL | IN_LISTS | IN_HEATMAP, IN_DETAIL, "Look", "copy",                \
		"copy the command or line to the clipboard")                                      \
	A(BACK, "Esc Left h", IN_ALL, IN_DETAIL | IN_HELP, "Look", "back",                        \
		"drop the filter, else close the details")                                        \
	A(CONCERNS, "c", IN_LISTS, IN_LISTS, "Look", "concerns",                                  \
		"only what is of concern, or all")                                                \
	A(TREND, "t", IN_NODES, IN_NODES, "Look", "trend",                                        \
		"trend of GPU use, iowait or GPU temperature")                                    \
	A(UP, "Up k", IN_ALL, 0, "Move", "", "one line up")                                       \
	A(DOWN, "Down j", IN_ALL, 0, "Move", "", "one line down")                                 \
	A(PAGE_UP, "PgUp ^B", IN_ALL, 0, "Move", "", "one page up")                               \
	A(PAGE_DOWN, "PgDn ^F", IN_ALL, 0, "Move", "", "one page down")                           \
	A(HOME, "Home g", IN_ALL, 0, "Move", "", "to the first line")                             \
	A(END, "End G", IN_ALL, 0, "Move", "", "to the last line")                                \
	A(SEARCH, "/", IN_ALL & ~IN_HELP, IN_ALL & ~IN_HELP, "Find", "filter",                    \
		"show only rows with these words")                                                \
	A(NEXT, "n", IN_ALL & ~IN_HELP, 0, "Find", "", "next row with the words")                 \
	A(PREV, "N", IN_ALL & ~IN_HELP, 0, "Find", "", "row before with the words")               \
	A(SORT_NEXT, "s >", IN_NODES, IN_NODES, "Find", "sort", "sort by the next column")        \
	A(SORT_PREV, "S <", IN_NODES, 0, "Find", "", "sort by the column before")                 \
	A(REVERSE, "r", IN_NODES, 0, "Find", "", "turn the order round")                          \
	A(VIEW_NODES, "1", IN_ALL, 0, "Go to", "", "every node, those with concerns first")       \
	A(VIEW_HEATMAP, "2", IN_ALL, 0, "Go to", "", "bandwidth between pairs of nodes")          \
	A(VIEW_FINDINGS, "4", IN_ALL, 0, "Go to", "",                                             \
		"every finding, worst first, with its owner")                                     \
	A(VIEW_LOG, "7", IN_ALL, 0, "Go to", "", "what the program did")                          \
	A(REFRESH, "F5 R", IN_ALL, IN_LISTS | IN_HEATMAP, "Run", "refresh", "ask every node now") \
	A(PAUSE, "Space", IN_ALL, IN_LISTS, "Run", "pause", "stop asking the nodes, or go on")    \
	A(COMMAND, ":", IN_ALL, 0, "Run", "",                                                     \
		"a command: :q :nodes :findings :sort COL :node NAME")                            \
	A(HELP, "? F1", IN_ALL, IN_ALL, "Run", "help", "this help, or back")                      \
	A(REDRAW, "^L", IN_ALL, 0, "Run", "", "draw the screen again")                            \
	A(QUIT, "q F10", IN_ALL, IN_ALL, "Run", "quit", "close the details or the help, else leave")

#define ACTION_ENUM(ID, keys, where, hinted, group, hint, help) ACTION_##ID,
enum action { ACTIONS(ACTION_ENUM) ACTION_COUNT };
#undef ACTION_ENUM

/* ACTION_COUNT: no action. */
#define ACTION_NONE ACTION_COUNT

struct action_desc {
	const char *keys;
	unsigned where;
	unsigned hinted;
	const char *group;
	const char *hint;
	const char *help;
};

const struct action_desc *action_desc(enum action a);

/* What the key does on a screen (one of IN_...), or ACTION_NONE. */
enum action action_of_key(uint32_t key, unsigned where);

/* The first key of the action, as it is written: "Enter". Fills out (>= 12 bytes), returns it. */
char *action_key_name(enum action a, char *out, size_t size);

#endif
