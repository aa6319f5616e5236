#include "collectors/ssh_auth.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collectors/ssh_bytes.h"
#include "collectors/xmalloc.h"

/* Servers hang up after six (MaxAuthTries), and each try costs us and them. */
#define CANDIDATES_MAX 24

enum { AUTH_START, AUTH_AGENT_LIST, AUTH_TRY, AUTH_METHODS };

bool ssh_auth_has_rsa_sha2(void)
{
	return libssh2_version(0x010b00) != NULL;
}

void ssh_auth_init(struct ssh_auth *a, LIBSSH2_SESSION *session, const struct ssh_options *opts,
	struct ssh_keyring *ring)
{
	memset(a, 0, sizeof(*a));
	a->session = session;
	a->opts = opts;
	a->ring = ring;
	a->rsa_sha2 = ssh_auth_has_rsa_sha2();
	a->state = AUTH_START;
	a->self = a;
	ssh_agent_init(&a->agent);
}

static void candidate_release(struct ssh_candidate *c)
{
	ssh_key_unref(c->key);
	free(c->blob);
}

void ssh_auth_release(struct ssh_auth *a)
{
	ssh_agent_close(&a->agent);
	for (size_t i = 0; i < a->n; i++)
		candidate_release(&a->candidates[i]);
	free(a->candidates);
	a->candidates = NULL;
	a->n = a->cap = 0;
}

/* Appends to a text of the error message; silently cut at its size. */
static void append(char *text, size_t size, const char *sep, const char *what, const char *why)
{
	size_t used = strlen(text);

	(void)!snprintf(text + used, size - used, "%s%s%s", used ? sep : "", what, why);
}

/* ---- which keys to try ---- */

/* Certificates and security keys are not libssh2's. */
static bool type_supported(const char *type)
{
	static const char *const types[] = {"ssh-ed25519", "ssh-rsa", "ecdsa",
		"ecdsa-sha2-nistp256", "ecdsa-sha2-nistp384", "ecdsa-sha2-nistp521", ""};

	for (size_t i = 0; i < ARRAY_LEN(types); i++)
		if (strcmp(type, types[i]) == 0)
			return true;
	return false;
}

static bool same_blob(const unsigned char *a, size_t a_len, const unsigned char *b, size_t b_len)
{
	return a && b && a_len == b_len && memcmp(a, b, a_len) == 0;
}

static bool already(const struct ssh_auth *a, const unsigned char *blob, size_t len)
{
	for (size_t i = 0; i < a->n; i++)
		if (same_blob(a->candidates[i].blob, a->candidates[i].blob_len, blob, len))
			return true;
	return false;
}

/* Takes over the caller's reference to key, which may be NULL. */
static void add_candidate(struct ssh_auth *a, struct ssh_key *key, const struct ssh_agent_key *held)
{
	const unsigned char *blob = held ? held->blob : key->blob;
	size_t len = held ? held->blob_len : key->blob_len;
	struct span type = ssh_blob_type((struct span){(const char *)blob, blob ? len : 0});
	struct ssh_candidate c = {.key = key, .agent = held != NULL};

	snprintf(c.type, sizeof(c.type), "%.*s", (int)(type.n < 31 ? type.n : 31),
		type.n ? type.p : "");
	if (!type.n && key)
		snprintf(c.type, sizeof(c.type), "%s", key->type);
	if (!type_supported(c.type) || already(a, blob, len) || a->n >= CANDIDATES_MAX) {
		ssh_key_unref(key);
		return;
	}
	if (blob) {
		c.blob = xmalloc(len);
		memcpy(c.blob, blob, len);
		c.blob_len = len;
	}
	snprintf(c.label, sizeof(c.label), "%s", held ? held->comment : "");
	xgrow((void **)&a->candidates, &a->cap, a->n, sizeof(*a->candidates));
	a->candidates[a->n++] = c;
}

static const struct ssh_agent_key *held_key(
	const struct ssh_agent_list *list, const struct ssh_key *key)
{
	for (size_t i = 0; list && i < list->n; i++)
		if (same_blob(list->keys[i].blob, list->keys[i].blob_len, key->blob, key->blob_len))
			return &list->keys[i];
	return NULL;
}

static void note_unusable(struct ssh_auth *a, const struct ssh_key *key, bool explicit)
{
	if (key->state == SSH_KEY_ENCRYPTED)
		append(a->notes, sizeof(a->notes), "; ", key->path,
			" is encrypted: load it with ssh-add");
	else if (key->state == SSH_KEY_UNREADABLE) {
		append(a->notes, sizeof(a->notes), "; ", key->path, ": ");
		append(a->notes, sizeof(a->notes), "", key->why, "");
	} else if (key->state == SSH_KEY_MISSING && explicit)
		append(a->notes, sizeof(a->notes), "; ", key->path, ": no such file");
}

enum pass { PASS_EXPLICIT, PASS_HELD, PASS_FILES };

static void add_files(
	struct ssh_auth *a, const struct ssh_agent_list *list, enum pass pass, int64_t now)
{
	const struct ssh_strings *files = &a->opts->identity_files;
	size_t end = pass == PASS_EXPLICIT ? (a->opts->identity_explicit ? 1 : 0) : files->n;

	for (size_t i = 0; i < end; i++) {
		struct ssh_key *key = ssh_keyring_file(a->ring, files->items[i], now);
		const struct ssh_agent_key *held = held_key(list, key);

		if (held && pass != PASS_FILES) {
			add_candidate(a, key, held);
		} else if (pass != PASS_HELD && key->state == SSH_KEY_USABLE) {
			add_candidate(a, key, NULL);
		} else {
			if (pass == PASS_FILES && !held)
				note_unusable(a, key, i == 0 && a->opts->identity_explicit);
			ssh_key_unref(key);
		}
	}
}

/* Stable: keys that this libssh2 can hardly use go to the end. */
static void rsa_last(struct ssh_auth *a)
{
	struct ssh_candidate *sorted = xcalloc(a->n, sizeof(*sorted));
	size_t n = 0;

	for (int rsa = 0; rsa < 2; rsa++)
		for (size_t i = 0; i < a->n; i++)
			if ((strcmp(a->candidates[i].type, "ssh-rsa") == 0) == rsa)
				sorted[n++] = a->candidates[i];
	free(a->candidates);
	a->candidates = sorted;
	a->cap = a->n;
}

static void collect(struct ssh_auth *a, const struct ssh_agent_list *list, int64_t now)
{
	if (a->opts->pubkey) {
		add_files(a, list, PASS_EXPLICIT, now);
		add_files(a, list, PASS_HELD, now);
		for (size_t i = 0; list && !a->opts->identities_only && i < list->n; i++)
			add_candidate(a, NULL, &list->keys[i]);
		add_files(a, list, PASS_FILES, now);
	}
	if (!a->rsa_sha2 && a->n)
		rsa_last(a);
	a->state = a->n ? AUTH_TRY : AUTH_METHODS;
}

/* ---- the agent's list ---- */

static void list_each(void *ctx, struct span blob, struct span comment)
{
	ssh_keyring_agent_add(ctx, blob, comment);
}

static void agent_failed(struct ssh_auth *a, const struct err *why, int64_t now)
{
	append(a->notes, sizeof(a->notes), "; ", why->msg, "");
	ssh_agent_close(&a->agent);
	collect(a, NULL, now);
}

static void start(struct ssh_auth *a, int64_t now)
{
	const char *path = a->opts->identity_agent;
	const struct ssh_agent_list *known;
	struct err why = ERR_INIT;

	if (!path || !a->opts->pubkey) {
		collect(a, NULL, now);
		return;
	}
	known = ssh_keyring_agent(a->ring, path, now);
	if (known)
		collect(a, known, now);
	else if (ssh_agent_connect(&a->agent, path, &why) || ssh_agent_ask_keys(&a->agent, &why))
		agent_failed(a, &why, now);
	else
		a->state = AUTH_AGENT_LIST;
}

static enum err_code agent_list(struct ssh_auth *a, int64_t now)
{
	struct err why = ERR_INIT;
	enum err_code rc = ssh_agent_step(&a->agent, &why);

	if (rc == ERR_AGAIN)
		return rc;
	if (rc == ERR_OK) {
		struct ssh_agent_list *list =
			ssh_keyring_agent_begin(a->ring, a->opts->identity_agent, now);

		rc = ssh_agent_keys(&a->agent, list_each, list, &why);
		if (rc == ERR_OK) {
			collect(a, list, now);
			return ERR_OK;
		}
	}
	agent_failed(a, &why, now);
	return ERR_OK;
}

/* ---- signing ---- */

/* What the server is to be told about an RSA signature, from the data that is signed (RFC 4252 § 7). */
static uint32_t sign_flags(struct span data)
{
	struct span s;
	struct span method = SPAN_INIT;

	if (!ssh_take_string(&data, &s) || !ssh_take_bytes(&data, 1, &s) ||
		!ssh_take_string(&data, &s) || !ssh_take_string(&data, &s) ||
		!ssh_take_string(&data, &s) || !ssh_take_bytes(&data, 1, &s) ||
		!ssh_take_string(&data, &method))
		return 0;
	if (span_eq(method, "rsa-sha2-512"))
		return SSH_AGENT_RSA_SHA2_512;
	return span_eq(method, "rsa-sha2-256") ? SSH_AGENT_RSA_SHA2_256 : 0;
}

static int give_signature(struct span s, unsigned char **sig, size_t *sig_len)
{
	*sig = malloc(s.n); /* libssh2's default allocator is malloc, and it frees this */
	if (!*sig)
		return -1;
	memcpy(*sig, s.p, s.n);
	*sig_len = s.n;
	return 0;
}

static int sign_by_agent(struct ssh_auth *a, const struct ssh_candidate *c, struct span data,
	unsigned char **sig, size_t *sig_len)
{
	struct span blob = {(const char *)c->blob, c->blob_len};
	struct span signature;
	enum err_code rc = ERR_OK;

	if (!a->sign_pending) {
		if (a->agent.fd < 0)
			rc = ssh_agent_connect(&a->agent, a->opts->identity_agent, &a->sign_err);
		if (rc == ERR_OK)
			rc = ssh_agent_ask_sign(
				&a->agent, blob, data, sign_flags(data), &a->sign_err);
	}
	if (rc == ERR_OK)
		rc = ssh_agent_step(&a->agent, &a->sign_err);
	a->sign_pending = rc == ERR_AGAIN;
	if (a->sign_pending)
		return LIBSSH2_ERROR_EAGAIN;
	if (rc == ERR_OK)
		rc = ssh_agent_signature(&a->agent, &signature, &a->sign_err);
	if (rc == ERR_OK)
		return give_signature(signature, sig, sig_len);
	ssh_agent_close(&a->agent);
	return -1;
}

static LIBSSH2_USERAUTH_PUBLICKEY_SIGN_FUNC(sign_call)
{
	struct ssh_auth *a = *abstract;
	const struct ssh_candidate *c = &a->candidates[a->next];
	struct span text = {(const char *)data, data_len};
	unsigned char own[SSH_ED25519_SIGNATURE_BYTES];

	(void)session;
	if (c->agent)
		return sign_by_agent(a, c, text, sig, sig_len);
	if (!ssh_key_sign(c->key, text, own))
		return -1;
	return give_signature((struct span){(const char *)own, sizeof(own)}, sig, sig_len);
}

/* ---- trying ---- */

static void note_tried(struct ssh_auth *a, const struct ssh_candidate *c)
{
	if (c->agent)
		a->tried_agent++;
	else
		append(a->tried_files, sizeof(a->tried_files), ", ", c->key->path, "");
	if (a->sign_err.code) {
		append(a->notes, sizeof(a->notes), "; ", a->sign_err.msg, "");
		err_reset(&a->sign_err);
	}
	if (!a->rsa_sha2 && strcmp(c->type, "ssh-rsa") == 0)
		a->rsa_refused = true;
	else
		a->other_refused = true;
}

static int try_candidate(struct ssh_auth *a, const struct ssh_candidate *c)
{
	const char *user = a->opts->user;

	if (c->agent || c->key->signer)
		return libssh2_userauth_publickey(
			a->session, user, c->blob, c->blob_len, sign_call, &a->self);
	return libssh2_userauth_publickey_fromfile_ex(
		a->session, user, (unsigned)strlen(user), NULL, c->key->path, "");
}

/* "ssh-agent (2 keys), /root/.ssh/id_ed25519" */
static void tried_text(const struct ssh_auth *a, char *out, size_t size)
{
	char agent[48] = "";

	if (a->tried_agent)
		snprintf(agent, sizeof(agent), "ssh-agent (%zu key%s)", a->tried_agent,
			a->tried_agent == 1 ? "" : "s");
	snprintf(out, size, "%s%s%s", agent, *agent && *a->tried_files ? ", " : "",
		*agent || *a->tried_files ? a->tried_files : "no key");
}

static enum err_code hung_up(const struct ssh_auth *a, struct err *e)
{
	char tried[220];

	tried_text(a, tried, sizeof(tried));
	return err_set(e, ERR_AUTH,
		"the server hung up during authentication as %.32s; tried %s (too many keys? name "
		"one: --identity, or IdentitiesOnly yes)",
		a->opts->user, tried);
}

static enum err_code refused(const struct ssh_auth *a, const char *methods, struct err *e)
{
	char tried[220];

	tried_text(a, tried, sizeof(tried));
	if (a->rsa_refused && !a->other_refused)
		return err_set(e, ERR_AUTH,
			"RSA key of %.110s: this libssh2 (%s) can sign RSA only with SHA-1, which "
			"the "
			"server refuses (use an ed25519 key, or libssh2 1.11)%s%.60s",
			tried, libssh2_version(0), *a->notes ? "; " : "", a->notes);
	return err_set(e, ERR_AUTH, "%.32s is refused: tried %.120s; the server accepts %.60s%s%s",
		a->opts->user, tried, methods, *a->notes ? "; " : " (add a key it knows)",
		a->notes);
}

static enum err_code try_step(struct ssh_auth *a, struct err *e)
{
	while (a->next < a->n) {
		const struct ssh_candidate *c = &a->candidates[a->next];
		int rc = try_candidate(a, c);

		if (rc == LIBSSH2_ERROR_EAGAIN)
			return ERR_AGAIN;
		if (rc == 0)
			return ERR_OK;
		note_tried(a, c);
		a->next++;
		if (rc == LIBSSH2_ERROR_SOCKET_DISCONNECT || rc == LIBSSH2_ERROR_SOCKET_RECV ||
			rc == LIBSSH2_ERROR_SOCKET_SEND)
			return hung_up(a, e);
	}
	a->state = AUTH_METHODS;
	return ERR_AGAIN;
}

/*
 * Asks what the server would accept; for the message, but a server that wants
 * no proof at all also says so here.
 */
static enum err_code methods_step(struct ssh_auth *a, struct err *e)
{
	const char *user = a->opts->user;
	const char *list = libssh2_userauth_list(a->session, user, (unsigned)strlen(user));
	char methods[80];

	if (list) {
		text_printable(methods, sizeof(methods), list, strlen(list));
		return refused(a, methods, e);
	}
	if (libssh2_userauth_authenticated(a->session))
		return ERR_OK;
	if (libssh2_session_last_errno(a->session) == LIBSSH2_ERROR_EAGAIN)
		return ERR_AGAIN;
	return hung_up(a, e);
}

enum err_code ssh_auth_step(struct ssh_auth *a, int64_t now_mono_ms, struct err *e)
{
	if (a->state == AUTH_START)
		start(a, now_mono_ms);
	if (a->state == AUTH_AGENT_LIST && agent_list(a, now_mono_ms) == ERR_AGAIN)
		return ERR_AGAIN;
	enum err_code rc = ERR_AGAIN;

	if (a->state == AUTH_TRY)
		rc = try_step(a, e);
	if (rc == ERR_AGAIN && a->state == AUTH_METHODS)
		rc = methods_step(a, e);
	if (rc != ERR_AGAIN)
		ssh_agent_close(&a->agent);
	return rc;
}

int ssh_auth_fd(const struct ssh_auth *a, int *events)
{
	if (a->state != AUTH_AGENT_LIST && !a->sign_pending)
		return -1;
	*events = ssh_agent_events(&a->agent);
	return a->agent.fd;
}
