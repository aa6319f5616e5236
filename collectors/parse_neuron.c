/*
 * Trainium devices: neuron-ls as JSON (the stable form) or as one of its tables, and one object
 * of neuron-monitor.
 */
#include "collectors/section.h"

#include <string.h>

#include "collectors/answer.h"
#include "collectors/json.h"
#include "collectors/neuron_table.h"

#define GIB 1073741824.0

struct parse {
	struct section *s;
	struct neuron_reading *r;
	bool cut; /* the text may end early */
};

static const cJSON *get(const cJSON *object, const char *name)
{
	return cJSON_GetObjectItemCaseSensitive(object, name);
}

/* A whole number that is not negative, printed as a number or as a string of digits. */
static struct opt_u64 get_u64(const cJSON *object, const char *name)
{
	const cJSON *item = get(object, name);
	uint64_t v;

	if (!item)
		return (struct opt_u64){OPT_UNKNOWN, 0};
	if (cJSON_IsNull(item))
		return (struct opt_u64){OPT_UNSUPPORTED, 0};
	if (cJSON_IsString(item) && span_u64(span_of(item->valuestring), &v))
		return opt_u64(v);
	/* Doubles hold integers exactly up to 2^53. */
	if (!cJSON_IsNumber(item) || item->valuedouble < 0 ||
		item->valuedouble > 9007199254740992.0)
		return (struct opt_u64){OPT_ERROR, 0};
	return opt_u64((uint64_t)item->valuedouble);
}

static struct opt_str get_str(struct section *s, const cJSON *object, const char *name)
{
	const cJSON *item = get(object, name);

	if (!cJSON_IsString(item))
		return (struct opt_str){OPT_UNKNOWN, NULL};
	return section_str(s, span_of(item->valuestring));
}

/* Bytes as the GiB that the tool's table calls GB. */
static struct opt_u64 gib(struct opt_u64 bytes)
{
	if (opt_has(bytes))
		bytes.v = (uint64_t)((double)bytes.v / GIB + 0.5);
	return bytes;
}

/* [12, 3, 4] as "12,3,4"; key NULL for numbers, else the member of each object. */
static struct opt_str get_list(
	struct section *s, const cJSON *object, const char *name, const char *key)
{
	const cJSON *array = get(object, name);
	const cJSON *item;
	char list[512] = "";
	size_t n = 0;

	if (!array)
		return (struct opt_str){OPT_UNKNOWN, NULL};
	if (cJSON_IsNull(array))
		return (struct opt_str){OPT_UNSUPPORTED, NULL};
	if (!cJSON_IsArray(array))
		return (struct opt_str){OPT_ERROR, NULL};
	cJSON_ArrayForEach(item, array)
	{
		const cJSON *v = key ? get(item, key) : item;

		if (!cJSON_IsNumber(v) || n + 24 > sizeof(list))
			continue;
		n += (size_t)snprintf(
			list + n, sizeof(list) - n, n ? ",%.0f" : "%.0f", v->valuedouble);
		if (n >= sizeof(list))
			n = sizeof(list) - 1;
	}
	return n ? section_str(s, (struct span){list, n}) : (struct opt_str){OPT_OK, ""};
}

static struct opt_i64 get_numa(const cJSON *object)
{
	const cJSON *item = get(object, "numa_node");
	int64_t v;

	if (cJSON_IsString(item) && span_i64(span_of(item->valuestring), &v))
		return opt_i64(v);
	if (cJSON_IsNumber(item) && item->valuedouble >= -1 && item->valuedouble < 4096)
		return opt_i64((int64_t)item->valuedouble);
	return (struct opt_i64){item ? OPT_ERROR : OPT_UNKNOWN, 0};
}

static void add_device(struct parse *p, const cJSON *device)
{
	struct neuron_row *row = SECTION_ROW(p->s, p->r, device);

	if (!row)
		return;
	row->index = get_u64(device, "neuron_device");
	row->cores = get_u64(device, "nc_count");
	row->mem_gb = gib(get_u64(device, "memory_size"));
	row->connected = get_list(p->s, device, "connected_to", NULL);
	row->bdf = get_str(p->s, device, "bdf");
	row->numa = get_numa(device);
	row->pids = get_list(p->s, device, "neuron_processes", "pid");
}

/* The array of devices: the answer itself, or (newer releases) a member of it. */
static void read_devices(struct parse *p, const cJSON *array)
{
	const cJSON *device;

	cJSON_ArrayForEach(device, array) if (cJSON_IsObject(device) &&
					      get(device, "neuron_device")) add_device(p, device);
}

/* Mean utilization over the cores of every runtime; unknown when none is attached. */
static void read_runtimes(struct parse *p, const cJSON *runtimes)
{
	const cJSON *runtime;
	const cJSON *core;
	double sum = 0;
	size_t n = 0;

	p->r->runtimes = opt_u64((uint64_t)cJSON_GetArraySize(runtimes));
	cJSON_ArrayForEach(runtime, runtimes)
	{
		const cJSON *counters = get(get(runtime, "report"), "neuroncore_counters");

		cJSON_ArrayForEach(core, get(counters, "neuroncores_in_use"))
		{
			const cJSON *v = get(core, "neuroncore_utilization");

			if (!cJSON_IsNumber(v))
				continue;
			sum += v->valuedouble;
			n++;
		}
	}
	if (n)
		p->r->util_pct = opt_f64(sum / (double)n);
}

static void read_hardware(struct parse *p, const cJSON *hw)
{
	struct neuron_reading *r = p->r;
	struct opt_str error = get_str(p->s, hw, "error");

	/* neuron-ls goes first: what it listed stays. */
	if (!opt_has(r->devices))
		r->devices = get_u64(hw, "neuron_device_count");
	if (!opt_has(r->cores_per_device))
		r->cores_per_device = get_u64(hw, "neuroncore_per_device_count");
	if (!opt_has(r->mem_gb))
		r->mem_gb = gib(get_u64(hw, "neuron_device_memory_size"));
	if (!opt_has(r->lnc))
		r->lnc = get_u64(hw, "logical_neuroncore_config");
	if (!opt_has(r->type))
		r->type = get_str(p->s, hw, "neuron_device_type");
	if (opt_has(error)) {
		r->error = error;
		section_unread(p->s, "neuron-monitor", "%s", error.v);
	}
}

static void read_object(struct parse *p, const cJSON *root)
{
	const cJSON *hw = get(root, "neuron_hardware_info");
	const cJSON *runtimes = get(root, "neuron_runtime_data");
	const cJSON *member;

	if (cJSON_IsObject(hw))
		read_hardware(p, hw);
	if (cJSON_IsArray(runtimes))
		read_runtimes(p, runtimes);
	if (hw || runtimes)
		return;
	if (!opt_has(p->r->type))
		p->r->type = get_str(p->s, root, "instance_type");
	p->r->instance_id = get_str(p->s, root, "instance_id");
	p->r->lnc = get_u64(root, "logical_neuroncore_config");
	cJSON_ArrayForEach(member, root) if (cJSON_IsArray(member)) read_devices(p, member);
}

/* Where JSON begins, at the start of a line: log lines may stand before it. */
static bool find_json(struct span text, struct span *json)
{
	while (text.n) {
		struct span at = text;
		struct span line;

		span_line(&text, &line);
		line = span_trim(line);
		if (span_starts(line, "{") || span_eq(line, "[") || span_starts(line, "[{") ||
			span_starts(line, "[]")) {
			*json = span_trim(at);
			return true;
		}
	}
	return false;
}

static void read_json(struct parse *p, struct span json)
{
	struct err e;
	cJSON *root = json_parse("neuron", json.p, json.n, &e);

	if (!root) {
		section_unread(p->s, "JSON", "cut off or not valid");
		p->r->complete = opt_bool(false);
		return;
	}
	size_t before = p->r->device_n;

	if (cJSON_IsArray(root))
		read_devices(p, root);
	else
		read_object(p, root);
	if (cJSON_IsArray(root) || p->r->device_n > before)
		p->r->devices = opt_u64(p->r->device_n);
	if (!opt_has(p->r->complete))
		p->r->complete = opt_bool(true);
	cJSON_Delete(root);
}

/* A property that all devices share is one of the node. */
static void share(const struct neuron_reading *r, size_t offset, struct opt_u64 *out)
{
	struct opt_u64 first = {OPT_UNKNOWN, 0};

	for (size_t i = 0; i < r->device_n; i++) {
		const struct opt_u64 *v = (const void *)((const char *)&r->device[i] + offset);

		if (i == 0)
			first = *v;
		else if (!opt_has(*v) || v->v != first.v)
			return;
	}
	if (opt_has(first) && !opt_has(*out))
		*out = first;
}

static void finish(struct parse *p, struct span reason)
{
	struct neuron_reading *r = p->r;

	share(r, offsetof(struct neuron_row, cores), &r->cores_per_device);
	share(r, offsetof(struct neuron_row, mem_gb), &r->mem_gb);
	if (opt_has(r->devices) || r->device_n || opt_has(r->complete))
		return;
	if (reason.n && !p->cut)
		r->error = section_str(p->s, reason);
	section_unread(p->s, "devices", "%.*s",
		reason.n ? (int)(reason.n < 150 ? reason.n : 150) : 19,
		reason.n ? reason.p : "nothing was printed");
	section_set_status(p->s, SECTION_FAILED);
}

void parse_neuron(struct section *s, struct span text)
{
	struct parse p = {.s = s, .r = s->mutable_reading};
	struct span reason;
	struct marks_piece piece;
	struct marks pieces;
	struct span json;

	if (answer_is_missing(s, text, &reason)) {
		p.r->error = section_str(s, reason);
		return;
	}
	pieces = answer_pieces(s, text);
	p.cut = pieces.cut;
	while (marks_next(&pieces, &piece)) {
		if (find_json(piece.body, &json))
			read_json(&p, json);
		else
			neuron_table_read(s, piece.body, !piece.whole);
	}
	finish(&p, reason);
}
