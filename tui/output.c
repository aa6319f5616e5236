#include "tui/output.h"

#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include "collectors/text.h"

#define WIDTH_LEAST 40
#define WIDTH_MOST  200
#define WIDTH_ELSE  80

enum err_code output_fd(const struct buf *b, int fd, struct err *e)
{
	const char *p = buf_str(b);
	size_t left = b->len;

	while (left) {
		ssize_t n = write(fd, p, left);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return err_set(e, ERR_IO, "write: %s", err_errno(errno));
		p += n;
		left -= (size_t)n;
	}
	return ERR_OK;
}

static enum err_code standard_output(const struct buf *b, struct err *e)
{
	enum err_code rc = output_fd(b, STDOUT_FILENO, e);

	if (rc)
		err_prefix(e, "standard output");
	return rc;
}

static enum err_code to_existing(const struct buf *b, const char *path, struct err *e)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	enum err_code rc;

	if (fd < 0)
		return err_set(e, ERR_IO, "%s: %s", path, err_errno(errno));
	rc = output_fd(b, fd, e);
	if (rc)
		err_prefix(e, "%s", path);
	close(fd);
	return rc;
}

/* mkstemp makes files that only the owner reads; a report is as open as the umask says. */
static void apply_umask(int fd)
{
	mode_t mask = umask(0);

	umask(mask);
	(void)fchmod(fd, 0666 & ~mask);
}

enum err_code output_file(const struct buf *b, const char *path, struct err *e)
{
	char temporary[4096];
	struct stat st;
	enum err_code rc;

	if (!path || strcmp(path, "-") == 0)
		return standard_output(b, e);
	if (stat(path, &st) == 0 && !S_ISREG(st.st_mode))
		return to_existing(b, path, e);
	int n = snprintf(temporary, sizeof(temporary), "%s.XXXXXX", path);

	if (n < 0 || (size_t)n >= sizeof(temporary))
		return err_set(e, ERR_USAGE, "-o: the name is too long");
	int fd = mkstemp(temporary);

	if (fd < 0)
		return err_set(e, ERR_IO, "%s: cannot write beside it: %s", path, err_errno(errno));
	apply_umask(fd);
	rc = output_fd(b, fd, e);
	/* Some systems tell of a full disk only here. */
	if (close(fd) != 0 && rc == ERR_OK)
		rc = err_set(e, ERR_IO, "write: %s", err_errno(errno));
	if (rc == ERR_OK && rename(temporary, path) != 0)
		rc = err_set(e, ERR_IO, "rename: %s", err_errno(errno));
	if (rc) {
		unlink(temporary);
		err_prefix(e, "%s", path);
	}
	return rc;
}

bool output_may_color(const char *color, int fd)
{
	const char *term = getenv("TERM");
	const char *no_color = getenv("NO_COLOR");

	if (!isatty(fd) || !term || !*term || strcmp(term, "dumb") == 0)
		return false;
	if (strcmp(color, "auto") == 0)
		return !no_color || !*no_color;
	return strcmp(color, "none") != 0;
}

bool output_may_utf8(bool ascii, int fd)
{
	if (ascii)
		return false;
	return !isatty(fd) || strcasecmp(nl_langinfo(CODESET), "UTF-8") == 0;
}

size_t output_width(int fd)
{
	struct winsize size;

	if (!isatty(fd) || ioctl(fd, TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
		return WIDTH_ELSE;
	if (size.ws_col < WIDTH_LEAST)
		return WIDTH_LEAST;
	return size.ws_col > WIDTH_MOST ? WIDTH_MOST : size.ws_col;
}
