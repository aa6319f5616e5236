#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collectors/clock.h"
#include "collectors/compiler.h"
#include "collectors/ssh_bytes.h"
#include "collectors/ssh_knownhosts.h"

/* Blobs of the right shape: a type and some bytes. */
#define KEY_A "AAAAC3NzaC1lZDI1NTE5AAAAAUE=" /* ssh-ed25519, "A" */
#define KEY_B "AAAAC3NzaC1lZDI1NTE5AAAAAUI=" /* ssh-ed25519, "B" */
#define KEY_R "AAAAB3NzaC1yc2EAAAABUg=="     /* ssh-rsa, "R" */

static char path[] = "/tmp/hp-known-XXXXXX";

static void write_file(const char *text, size_t len)
{
	FILE *f = fopen(path, "we");

	assert_non_null(f);
	assert_int_equal(fwrite(text, 1, len, f), len);
	fclose(f);
}

/* What text says of key64 for name; *line (may be NULL) the line that decided. */
static enum ssh_known_verdict verdict(
	const char *text, const char *name, const char *key64, unsigned *line)
{
	struct ssh_knownhosts *k = ssh_knownhosts_new();
	struct ssh_known known = SSH_KNOWN_INIT;
	const struct ssh_known_key *which = NULL;
	const char *paths[] = {"/nonexistent/known_hosts", path, "/tmp"};
	unsigned char blob[64];
	size_t len;

	write_file(text, strlen(text));
	assert_true(ssh_base64_decode(span_of(key64), blob, sizeof(blob), &len));
	ssh_knownhosts_find(k, paths, ARRAY_LEN(paths), name, &known);
	enum ssh_known_verdict v =
		ssh_known_check(&known, (struct span){(const char *)blob, len}, &which);

	if (line)
		*line = which ? which->line : 0;
	ssh_known_release(&known);
	ssh_knownhosts_free(k);
	return v;
}

static void verdicts(void **state)
{
	static const struct {
		const char *text;
		const char *name;
		enum ssh_known_verdict v;
		unsigned line;
	} cases[] = {
		{"h ssh-ed25519 " KEY_A "\n", "h", SSH_KNOWN_OK, 1},
		{"\r\n# c\r\nh ssh-ed25519 " KEY_A "\r\n", "h", SSH_KNOWN_OK, 3},
		{"h ssh-ed25519 " KEY_A, "h", SSH_KNOWN_OK, 1}, /* no last line break */
		{"  h\tssh-ed25519\t" KEY_A " a comment\n", "h", SSH_KNOWN_OK, 1},
		{"A,H,b ssh-ed25519 " KEY_A "\n", "h", SSH_KNOWN_OK, 1},
		{"h2 ssh-ed25519 " KEY_A "\n", "h", SSH_KNOWN_NONE, 0},
		{"h ssh-ed25519 " KEY_B "\n", "h", SSH_KNOWN_CHANGED, 1},
		{"h ssh-ed25519 " KEY_B "\nh ssh-ed25519 " KEY_A "\n", "h", SSH_KNOWN_OK, 2},
		{"h ssh-rsa " KEY_R "\n", "h", SSH_KNOWN_OTHER_TYPE, 1},
		{"h ssh-rsa " KEY_R "\nh ssh-ed25519 " KEY_B "\n", "h", SSH_KNOWN_CHANGED, 2},
		{"@revoked * ssh-ed25519 " KEY_A "\n", "h", SSH_KNOWN_REVOKED, 1},
		{"h ssh-ed25519 " KEY_A "\n@revoked h ssh-ed25519 " KEY_A "\n", "h",
			SSH_KNOWN_REVOKED, 2},
		{"@revoked h ssh-ed25519 " KEY_B "\n", "h", SSH_KNOWN_NONE, 0},
		{"@cert-authority * ssh-ed25519 " KEY_A "\n", "h", SSH_KNOWN_NONE, 0},
		{"@new-marker * ssh-ed25519 " KEY_A "\n", "h", SSH_KNOWN_NONE, 0},
		{"h*,!hx ssh-ed25519 " KEY_A "\n", "ha", SSH_KNOWN_OK, 1},
		{"h*,!hx ssh-ed25519 " KEY_A "\n", "hx", SSH_KNOWN_NONE, 0},
		{"[h]:22 ssh-ed25519 " KEY_A "\n", "[h]:2222", SSH_KNOWN_NONE, 0},
		{"[h]:2222 ssh-ed25519 " KEY_A "\n", "[h]:2222", SSH_KNOWN_OK, 1},
		/* Damaged lines are passed over, and not the ones after them. */
		{"h\nh ssh-ed25519\nh ssh-ed25519 !!\n|1|x|y ssh-ed25519 " KEY_A
		 "\n|1| z\n, x y\nh ssh-ed25519 " KEY_A "\n",
			"h", SSH_KNOWN_OK, 7},
		{"\xff\xfe\x80 \x01\x02 \x03\nh ssh-ed25519 " KEY_A "\n", "h", SSH_KNOWN_OK, 2},
		{"h 1024 35 1234567890\n", "h", SSH_KNOWN_NONE, 0},
		{"", "h", SSH_KNOWN_NONE, 0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		unsigned line = 99;
		enum ssh_known_verdict v = verdict(cases[i].text, cases[i].name, KEY_A, &line);

		if (v != cases[i].v || line != cases[i].line)
			fail_msg("case %zu: verdict %d line %u", i, (int)v, line);
	}
}

static void lookup_names(void **state)
{
	static const struct {
		const char *host;
		unsigned port;
		const char *name;
	} cases[] = {
		{"Host.Example", 22, "host.example"},
		{"h", 0, "h"},
		{"H", 2222, "[h]:2222"},
		{"fe80::1", 22, "fe80::1"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		char *name = ssh_knownhosts_name(cases[i].host, cases[i].port);

		assert_string_equal(name, cases[i].name);
		free(name);
	}
}

/* A known type is asked for first: else a known host would look unknown. */
static void preference(void **state)
{
	struct ssh_knownhosts *k = ssh_knownhosts_new();
	struct ssh_known known = SSH_KNOWN_INIT;
	const char *paths[] = {path};
	static const char text[] = "h ssh-rsa " KEY_R "\n@revoked h ssh-ed25519 " KEY_A "\n";
	char out[256];
	char cut[20];

	(void)state;
	ssh_known_preference(&known, out, sizeof(out));
	assert_true(strncmp(out, "ssh-ed25519,", 12) == 0);
	write_file(text, sizeof(text) - 1);
	ssh_knownhosts_find(k, paths, 1, "h", &known);
	ssh_known_preference(&known, out, sizeof(out));
	assert_true(strncmp(out, "rsa-sha2-512,rsa-sha2-256,ssh-rsa,ssh-ed25519,", 46) == 0);
	ssh_known_preference(&known, cut, sizeof(cut));
	assert_true(strlen(cut) < sizeof(cut));
	ssh_known_release(&known);
	ssh_knownhosts_free(k);
}

/* What we add is found again: plain, hashed, in a file that grows under us. */
static void adding(void **state)
{
	struct ssh_knownhosts *k = ssh_knownhosts_new();
	const char *paths[] = {path};
	struct err e = ERR_INIT;
	unsigned char blob[64];
	size_t len;

	(void)state;
	assert_true(ssh_base64_decode(span_of(KEY_A), blob, sizeof(blob), &len));
	struct span key = {(const char *)blob, len};

	unlink(path);
	for (int i = 0; i < 20; i++) {
		char name[32];
		struct ssh_known known = SSH_KNOWN_INIT;

		snprintf(name, sizeof(name), "[n%d]:2222", i);
		ssh_knownhosts_find(k, paths, 1, name, &known);
		assert_int_equal(known.n, 0);
		assert_int_equal(ssh_knownhosts_add(k, path, name, key, i % 2 == 0, &e), ERR_OK);
		ssh_knownhosts_find(k, paths, 1, name, &known);
		assert_int_equal(known.n, 1);
		assert_int_equal(ssh_known_check(&known, key, NULL), SSH_KNOWN_OK);
		ssh_known_release(&known);
	}
	assert_int_equal(ssh_knownhosts_add(k, "/nonexistent/a/b", "h", key, false, &e), ERR_IO);
	assert_non_null(strstr(e.msg, "/nonexistent/a/b"));
	ssh_knownhosts_free(k);
}

/* 1,000 hosts in a file of 1,000 hashed lines: a million HMACs, once a host each. */
static void scale(void **state)
{
	struct ssh_knownhosts *k = ssh_knownhosts_new();
	struct ssh_hmac *h = ssh_knownhosts_hmac(k);
	const char *paths[] = {path};
	FILE *f = fopen(path, "we");
	size_t found = 0;

	(void)state;
	for (unsigned i = 0; i < 500; i++) {
		unsigned char salt[SSH_SHA1_BYTES] = {(unsigned char)i, (unsigned char)(i >> 8)};
		unsigned char digest[SSH_SHA1_BYTES];
		char name[32];
		char s64[32];
		char d64[32];

		snprintf(name, sizeof(name), "ip-10-0-0-%u", i);
		assert_true(ssh_hmac_sha1(
			h, (struct span){(const char *)salt, sizeof(salt)}, span_of(name), digest));
		ssh_base64_encode(salt, sizeof(salt), s64, sizeof(s64));
		ssh_base64_encode(digest, sizeof(digest), d64, sizeof(d64));
		fprintf(f, "|1|%s|%s ssh-ed25519 " KEY_A "\np%u ssh-ed25519 " KEY_B "\n", s64, d64,
			i);
	}
	fclose(f);
	int64_t before = clock_mono_ms();

	for (unsigned i = 0; i < 100; i++) {
		struct ssh_known known = SSH_KNOWN_INIT;
		char name[32];

		snprintf(name, sizeof(name), "ip-10-0-0-%u", i * 5);
		ssh_knownhosts_find(k, paths, 1, name, &known);
		found += known.n;
		ssh_known_release(&known);
	}
	print_message("50,000 HMACs: %lld ms\n", (long long)(clock_mono_ms() - before));
	assert_int_equal(found, 100);
	ssh_knownhosts_free(k);
}

/* RFC 2202, test case 2. */
static void hmac(void **state)
{
	struct ssh_hmac *h = ssh_hmac_new();
	unsigned char out[SSH_SHA1_BYTES];
	static const unsigned char want[] = {0xef, 0xfc, 0xdf, 0x6a, 0xe5, 0xeb, 0x2f, 0xa2, 0xd2,
		0x74, 0x16, 0xd5, 0xf1, 0x84, 0xdf, 0x9c, 0x25, 0x9a, 0x7c, 0x79};

	(void)state;
	for (int i = 0; i < 2; i++) {
		assert_true(ssh_hmac_sha1(
			h, span_of("Jefe"), span_of("what do ya want for nothing?"), out));
		assert_memory_equal(out, want, sizeof(want));
	}
	ssh_hmac_free(h);
}

static void base64(void **state)
{
	unsigned char out[4];
	size_t n = 0;

	(void)state;
	assert_true(ssh_base64_decode(span_of("QUJD"), out, sizeof(out), &n));
	assert_int_equal(n, 3);
	assert_true(ssh_base64_decode(span_of("QQ=="), out, sizeof(out), &n));
	assert_int_equal(n, 1);
	assert_true(ssh_base64_decode(span_of("Q\nQ"), out, sizeof(out), &n));
	assert_false(ssh_base64_decode(span_of("Q"), out, sizeof(out), &n));
	assert_false(ssh_base64_decode(span_of("Q?=="), out, sizeof(out), &n));
	assert_false(ssh_base64_decode(span_of("QQ==QQ"), out, sizeof(out), &n));
	assert_false(ssh_base64_decode(span_of("QUJDRUZH"), out, sizeof(out), &n));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(verdicts),
		cmocka_unit_test(lookup_names),
		cmocka_unit_test(preference),
		cmocka_unit_test(adding),
		cmocka_unit_test(scale),
		cmocka_unit_test(hmac),
		cmocka_unit_test(base64),
	};
	int fd = mkstemp(path);

	if (fd >= 0)
		close(fd);
	int rc = cmocka_run_group_tests(tests, NULL, NULL);

	unlink(path);
	return rc;
}
