#include "collectors/log.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "collectors/clock.h"
#include "collectors/text.h"

#define RECENT_LINES 256

static struct {
	pthread_mutex_t lock;
	int fd;
	enum log_level level;
	uint64_t total;
	struct log_line recent[RECENT_LINES];
} logger = {.lock = PTHREAD_MUTEX_INITIALIZER, .fd = -1, .level = LOG_INFO};

static const char *const level_names[] = {"error", "warn", "info", "debug"};

enum err_code log_open(const char *path, enum log_level level, struct err *e)
{
	int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);

	if (fd < 0)
		return err_set(e, ERR_IO, "%s: cannot open the log: %s (give another --log)", path,
			err_errno(errno));
	pthread_mutex_lock(&logger.lock);
	if (logger.fd >= 0)
		close(logger.fd);
	logger.fd = fd;
	logger.level = level;
	pthread_mutex_unlock(&logger.lock);
	return ERR_OK;
}

void log_close(void)
{
	pthread_mutex_lock(&logger.lock);
	if (logger.fd >= 0)
		close(logger.fd);
	logger.fd = -1;
	pthread_mutex_unlock(&logger.lock);
}

static void write_line(const struct log_line *line)
{
	char stamp[32];
	char out[300];

	clock_format_utc(line->wall_ms, stamp, sizeof(stamp));
	int n = snprintf(
		out, sizeof(out), "%s %-5s %s\n", stamp, level_names[line->level], line->text);

	if (n > 0 && write(logger.fd, out, (size_t)n) < 0)
		logger.fd = -1; /* a full disk must not take the program down */
}

void log_write(enum log_level level, const char *module, const char *host, const char *fmt, ...)
{
	char message[400];
	char clean[400];
	va_list ap;

	va_start(ap, fmt);
	if (vsnprintf(message, sizeof(message), fmt, ap) < 0)
		message[0] = '\0';
	va_end(ap);
	text_printable(clean, sizeof(clean), message, sizeof(message));

	pthread_mutex_lock(&logger.lock);
	if (level <= logger.level) {
		struct log_line *line = &logger.recent[logger.total++ % RECENT_LINES];

		line->wall_ms = clock_wall_ms();
		line->level = level;
		/* Cut at the field's size: the log shows, it does not archive. */
		(void)!snprintf(line->text, sizeof(line->text), "%s %s %.150s", module,
			host ? host : "-", clean);
		if (logger.fd >= 0)
			write_line(line);
	}
	pthread_mutex_unlock(&logger.lock);
}

size_t log_recent(struct log_line *out, size_t max, uint64_t *total)
{
	pthread_mutex_lock(&logger.lock);
	uint64_t have = logger.total < RECENT_LINES ? logger.total : RECENT_LINES;
	size_t n = have < max ? (size_t)have : max;

	for (size_t i = 0; i < n; i++)
		out[i] = logger.recent[(logger.total - n + i) % RECENT_LINES];
	if (total)
		*total = logger.total;
	pthread_mutex_unlock(&logger.lock);
	return n;
}
