#include "collectors/versions.h"

#include <curl/curl.h>
#include <libssh2.h>
#include <stddef.h>

const char *versions_libssh2(void)
{
	const char *v = libssh2_version(0);

	return v ? v : "unknown";
}

const char *versions_libcurl(void)
{
	return curl_version_info(CURLVERSION_NOW)->version;
}

bool versions_rsa_sha2(void)
{
	return libssh2_version(0x010b00) != NULL;
}
