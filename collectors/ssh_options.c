#include "collectors/ssh_options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "collectors/buf.h"
#include "collectors/xmalloc.h"

#define TEXT_CAP 4096 /* of one option with its tokens filled in */

static void strings_add(struct ssh_strings *list, const char *p, size_t n)
{
	xgrow((void **)&list->items, &list->cap, list->n, sizeof(*list->items));
	list->items[list->n++] = xstrndup(p, n);
}

static void strings_release(struct ssh_strings *list)
{
	for (size_t i = 0; i < list->n; i++)
		free(list->items[i]);
	free(list->items);
	memset(list, 0, sizeof(*list));
}

void ssh_options_release(struct ssh_options *o)
{
	free(o->hostname);
	free(o->user);
	free(o->identity_agent);
	free(o->host_key_alias);
	free(o->proxy_command);
	free(o->proxy_jump);
	strings_release(&o->identity_files);
	strings_release(&o->user_known_hosts);
	strings_release(&o->global_known_hosts);
	memset(o, 0, sizeof(*o));
}

void ssh_options_default(struct ssh_options *o)
{
	/* Of ssh_config(5), without the types that libssh2 cannot use; cheapest first. */
	static const char *const ids[] = {"~/.ssh/id_ed25519", "~/.ssh/id_ecdsa", "~/.ssh/id_rsa"};
	static const char *const user[] = {"~/.ssh/known_hosts", "~/.ssh/known_hosts2"};
	static const char *const global[] = {
		"/etc/ssh/ssh_known_hosts", "/etc/ssh/ssh_known_hosts2"};

	memset(o, 0, sizeof(*o));
	o->port = 22;
	o->family = AF_UNSPEC;
	o->pubkey = true;
	o->identity_agent = xstrdup("SSH_AUTH_SOCK");
	for (size_t i = 0; i < ARRAY_LEN(ids); i++)
		strings_add(&o->identity_files, ids[i], strlen(ids[i]));
	for (size_t i = 0; i < ARRAY_LEN(user); i++)
		strings_add(&o->user_known_hosts, user[i], strlen(user[i]));
	for (size_t i = 0; i < ARRAY_LEN(global); i++)
		strings_add(&o->global_known_hosts, global[i], strlen(global[i]));
}

/* ---- what ssh -G prints: "key value", keys in lower case ---- */

static void set_text(char **field, struct span v)
{
	free(*field);
	*field = v.n && !span_eq(v, "none") ? xstrndup(v.p, v.n) : NULL;
}

static void set_words(struct ssh_strings *list, struct span v)
{
	struct span word;

	strings_release(list);
	while (span_word(&v, &word))
		if (!span_eq(word, "none"))
			strings_add(list, word.p, word.n);
}

static bool is_yes(struct span v)
{
	return span_eq(v, "yes") || span_eq(v, "true");
}

static void set_strict(struct ssh_options *o, struct span v)
{
	/* "no" also takes a changed key in ssh; here that is refused always. */
	bool accept = span_eq(v, "accept-new") || span_eq(v, "no") || span_eq(v, "off") ||
		      span_eq(v, "false");

	o->strict = accept ? SSH_STRICT_ACCEPT_NEW : SSH_STRICT_YES;
}

static void set_numbers(struct ssh_options *o, struct span key, struct span v)
{
	uint64_t n;

	if (span_eq(key, "port") && span_u64(v, &n) && n > 0 && n <= UINT16_MAX)
		o->port = (uint16_t)n;
	else if (span_eq(key, "connecttimeout") && span_u64(v, &n) && n > 0 && n <= 3600)
		o->connect_timeout_ms = (int)n * 1000;
}

static void set_flags(struct ssh_options *o, struct span key, struct span v)
{
	if (span_eq(key, "identitiesonly"))
		o->identities_only = is_yes(v);
	else if (span_eq(key, "hashknownhosts"))
		o->hash_known_hosts = is_yes(v);
	else if (span_eq(key, "pubkeyauthentication"))
		o->pubkey = !span_eq(v, "no") && !span_eq(v, "false");
	else if (span_eq(key, "stricthostkeychecking"))
		set_strict(o, v);
	else if (span_eq(key, "addressfamily"))
		o->family = span_eq(v, "inet")    ? AF_INET
			    : span_eq(v, "inet6") ? AF_INET6
						  : AF_UNSPEC;
}

static void set_texts(struct ssh_options *o, struct span key, struct span v)
{
	if (span_eq(key, "hostname"))
		set_text(&o->hostname, v);
	else if (span_eq(key, "user"))
		set_text(&o->user, v);
	else if (span_eq(key, "identityagent"))
		set_text(&o->identity_agent, v);
	else if (span_eq(key, "hostkeyalias"))
		set_text(&o->host_key_alias, v);
	else if (span_eq(key, "proxycommand"))
		set_text(&o->proxy_command, v);
	else if (span_eq(key, "proxyjump"))
		set_text(&o->proxy_jump, v);
	else if (span_eq(key, "userknownhostsfile"))
		set_words(&o->user_known_hosts, v);
	else if (span_eq(key, "globalknownhostsfile"))
		set_words(&o->global_known_hosts, v);
}

void ssh_options_parse(struct ssh_options *o, struct span text)
{
	bool identities = false;
	struct span line;

	while (span_line(&text, &line)) {
		struct span rest = line;
		struct span key;

		if (!span_field(&rest, ' ', &key))
			continue;
		rest = span_trim(rest);
		set_texts(o, key, rest);
		set_flags(o, key, rest);
		set_numbers(o, key, rest);
		if (!span_eq(key, "identityfile"))
			continue;
		if (!identities)
			strings_release(&o->identity_files);
		identities = true;
		if (!span_eq(rest, "none"))
			strings_add(&o->identity_files, rest.p, rest.n);
	}
}

/* ---- tokens ---- */

struct fill {
	const struct ssh_identity *id;
	const char *hostname;
	const char *user;
	const char *alias;
	unsigned port;
};

/* The text of one %-token into out; false when it is not one of ours. */
static bool token_add(struct buf *out, char token, const struct fill *f)
{
	enum err_code rc;

	switch (token) {
	case '%':
		rc = buf_add_str(out, "%");
		break;
	case 'd':
		rc = buf_add_str(out, f->id->home);
		break;
	case 'h':
		rc = buf_add_str(out, f->hostname);
		break;
	case 'i':
		rc = buf_addf(out, "%lu", (unsigned long)getuid());
		break;
	case 'k':
		rc = buf_add_str(out, f->alias ? f->alias : f->id->host);
		break;
	case 'l':
		rc = buf_add_str(out, f->id->local_host);
		break;
	case 'L':
		rc = buf_add(out, f->id->local_host, strcspn(f->id->local_host, "."));
		break;
	case 'n':
		rc = buf_add_str(out, f->id->host);
		break;
	case 'p':
		rc = buf_addf(out, "%u", f->port);
		break;
	case 'r':
		rc = buf_add_str(out, f->user);
		break;
	case 'u':
		rc = buf_add_str(out, f->id->local_user);
		break;
	default:
		return false;
	}
	return rc == ERR_OK;
}

/* The value of a "${NAME}" that *p stands at; moves *p past it. False when it is none. */
static bool variable_add(struct buf *out, const char **p)
{
	const char *end = strchr(*p, '}');

	if ((*p)[0] != '$' || (*p)[1] != '{' || !end)
		return false;
	char *name = xstrndup(*p + 2, (size_t)(end - *p) - 2);
	const char *value = getenv(name);
	bool ok = value && buf_add_str(out, value) == ERR_OK;

	free(name);
	*p = end + 1;
	return ok;
}

/* path: also ~/ and ${NAME}, which ssh knows in file names only. */
static enum err_code fill_text(
	char **to, const char *from, bool path, const struct fill *f, struct err *e)
{
	struct buf b = BUF_INIT(TEXT_CAP);
	const char *p = from;
	bool ok = true;

	if (!from)
		return ERR_OK;
	if (path && p[0] == '~' && p[1] == '/') {
		ok = buf_add_str(&b, f->id->home) == ERR_OK;
		p++;
	}
	while (ok && *p) {
		if (*p == '%') {
			ok = token_add(&b, p[1], f);
			p += p[1] ? 2 : 1;
		} else if (path && p[0] == '$' && p[1] == '{') {
			ok = variable_add(&b, &p);
		} else {
			ok = buf_add(&b, p++, 1) == ERR_OK;
		}
	}
	if (!ok) {
		buf_release(&b);
		return err_set(e, ERR_USAGE,
			"ssh option \"%.80s\": a token or variable that is not known here "
			"(known: %%%% %%d %%h %%i %%k %%l %%L %%n %%p %%r %%u)",
			from);
	}
	*to = buf_detach(&b);
	return ERR_OK;
}

static enum err_code fill_list(
	struct ssh_strings *to, const struct ssh_strings *from, const struct fill *f, struct err *e)
{
	for (size_t i = 0; i < from->n; i++) {
		char *text = NULL;
		enum err_code rc = fill_text(&text, from->items[i], true, f, e);

		if (rc)
			return rc;
		strings_add(to, text, strlen(text));
		free(text);
	}
	return ERR_OK;
}

/* IdentityAgent: a path, the name of a variable ("SSH_AUTH_SOCK", "$NAME") or none. */
static enum err_code fill_agent(char **to, const char *from, const struct fill *f, struct err *e)
{
	const char *name = NULL;

	if (!from)
		return ERR_OK;
	if (strcmp(from, "SSH_AUTH_SOCK") == 0)
		name = from;
	else if (from[0] == '$' && from[1] != '{')
		name = from + 1;
	if (!name)
		return fill_text(to, from, true, f, e);
	const char *value = getenv(name);

	*to = value && *value ? xstrdup(value) : NULL;
	return ERR_OK;
}

enum err_code ssh_options_fill(struct ssh_options *to, const struct ssh_options *from,
	const struct ssh_identity *id, struct err *e)
{
	struct fill f = {.id = id, .port = from->port, .user = from->user};
	enum err_code rc;

	if (!f.user)
		f.user = id->local_user;
	*to = *from;
	to->hostname = to->user = to->identity_agent = to->host_key_alias = NULL;
	to->proxy_command = to->proxy_jump = NULL;
	memset(&to->identity_files, 0, sizeof(to->identity_files));
	memset(&to->user_known_hosts, 0, sizeof(to->user_known_hosts));
	memset(&to->global_known_hosts, 0, sizeof(to->global_known_hosts));
	to->user = xstrdup(f.user);
	/* ssh -G has filled in HostName itself; the rest it prints as written. */
	to->hostname = xstrdup(from->hostname ? from->hostname : id->host);
	f.hostname = to->hostname;
	rc = fill_text(&to->host_key_alias, from->host_key_alias, false, &f, e);
	f.alias = to->host_key_alias;
	if (rc == ERR_OK)
		rc = fill_text(&to->proxy_command, from->proxy_command, false, &f, e);
	if (rc == ERR_OK)
		rc = fill_text(&to->proxy_jump, from->proxy_jump, false, &f, e);
	if (rc == ERR_OK)
		rc = fill_agent(&to->identity_agent, from->identity_agent, &f, e);
	if (rc == ERR_OK)
		rc = fill_list(&to->identity_files, &from->identity_files, &f, e);
	if (rc == ERR_OK)
		rc = fill_list(&to->user_known_hosts, &from->user_known_hosts, &f, e);
	if (rc == ERR_OK)
		rc = fill_list(&to->global_known_hosts, &from->global_known_hosts, &f, e);
	if (rc)
		ssh_options_release(to);
	return rc;
}

bool ssh_options_name_ok(const char *name)
{
	static const char ok[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
				 "._-:%@+";

	return *name && *name != '-' && name[strspn(name, ok)] == '\0' && strlen(name) <= 255;
}
