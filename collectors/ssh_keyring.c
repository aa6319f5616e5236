#include "collectors/ssh_keyring.h"

#include <stdlib.h>
#include <string.h>

#include "collectors/xmalloc.h"

/* Long enough for one round over all hosts, short enough that ssh-add is soon seen. */
#define AGENT_FRESH_MS 5000
#define FILE_RETRY_MS  2000

static void agent_clear(struct ssh_agent_list *l)
{
	for (size_t i = 0; i < l->n; i++)
		free(l->keys[i].blob);
	l->n = 0;
}

void ssh_keyring_release(struct ssh_keyring *r)
{
	for (size_t i = 0; i < r->n; i++)
		ssh_key_unref(r->files[i]);
	for (size_t i = 0; i < r->nagents; i++) {
		agent_clear(&r->agents[i]);
		free(r->agents[i].keys);
		free(r->agents[i].path);
	}
	free(r->files);
	free(r->files_read_ms);
	free(r->agents);
	*r = (struct ssh_keyring)SSH_KEYRING_INIT;
}

static size_t file_add(struct ssh_keyring *r, const char *path, int64_t now)
{
	size_t cap = r->cap;

	xgrow((void **)&r->files, &cap, r->n, sizeof(struct ssh_key *));
	xgrow((void **)&r->files_read_ms, &r->cap, r->n, sizeof(int64_t));
	r->files[r->n] = ssh_key_load(path);
	r->files_read_ms[r->n] = now;
	return r->n++;
}

struct ssh_key *ssh_keyring_file(struct ssh_keyring *r, const char *path, int64_t now_mono_ms)
{
	size_t i = 0;

	while (i < r->n && strcmp(r->files[i]->path, path) != 0)
		i++;
	if (i == r->n) {
		i = file_add(r, path, now_mono_ms);
	} else if (r->files[i]->state != SSH_KEY_USABLE &&
		   now_mono_ms - r->files_read_ms[i] > FILE_RETRY_MS) {
		ssh_key_unref(r->files[i]);
		r->files[i] = ssh_key_load(path);
		r->files_read_ms[i] = now_mono_ms;
	}
	return ssh_key_ref(r->files[i]);
}

static struct ssh_agent_list *agent_find(const struct ssh_keyring *r, const char *path)
{
	for (size_t i = 0; i < r->nagents; i++)
		if (strcmp(r->agents[i].path, path) == 0)
			return &r->agents[i];
	return NULL;
}

const struct ssh_agent_list *ssh_keyring_agent(
	const struct ssh_keyring *r, const char *path, int64_t now_mono_ms)
{
	const struct ssh_agent_list *l = agent_find(r, path);

	return l && now_mono_ms - l->read_mono_ms <= AGENT_FRESH_MS ? l : NULL;
}

struct ssh_agent_list *ssh_keyring_agent_begin(
	struct ssh_keyring *r, const char *path, int64_t now_mono_ms)
{
	struct ssh_agent_list *l = agent_find(r, path);

	if (!l) {
		xgrow((void **)&r->agents, &r->agents_cap, r->nagents, sizeof(*r->agents));
		l = &r->agents[r->nagents++];
		memset(l, 0, sizeof(*l));
		l->path = xstrdup(path);
	}
	agent_clear(l);
	l->read_mono_ms = now_mono_ms;
	return l;
}

void ssh_keyring_agent_add(struct ssh_agent_list *l, struct span blob, struct span comment)
{
	xgrow((void **)&l->keys, &l->cap, l->n, sizeof(*l->keys));
	struct ssh_agent_key *k = &l->keys[l->n++];

	k->blob = xmalloc(blob.n);
	memcpy(k->blob, blob.p, blob.n);
	k->blob_len = blob.n;
	text_printable(k->comment, sizeof(k->comment), comment.p, comment.n);
}
