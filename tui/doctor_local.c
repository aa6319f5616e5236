/* doctor.h: this machine, apart from ssh. */
#include "tui/doctor.h"

#include <langinfo.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/resource.h>
#include <unistd.h>

#include "tui/config.h"

/* Per node: the connection, and two more where a proxy or a command sits between. */
#define DESCRIPTORS_PER_NODE 3
#define DESCRIPTORS_OWN      32

void doctor_say(struct doctor *d, enum severity tag, const char *fmt, ...)
{
	char text[1024];
	va_list ap;

	va_start(ap, fmt);
	if (vsnprintf(text, sizeof(text), fmt, ap) < 0)
		text[0] = '\0';
	va_end(ap);
	d->concerns += tag == SEVERITY_CONCERN;
	page_tagged(d->page, tag, "%s", text);
}

static void check_clipboard(struct doctor *d)
{
	const char *tmux = getenv("TMUX");

	if (tmux && *tmux)
		doctor_say(d, SEVERITY_INFO,
			"tmux: to copy through it, `set -g set-clipboard on` and, for the terminal "
			"outside, "
			"`set -as terminal-features ',*:clipboard'` (tmux 3.2 or later)");
	else
		doctor_say(d, SEVERITY_INFO,
			"clipboard: y copies by OSC 52, which your terminal must allow");
}

void doctor_terminal(struct doctor *d, const struct cli *c)
{
	const char *codeset = nl_langinfo(CODESET);
	const char *term = getenv("TERM");
	const char *no_color = getenv("NO_COLOR");

	if (strcasecmp(codeset, "UTF-8") == 0)
		doctor_say(d, SEVERITY_OK, "locale: UTF-8");
	else
		doctor_say(d, c->ascii ? SEVERITY_INFO : SEVERITY_CONCERN,
			"locale: %s is not UTF-8 (export LC_ALL=C.UTF-8, or use --ascii)", codeset);
	if (!term || !*term)
		doctor_say(d, SEVERITY_CONCERN, "TERM: not set (export TERM=xterm-256color)");
	else if (strcmp(term, "dumb") == 0)
		doctor_say(d, SEVERITY_CONCERN,
			"TERM: dumb cannot draw the interface (snapshot works; else set TERM)");
	else
		doctor_say(d, SEVERITY_OK, "TERM: %.60s%s", term,
			strstr(term, "256color") ? ", 256 colours" : "");
	if (no_color && *no_color)
		doctor_say(d, SEVERITY_INFO, "NO_COLOR is set: no colours unless --color says so");
	check_clipboard(d);
}

static void check_descriptors(struct doctor *d, size_t nodes)
{
	struct rlimit limit;
	size_t need = nodes * DESCRIPTORS_PER_NODE + DESCRIPTORS_OWN;

	if (getrlimit(RLIMIT_NOFILE, &limit) != 0) {
		doctor_say(d, SEVERITY_INFO, "file descriptors: the limit cannot be read");
		return;
	}
	unsigned long long have = (unsigned long long)limit.rlim_cur;

	if (limit.rlim_cur == RLIM_INFINITY || have >= need)
		doctor_say(d, SEVERITY_OK, "file descriptors: %llu, enough for %zu nodes",
			limit.rlim_cur == RLIM_INFINITY ? 0 : have,
			nodes ? nodes : (size_t)((have - DESCRIPTORS_OWN) / DESCRIPTORS_PER_NODE));
	else
		doctor_say(d, SEVERITY_CONCERN,
			"file descriptors: %llu may be too few for %zu nodes (ulimit -n %zu)", have,
			nodes, need);
}

static void check_config(struct doctor *d)
{
	char path[4096];
	struct cli scratch;
	struct err e = ERR_INIT;

	if (!*config_path(path, sizeof(path))) {
		doctor_say(
			d, SEVERITY_INFO, "configuration: neither XDG_CONFIG_HOME nor HOME is set");
		return;
	}
	if (access(path, F_OK) != 0) {
		doctor_say(d, SEVERITY_INFO, "configuration: none (%.200s would be read)", path);
		return;
	}
	cli_init(&scratch);
	if (config_read(&scratch, path, &e))
		doctor_say(d, SEVERITY_CONCERN, "configuration: %s", e.msg);
	else
		doctor_say(d, SEVERITY_OK, "configuration: %.200s is valid", path);
	cli_release(&scratch);
}

void doctor_limits(struct doctor *d, const struct cli *c, size_t nodes)
{
	struct catalog *catalog = NULL;
	struct err e = ERR_INIT;

	check_descriptors(d, nodes);
	check_config(d);
	if (cli_catalog_new(c, &catalog, &e)) {
		doctor_say(d, SEVERITY_CONCERN, "rules: %s", e.msg);
		return;
	}
	doctor_say(
		d, SEVERITY_OK, "rules: %zu, %zu from files", catalog_count(catalog), c->rules.n);
	catalog_free(catalog);
}
