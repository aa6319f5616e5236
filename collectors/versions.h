/* The libraries that this program runs with, for `doctor` and reports of faults. */
#ifndef COLLECTORS_VERSIONS_H
#define COLLECTORS_VERSIONS_H

#include <stdbool.h>

/* "1.10.0"; static, never NULL. */
const char *versions_libssh2(void);
const char *versions_libcurl(void);

/*
 * True when libssh2 itself can sign with RSA and SHA-2, which it can since 1.11.0
 * (its release notes). Servers since OpenSSH 8.8 refuse the older RSA with SHA-1.
 */
bool versions_rsa_sha2(void);

#endif
