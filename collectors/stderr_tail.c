#include "collectors/stderr_tail.h"

#include <errno.h>
#include <unistd.h>

#include "collectors/text.h"

void stderr_tail_add(char *last, size_t size, const char *bytes, size_t len)
{
	struct span rest = {bytes, len};
	struct span line;
	struct span found = SPAN_INIT;

	while (span_line(&rest, &line))
		if (span_trim(line).n)
			found = span_trim(line);
	if (found.n)
		text_printable(last, size, found.p, found.n);
}

bool stderr_tail_read(int fd, char *last, size_t size)
{
	char chunk[4096];

	for (int i = 0; i < 16; i++) {
		ssize_t n = read(fd, chunk, sizeof(chunk));

		if (n < 0)
			return errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR;
		if (n == 0)
			return true;
		stderr_tail_add(last, size, chunk, (size_t)n);
	}
	return false;
}
