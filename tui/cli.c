#include "tui/cli.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collectors/text.h"
#include "collectors/xmalloc.h"
#include "tui/config.h"

#define STRINGS_MAX (1u << 20)
#define VARIABLE    "HYPERPOD_PERF_"

enum key {
	KEY_DEMO,
	KEY_HOSTS,
	KEY_HOST,
	KEY_EXEC,
	KEY_NODES,
	KEY_RAW,
	KEY_SSH_CONFIG,
	KEY_IDENTITY,
	KEY_KNOWN_HOSTS,
	KEY_ACCEPT_NEW,
	KEY_USER,
	KEY_PORT,
	KEY_CONCURRENCY,
	KEY_TIMEOUT,
	KEY_ANSWER_TIMEOUT,
	KEY_INTERVAL,
	KEY_PAIRS,
	KEY_PLACEMENT,
	KEY_SIZE,
	KEY_COLLECTIVE,
	KEY_IN_PLACE,
	KEY_RULES,
	KEY_LOG,
	KEY_VERBOSE,
	KEY_ASCII,
	KEY_COLOR,
	KEY_SETTINGS, /* how many */
	KEY_HELP,
	KEY_VERSION,
	KEY_LATER
};

static const struct args_option source_options[] = {
	{"demo", 0, true, KEY_DEMO, "SCENARIO", "the simulated cluster inside this program"},
	{"hosts", 0, false, KEY_HOSTS, "FILE",
		"a hosts file: one node or range a line, user@host:port, group=, type="},
	{"host", 0, false, KEY_HOST, "[USER@]HOST[:PORT]",
		"one node, or a range such as gpu[01-16]; may be given again"},
	{"exec", 0, false, KEY_EXEC, "TEMPLATE",
		"a command that gives a shell on {node}, such as 'kubectl exec -i {node} -- sh "
		"-s'; "
		"names from --nodes or --hosts"},
	{"nodes", 0, false, KEY_NODES, "HOSTLIST", "the names for --exec: ip-10-1-[0-3]-[1-64]"},
	{"raw", 0, false, KEY_RAW, "DIR", "captured sections: DIR/<node>/<section>"},
	{.name = NULL},
};

static const struct args_option reach_options[] = {
	{"ssh-config", 'F', false, KEY_SSH_CONFIG, "FILE", "instead of ssh's own configuration"},
	{"identity", 'i', false, KEY_IDENTITY, "FILE", "a private key to try first"},
	{"known-hosts", 0, false, KEY_KNOWN_HOSTS, "FILE", "instead of the configured files"},
	{"accept-new", 0, false, KEY_ACCEPT_NEW, NULL,
		"add unknown host keys; a changed key is refused always"},
	{"user", 0, false, KEY_USER, "NAME", "log in as NAME where nothing else says"},
	{"port", 0, false, KEY_PORT, "N", "connect to port N where nothing else says"},
	{"concurrency", 0, false, KEY_CONCURRENCY, "N", "nodes being connected at once (64)"},
	{"timeout", 0, false, KEY_TIMEOUT, "S", "give up on a step of a connection after S s (10)"},
	{"answer-timeout", 0, false, KEY_ANSWER_TIMEOUT, "S",
		"give up on a node's answer after S s (45)"},
	{"log", 0, false, KEY_LOG, "FILE", "append what happens to FILE"},
	{"verbose", 'v', false, KEY_VERBOSE, NULL, "more in the log"},
	{.name = NULL},
};

static const struct args_option rules_options[] = {
	{"rules", 0, false, KEY_RULES, "FILE", "change or add rules; may be given again"},
	{.name = NULL},
};

static const struct args_option show_options[] = {
	{"ascii", 0, false, KEY_ASCII, NULL, "ASCII characters only"},
	{"color", 0, false, KEY_COLOR, "WHEN", "auto, 256, 16 or none (auto respects NO_COLOR)"},
	{.name = NULL},
};

static const struct args_option live_options[] = {
	{"interval", 0, false, KEY_INTERVAL, "S", "read fast sections every S s (5)"},
	{.name = NULL},
};

static const struct args_option pairs_options[] = {
	{"pairs", 0, false, KEY_PAIRS, "PATH|HOST:DIR",
		"benchmark output to watch: a file, a directory, or one on another machine, "
		"reached over ssh or by --exec; may be given again"},
	{"placement", 0, false, KEY_PLACEMENT, "FILE",
		"where nodes stand: CSV with node,az,spine,leaf,ultraserver,instance_type"},
	{"size", 0, false, KEY_SIZE, "BYTES",
		"the message size to compare, such as 8G (the largest of each run)"},
	{"collective", 0, false, KEY_COLLECTIVE, "NAME",
		"all_reduce, sendrecv ... (the one with the most pairs)"},
	{"in-place", 0, false, KEY_IN_PLACE, NULL, "in-place figures instead of out-of-place"},
	{.name = NULL},
};

static const struct args_option general_options[] = {
	{"help", 'h', false, KEY_HELP, NULL, "this text"},
	{"version", 'V', false, KEY_VERSION, NULL, "the program's version"},
	{.name = NULL},
};

/* Known, so that the message can say what to use instead. */
static const struct args_option later_options[] = {
	{"node-list", 0, false, KEY_NODES, "HOSTLIST", ""},
	{"cluster", 0, false, KEY_LATER, "NAME", ""},
	{"region", 0, false, KEY_LATER, "REGION", ""},
	{"via", 0, false, KEY_LATER, "HOW", ""},
	{"slurm", 0, true, KEY_LATER, "HEADNODE", ""},
	{"eks", 0, true, KEY_LATER, "CONTEXT", ""},
	{"replay", 0, false, KEY_LATER, "FILE", ""},
	{.name = NULL},
};

enum setting_kind {
	SETTING_TEXT,
	SETTING_PATH,
	SETTING_LIST,
	SETTING_FLAG,
	SETTING_COUNT,
	SETTING_SECONDS,
	SETTING_COLOR,
	SETTING_LEVEL /* -v: counted */
};

struct setting {
	const char *name;
	enum setting_kind kind;
	size_t offset;
	double least;
	double most;
	enum cli_source source; /* setting it chooses this source */
};

#define AT(member) offsetof(struct cli, member)

static const struct setting settings[KEY_SETTINGS] = {
	[KEY_DEMO] = {"demo", SETTING_TEXT, AT(demo), 0, 0, CLI_DEMO},
	[KEY_HOSTS] = {"hosts", SETTING_PATH, AT(hosts), 0, 0, CLI_HOSTS},
	[KEY_HOST] = {"host", SETTING_LIST, AT(host), 0, 0, CLI_HOST},
	[KEY_EXEC] = {"exec", SETTING_TEXT, AT(exec), 0, 0, CLI_EXEC},
	[KEY_NODES] = {"nodes", SETTING_TEXT, AT(nodes), 0, 0, CLI_NO_SOURCE},
	[KEY_RAW] = {"raw", SETTING_PATH, AT(raw), 0, 0, CLI_RAW},
	[KEY_SSH_CONFIG] = {"ssh-config", SETTING_PATH, AT(ssh_config), 0, 0, CLI_NO_SOURCE},
	[KEY_IDENTITY] = {"identity", SETTING_PATH, AT(identity), 0, 0, CLI_NO_SOURCE},
	[KEY_KNOWN_HOSTS] = {"known-hosts", SETTING_PATH, AT(known_hosts), 0, 0, CLI_NO_SOURCE},
	[KEY_ACCEPT_NEW] = {"accept-new", SETTING_FLAG, AT(accept_new), 0, 0, CLI_NO_SOURCE},
	[KEY_USER] = {"user", SETTING_TEXT, AT(user), 0, 0, CLI_NO_SOURCE},
	[KEY_PORT] = {"port", SETTING_COUNT, AT(port), 1, 65535, CLI_NO_SOURCE},
	[KEY_CONCURRENCY] = {"concurrency", SETTING_COUNT, AT(concurrency), 1, 4096, CLI_NO_SOURCE},
	[KEY_TIMEOUT] = {"timeout", SETTING_SECONDS, AT(timeout_s), 0.1, 600, CLI_NO_SOURCE},
	[KEY_ANSWER_TIMEOUT] = {"answer-timeout", SETTING_SECONDS, AT(answer_timeout_s), 1, 3600,
		CLI_NO_SOURCE},
	[KEY_INTERVAL] = {"interval", SETTING_SECONDS, AT(interval_s), 1, 3600, CLI_NO_SOURCE},
	[KEY_PAIRS] = {"pairs", SETTING_LIST, AT(pairs), 0, 0, CLI_NO_SOURCE},
	[KEY_PLACEMENT] = {"placement", SETTING_PATH, AT(placement), 0, 0, CLI_NO_SOURCE},
	[KEY_SIZE] = {"size", SETTING_TEXT, AT(size), 0, 0, CLI_NO_SOURCE},
	[KEY_COLLECTIVE] = {"collective", SETTING_TEXT, AT(collective), 0, 0, CLI_NO_SOURCE},
	[KEY_IN_PLACE] = {"in-place", SETTING_FLAG, AT(in_place), 0, 0, CLI_NO_SOURCE},
	[KEY_RULES] = {"rules", SETTING_LIST, AT(rules), 0, 0, CLI_NO_SOURCE},
	[KEY_LOG] = {"log", SETTING_PATH, AT(log), 0, 0, CLI_NO_SOURCE},
	[KEY_VERBOSE] = {"verbose", SETTING_LEVEL, AT(verbose), 0, 3, CLI_NO_SOURCE},
	[KEY_ASCII] = {"ascii", SETTING_FLAG, AT(ascii), 0, 0, CLI_NO_SOURCE},
	[KEY_COLOR] = {"color", SETTING_COLOR, AT(color), 0, 0, CLI_NO_SOURCE},
};

void cli_init(struct cli *c)
{
	*c = (struct cli){.color = "auto", .strings = ARENA_INIT(STRINGS_MAX)};
}

void cli_release(struct cli *c)
{
	free(c->host.item);
	free(c->pairs.item);
	free(c->rules.item);
	arena_release(&c->strings);
	cli_init(c);
}

void cli_groups(struct args_group out[CLI_GROUPS_MAX], unsigned shared, const char *own_title,
	const struct args_option *own)
{
	const struct {
		unsigned bit;
		struct args_group group;
	} all[] = {
		{CLI_GROUP_SOURCE, {"Source, one of", source_options}},
		{CLI_GROUP_REACH, {"Reaching nodes", reach_options}},
		{CLI_GROUP_PAIRS, {"Pairwise bandwidth", pairs_options}},
		{CLI_GROUP_RULES, {"Judging", rules_options}},
		{CLI_GROUP_SHOW, {"Showing", show_options}},
		{CLI_GROUP_LIVE, {"Live", live_options}},
	};
	size_t n = 0;

	if (own)
		out[n++] = (struct args_group){own_title, own};
	for (size_t i = 0; i < ARRAY_LEN(all); i++)
		if (shared & all[i].bit)
			out[n++] = all[i].group;
	out[n++] = (struct args_group){"General", general_options};
	if (shared & CLI_GROUP_SOURCE)
		out[n++] = (struct args_group){NULL, later_options};
	out[n] = (struct args_group){NULL, NULL};
}

const char *cli_setting_name(size_t i)
{
	return i < KEY_SETTINGS ? settings[i].name : NULL;
}

/* ---- one setting ---- */

static enum err_code set_flag(bool *at, const char *value, const char *where, struct err *e)
{
	static const char *const yes[] = {"true", "1", "yes", "on"};
	static const char *const no[] = {"false", "0", "no", "off"};

	for (size_t i = 0; i < ARRAY_LEN(yes); i++) {
		if (span_ieq(span_of(value), yes[i]) || span_ieq(span_of(value), no[i])) {
			*at = span_ieq(span_of(value), yes[i]);
			return ERR_OK;
		}
	}
	return err_set(e, ERR_USAGE, "%s: \"%.40s\" is neither true nor false (give one of them)",
		where, value);
}

static enum err_code set_number(
	const struct setting *s, void *at, const char *value, const char *where, struct err *e)
{
	bool whole = s->kind != SETTING_SECONDS;
	uint64_t count = 0;
	double number = 0;
	bool read = whole ? span_u64(span_of(value), &count) : span_f64(span_of(value), &number);

	if (whole)
		number = (double)count;
	if (!read || number < s->least || number > s->most)
		return err_set(e, ERR_USAGE, "%s: \"%.40s\" is not a %s (give %g to %g)", where,
			value, whole ? "number" : "number of seconds", s->least, s->most);
	if (whole)
		*(unsigned *)at = (unsigned)count;
	else
		*(double *)at = number;
	return ERR_OK;
}

static enum err_code set_color(const char **at, const char *value, const char *where, struct err *e)
{
	static const char *const known[] = {"auto", "256", "16", "none"};

	for (size_t i = 0; i < ARRAY_LEN(known); i++) {
		if (strcmp(value, known[i]) == 0) {
			*at = known[i];
			return ERR_OK;
		}
	}
	return err_set(e, ERR_USAGE,
		"%s: \"%.40s\" is not a colour mode (give auto, 256, 16 or none)", where, value);
}

/* A copy; "~/" of a path means the home directory where no shell has read it. */
static const char *keep_text(struct cli *c, const struct setting *s, enum cli_layer layer,
	const char *value, const char *where, struct err *e)
{
	const char *home = getenv("HOME");
	char path[4096];

	if (!*value) {
		err_set(e, ERR_USAGE, "%s: empty (give a value or leave it out)", where);
		return NULL;
	}
	if (s->kind == SETTING_PATH && layer != CLI_OPTION && home &&
		strncmp(value, "~/", 2) == 0) {
		int n = snprintf(path, sizeof(path), "%s%s", home, value + 1);

		if (n > 0 && (size_t)n < sizeof(path))
			value = path;
	}
	const char *copy = arena_strndup(&c->strings, value, strlen(value));

	if (!copy)
		err_set(e, ERR_TOOBIG, "%s: too long", where);
	return copy;
}

static void list_add(struct cli_list *list, enum cli_layer layer, const char *item)
{
	if (layer > list->layer)
		list->n = 0;
	list->layer = layer;
	xgrow((void **)&list->item, &list->cap, list->n, sizeof(*list->item));
	list->item[list->n++] = item;
}

/* The names of --nodes and a hosts file beside --exec do not compete with it. */
static enum err_code choose_source(struct cli *c, const struct setting *s, enum cli_layer layer,
	const char *where, struct err *e)
{
	bool same_layer = c->source != CLI_NO_SOURCE && c->source_layer == layer;
	bool named = (c->source == CLI_EXEC && s->source == CLI_HOSTS) ||
		     (c->source == CLI_HOSTS && s->source == CLI_EXEC);

	if (s->source == CLI_NO_SOURCE)
		return ERR_OK;
	if (same_layer && c->source != s->source && !named)
		return err_set(e, ERR_USAGE, "%s: there is a source already: %s (give one of them)",
			where, c->source_option);
	if (!same_layer)
		c->demo = c->hosts = c->exec = c->raw = NULL;
	if (!same_layer && layer > c->host.layer)
		c->host.n = 0;
	if (!same_layer || !named || s->source == CLI_EXEC) {
		c->source = s->source;
		c->source_option = arena_strndup(&c->strings, where, strlen(where));
	}
	c->source_layer = layer;
	return ERR_OK;
}

static enum err_code set_one(struct cli *c, const struct setting *s, enum cli_layer layer,
	const char *value, const char *where, struct err *e)
{
	char *at = (char *)c + s->offset;
	const char *text;
	enum err_code rc;

	switch (s->kind) {
	case SETTING_FLAG:
		return value ? set_flag((bool *)at, value, where, e) : (*(bool *)at = true, ERR_OK);
	case SETTING_LEVEL:
		if (!value) {
			++*(unsigned *)at;
			return ERR_OK;
		}
		return set_number(s, at, value, where, e);
	case SETTING_COUNT:
	case SETTING_SECONDS:
		return set_number(s, at, value, where, e);
	case SETTING_COLOR:
		return set_color((const char **)at, value, where, e);
	case SETTING_TEXT:
	case SETTING_PATH:
	case SETTING_LIST:
		break;
	}
	rc = choose_source(c, s, layer, where, e);
	if (rc)
		return rc;
	if (!value) /* --demo alone: the default scenario */
		return ERR_OK;
	text = keep_text(c, s, layer, value, where, e);
	if (!text)
		return ERR_USAGE;
	if (s == &settings[KEY_NODES])
		c->nodes_layer = layer;
	if (s->kind == SETTING_LIST)
		list_add((struct cli_list *)at, layer, text);
	else
		*(const char **)at = text;
	return ERR_OK;
}

enum err_code cli_set(struct cli *c, enum cli_layer layer, const char *name, const char *value,
	const char *where, struct err *e)
{
	const char *names[KEY_SETTINGS];

	for (size_t i = 0; i < KEY_SETTINGS; i++) {
		if (strcmp(settings[i].name, name) == 0)
			return set_one(c, &settings[i], layer, value, where, e);
		names[i] = settings[i].name;
	}
	const char *near = args_suggest(name, names, KEY_SETTINGS);

	if (near)
		return err_set(e, ERR_USAGE, "%s: no such setting (did you mean %s?)", where, near);
	return err_set(e, ERR_USAGE, "%s: no such setting (README lists them)", where);
}

bool cli_setting_is_list(const char *name)
{
	for (size_t i = 0; i < KEY_SETTINGS; i++)
		if (strcmp(settings[i].name, name) == 0)
			return settings[i].kind == SETTING_LIST;
	return false;
}

/* ---- the layers ---- */

enum err_code cli_read_environment(struct cli *c, struct err *e)
{
	for (size_t i = 0; i < KEY_SETTINGS; i++) {
		char name[64] = VARIABLE;
		size_t n = strlen(VARIABLE);

		for (const char *p = settings[i].name; *p && n + 1 < sizeof(name); p++)
			name[n++] = *p == '-' ? '_' : (char)(*p >= 'a' && *p <= 'z' ? *p - 32 : *p);
		name[n] = '\0';
		const char *value = getenv(name);

		if (!value || !*value) /* set but empty: as if not set */
			continue;
		enum err_code rc = cli_set(c, CLI_ENVIRONMENT, settings[i].name, value, name, e);

		if (rc)
			return rc;
	}
	return ERR_OK;
}

static enum err_code later(const struct args_option *opt, struct err *e)
{
	return err_set(e, ERR_USAGE,
		"--%s: not in this version (reach nodes with --hosts, --host or --exec)",
		opt->name);
}

static enum err_code read_option(struct cli *c, const struct args_option *opt, const char *value,
	cli_own_fn *own, void *ctx, struct err *e)
{
	char where[80];

	if (opt->key >= CLI_OWN_KEY)
		return own(ctx, opt, value, e);
	if (opt->key == KEY_LATER)
		return later(opt, e);
	if (opt->key == KEY_HELP || opt->key == KEY_VERSION) {
		*(opt->key == KEY_HELP ? &c->help : &c->version) = true;
		return ERR_OK;
	}
	snprintf(where, sizeof(where), "--%s", opt->name);
	return set_one(c, &settings[opt->key], CLI_OPTION, value, where, e);
}

/* Whether --help or --version stands on the line; other errors are reported by the real pass. */
static bool asks_for_help(struct cli *c, struct args a)
{
	const struct args_option *opt = NULL;
	const char *value = NULL;
	enum args_event event;

	while ((event = args_next(&a, &opt, &value, NULL)) != ARGS_END && event != ARGS_ERROR) {
		if (event != ARGS_OPTION)
			continue;
		c->help |= opt->key == KEY_HELP;
		c->version |= opt->key == KEY_VERSION;
	}
	return c->help || c->version;
}

enum err_code cli_parse(struct cli *c, int argc, char **argv, const struct args_group *groups,
	cli_own_fn *own, void *ctx, struct err *e)
{
	struct args a;
	const struct args_option *opt = NULL;
	const char *value = NULL;

	args_init(&a, argc, argv, groups);
	if (asks_for_help(c, a))
		return ERR_OK;
	enum err_code rc = config_load(c, e);

	if (rc == ERR_OK || c->lenient)
		rc = cli_read_environment(c, e);
	while (rc == ERR_OK) {
		switch (args_next(&a, &opt, &value, e)) {
		case ARGS_END:
			return ERR_OK;
		case ARGS_ERROR:
			return ERR_USAGE;
		case ARGS_OPTION:
			rc = read_option(c, opt, value, own, ctx, e);
			break;
		case ARGS_WORD:
			rc = own ? own(ctx, NULL, value, e)
				 : err_set(e, ERR_USAGE,
					   "%.60s: not expected here (--help shows how)", value);
			break;
		}
	}
	return rc;
}
