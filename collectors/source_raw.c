/*
 * Captured texts as a source: DIR/<node>/<section> holds exactly what the
 * probe's command printed. Files are read each time a section is asked for, so
 * that a directory that something keeps writing to stays live.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collectors/log.h"
#include "collectors/source.h"
#include "collectors/text_transport.h"
#include "collectors/xmalloc.h"

#define NODES_CSV     "nodes.csv"
#define NODES_CSV_MAX (8u << 20)
#define NODES_MAX     16384
#define NAME_BYTES    256

/* Of one connection. */
struct raw_line {
	char *dir;
	char *node;
};

static void raw_free_line(void *ctx)
{
	struct raw_line *line = ctx;

	free(line->dir);
	free(line->node);
	free(line);
}

/*
 * DIR/node/name opened, or DIR/name where node is NULL; -1 with errno set when
 * that is no regular file. DIR itself may be a link, what is in it may not.
 */
static int open_regular(const char *dir, const char *node, const char *name)
{
	struct stat st;
	int at = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int fd = -1;

	if (at >= 0 && node) {
		fd = openat(at, node, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		close(at);
		at = fd;
	}
	if (at < 0)
		return -1;
	/* non-blocking: a FIFO in the file's place must not hold the collector */
	fd = openat(at, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	close(at);
	if (fd < 0)
		return -1;
	if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode)) {
		close(fd);
		errno = EINVAL;
		return -1;
	}
	return fd;
}

static enum text_verdict raw_answer(
	void *ctx, enum section_id id, int64_t now, struct text_answer *out)
{
	struct raw_line *line = ctx;
	int fd = open_regular(line->dir, line->node, section_desc(id)->name);
	enum err_code rc;

	(void)now;
	if (fd < 0)
		return TEXT_NONE;
	rc = buf_read_fd(out->text, fd, NULL);
	close(fd);
	if (rc == ERR_IO)
		return TEXT_NONE;
	out->cut = rc == ERR_TOOBIG;
	out->exit_code = -1;
	out->run_ms = -1;
	return TEXT_ANSWERED;
}

static const struct text_server raw_server = {
	.name = "raw",
	.answer = raw_answer,
	.free_ctx = raw_free_line,
};

static struct transport *raw_connect(
	struct source *src, const struct target *t, int64_t now_mono_ms, struct err *e)
{
	struct text_options opt = {0};
	struct raw_line *line = xcalloc(1, sizeof(*line));

	(void)e;
	line->dir = xstrdup(src->private_data);
	line->node = xstrdup(t->id);
	return text_transport_new(&raw_server, line, &opt, now_mono_ms);
}

static void raw_free(struct source *src)
{
	free(src->private_data);
}

/* ---- the directory ---- */

/* Aliases are for people; a file has the section's own name. */
static enum section_id section_by_exact_name(const char *name)
{
	int i = 0;

	while (i < SECTION_COUNT && strcmp(section_desc((enum section_id)i)->name, name) != 0)
		i++;
	return (enum section_id)i;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Node names become paths and are shown: letters, digits and the marks of host names. */
static bool is_plain_name(const char *name)
{
	size_t len =
		strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._:@-");

	return name[0] != '.' && name[0] != '-' && name[len] == '\0' && len < NAME_BYTES;
}

struct names {
	char **items;
	size_t n;
	size_t cap;
};

static void names_release(struct names *names)
{
	for (size_t i = 0; i < names->n; i++)
		free(names->items[i]);
	free(names->items);
}

/* Plain files beside the nodes are left alone: people keep notes there. */
static enum err_code take_entry(
	struct names *names, int at, const char *dir, const char *name, struct err *e)
{
	struct stat st;
	char shown[80];

	if (name[0] == '.' || fstatat(at, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
		return ERR_OK;
	text_printable(shown, sizeof(shown), name, strlen(name));
	if (S_ISLNK(st.st_mode))
		return err_set(e, ERR_USAGE,
			"%s/%s: is a symbolic link (give a directory that holds the files "
			"themselves)",
			dir, shown);
	if (!S_ISDIR(st.st_mode))
		return ERR_OK;
	if (!is_plain_name(name))
		return err_set(e, ERR_USAGE,
			"%s/%s: not the name of a node (rename it to letters, digits and . _ : @ "
			"-)",
			dir, shown);
	if (names->n >= NODES_MAX)
		return err_set(e, ERR_USAGE, "%s: more than %d nodes", dir, NODES_MAX);
	xgrow((void **)&names->items, &names->cap, names->n, sizeof(*names->items));
	names->items[names->n++] = xstrdup(name);
	return ERR_OK;
}

static enum err_code list_nodes(struct names *names, const char *dir, struct err *e)
{
	enum err_code rc = ERR_OK;
	DIR *d = opendir(dir);
	struct dirent *entry;

	if (!d)
		return err_set(e, ERR_USAGE,
			"%s: cannot be read as a directory: %s (give DIR of DIR/<node>/<section>)",
			dir, err_errno(errno));
	while (rc == ERR_OK && (entry = readdir(d)))
		rc = take_entry(names, dirfd(d), dir, entry->d_name, e);
	closedir(d);
	if (rc == ERR_OK && names->n == 0)
		rc = err_set(e, ERR_USAGE,
			"%s: holds no node (expected DIR/<node>/<section>, one directory a node)",
			dir);
	if (rc == ERR_OK)
		qsort(names->items, names->n, sizeof(*names->items), by_name);
	return rc;
}

/*
 * A link among a node's files is refused: it may lead anywhere, and a capture
 * that was made elsewhere is not to be trusted. Files that are no section's are
 * named in the log: perhaps one was meant to be.
 */
static enum err_code check_node(const char *dir, const char *node, struct err *e)
{
	size_t size = strlen(dir) + strlen(node) + 2;
	char *path = xmalloc(size);
	enum err_code rc = ERR_OK;
	struct dirent *entry;
	struct stat st;
	char shown[80];
	DIR *d;

	snprintf(path, size, "%s/%s", dir, node);
	d = opendir(path);
	while (rc == ERR_OK && d && (entry = readdir(d))) {
		const char *name = entry->d_name;

		text_printable(shown, sizeof(shown), name, strlen(name));
		if (name[0] == '.' || fstatat(dirfd(d), name, &st, AT_SYMLINK_NOFOLLOW) != 0)
			continue;
		if (section_by_exact_name(name) == SECTION_COUNT)
			log_write(LOG_WARN, "source_raw", node, "%s: no section has that name",
				shown);
		else if (!S_ISREG(st.st_mode))
			rc = err_set(e, ERR_USAGE,
				"%s/%s: is not a plain file (copy the text there)", path, shown);
	}
	if (!d)
		rc = err_set(e, ERR_USAGE, "%s: cannot be read: %s", path, err_errno(errno));
	else
		closedir(d);
	free(path);
	return rc;
}

/* ---- nodes.csv ---- */

static const struct {
	const char *name;
	size_t offset;
} columns[] = {
	{"az", offsetof(struct target, az)},
	{"spine", offsetof(struct target, spine)},
	{"leaf", offsetof(struct target, leaf)},
	{"ultraserver", offsetof(struct target, ultraserver)},
	{"instance_type", offsetof(struct target, instance_type)},
	{"group", offsetof(struct target, group)},
};

#define COLUMNS_MAX 32

struct csv_header {
	size_t offset[COLUMNS_MAX]; /* in struct target; SIZE_MAX: not ours */
	size_t node;
	size_t n;
};

static enum err_code read_header(
	struct csv_header *h, struct span line, const char *path, struct err *e)
{
	struct span cell;

	h->n = 0;
	h->node = SIZE_MAX;
	while (h->n < COLUMNS_MAX && span_field(&line, ',', &cell)) {
		cell = span_trim(cell);
		if (span_eq(cell, "node"))
			h->node = h->n;
		h->offset[h->n] = SIZE_MAX;
		for (size_t i = 0; i < ARRAY_LEN(columns); i++)
			if (span_eq(cell, columns[i].name))
				h->offset[h->n] = columns[i].offset;
		h->n++;
	}
	if (h->node == SIZE_MAX)
		return err_set(e, ERR_PARSE,
			"%s:1: has no column node (expected "
			"node,az,spine,leaf,ultraserver,instance_type)",
			path);
	return ERR_OK;
}

static struct target *find_target(struct source *src, struct span id)
{
	for (size_t i = 0; i < src->n; i++)
		if (span_eq(id, src->targets[i].id))
			return &src->targets[i];
	return NULL;
}

/* A line of a node that has no directory is left alone: the file may describe the whole cluster. */
static void read_row(struct source *src, const struct csv_header *h, struct span line)
{
	struct span cells[COLUMNS_MAX];
	size_t n = 0;

	while (n < h->n && span_field(&line, ',', &cells[n]))
		n++;
	struct target *t = h->node < n ? find_target(src, span_trim(cells[h->node])) : NULL;

	for (size_t i = 0; t && i < n; i++) {
		struct span cell = span_trim(cells[i]);
		char **at = (char **)(void *)((char *)t + h->offset[i]);

		if (h->offset[i] == SIZE_MAX || !cell.n || *at)
			continue;
		*at = xstrndup(cell.p, cell.n);
	}
}

static enum err_code read_nodes_csv(struct source *src, const char *dir, struct err *e)
{
	struct buf text = BUF_INIT(NODES_CSV_MAX);
	struct csv_header header;
	struct span rest;
	struct span line;
	char path[1024];
	int fd = open_regular(dir, NULL, NODES_CSV);
	enum err_code rc;

	snprintf(path, sizeof(path), "%s/" NODES_CSV, dir);
	if (fd < 0)
		return errno == ENOENT
			       ? ERR_OK
			       : err_set(e, ERR_IO, "%s: cannot be read: %s", path,
					 errno == EINVAL ? "not a plain file" : err_errno(errno));
	rc = buf_read_fd(&text, fd, e);
	close(fd);
	if (rc != ERR_OK) {
		err_prefix(e, "%s", path);
		goto out;
	}
	rest = (struct span){buf_str(&text), text.len};
	if (span_starts(rest, "\xef\xbb\xbf"))
		rest = (struct span){rest.p + 3, rest.n - 3};
	if (!span_line(&rest, &line))
		goto out;
	rc = read_header(&header, line, path, e);
	while (rc == ERR_OK && span_line(&rest, &line))
		read_row(src, &header, line);
out:
	buf_release(&text);
	return rc;
}

enum err_code source_raw(struct source **out, const char *dir, struct err *e)
{
	struct names names = {NULL, 0, 0};
	struct source *src = NULL;
	char label[300];
	enum err_code rc = list_nodes(&names, dir, e);

	if (rc != ERR_OK)
		goto out;
	snprintf(label, sizeof(label), "captured texts in %s", dir);
	src = source_new(SOURCE_RAW, label);
	src->connect = raw_connect;
	src->private_data = xstrdup(dir);
	src->free_private = raw_free;
	for (size_t i = 0; i < names.n && rc == ERR_OK; i++) {
		struct target *t;

		rc = check_node(dir, names.items[i], e);
		if (rc == ERR_OK)
			rc = source_add(src, names.items[i], &t, e);
	}
	if (rc == ERR_OK)
		rc = read_nodes_csv(src, dir, e);
	if (rc == ERR_OK) {
		*out = src;
		src = NULL;
	}
out:
	source_free(src);
	names_release(&names);
	return rc;
}
