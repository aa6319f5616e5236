#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "collectors/clock.h"
#include "collectors/ssh_global.h"
#include "collectors/ssh_transport.h"
#include "tests/lib/drive.h"
#include "tests/lib/sshd.h"

static struct sshd server;

static void good_key(void **state)
{
	struct ssh_settings set = {.identity_file = server.identity,
		.known_hosts = server.known_hosts,
		.config_file = "none"};
	struct ssh_context *c = ssh_context_new(&set);
	struct err e = ERR_INIT;
	char out[256];
	struct transport *t =
		ssh_transport_new(c, "127.0.0.1", server.user, server.port, clock_mono_ms(), &e);

	(void)state;
	assert_non_null(t);
	enum err_code rc = drive_connect(t, 20000, &e);
	if (rc)
		fprintf(stderr, "%d %s\n", rc, e.msg);
	assert_int_equal(rc, ERR_OK);
	assert_int_equal(
		drive_talk(t, "echo a b; exit 3\n", NULL, out, sizeof(out), 20000, &e), ERR_OK);
	assert_string_equal(out, "a b\n");
	printf("%s polls %u\n", e.msg, drive_polls());
	t->ops->free(t);
	ssh_context_free(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(good_key)};
	const char *why = sshd_unavailable();
	struct err e = ERR_INIT;

	if (why || ssh_global_init(&e)) {
		printf("SKIP test_ssh_sshd: %s%s\n", why ? why : "", e.msg);
		return 0;
	}
	if (!sshd_start(&server, NULL))
		return 1;
	int rc = cmocka_run_group_tests(tests, NULL, NULL);

	sshd_stop(&server);
	ssh_global_release();
	return rc;
}
