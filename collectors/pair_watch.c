#include "collectors/pair_watch.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collectors/clock.h"
#include "collectors/pair_book.h"
#include "collectors/pair_files.h"
#include "collectors/pair_notify.h"
#include "collectors/xmalloc.h"

/* Between looks at everything, */
#define LOOK_MS 3000
/* which are this many times their own length apart: a far filesystem is not worn out. */
#define LOOK_REST 20
/* Events are let gather for so long before they are read again. */
#define GATHER_MS 50
/* What one step may read and how long it may take (see pair_feed.h). */
#define STEP_BYTES (1u << 20)
#define STEP_MS    50
#define DEPTH_MAX  16
#define CHUNK      65536

struct pair_watch {
	struct pair_feed feed; /* first */
	char *path;
	bool single; /* path is a file */
	struct pair_notify *notify;
	struct pair_book book;
	struct pair_counts counts;
	char error[200];
	bool incomplete; /* the look could not see everything: nothing is dropped */
	bool looked;     /* at least once */
	int64_t looked_mono_ms;
	int64_t next_look_mono_ms;
	int64_t look_gap_ms;
	int64_t hear_mono_ms; /* no events are read before */
	int64_t now_mono_ms;  /* of this step */
	int64_t now_wall_ms;
	struct pair_store *store; /* of this step */
};

static struct pair_watch *watch_of(const struct pair_feed *f)
{
	return (struct pair_watch *)f;
}

static void say(struct pair_watch *w, const char *path, int errnum)
{
	if (!w->error[0])
		snprintf(w->error, sizeof(w->error), "%.140s: %s", path, err_errno(errnum));
}

static struct pair_seen seen_of(const struct pair_watch *w, const struct stat *st)
{
	struct pair_seen seen = {
		.size = (uint64_t)st->st_size,
		.mtime_ms = (int64_t)st->st_mtime * 1000,
		.ino = (uint64_t)st->st_ino,
	};

#ifdef __linux__ /* elsewhere the fraction has other names */
	seen.mtime_ms += st->st_mtim.tv_nsec / 1000000;
#endif
	seen.age_ms = w->now_wall_ms - seen.mtime_ms;
	return seen;
}

static void see(struct pair_watch *w, const char *path, const struct stat *st)
{
	struct pair_seen seen = seen_of(w, st);

	if (!pair_book_see(&w->book, path, &seen, w->now_mono_ms) && !w->error[0])
		snprintf(w->error, sizeof(w->error),
			"more than %d files: the others are not read (name a directory with fewer)",
			PAIR_BOOK_MAX);
}

/* ---- looks ---- */

static void look_at_dir(struct pair_watch *w, const char *dir, int depth);

static void look_at(struct pair_watch *w, const char *path, int depth)
{
	struct stat st;

	/* Links are passed over: "latest" would count a run twice, ".." never end. */
	if (lstat(path, &st) != 0) {
		if (errno != ENOENT) {
			say(w, path, errno);
			w->incomplete = true;
		}
		return;
	}
	if (S_ISDIR(st.st_mode) && depth < DEPTH_MAX)
		look_at_dir(w, path, depth + 1);
	else if (S_ISREG(st.st_mode) && pair_files_wants(strrchr(path, '/') + 1))
		see(w, path, &st);
}

static void look_at_dir(struct pair_watch *w, const char *dir, int depth)
{
	char path[PATH_MAX];
	struct dirent *entry;

	/* Watched first: what comes while it is read is told. */
	pair_notify_dir(w->notify, dir);
	DIR *d = opendir(dir);

	if (!d) {
		if (errno != ENOENT || depth == 0) {
			say(w, dir, errno);
			w->incomplete = true;
		}
		return;
	}
	while (errno = 0, (entry = readdir(d))) {
		if (entry->d_name[0] == '.')
			continue;
		int len = snprintf(path, sizeof(path), "%s/%s", dir, entry->d_name);

		if (len > 0 && (size_t)len < sizeof(path))
			look_at(w, path, depth);
	}
	if (errno) {
		say(w, dir, errno);
		w->incomplete = true;
	}
	closedir(d);
}

/* The directory in which a single file lies: it may be replaced by another. */
static void watch_parent(struct pair_watch *w)
{
	char *slash = strrchr(w->path, '/');
	char *dir = slash == w->path ? xstrdup("/") : xstrndup(w->path, (size_t)(slash - w->path));

	pair_notify_dir(w->notify, dir);
	free(dir);
}

static void look(struct pair_watch *w)
{
	int64_t began = clock_mono_ms();
	struct stat st;

	w->error[0] = '\0';
	w->incomplete = false;
	pair_book_begin_look(&w->book);
	pair_notify_begin_look(w->notify);
	if (stat(w->path, &st) != 0) {
		/* What it said stays: a filesystem that went away may come back. */
		say(w, w->path, errno);
		w->incomplete = true;
	} else if (S_ISDIR(st.st_mode)) {
		w->single = false;
		look_at_dir(w, w->path, 0);
	} else {
		w->single = true;
		watch_parent(w);
		see(w, w->path, &st);
	}
	pair_notify_end_look(w->notify);
	if (!w->incomplete)
		pair_book_end_look(&w->book, 1, w->store);
	int64_t cost = clock_mono_ms() - began;

	w->look_gap_ms = cost * LOOK_REST;
	w->looked_mono_ms = w->now_mono_ms + cost;
	w->next_look_mono_ms =
		w->looked_mono_ms + (w->look_gap_ms > LOOK_MS ? w->look_gap_ms : LOOK_MS);
	w->looked = true;
}

/* ---- events ---- */

static void on_file(void *ctx, const char *path, bool closed)
{
	struct pair_watch *w = ctx;
	struct stat st;

	if (w->single ? strcmp(path, w->path) != 0 : !pair_files_wants(strrchr(path, '/') + 1))
		return;
	if ((w->single ? stat(path, &st) : lstat(path, &st)) != 0) {
		struct pair_entry *entry = pair_book_find(&w->book, path);

		if (errno == ENOENT && entry)
			pair_book_drop(&w->book, entry, w->store);
		return;
	}
	if (!S_ISREG(st.st_mode))
		return;
	see(w, path, &st);
	struct pair_entry *entry = pair_book_find(&w->book, path);

	if (closed && entry && entry->pending) /* no need to wait for it to be quiet */
		entry->since_mono_ms = INT64_MIN / 2;
}

static void on_look(void *ctx)
{
	struct pair_watch *w = ctx;
	int64_t soonest = w->now_mono_ms + GATHER_MS;

	if (soonest < w->looked_mono_ms + w->look_gap_ms)
		soonest = w->looked_mono_ms + w->look_gap_ms;
	if (soonest < w->next_look_mono_ms)
		w->next_look_mono_ms = soonest;
}

static void hear(struct pair_watch *w)
{
	const struct pair_notify_events ev = {w, on_file, on_look};
	int rounds = 0;

	if (w->now_mono_ms < w->hear_mono_ms)
		return;
	while (rounds < 16 && pair_notify_take(w->notify, &ev))
		rounds++;
	if (rounds)
		w->hear_mono_ms = w->now_mono_ms + GATHER_MS;
	pair_book_tidy(&w->book);
}

/* ---- reading ---- */

/* Checkpoints and pictures lie in the same places: a NUL at the start is no text. */
static bool is_text(const char *bytes, size_t n)
{
	return !memchr(bytes, '\0', n < 4096 ? n : 4096);
}

/* The file's bytes into the store. Returns how many. */
static size_t feed_all(struct pair_watch *w, struct pair_file *file, int fd, const char *path)
{
	char chunk[CHUNK];
	size_t total = 0;

	while (total < PAIR_BOOK_FILE_MAX) {
		ssize_t got = read(fd, chunk, sizeof(chunk));

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			say(w, path, errno);
		if (got <= 0 || (total == 0 && !is_text(chunk, (size_t)got)))
			break;
		pair_file_feed(file, chunk, (size_t)got);
		total += (size_t)got;
	}
	return total;
}

/* Returns how many bytes were read. */
static size_t read_file(struct pair_watch *w, struct pair_entry *entry)
{
	int64_t began = clock_mono_ms();
	int fd = open(entry->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	size_t total = 0;
	struct stat st;

	if (fd < 0 && errno == ENOENT) {
		pair_book_drop(&w->book, entry, w->store);
		return 0;
	}
	if (fd < 0)
		say(w, entry->path, errno);
	bool growing = pair_book_growing(entry, w->now_mono_ms);

	if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode)) {
		/* As it is before the read: what is added meanwhile is seen as a change. */
		int64_t changed = entry->changed_mono_ms;

		entry->seen = seen_of(w, &st);
		entry->changed_mono_ms = changed;
		struct pair_file *file =
			pair_store_open(w->store, entry->path, entry->seen.mtime_ms);

		total = feed_all(w, file, fd, entry->path);
		pair_file_close(file, growing);
	}
	if (fd >= 0)
		close(fd);
	pair_book_was_read(entry, growing, w->now_mono_ms, clock_mono_ms() - began);
	return total;
}

/* False when the step's share was used up before all that is due was read. */
static bool read_due(struct pair_watch *w)
{
	int64_t began = clock_mono_ms();
	size_t total = 0;

	for (size_t i = 0; i < w->book.n; i++) {
		struct pair_entry *entry = &w->book.entries[i];

		if (!entry->path || pair_book_due(entry) > w->now_mono_ms)
			continue;
		if (total >= STEP_BYTES || clock_mono_ms() - began >= STEP_MS)
			return false;
		total += read_file(w, entry);
	}
	return true;
}

/* ---- the feed ---- */

static enum err_code watch_step(struct pair_feed *f, struct pair_store *store, int64_t now_mono_ms)
{
	struct pair_watch *w = watch_of(f);

	w->store = store;
	w->now_mono_ms = now_mono_ms;
	w->now_wall_ms = clock_wall_ms();
	hear(w);
	if (now_mono_ms >= w->next_look_mono_ms)
		look(w);
	bool all = read_due(w);

	pair_book_tidy(&w->book);
	w->counts = pair_book_count(&w->book, now_mono_ms);
	return all ? ERR_AGAIN : ERR_OK;
}

static void watch_poll(const struct pair_feed *f, struct transport_poll *p)
{
	const struct pair_watch *w = watch_of(f);
	bool deaf = w->now_mono_ms < w->hear_mono_ms;

	p->nfds = 0;
	p->deadline_mono_ms = w->next_look_mono_ms;
	if (w->counts.next_mono_ms < p->deadline_mono_ms)
		p->deadline_mono_ms = w->counts.next_mono_ms;
	if (pair_notify_fd(w->notify) < 0)
		return;
	if (deaf && w->hear_mono_ms < p->deadline_mono_ms)
		p->deadline_mono_ms = w->hear_mono_ms;
	if (!deaf) {
		p->fds[0].fd = pair_notify_fd(w->notify);
		p->fds[0].events = TRANSPORT_IN;
		p->nfds = 1;
	}
}

static void watch_state(const struct pair_feed *f, struct pair_feed_state *out)
{
	const struct pair_watch *w = watch_of(f);

	*out = (struct pair_feed_state){
		.label = w->path,
		.first_look = w->looked && w->counts.unread == 0,
		.files = w->counts.files,
		.growing = w->counts.growing,
		.error = w->error[0] ? w->error : NULL,
	};
}

static void watch_again(struct pair_feed *f)
{
	struct pair_watch *w = watch_of(f);

	pair_book_again(&w->book);
	w->counts = pair_book_count(&w->book, w->now_mono_ms);
}

static void watch_free(struct pair_feed *f)
{
	struct pair_watch *w = watch_of(f);

	pair_notify_free(w->notify);
	pair_book_release(&w->book);
	free(w->path);
	free(w);
}

static const struct pair_feed_ops watch_ops = {
	.name = "watch",
	.step = watch_step,
	.poll = watch_poll,
	.state = watch_state,
	.again = watch_again,
	.free = watch_free,
};

/* Without slashes at the end, and with one: what strrchr looks for. */
static char *clean_path(const char *path)
{
	size_t n = strlen(path);
	char full[PATH_MAX];

	while (n > 1 && path[n - 1] == '/')
		n--;
	if (memchr(path, '/', n))
		return xstrndup(path, n);
	snprintf(full, sizeof(full), "./%.*s", (int)n, path);
	return xstrdup(full);
}

enum err_code pair_watch_new(struct pair_feed **out, const char *path, struct err *e)
{
	struct pair_watch *w;
	struct stat st;

	if (!*path || strlen(path) >= PATH_MAX - 2)
		return err_set(e, ERR_USAGE, "pairs: \"%.100s\" is not a path", path);
	if (stat(path, &st) != 0)
		return err_set(e, ERR_IO,
			"%.200s: %s (give a file or directory of benchmark output)", path,
			err_errno(errno));
	if (!S_ISDIR(st.st_mode) && !S_ISREG(st.st_mode))
		return err_set(e, ERR_IO,
			"%.200s: neither a file nor a directory (give one that holds benchmark "
			"output)",
			path);
	w = xcalloc(1, sizeof(*w));
	w->feed.ops = &watch_ops;
	w->path = clean_path(path);
	w->notify = pair_notify_new();
	w->counts.next_mono_ms = PAIR_BOOK_NEVER;
	*out = &w->feed;
	return ERR_OK;
}
