/*
 * The SSH transport against real sshd processes: what it accepts, what it
 * refuses, and the sentence that it says.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collectors/buf.h"
#include "collectors/clock.h"
#include "collectors/spawn.h"
#include "collectors/ssh_auth.h"
#include "collectors/ssh_bytes.h"
#include "collectors/ssh_global.h"
#include "collectors/ssh_transport.h"
#include "tests/lib/drive.h"
#include "tests/lib/sshd.h"

#define WAIT_MS 20000

static struct sshd server;
static char file_a[128];
static char file_b[128];

/* One connection with these settings; what it ends with, and in msg its sentence. */
struct attempt {
	struct ssh_settings set;
	const char *host;
	uint16_t port;
	char msg[400];
	char out[400];
};

static struct attempt attempt_default(void)
{
	return (struct attempt){
		.set = {.config_file = "none",
			.identity_file = server.identity,
			.known_hosts = server.known_hosts},
		.host = "127.0.0.1",
		.port = server.port,
	};
}

static enum err_code attempt_run(struct attempt *a)
{
	struct ssh_context *c = ssh_context_new(&a->set);
	struct err e = ERR_INIT;
	struct transport *t = ssh_transport_new(c, a->host, NULL, a->port, clock_mono_ms(), &e);

	assert_non_null(t);
	enum err_code rc = drive_connect(t, WAIT_MS, &e);

	if (rc == ERR_OK)
		rc = drive_talk(
			t, "echo here; exit 3\n", NULL, a->out, sizeof(a->out), WAIT_MS, &e);
	snprintf(a->msg, sizeof(a->msg), "%s", e.msg);
	int64_t before = clock_mono_ms();

	t->ops->free(t);
	ssh_context_free(c);
	assert_true(clock_mono_ms() - before < 5000);
	return rc;
}

#define assert_says(a, text)                                                \
	do {                                                                \
		if (!strstr((a).msg, text))                                 \
			fail_msg("\"%s\" is not in \"%s\"", text, (a).msg); \
	} while (0)

static void assert_connects(struct attempt *a)
{
	enum err_code rc = attempt_run(a);

	if (rc)
		fail_msg("%s: %s", err_code_name(rc), a->msg);
	assert_string_equal(a->out, "here\n");
	assert_says(*a, "exit 3");
}

static void read_text(const char *path, char *out, size_t size)
{
	FILE *f = fopen(path, "re");
	size_t n = f ? fread(out, 1, size - 1, f) : 0;

	out[n] = '\0';
	if (f)
		fclose(f);
}

static void make_key(const char *path, const char *type, const char *passphrase)
{
	const char *argv[] = {"ssh-keygen", "-q", "-t", type, "-N", passphrase, "-f", path, NULL};

	unlink(path);
	assert_true(sshd_run(argv));
}

/* "[127.0.0.1]:port " and what follows it in the server's own known_hosts. */
static void host_key_of(char *name, size_t name_size, char *key, size_t key_size)
{
	char text[1200];

	read_text(server.known_hosts, text, sizeof(text));
	char *blank = strchr(text, ' ');

	assert_non_null(blank);
	*blank = '\0';
	snprintf(name, name_size, "%.63s", text);
	snprintf(key, key_size, "%.1000s", blank + 1);
}

/* A known_hosts file; '<' stands for the server's name and '>' for its key. */
static void write_known(const char *path, const char *format)
{
	char name[64];
	char key[1024];
	char text[2048];
	size_t used = 0;

	host_key_of(name, sizeof(name), key, sizeof(key));
	for (const char *f = format; *f; f++) {
		const char *add = *f == '<' ? name : *f == '>' ? key : NULL;

		if (add)
			used += (size_t)snprintf(text + used, sizeof(text) - used, "%s", add);
		else
			text[used++] = *f;
	}
	text[used] = '\0';
	assert_true(sshd_write_file(path, text));
}

/* ---- keys of ours ---- */

static void good_key(void **state)
{
	struct attempt a = attempt_default();

	(void)state;
	assert_connects(&a);
	assert_true(drive_polls() < 60); /* it sleeps between steps */
}

static void wrong_key(void **state)
{
	struct attempt a = attempt_default();

	(void)state;
	make_key(file_a, "ed25519", "");
	a.set.identity_file = file_a;
	assert_int_equal(attempt_run(&a), ERR_AUTH);
	assert_says(a, file_a);
	assert_says(a, "the server accepts publickey");
}

static void encrypted_key(void **state)
{
	struct attempt a = attempt_default();

	(void)state;
	make_key(file_a, "ed25519", "secret");
	a.set.identity_file = file_a;
	assert_int_equal(attempt_run(&a), ERR_AUTH);
	assert_says(a, "is encrypted: load it with ssh-add");
}

static void missing_and_open_key(void **state)
{
	struct attempt a = attempt_default();

	(void)state;
	unlink(file_a);
	a.set.identity_file = file_a;
	assert_int_equal(attempt_run(&a), ERR_AUTH);
	assert_says(a, "no such file");
	make_key(file_a, "ed25519", "");
	assert_int_equal(chmod(file_a, 0644), 0);
	assert_int_equal(attempt_run(&a), ERR_AUTH);
	assert_says(a, "chmod 600");
}

static void append_authorized(const char *key)
{
	char pub[1200];
	char path[160];
	FILE *f = fopen(sshd_path(&server, "authorized", path, sizeof(path)), "ae");

	snprintf(path, sizeof(path), "%s.pub", key);
	read_text(path, pub, sizeof(pub));
	assert_non_null(f);
	fputs(pub, f);
	fclose(f);
}

static void ecdsa_key(void **state)
{
	struct attempt a = attempt_default();

	(void)state;
	make_key(file_a, "ecdsa", "");
	append_authorized(file_a);
	a.set.identity_file = file_a;
	assert_connects(&a);
}

static void rsa_key(void **state)
{
	struct attempt a = attempt_default();

	(void)state;
	make_key(file_a, "rsa", "");
	append_authorized(file_a);
	a.set.identity_file = file_a;
	if (ssh_auth_has_rsa_sha2()) {
		assert_connects(&a);
		return;
	}
	assert_int_equal(attempt_run(&a), ERR_AUTH);
	assert_says(a, "can sign RSA only with SHA-1, which the server refuses");
}

/* An agent of our own; its pid in *pid, its socket in SSH_AUTH_SOCK. */
static bool agent_start(pid_t *pid)
{
	char sock[128];
	const char *argv[] = {"ssh-agent", "-D", "-a", sock, NULL};
	struct err e;

	sshd_path(&server, "agent", sock, sizeof(sock));
	unlink(sock);
	if (spawn_start(pid, argv, -1, -1, -1, &e))
		return false;
	for (int i = 0; i < 300 && access(sock, F_OK) != 0; i++)
		usleep(10000);
	setenv("SSH_AUTH_SOCK", sock, 1);
	return true;
}

static void agent_key(void **state)
{
	struct attempt a = attempt_default();
	const char *add[] = {"ssh-add", "-q", server.identity, NULL};
	pid_t pid = 0;

	(void)state;
	if (!agent_start(&pid))
		skip();
	make_key(file_a, "ed25519", "");
	const char *other[] = {"ssh-add", "-q", file_a, NULL};

	assert_true(sshd_run(other));
	a.set.identity_file = NULL;
	enum err_code refused = attempt_run(&a);
	char msg[400];

	snprintf(msg, sizeof(msg), "%s", a.msg);
	assert_true(sshd_run(add));
	assert_connects(&a);
	unsetenv("SSH_AUTH_SOCK");
	spawn_abandon(pid, clock_mono_ms());
	assert_int_equal(refused, ERR_AUTH);
	assert_non_null(strstr(msg, "ssh-agent (1 key)"));
}

/* ---- keys of the host ---- */

static void unknown_host(void **state)
{
	struct attempt a = attempt_default();

	(void)state;
	assert_true(sshd_write_file(file_a, "# nobody\n"));
	a.set.known_hosts = file_a;
	assert_int_equal(attempt_run(&a), ERR_HOSTKEY);
	assert_says(a, "is not known: ssh-ed25519 SHA256:");
	assert_says(a, "--accept-new");
}

static void accept_new(void **state)
{
	struct attempt a = attempt_default();
	char text[1200];
	struct stat st;

	(void)state;
	unlink(file_a);
	a.set.known_hosts = file_a;
	a.set.accept_new = true;
	assert_connects(&a);
	assert_int_equal(stat(file_a, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	a.set.accept_new = false;
	assert_connects(&a);
	/* A file without a last line break, then OpenSSH's own opinion of the result. */
	assert_true(sshd_write_file(file_a, "other ssh-ed25519 AAAA"));
	a.set.accept_new = true;
	assert_connects(&a);
	read_text(file_a, text, sizeof(text));
	assert_non_null(strstr(text, "AAAA\n[127.0.0.1]:"));
	char name[40];

	snprintf(name, sizeof(name), "[127.0.0.1]:%u", (unsigned)server.port);
	const char *argv[] = {"ssh-keygen", "-F", name, "-f", file_a, NULL};

	assert_true(sshd_run(argv));
}

static void changed_host(void **state)
{
	struct attempt a = attempt_default();

	(void)state;
	write_known(file_a,
		"# one\n< ssh-ed25519 "
		"AAAAC3NzaC1lZDI1NTE5AAAAIAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\n");
	a.set.known_hosts = file_a;
	assert_int_equal(attempt_run(&a), ERR_HOSTKEY);
	assert_says(a, "CHANGED");
	snprintf(a.out, sizeof(a.out), "%s:2", file_a);
	assert_says(a, a.out);
	a.set.accept_new = true;
	assert_int_equal(attempt_run(&a), ERR_HOSTKEY);
	assert_says(a, "CHANGED");
}

static void revoked_host(void **state)
{
	struct attempt a = attempt_default();

	(void)state;
	write_known(file_a, "< >@revoked * >");
	a.set.known_hosts = file_a;
	a.set.accept_new = true;
	assert_int_equal(attempt_run(&a), ERR_HOSTKEY);
	assert_says(a, "REVOKED");
}

static void known_in_other_ways(void **state)
{
	static const char *const forms[] = {
		"x,<,y >",
		"[127.0.0.*]:* >",
		"127.0.0.1 >", /* without the port */
		"@cert-authority * >\n\n# c\n < >",
		"< ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAAAAQ==\n< >",
	};
	struct attempt a = attempt_default();

	(void)state;
	a.set.known_hosts = file_a;
	for (size_t i = 0; i < ARRAY_LEN(forms); i++) {
		write_known(file_a, forms[i]);
		assert_connects(&a);
	}
	write_known(file_a, "[127.0.0.*]:*,!< >");
	assert_int_equal(attempt_run(&a), ERR_HOSTKEY);
}

static void hashed_host(void **state)
{
	struct attempt a = attempt_default();
	const char *argv[] = {"ssh-keygen", "-H", "-f", file_a, NULL};
	char text[1200];

	(void)state;
	write_known(file_a, "< >");
	assert_true(sshd_run(argv));
	read_text(file_a, text, sizeof(text));
	assert_true(strncmp(text, "|1|", 3) == 0);
	a.set.known_hosts = file_a;
	assert_connects(&a);
}

/* ---- options, proxies ---- */

static void write_config(const char *format, const char *a, unsigned b, const char *c)
{
	char text[1024];

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	snprintf(text, sizeof(text), format, a, b, c);
#pragma GCC diagnostic pop
	assert_true(sshd_write_file(file_b, text));
}

static void alias_by_config(void **state)
{
	struct attempt a = attempt_default();

	(void)state;
	write_config("Host gpu-alias\n HostName %s\n Port %u\n IdentityFile %s\n"
		     " HostKeyAlias k\n StrictHostKeyChecking accept-new\n"
		     " UserKnownHostsFile /tmp/hp-none/%%h %%d/none\n",
		"127.0.0.1", server.port, server.identity);
	a.set = (struct ssh_settings){
		.config_file = file_b, .use_ssh_g = true, .known_hosts = file_a};
	unlink(file_a);
	a.host = "gpu-alias";
	a.port = 0;
	assert_connects(&a);
	read_text(file_a, a.out, sizeof(a.out));
	assert_true(strncmp(a.out, "k ssh-ed25519 ", 14) == 0);
}

static void broken_config(void **state)
{
	struct attempt a = attempt_default();

	(void)state;
	write_config("Host %s\n Prot %u%s\n", "*", 1, "");
	a.set.config_file = file_b;
	a.set.use_ssh_g = true;
	assert_int_equal(attempt_run(&a), ERR_USAGE);
	assert_says(a, "ssh -G");
}

static void proxy_command(void **state)
{
	struct attempt a = attempt_default();

	(void)state;
	write_config("Host *\n ProxyCommand bash -c 'exec 3<>/dev/tcp/%%h/%%p; cat <&3 & cat "
		     ">&3'%s%.0u%s\n",
		"", 0, "");
	a.set.config_file = file_b;
	a.set.use_ssh_g = true;
	assert_connects(&a);
	write_config("Host *\n ProxyCommand sh -c 'echo no route to %%h >&2; exit 1'%s%.0u%s\n", "",
		0, "");
	assert_int_equal(attempt_run(&a), ERR_NET);
	assert_says(a, "no route to 127.0.0.1");
}

static void proxy_jump(void **state)
{
	struct attempt a = attempt_default();

	(void)state;
	write_config("Host target\n HostName 127.0.0.1\n ProxyJump jump\n"
		     "Host jump\n HostName %s\n Port %u\n IdentityFile %s\n"
		     " UserKnownHostsFile /dev/null\n StrictHostKeyChecking no\n",
		"127.0.0.1", server.port, server.identity);
	a.set.config_file = file_b;
	a.set.use_ssh_g = true;
	a.host = "target";
	assert_connects(&a);
}

/* ---- the network's ways to fail ---- */

/* A listening socket that never accepts, or -1; its port in *port. */
static int listener(uint16_t *port)
{
	struct sockaddr_in sa;
	socklen_t len = sizeof(sa);
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	memset(&sa, 0, sizeof(sa));
	sa.sin_family = AF_INET;
	sa.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	assert_true(fd >= 0 && bind(fd, (struct sockaddr *)&sa, sizeof(sa)) == 0);
	assert_int_equal(listen(fd, 5), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&sa, &len), 0);
	*port = ntohs(sa.sin_port);
	return fd;
}

static void refused_and_silent(void **state)
{
	struct attempt a = attempt_default();
	int fd = listener(&a.port);

	(void)state;
	a.set.connect_timeout_ms = 300;
	int64_t before = clock_mono_ms();

	assert_int_equal(attempt_run(&a), ERR_TIMEOUT);
	assert_true(clock_mono_ms() - before < 8000);
	assert_says(a, "key exchange: no answer within 0.3 s");
	close(fd);
	assert_int_equal(attempt_run(&a), ERR_NET);
	assert_says(a, "connect to 127.0.0.1 port");
	assert_says(a, "refused");
}

static void name_without_address(void **state)
{
	struct attempt a = attempt_default();

	(void)state;
	a.host = "no-such-host.invalid";
	a.set.connect_timeout_ms = 5000;
	enum err_code rc = attempt_run(&a);

	assert_true(rc == ERR_NET || rc == ERR_TIMEOUT);
	assert_says(a, "resol");
	/* Given up in the middle of the look-up: its thread cleans up after us. */
	struct ssh_context *c = ssh_context_new(&a.set);
	struct err e = ERR_INIT;
	struct transport *t = ssh_transport_new(c, a.host, NULL, 0, clock_mono_ms(), &e);

	assert_int_equal(t->ops->step(t, clock_mono_ms(), &e), ERR_AGAIN);
	t->ops->free(t);
	ssh_context_free(c);
}

/* A server that floods us before any SSH greeting must cost a bounded time. */
static void greeting_without_end(void **state)
{
	struct attempt a = attempt_default();

	(void)state;
	write_config("Host *\n ProxyCommand yes 'welcome to this fine host'%s%.0u%s\n", "", 0, "");
	a.set.config_file = file_b;
	a.set.use_ssh_g = true;
	a.set.connect_timeout_ms = 5000;
	assert_int_equal(attempt_run(&a), ERR_PROTO);
	assert_says(a, "no SSH greeting");
}

static void closes_at_once(void **state)
{
	struct attempt a = attempt_default();

	(void)state;
	write_config("Host *\n ProxyCommand true%s%.0u%s\n", "", 0, "");
	a.set.config_file = file_b;
	a.set.use_ssh_g = true;
	assert_int_equal(attempt_run(&a), ERR_NET);
	assert_says(a, "closed the connection");
}

/* Freed in each state that it passes through: no leak, no wait. */
static void freed_in_mid_connection(void **state)
{
	struct attempt a = attempt_default();
	struct err e = ERR_INIT;

	(void)state;
	for (int steps = 0; steps < 12; steps += 2) {
		struct ssh_context *c = ssh_context_new(&a.set);
		struct transport *t =
			ssh_transport_new(c, a.host, NULL, a.port, clock_mono_ms(), &e);

		for (int i = 0; i < steps; i++) {
			if (t->ops->step(t, clock_mono_ms(), &e) != ERR_AGAIN)
				break;
			usleep(3000);
		}
		int64_t before = clock_mono_ms();

		t->ops->free(t);
		ssh_context_free(c);
		assert_true(clock_mono_ms() - before < 5000);
	}
}

/*
 * libssh2 1.10 loses two numbers for each ECDSA key file it reads. To say so, the
 * leak checker has to see through libraries that keep no frame pointer.
 */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "fast_unwind_on_malloc=0";
}

const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
	/*
	 * The second: a session freed in the middle of a key exchange keeps some tens
	 * of bytes of it in libssh2 1.10, whatever is called; it depends on the moment.
	 */
	return "leak:libssh2_userauth_publickey_fromfile_ex\n"
	       "leak:libssh2_session_handshake\n";
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(good_key),
		cmocka_unit_test(wrong_key),
		cmocka_unit_test(encrypted_key),
		cmocka_unit_test(missing_and_open_key),
		cmocka_unit_test(ecdsa_key),
		cmocka_unit_test(rsa_key),
		cmocka_unit_test(agent_key),
		cmocka_unit_test(unknown_host),
		cmocka_unit_test(accept_new),
		cmocka_unit_test(changed_host),
		cmocka_unit_test(revoked_host),
		cmocka_unit_test(known_in_other_ways),
		cmocka_unit_test(hashed_host),
		cmocka_unit_test(alias_by_config),
		cmocka_unit_test(broken_config),
		cmocka_unit_test(proxy_command),
		cmocka_unit_test(proxy_jump),
		cmocka_unit_test(refused_and_silent),
		cmocka_unit_test(name_without_address),
		cmocka_unit_test(greeting_without_end),
		cmocka_unit_test(closes_at_once),
		cmocka_unit_test(freed_in_mid_connection),
	};
	const char *why = sshd_unavailable();
	struct err e = ERR_INIT;

	unsetenv("SSH_AUTH_SOCK");
	if (why || ssh_global_init(&e)) {
		printf("SKIP test_ssh_sshd: %s%s\n", why ? why : "", e.msg);
		return 0;
	}
	if (!sshd_start(&server, NULL))
		return 1;
	sshd_path(&server, "a", file_a, sizeof(file_a));
	sshd_path(&server, "b", file_b, sizeof(file_b));
	int rc = cmocka_run_group_tests(tests, NULL, NULL);

	sshd_stop(&server);
	ssh_global_release();
	return rc;
}
