/*
 * Lays out a simulated cluster as files, for nodes that are namespaces.
 *
 *   simraw SCENARIO DIR [SECONDS]
 *
 * DIR/raw/<node>/<section>   the text of each section (what --raw takes)
 * DIR/node/<node>/root/...   files that the node has besides the machine's own
 * DIR/node/<node>/sys/...    its /sys
 * DIR/node/<node>/proc/...   its /proc/driver
 * DIR/nodes.json             name, address, faults of each node
 *
 * The files are made from the section texts themselves: a line "/sys/a:1" is a
 * file, a piece "#@ fi_info" is what a command prints. So the probe, run over
 * them, must print the same text again.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collectors/clock.h"
#include "collectors/demo_sim.h"
#include "collectors/json.h"
#include "collectors/marks.h"

#define PATH_BYTES 1024
#define JOIN_BYTES (2 * PATH_BYTES + 8)
#define FAKES      "root/usr/local/hpc/out/"

static void die(const char *what, const char *path)
{
	fprintf(stderr, "simraw: %s: %s: %s\n", path, what, strerror(errno));
	exit(1);
}

static void make_parents(char *path)
{
	for (char *p = strchr(path + 1, '/'); p; p = strchr(p + 1, '/')) {
		*p = '\0';
		if (mkdir(path, 0755) != 0 && errno != EEXIST)
			die("cannot make directory", path);
		*p = '/';
	}
}

static FILE *open_file(const char *dir, const char *name, const char *mode)
{
	char path[JOIN_BYTES];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	make_parents(path);
	f = fopen(path, mode);
	if (!f)
		die("cannot write", path);
	return f;
}

static void put_file(const char *dir, const char *name, struct span text)
{
	FILE *f = open_file(dir, name, "w");

	fwrite(text.p, 1, text.n, f);
	fclose(f);
}

static void put_link(const char *dir, const char *name, const char *target)
{
	char path[JOIN_BYTES];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	make_parents(path);
	if (symlink(target, path) != 0 && errno != EEXIST)
		die("cannot link", path);
}

static void put_dir(const char *dir, const char *name)
{
	char path[JOIN_BYTES];

	snprintf(path, sizeof(path), "%s/%s/", dir, name);
	make_parents(path);
}

/* ---- lines that stand for files ---- */

/* "/sys/class/infiniband/X/device -> BUS" and ".../device/driver -> efa": as the kernel has them. */
static void device_link(const char *dir, struct span path, struct span to)
{
	char name[PATH_BYTES];
	char target[PATH_BYTES];

	snprintf(name, sizeof(name), "%.*s", (int)path.n - 1, path.p + 1);
	if (span_ends(path, "/device/driver")) {
		put_dir(dir, "sys/bus/pci/drivers/efa");
		return;
	}
	snprintf(target, sizeof(target), "sys/bus/pci/devices/%.*s", (int)to.n, to.p);
	put_dir(dir, target);
	snprintf(target, sizeof(target), "../../../bus/pci/devices/%.*s", (int)to.n, to.p);
	put_link(dir, name, target);
	snprintf(target, sizeof(target), "sys/bus/pci/devices/%.*s/driver", (int)to.n, to.p);
	put_link(dir, target, "../../drivers/efa");
}

static void put_value(const char *dir, struct span line)
{
	char name[PATH_BYTES];
	struct span path;
	struct span value;

	if (!marks_path(line, &path, &value))
		return;
	snprintf(name, sizeof(name), "%.*s", (int)path.n - 1, path.p + 1);
	FILE *f = open_file(dir, name, "w");

	fprintf(f, "%.*s\n", (int)value.n, value.p);
	fclose(f);
}

/* Links first, since files are written through them. */
static void put_paths(const char *dir, struct span text)
{
	for (int pass = 0; pass < 2; pass++) {
		struct span rest = text;
		struct span line;

		while (span_line(&rest, &line)) {
			ptrdiff_t arrow = span_find(line, " -> ");

			if (!span_starts(line, "/sys/"))
				continue;
			if (arrow > 0 && pass == 0)
				device_link(dir, (struct span){line.p, (size_t)arrow},
					(struct span){
						line.p + arrow + 4, line.n - (size_t)arrow - 4});
			if (arrow < 0 && pass == 1)
				put_value(dir, line);
		}
	}
}

/* ---- pieces that stand for files and commands ---- */

enum piece_kind {
	PIECE_FILE,    /* the text is the file */
	PIECE_NAMES,   /* each line names an empty file under root/ */
	PIECE_MODULES, /* each line names a loaded module */
	PIECE_JSON,    /* lines of an object */
	PIECE_LLITE,   /* the mark's argument is part of the path */
	PIECE_LOG,     /* times since the simulated boot become times since the real one */
	PIECE_CUDA
};

static const struct {
	enum section_id section;
	const char *mark; /* "" the whole text */
	enum piece_kind kind;
	const char *path;
} pieces[] = {
	{SECTION_GPU, "", PIECE_FILE, FAKES "gpu"},
	{SECTION_GPU_TOPO, "", PIECE_FILE, FAKES "topo"},
	{SECTION_NVLINK, "nvlink -s", PIECE_FILE, FAKES "nvlink-s"},
	{SECTION_NVLINK, "nvlink -e", PIECE_FILE, FAKES "nvlink-e"},
	{SECTION_FABRICMANAGER, "", PIECE_FILE, FAKES "fabric"},
	{SECTION_XID, "log", PIECE_LOG, FAKES "dmesg"},
	{SECTION_EFA, "fi_info", PIECE_FILE, FAKES "fi_info"},
	{SECTION_HOST, "chrony", PIECE_FILE, FAKES "chronyc"},
	{SECTION_HOST, "os-release", PIECE_FILE, "root/etc/os-release"},
	{SECTION_HOST, "resource_config", PIECE_FILE, "root/opt/ml/config/resource_config.json"},
	{SECTION_HOST, "cloud-init", PIECE_JSON, "root/run/cloud-init/instance-data.json"},
	{SECTION_STACK, "efa_installed_packages", PIECE_FILE,
		"root/opt/amazon/efa_installed_packages"},
	{SECTION_STACK, "module efa", PIECE_FILE, "sys/module/efa/version"},
	{SECTION_STACK, "modinfo efa", PIECE_FILE, FAKES "modinfo"},
	{SECTION_STACK, "nvidia", PIECE_FILE, "proc/driver/nvidia/version"},
	{SECTION_STACK, "packages", PIECE_FILE, FAKES "dpkg-query"},
	{SECTION_STACK, "ofi_nccl", PIECE_NAMES, ""},
	{SECTION_STACK, "nccl", PIECE_NAMES, ""},
	{SECTION_STACK, "cuda", PIECE_CUDA, ""},
	{SECTION_STACK, "module lustre", PIECE_FILE, "sys/module/lustre/version"},
	{SECTION_STACK, "modules", PIECE_MODULES, "sys/module/"},
	{SECTION_CLIENT_IO, "llite", PIECE_LLITE, "sys/fs/lustre/llite/"},
	{SECTION_CLIENT_IO, "import", PIECE_FILE, FAKES "lctl"},
};

/* The piece after the mark, up to the next one. False when the text has no such mark. */
static bool find_piece(struct span text, const char *mark, struct span *args, struct span *body)
{
	struct span rest = text;
	struct span line;
	bool found = false;

	*body = text;
	while (mark[0] && span_line(&rest, &line)) {
		if (!span_starts(line, "#@ "))
			continue;
		if (found) {
			body->n = (size_t)(line.p - body->p);
			return true;
		}
		struct span name = {line.p + 3, line.n - 3};

		found = span_starts(name, mark) &&
			(name.n == strlen(mark) || name.p[strlen(mark)] == ' ');
		if (found) {
			*args = span_trim(
				(struct span){name.p + strlen(mark), name.n - strlen(mark)});
			*body = rest;
		}
	}
	return !mark[0] || found;
}

static double real_uptime_s(void)
{
	double s = 0;
	FILE *f = fopen("/proc/uptime", "r");

	if (f && fscanf(f, "%lf", &s) != 1)
		s = 0;
	if (f)
		fclose(f);
	return s;
}

static void put_log(const char *dir, const char *name, struct span body, double sim_uptime_s)
{
	FILE *f = open_file(dir, name, "w");
	double now = real_uptime_s();
	struct span line;

	while (span_line(&body, &line)) {
		ptrdiff_t end = span_find(line, "] ");
		double at;

		if (end < 2 ||
			!span_f64(span_trim((struct span){line.p + 1, (size_t)end - 1}), &at))
			continue;
		at = now - (sim_uptime_s - at);
		fprintf(f, "[%12.6f] %.*s\n", at > 0 ? at : 0, (int)(line.n - (size_t)end - 2),
			line.p + end + 2);
	}
	fclose(f);
}

/* "/usr/local/cuda -> /usr/local/cuda-12.8", then lines of its version.json. */
static void put_cuda(const char *dir, struct span body)
{
	char name[PATH_BYTES];
	char target[PATH_BYTES];
	struct span line;
	ptrdiff_t arrow;

	if (!span_line(&body, &line) || (arrow = span_find(line, " -> ")) < 0)
		return;
	snprintf(target, sizeof(target), "%.*s", (int)(line.n - (size_t)arrow - 4),
		line.p + arrow + 4);
	put_link(dir, "root/usr/local/cuda", target);
	snprintf(name, sizeof(name), "root%.*s/version.json", PATH_BYTES - 32, target);
	put_file(dir, name, body);
}

static void put_piece(
	const char *dir, const struct demo_state *st, size_t i, struct span args, struct span body)
{
	char name[PATH_BYTES];
	struct span line;

	switch (pieces[i].kind) {
	case PIECE_FILE:
		put_file(dir, pieces[i].path, body);
		break;
	case PIECE_CUDA:
		put_cuda(dir, body);
		break;
	case PIECE_JSON: {
		FILE *f = open_file(dir, pieces[i].path, "w");

		fprintf(f, "{\n%.*s  \"end\": 0\n}\n", (int)body.n, body.p);
		fclose(f);
		break;
	}
	case PIECE_NAMES:
		while (span_line(&body, &line)) {
			snprintf(name, sizeof(name), "root%.*s", (int)line.n, line.p);
			put_file(dir, name, (struct span){"", 0});
		}
		break;
	case PIECE_MODULES:
		while (span_line(&body, &line)) {
			snprintf(name, sizeof(name), "%s%.*s", pieces[i].path, (int)line.n, line.p);
			put_dir(dir, name);
		}
		break;
	case PIECE_LLITE:
		snprintf(name, sizeof(name), "%s%.*s/stats", pieces[i].path, (int)args.n, args.p);
		put_file(dir, name, body);
		break;
	case PIECE_LOG:
		put_log(dir, pieces[i].path, body, st->uptime_ms / 1000);
		break;
	}
}

static void put_section(
	const char *dir, const struct demo_state *st, enum section_id id, struct span text)
{
	struct span args = SPAN_INIT;
	struct span body;

	put_paths(dir, text);
	for (size_t i = 0; i < ARRAY_LEN(pieces); i++)
		if (pieces[i].section == id && find_piece(text, pieces[i].mark, &args, &body))
			put_piece(dir, st, i, args, body);
}

static void put_node(const char *base, const struct demo_state *st)
{
	char dir[PATH_BYTES / 2];
	char raw[PATH_BYTES / 2];

	snprintf(dir, sizeof(dir), "%s/node/%s", base, st->node->name);
	snprintf(raw, sizeof(raw), "%s/raw/%s", base, st->node->name);
	for (int id = 0; id < SECTION_COUNT; id++) {
		struct buf text = BUF_INIT(SECTION_TEXT_MAX);
		struct demo_answer answer = {0};

		if (demo_sim_text(st, (enum section_id)id, &text, &answer) != ERR_OK)
			exit(1);
		struct span all = {buf_str(&text), text.len};

		if (answer.exit_code != 127) {
			put_file(raw, section_desc((enum section_id)id)->name, all);
			put_section(dir, st, (enum section_id)id, all);
		}
		buf_release(&text);
	}
}

static cJSON *describe(const struct demo_scenario *sc, size_t i)
{
	const struct demo_node *n = &sc->nodes[i];
	cJSON *object = cJSON_CreateObject();
	cJSON *faults = cJSON_AddArrayToObject(object, "faults");

	json_add_str(object, "name", n->name);
	json_add_str(object, "instance_id", n->instance_id);
	json_add_str(object, "group", n->group->name);
	json_add_str(object, "instance_type", n->group->type->name);
	cJSON_AddNumberToObject(object, "gpus", n->group->type->gpus);
	cJSON_AddNumberToObject(object, "efas", n->group->type->efas);
	for (size_t k = sc->first_fault[i]; k < sc->first_fault[i + 1]; k++)
		cJSON_AddItemToArray(faults, cJSON_CreateString(demo_fault_name(&sc->faults[k])));
	return object;
}

int main(int argc, char **argv)
{
	static struct demo_state st;
	struct demo_scenario *sc;
	struct err e = ERR_INIT;

	if (argc < 3) {
		fputs("usage: simraw SCENARIO DIR [SECONDS]\n", stderr);
		return 2;
	}
	if (demo_scenario_load(&sc, argv[1], &e) != ERR_OK) {
		fprintf(stderr, "simraw: %s\n", e.msg);
		return 2;
	}
	int64_t t_ms = argc > 3 ? strtoll(argv[3], NULL, 10) * 1000 : 0;
	cJSON *nodes = cJSON_CreateArray();

	for (size_t i = 0; i < sc->n; i++) {
		demo_state_at(&st, sc, i, t_ms, clock_wall_ms() - t_ms);
		put_node(argv[2], &st);
		cJSON_AddItemToArray(nodes, describe(sc, i));
	}
	char *text = cJSON_Print(nodes);

	put_file(argv[2], "nodes.json", span_of(text));
	free(text);
	cJSON_Delete(nodes);
	demo_scenario_free(sc);
	return 0;
}
