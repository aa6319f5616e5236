/*
 * A throw-away sshd on 127.0.0.1 with keys of its own, for tests of everything
 * that speaks SSH. Each lives in a folder under /tmp that sshd_stop removes.
 */
#ifndef TESTS_LIB_SSHD_H
#define TESTS_LIB_SSHD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct sshd {
	pid_t pid;
	uint16_t port;
	char dir[64];         /* temporary folder */
	char identity[96];    /* ed25519 key that the server accepts */
	char known_hosts[96]; /* holds the server's key as [127.0.0.1]:port */
	char host_pub[96];    /* the server's public key file */
	char user[64];        /* the user to log in as: ourselves */
};

/* NULL, or why it cannot be had here: print it and skip. */
const char *sshd_unavailable(void);

/*
 * Starts one with lines of sshd_config added (NULL none; they come first, so
 * they win). Returns false after printing why.
 */
bool sshd_start(struct sshd *s, const char *extra_config);
void sshd_stop(struct sshd *s);

/* Runs a program to its end without a shell; argv NULL-terminated. True on exit 0. */
bool sshd_run(const char *const *argv);

/* dir/name into out; returned. */
const char *sshd_path(const struct sshd *s, const char *name, char *out, size_t size);

/* Writes a file with mode 0600. */
bool sshd_write_file(const char *path, const char *text);

#endif
