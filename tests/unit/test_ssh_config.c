#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "collectors/ssh_config.h"
#include "collectors/ssh_options.h"
#include "collectors/ssh_pattern.h"
#include "collectors/ssh_proxy.h"

static struct ssh_config scan(const char *text)
{
	struct ssh_config c = SSH_CONFIG_INIT;

	ssh_config_scan(&c, span_of(text), "/nonexistent", "/nonexistent", 0);
	return c;
}

/* True when the two hosts are in one class, so that one run of ssh serves both. */
static bool shared(const char *text, const char *a, const char *b)
{
	struct ssh_config c = scan(text);
	char *ca = ssh_config_class(&c, a);
	char *cb = ssh_config_class(&c, b);
	bool same = strcmp(ca, cb) == 0;

	free(ca);
	free(cb);
	ssh_config_release(&c);
	return same;
}

static void harmless_files_need_no_ssh(void **state)
{
	struct ssh_config c = scan("# c\n\nHost *\n    SendEnv LANG LC_*\n  HashKnownHosts yes\r\n"
				   "\tGSSAPIAuthentication=yes\nCIPHERS = aes128-ctr\n");

	(void)state;
	assert_false(c.matters);
	assert_true(c.hash_known_hosts);
	ssh_config_release(&c);
	c = scan("Host *\nUser ubuntu\n");
	assert_true(c.matters);
	ssh_config_release(&c);
	c = scan("Include %d/x\n");
	assert_true(c.matters && c.per_host);
	ssh_config_release(&c);
}

static void classes(void **state)
{
	static const struct {
		const char *text;
		bool same; /* ip-1 and ip-2 */
	} cases[] = {
		{"Host ip-*\n User u\n ProxyJump b\nHost b\n HostName 1.2.3.4\n", true},
		{"Host ip-1\n User u\n", false}, {"Host * !ip-1\n User u\n", false},
		{"Host ip-?\n HostName %h.example\n", false}, {"HostName x\nUser u\n", false},
		{"User u\nMatch exec true\n User v\n", false},
		{"Match host ip-1\n User v\n", false},
		{"CanonicalizeHostname yes\nUser u\n", false}, {"Host \"ip-1\" x\nUser u\n", false},
		{"Match host ip-1\n SendEnv X\n", true}, /* nothing in it that we use */
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		if (shared(cases[i].text, "ip-1", "ip-2") != cases[i].same)
			fail_msg("%s", cases[i].text);
}

static void patterns(void **state)
{
	static const struct {
		const char *list;
		const char *name;
		bool match;
	} cases[] = {
		{"*", "a", true},
		{"a?c", "abc", true},
		{"a?c", "ac", false},
		{"*.b.*c", "x.b.bc", true},
		{"A*", "abc", true},
		{"a !ab", "ab", false},
		{"!ab *", "ab", false},
		{"!ab", "x", false},
		{"", "x", false},
		{"*a*a*a*a*a*a*a*b", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", false},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		if (ssh_pattern_list_match(span_of(cases[i].list), " ", cases[i].name) !=
			cases[i].match)
			fail_msg("%s on %s", cases[i].list, cases[i].name);
}

static const char printed[] =
	"host a\r\nuser ubuntu\nhostname node.example\nport 2222\naddressfamily inet6\n"
	"identitiesonly yes\nstricthostkeychecking accept-new\nhashknownhosts yes\n"
	"identityfile ~/.ssh/%r\nidentityfile %d/k\nhostkeyalias al-%n\nproxycommand nc %h %p %%\n"
	"userknownhostsfile /a /b\nglobalknownhostsfile none\nconnecttimeout 7\nidentityagent "
	"none\n"
	"nonsense\nport 99999\n\xff\xfe \x01\n";

static void options_of_ssh_g(void **state)
{
	struct ssh_options o;
	struct ssh_options f = {0};
	struct ssh_identity id = {"n1", "/home/me", "me", "box.local"};
	struct err e = ERR_INIT;

	(void)state;
	ssh_options_default(&o);
	ssh_options_parse(&o, span_of(printed));
	assert_int_equal(ssh_options_fill(&f, &o, &id, &e), ERR_OK);
	assert_string_equal(f.hostname, "node.example");
	assert_string_equal(f.user, "ubuntu");
	assert_int_equal(f.port, 2222);
	assert_int_equal(f.family, AF_INET6);
	assert_true(f.identities_only && f.hash_known_hosts);
	assert_int_equal(f.strict, SSH_STRICT_ACCEPT_NEW);
	assert_int_equal(f.identity_files.n, 2);
	assert_string_equal(f.identity_files.items[0], "/home/me/.ssh/ubuntu");
	assert_string_equal(f.identity_files.items[1], "/home/me/k");
	assert_string_equal(f.host_key_alias, "al-n1");
	assert_string_equal(f.proxy_command, "nc node.example 2222 %");
	assert_int_equal(f.user_known_hosts.n, 2);
	assert_int_equal(f.global_known_hosts.n, 0);
	assert_int_equal(f.connect_timeout_ms, 7000);
	assert_null(f.identity_agent);
	ssh_options_release(&f);
	free(o.proxy_command);
	o.proxy_command = strdup("nc %Z");
	assert_int_equal(ssh_options_fill(&f, &o, &id, &e), ERR_USAGE);
	assert_non_null(strstr(e.msg, "nc %Z"));
	ssh_options_release(&o);
}

static void names(void **state)
{
	(void)state;
	assert_true(ssh_options_name_ok("ip-10-1-2-3.ec2.internal"));
	assert_true(ssh_options_name_ok("fe80::1%eth0"));
	assert_false(ssh_options_name_ok("-oProxyCommand=x"));
	assert_false(ssh_options_name_ok("a b"));
	assert_false(ssh_options_name_ok("a;b"));
	assert_false(ssh_options_name_ok("a`b`"));
	assert_false(ssh_options_name_ok(""));
}

static void jumps(void **state)
{
	static const struct {
		const char *jump;
		const char *parts; /* user|host|port, NULL: refused */
	} cases[] = {
		{"b", "|b|"},
		{"u@b:22", "u|b|22"},
		{"ssh://u@b:22", "u|b|22"},
		{"[fe80::1]:2", "|fe80::1|2"},
		{"fe80::1", "|fe80::1|"},
		{"-x", NULL},
		{"u@", NULL},
		{"a;b", NULL},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		char u[64];
		char h[64];
		char p[8];
		char all[160];
		bool ok = ssh_proxy_split_jump(
			span_of(cases[i].jump), u, sizeof(u), h, sizeof(h), p, sizeof(p));

		assert_int_equal(ok, cases[i].parts != NULL);
		if (!ok)
			continue;
		snprintf(all, sizeof(all), "%s|%s|%s", u, h, p);
		assert_string_equal(all, cases[i].parts);
	}
}

/* 256 hosts under one pattern: one run of ssh, whose answer serves all. */
static void one_run_serves_a_class(void **state)
{
	const char *path = "/tmp/hp-test-ssh-config";
	FILE *f = fopen(path, "we");
	struct ssh_settings set = {.config_file = path, .use_ssh_g = true};
	struct err e = ERR_INIT;

	(void)state;
	assert_non_null(f);
	fputs("Host ip-*\n User fleet\n Port 2022\n", f);
	fclose(f);
	struct ssh_resolver *r = ssh_resolver_new(&set);

	for (int i = 0; i < 256; i++) {
		char host[16];
		struct ssh_options o = {0};
		enum err_code rc;

		snprintf(host, sizeof(host), "ip-%d", i);
		struct ssh_query *q = ssh_options_ask(r, host, NULL, 0);

		while ((rc = ssh_options_step(r, q, host, NULL, 0, &o, &e)) == ERR_AGAIN)
			continue;
		assert_int_equal(rc, ERR_OK);
		assert_string_equal(o.hostname, host);
		if (ssh_resolver_runs(r)) /* none where ssh is not installed */
			assert_int_equal(o.port, 2022);
		ssh_options_release(&o);
	}
	assert_true(ssh_resolver_runs(r) <= 1);
	ssh_resolver_free(r);
	remove(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(harmless_files_need_no_ssh),
		cmocka_unit_test(classes),
		cmocka_unit_test(patterns),
		cmocka_unit_test(options_of_ssh_g),
		cmocka_unit_test(names),
		cmocka_unit_test(jumps),
		cmocka_unit_test(one_run_serves_a_class),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
