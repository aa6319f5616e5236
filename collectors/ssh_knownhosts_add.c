/* The writer of ssh_knownhosts.h: one line for a host key that was accepted. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collectors/buf.h"
#include "collectors/log.h"
#include "collectors/ssh_bytes.h"
#include "collectors/ssh_knownhosts.h"
#include "collectors/xmalloc.h"

#define BLOB_CAP 8192 /* a 16,384-bit RSA key is 2 KiB */

/* The folder of a file that is to be made; only its last level. */
static void make_folder(const char *path)
{
	const char *slash = strrchr(path, '/');

	if (!slash || slash == path)
		return;
	char *dir = xstrndup(path, (size_t)(slash - path));

	if (mkdir(dir, 0700) != 0 && errno != EEXIST)
		log_write(LOG_WARN, "ssh_knownhosts", NULL, "%s: %s", dir, err_errno(errno));
	free(dir);
}

/* The name as it is to be stored. */
static enum err_code add_name(
	struct ssh_knownhosts *k, struct buf *b, const char *name, bool hashed, struct err *e)
{
	unsigned char salt[SSH_SHA1_BYTES];
	unsigned char digest[SSH_SHA1_BYTES];
	char salt64[32];
	char digest64[32];
	struct span key = {(const char *)salt, sizeof(salt)};
	struct ssh_hmac *hmac = ssh_knownhosts_hmac(k);

	if (!hashed)
		return buf_add_str(b, name);
	if (!hmac || !ssh_random(salt, sizeof(salt)) ||
		!ssh_hmac_sha1(hmac, key, span_of(name), digest))
		return err_set(e, ERR_IO, "the host name cannot be hashed (set HashKnownHosts no)");
	ssh_base64_encode(salt, sizeof(salt), salt64, sizeof(salt64));
	ssh_base64_encode(digest, sizeof(digest), digest64, sizeof(digest64));
	return buf_addf(b, "|1|%s|%s", salt64, digest64);
}

/* True when the file's last byte is there and is no line break. */
static bool needs_newline(int fd)
{
	char last;
	off_t end = lseek(fd, 0, SEEK_END);

	return end > 0 && pread(fd, &last, 1, end - 1) == 1 && last != '\n';
}

static enum err_code append_line(const char *path, struct buf *line, struct err *e)
{
	int fd = open(path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY, 0600);

	if (fd < 0)
		return err_set(e, ERR_IO, "%s: the new host key cannot be added: %s", path,
			err_errno(errno));
	enum err_code rc = ERR_OK;
	const char *text = buf_str(line);
	size_t len = line->len;

	/* The text begins with a line break, for files whose last line has none. */
	if (!needs_newline(fd)) {
		text++;
		len--;
	}
	if (write(fd, text, len) != (ssize_t)len)
		rc = err_set(e, ERR_IO, "%s: the new host key cannot be added: %s", path,
			err_errno(errno));
	close(fd);
	return rc;
}

enum err_code ssh_knownhosts_add(struct ssh_knownhosts *k, const char *path, const char *name,
	struct span blob, bool hashed, struct err *e)
{
	struct buf line = BUF_INIT(4 * BLOB_CAP);
	struct span type = ssh_blob_type(blob);
	char key64[4 * ((BLOB_CAP + 2) / 3) + 1];
	enum err_code rc;

	if (blob.n > BLOB_CAP)
		return err_set(e, ERR_TOOBIG, "a host key of %zu bytes", blob.n);
	ssh_base64_encode((const unsigned char *)blob.p, blob.n, key64, sizeof(key64));
	rc = buf_add_str(&line, "\n");
	if (rc == ERR_OK)
		rc = add_name(k, &line, name, hashed, e);
	if (rc == ERR_OK)
		rc = buf_addf(&line, " %.*s %s\n", (int)type.n, type.p, key64);
	if (rc == ERR_OK) {
		make_folder(path);
		rc = append_line(path, &line, e);
	}
	buf_release(&line);
	return rc;
}
