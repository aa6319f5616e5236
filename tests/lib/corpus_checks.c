#include "tests/lib/corpus_checks.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Names of members that differ from those of the fields. */
static const char *member_field(const char *table, const char *member)
{
	static const char *const renames[][3] = {
		{"xid.xid", "uptime", "uptime_s"},
		{"xid.sxid", "switch", "switch_index"},
		{"capacity.mount", "kb", "size_kib"},
		{"capacity.mount", "used", "used_kib"},
		{"capacity.mount", "pct", "used_pct"},
	};

	for (size_t i = 0; i < ARRAY_LEN(renames); i++)
		if (strcmp(renames[i][0], table) == 0 && strcmp(renames[i][1], member) == 0)
			return renames[i][2];
	return member;
}

/* Every member of the object against the fields of one row. */
static bool same_members(struct corpus_entry *e, const char *table, size_t i, const cJSON *object)
{
	const struct table *t;
	const void *row = corpus_row(e, table, i, &t);
	const cJSON *member;

	if (!row)
		return corpus_differs(e, "%s: no row %zu", table, i);
	cJSON_ArrayForEach(member, object)
	{
		const char *field = member_field(table, member->string);
		struct value got = corpus_field(t, row, field);

		if (!corpus_same(e, field, member, &got))
			return false;
	}
	return true;
}

/* The row whose field `by` has a value; -1 when there is none. */
static int find_row(struct corpus_entry *e, const char *table, const char *by, const char *text)
{
	const struct table *t;
	size_t n = corpus_rows(e, table);
	char got[200];

	for (size_t i = 0; i < n; i++) {
		struct value v = corpus_field(t, corpus_row(e, table, i, &t), by);

		if (strcmp(value_text(&v, got, sizeof(got)), text) == 0)
			return (int)i;
	}
	return -1;
}

static int row_of_index(struct corpus_entry *e, const char *table, unsigned index)
{
	const struct table *t;
	char text[16];

	snprintf(text, sizeof(text), "%u", index);
	int i = find_row(e, table, "index", text);

	/* Some lists have no index column; the order tells it. */
	if (i < 0 && corpus_rows(e, table) == 1) {
		struct value v = corpus_field(t, corpus_row(e, table, 0, &t), "index");

		if (v.state == OPT_UNKNOWN)
			return (int)index;
	}
	return i;
}

/* {"temp_c": 28, ...} of the row with index n. */
bool corpus_check_index(struct corpus_entry *e, const char *arg, unsigned n, const cJSON *want)
{
	int i = row_of_index(e, arg, n);

	return i >= 0 ? same_members(e, arg, (size_t)i, want)
		      : corpus_differs(e, "%s: no index %u", arg, n);
}

/* One field of the row with index n: "nvlink.gpu.links". */
bool corpus_check_index_field(
	struct corpus_entry *e, const char *arg, unsigned n, const cJSON *want)
{
	char table[64];
	const char *dot = strrchr(arg, '.');
	const struct table *t;

	snprintf(table, sizeof(table), "%.*s", (int)(dot - arg), arg);
	int i = row_of_index(e, table, n);

	if (i < 0)
		return corpus_differs(e, "%s: no index %u", table, n);
	const void *row = corpus_row(e, table, (size_t)i, &t);
	struct value got = corpus_field(t, row, dot + 1);

	return corpus_same(e, arg, want, &got);
}

/* An array of objects, each of one row, in order; no other rows. */
bool corpus_check_objects(struct corpus_entry *e, const char *arg, unsigned n, const cJSON *want)
{
	(void)n;
	size_t rows = corpus_rows(e, arg);

	if (rows != (size_t)cJSON_GetArraySize(want))
		return corpus_differs(
			e, "%s: want %d rows, got %zu", arg, cJSON_GetArraySize(want), rows);
	for (size_t i = 0; i < rows; i++)
		if (!same_members(e, arg, i, cJSON_GetArrayItem(want, (int)i)))
			return false;
	return true;
}

/* An array of objects, each of the mount that it names. */
bool corpus_check_mounts(struct corpus_entry *e, const char *arg, unsigned n, const cJSON *want)
{
	const cJSON *one;

	cJSON_ArrayForEach(one, want)
	{
		int i = find_row(e, "mounts.mount", "mount",
			cJSON_GetStringValue(cJSON_GetObjectItem(one, "mount")));

		if (i < 0)
			return corpus_differs(e, "mount is not listed");
		if (!same_members(e, "mounts.mount", (size_t)i, one))
			return false;
	}
	(void)n;
	cJSON *count = cJSON_CreateNumber(cJSON_GetArraySize(want));
	bool same = corpus_same_path(e, arg, count);

	cJSON_Delete(count);
	return same;
}

static bool number_is(struct corpus_entry *e, const char *what, const cJSON *want, double got)
{
	return fabs(want->valuedouble - got) < 1e-9 ||
	       corpus_differs(e, "%s: want %g, got %g", what, want->valuedouble, got);
}

bool corpus_check_row_count(struct corpus_entry *e, const char *arg, unsigned n, const cJSON *want)
{
	(void)n;
	return number_is(e, arg, want, (double)corpus_rows(e, arg));
}

/* ---- gpu ---- */

/* "53" is the bus number within "00000000:53:00.0"; anything longer is the whole address. */
bool corpus_check_bus(struct corpus_entry *e, const char *arg, unsigned n, const cJSON *want)
{
	const struct gpu_reading *r = reading_gpu(corpus_section(e, SECTION_GPU));

	(void)arg;
	(void)n;
	if (r->gpu_n != (size_t)cJSON_GetArraySize(want))
		return corpus_differs(e, "bus: %zu rows", r->gpu_n);
	for (size_t i = 0; i < r->gpu_n; i++) {
		const char *text = cJSON_GetArrayItem(want, (int)i)->valuestring;
		const char *bus = opt_has(r->gpu[i].bus) ? r->gpu[i].bus.v : "";
		char part[24];

		snprintf(part, sizeof(part), ":%s:", text);
		if (strcmp(bus, text) != 0 && !strstr(bus, part))
			return corpus_differs(e, "bus: want %s, got %s", text, bus);
	}
	return true;
}

bool corpus_check_missing_index(
	struct corpus_entry *e, const char *arg, unsigned n, const cJSON *want)
{
	(void)n;
	return row_of_index(e, arg, (unsigned)want->valuedouble) < 0 ||
	       corpus_differs(e, "index %g is there", want->valuedouble);
}

bool corpus_check_whole_rows(struct corpus_entry *e, const char *arg, unsigned n, const cJSON *want)
{
	const struct gpu_reading *r = reading_gpu(corpus_section(e, SECTION_GPU));

	(void)n;
	return number_is(e, arg, want, (double)r->gpu_n - (double)r->partial_rows.v);
}

/* ---- nvlink, topology ---- */

/* {"link0_replay": 148, "link0_crc": 65535} of GPU n. */
bool corpus_check_link_errors(
	struct corpus_entry *e, const char *arg, unsigned n, const cJSON *want)
{
	const struct nvlink_reading *r = reading_nvlink(corpus_section(e, SECTION_NVLINK));
	const cJSON *member;

	(void)arg;
	cJSON_ArrayForEach(member, want)
	{
		char word[20];
		unsigned link;
		bool found = false;

		if (sscanf(member->string, "link%u_%19s", &link, word) != 2)
			return corpus_differs(e, "%s: not understood", member->string);
		for (size_t i = 0; i < r->errors_n; i++)
			found |= r->errors[i].gpu.v == n && r->errors[i].link.v == link &&
				 span_ifind(span_of(r->errors[i].counter.v), word) == 0 &&
				 (double)r->errors[i].value.v == member->valuedouble;
		if (!found)
			return corpus_differs(e, "%s is not listed", member->string);
	}
	return true;
}

bool corpus_check_nic_map(struct corpus_entry *e, const char *arg, unsigned n, const cJSON *want)
{
	const cJSON *member;
	const struct table *t;

	(void)n;
	cJSON_ArrayForEach(member, want)
	{
		int i = find_row(e, arg, "name", member->string);

		if (i < 0)
			return corpus_differs(e, "no NIC %s", member->string);
		struct value got = corpus_field(t, corpus_row(e, arg, (size_t)i, &t), "device");

		if (!corpus_same(e, member->string, member, &got))
			return false;
	}
	return true;
}

/* {"GPU0": "NIC0", ...} */
bool corpus_check_nearest(struct corpus_entry *e, const char *arg, unsigned n, const cJSON *want)
{
	const cJSON *member;

	(void)n;
	cJSON_ArrayForEach(member, want)
	{
		unsigned index;

		if (sscanf(member->string, "GPU%u", &index) != 1)
			return corpus_differs(e, "%s: not understood", member->string);
		if (!corpus_check_index_field(e, arg, index, member))
			return false;
	}
	return true;
}

/* Links of each pair: all links of a GPU over its peers. */
bool corpus_check_links_each(struct corpus_entry *e, const char *arg, unsigned n, const cJSON *want)
{
	const struct gpu_topo_reading *r = reading_gpu_topo(corpus_section(e, SECTION_GPU_TOPO));

	(void)n;
	for (size_t i = 0; i < r->gpu_n; i++)
		if (!number_is(e, arg, want,
			    (double)r->gpu[i].nv_links.v / (double)r->gpu[i].nv_peers.v))
			return false;
	return true;
}

bool corpus_check_lost_gpu(struct corpus_entry *e, const char *arg, unsigned n, const cJSON *want)
{
	const struct gpu_topo_reading *r = reading_gpu_topo(corpus_section(e, SECTION_GPU_TOPO));

	(void)n;
	return opt_has(r->lost_gpus) ? number_is(e, arg, want, strtod(r->lost_gpus.v, NULL))
				     : corpus_differs(e, "%s: unknown", arg);
}

/* ---- host sections ---- */

bool corpus_check_segfault(struct corpus_entry *e, const char *arg, unsigned n, const cJSON *want)
{
	(void)n;
	return corpus_same_path(e, arg, cJSON_GetObjectItem(want, "pid"));
}

/* [2, 17, 3] of "2.17.3g" */
bool corpus_check_version(struct corpus_entry *e, const char *arg, unsigned n, const cJSON *want)
{
	const struct stack_reading *r = reading_stack(corpus_section(e, SECTION_STACK));
	unsigned v[3] = {0};

	(void)n;
	if (!opt_has(r->efa_kmod_file) ||
		sscanf(r->efa_kmod_file.v, "%u.%u.%u", &v[0], &v[1], &v[2]) != 3)
		return corpus_differs(e, "%s: no version", arg);
	for (int i = 0; i < 3; i++)
		if (!number_is(e, arg, cJSON_GetArrayItem(want, i), v[i]))
			return false;
	return true;
}

static size_t count_mounts(struct corpus_entry *e, bool failed)
{
	const struct capacity_reading *r = reading_capacity(corpus_section(e, SECTION_CAPACITY));
	size_t count = 0;

	for (size_t i = 0; i < r->mount_n; i++)
		count += failed ==
			 (opt_has(r->mount[i].state) && strcmp(r->mount[i].state.v, "ok") != 0);
	return count;
}

bool corpus_check_df_rows(struct corpus_entry *e, const char *arg, unsigned n, const cJSON *want)
{
	(void)n;
	return number_is(e, arg, want, (double)count_mounts(e, false));
}

/* {"size": "50G", "used_g": 2.0, "pct": 5} of the mount point arg. */
bool corpus_check_df(struct corpus_entry *e, const char *arg, unsigned n, const cJSON *want)
{
	const struct capacity_reading *r = reading_capacity(corpus_section(e, SECTION_CAPACITY));
	int i = find_row(e, "capacity.mount", "mount", arg);
	const cJSON *size = cJSON_GetObjectItem(want, "size");
	const cJSON *used_g = cJSON_GetObjectItem(want, "used_g");
	double kib;

	(void)n;
	if (i < 0)
		return corpus_differs(e, "%s: not listed", arg);
	const struct capacity_row *row = &r->mount[i];

	if (size && (!span_size_kib(span_of(size->valuestring), &kib) ||
			    kib != (double)row->size_kib.v))
		return corpus_differs(e, "size of %s", arg);
	if (used_g && !number_is(e, "used_g", used_g, (double)row->used_kib.v / 1048576))
		return false;
	cJSON *rest = cJSON_Duplicate(want, 1);

	cJSON_DeleteItemFromObject(rest, "size");
	cJSON_DeleteItemFromObject(rest, "used_g");
	bool same = same_members(e, "capacity.mount", (size_t)i, rest);

	cJSON_Delete(rest);
	return same;
}

/* [{"path": "/x", "err": "Stale file handle"}] */
bool corpus_check_df_errors(struct corpus_entry *e, const char *arg, unsigned n, const cJSON *want)
{
	const struct capacity_reading *r = reading_capacity(corpus_section(e, SECTION_CAPACITY));
	const cJSON *one;

	(void)n;
	cJSON_ArrayForEach(one, want)
	{
		int i = find_row(e, arg, "mount", cJSON_GetObjectItem(one, "path")->valuestring);

		if (i < 0 || !opt_has(r->mount[i].error) ||
			strcmp(r->mount[i].error.v, cJSON_GetObjectItem(one, "err")->valuestring) !=
				0)
			return corpus_differs(e, "error of a mount");
	}
	return count_mounts(e, true) == (size_t)cJSON_GetArraySize(want) ||
	       corpus_differs(e, "number of failed mounts");
}

bool corpus_check_boot_mib(struct corpus_entry *e, const char *arg, unsigned n, const cJSON *want)
{
	const struct capacity_reading *r = reading_capacity(corpus_section(e, SECTION_CAPACITY));
	int i = find_row(e, "capacity.mount", "mount", arg);

	(void)n;
	return i >= 0 ? number_is(e, arg, want, (double)r->mount[i].size_kib.v / 1024)
		      : corpus_differs(e, "%s: not listed", arg);
}

bool corpus_check_mount_pct(struct corpus_entry *e, const char *arg, unsigned n, const cJSON *want)
{
	const struct table *t;
	int i = find_row(e, "capacity.mount", "mount", arg);

	(void)n;
	if (i < 0)
		return corpus_differs(e, "%s: not listed", arg);
	struct value got =
		corpus_field(t, corpus_row(e, "capacity.mount", (size_t)i, &t), "used_pct");

	return corpus_same(e, arg, want, &got);
}

/* The mount point is listed, although its line was wrapped. */
bool corpus_check_listed(struct corpus_entry *e, const char *arg, unsigned n, const cJSON *want)
{
	(void)n;
	return find_row(e, arg, "mount", want->valuestring) >= 0 ||
	       corpus_differs(e, "%s: not listed", want->valuestring);
}

bool corpus_check_shm_twice(struct corpus_entry *e, const char *arg, unsigned n, const cJSON *want)
{
	const struct capacity_reading *r = reading_capacity(corpus_section(e, SECTION_CAPACITY));
	size_t count = 0;

	(void)n;
	for (size_t i = 0; i < r->mount_n; i++)
		count += opt_has(r->mount[i].mount) && strcmp(r->mount[i].mount.v, arg) == 0;
	return (count == 2) == cJSON_IsTrue(want) || corpus_differs(e, "%s: %zu rows", arg, count);
}

bool corpus_check_size(struct corpus_entry *e, const char *arg, unsigned n, const cJSON *want)
{
	double kib = -1;

	(void)n;
	span_size_kib(span_of(want->valuestring), &kib);
	cJSON *number = cJSON_CreateNumber(kib);
	bool same = corpus_same_path(e, arg, number);

	cJSON_Delete(number);
	return same;
}

/* The values are those of the last report, and the first one is kept as "since boot". */
bool corpus_check_reports(struct corpus_entry *e, const char *arg, unsigned n, const cJSON *want)
{
	const struct cpu_reading *r = reading_cpu(corpus_section(e, SECTION_CPU));

	(void)n;
	(void)want;
	return (opt_has(r->reports) && r->reports.v >= 2 && opt_has(r->iowait_boot_pct)) ||
	       corpus_differs(e, "%s: which report was used", arg);
}

bool corpus_check_available(struct corpus_entry *e, const char *arg, unsigned n, const cJSON *want)
{
	const struct section *s = corpus_section(e, section_by_name(span_of(arg)));

	(void)n;
	return cJSON_IsTrue(want) == (s->status != SECTION_UNAVAILABLE) ||
	       corpus_differs(e, "status is %s", section_status_name(s->status));
}

/* {"user": 301854, ...} in ticks since boot. */
bool corpus_check_ticks(struct corpus_entry *e, const char *arg, unsigned n, const cJSON *want)
{
	const cJSON *member;
	char path[64];

	(void)n;
	cJSON_ArrayForEach(member, want)
	{
		snprintf(path, sizeof(path), "%s.%s_ticks", arg, member->string);
		if (!corpus_same_path(e, path, member))
			return false;
	}
	return true;
}
