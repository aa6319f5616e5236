#include "rules/rule.h"

#include <stdlib.h>
#include <string.h>

#include "collectors/arena.h"
#include "collectors/json.h"
#include "collectors/xmalloc.h"
#include "rules/catalog_parse.h"

#define FILE_CAP  (1u << 20)
#define ARENA_CAP (4u << 20)
#define RULES_MAX 1000

extern const char embed_catalog_json[];
extern const size_t embed_catalog_json_len;

struct catalog {
	struct rule *rules;
	size_t n;
	size_t cap;
	struct arena arena;
};

const char *severity_name(enum severity s)
{
	static const char *const names[] = {"ok", "info", "concern"};

	return names[s];
}

const char *rule_scope_name(enum rule_scope s)
{
	static const char *const names[] = {"node", "pair", "filesystem", "cluster"};

	return names[s];
}

const char *rule_compare_name(enum rule_compare c)
{
	static const char *const names[] = {
		[COMPARE_GT] = ">",
		[COMPARE_GE] = ">=",
		[COMPARE_LT] = "<",
		[COMPARE_LE] = "<=",
		[COMPARE_EQ] = "==",
		[COMPARE_NE] = "!=",
		[COMPARE_IN] = "in",
		[COMPARE_NOT_IN] = "not_in",
		[COMPARE_DIFFERS] = "differs",
	};

	return names[c];
}

static struct rule *find(struct rule *rules, size_t n, const char *id)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(rules[i].id, id) == 0)
			return &rules[i];
	return NULL;
}

static bool seen_before(const cJSON *entries, const cJSON *entry, const char *id)
{
	for (const cJSON *e = entries->child; e && e != entry; e = e->next) {
		const cJSON *other = cJSON_GetObjectItemCaseSensitive(e, "id");

		if (cJSON_IsString(other) && strcmp(other->valuestring, id) == 0)
			return true;
	}
	return false;
}

/* A copy of the rules with the entries of a file laid over them: nothing half done is kept. */
struct draft {
	struct rule *rules;
	size_t n;
	size_t cap;
};

static enum err_code lay_over(struct draft *d, struct arena *a, const cJSON *entries,
	const char *file, const char *origin, struct err *e)
{
	size_t nth = 0;

	for (const cJSON *entry = entries->child; entry; entry = entry->next) {
		const char *id = catalog_entry_id(entry, file, ++nth, e);

		if (!id)
			return ERR_USAGE;
		if (seen_before(entries, entry, id))
			return err_set(e, ERR_USAGE, "%s: rule %s: id: given twice", file, id);
		struct rule *r = find(d->rules, d->n, id);

		if (!r) {
			if (d->n >= RULES_MAX)
				return err_set(
					e, ERR_TOOBIG, "%s: more than %d rules", file, RULES_MAX);
			xgrow((void **)&d->rules, &d->cap, d->n, sizeof(*d->rules));
			r = &d->rules[d->n++];
			memset(r, 0, sizeof(*r));
		}
		enum err_code rc = catalog_parse_entry(r, entry, file, a, e);

		if (rc == ERR_OK)
			rc = catalog_check_rule(r, file, e);
		if (rc)
			return rc;
		r->origin = origin;
		if (!r->source)
			r->source = origin;
	}
	return ERR_OK;
}

static enum err_code catalog_lay(struct catalog *c, const cJSON *root, const char *file,
	const char *origin_text, struct err *e)
{
	const cJSON *entries = catalog_entries(root, file, e);
	const char *origin = arena_strndup(&c->arena, origin_text, strlen(origin_text));

	if (!entries)
		return ERR_USAGE;
	if (!origin)
		return err_set(e, ERR_TOOBIG, "%s: out of room for texts", file);
	struct draft d = {xcalloc(c->n, sizeof(*c->rules)), c->n, c->n};

	if (c->n)
		memcpy(d.rules, c->rules, c->n * sizeof(*c->rules));
	enum err_code rc = lay_over(&d, &c->arena, entries, file, origin, e);

	if (rc) {
		free(d.rules);
		return rc;
	}
	free(c->rules);
	c->rules = d.rules;
	c->n = d.n;
	c->cap = d.cap;
	return ERR_OK;
}

enum err_code catalog_builtin(struct catalog **out, struct err *e)
{
	struct catalog *c = xcalloc(1, sizeof(*c));
	enum err_code rc = ERR_BUG;

	arena_init(&c->arena, ARENA_CAP);
	cJSON *root = json_parse("catalog.json", embed_catalog_json, embed_catalog_json_len, e);

	if (root)
		rc = catalog_lay(c, root, "catalog.json", "built in", e);
	cJSON_Delete(root);
	if (rc) {
		catalog_free(c);
		if (e)
			e->code = ERR_BUG;
		return ERR_BUG;
	}
	*out = c;
	return ERR_OK;
}

/* Messages and `rules` name the file, not the way to it. */
static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

enum err_code catalog_overlay(struct catalog *c, const char *path, struct err *e)
{
	struct err local = ERR_INIT;
	cJSON *root = json_read_file(path, FILE_CAP, &local);

	if (!root) {
		if (e)
			*e = local;
		return local.code ? local.code : ERR_PARSE;
	}
	enum err_code rc = catalog_lay(c, root, base_name(path), base_name(path), e);

	cJSON_Delete(root);
	return rc;
}

void catalog_free(struct catalog *c)
{
	if (!c)
		return;
	free(c->rules);
	arena_release(&c->arena);
	free(c);
}

size_t catalog_count(const struct catalog *c)
{
	return c->n;
}

const struct rule *catalog_at(const struct catalog *c, size_t i)
{
	return i < c->n ? &c->rules[i] : NULL;
}

const struct rule *catalog_find(const struct catalog *c, const char *id)
{
	return find(c->rules, c->n, id);
}
