#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "collectors/source_hosts.h"

static enum err_code parse(struct source **src, const char *text, struct err *e)
{
	*src = source_new(SOURCE_LIVE, "test");
	return source_hosts_parse(*src, "f", span_of(text), e);
}

static void entries(void **state)
{
	struct source *s;
	struct err e = ERR_INIT;

	(void)state;
	enum err_code rc = parse(&s,
		"# all\r\n\r\n"
		"ubuntu@n1:2222 group=w type=p5.48xlarge az=a spine=s leaf=l ultraserver=u "
		"name=one\r\n"
		"n2\t# second\n"
		"  ip-[1-3,7]-[01-02]   group=g#1\n"
		"[fe80::1]:22\nfe80::2\n",
		&e);
	assert_string_equal(e.msg, "");
	assert_int_equal(rc, ERR_OK);
	assert_int_equal(s->n, 12);
	assert_string_equal(s->targets[0].id, "one");
	assert_string_equal(s->targets[0].host, "n1");
	assert_string_equal(s->targets[0].user, "ubuntu");
	assert_int_equal(s->targets[0].port, 2222);
	assert_string_equal(s->targets[0].group, "w");
	assert_string_equal(s->targets[0].instance_type, "p5.48xlarge");
	assert_string_equal(s->targets[0].ultraserver, "u");
	assert_string_equal(s->targets[0].where, "f:3");
	assert_string_equal(s->targets[1].id, "n2");
	assert_null(s->targets[1].group);
	assert_string_equal(s->targets[2].id, "ip-1-01");
	assert_string_equal(s->targets[9].id, "ip-7-02");
	assert_string_equal(s->targets[9].group, "g#1");
	assert_string_equal(s->targets[10].host, "fe80::1");
	assert_int_equal(s->targets[10].port, 22);
	assert_string_equal(s->targets[11].host, "fe80::2");
	source_free(s);
}

static void errors(void **state)
{
	static const struct {
		const char *text;
		const char *says[2];
	} cases[] = {
		{"a\nb\na\n", {"f:3", "f:1"}},
		{"a name=x\nb name=x\n", {"f:2", "f:1"}},
		{"a\n[workers]\nb\n", {"f:2", "not supported"}},
		{"a grp=x\n", {"f:1", "grp=x"}},
		{"a group=\n", {"f:1", "no value"}},
		{"a group=x group=y\n", {"f:1", "twice"}},
		{"a:0\n", {"f:1", "not a port"}},
		{"a:99999\n", {"f:1", "not a port"}},
		{"a:\n", {"f:1", "a:"}},
		{"-oProxyCommand=x\n", {"f:1", "not a host"}},
		{"a;reboot\n", {"f:1", "not a host"}},
		{"x\nn[1-\n", {"f:2", ""}},
		{"n[1-3] name=x\n", {"f:1", "3 nodes"}},
		{"n[1-99999]\n", {"f:1", ""}},
		{"a\x01\n", {"f:1", "control"}},
		{"# nothing\n", {"f", "no node"}},
		{"", {"f", "no node"}},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct source *s;
		struct err e = ERR_INIT;

		assert_int_not_equal(parse(&s, cases[i].text, &e), ERR_OK);
		for (int j = 0; j < 2; j++)
			if (!strstr(e.msg, cases[i].says[j]))
				fail_msg("\"%s\" not in \"%s\"", cases[i].says[j], e.msg);
		source_free(s);
	}
}

static void same_host_other_port(void **state)
{
	struct source *s;
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(parse(&s, "n:2201\nn:2202\nn:2203\n", &e), ERR_OK);
	assert_string_equal(s->targets[0].id, "n");
	assert_string_equal(s->targets[1].id, "n:2202");
	assert_string_equal(s->targets[2].id, "n:2203");
	source_free(s);
	assert_int_equal(parse(&s, "n:2201\nn:2202\nn:2202\n", &e), ERR_USAGE);
	assert_non_null(strstr(e.msg, "f:2"));
	source_free(s);
}

static void many(void **state)
{
	struct source *s;
	struct err e = ERR_INIT;

	(void)state;
	assert_int_equal(parse(&s, "n[1-10000]\n", &e), ERR_OK);
	assert_int_equal(s->n, 10000);
	assert_string_equal(s->targets[9999].id, "n10000");
	source_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(entries),
		cmocka_unit_test(errors),
		cmocka_unit_test(same_host_other_port),
		cmocka_unit_test(many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
