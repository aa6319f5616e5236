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

#include "collectors/compiler.h"
#include "tui/args.h"
#include "tui/cli.h"
#include "tui/config.h"

#define ALL                                                                                       \
	(CLI_GROUP_SOURCE | CLI_GROUP_REACH | CLI_GROUP_RULES | CLI_GROUP_SHOW | CLI_GROUP_LIVE | \
		CLI_GROUP_PAIRS)

static char config_home[] = "/tmp/hp-test-cli.XXXXXX";
static char config_file[128];

static void write_config(const char *text)
{
	FILE *f = fopen(config_file, "w");

	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

static int no_config(void **state)
{
	(void)state;
	unlink(config_file);
	for (size_t i = 0; cli_setting_name(i); i++) {
		char name[80] = "HYPERPOD_PERF_";
		size_t n = strlen(name);

		for (const char *p = cli_setting_name(i); *p; p++)
			name[n++] = *p == '-' ? '_' : (char)(*p - 'a' + 'A');
		name[n] = '\0';
		unsetenv(name);
	}
	return 0;
}

/* ---- the generic reader ---- */

enum { KEY_ALPHA, KEY_BETA, KEY_GAMMA };

static const struct args_option letters[] = {
	{"alpha", 'a', false, KEY_ALPHA, NULL, "a flag"},
	{"beta", 'b', false, KEY_BETA, "FILE", "a value"},
	{"gamma", 0, true, KEY_GAMMA, "NAME", "a value that may be left out"},
	{.name = NULL},
};
static const struct args_group letter_groups[] = {{"Letters", letters}, {NULL, NULL}};

/* The whole line as "alpha beta=x [word]", or the error after "!". */
static void reads_as(const char *line, const char *want)
{
	char copy[256];
	char got[512] = "";
	char *argv[32] = {NULL};
	int argc = 1;
	struct args a;
	const struct args_option *opt = NULL;
	const char *value = NULL;
	struct err e = ERR_INIT;
	enum args_event event;
	static char program[] = "x";

	argv[0] = program;
	snprintf(copy, sizeof(copy), "%s", line);
	for (char *p = copy; *p && argc < 31;) {
		argv[argc++] = p;
		p += strcspn(p, " ");
		if (*p)
			*p++ = '\0';
	}
	args_init(&a, argc, argv, letter_groups);
	while ((event = args_next(&a, &opt, &value, &e)) != ARGS_END) {
		size_t n = strlen(got);

		if (event == ARGS_ERROR) {
			snprintf(got + n, sizeof(got) - n, "!%s", e.msg);
			break;
		}
		if (event == ARGS_WORD)
			snprintf(got + n, sizeof(got) - n, "[%s] ", value);
		else
			snprintf(got + n, sizeof(got) - n, "%s%s%s ", opt->name, value ? "=" : "",
				value ? value : "");
	}
	assert_string_equal(got, want);
}

static void test_args(void **state)
{
	(void)state;
	reads_as("", "");
	reads_as("--alpha one --beta two three", "alpha [one] beta=two [three] ");
	reads_as("--beta=two=x", "beta=two=x ");
	reads_as("--beta= y", "beta= [y] ");
	reads_as("-ab two", "alpha beta=two ");
	reads_as("-abtwo", "alpha beta=two ");
	reads_as("-aab=two", "alpha alpha beta=two ");
	reads_as("--gamma one --gamma=two", "gamma [one] gamma=two ");
	reads_as("- -- --alpha -b", "[-] [--alpha] [-b] ");
	reads_as("--alpha=1", "!--alpha: takes no value (leave out \"=1\")");
	reads_as("--beta", "!--beta: needs a value (--beta FILE)");
	reads_as("-b", "!-b: needs a value (-b FILE)");
	reads_as("--alhpa", "!--alhpa: unknown option (did you mean --alpha?)");
	reads_as("--zzzzzzzz", "!--zzzzzzzz: unknown option (--help lists them)");
	reads_as("-az", "alpha !-z: unknown option (--help lists them)");
	reads_as("--alph", "!--alph: unknown option (did you mean --alpha?)");
}

static void test_distance(void **state)
{
	static const struct {
		const char *a;
		const char *b;
		size_t want;
	} cases[] = {{"", "", 0}, {"", "abc", 3}, {"abc", "abc", 0}, {"abc", "acb", 1},
		{"abc", "ab", 1}, {"abc", "xbc", 1}, {"kitten", "sitting", 3}, {"ab", "ba", 1}};
	static const char *const names[] = {"snapshot", "parse", "probe", "rules", "doctor"};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		assert_int_equal(args_distance(cases[i].a, cases[i].b), cases[i].want);
		assert_int_equal(args_distance(cases[i].b, cases[i].a), cases[i].want);
	}
	assert_string_equal(args_suggest("snapshto", names, ARRAY_LEN(names)), "snapshot");
	assert_string_equal(args_suggest("snap", names, ARRAY_LEN(names)), "snapshot");
	assert_string_equal(args_suggest("prase", names, ARRAY_LEN(names)), "parse");
	assert_null(args_suggest("xyzzy", names, ARRAY_LEN(names)));
	assert_null(args_suggest("", names, 0));
}

static void test_wrap(void **state)
{
	struct buf b = BUF_INIT(4096);

	(void)state;
	assert_int_equal(args_wrap(&b, "aaa bbb  ccc", 0, 2, 7), ERR_OK);
	assert_string_equal(buf_str(&b), "aaa bbb\n  ccc");
	buf_reset(&b);
	assert_int_equal(args_wrap(&b, "\xc3\xa9\xc3\xa9\xc3\xa9 bbb", 0, 2, 7), ERR_OK);
	assert_string_equal(buf_str(&b), "\xc3\xa9\xc3\xa9\xc3\xa9 bbb");
	buf_reset(&b);
	assert_int_equal(args_wrap(&b, "one-very-long-word x", 0, 2, 5), ERR_OK);
	assert_string_equal(buf_str(&b), "one-very-long-word\n  x");
	buf_reset(&b);
	assert_int_equal(args_wrap(&b, "a\n\nb", 0, 0, 20), ERR_OK);
	assert_string_equal(buf_str(&b), "a\n\nb");
	buf_release(&b);
}

/* ---- settings ---- */

/* Reads a line (words separated by blanks) with all groups; fails when it must not. */
static enum err_code read_line(struct cli *c, const char *line, struct err *e)
{
	static char copy[512];
	static char program[] = "x";
	char *argv[32] = {program};
	struct args_group groups[CLI_GROUPS_MAX];
	int argc = 1;

	snprintf(copy, sizeof(copy), "%s", line);
	for (char *p = copy; *p && argc < 31;) {
		argv[argc++] = p;
		p += strcspn(p, " ");
		if (*p)
			*p++ = '\0';
	}
	cli_init(c);
	cli_groups(groups, ALL, NULL, NULL);
	return cli_parse(c, argc, argv, groups, NULL, NULL, e);
}

static void accepts(struct cli *c, const char *line)
{
	struct err e = ERR_INIT;

	if (read_line(c, line, &e))
		fail_msg("%s: %s", line, e.msg);
}

static void refuses(const char *line, const char *says)
{
	struct cli c;
	struct err e = ERR_INIT;

	assert_int_equal(read_line(&c, line, &e), ERR_USAGE);
	if (!strstr(e.msg, says))
		fail_msg("%s: \"%s\" does not say \"%s\"", line, e.msg, says);
	cli_release(&c);
}

static void test_options(void **state)
{
	struct cli c;

	(void)state;
	accepts(&c,
		"--host a --host b[1-2]:22 -i k -F cfg --accept-new --port 2222 -vv --timeout 2.5");
	assert_int_equal(c.source, CLI_HOST);
	assert_int_equal(c.host.n, 2);
	assert_string_equal(c.host.item[1], "b[1-2]:22");
	assert_string_equal(c.identity, "k");
	assert_string_equal(c.ssh_config, "cfg");
	assert_true(c.accept_new);
	assert_int_equal(c.port, 2222);
	assert_int_equal(c.verbose, 2);
	assert_true(c.timeout_s > 2.49 && c.timeout_s < 2.51);
	assert_string_equal(c.color, "auto");
	cli_release(&c);
	accepts(&c, "--demo");
	assert_int_equal(c.source, CLI_DEMO);
	assert_null(c.demo);
	cli_release(&c);
	accepts(&c, "--demo=quiet --color none --ascii");
	assert_string_equal(c.demo, "quiet");
	assert_string_equal(c.color, "none");
	assert_true(c.ascii);
	cli_release(&c);
	accepts(&c, "--hosts f --exec t");
	assert_int_equal(c.source, CLI_EXEC);
	assert_string_equal(c.hosts, "f");
	cli_release(&c);
	accepts(&c, "--exec t --hosts f");
	assert_int_equal(c.source, CLI_EXEC);
	cli_release(&c);
}

static void test_options_refused(void **state)
{
	(void)state;
	refuses("--demo --host a", "--host: there is a source already: --demo");
	refuses("--raw d --hosts f", "--hosts: there is a source already: --raw");
	refuses("--port 0", "--port: \"0\" is not a number (give 1 to 65535)");
	refuses("--port 65536", "--port");
	refuses("--port 2x", "--port");
	refuses("--port -1", "--port");
	refuses("--timeout 0", "--timeout");
	refuses("--timeout nan", "--timeout");
	refuses("--concurrency 1e3", "--concurrency");
	refuses("--color green", "not a colour mode");
	refuses("--hosts=", "--hosts: empty");
	refuses("--cluster x", "--cluster: not in this version");
	refuses("--slurm", "--slurm: not in this version");
	refuses("--eks", "--eks: not in this version");
	refuses("--replay f", "--replay: not in this version");
	refuses("stray", "stray: not expected here");
}

static void test_layers(void **state)
{
	struct cli c;

	(void)state;
	write_config("{\"port\": 1001, \"user\": \"conf\", \"hosts\": \"~/n.txt\", \"rules\": "
		     "[\"a\", \"b\"], \"ssh_config\": \"sc\", \"ascii\": true, \"timeout\": 2.5}");
	setenv("HOME", "/home/x", 1);
	accepts(&c, "");
	assert_int_equal(c.port, 1001);
	assert_string_equal(c.user, "conf");
	assert_string_equal(c.hosts, "/home/x/n.txt");
	assert_int_equal(c.source, CLI_HOSTS);
	assert_int_equal(c.rules.n, 2);
	assert_string_equal(c.ssh_config, "sc");
	assert_true(c.ascii);
	cli_release(&c);

	setenv("HYPERPOD_PERF_PORT", "1002", 1);
	setenv("HYPERPOD_PERF_SSH_CONFIG", "env", 1);
	setenv("HYPERPOD_PERF_USER", "", 1);
	setenv("HYPERPOD_PERF_ASCII", "no", 1);
	accepts(&c, "");
	assert_int_equal(c.port, 1002);
	assert_string_equal(c.ssh_config, "env");
	assert_string_equal(c.user, "conf");
	assert_false(c.ascii);
	cli_release(&c);

	accepts(&c, "--port 1003 --rules z --demo");
	assert_int_equal(c.port, 1003);
	assert_int_equal(c.rules.n, 1);
	assert_string_equal(c.rules.item[0], "z");
	assert_int_equal(c.source, CLI_DEMO);
	assert_null(c.hosts);
	cli_release(&c);

	setenv("HYPERPOD_PERF_HOST", "h1", 1);
	accepts(&c, "");
	assert_int_equal(c.source, CLI_HOST);
	assert_int_equal(c.host.n, 1);
	cli_release(&c);
	accepts(&c, "--host h2");
	assert_int_equal(c.host.n, 1);
	assert_string_equal(c.host.item[0], "h2");
	cli_release(&c);

	setenv("HYPERPOD_PERF_PORT", "x", 1);
	refuses("", "HYPERPOD_PERF_PORT: \"x\" is not a number");
	setenv("HYPERPOD_PERF_PORT", "1", 1);
	setenv("HYPERPOD_PERF_ACCEPT_NEW", "maybe", 1);
	refuses("", "HYPERPOD_PERF_ACCEPT_NEW: \"maybe\" is neither");
}

static void test_config_refused(void **state)
{
	static const struct {
		const char *text;
		const char *says;
	} cases[] = {
		{"{\"prot\": 1}", "config.json: prot: no such setting (did you mean port?)"},
		{"{\"port\": \"a\"}", "config.json: port: \"a\" is not a number"},
		{"{\"port\": [1]}", "config.json: port: the list holds more than text"},
		{"{\"user\": [\"a\", \"b\"]}", "config.json: user: takes one value"},
		{"{\"user\": {}}", "config.json: user: neither"},
		{"{\"user\": null}", "config.json: user: neither"},
		{"{\"user\": \"\"}", "config.json: user: empty"},
		{"{\"ascii\": \"x\"}", "config.json: ascii"},
		{"{\"hosts\": \"a\", \"raw\": \"b\"}",
			"config.json: raw: there is a source already"},
		{"[1]", "config.json: not a JSON object"},
		{"{\"port\": 1", "config.json:1:"},
		{"", "config.json"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		write_config(cases[i].text);
		refuses("", cases[i].says);
	}
	/* Help must work with a broken configuration. */
	struct cli c;

	accepts(&c, "--help");
	assert_true(c.help);
	cli_release(&c);
}

static void test_config_path(void **state)
{
	char path[128];
	char small[10];

	(void)state;
	setenv("HOME", "/home/x", 1);
	setenv("XDG_CONFIG_HOME", "relative", 1);
	assert_string_equal(
		config_path(path, sizeof(path)), "/home/x/.config/hyperpod-perf/config.json");
	assert_string_equal(config_path(small, sizeof(small)), "");
	unsetenv("XDG_CONFIG_HOME");
	assert_string_equal(
		config_path(path, sizeof(path)), "/home/x/.config/hyperpod-perf/config.json");
	setenv("XDG_CONFIG_HOME", config_home, 1);
}

/* Every option is documented, and says so in at most 80 columns. */
static void test_help(void **state)
{
	struct args_group groups[CLI_GROUPS_MAX];
	struct buf b = BUF_INIT(1 << 20);
	size_t shown = 0;

	(void)state;
	cli_groups(groups, ALL, "Own", letters);
	assert_int_equal(args_help(&b, groups, 80), ERR_OK);
	for (size_t i = 0; cli_setting_name(i); i++, shown++) {
		char option[64];

		snprintf(option, sizeof(option), "--%s", cli_setting_name(i));
		if (!strstr(buf_str(&b), option))
			fail_msg("%s is not in the help", option);
	}
	assert_true(shown > 15);
	assert_null(strstr(buf_str(&b), "--cluster"));
	for (const char *p = buf_str(&b); *p; p += strcspn(p, "\n"), p += *p == '\n')
		assert_true(strcspn(p, "\n") <= 80);
	buf_release(&b);
}

static int set_up(void **state)
{
	char dir[100];

	(void)state;
	assert_non_null(mkdtemp(config_home));
	snprintf(dir, sizeof(dir), "%s/hyperpod-perf", config_home);
	assert_int_equal(mkdir(dir, 0700), 0);
	snprintf(config_file, sizeof(config_file), "%s/config.json", dir);
	setenv("XDG_CONFIG_HOME", config_home, 1);
	return 0;
}

static int tear_down(void **state)
{
	char dir[100];

	(void)state;
	unlink(config_file);
	snprintf(dir, sizeof(dir), "%s/hyperpod-perf", config_home);
	rmdir(dir);
	rmdir(config_home);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_args),
		cmocka_unit_test(test_distance),
		cmocka_unit_test(test_wrap),
		cmocka_unit_test_setup_teardown(test_options, no_config, no_config),
		cmocka_unit_test_setup_teardown(test_options_refused, no_config, no_config),
		cmocka_unit_test_setup_teardown(test_layers, no_config, no_config),
		cmocka_unit_test_setup_teardown(test_config_refused, no_config, no_config),
		cmocka_unit_test(test_config_path),
		cmocka_unit_test_setup_teardown(test_help, no_config, no_config),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
