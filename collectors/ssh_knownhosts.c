#include "collectors/ssh_knownhosts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "collectors/buf.h"
#include "collectors/log.h"
#include "collectors/ssh_bytes.h"
#include "collectors/ssh_pattern.h"
#include "collectors/xmalloc.h"

#define FILE_CAP  (64u << 20) /* some 300,000 lines */
#define BLOB_CAP  8192        /* a 16,384-bit RSA key is 2 KiB */
#define LINE_NONE UINT32_MAX

/* One usable line; spans point into the file's text. */
struct line {
	struct span names;
	struct span type;
	struct span key; /* base64 */
	unsigned number;
	bool revoked;
};

struct hashed_line {
	uint32_t line;
	unsigned char salt[SSH_SHA1_BYTES];
	unsigned char hash[SSH_SHA1_BYTES];
};

/* A plain name; several may share a bucket. */
struct name_ref {
	struct span name;
	uint32_t line;
	uint32_t next;
};

struct file {
	char *path;
	time_t mtime;
	off_t size;
	ino_t inode;
	struct buf text;
	struct line *lines;
	size_t nlines, lines_cap;
	struct hashed_line *hashed;
	size_t nhashed, hashed_cap;
	uint32_t *patterns; /* lines with *, ? or ! */
	size_t npatterns, patterns_cap;
	struct name_ref *names;
	size_t nnames, names_cap;
	uint32_t *buckets;
	size_t nbuckets; /* a power of two, or 0 */
};

struct ssh_knownhosts {
	struct file **files;
	size_t n;
	size_t cap;
	struct ssh_hmac *hmac;
};

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static uint32_t name_hash(struct span s)
{
	uint32_t h = 2166136261u;

	for (size_t i = 0; i < s.n; i++)
		h = (h ^ (unsigned char)lower(s.p[i])) * 16777619u;
	return h;
}

static void file_clear(struct file *f)
{
	free(f->lines);
	free(f->hashed);
	free(f->patterns);
	free(f->names);
	free(f->buckets);
	buf_release(&f->text);
	char *path = f->path;

	memset(f, 0, sizeof(*f));
	f->path = path;
	buf_init(&f->text, FILE_CAP);
}

struct ssh_knownhosts *ssh_knownhosts_new(void)
{
	struct ssh_knownhosts *k = xcalloc(1, sizeof(*k));

	k->hmac = ssh_hmac_new();
	return k;
}

void ssh_knownhosts_free(struct ssh_knownhosts *k)
{
	if (!k)
		return;
	for (size_t i = 0; i < k->n; i++) {
		file_clear(k->files[i]);
		free(k->files[i]->path);
		free(k->files[i]);
	}
	free(k->files);
	ssh_hmac_free(k->hmac);
	free(k);
}

/* ---- reading a file ---- */

/* "|1|salt|hash", both base64 of 20 bytes. */
static bool hashed_parse(struct span names, struct hashed_line *h)
{
	struct span rest = names;
	struct span part;
	size_t n;

	return span_starts(names, "|1|") && span_field(&rest, '|', &part) &&
	       span_field(&rest, '|', &part) && span_field(&rest, '|', &part) &&
	       ssh_base64_decode(part, h->salt, sizeof(h->salt), &n) && n == sizeof(h->salt) &&
	       span_field(&rest, '|', &part) &&
	       ssh_base64_decode(part, h->hash, sizeof(h->hash), &n) && n == sizeof(h->hash);
}

static bool has_pattern(struct span names)
{
	for (size_t i = 0; i < names.n; i++)
		if (strchr("*?!", names.p[i]))
			return true;
	return false;
}

static void index_names(struct file *f, uint32_t line)
{
	struct span rest = f->lines[line].names;
	struct span name;

	while (span_field(&rest, ',', &name)) {
		if (name.n == 0)
			continue;
		xgrow((void **)&f->names, &f->names_cap, f->nnames, sizeof(*f->names));
		f->names[f->nnames++] = (struct name_ref){name, line, LINE_NONE};
	}
}

/* Puts a line where look-ups of its kind find it. */
static void index_line(struct file *f, uint32_t line)
{
	struct span names = f->lines[line].names;
	struct hashed_line h = {.line = line};

	if (names.p[0] == '|') {
		if (!hashed_parse(names, &h))
			return;
		xgrow((void **)&f->hashed, &f->hashed_cap, f->nhashed, sizeof(*f->hashed));
		f->hashed[f->nhashed++] = h;
	} else if (has_pattern(names)) {
		xgrow((void **)&f->patterns, &f->patterns_cap, f->npatterns, sizeof(*f->patterns));
		f->patterns[f->npatterns++] = line;
	} else {
		index_names(f, line);
	}
}

static void parse_line(struct file *f, struct span text, unsigned number)
{
	struct line l = {.number = number};

	if (!span_word(&text, &l.names) || l.names.p[0] == '#')
		return;
	if (l.names.p[0] == '@') {
		if (!span_eq(l.names, "@revoked"))
			return;
		l.revoked = true;
		if (!span_word(&text, &l.names))
			return;
	}
	if (!span_word(&text, &l.type) || !span_word(&text, &l.key))
		return;
	if (f->nlines >= LINE_NONE)
		return;
	xgrow((void **)&f->lines, &f->lines_cap, f->nlines, sizeof(*f->lines));
	f->lines[f->nlines++] = l;
	index_line(f, (uint32_t)f->nlines - 1);
}

static void build_buckets(struct file *f)
{
	if (f->nnames == 0)
		return;
	f->nbuckets = 16;
	while (f->nbuckets < f->nnames * 2)
		f->nbuckets *= 2;
	f->buckets = xmalloc(f->nbuckets * sizeof(*f->buckets));
	memset(f->buckets, 0xff, f->nbuckets * sizeof(*f->buckets));
	for (size_t i = f->nnames; i-- > 0;) {
		uint32_t *head = &f->buckets[name_hash(f->names[i].name) & (f->nbuckets - 1)];

		f->names[i].next = *head;
		*head = (uint32_t)i;
	}
}

/* Reads the file again when it is not the one that was read. */
static void file_refresh(struct file *f)
{
	struct stat st;
	struct err e = ERR_INIT;

	if (stat(f->path, &st) != 0 || !S_ISREG(st.st_mode)) {
		if (f->text.len)
			file_clear(f);
		return;
	}
	if (st.st_size == f->size && st.st_mtime == f->mtime && st.st_ino == f->inode)
		return;
	file_clear(f);
	f->size = st.st_size;
	f->mtime = st.st_mtime;
	f->inode = st.st_ino;
	if (buf_read_file(&f->text, f->path, &e)) {
		log_write(LOG_WARN, "ssh_knownhosts", NULL, "%s", e.msg);
		buf_reset(&f->text);
		return;
	}
	struct span rest = {buf_str(&f->text), f->text.len};
	struct span line;

	for (unsigned number = 1; span_line(&rest, &line); number++)
		parse_line(f, line, number);
	build_buckets(f);
}

static struct file *file_get(struct ssh_knownhosts *k, const char *path)
{
	struct file *f = NULL;

	for (size_t i = 0; i < k->n && !f; i++)
		if (strcmp(k->files[i]->path, path) == 0)
			f = k->files[i];
	if (!f) {
		xgrow((void **)&k->files, &k->cap, k->n, sizeof(struct file *));
		f = k->files[k->n++] = xcalloc(1, sizeof(*f));
		f->path = xstrdup(path);
		buf_init(&f->text, FILE_CAP);
	}
	file_refresh(f);
	return f;
}

struct ssh_hmac *ssh_knownhosts_hmac(struct ssh_knownhosts *k)
{
	return k->hmac;
}

/* ---- looking up ---- */

static void known_add(struct ssh_known *known, const struct file *f, const struct line *l)
{
	unsigned char blob[BLOB_CAP];
	size_t len;

	if (!ssh_base64_decode(l->key, blob, sizeof(blob), &len))
		return;
	struct span type = ssh_blob_type((struct span){(const char *)blob, len});

	/* The key names its type itself; a line of SSH 1 or a damaged one does not. */
	if (type.n == 0 || type.n != l->type.n || memcmp(type.p, l->type.p, type.n) != 0)
		return;
	xgrow((void **)&known->keys, &known->cap, known->n, sizeof(*known->keys));
	struct ssh_known_key *key = &known->keys[known->n++];

	*key = (struct ssh_known_key){.revoked = l->revoked, .blob_len = len, .line = l->number};
	key->blob = xmalloc(len);
	memcpy(key->blob, blob, len);
	key->path = xstrdup(f->path);
	snprintf(key->type, sizeof(key->type), "%.*s", (int)(l->type.n < 31 ? l->type.n : 31),
		l->type.p);
}

static void find_plain(const struct file *f, struct span name, struct ssh_known *known)
{
	if (!f->nbuckets)
		return;
	uint32_t i = f->buckets[name_hash(name) & (f->nbuckets - 1)];

	for (; i != LINE_NONE; i = f->names[i].next)
		if (span_ieq(f->names[i].name, name.p))
			known_add(known, f, &f->lines[f->names[i].line]);
}

static void find_hashed(
	struct ssh_hmac *hmac, const struct file *f, struct span name, struct ssh_known *known)
{
	for (size_t i = 0; hmac && i < f->nhashed; i++) {
		const struct hashed_line *h = &f->hashed[i];
		struct span salt = {(const char *)h->salt, sizeof(h->salt)};
		unsigned char digest[SSH_SHA1_BYTES];

		if (ssh_hmac_sha1(hmac, salt, name, digest) &&
			memcmp(digest, h->hash, sizeof(digest)) == 0)
			known_add(known, f, &f->lines[h->line]);
	}
}

void ssh_knownhosts_find(struct ssh_knownhosts *k, const char *const *paths, size_t npaths,
	const char *name, struct ssh_known *known)
{
	struct span s = span_of(name);

	for (size_t i = 0; i < npaths; i++) {
		const struct file *f = file_get(k, paths[i]);

		find_plain(f, s, known);
		find_hashed(k->hmac, f, s, known);
		for (size_t j = 0; j < f->npatterns; j++) {
			const struct line *l = &f->lines[f->patterns[j]];

			if (ssh_pattern_list_match(l->names, ",", name))
				known_add(known, f, l);
		}
	}
}

char *ssh_knownhosts_name(const char *host, unsigned port)
{
	size_t size = strlen(host) + 10;
	char *name = xmalloc(size);

	if (port == 22 || port == 0)
		snprintf(name, size, "%s", host);
	else
		snprintf(name, size, "[%s]:%u", host, port);
	for (char *c = name; *c; c++)
		*c = lower(*c);
	return name;
}
