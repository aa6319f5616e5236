#include "collectors/ssh_key.h"

#include <errno.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collectors/buf.h"
#include "collectors/ssh_bytes.h"
#include "collectors/xmalloc.h"

#define FILE_CAP      (64u * 1024)
#define ED25519_BYTES 32

static void set_blob(struct ssh_key *k, struct span blob)
{
	struct span type = ssh_blob_type(blob);

	free(k->blob);
	k->blob = xmalloc(blob.n);
	memcpy(k->blob, blob.p, blob.n);
	k->blob_len = blob.n;
	snprintf(k->type, sizeof(k->type), "%.*s", (int)(type.n < 31 ? type.n : 31),
		type.n ? type.p : "");
}

static void unreadable(struct ssh_key *k, const char *why)
{
	k->state = SSH_KEY_UNREADABLE;
	snprintf(k->why, sizeof(k->why), "%s", why);
}

/*
 * The private part of an unencrypted key (PROTOCOL.key in OpenSSH): two equal
 * check numbers, then the key's fields.
 */
static void take_ed25519(struct ssh_key *k, struct span in)
{
	uint32_t check1;
	uint32_t check2;
	struct span type;
	struct span pub;
	struct span priv;

	if (!ssh_take_u32(&in, &check1) || !ssh_take_u32(&in, &check2) || check1 != check2 ||
		!ssh_take_string(&in, &type) || !span_eq(type, "ssh-ed25519") ||
		!ssh_take_string(&in, &pub) || !ssh_take_string(&in, &priv) ||
		pub.n != ED25519_BYTES || priv.n != 2 * ED25519_BYTES)
		return; /* libssh2 may know better */
	k->signer = EVP_PKEY_new_raw_private_key(
		EVP_PKEY_ED25519, NULL, (const unsigned char *)priv.p, ED25519_BYTES);
}

static void parse_openssh(struct ssh_key *k, struct span in)
{
	static const char magic[] = "openssh-key-v1"; /* its NUL is part of it */
	struct span head;
	struct span cipher;
	struct span part;
	struct span blob;
	uint32_t n;

	if (!ssh_take_bytes(&in, sizeof(magic), &head) ||
		memcmp(head.p, magic, sizeof(magic)) != 0 || !ssh_take_string(&in, &cipher) ||
		!ssh_take_string(&in, &part) || !ssh_take_string(&in, &part) ||
		!ssh_take_u32(&in, &n) || n != 1 || !ssh_take_string(&in, &blob) ||
		!ssh_take_string(&in, &part)) {
		unreadable(k, "damaged");
		return;
	}
	set_blob(k, blob);
	if (!span_eq(cipher, "none")) {
		k->state = SSH_KEY_ENCRYPTED;
		return;
	}
	k->state = SSH_KEY_USABLE;
	if (strcmp(k->type, "ssh-ed25519") == 0)
		take_ed25519(k, part);
}

/* Labels of PEM files and what they hold. */
static const struct {
	const char *label;
	const char *type; /* NULL: could be any */
	bool encrypted;
} pem_kinds[] = {
	{"-----BEGIN RSA PRIVATE KEY-----", "ssh-rsa", false},
	{"-----BEGIN EC PRIVATE KEY-----", "ecdsa", false},
	{"-----BEGIN DSA PRIVATE KEY-----", "ssh-dss", false},
	{"-----BEGIN ENCRYPTED PRIVATE KEY-----", NULL, true},
	{"-----BEGIN PRIVATE KEY-----", NULL, false},
};

static void parse_pem(struct ssh_key *k, struct span text)
{
	for (size_t i = 0; i < ARRAY_LEN(pem_kinds); i++) {
		if (span_find(text, pem_kinds[i].label) < 0)
			continue;
		if (pem_kinds[i].type)
			snprintf(k->type, sizeof(k->type), "%s", pem_kinds[i].type);
		bool encrypted =
			pem_kinds[i].encrypted || span_find(text, "Proc-Type: 4,ENCRYPTED") >= 0;

		k->state = encrypted ? SSH_KEY_ENCRYPTED : SSH_KEY_USABLE;
		return;
	}
	unreadable(k, "not a private key");
}

void ssh_key_parse(struct ssh_key *k, struct span text)
{
	static const char begin[] = "-----BEGIN OPENSSH PRIVATE KEY-----";
	ptrdiff_t from = span_find(text, begin);

	if (from < 0) {
		parse_pem(k, text);
		return;
	}
	struct span body = {
		text.p + from + sizeof(begin) - 1, text.n - (size_t)from - (sizeof(begin) - 1)};
	ptrdiff_t end = span_find(body, "-----END");
	unsigned char *raw = xmalloc(FILE_CAP);
	size_t len;

	if (end >= 0)
		body.n = (size_t)end;
	if (end >= 0 && ssh_base64_decode(body, raw, FILE_CAP, &len)) {
		parse_openssh(k, (struct span){(const char *)raw, len});
		OPENSSL_cleanse(raw, len);
	} else {
		unreadable(k, "damaged");
	}
	free(raw);
}

/* "type base64 comment" of the .pub file beside a key that does not tell itself. */
static void load_public(struct ssh_key *k)
{
	struct buf b = BUF_INIT(FILE_CAP);
	size_t size = strlen(k->path) + 5;
	char *path = xmalloc(size);
	unsigned char raw[FILE_CAP / 8];
	size_t len;
	struct span word;

	snprintf(path, size, "%s.pub", k->path);
	if (access(path, R_OK) == 0 && buf_read_file(&b, path, NULL) == ERR_OK) {
		struct span rest = {buf_str(&b), b.len};

		if (span_word(&rest, &word) && span_word(&rest, &word) &&
			ssh_base64_decode(span_trim(word), raw, sizeof(raw), &len))
			set_blob(k, (struct span){(const char *)raw, len});
	}
	buf_release(&b);
	free(path);
}

struct ssh_key *ssh_key_load(const char *path)
{
	struct ssh_key *k = xcalloc(1, sizeof(*k));
	struct buf b = BUF_INIT(FILE_CAP);
	struct stat st;

	k->refs = 1;
	k->path = xstrdup(path);
	if (access(path, F_OK) != 0 && errno == ENOENT) {
		k->state = SSH_KEY_MISSING;
	} else if (access(path, R_OK) != 0) {
		unreadable(k, err_errno(errno));
	} else if (stat(path, &st) == 0 && st.st_uid == getuid() && (st.st_mode & 077) != 0) {
		unreadable(k, "readable by others, so ssh would not use it: chmod 600");
	} else if (buf_read_file(&b, path, NULL)) {
		unreadable(k, "cannot be read");
	} else {
		ssh_key_parse(k, (struct span){buf_str(&b), b.len});
		OPENSSL_cleanse(b.data, b.len);
	}
	if (!k->blob)
		load_public(k);
	buf_release(&b);
	return k;
}

struct ssh_key *ssh_key_ref(struct ssh_key *k)
{
	k->refs++;
	return k;
}

void ssh_key_unref(struct ssh_key *k)
{
	if (!k || --k->refs > 0)
		return;
	EVP_PKEY_free(k->signer);
	free(k->blob);
	free(k->path);
	free(k);
}

bool ssh_key_sign(
	const struct ssh_key *k, struct span data, unsigned char out[SSH_ED25519_SIGNATURE_BYTES])
{
	EVP_MD_CTX *ctx = EVP_MD_CTX_new();
	size_t len = SSH_ED25519_SIGNATURE_BYTES;
	bool ok = ctx && EVP_DigestSignInit(ctx, NULL, NULL, NULL, k->signer) == 1 &&
		  EVP_DigestSign(ctx, out, &len, (const unsigned char *)data.p, data.n) == 1 &&
		  len == SSH_ED25519_SIGNATURE_BYTES;

	EVP_MD_CTX_free(ctx);
	return ok;
}
