/* What the keys that known_hosts files hold for one host say; see ssh_knownhosts.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collectors/ssh_bytes.h"
#include "collectors/ssh_knownhosts.h"

void ssh_known_release(struct ssh_known *known)
{
	for (size_t i = 0; i < known->n; i++) {
		free(known->keys[i].blob);
		free(known->keys[i].path);
	}
	free(known->keys);
	*known = (struct ssh_known)SSH_KNOWN_INIT;
}

enum ssh_known_verdict ssh_known_check(
	const struct ssh_known *known, struct span blob, const struct ssh_known_key **which)
{
	enum ssh_known_verdict verdict = SSH_KNOWN_NONE;
	const struct ssh_known_key *decided = NULL;
	struct span type = ssh_blob_type(blob);

	for (size_t i = 0; i < known->n; i++) {
		const struct ssh_known_key *key = &known->keys[i];
		bool same = key->blob_len == blob.n && memcmp(key->blob, blob.p, blob.n) == 0;

		if (same && key->revoked) {
			verdict = SSH_KNOWN_REVOKED;
			decided = key;
			break;
		}
		if (key->revoked || verdict == SSH_KNOWN_OK)
			continue;
		if (same) {
			verdict = SSH_KNOWN_OK;
			decided = key;
		} else if (span_eq(type, key->type) && verdict != SSH_KNOWN_CHANGED) {
			verdict = SSH_KNOWN_CHANGED;
			decided = key;
		} else if (verdict == SSH_KNOWN_NONE) {
			verdict = SSH_KNOWN_OTHER_TYPE;
			decided = key;
		}
	}
	if (which)
		*which = decided;
	return verdict;
}

/* Ed25519 first where nothing is known: the usual default, and cheap. */
static const struct {
	const char *type;
	const char *algorithms;
} algorithms[] = {
	{"ssh-ed25519", "ssh-ed25519"},
	{"ecdsa-sha2-nistp256", "ecdsa-sha2-nistp256"},
	{"ecdsa-sha2-nistp384", "ecdsa-sha2-nistp384"},
	{"ecdsa-sha2-nistp521", "ecdsa-sha2-nistp521"},
	{"ssh-rsa", "rsa-sha2-512,rsa-sha2-256,ssh-rsa"},
};

static bool known_has_type(const struct ssh_known *known, const char *type)
{
	for (size_t i = 0; i < known->n; i++)
		if (!known->keys[i].revoked && strcmp(known->keys[i].type, type) == 0)
			return true;
	return false;
}

void ssh_known_preference(const struct ssh_known *known, char *out, size_t size)
{
	size_t used = 0;

	out[0] = '\0';
	for (int want = 1; want >= 0; want--) {
		for (size_t i = 0; i < ARRAY_LEN(algorithms); i++) {
			if (known_has_type(known, algorithms[i].type) != (want == 1))
				continue;
			int n = snprintf(out + used, size - used, "%s%s", used ? "," : "",
				algorithms[i].algorithms);

			if (n < 0 || (size_t)n >= size - used)
				return;
			used += (size_t)n;
		}
	}
}
