/*
 * What the operator asked for: sources and settings, from three layers. An
 * option beats an environment variable, which beats the configuration file.
 * A layer that names a source replaces the source of the layers below it.
 *
 * One table in cli.c gives each setting its option, its variable
 * (HYPERPOD_PERF_ and the option's name in capitals) and its key in the
 * file (the option's name with "_" for "-").
 */
#ifndef TUI_CLI_H
#define TUI_CLI_H

#include <stdbool.h>
#include <stddef.h>

#include "collectors/arena.h"
#include "collectors/collector.h"
#include "collectors/err.h"
#include "collectors/pair_feed.h"
#include "collectors/source.h"
#include "rules/rule.h"
#include "tui/args.h"

/* Most nodes of one source: far above any cluster, low enough to catch a typing error. */
#define CLI_NODES_MAX 16384
/* Most places of benchmark output: as many as a sweep takes. */
#define CLI_PAIRS_MAX 16

enum cli_source { CLI_NO_SOURCE, CLI_DEMO, CLI_HOSTS, CLI_HOST, CLI_EXEC, CLI_RAW };
enum cli_layer { CLI_DEFAULT, CLI_CONFIG, CLI_ENVIRONMENT, CLI_OPTION };

struct cli_list {
	const char **item;
	size_t n;
	size_t cap;
	enum cli_layer layer; /* that filled it; a higher one starts anew */
};

/* Strings belong to the cli, or to argv and the environment. NULL and 0: not given. */
struct cli {
	enum cli_source source;
	enum cli_layer source_layer;
	const char *source_option; /* "--demo", for messages */
	const char *demo;          /* scenario; NULL the default */
	const char *hosts;         /* hosts file; with CLI_EXEC: the nodes' names */
	struct cli_list host;
	const char *exec;
	const char *nodes; /* names for exec, as a host list */
	enum cli_layer nodes_layer;
	const char *raw;

	const char *ssh_config;
	const char *identity;
	const char *known_hosts;
	bool accept_new;
	const char *user;
	unsigned port;

	unsigned concurrency;
	double timeout_s;        /* one step of a connection */
	double answer_timeout_s; /* one answer of a node */
	double interval_s;       /* between fast readings */

	struct cli_list rules;
	const char *log;
	unsigned verbose;
	struct cli_list pairs; /* places of benchmark output: paths, HOST:DIR */
	const char *placement; /* nodes.csv */
	const char *size;
	const char *collective;
	bool in_place;

	bool ascii;
	const char *color; /* "auto", "256", "16", "none"; never NULL after cli_init */

	bool lenient; /* set before cli_parse: a broken configuration file is passed over */
	bool help;
	bool version;
	struct ssh_settings ssh; /* filled by cli_source_new; the source may keep pointing here */
	struct arena strings;
};

void cli_init(struct cli *c);
void cli_release(struct cli *c);

/* Options that commands share; a command names the groups that it takes. */
#define CLI_GROUP_SOURCE 1u /* which nodes */
#define CLI_GROUP_REACH  2u /* how they are reached, how long to wait */
#define CLI_GROUP_RULES  4u
#define CLI_GROUP_SHOW   8u  /* colour, characters */
#define CLI_GROUP_LIVE   16u /* what only a running interface needs */
#define CLI_GROUP_PAIRS  32u /* pairwise bandwidth, watched */

/* Own, six shared, general, later, the end; with room. */
#define CLI_GROUPS_MAX 12

/* The tables for args_init and args_help: own (may be NULL) first. Ends with options == NULL. */
void cli_groups(struct args_group out[CLI_GROUPS_MAX], unsigned shared, const char *own_title,
	const struct args_option *own);

/* Keys of commands' own options start here. */
#define CLI_OWN_KEY 1000

/* What a command does with its own options (opt) and words (opt NULL). ctx: its own. */
typedef enum err_code cli_own_fn(
	void *ctx, const struct args_option *opt, const char *value, struct err *e);

/*
 * Reads configuration, environment, then the command line. own may be NULL when
 * the command has neither words nor options. ERR_USAGE with *e filled. When
 * --help or --version is met, stops and sets c->help or c->version; the lower
 * layers are not read then, so that help works with a broken configuration.
 */
enum err_code cli_parse(struct cli *c, int argc, char **argv, const struct args_group *groups,
	cli_own_fn *own, void *ctx, struct err *e) ATTR_MUST_CHECK;

/* Sets one setting by its option name. where: "--port", "config.json: port" for messages. */
enum err_code cli_set(struct cli *c, enum cli_layer layer, const char *name, const char *value,
	const char *where, struct err *e) ATTR_MUST_CHECK;

/* The i-th setting that may stand in the configuration and the environment; NULL after the last. */
const char *cli_setting_name(size_t i);

/* Whether a setting takes several values. */
bool cli_setting_is_list(const char *name);

/* Every HYPERPOD_PERF_ variable that is set. */
enum err_code cli_read_environment(struct cli *c, struct err *e) ATTR_MUST_CHECK;

/*
 * Makes the source. ERR_USAGE when there is none or its options do not fit
 * together. c must live as long as the source.
 */
enum err_code cli_source_new(struct cli *c, struct source **out, struct err *e) ATTR_MUST_CHECK;

/* A source of the one machine `host`, as ssh or the template of --exec takes it. */
enum err_code cli_source_one(
	struct cli *c, const char *host, struct source **out, struct err *e) ATTR_MUST_CHECK;

/*
 * Which figure stands for a pair, from the words of --size and --collective (NULL not given).
 * ERR_USAGE names the option.
 */
enum err_code cli_pair_select(const char *size, const char *collective, bool in_place,
	struct pair_select *out, struct err *e) ATTR_MUST_CHECK;

/* What a sweep is started with; see tui/sweep.h. */
struct cli_sweep {
	struct pair_feed *feeds[CLI_PAIRS_MAX];
	size_t n; /* 0: no sweep is read */
	struct pair_select select;
	struct fleet *fleet; /* of --placement; NULL none */
};

/*
 * Makes what --pairs and its fellows ask for, and the simulation's own sweep with
 * --demo. ERR_USAGE, ERR_IO or ERR_PARSE; then *out is empty. Whoever takes feeds and
 * fleet out of it sets n to 0 and fleet to NULL.
 */
enum err_code cli_sweep_new(struct cli *c, struct cli_sweep *out, struct err *e) ATTR_MUST_CHECK;
void cli_sweep_release(struct cli_sweep *s);

/* Built-in rules with the overlays of --rules. */
enum err_code cli_catalog_new(
	const struct cli *c, struct catalog **out, struct err *e) ATTR_MUST_CHECK;

void cli_collector_options(const struct cli *c, struct collector_options *out);

/* Opens the log when one was asked for. */
enum err_code cli_open_log(const struct cli *c, struct err *e) ATTR_MUST_CHECK;

/* Leaves only the nodes named by ids or names (host lists); ERR_USAGE lists near names. */
enum err_code cli_source_limit(
	struct source *src, const char *const *lists, size_t n, struct err *e) ATTR_MUST_CHECK;

#endif
