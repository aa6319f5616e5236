#include "collectors/source_hosts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collectors/buf.h"
#include "collectors/hostlist.h"
#include "collectors/ssh_options.h"
#include "collectors/ssh_transport.h"
#include "collectors/xmalloc.h"

#define FILE_CAP  (8u << 20)
#define NODES_MAX 16384

/* What a line says of its hosts; spans point into the line. */
struct attributes {
	struct span group, type, az, spine, leaf, ultraserver, name;
};

struct line {
	struct source *src;
	const char *where; /* "nodes.txt:12" */
	struct attributes attr;
	size_t count; /* hosts that the entry stands for */
	struct err *e;
	enum err_code rc;
};

static const struct {
	const char *key;
	size_t offset;
} keys[] = {
	{"group", offsetof(struct attributes, group)},
	{"type", offsetof(struct attributes, type)},
	{"az", offsetof(struct attributes, az)},
	{"spine", offsetof(struct attributes, spine)},
	{"leaf", offsetof(struct attributes, leaf)},
	{"ultraserver", offsetof(struct attributes, ultraserver)},
	{"name", offsetof(struct attributes, name)},
};

static char *copy(struct span s)
{
	return s.n ? xstrndup(s.p, s.n) : NULL;
}

/* Host, user and port of one expanded entry. */
struct address {
	char *user;
	char *host;
	uint16_t port;
};

static void address_release(struct address *a)
{
	free(a->user);
	free(a->host);
	memset(a, 0, sizeof(*a));
}

/* The port's text after a host; empty when there is none. False when the host is malformed. */
static bool split_port(struct span s, struct span *host, struct span *port)
{
	*port = (struct span)SPAN_INIT;
	*host = s;
	if (s.n && s.p[0] == '[') {
		const char *end = memchr(s.p, ']', s.n);

		if (!end)
			return false;
		size_t used = (size_t)(end - s.p) + 1;

		*host = (struct span){s.p + 1, used - 2};
		if (used == s.n)
			return true;
		*port = (struct span){end + 2, s.n - used - 1};
		return end[1] == ':' && port->n > 0;
	}
	const char *colon = s.n ? memchr(s.p, ':', s.n) : NULL;

	/* Two colons without brackets: an IPv6 address and nothing else. */
	if (!colon || memchr(colon + 1, ':', s.n - (size_t)(colon + 1 - s.p)))
		return true;
	*host = (struct span){s.p, (size_t)(colon - s.p)};
	*port = (struct span){colon + 1, s.n - (size_t)(colon + 1 - s.p)};
	return port->n > 0;
}

static enum err_code address_parse(
	struct address *a, const char *text, const char *where, struct err *e)
{
	struct span s = span_of(text);
	struct span host;
	struct span port;
	uint64_t number = 0;
	const char *at = strrchr(text, '@');

	if (at) {
		a->user = xstrndup(text, (size_t)(at - text));
		s = span_of(at + 1);
	}
	if (!split_port(s, &host, &port) || host.n == 0)
		return err_set(e, ERR_USAGE,
			"%s: \"%.100s\" is not [user@]host[:port] (put an IPv6 address in [ ])",
			where, text);
	if (port.n && (!span_u64(port, &number) || number == 0 || number > UINT16_MAX))
		return err_set(e, ERR_USAGE, "%s: \"%.*s\" is not a port (1 to 65535)", where,
			(int)port.n, port.p);
	a->host = xstrndup(host.p, host.n);
	a->port = (uint16_t)number;
	if (!ssh_options_name_ok(a->host) || (a->user && !ssh_options_name_ok(a->user)))
		return err_set(e, ERR_USAGE,
			"%s: \"%.100s\" is not a host (letters, digits and . _ - : only, not "
			"beginning with -)",
			where, text);
	return ERR_OK;
}

/* Both places of a node that is named twice. */
static enum err_code duplicate(
	const char *where, const char *id, const struct target *first, struct err *e)
{
	return err_set(e, ERR_USAGE,
		"%s: node %.100s is there already, at %s (name each node once; with name= or "
		"another "
		"port where it is another one)",
		where, id, first->where ? first->where : "the start");
}

/* The first target with that id, or NULL. Only for the rare second look. */
static struct target *find(struct source *src, const char *id)
{
	for (size_t i = 0; i < src->n; i++)
		if (strcmp(src->targets[i].id, id) == 0)
			return &src->targets[i];
	return NULL;
}

/*
 * The node's id: its name, its host, or host:port where another entry has
 * the same host on another port.
 */
static enum err_code add_target(
	struct line *l, const struct address *a, struct target **out, struct err *e)
{
	const char *id = a->host;
	char *name = copy(l->attr.name);
	char with_port[300];

	if (name)
		id = name;
	enum err_code rc = source_add(l->src, id, out, NULL);

	if (rc && !name && (*out)->host && strcmp((*out)->host, a->host) == 0 &&
		(*out)->port != a->port) {
		snprintf(with_port, sizeof(with_port), "%s:%u", a->host,
			a->port ? (unsigned)a->port : 22);
		id = with_port;
		rc = source_add(l->src, id, out, NULL);
	}
	if (rc) {
		const struct target *first = find(l->src, id);

		rc = first ? duplicate(l->where, id, first, e)
			   : err_set(e, ERR_USAGE, "%s: a node without a name", l->where);
	}
	free(name);
	return rc;
}

static void add_host(void *ctx, const char *text)
{
	struct line *l = ctx;
	struct address a = {0};
	struct target *t = NULL;

	if (l->rc)
		return;
	l->rc = address_parse(&a, text, l->where, l->e);
	if (l->rc == ERR_OK)
		l->rc = add_target(l, &a, &t, l->e);
	if (l->rc == ERR_OK) {
		t->host = a.host;
		t->user = a.user;
		t->port = a.port;
		a.host = a.user = NULL;
		t->name = copy(l->attr.name);
		t->group = copy(l->attr.group);
		t->instance_type = copy(l->attr.type);
		t->az = copy(l->attr.az);
		t->spine = copy(l->attr.spine);
		t->leaf = copy(l->attr.leaf);
		t->ultraserver = copy(l->attr.ultraserver);
		t->where = xstrdup(l->where);
	}
	address_release(&a);
}

static void count_host(void *ctx, const char *text)
{
	(void)text;
	(*(size_t *)ctx)++;
}

static enum err_code add_entry(struct line *l, const char *entry)
{
	size_t count = 0;

	l->rc = hostlist_expand(entry, NODES_MAX, count_host, &count, l->e);
	if (l->rc) {
		err_prefix(l->e, "%s", l->where);
		return l->rc;
	}
	if (l->attr.name.n && count > 1)
		return err_set(l->e, ERR_USAGE,
			"%s: one name= for %zu nodes (give it to a single host, or leave it out)",
			l->where, count);
	if (l->src->n + count > NODES_MAX)
		return err_set(l->e, ERR_TOOBIG, "%s: more than %d nodes (use several runs)",
			l->where, NODES_MAX);
	enum err_code rc = hostlist_expand(entry, NODES_MAX, add_host, l, l->e);

	return rc ? rc : l->rc;
}

/* ---- lines ---- */

static enum err_code set_attribute(struct line *l, struct span word)
{
	const char *eq = memchr(word.p, '=', word.n);
	struct span key = {word.p, eq ? (size_t)(eq - word.p) : word.n};

	for (size_t i = 0; eq && i < ARRAY_LEN(keys); i++) {
		struct span *field = (struct span *)((char *)&l->attr + keys[i].offset);

		if (!span_eq(key, keys[i].key))
			continue;
		if (field->n)
			return err_set(
				l->e, ERR_USAGE, "%s: %s= is there twice", l->where, keys[i].key);
		*field = (struct span){eq + 1, word.n - key.n - 1};
		if (!field->n)
			return err_set(
				l->e, ERR_USAGE, "%s: %s= has no value", l->where, keys[i].key);
		return ERR_OK;
	}
	return err_set(l->e, ERR_USAGE,
		"%s: \"%.*s\" is not known (after the host: group= type= az= spine= leaf= "
		"ultraserver= name=)",
		l->where, (int)(word.n < 60 ? word.n : 60), word.p);
}

/* A heading in the manner of Ansible, which an address in brackets is not. */
static bool is_heading(struct span line)
{
	return line.n > 1 && line.p[0] == '[' && line.p[line.n - 1] == ']' &&
	       !memchr(line.p, ':', line.n);
}

/* Without what follows a '#' that begins the line or a word. */
static struct span without_comment(struct span line)
{
	for (size_t i = 0; i < line.n; i++)
		if (line.p[i] == '#' && (i == 0 || strchr(" \t", line.p[i - 1])))
			return (struct span){line.p, i};
	return line;
}

static bool has_odd_bytes(struct span line)
{
	for (size_t i = 0; i < line.n; i++)
		if (((unsigned char)line.p[i] < 0x20 && line.p[i] != '\t') || line.p[i] == 0x7f)
			return true;
	return false;
}

static enum err_code parse_line(struct line *l, struct span text)
{
	struct span rest = span_trim(without_comment(text));
	struct span word;

	if (rest.n == 0)
		return ERR_OK;
	if (has_odd_bytes(rest))
		return err_set(
			l->e, ERR_USAGE, "%s: control characters (is this a text file?)", l->where);
	if (is_heading(rest))
		return err_set(l->e, ERR_USAGE,
			"%s: headings such as [group] are not supported (write group=… after each "
			"host)",
			l->where);
	struct span entry = SPAN_INIT;
	enum err_code rc = ERR_OK;

	span_word(&rest, &entry);
	while (rc == ERR_OK && span_word(&rest, &word))
		rc = set_attribute(l, word);
	if (rc)
		return rc;
	char *copied = xstrndup(entry.p, entry.n);

	rc = add_entry(l, copied);
	free(copied);
	return rc;
}

enum err_code source_hosts_parse(
	struct source *src, const char *name, struct span text, struct err *e)
{
	struct err own;
	struct span line;
	char where[128];

	if (span_starts(text, "\xef\xbb\xbf")) /* what Windows editors put first */
		text = (struct span){text.p + 3, text.n - 3};
	for (unsigned number = 1; span_line(&text, &line); number++) {
		struct line l = {.src = src, .where = where, .e = e ? e : &own};

		snprintf(where, sizeof(where), "%.100s:%u", name, number);
		enum err_code rc = parse_line(&l, line);

		if (rc)
			return rc;
	}
	if (src->n == 0)
		return err_set(e, ERR_USAGE, "%.200s: no node in it (one host a line)", name);
	return ERR_OK;
}

enum err_code source_hosts_add(
	struct source *src, const char *entry, const char *where, struct err *e)
{
	struct err own;
	struct line l = {.src = src, .where = where, .e = e ? e : &own};

	return add_entry(&l, entry);
}

/* ---- sources ---- */

static struct source *ssh_source(const char *label, const struct ssh_settings *ssh)
{
	struct source *src = source_new(SOURCE_LIVE, label);

	src->private_data = ssh_context_new(ssh);
	src->connect = ssh_source_connect;
	src->free_private = ssh_source_free;
	return src;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

enum err_code source_hosts_file(
	struct source **out, const char *path, const struct ssh_settings *ssh, struct err *e)
{
	struct buf b = BUF_INIT(FILE_CAP);
	char label[200];
	enum err_code rc = buf_read_file(&b, path, e);

	if (rc) {
		buf_release(&b);
		return rc;
	}
	bool is_stdin = strcmp(path, "-") == 0;

	snprintf(label, sizeof(label), "hosts file %.150s", is_stdin ? "(stdin)" : base_name(path));
	struct source *src = ssh_source(label, ssh);

	rc = source_hosts_parse(
		src, is_stdin ? "stdin" : path, (struct span){buf_str(&b), b.len}, e);
	buf_release(&b);
	if (rc)
		source_free(src);
	else
		*out = src;
	return rc;
}

enum err_code source_hosts(struct source **out, const char *const *hosts, size_t n,
	const struct ssh_settings *ssh, struct err *e)
{
	char label[120];
	enum err_code rc = ERR_OK;

	if (n == 0)
		return err_set(e, ERR_USAGE, "no host (give --host NAME)");
	if (n == 1)
		snprintf(label, sizeof(label), "host %.100s", hosts[0]);
	else
		snprintf(label, sizeof(label), "%zu hosts", n);
	struct source *src = ssh_source(label, ssh);

	for (size_t i = 0; rc == ERR_OK && i < n; i++)
		rc = source_hosts_add(src, hosts[i], "--host", e);
	if (rc)
		source_free(src);
	else
		*out = src;
	return rc;
}
