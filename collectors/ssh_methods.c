#include "collectors/ssh_methods.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collectors/buf.h"
#include "collectors/text.h"
#include "collectors/xmalloc.h"

/* Libssh2's own order puts AES-256 first; nothing secret passes here, and 128 bits cost less. */
static const char kex_methods[] =
	"curve25519-sha256,curve25519-sha256@libssh.org,ecdh-sha2-nistp256,ecdh-sha2-nistp384,"
	"ecdh-sha2-nistp521,diffie-hellman-group16-sha512,diffie-hellman-group18-sha512,"
	"diffie-hellman-group14-sha256,diffie-hellman-group-exchange-sha256,"
	"diffie-hellman-group14-sha1";
static const char ciphers[] = "aes128-gcm@openssh.com,aes128-ctr,aes256-gcm@openssh.com,aes192-ctr,"
			      "aes256-ctr,chacha20-poly1305@openssh.com";
static const char macs[] = "hmac-sha2-256,hmac-sha2-256-etm@openssh.com,hmac-sha2-512,"
			   "hmac-sha2-512-etm@openssh.com,hmac-sha1";

void ssh_methods_release(struct ssh_methods *m)
{
	free(m->kex);
	free(m->cipher);
	free(m->mac);
	free(m->host_keys);
	*m = (struct ssh_methods)SSH_METHODS_INIT;
}

/*
 * Names are checked here, since libssh2 1.10 takes unknown ones out of a list with
 * a memcpy of overlapping ranges, which can garble the list.
 */
static char *known_names(const char *wanted, const char *const *known, int n)
{
	size_t size = strlen(wanted) + 1;
	char *out = xmalloc(size);
	struct span rest = span_of(wanted);
	struct span name;
	size_t used = 0;

	out[0] = '\0';
	while (span_field(&rest, ',', &name)) {
		int i = 0;

		while (i < n && !span_eq(name, known[i]))
			i++;
		if (i == n)
			continue;
		used += (size_t)snprintf(
			out + used, size - used, "%s%.*s", used ? "," : "", (int)name.n, name.p);
	}
	return out;
}

/* The names of a kind that libssh2 knows and that are in wanted (NULL: all); "" on failure. */
static char *supported(LIBSSH2_SESSION *session, int method, const char *wanted)
{
	const char **names = NULL;
	struct buf all = BUF_INIT(4096);
	int n = libssh2_session_supported_algs(session, method, &names);

	if (n <= 0)
		return xstrdup("");
	for (int i = 0; i < n && !wanted; i++)
		if (buf_addf(&all, "%s%s", i ? "," : "", names[i]))
			break;
	char *out = wanted ? known_names(wanted, names, n) : buf_detach(&all);

	libssh2_free(session, names);
	return out;
}

/* Once a context: every session after the first finds them made. */
static void make_methods(struct ssh_methods *m, LIBSSH2_SESSION *session)
{
	if (m->kex)
		return;
	m->kex = supported(session, LIBSSH2_METHOD_KEX, kex_methods);
	m->cipher = supported(session, LIBSSH2_METHOD_CRYPT_CS, ciphers);
	m->mac = supported(session, LIBSSH2_METHOD_MAC_CS, macs);
	m->host_keys = supported(session, LIBSSH2_METHOD_HOSTKEY, NULL);
}

static char *known_host_keys(const char *wanted, const char *all)
{
	const char *names[32];
	char *copy = xstrdup(all);
	int n = 0;

	for (char *p = copy; p && *p && n < 32;) {
		char *comma = strchr(p, ',');

		names[n++] = p;
		if (comma)
			*comma = '\0';
		p = comma ? comma + 1 : NULL;
	}
	char *out = known_names(wanted, names, n);

	free(copy);
	return out;
}

void ssh_methods_apply(struct ssh_methods *m, LIBSSH2_SESSION *session, const char *host_keys)
{
	make_methods(m, session);
	char *keys = known_host_keys(host_keys, m->host_keys);
	const struct {
		int method;
		const char *names;
	} prefs[] = {
		{LIBSSH2_METHOD_KEX, m->kex},
		{LIBSSH2_METHOD_HOSTKEY, keys},
		{LIBSSH2_METHOD_CRYPT_CS, m->cipher},
		{LIBSSH2_METHOD_CRYPT_SC, m->cipher},
		{LIBSSH2_METHOD_MAC_CS, m->mac},
		{LIBSSH2_METHOD_MAC_SC, m->mac},
	};

	/* An empty list leaves libssh2's own in place. */
	for (size_t i = 0; i < ARRAY_LEN(prefs); i++)
		if (*prefs[i].names)
			(void)libssh2_session_method_pref(session, prefs[i].method, prefs[i].names);
	free(keys);
}
