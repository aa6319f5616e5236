/*
 * Keys that the hosts of one source share: files read once, the agent's list
 * asked for once in a while and not for each of hundreds of hosts.
 */
#ifndef COLLECTORS_SSH_KEYRING_H
#define COLLECTORS_SSH_KEYRING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collectors/ssh_key.h"
#include "collectors/text.h"

struct ssh_agent_key {
	unsigned char *blob;
	size_t blob_len;
	char comment[64]; /* printable */
};

/* What one agent holds. */
struct ssh_agent_list {
	char *path;
	int64_t read_mono_ms;
	struct ssh_agent_key *keys;
	size_t n;
	size_t cap;
};

struct ssh_keyring {
	struct ssh_key **files;
	int64_t *files_read_ms;
	size_t n;
	size_t cap;
	struct ssh_agent_list *agents;
	size_t nagents;
	size_t agents_cap;
};

#define SSH_KEYRING_INIT                     \
	{                                    \
		NULL, NULL, 0, 0, NULL, 0, 0 \
	}

void ssh_keyring_release(struct ssh_keyring *r);

/* The key of a file, with a reference for the caller. One that was not usable is read again. */
struct ssh_key *ssh_keyring_file(struct ssh_keyring *r, const char *path, int64_t now_mono_ms);

/* The list of the agent at path when it is fresh, else NULL. Valid until the next store. */
const struct ssh_agent_list *ssh_keyring_agent(
	const struct ssh_keyring *r, const char *path, int64_t now_mono_ms);

/* An empty list for the agent at path, fresh from now, and a key for it. */
struct ssh_agent_list *ssh_keyring_agent_begin(
	struct ssh_keyring *r, const char *path, int64_t now_mono_ms);
void ssh_keyring_agent_add(struct ssh_agent_list *l, struct span blob, struct span comment);

#endif
