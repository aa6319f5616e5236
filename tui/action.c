#include "tui/action.h"

#include <stdio.h>
#include <string.h>

#include "tui/input.h"

#define ACTION_DESC(ID, keys, where, hinted, group, hint, help) \
	[ACTION_##ID] = {keys, where, hinted, group, hint, help},
static const struct action_desc descs[ACTION_COUNT] = {ACTIONS(ACTION_DESC)};

const struct action_desc *action_desc(enum action a)
{
	return &descs[a];
}

enum action action_of_key(uint32_t key, unsigned where)
{
	for (int a = 0; a < ACTION_COUNT; a++) {
		const char *keys = descs[a].keys;
		uint32_t k;

		while ((descs[a].where & where) && input_next_key(&keys, &k))
			if (k == key)
				return (enum action)a;
	}
	return ACTION_NONE;
}

char *action_key_name(enum action a, char *out, size_t size)
{
	size_t n = strcspn(descs[a].keys, " ");

	snprintf(out, size, "%.*s", (int)n, descs[a].keys);
	return out;
}
