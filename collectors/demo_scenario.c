#include "collectors/demo_scenario.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collectors/buf.h"
#include "collectors/json.h"
#include "collectors/xmalloc.h"

#define SCENARIO_FILE_MAX (4u << 20)

/* Addresses use .1 to .250 of each /24, so that names stay in one block of the VPC. */
#define LAST_OCTET_MAX 250

extern const char embed_first_light_json[];
extern const size_t embed_first_light_json_len;
extern const char embed_healthy_json[];
extern const size_t embed_healthy_json_len;
extern const char embed_sweep_json[];
extern const size_t embed_sweep_json_len;
extern const char embed_thousand_json[];
extern const size_t embed_thousand_json_len;

static const struct {
	const char *name;
	const char *title;
	const char *text;
	const size_t *len;
} embedded[] = {
	{"first-light", "24 nodes in two groups with the usual troubles", embed_first_light_json,
		&embed_first_light_json_len},
	{"healthy", "24 nodes, nothing wrong", embed_healthy_json, &embed_healthy_json_len},
	{"sweep", "32 nodes measured pair by pair: a slow node, a slow link, two spines",
		embed_sweep_json, &embed_sweep_json_len},
	{"thousand", "1,024 nodes, a few troubles", embed_thousand_json, &embed_thousand_json_len},
};

static const struct demo_type types[] = {
	{"p4d.24xlarge", "NVIDIA A100-SXM4-40GB", 8, 4, 96, 1152, 40960, 1410, 400, 4, 12, "25",
		100, "4X EDR"},
	{"p5.48xlarge", "NVIDIA H100 80GB HBM3", 8, 32, 192, 2048, 81559, 1980, 700, 5, 18,
		"26.562", 100, "4X EDR"},
	{"p5e.48xlarge", "NVIDIA H200", 8, 32, 192, 2048, 143771, 1980, 700, 5, 18, "26.562", 100,
		"4X EDR"},
	{"p5en.48xlarge", "NVIDIA H200", 8, 16, 192, 2048, 143771, 1980, 700, 5, 18, "26.562", 200,
		"4X HDR"},
};

const char *const demo_version_names[DEMO_VERSION_COUNT] = {
	[DEMO_EFA_INSTALLER] = "efa_installer",
	[DEMO_EFA_KMOD] = "efa_kmod",
	[DEMO_LIBFABRIC] = "libfabric",
	[DEMO_OFI_NCCL] = "ofi_nccl",
	[DEMO_NCCL] = "nccl",
	[DEMO_OPENMPI] = "openmpi",
	[DEMO_RDMA_CORE] = "rdma_core",
	[DEMO_DRIVER] = "nvidia_driver",
	[DEMO_CUDA] = "cuda",
	[DEMO_CONTAINER_TOOLKIT] = "container_toolkit",
	[DEMO_LUSTRE_CLIENT] = "lustre_client",
	[DEMO_KERNEL] = "kernel",
};

static const char *const default_versions[DEMO_VERSION_COUNT] = {
	[DEMO_EFA_INSTALLER] = "1.43.2",
	[DEMO_EFA_KMOD] = "2.17.2g",
	[DEMO_LIBFABRIC] = "2.1.0amzn5.0",
	[DEMO_OFI_NCCL] = "1.16.3",
	[DEMO_NCCL] = "2.27.7",
	[DEMO_OPENMPI] = "4.1.7",
	[DEMO_RDMA_CORE] = "58.amzn0",
	[DEMO_DRIVER] = "570.172.08",
	[DEMO_CUDA] = "12.8.1",
	[DEMO_CONTAINER_TOOLKIT] = "1.17.8",
	[DEMO_LUSTRE_CLIENT] = "2.15.6",
	[DEMO_KERNEL] = "6.8.0-1039-aws",
};

const char *demo_scenario_name(size_t i)
{
	return i < ARRAY_LEN(embedded) ? embedded[i].name : NULL;
}

const char *demo_scenario_title(size_t i)
{
	return i < ARRAY_LEN(embedded) ? embedded[i].title : NULL;
}

const struct demo_type *demo_type_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(types); i++)
		if (strcmp(types[i].name, name) == 0)
			return &types[i];
	return NULL;
}

/* ---- reading: keys by table ---- */

enum key_type { KEY_STR, KEY_NUM, KEY_INT, KEY_ANY };

struct key {
	const char *name;
	enum key_type type;
	size_t offset;
	size_t size; /* of a string's array */
	double min;
	double max;
};

#define KEY_STRING(s, member)                                                                     \
	{                                                                                         \
#member, KEY_STR, offsetof(struct s, member), sizeof(((struct s *)0)->member), 0, \
			0                                                                         \
	}
#define KEY_NUMBER(s, member, lo, hi)                                   \
	{                                                               \
#member, KEY_NUM, offsetof(struct s, member), 0, lo, hi \
	}
#define KEY_INTEGER(s, member, lo, hi)                                  \
	{                                                               \
#member, KEY_INT, offsetof(struct s, member), 0, lo, hi \
	}
#define KEY_OTHER(name)                   \
	{                                 \
		name, KEY_ANY, 0, 0, 0, 0 \
	}

static const struct key top_keys[] = {
	KEY_STRING(demo_scenario, name),
	KEY_STRING(demo_scenario, title),
	KEY_OTHER("seed"),
	KEY_OTHER("job"),
	KEY_OTHER("filesystems"),
	KEY_OTHER("versions"),
	KEY_OTHER("groups"),
	KEY_OTHER("faults"),
	KEY_OTHER("sweep"),
};

static const struct key job_keys[] = {
	KEY_NUMBER(demo_scenario, period_s, 1, 86400),
	KEY_NUMBER(demo_scenario, checkpoint_s, 0, 86400),
	KEY_NUMBER(demo_scenario, load, 0, 1),
	KEY_NUMBER(demo_scenario, iowait_pct, 0, 100),
};

static const struct key filesystem_keys[] = {
	KEY_NUMBER(demo_scenario, lustre_tib, 1, 100000),
	KEY_NUMBER(demo_scenario, lustre_used_pct, 0, 100),
	KEY_INTEGER(demo_scenario, osts, 1, 64),
};

static const struct key group_keys[] = {
	KEY_STRING(demo_group, name),
	KEY_OTHER("nodes"),
	KEY_OTHER("instance_type"),
	KEY_OTHER("first_ip"),
	KEY_STRING(demo_group, az),
	KEY_STRING(demo_group, az_name),
	KEY_STRING(demo_group, spine),
	KEY_STRING(demo_group, leaf),
	KEY_STRING(demo_group, ultraserver),
	KEY_INTEGER(demo_group, nodes_per_leaf, 0, DEMO_NODES_MAX),
};

static enum err_code read_key(
	const struct key *key, void *base, const cJSON *item, const char *where, struct err *e)
{
	char *at = (char *)base + key->offset;

	if (key->type == KEY_ANY)
		return ERR_OK;
	if (key->type == KEY_STR) {
		if (!cJSON_IsString(item) || strlen(item->valuestring) >= key->size)
			return err_set(e, ERR_PARSE, "%s: %s: must be a text of at most %zu bytes",
				where, key->name, key->size - 1);
		memcpy(at, item->valuestring, strlen(item->valuestring) + 1);
		return ERR_OK;
	}
	if (!cJSON_IsNumber(item) ||
		!(item->valuedouble >= key->min && item->valuedouble <= key->max))
		return err_set(e, ERR_PARSE, "%s: %s: must be a number from %g to %g", where,
			key->name, key->min, key->max);
	if (key->type == KEY_INT)
		*(int *)(void *)at = (int)item->valuedouble;
	else
		*(double *)(void *)at = item->valuedouble;
	return ERR_OK;
}

static enum err_code read_keys(const struct key *keys, size_t n, void *base, const cJSON *object,
	const char *where, struct err *e)
{
	const cJSON *item;

	if (!cJSON_IsObject(object))
		return err_set(e, ERR_PARSE, "%s: must be an object", where);
	cJSON_ArrayForEach(item, object)
	{
		size_t i = 0;

		while (i < n && strcmp(keys[i].name, item->string) != 0)
			i++;
		if (i == n)
			return err_set(
				e, ERR_PARSE, "%s: %.40s: no such key here", where, item->string);
		enum err_code rc = read_key(&keys[i], base, item, where, e);

		if (rc != ERR_OK)
			return rc;
	}
	return ERR_OK;
}

static enum err_code read_part(struct demo_scenario *sc, const cJSON *root, const char *part,
	const struct key *keys, size_t n, const char *name, struct err *e)
{
	const cJSON *object = cJSON_GetObjectItemCaseSensitive(root, part);
	char where[160];

	snprintf(where, sizeof(where), "%s: %s", name, part);
	return object ? read_keys(keys, n, sc, object, where, e) : ERR_OK;
}

static enum err_code read_versions(
	struct demo_scenario *sc, const cJSON *root, const char *name, struct err *e)
{
	struct key keys[DEMO_VERSION_COUNT];

	for (size_t i = 0; i < DEMO_VERSION_COUNT; i++) {
		snprintf(sc->versions[i], sizeof(sc->versions[i]), "%s", default_versions[i]);
		keys[i] = (struct key){demo_version_names[i], KEY_STR,
			offsetof(struct demo_scenario, versions) + i * sizeof(sc->versions[0]),
			sizeof(sc->versions[0]), 0, 0};
	}
	return read_part(sc, root, "versions", keys, DEMO_VERSION_COUNT, name, e);
}

/* ---- groups and nodes ---- */

/* splitmix64: spreads neighbouring numbers over all bits. */
static uint64_t mix(uint64_t x)
{
	x += 0x9e3779b97f4a7c15u;
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
	return x ^ (x >> 31);
}

static enum err_code add_node(struct demo_scenario *sc, const struct demo_group *g, size_t k,
	const unsigned first[4], const char *where, struct err *e)
{
	unsigned d = first[3] - 1 + (unsigned)k;
	unsigned c = first[2] + d / LAST_OCTET_MAX;
	struct demo_node *node = &sc->nodes[sc->n];

	d = d % LAST_OCTET_MAX + 1;
	if (c > 255)
		return err_set(e, ERR_PARSE, "%s: first_ip: no room for that many nodes", where);
	node->group = g;
	node->key = mix(sc->seed ^ mix(sc->n + 1));
	snprintf(node->ip, sizeof(node->ip), "%u.%u.%u.%u", first[0] & 255, first[1] & 255, c & 255,
		d & 255);
	snprintf(node->name, sizeof(node->name), "ip-%u-%u-%u-%u", first[0] & 255, first[1] & 255,
		c & 255, d & 255);
	if (demo_scenario_node(sc, node->name) != SIZE_MAX)
		return err_set(
			e, ERR_PARSE, "%s: first_ip: %s is in two groups", where, node->name);
	snprintf(node->instance_id, sizeof(node->instance_id), "i-0%016llx",
		(unsigned long long)mix(node->key));
	if (g->nodes_per_leaf)
		snprintf(node->leaf, sizeof(node->leaf), "%s-%u", g->leaf,
			(unsigned)k / (unsigned)g->nodes_per_leaf + 1);
	else
		snprintf(node->leaf, sizeof(node->leaf), "%s", g->leaf);
	sc->n++;
	return ERR_OK;
}

static enum err_code read_group(
	struct demo_scenario *sc, const cJSON *entry, const char *where, struct err *e)
{
	struct demo_group *g = &sc->groups[sc->ngroups];
	unsigned ip[4];
	char rest;
	enum err_code rc = read_keys(group_keys, ARRAY_LEN(group_keys), g, entry, where, e);

	if (rc != ERR_OK)
		return rc;
	const cJSON *type = cJSON_GetObjectItemCaseSensitive(entry, "instance_type");
	const cJSON *count = cJSON_GetObjectItemCaseSensitive(entry, "nodes");
	const cJSON *first = cJSON_GetObjectItemCaseSensitive(entry, "first_ip");

	g->type = demo_type_find(cJSON_IsString(type) ? type->valuestring : "p5.48xlarge");
	if (!g->type)
		return err_set(e, ERR_PARSE,
			"%s: instance_type: the simulation does not know %.40s", where,
			type->valuestring);
	if (!cJSON_IsNumber(count) || count->valuedouble < 1 ||
		count->valuedouble + (double)sc->n > DEMO_NODES_MAX)
		return err_set(e, ERR_PARSE, "%s: nodes: must be a number from 1 to %d", where,
			DEMO_NODES_MAX - (int)sc->n);
	if (!cJSON_IsString(first) ||
		sscanf(first->valuestring, "%3u.%3u.%3u.%3u%c", &ip[0], &ip[1], &ip[2], &ip[3],
			&rest) != 4 ||
		ip[0] > 255 || ip[1] > 255 || ip[2] > 255 || ip[3] < 1 || ip[3] > LAST_OCTET_MAX)
		return err_set(
			e, ERR_PARSE, "%s: first_ip: must be an address such as 10.1.2.17", where);
	g->n = (size_t)count->valuedouble;
	sc->ngroups++;
	sc->nodes = xreallocarray(sc->nodes, sc->n + g->n, sizeof(*sc->nodes));
	memset(sc->nodes + sc->n, 0, g->n * sizeof(*sc->nodes));
	for (size_t k = 0; k < g->n; k++) {
		rc = add_node(sc, g, k, ip, where, e);
		if (rc != ERR_OK)
			return rc;
	}
	return ERR_OK;
}

static enum err_code read_groups(
	struct demo_scenario *sc, const cJSON *root, const char *name, struct err *e)
{
	const cJSON *groups = cJSON_GetObjectItemCaseSensitive(root, "groups");
	const cJSON *entry;
	char where[160];

	if (!cJSON_IsArray(groups) || cJSON_GetArraySize(groups) == 0)
		return err_set(
			e, ERR_PARSE, "%s: groups: must be a list with at least one group", name);
	sc->groups = xcalloc((size_t)cJSON_GetArraySize(groups), sizeof(*sc->groups));
	cJSON_ArrayForEach(entry, groups)
	{
		snprintf(where, sizeof(where), "%s: groups[%zu]", name, sc->ngroups);
		enum err_code rc = read_group(sc, entry, where, e);

		if (rc != ERR_OK)
			return rc;
	}
	return ERR_OK;
}

size_t demo_scenario_node(const struct demo_scenario *sc, const char *name)
{
	for (size_t i = 0; i < sc->n; i++)
		if (strcmp(sc->nodes[i].name, name) == 0 ||
			strcmp(sc->nodes[i].instance_id, name) == 0)
			return i;
	return SIZE_MAX;
}

/* ---- faults ---- */

struct fault_list {
	struct demo_fault *items;
	size_t n;
	size_t cap;
};

static void add_fault(struct fault_list *list, const struct demo_fault *f, size_t node)
{
	xgrow((void **)&list->items, &list->cap, list->n, sizeof(*list->items));
	list->items[list->n] = *f;
	list->items[list->n++].node = node;
}

static enum err_code add_to(struct fault_list *list, const struct demo_scenario *sc,
	const struct demo_fault *f, const cJSON *which, const char *where, struct err *e)
{
	if (cJSON_IsString(which) && strcmp(which->valuestring, "all") == 0) {
		for (size_t i = 0; i < sc->n; i++)
			add_fault(list, f, i);
		return ERR_OK;
	}
	size_t node = SIZE_MAX;

	if (cJSON_IsString(which))
		node = demo_scenario_node(sc, which->valuestring);
	else if (cJSON_IsNumber(which) && which->valuedouble >= 0 &&
		 which->valuedouble < (double)sc->n)
		node = (size_t)which->valuedouble;
	if (node == SIZE_MAX)
		return err_set(e, ERR_PARSE,
			"%s: node: no such node (give a name, a number from 0 to %zu, or \"all\")",
			where, sc->n - 1);
	add_fault(list, f, node);
	return ERR_OK;
}

static enum err_code read_fault(struct fault_list *list, const struct demo_scenario *sc,
	const cJSON *entry, const char *where, struct err *e)
{
	struct demo_fault f;
	enum err_code rc = demo_fault_parse(&f, entry, where, e);
	const cJSON *one = cJSON_GetObjectItemCaseSensitive(entry, "node");
	const cJSON *many = cJSON_GetObjectItemCaseSensitive(entry, "nodes");
	const cJSON *which;

	if (rc != ERR_OK)
		return rc;
	if (!one == !cJSON_IsArray(many))
		return err_set(
			e, ERR_PARSE, "%s: node: needs either node or a list of nodes", where);
	if (one)
		return add_to(list, sc, &f, one, where, e);
	cJSON_ArrayForEach(which, many)
	{
		rc = add_to(list, sc, &f, which, where, e);
		if (rc != ERR_OK)
			return rc;
	}
	return ERR_OK;
}

/* By node, keeping the order in which they were written. */
static void sort_faults(struct demo_scenario *sc, const struct fault_list *list)
{
	size_t at = 0;

	sc->faults = xcalloc(list->n + 1, sizeof(*sc->faults));
	sc->nfaults = list->n;
	sc->first_fault = xcalloc(sc->n + 1, sizeof(*sc->first_fault));
	for (size_t i = 0; i < list->n; i++)
		sc->first_fault[list->items[i].node + 1]++;
	for (size_t i = 0; i < sc->n; i++)
		sc->first_fault[i + 1] += sc->first_fault[i];
	size_t *next = xcalloc(sc->n + 1, sizeof(*next));

	memcpy(next, sc->first_fault, sc->n * sizeof(*next));
	for (at = 0; at < list->n; at++)
		sc->faults[next[list->items[at].node]++] = list->items[at];
	free(next);
}

static enum err_code read_faults(
	struct demo_scenario *sc, const cJSON *root, const char *name, struct err *e)
{
	const cJSON *faults = cJSON_GetObjectItemCaseSensitive(root, "faults");
	const cJSON *entry;
	struct fault_list list = {NULL, 0, 0};
	enum err_code rc = ERR_OK;
	char where[160];
	int i = 0;

	if (faults && !cJSON_IsArray(faults))
		return err_set(e, ERR_PARSE, "%s: faults: must be a list", name);
	cJSON_ArrayForEach(entry, faults)
	{
		snprintf(where, sizeof(where), "%s: faults[%d]", name, i++);
		rc = read_fault(&list, sc, entry, where, e);
		if (rc != ERR_OK)
			goto out;
	}
	sort_faults(sc, &list);
out:
	free(list.items);
	return rc;
}

/* ---- the whole ---- */

static enum err_code read_all(
	struct demo_scenario *sc, const cJSON *root, const char *name, struct err *e)
{
	const cJSON *seed = cJSON_GetObjectItemCaseSensitive(root, "seed");
	enum err_code rc = read_keys(top_keys, ARRAY_LEN(top_keys), sc, root, name, e);

	if (rc != ERR_OK)
		return rc;
	if (seed && !(cJSON_IsNumber(seed) && seed->valuedouble >= 0 && seed->valuedouble < 1e15))
		return err_set(e, ERR_PARSE,
			"%s: seed: must be a whole number that is not negative", name);
	sc->seed = seed ? (uint64_t)seed->valuedouble : 0;
	rc = read_part(sc, root, "job", job_keys, ARRAY_LEN(job_keys), name, e);
	if (rc == ERR_OK && sc->checkpoint_s >= sc->period_s)
		rc = err_set(
			e, ERR_PARSE, "%s: job: checkpoint_s: must be less than period_s", name);
	if (rc == ERR_OK)
		rc = read_part(sc, root, "filesystems", filesystem_keys, ARRAY_LEN(filesystem_keys),
			name, e);
	if (rc == ERR_OK)
		rc = read_versions(sc, root, name, e);
	if (rc == ERR_OK)
		rc = read_groups(sc, root, name, e);
	if (rc == ERR_OK)
		rc = read_faults(sc, root, name, e);
	const cJSON *sweep = cJSON_GetObjectItemCaseSensitive(root, "sweep");

	if (rc == ERR_OK && sweep)
		rc = demo_plan_parse(sc, sweep, name, e);
	return rc;
}

static const struct demo_scenario defaults = {
	.period_s = 240,
	.checkpoint_s = 20,
	.load = 1,
	.iowait_pct = 9,
	.lustre_tib = 96,
	.lustre_used_pct = 61,
	.osts = 16,
};

enum err_code demo_scenario_parse(
	struct demo_scenario **out, const char *name, const char *text, size_t len, struct err *e)
{
	cJSON *root = json_parse(name, text, len, e);
	struct demo_scenario *sc;
	enum err_code rc;

	if (!root)
		return ERR_PARSE;
	sc = xmalloc(sizeof(*sc));
	*sc = defaults;
	rc = read_all(sc, root, name, e);
	cJSON_Delete(root);
	if (rc != ERR_OK) {
		demo_scenario_free(sc);
		return rc;
	}
	*out = sc;
	return ERR_OK;
}

static bool is_path(const char *name)
{
	size_t len = strlen(name);

	return strchr(name, '/') || (len > 5 && strcmp(name + len - 5, ".json") == 0);
}

static enum err_code load_file(struct demo_scenario **out, const char *path, struct err *e)
{
	struct buf text = BUF_INIT(SCENARIO_FILE_MAX);
	enum err_code rc = buf_read_file(&text, path, e);

	if (rc == ERR_OK)
		rc = demo_scenario_parse(out, path, buf_str(&text), text.len, e);
	buf_release(&text);
	return rc;
}

enum err_code demo_scenario_load(
	struct demo_scenario **out, const char *name_or_path, struct err *e)
{
	const char *name = name_or_path ? name_or_path : embedded[0].name;
	char names[120] = "";

	if (is_path(name))
		return load_file(out, name, e);
	for (size_t i = 0; i < ARRAY_LEN(embedded); i++) {
		if (strcmp(name, embedded[i].name) == 0)
			return demo_scenario_parse(
				out, name, embedded[i].text, *embedded[i].len, e);
		size_t at = strlen(names);

		snprintf(names + at, sizeof(names) - at, "%s%s", i ? ", " : "", embedded[i].name);
	}
	return err_set(e, ERR_USAGE, "demo: no scenario %.60s (there are %s; or give a .json file)",
		name, names);
}

void demo_scenario_free(struct demo_scenario *sc)
{
	if (!sc)
		return;
	free(sc->groups);
	free(sc->nodes);
	free(sc->faults);
	free(sc->first_fault);
	demo_plan_release(&sc->sweep);
	free(sc);
}
