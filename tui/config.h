/*
 * The configuration file: one JSON object of settings, read and never written.
 *
 *   { "hosts": "~/cluster/nodes.txt", "user": "ubuntu", "rules": ["site.json"] }
 *
 * Keys are the options' names with "_" for "-"; see cli.h for the order of layers.
 */
#ifndef TUI_CONFIG_H
#define TUI_CONFIG_H

#include "collectors/err.h"
#include "tui/cli.h"

/*
 * $XDG_CONFIG_HOME/hyperpod-perf/config.json, or below ~/.config. Returns out;
 * "" when neither variable gives an absolute place.
 */
char *config_path(char *out, size_t size);

/* Reads that file into c. No file is ERR_OK; errors name file and key. */
enum err_code config_load(struct cli *c, struct err *e) ATTR_MUST_CHECK;

/* The same for a given file, which must be there. */
enum err_code config_read(struct cli *c, const char *path, struct err *e) ATTR_MUST_CHECK;

#endif
