#include "collectors/ssh_bytes.h"

#include <openssl/evp.h>
#include <openssl/rand.h>
#include <stdlib.h>
#include <string.h>

#include "collectors/xmalloc.h"

#define HMAC_BLOCK 64

struct ssh_hmac {
	EVP_MD_CTX *ctx;
};

bool ssh_take_bytes(struct span *in, size_t n, struct span *s)
{
	if (in->n < n)
		return false;
	s->p = in->p;
	s->n = n;
	in->p += n;
	in->n -= n;
	return true;
}

bool ssh_take_u32(struct span *in, uint32_t *v)
{
	struct span b;

	if (!ssh_take_bytes(in, 4, &b))
		return false;
	const unsigned char *p = (const unsigned char *)b.p;

	*v = (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
	return true;
}

bool ssh_take_string(struct span *in, struct span *s)
{
	uint32_t n;

	return ssh_take_u32(in, &n) && ssh_take_bytes(in, n, s);
}

void ssh_put_u32(unsigned char *out, uint32_t v)
{
	out[0] = (unsigned char)(v >> 24);
	out[1] = (unsigned char)(v >> 16);
	out[2] = (unsigned char)(v >> 8);
	out[3] = (unsigned char)v;
}

struct span ssh_blob_type(struct span blob)
{
	struct span type = SPAN_INIT;

	if (!ssh_take_string(&blob, &type))
		return (struct span)SPAN_INIT;
	return type;
}

static int base64_value(char c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26;
	if (c >= '0' && c <= '9')
		return c - '0' + 52;
	return c == '+' ? 62 : c == '/' ? 63 : -1;
}

bool ssh_base64_decode(struct span text, unsigned char *out, size_t size, size_t *len)
{
	unsigned bits = 0;
	int have = 0;
	size_t n = 0;
	bool padded = false;

	for (size_t i = 0; i < text.n; i++) {
		char c = text.p[i];

		if (c == ' ' || c == '\n' || c == '\r' || c == '\t')
			continue;
		if (c == '=') {
			padded = true;
			continue;
		}
		int v = base64_value(c);

		if (v < 0 || padded)
			return false;
		bits = (bits << 6 | (unsigned)v) & 0xffffff;
		have += 6;
		if (have < 8)
			continue;
		have -= 8;
		if (n == size)
			return false;
		out[n++] = (unsigned char)(bits >> have);
	}
	if (have == 6)
		return false;
	*len = n;
	return true;
}

void ssh_base64_encode(const unsigned char *bytes, size_t n, char *out, size_t size)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	size_t o = 0;

	for (size_t i = 0; i < n && o + 4 < size; i += 3) {
		unsigned b1 = i + 1 < n ? bytes[i + 1] : 0;
		unsigned b2 = i + 2 < n ? bytes[i + 2] : 0;
		unsigned v = (unsigned)bytes[i] << 16 | b1 << 8 | b2;

		out[o++] = digits[v >> 18];
		out[o++] = digits[v >> 12 & 63];
		out[o++] = i + 1 < n ? digits[v >> 6 & 63] : '=';
		out[o++] = i + 2 < n ? digits[v & 63] : '=';
	}
	if (size)
		out[o < size ? o : size - 1] = '\0';
}

void ssh_fingerprint(struct span blob, char out[SSH_FINGERPRINT_SIZE])
{
	static const char prefix[] = "SHA256:";
	unsigned char digest[EVP_MAX_MD_SIZE];
	char text[4 * ((EVP_MAX_MD_SIZE + 2) / 3) + 1];
	unsigned n = 0;

	if (EVP_Digest(blob.p, blob.n, digest, &n, EVP_sha256(), NULL) != 1)
		n = 0;
	ssh_base64_encode(digest, n, text, sizeof(text));
	size_t len = strcspn(text, "=");

	if (len > SSH_FINGERPRINT_SIZE - sizeof(prefix))
		len = SSH_FINGERPRINT_SIZE - sizeof(prefix);
	memcpy(out, prefix, sizeof(prefix) - 1);
	memcpy(out + sizeof(prefix) - 1, text, len);
	out[sizeof(prefix) - 1 + len] = '\0';
}

struct ssh_hmac *ssh_hmac_new(void)
{
	EVP_MD_CTX *ctx = EVP_MD_CTX_new();

	if (!ctx || EVP_DigestInit_ex(ctx, EVP_sha1(), NULL) != 1) {
		EVP_MD_CTX_free(ctx);
		return NULL;
	}
	struct ssh_hmac *h = xmalloc(sizeof(*h));

	h->ctx = ctx;
	return h;
}

void ssh_hmac_free(struct ssh_hmac *h)
{
	if (!h)
		return;
	EVP_MD_CTX_free(h->ctx);
	free(h);
}

/* One of the two passes of RFC 2104: digest of the padded key and then the text. */
static bool hmac_pass(struct ssh_hmac *h, struct span key, unsigned char pad, const void *text,
	size_t n, unsigned char *out)
{
	unsigned char block[HMAC_BLOCK];

	memset(block, pad, sizeof(block));
	for (size_t i = 0; i < key.n; i++)
		block[i] ^= (unsigned char)key.p[i];
	/* Without a type the context starts again with the one it has, at no look-up. */
	return EVP_DigestInit_ex(h->ctx, NULL, NULL) == 1 &&
	       EVP_DigestUpdate(h->ctx, block, sizeof(block)) == 1 &&
	       EVP_DigestUpdate(h->ctx, text, n) == 1 && EVP_DigestFinal_ex(h->ctx, out, NULL) == 1;
}

bool ssh_hmac_sha1(
	struct ssh_hmac *h, struct span key, struct span text, unsigned char out[SSH_SHA1_BYTES])
{
	unsigned char inner[EVP_MAX_MD_SIZE];

	return key.n <= HMAC_BLOCK && hmac_pass(h, key, 0x36, text.p, text.n, inner) &&
	       hmac_pass(h, key, 0x5c, inner, SSH_SHA1_BYTES, out);
}

bool ssh_random(unsigned char *out, size_t n)
{
	return RAND_bytes(out, (int)n) == 1;
}
