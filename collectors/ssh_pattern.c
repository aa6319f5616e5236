#include "collectors/ssh_pattern.h"

#include <string.h>

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

bool ssh_pattern_match(struct span pattern, const char *name)
{
	size_t p = 0;
	size_t star = SIZE_MAX; /* the last '*' seen, to go back to */
	const char *retry = NULL;

	while (*name) {
		if (p < pattern.n && pattern.p[p] == '*') {
			star = p++;
			retry = name;
		} else if (p < pattern.n &&
			   (pattern.p[p] == '?' || lower(pattern.p[p]) == lower(*name))) {
			p++;
			name++;
		} else if (star != SIZE_MAX) {
			p = star + 1;
			name = ++retry;
		} else {
			return false;
		}
	}
	while (p < pattern.n && pattern.p[p] == '*')
		p++;
	return p == pattern.n;
}

bool ssh_pattern_list_match(struct span list, const char *seps, const char *name)
{
	bool found = false;
	size_t i = 0;

	while (i < list.n) {
		size_t start = i;

		while (i < list.n && !strchr(seps, list.p[i]))
			i++;
		struct span one = {list.p + start, i - start};

		i++;
		if (one.n == 0)
			continue;
		bool negated = one.p[0] == '!';

		if (negated) {
			one.p++;
			one.n--;
		}
		if (!ssh_pattern_match(one, name))
			continue;
		if (negated)
			return false;
		found = true;
	}
	return found;
}
