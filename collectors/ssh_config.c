#include "collectors/ssh_config.h"

#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collectors/buf.h"
#include "collectors/ssh_pattern.h"
#include "collectors/xmalloc.h"

#define FILE_CAP  (4u << 20)
#define DEPTH_MAX 16 /* as ssh: readconf.c allows 16 levels of Include */

/*
 * Keywords that change nothing for a session without terminal, forwarding or
 * passwords. What is not listed here counts as mattering.
 */
static const char *const harmless[] = {"addkeystoagent", "batchmode", "checkhostip", "ciphers",
	"clearallforwardings", "compression", "connectionattempts", "controlmaster", "controlpath",
	"controlpersist", "dynamicforward", "enableescapecommandline", "escapechar",
	"exitonforwardfailure", "fingerprinthash", "forkafterauthentication", "forwardagent",
	"forwardx11", "forwardx11timeout", "forwardx11trusted", "gatewayports",
	"gssapiauthentication", "gssapidelegatecredentials", "gssapikeyexchange", "gssapitrustdns",
	"gssapirenewalforcesrekey", "gssapiclientidentity", "gssapiserveridentity",
	"gssapikexalgorithms", "hashknownhosts", "hostbasedauthentication", "ignoreunknown",
	"ipqos", "kbdinteractiveauthentication", "kbdinteractivedevices", "kexalgorithms",
	"localcommand", "localforward", "loglevel", "logverbose", "macs", "numberofpasswordprompts",
	"obscurekeystroketiming", "passwordauthentication", "permitlocalcommand",
	"permitremoteopen", "rekeylimit", "remotecommand", "remoteforward", "requesttty", "sendenv",
	"serveralivecountmax", "serveraliveinterval", "sessiontype", "setenv", "stdinnull",
	"streamlocalbindmask", "streamlocalbindunlink", "syslogfacility", "tcpkeepalive", "tunnel",
	"tunneldevice", "updatehostkeys", "verifyhostkeydns", "visualhostkey", "xauthlocation"};

static bool is_harmless(struct span key)
{
	for (size_t i = 0; i < ARRAY_LEN(harmless); i++)
		if (span_ieq(key, harmless[i]))
			return true;
	return false;
}

/* Splits "Key value", "Key=value" and "Key = value"; false for blanks and comments. */
static bool split_line(struct span line, struct span *key, struct span *value)
{
	line = span_trim(line);
	if (line.n == 0 || line.p[0] == '#')
		return false;
	size_t i = 0;

	while (i < line.n && !strchr(" \t=\"", line.p[i]))
		i++;
	*key = (struct span){line.p, i};
	while (i < line.n && strchr(" \t", line.p[i]))
		i++;
	if (i < line.n && line.p[i] == '=')
		i++;
	*value = span_trim((struct span){line.p + i, line.n - i});
	return true;
}

/* Takes one word, which may be in double quotes, off the front of *rest. */
static bool take_word(struct span *rest, struct span *word)
{
	*rest = span_trim(*rest);
	if (rest->n == 0)
		return false;
	bool quoted = rest->p[0] == '"';
	size_t start = quoted ? 1 : 0;
	size_t i = start;

	while (i < rest->n && (quoted ? rest->p[i] != '"' : !strchr(" \t", rest->p[i])))
		i++;
	*word = (struct span){rest->p + start, i - start};
	if (i < rest->n)
		i++;
	rest->p += i;
	rest->n -= i;
	return true;
}

static void read_file(
	struct ssh_config *c, const char *path, const char *dir, const char *home, unsigned depth)
{
	struct buf b = BUF_INIT(FILE_CAP);

	if (access(path, F_OK) != 0 && errno == ENOENT)
		return;
	if (depth > DEPTH_MAX || buf_read_file(&b, path, NULL))
		c->matters = c->per_host = true;
	else
		ssh_config_scan(c, (struct span){buf_str(&b), b.len}, dir, home, depth);
	buf_release(&b);
}

static void scan_include(
	struct ssh_config *c, struct span value, const char *dir, const char *home, unsigned depth)
{
	struct span word;

	while (take_word(&value, &word)) {
		char pattern[1024];
		glob_t g;
		int n = span_starts(word, "~/")
				? snprintf(pattern, sizeof(pattern), "%s/%.*s", home,
					  (int)word.n - 2, word.p + 2)
				: snprintf(pattern, sizeof(pattern), "%s%s%.*s",
					  word.p[0] == '/' ? "" : dir, word.p[0] == '/' ? "" : "/",
					  (int)word.n, word.p);

		/* ssh also knows %-tokens and ${VARIABLE} here: leave those to it. */
		if (n < 0 || (size_t)n >= sizeof(pattern) || strpbrk(pattern, "%$~")) {
			c->matters = c->per_host = true;
			continue;
		}
		if (glob(pattern, 0, NULL, &g) != 0)
			continue;
		for (size_t i = 0; i < g.gl_pathc; i++)
			read_file(c, g.gl_pathv[i], dir, home, depth + 1);
		globfree(&g);
	}
}

static void add_host_line(struct ssh_config *c, struct span patterns)
{
	xgrow((void **)&c->blocks, &c->cap, c->n, sizeof(*c->blocks));
	char *copy = xstrndup(patterns.p, patterns.n);

	/* Quotes only group, and a host pattern holds no blank. */
	for (char *p = copy; *p; p++)
		if (*p == '"')
			*p = ' ';
	c->blocks[c->n++] = (struct ssh_config_block){copy, false};
	c->current = c->n;
}

static void scan_line(struct ssh_config *c, struct span key, struct span value)
{
	struct span head = {key.p, key.n < 9 ? key.n : 9};

	if (span_ieq(key, "host")) {
		add_host_line(c, value);
		return;
	}
	if (span_ieq(key, "match")) {
		c->per_host = true;
		return;
	}
	if (span_ieq(head, "canonical"))
		c->per_host = true;
	if (span_ieq(key, "hostname")) {
		if (c->current)
			c->blocks[c->current - 1].per_host = true;
		else
			c->per_host = true;
	}
	if (span_ieq(key, "hashknownhosts") && span_ieq(value, "yes"))
		c->hash_known_hosts = true;
	if (!is_harmless(key))
		c->matters = true;
}

void ssh_config_scan(
	struct ssh_config *c, struct span text, const char *dir, const char *home, unsigned depth)
{
	struct span line;
	struct span key;
	struct span value;

	while (span_line(&text, &line)) {
		if (!split_line(line, &key, &value))
			continue;
		if (span_ieq(key, "include")) {
			/* What follows an Include belongs to the Host line before it. */
			size_t current = c->current;

			scan_include(c, value, dir, home, depth);
			c->current = current;
		} else {
			scan_line(c, key, value);
		}
	}
}

void ssh_config_read(struct ssh_config *c, const char *file, const char *home)
{
	char path[1024];
	char dir[1024];

	snprintf(dir, sizeof(dir), "%s/.ssh", home);
	if (file) {
		if (strcmp(file, "none") != 0)
			read_file(c, file, dir, home, 0);
		return;
	}
	snprintf(path, sizeof(path), "%s/.ssh/config", home);
	read_file(c, path, dir, home, 0);
	c->current = 0;
	read_file(c, "/etc/ssh/ssh_config", "/etc/ssh", home, 0);
}

void ssh_config_release(struct ssh_config *c)
{
	for (size_t i = 0; i < c->n; i++)
		free(c->blocks[i].patterns);
	free(c->blocks);
	*c = (struct ssh_config)SSH_CONFIG_INIT;
}

char *ssh_config_class(const struct ssh_config *c, const char *host)
{
	if (!c->matters)
		return xstrdup("");
	bool per_host = c->per_host;
	size_t host_len = strlen(host);
	char *class = xmalloc(c->n + 2 + host_len);
	size_t used = 0;

	class[used++] = '=';
	for (size_t i = 0; i < c->n; i++) {
		bool hit = ssh_pattern_list_match(span_of(c->blocks[i].patterns), " \t", host);

		per_host = per_host || (hit && c->blocks[i].per_host);
		class[used++] = hit ? '1' : '0';
	}
	if (per_host) {
		memcpy(class + used, host, host_len);
		used += host_len;
	}
	class[used] = '\0';
	return class;
}
