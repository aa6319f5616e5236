#include "tui/plan_from.h"

#include <stdlib.h>
#include <string.h>

#include "collectors/json.h"
#include "collectors/xmalloc.h"

/* Half a million pairs, each with its figures. */
#define FROM_MAX ((size_t)256 << 20)

void plan_names_add(struct plan_names *list, const char *name)
{
	xgrow((void **)&list->v, &list->cap, list->n, sizeof(*list->v));
	list->v[list->n++] = name;
}

/* A node is its name, or an object that says its name beside other things. */
static const char *node_name(const cJSON *item)
{
	const cJSON *name = item;

	if (cJSON_IsObject(item)) {
		name = cJSON_GetObjectItemCaseSensitive(item, "node");
		if (!name)
			name = cJSON_GetObjectItemCaseSensitive(item, "name");
	}
	return cJSON_IsString(name) && name->valuestring[0] ? name->valuestring : NULL;
}

/* A pair is two names, or an object with a and b. */
static bool pair_names(const cJSON *item, const char *out[2])
{
	if (cJSON_IsArray(item)) {
		out[0] = node_name(cJSON_GetArrayItem(item, 0));
		out[1] = node_name(cJSON_GetArrayItem(item, 1));
	} else {
		out[0] = node_name(cJSON_GetObjectItemCaseSensitive(item, "a"));
		out[1] = node_name(cJSON_GetObjectItemCaseSensitive(item, "b"));
	}
	return out[0] && out[1] && strcmp(out[0], out[1]) != 0;
}

static enum err_code read_nodes(
	const cJSON *in, const char *key, struct plan_names *out, const char *path, struct err *e)
{
	const cJSON *list = cJSON_GetObjectItemCaseSensitive(in, key);
	const cJSON *item;

	cJSON_ArrayForEach(item, list)
	{
		const char *name = node_name(item);

		if (!name)
			return err_set(e, ERR_PARSE, "%.80s: %s: not a list of nodes", path, key);
		plan_names_add(out, name);
	}
	return ERR_OK;
}

static enum err_code read_pairs(
	const cJSON *in, const char *key, struct plan_names *out, const char *path, struct err *e)
{
	const cJSON *list = cJSON_GetObjectItemCaseSensitive(in, key);
	const cJSON *item;
	const char *two[2];

	cJSON_ArrayForEach(item, list)
	{
		if (!pair_names(item, two))
			return err_set(
				e, ERR_PARSE, "%.80s: %s: not a list of pairs of nodes", path, key);
		plan_names_add(out, two[0]);
		plan_names_add(out, two[1]);
	}
	return ERR_OK;
}

static enum err_code read_root(struct plan_from *f, const char *path, struct err *e)
{
	const cJSON *root = f->root;
	const cJSON *schema = cJSON_GetObjectItemCaseSensitive(root, "schema");
	const cJSON *diagnosis = cJSON_GetObjectItemCaseSensitive(root, "diagnosis");
	enum err_code rc;

	if (!cJSON_IsString(schema) || !cJSON_IsObject(diagnosis) ||
		strncmp(schema->valuestring, "hyperpod-perf/pairs/", 20) != 0)
		return err_set(e, ERR_PARSE,
			"%.80s: not the output of hyperpod-perf pairs --json (its schema and "
			"diagnosis are looked for)",
			path);
	rc = read_nodes(diagnosis, "suspect_nodes", &f->suspects, path, e);
	if (rc == ERR_OK)
		rc = read_nodes(diagnosis, "untested", &f->suspects, path, e);
	if (rc == ERR_OK)
		rc = read_pairs(diagnosis, "suspect_links", &f->links, path, e);
	if (rc == ERR_OK)
		rc = read_pairs(diagnosis, "transient_pairs", &f->links, path, e);
	if (rc == ERR_OK)
		rc = read_pairs(root, "pairs", &f->nodes, path, e);
	f->n_pairs = f->nodes.n / 2;
	if (rc == ERR_OK)
		rc = read_nodes(diagnosis, "untested", &f->nodes, path, e);
	if (rc == ERR_OK && !f->suspects.n && !f->links.n)
		rc = err_set(e, ERR_USAGE,
			"--from %.80s: its diagnosis suspects nobody (nothing to measure again; "
			"--strategy fast measures all)",
			path);
	return rc;
}

enum err_code plan_from_read(struct plan_from *out, const char *path, struct err *e)
{
	enum err_code rc;

	*out = (struct plan_from){.root = json_read_file(path, FROM_MAX, e)};
	if (!out->root)
		return e ? e->code : ERR_PARSE;
	rc = read_root(out, path, e);
	if (rc)
		plan_from_release(out);
	return rc;
}

void plan_from_release(struct plan_from *f)
{
	cJSON_Delete(f->root);
	free(f->nodes.v);
	free(f->suspects.v);
	free(f->links.v);
	*f = (struct plan_from){.root = NULL};
}
