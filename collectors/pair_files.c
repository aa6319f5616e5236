#include "collectors/pair_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collectors/xmalloc.h"

#define BLOCK_BYTES ((size_t)256 << 10)

struct reading {
	struct pair_store *store;
	char *block;
	size_t files;
	struct err first; /* failure */
};

bool pair_files_wants(const char *name)
{
	static const char *const not_text[] = {".gz", ".xz", ".zst", ".bz2", ".zip", ".tar", ".tgz",
		".png", ".jpg", ".svg", ".pdf", ".so", ".o", ".py", ".pyc", ".sh", ".sbatch",
		".yaml", ".yml", ".swp", ".html"};
	size_t n = strlen(name);

	if (name[0] == '.' || (n && name[n - 1] == '~'))
		return false;
	for (size_t i = 0; i < sizeof(not_text) / sizeof(not_text[0]); i++)
		if (span_ends((struct span){name, n}, not_text[i]))
			return false;
	return true;
}

static void failed(struct reading *r, const char *path, const char *why, const char *what_to_do)
{
	pair_store_note(r->store, path, 0, "file", why);
	if (r->first.code == ERR_OK)
		err_set(&r->first, ERR_IO, "%s: %s (%s)", path, why, what_to_do);
}

static void read_fd(struct reading *r, int fd, const char *path, int64_t wall_ms)
{
	struct pair_file *f = pair_store_open(r->store, path, wall_ms);
	size_t total = 0;
	ssize_t n;

	while ((n = read(fd, r->block, BLOCK_BYTES)) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			failed(r, path, err_errno(errno), "the rest of it was not read");
			break;
		}
		pair_file_feed(f, r->block, (size_t)n);
		total += (size_t)n;
		if (total > PAIR_FILES_BYTES_MAX) {
			failed(r, path, "is over 4 GiB", "the rest of it was not read");
			break;
		}
	}
	pair_file_close(f, false);
	r->files++;
}

static int64_t mtime_ms(const struct stat *st)
{
#ifdef __APPLE__
	return (int64_t)st->st_mtimespec.tv_sec * 1000 + st->st_mtimespec.tv_nsec / 1000000;
#else
	return (int64_t)st->st_mtim.tv_sec * 1000 + st->st_mtim.tv_nsec / 1000000;
#endif
}

static void read_dir(struct reading *r, int fd, const char *path, unsigned depth);

/* name: relative to the directory at; path: for people. given: named by the operator. */
static void read_entry(
	struct reading *r, int at, const char *name, const char *path, unsigned depth, bool given)
{
	/* O_NONBLOCK: a pipe without a writer must not hold us. */
	int flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
	int fd = openat(at, name, flags);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0) {
		failed(r, path, err_errno(errno),
			given ? "give a file or directory that can be read" : "it was passed over");
	} else if (S_ISDIR(st.st_mode)) {
		read_dir(r, fd, path, depth + 1);
		return;
	} else if (S_ISREG(st.st_mode)) {
		read_fd(r, fd, path, mtime_ms(&st));
	} else if (given) {
		fcntl(fd, F_SETFL, 0); /* a pipe of the shell: wait for what comes */
		read_fd(r, fd, path, 0);
	}
	if (fd >= 0)
		close(fd);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Names that are wanted, sorted; caller frees each and the list. */
static char **names_of(DIR *d, size_t *n)
{
	char **names = NULL;
	size_t cap = 0;
	struct dirent *entry;

	*n = 0;
	while ((entry = readdir(d)) != NULL) {
		struct stat st;

		if (!pair_files_wants(entry->d_name) ||
			fstatat(dirfd(d), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0)
			continue;
		/* Links to files are followed, links to directories could go round in circles. */
		if (S_ISLNK(st.st_mode) &&
			(fstatat(dirfd(d), entry->d_name, &st, 0) < 0 || !S_ISREG(st.st_mode)))
			continue;
		if (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
			continue;
		xgrow((void **)&names, &cap, *n, sizeof(*names));
		names[(*n)++] = xstrdup(entry->d_name);
	}
	if (*n)
		qsort(names, *n, sizeof(*names), by_name);
	return names;
}

/* Takes fd. */
static void read_dir(struct reading *r, int fd, const char *path, unsigned depth)
{
	DIR *d = depth <= PAIR_FILES_DEPTH_MAX ? fdopendir(fd) : NULL;
	char full[PATH_MAX];
	size_t n;

	if (!d) {
		failed(r, path, depth > PAIR_FILES_DEPTH_MAX ? "lies too deep" : err_errno(errno),
			"it was passed over");
		close(fd);
		return;
	}
	char **names = names_of(d, &n);
	size_t len = strlen(path);
	const char *slash = len && path[len - 1] == '/' ? "" : "/";

	for (size_t i = 0; i < n; i++) {
		if ((size_t)snprintf(full, sizeof(full), "%s%s%s", path, slash, names[i]) <
			sizeof(full))
			read_entry(r, dirfd(d), names[i], full, depth, false);
		free(names[i]);
	}
	free(names);
	closedir(d);
}

size_t pair_files_read(struct pair_store *s, const char *const *paths, size_t n, struct err *e)
{
	struct reading r = {.store = s, .block = xmalloc(BLOCK_BYTES), .first = ERR_INIT};

	for (size_t i = 0; i < n; i++) {
		if (strcmp(paths[i], "-") == 0)
			read_fd(&r, STDIN_FILENO, "standard input", 0);
		else
			read_entry(&r, AT_FDCWD, paths[i], paths[i], 0, true);
	}
	free(r.block);
	if (e)
		*e = r.first;
	return r.files;
}
