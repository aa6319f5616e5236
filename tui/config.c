#include "tui/config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collectors/json.h"

#define CONFIG_MAX (256u << 10)

char *config_path(char *out, size_t size)
{
	const char *base = getenv("XDG_CONFIG_HOME");
	const char *home = getenv("HOME");
	int n = 0;

	/* The XDG base directory specification: relative paths are to be ignored. */
	if (base && base[0] == '/')
		n = snprintf(out, size, "%s/hyperpod-perf/config.json", base);
	else if (home && home[0] == '/')
		n = snprintf(out, size, "%s/.config/hyperpod-perf/config.json", home);
	if (n <= 0 || (size_t)n >= size)
		out[0] = '\0';
	return out;
}

static enum err_code set_value(
	struct cli *c, const char *name, const cJSON *v, const char *where, struct err *e)
{
	char number[40];

	if (cJSON_IsString(v))
		return cli_set(c, CLI_CONFIG, name, v->valuestring, where, e);
	if (cJSON_IsBool(v))
		return cli_set(c, CLI_CONFIG, name, cJSON_IsTrue(v) ? "true" : "false", where, e);
	if (cJSON_IsNumber(v)) {
		snprintf(number, sizeof(number), "%.15g", v->valuedouble);
		return cli_set(c, CLI_CONFIG, name, number, where, e);
	}
	return err_set(e, ERR_USAGE,
		"%s: neither text, number, true, false nor a list (see README)", where);
}

static enum err_code set_key(struct cli *c, const char *path, const cJSON *item, struct err *e)
{
	char name[64];
	char where[256];
	const cJSON *each = NULL;

	snprintf(name, sizeof(name), "%s", item->string);
	for (char *p = name; *p; p++)
		if (*p == '_')
			*p = '-';
	snprintf(where, sizeof(where), "%.180s: %.60s", path, item->string);
	if (!cJSON_IsArray(item))
		return set_value(c, name, item, where, e);
	if (!cli_setting_is_list(name) && cJSON_GetArraySize(item) != 1)
		return err_set(e, ERR_USAGE, "%s: takes one value, not a list (give one)", where);
	cJSON_ArrayForEach(each, item)
	{
		if (!cJSON_IsString(each))
			return err_set(e, ERR_USAGE,
				"%s: the list holds more than text (see README)", where);
		enum err_code rc = cli_set(c, CLI_CONFIG, name, each->valuestring, where, e);

		if (rc)
			return rc;
	}
	return ERR_OK;
}

enum err_code config_read(struct cli *c, const char *path, struct err *e)
{
	cJSON *root = json_read_file(path, CONFIG_MAX, e);
	const cJSON *item = NULL;
	enum err_code rc = ERR_OK;

	if (!root)
		return ERR_USAGE;
	if (!cJSON_IsObject(root))
		rc = err_set(
			e, ERR_USAGE, "%s: not a JSON object (write { \"key\": value })", path);
	else
		cJSON_ArrayForEach(item, root)
		{
			rc = set_key(c, path, item, e);
			if (rc)
				break;
		}
	cJSON_Delete(root);
	return rc;
}

enum err_code config_load(struct cli *c, struct err *e)
{
	char path[4096];

	config_path(path, sizeof(path));
	if (!path[0] || access(path, F_OK) != 0)
		return ERR_OK;
	return config_read(c, path, e);
}
