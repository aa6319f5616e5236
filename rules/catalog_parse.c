#include "rules/catalog_parse.h"

#include <math.h>
#include <string.h>

#include "collectors/buf.h"
#include "collectors/text.h"
#include "rules/fill.h"
#include "rules/signals.h"

#define FOR_MAX  100
#define TEXT_CAP 2000
/* A label is one of many in a line. */
#define LABEL_CAP 40

struct parse {
	struct rule *rule;
	const char *file;
	const char *id;
	const char *key; /* for messages: "route.owner" */
	struct arena *arena;
	struct err *e;
};

static const char *type_name(const cJSON *v)
{
	if (cJSON_IsString(v))
		return "a string";
	if (cJSON_IsNumber(v))
		return "a number";
	if (cJSON_IsBool(v))
		return "true or false";
	if (cJSON_IsArray(v))
		return "an array";
	if (cJSON_IsObject(v))
		return "an object";
	return "null";
}

static enum err_code wrong_type(const struct parse *p, const char *wanted, const cJSON *got)
{
	return err_set(p->e, ERR_USAGE, "%s: rule %s: %s: must be %s (got %s)", p->file, p->id,
		p->key, wanted, type_name(got));
}

static enum err_code wrong(const struct parse *p, const char *why)
{
	return err_set(p->e, ERR_USAGE, "%s: rule %s: %s: %s", p->file, p->id, p->key, why);
}

static enum err_code take_string(const struct parse *p, const cJSON *v, const char **out)
{
	if (!cJSON_IsString(v))
		return wrong_type(p, "a string", v);
	size_t n = strlen(v->valuestring);

	if (n > TEXT_CAP)
		return wrong(p, "is too long (2000 bytes at most)");
	char shown[TEXT_CAP + 1];

	/* It is shown as it is, and commands are pasted: a line break would run a second one. */
	text_printable(shown, sizeof(shown), v->valuestring, n);
	if (strcmp(shown, v->valuestring) != 0)
		return wrong(p, "holds line breaks, tabs, control or invisible characters");
	char *copy = arena_strndup(p->arena, v->valuestring, n);

	if (!copy)
		return err_set(
			p->e, ERR_TOOBIG, "%s: rule %s: out of room for texts", p->file, p->id);
	*out = copy;
	return ERR_OK;
}

/* Texts with placeholders: one that does not exist is a slip of the pen. */
static enum err_code take_template(const struct parse *p, const cJSON *v, const char **out)
{
	char unknown[64];
	enum err_code rc = take_string(p, v, out);

	if (rc == ERR_OK && fill_find_unknown(*out, unknown, sizeof(unknown)))
		return err_set(p->e, ERR_USAGE, "%s: rule %s: %s: there is no placeholder %s",
			p->file, p->id, p->key, unknown);
	return rc;
}

static enum err_code take_id(struct parse *p, const cJSON *v)
{
	return take_string(p, v, &p->rule->id);
}

static enum err_code take_label(struct parse *p, const cJSON *v)
{
	if (cJSON_IsString(v) && (!v->valuestring[0] || strlen(v->valuestring) > LABEL_CAP))
		return wrong(p, "must be 1 to 40 bytes");
	return take_string(p, v, &p->rule->label);
}

static enum err_code take_scope(struct parse *p, const cJSON *v)
{
	if (!cJSON_IsString(v))
		return wrong_type(p, "a string", v);
	for (int i = SCOPE_NODE; i <= SCOPE_CLUSTER; i++) {
		if (strcmp(v->valuestring, rule_scope_name((enum rule_scope)i)) == 0) {
			p->rule->scope = (enum rule_scope)i;
			return ERR_OK;
		}
	}
	return wrong(p, "must be node, pair, filesystem or cluster");
}

static enum err_code take_signal(struct parse *p, const cJSON *v)
{
	struct signal s;
	enum err_code rc = take_string(p, v, &p->rule->signal);

	if (rc)
		return rc;
	if (!signal_resolve(p->rule->signal, &s))
		return err_set(p->e, ERR_USAGE,
			"%s: rule %s: signal: there is no signal \"%.60s\" (a path such as "
			"gpu.temp_c)",
			p->file, p->id, p->rule->signal);
	return ERR_OK;
}

static enum err_code take_compare(struct parse *p, const cJSON *v)
{
	if (!cJSON_IsString(v))
		return wrong_type(p, "a string", v);
	for (int i = COMPARE_GT; i <= COMPARE_DIFFERS; i++) {
		if (strcmp(v->valuestring, rule_compare_name((enum rule_compare)i)) == 0) {
			p->rule->compare = (enum rule_compare)i;
			return ERR_OK;
		}
	}
	return wrong(p, "must be one of > >= < <= == != in not_in differs");
}

static enum err_code take_list_text(struct parse *p, const cJSON *v)
{
	struct buf b = BUF_INIT(TEXT_CAP);
	enum err_code rc = ERR_OK;

	for (const cJSON *item = v->child; item && rc == ERR_OK; item = item->next) {
		if (!cJSON_IsString(item))
			rc = wrong_type(p, "a list of strings", item);
		else if (strchr(item->valuestring, ','))
			rc = wrong(p, "an entry may hold no comma");
		else if (buf_addf(&b, "%s%s", b.len ? "," : "", item->valuestring))
			rc = wrong(p, "is too long");
	}
	char shown[TEXT_CAP + 1];

	text_printable(shown, sizeof(shown), buf_str(&b), b.len);
	if (rc == ERR_OK && strcmp(shown, buf_str(&b)) != 0)
		rc = wrong(p, "holds line breaks, tabs, control or invisible characters");
	if (rc == ERR_OK) {
		p->rule->threshold_text = arena_strndup(p->arena, buf_str(&b), b.len);
		if (!p->rule->threshold_text)
			rc = err_set(p->e, ERR_TOOBIG, "%s: out of room for texts", p->file);
	}
	buf_release(&b);
	return rc;
}

static enum err_code take_threshold(struct parse *p, const cJSON *v)
{
	if (cJSON_IsNumber(v)) {
		if (!isfinite(v->valuedouble))
			return wrong(p, "is out of range");
		p->rule->threshold = v->valuedouble;
		p->rule->threshold_text = NULL;
		return ERR_OK;
	}
	p->rule->threshold = 0;
	if (cJSON_IsBool(v)) {
		p->rule->threshold = cJSON_IsTrue(v);
		p->rule->threshold_text = cJSON_IsTrue(v) ? "yes" : "no";
		return ERR_OK;
	}
	if (cJSON_IsString(v))
		return take_string(p, v, &p->rule->threshold_text);
	if (cJSON_IsArray(v))
		return take_list_text(p, v);
	return wrong_type(p, "a number, string, list of strings, true or false", v);
}

static enum err_code take_unit(struct parse *p, const cJSON *v)
{
	return take_string(p, v, &p->rule->unit);
}

static enum err_code take_for(struct parse *p, const cJSON *v)
{
	if (!cJSON_IsNumber(v))
		return wrong_type(p, "a number", v);
	if (v->valuedouble < 1 || v->valuedouble > FOR_MAX ||
		v->valuedouble != floor(v->valuedouble))
		return wrong(p, "must be a whole number from 1 to 100");
	p->rule->for_samples = (unsigned)v->valuedouble;
	return ERR_OK;
}

static enum err_code take_severity(struct parse *p, const cJSON *v)
{
	if (!cJSON_IsString(v))
		return wrong_type(p, "a string", v);
	for (int i = SEVERITY_INFO; i <= SEVERITY_CONCERN; i++) {
		if (strcmp(v->valuestring, severity_name((enum severity)i)) == 0) {
			p->rule->severity = (enum severity)i;
			return ERR_OK;
		}
	}
	return wrong(p, "must be info or concern (to silence a rule: \"disabled\": true)");
}

static enum err_code take_section(struct parse *p, const cJSON *v)
{
	enum err_code rc = take_string(p, v, &p->rule->section);

	if (rc == ERR_OK && strcmp(p->rule->section, "A") != 0 &&
		strcmp(p->rule->section, "B") != 0 && p->rule->section[0])
		return wrong(p, "must be \"A\", \"B\" or \"\"");
	return rc;
}

static enum err_code take_route(struct parse *p, const cJSON *v)
{
	if (!cJSON_IsObject(v))
		return wrong_type(p, "an object", v);
	for (const cJSON *k = v->child; k; k = k->next) {
		enum err_code rc;

		if (strcmp(k->string, "owner") == 0) {
			p->key = "route.owner";
			rc = take_string(p, k, &p->rule->owner);
		} else if (strcmp(k->string, "section") == 0) {
			p->key = "route.section";
			rc = take_string(p, k, &p->rule->owner_section);
		} else {
			rc = err_set(p->e, ERR_USAGE,
				"%s: rule %s: route: unknown key \"%.40s\" (owner, section)",
				p->file, p->id, k->string);
		}
		if (rc)
			return rc;
	}
	return ERR_OK;
}

static enum err_code take_title(struct parse *p, const cJSON *v)
{
	return take_template(p, v, &p->rule->title);
}

static enum err_code take_why(struct parse *p, const cJSON *v)
{
	return take_template(p, v, &p->rule->why);
}

static enum err_code take_source(struct parse *p, const cJSON *v)
{
	return take_string(p, v, &p->rule->source);
}

static enum err_code check_list(const struct parse *p, const cJSON *v)
{
	if (!cJSON_IsArray(v))
		return wrong_type(p, "an array", v);
	return cJSON_GetArraySize(v) > RULE_LIST_MAX ? wrong(p, "has more than 8 entries") : ERR_OK;
}

static enum err_code take_checks(struct parse *p, const cJSON *v)
{
	enum err_code rc = check_list(p, v);
	size_t n = 0;

	if (rc)
		return rc;
	memset(p->rule->checks, 0, sizeof(p->rule->checks));
	for (const cJSON *item = v->child; item && rc == ERR_OK; item = item->next)
		rc = take_template(p, item, &p->rule->checks[n++]);
	return rc;
}

/* "text", or {"text": ..., "blast": ...}. */
static enum err_code take_command(struct parse *p, const cJSON *item, size_t n)
{
	if (!cJSON_IsObject(item))
		return take_template(p, item, &p->rule->commands[n]);
	const cJSON *text = cJSON_GetObjectItemCaseSensitive(item, "text");
	const cJSON *blast = cJSON_GetObjectItemCaseSensitive(item, "blast");

	if (!text || cJSON_GetArraySize(item) != 1 + (blast != NULL))
		return wrong(p, "an entry is a string or {\"text\", \"blast\"}");
	enum err_code rc = take_template(p, text, &p->rule->commands[n]);

	return rc || !blast ? rc : take_string(p, blast, &p->rule->blast[n]);
}

static enum err_code take_commands(struct parse *p, const cJSON *v)
{
	enum err_code rc = check_list(p, v);
	size_t n = 0;

	if (rc)
		return rc;
	memset(p->rule->commands, 0, sizeof(p->rule->commands));
	memset(p->rule->blast, 0, sizeof(p->rule->blast));
	for (const cJSON *item = v->child; item && rc == ERR_OK; item = item->next)
		rc = take_command(p, item, n++);
	return rc;
}

static enum err_code take_disabled(struct parse *p, const cJSON *v)
{
	if (!cJSON_IsBool(v))
		return wrong_type(p, "true or false", v);
	p->rule->disabled = cJSON_IsTrue(v);
	return ERR_OK;
}

static const struct {
	const char *key;
	enum err_code (*take)(struct parse *p, const cJSON *v);
} keys[] = {
	{"id", take_id},
	{"label", take_label},
	{"scope", take_scope},
	{"signal", take_signal},
	{"compare", take_compare},
	{"threshold", take_threshold},
	{"unit", take_unit},
	{"for", take_for},
	{"severity", take_severity},
	{"section", take_section},
	{"route", take_route},
	{"title", take_title},
	{"why", take_why},
	{"source", take_source},
	{"checks", take_checks},
	{"commands", take_commands},
	{"disabled", take_disabled},
};

static enum err_code take_key(struct parse *p, const cJSON *v)
{
	for (const cJSON *other = v->next; other; other = other->next)
		if (strcmp(other->string, v->string) == 0)
			return err_set(p->e, ERR_USAGE, "%s: rule %s: %.40s: given twice", p->file,
				p->id, v->string);
	for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
		if (strcmp(keys[i].key, v->string) != 0)
			continue;
		p->key = keys[i].key;
		return keys[i].take(p, v);
	}
	return err_set(
		p->e, ERR_USAGE, "%s: rule %s: unknown key \"%.40s\"", p->file, p->id, v->string);
}

enum err_code catalog_parse_entry(
	struct rule *r, const cJSON *entry, const char *file, struct arena *a, struct err *e)
{
	struct parse p = {r, file, catalog_entry_id(entry, file, 0, e), NULL, a, e};

	if (!p.id)
		return ERR_USAGE;
	for (const cJSON *v = entry->child; v; v = v->next) {
		enum err_code rc = take_key(&p, v);

		if (rc)
			return rc;
	}
	return ERR_OK;
}

const cJSON *catalog_entries(const cJSON *root, const char *file, struct err *e)
{
	if (cJSON_IsArray(root))
		return root;
	const cJSON *rules = cJSON_GetObjectItemCaseSensitive(root, "rules");

	if (cJSON_IsObject(root))
		for (const cJSON *k = root->child; k; k = k->next)
			if (strcmp(k->string, "rules") != 0 && strcmp(k->string, "schema") != 0) {
				err_set(e, ERR_USAGE, "%s: unknown key \"%.40s\" (schema, rules)",
					file, k->string);
				return NULL;
			}
	if (!cJSON_IsArray(rules)) {
		err_set(e, ERR_USAGE, "%s: must be an array of rules, or {\"rules\": [...]}", file);
		return NULL;
	}
	return rules;
}

const char *catalog_entry_id(const cJSON *entry, const char *file, size_t nth, struct err *e)
{
	static const char safe[] = "abcdefghijklmnopqrstuvwxyz0123456789-";
	const cJSON *id = cJSON_GetObjectItemCaseSensitive(entry, "id");

	if (!cJSON_IsObject(entry)) {
		err_set(e, ERR_USAGE, "%s: rule number %zu: must be an object (got %s)", file, nth,
			type_name(entry));
		return NULL;
	}
	if (!cJSON_IsString(id)) {
		err_set(e, ERR_USAGE, "%s: rule number %zu: id: %s", file, nth,
			id ? "must be a string" : "is missing");
		return NULL;
	}
	size_t n = strlen(id->valuestring);

	if (n == 0 || n > 48 || id->valuestring[strspn(id->valuestring, safe)]) {
		err_set(e, ERR_USAGE,
			"%s: rule number %zu: id: must be 1 to 48 of a-z, 0-9 and - (got "
			"\"%.48s\")",
			file, nth, id->valuestring);
		return NULL;
	}
	return id->valuestring;
}

static enum err_code bad(const struct rule *r, const char *file, struct err *e, const char *why)
{
	return err_set(e, ERR_USAGE, "%s: rule %s: %s", file, r->id, why);
}

static bool is_order(enum rule_compare c)
{
	return c == COMPARE_GT || c == COMPARE_GE || c == COMPARE_LT || c == COMPARE_LE;
}

/* What kind of threshold the signal's type and the comparison ask for. */
static enum err_code check_threshold(
	const struct rule *r, const struct signal *s, const char *file, struct err *e)
{
	bool text = r->threshold_text != NULL;
	bool list = r->compare == COMPARE_IN || r->compare == COMPARE_NOT_IN;

	if (r->compare == COMPARE_DIFFERS) {
		if (r->scope != SCOPE_CLUSTER)
			return bad(r, file, e, "compare: differs needs scope cluster");
		return text ? bad(r, file, e, "threshold: must be a number (got a string)")
			    : ERR_OK;
	}
	if (s->type == FIELD_STR) {
		if (is_order(r->compare) || list || r->compare == COMPARE_EQ ||
			r->compare == COMPARE_NE)
			return text ? ERR_OK
				    : bad(r, file, e, "threshold: must be a string (got a number)");
	}
	if (list)
		return bad(r, file, e, "compare: in and not_in need a signal that is a string");
	if (s->type == FIELD_FLAG) {
		bool flag = text && (strcmp(r->threshold_text, "yes") == 0 ||
					    strcmp(r->threshold_text, "no") == 0);

		if (is_order(r->compare))
			return bad(r, file, e, "compare: a flag is compared by == or !=");
		return flag ? ERR_OK : bad(r, file, e, "threshold: must be true or false");
	}
	return text ? bad(r, file, e, "threshold: must be a number (got a string)") : ERR_OK;
}

enum err_code catalog_check_rule(struct rule *r, const char *file, struct err *e)
{
	struct signal s;
	const struct {
		const char *key;
		const char *value;
	} needed[] = {{"signal", r->signal}, {"title", r->title}, {"why", r->why}};

	for (size_t i = 0; i < ARRAY_LEN(needed); i++)
		if (!needed[i].value)
			return err_set(e, ERR_USAGE, "%s: rule %s: %s: is missing", file, r->id,
				needed[i].key);
	if (!signal_resolve(r->signal, &s))
		return bad(r, file, e, "signal: there is no such signal");
	if (r->scope == SCOPE_PAIR && s.part != PART_PAIR)
		return bad(r, file, e, "scope: pair needs a signal of pairs, as pairs.failed");
	if (s.part == PART_PAIR && (r->scope == SCOPE_NODE || r->scope == SCOPE_FILESYSTEM))
		return bad(r, file, e, "scope: must be pair or cluster, as the signal is of pairs");
	if (s.part == PART_PAIR && r->compare == COMPARE_DIFFERS)
		return bad(r, file, e, "compare: pairs have no peers to differ from");
	if (!r->unit)
		r->unit = s.unit;
	if (!r->section)
		r->section = "";
	if (!r->for_samples)
		r->for_samples = 1;
	if (!r->severity)
		r->severity = SEVERITY_CONCERN;
	return check_threshold(r, &s, file, e);
}
