#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "collectors/clock.h"
#include "collectors/exec_template.h"
#include "collectors/exec_transport.h"
#include "collectors/source.h"
#include "collectors/spawn.h"
#include "tests/lib/drive.h"

/* Words joined by '|', or the error's message. */
static const char *words_of(const char *text, const char *host, const char *user, uint16_t port)
{
	static char out[512];
	struct exec_template t = EXEC_TEMPLATE_INIT;
	struct exec_template filled = EXEC_TEMPLATE_INIT;
	struct err e = ERR_INIT;
	size_t used = 0;

	out[0] = '\0';
	if (exec_template_parse(&t, text, &e) ||
		exec_template_fill(&filled, &t, host, user, port, &e))
		snprintf(out, sizeof(out), "%s", e.msg);
	for (size_t i = 0; i < filled.n; i++)
		used += (size_t)snprintf(
			out + used, sizeof(out) - used, "%s%s", i ? "|" : "", filled.words[i]);
	exec_template_release(&filled);
	exec_template_release(&t);
	return out;
}

static void template_words(void **state)
{
	static const struct {
		const char *text;
		const char *words;
	} cases[] = {
		{"kubectl exec -i {node} -- sh -s", "kubectl|exec|-i|n1|--|sh|-s"},
		{"ssh {user}@{host} -p {port}", "ssh|u@n1|-p|22|sh|-s"},
		{"docker exec -i {node}", "docker|exec|-i|n1|sh|-s"},
		{"a 'b c' \"d e\" f\\ g {node} sh", "a|b c|d e|f g|n1|sh"},
		{"a '' \"\" {node} /bin/bash", "a|||n1|/bin/bash"},
		{"a \"x\\\"y\\z\" '\\' {node} dash", "a|x\"y\\z|\\|n1|dash"},
		{"a x{node}y{node} {pod} $HOME `b` sh", "a|xn1yn1|{pod}|$HOME|`b`|sh"},
		{"  a\t{node}\n", "a|n1|sh|-s"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		assert_string_equal(words_of(cases[i].text, "n1", "u", 0), cases[i].words);
}

static void template_errors(void **state)
{
	(void)state;
	assert_non_null(strstr(words_of("kubectl exec pod -- sh", "n", NULL, 0), "no {node}"));
	assert_non_null(strstr(words_of("", "n", NULL, 0), "no {node}"));
	assert_non_null(strstr(words_of("a 'b {node}", "n", NULL, 0), "quote stays open"));
	assert_non_null(strstr(words_of("a {node} \\", "n", NULL, 0), "backslash"));
	assert_non_null(strstr(words_of("{node} sh", "n", NULL, 0), "first word"));
	assert_non_null(strstr(words_of("ssh {user}@{node}", "n", NULL, 0), "no user"));
}

/* A name is one argument at most, whatever it holds. */
static void name_is_no_code(void **state)
{
	(void)state;
	assert_string_equal(words_of("a {node} sh", "x; rm -rf / '\" $(id)", NULL, 0),
		"a|x; rm -rf / '\" $(id)|sh");
	assert_string_equal(words_of("a {node} sh", "{user}", "u", 0), "a|{user}|sh");

	struct source *src = NULL;
	struct err e = ERR_INIT;
	const char *bad[] = {"-oProxyCommand=x", "a;b", "a$(b)", "a b/c"};

	for (size_t i = 0; i < ARRAY_LEN(bad); i++)
		assert_int_equal(source_exec(&src, "ssh {node}", &bad[i], 1, &e), ERR_USAGE);
}

static struct transport *start(const char *script)
{
	const char *argv[] = {"sh", "-c", script, NULL};

	return exec_transport_new(argv);
}

static void talks(void **state)
{
	struct transport *t = start("exec sh -s");
	struct err e = ERR_INIT;
	char out[100];

	(void)state;
	assert_int_equal(drive_connect(t, 5000, &e), ERR_OK);
	assert_int_equal(
		drive_talk(t, "echo one; exit 3\n", NULL, out, sizeof(out), 5000, &e), ERR_OK);
	assert_string_equal(out, "one\n");
	assert_string_equal(e.msg, "sh ended, exit 3");
	t->ops->free(t);
}

static void says_why_it_ended(void **state)
{
	struct transport *t = start("echo noise >&2; echo 'no such pod: gpu7' >&2; exit 1");
	struct err e = ERR_INIT;
	char out[100];

	(void)state;
	assert_int_equal(drive_connect(t, 5000, &e), ERR_OK);
	assert_int_equal(drive_talk(t, "x\n", NULL, out, sizeof(out), 5000, &e), ERR_OK);
	assert_string_equal(e.msg, "sh ended, exit 1: no such pod: gpu7");
	t->ops->free(t);
}

static void missing_program(void **state)
{
	const char *argv[] = {"hp-no-such-program", NULL};
	struct transport *t = exec_transport_new(argv);
	struct source *src = NULL;
	const char *node = "n1";
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(drive_connect(t, 5000, &e), ERR_USAGE);
	assert_non_null(strstr(e.msg, "not found"));
	t->ops->free(t);
	assert_int_equal(source_exec(&src, "hp-no-such-program {node}", &node, 1, &e), ERR_USAGE);
	assert_non_null(strstr(e.msg, "not found"));
}

/* More than the socket's buffers hold, both ways. */
static void large_stream(void **state)
{
	size_t n = 300000;
	char *text = malloc(n + 1);
	char *out = malloc(n + 2);
	struct transport *t = start("exec cat");
	struct err e = ERR_INIT;

	(void)state;
	memset(text, 'x', n);
	text[n - 1] = 'E';
	text[n] = '\0';
	assert_int_equal(drive_connect(t, 5000, &e), ERR_OK);
	assert_int_equal(drive_talk(t, text, "E", out, n + 2, 10000, &e), ERR_OK);
	assert_string_equal(out, text);
	t->ops->free(t);
	free(text);
	free(out);
}

static void nap(long ms)
{
	struct timespec ts = {0, ms * 1000000};

	nanosleep(&ts, NULL);
}

/* A child that ignores TERM: free returns at once, KILL comes by its deadline. */
static void free_never_waits(void **state)
{
	struct transport *t = start("trap '' TERM; echo up; while :; do sleep 1; done");
	struct err e = ERR_INIT;
	char out[10];
	size_t left = 1;

	(void)state;
	assert_int_equal(drive_connect(t, 5000, &e), ERR_OK);
	assert_int_equal(drive_talk(t, "", "up", out, sizeof(out), 5000, &e), ERR_OK);
	int64_t before = clock_mono_ms();

	t->ops->free(t);
	assert_true(clock_mono_ms() - before < 5000);
	assert_int_equal(spawn_reap(clock_mono_ms()), 1);
	for (int i = 0; i < 300 && left; i++) {
		left = spawn_reap(clock_mono_ms() + 3000);
		nap(10);
	}
	assert_int_equal(left, 0);
}

/* Descriptors that whoever started this test left to its children. */
static unsigned inherited(void)
{
	unsigned n = 0;

	for (int fd = 3; fd < 256; fd++) {
		int flags = fcntl(fd, F_GETFD);

		n += flags >= 0 && !(flags & FD_CLOEXEC);
	}
	return n;
}

/* What the child has open, whether it has its own session, and its signals. */
static void child_is_clean(void **state)
{
	struct transport *other = start("exec cat");
	struct transport *t = start("set -- /proc/$$/fd/*; echo $#; ps -o sid= -p $$ | tr -d ' ';"
				    "echo $$; grep SigBlk /proc/$$/status");
	struct err e = ERR_INIT;
	char out[300];
	unsigned fds;
	long sid;
	long pid;
	sigset_t all;
	sigset_t old;

	(void)state;
	assert_int_equal(drive_connect(other, 5000, &e), ERR_OK);
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &old);
	assert_int_equal(drive_connect(t, 5000, &e), ERR_OK);
	sigprocmask(SIG_SETMASK, &old, NULL);
	assert_int_equal(drive_talk(t, "", NULL, out, sizeof(out), 5000, &e), ERR_OK);
	t->ops->free(t);
	other->ops->free(other);
	if (access("/proc/self/fd", R_OK) != 0)
		skip();
	assert_int_equal(sscanf(out, "%u %ld %ld", &fds, &sid, &pid), 3);
	/* The shell may see the descriptor with which it reads the folder. */
	assert_in_range(fds, 3 + inherited(), 4 + inherited());
	assert_int_equal(sid, pid);
	assert_non_null(strstr(out, "SigBlk:\t0000000000000000"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(template_words),
		cmocka_unit_test(template_errors),
		cmocka_unit_test(name_is_no_code),
		cmocka_unit_test(talks),
		cmocka_unit_test(says_why_it_ended),
		cmocka_unit_test(missing_program),
		cmocka_unit_test(large_stream),
		cmocka_unit_test(free_never_waits),
		cmocka_unit_test(child_is_clean),
	};
	int rc = cmocka_run_group_tests(tests, NULL, NULL);

	spawn_release();
	return rc;
}
