/*
 * Bytes as SSH writes them: length-prefixed strings (RFC 4251 § 5), base64,
 * and the two digests that known_hosts and fingerprints need. Pure.
 */
#ifndef COLLECTORS_SSH_BYTES_H
#define COLLECTORS_SSH_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collectors/text.h"

#define SSH_SHA1_BYTES 20
/* "SHA256:" and 43 characters, terminated. */
#define SSH_FINGERPRINT_SIZE 52

/* Takes a number or a length-prefixed string off the front of *in; false when it is cut off. */
bool ssh_take_u32(struct span *in, uint32_t *v);
bool ssh_take_string(struct span *in, struct span *s);
bool ssh_take_bytes(struct span *in, size_t n, struct span *s);

/* Big-endian, 4 bytes. */
void ssh_put_u32(unsigned char *out, uint32_t v);

/* The type that a public key blob begins with ("ssh-ed25519"); empty when it is none. */
struct span ssh_blob_type(struct span blob);

/*
 * Decodes base64 (blanks and line breaks skipped, padding optional).
 * False on any other character or when it does not fit; *len is set on success.
 */
bool ssh_base64_decode(struct span text, unsigned char *out, size_t size, size_t *len);

/* Terminated; size must be at least 4 * ((n + 2) / 3) + 1. */
void ssh_base64_encode(const unsigned char *bytes, size_t n, char *out, size_t size);

/* As ssh-keygen -l prints it. */
void ssh_fingerprint(struct span blob, char out[SSH_FINGERPRINT_SIZE]);

/* One HMAC-SHA1 context for many short messages. Not shared between threads. */
struct ssh_hmac;
struct ssh_hmac *ssh_hmac_new(void); /* NULL when the library has no SHA-1 */
void ssh_hmac_free(struct ssh_hmac *h);
/* key: at most 64 bytes. False on failure. */
bool ssh_hmac_sha1(
	struct ssh_hmac *h, struct span key, struct span text, unsigned char out[SSH_SHA1_BYTES]);

/* False when the system gives no randomness. */
bool ssh_random(unsigned char *out, size_t n);

#endif
