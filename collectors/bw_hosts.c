#include <stdlib.h>
#include <string.h>

#include "collectors/bw_build.h"
#include "collectors/bw_reader.h"
#include "collectors/hostlist.h"
#include "collectors/xmalloc.h"

/* Longest name of a host: RFC 1035 allows 253 bytes. */
#define NAME_MAX_BYTES 255

void bw_hosts_init(struct bw_hosts *h)
{
	*h = (struct bw_hosts){0};
	arena_init(&h->names, BW_HOSTS_MAX * (NAME_MAX_BYTES + 1));
}

void bw_hosts_release(struct bw_hosts *h)
{
	free(h->v);
	free(h->slots);
	arena_release(&h->names);
	*h = (struct bw_hosts){0};
}

void bw_hosts_reset(struct bw_hosts *h)
{
	if (h->n == 0)
		return;
	h->n = h->last = 0;
	memset(h->slots, 0, h->n_slots * sizeof(h->slots[0]));
	arena_release(&h->names);
}

/* FNV-1a. */
static uint32_t hash(const char *s, size_t n)
{
	uint32_t h = 2166136261u;

	for (size_t i = 0; i < n; i++)
		h = (h ^ (unsigned char)s[i]) * 16777619u;
	return h;
}

static bool is_named(const struct bw_host *host, struct span name)
{
	return strncmp(host->name, name.p, name.n) == 0 && host->name[name.n] == '\0';
}

/* The slot of a name, or the free one where it belongs. */
static uint32_t *slot_of(struct bw_hosts *h, struct span name)
{
	size_t i = hash(name.p, name.n) & (h->n_slots - 1);

	while (h->slots[i] && !is_named(&h->v[h->slots[i] - 1], name))
		i = (i + 1) & (h->n_slots - 1);
	return &h->slots[i];
}

static void grow_slots(struct bw_hosts *h)
{
	free(h->slots);
	h->n_slots = h->n_slots ? h->n_slots * 2 : 16;
	h->slots = xcalloc(h->n_slots, sizeof(h->slots[0]));
	for (size_t i = 0; i < h->n; i++)
		*slot_of(h, span_of(h->v[i].name)) = (uint32_t)(i + 1);
}

static bool is_plain(struct span s)
{
	for (size_t i = 0; i < s.n; i++)
		if ((unsigned char)s.p[i] <= ' ' || (unsigned char)s.p[i] > '~')
			return false;
	return true;
}

struct bw_host *bw_hosts_add(struct bw_hosts *h, struct span name)
{
	char clean[NAME_MAX_BYTES + 1];
	uint32_t *slot;

	if (name.n == 0 || name.n > NAME_MAX_BYTES)
		return NULL;
	if (!is_plain(name))
		name = (struct span){clean, text_printable(clean, sizeof(clean), name.p, name.n)};
	if (name.n == 0)
		return NULL;
	if (h->n && is_named(&h->v[h->last], name))
		return &h->v[h->last];
	if (h->n * 2 >= h->n_slots)
		grow_slots(h);
	slot = slot_of(h, name);
	if (!*slot) {
		const char *copy =
			h->n < BW_HOSTS_MAX ? arena_strndup(&h->names, name.p, name.n) : NULL;

		if (!copy)
			return NULL;
		xgrow((void **)&h->v, &h->cap, h->n, sizeof(h->v[0]));
		h->v[h->n] = (struct bw_host){copy, UINT64_MAX, 0, false};
		*slot = (uint32_t)++h->n;
	}
	h->last = *slot - 1;
	return &h->v[h->last];
}

static void add_name(void *ctx, const char *name)
{
	bw_hosts_add(ctx, span_of(name));
}

/* "10.0.0.1:8" of an mpirun: without its slots. */
static struct span without_slots(struct span name)
{
	const char *colon = memchr(name.p, ':', name.n);
	uint64_t slots;

	if (colon &&
		span_u64((struct span){colon + 1, (size_t)(name.p + name.n - colon) - 1}, &slots))
		name.n = (size_t)(colon - name.p);
	return name;
}

void bw_hosts_add_list(struct bw_hosts *h, struct span list)
{
	char text[4096];
	struct err e;

	if (memchr(list.p, '[', list.n)) {
		text_printable(text, sizeof(text), list.p, list.n);
		if (hostlist_expand(text, BW_HOSTS_MAX, add_name, h, &e) == ERR_OK)
			return;
	}
	while (list.n) {
		size_t n = 0;

		while (n < list.n && list.p[n] != ',' && (unsigned char)list.p[n] > ' ')
			n++;
		bw_hosts_add(h, without_slots((struct span){list.p, n}));
		n += n < list.n;
		list = (struct span){list.p + n, list.n - n};
	}
}

void bw_hosts_copy(struct bw_hosts *to, const struct bw_hosts *from)
{
	bw_hosts_reset(to);
	for (size_t i = 0; i < from->n; i++)
		bw_hosts_add(to, span_of(from->v[i].name));
}
