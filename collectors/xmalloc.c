#include "collectors/xmalloc.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef __GLIBC__
#include <malloc.h>
#elif defined(__APPLE__)
#include <malloc/malloc.h>
#endif

static void *checked(void *p)
{
	if (!p) {
		fputs("hyperpod-perf: out of memory: a small allocation failed (free some "
		      "memory)\n",
			stderr);
		abort();
	}
	return p;
}

void *xmalloc(size_t size)
{
	return checked(malloc(size ? size : 1));
}

void *xcalloc(size_t count, size_t size)
{
	if (count == 0 || size == 0)
		count = size = 1;
	return checked(calloc(count, size));
}

void *xreallocarray(void *p, size_t count, size_t size)
{
	if (size && count > SIZE_MAX / size)
		return checked(NULL);
	size_t bytes = count * size;

	return checked(realloc(p, bytes ? bytes : 1));
}

char *xstrdup(const char *s)
{
	return xstrndup(s, strlen(s));
}

char *xstrndup(const char *s, size_t n)
{
	char *copy = xmalloc(n + 1);

	memcpy(copy, s, n);
	copy[n] = '\0';
	return copy;
}

void xgrow(void **items, size_t *cap, size_t count, size_t size)
{
	if (count < *cap)
		return;
	size_t want = *cap ? *cap * 2 : 8;

	if (want <= count)
		want = count + 1;
	*items = xreallocarray(*items, want, size);
	*cap = want;
}

void xtrim(void)
{
#ifdef __GLIBC__
	malloc_trim(0);
#elif defined(__APPLE__)
	malloc_zone_pressure_relief(NULL, 0);
#endif
}
