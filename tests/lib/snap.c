#include "tests/lib/snap.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collectors/buf.h"
#include "collectors/demo_sim.h"
#include "collectors/xmalloc.h"

#define NODES_MAX 4096

static void die(const char *what)
{
	fprintf(stderr, "tests/lib/snap: %s\n", what);
	abort();
}

static struct node *node_at(struct snapshot *snap, size_t i)
{
	if (i >= snap->n)
		die("no such node in the picture");
	return &snap->nodes[i];
}

struct snapshot *snap_new(size_t n)
{
	struct snapshot *snap = snapshot_new(n);

	snap->generation = 1;
	snap->mono_ms = SNAP_NOW_MONO_MS;
	snap->wall_ms = SNAP_NOW_WALL_MS;
	snap->mode = SOURCE_RAW;
	snap->source = snapshot_str(snap, "test");
	for (size_t i = 0; i < n; i++) {
		char id[32];

		snprintf(id, sizeof(id), "node%02zu", i + 1);
		snap->nodes[i].id = snapshot_str(snap, id);
		snap->nodes[i].name = snap->nodes[i].id;
		snap->nodes[i].state = NODE_OK;
		snap->nodes[i].last_ok_mono_ms = snap->mono_ms;
		snap->nodes[i].answer_ms = 100;
	}
	snapshot_count(snap);
	return snap;
}

void snap_section_meta(struct snapshot *snap, size_t i, enum section_id id, const char *bytes,
	size_t len, struct section_meta meta)
{
	struct node *n = node_at(snap, i);
	const struct section *before = section_ref(n->section[id]);
	struct section *now = section_parse(id, (struct span){bytes, len}, meta);

	if (before && before->meta.mono_ms == meta.mono_ms) { /* replaced, not followed */
		section_unref((struct section *)before);
		before = section_ref(n->prev[id]);
	}
	snapshot_set_section(n, id, now, before);
	section_unref((struct section *)before);
	section_unref(now);
}

void snap_section(struct snapshot *snap, size_t i, enum section_id id, const char *text)
{
	struct section_meta meta = SECTION_META_INIT;

	meta.exit_code = 0;
	meta.run_ms = 10;
	meta.mono_ms = snap->mono_ms;
	meta.wall_ms = snap->wall_ms;
	snap_section_meta(snap, i, id, text, strlen(text), meta);
}

void snap_section_all(struct snapshot *snap, enum section_id id, const char *text)
{
	for (size_t i = 0; i < snap->n; i++)
		snap_section(snap, i, id, text);
}

void snap_identity(struct snapshot *snap, size_t i, const char *id, const char *instance_type,
	const char *group)
{
	struct node *n = node_at(snap, i);

	if (id) {
		n->id = snapshot_str(snap, id);
		n->name = n->id;
	}
	n->instance_type = snapshot_str(snap, instance_type);
	n->group = snapshot_str(snap, group);
}

void snap_placement(struct snapshot *snap, size_t i, const char *az, const char *spine,
	const char *leaf, const char *ultraserver)
{
	struct placement *p = &node_at(snap, i)->placement;

	p->az = snapshot_str(snap, az);
	p->spine = snapshot_str(snap, spine);
	p->leaf = snapshot_str(snap, leaf);
	p->ultraserver = snapshot_str(snap, ultraserver);
}

void snap_state(struct snapshot *snap, size_t i, enum node_state st, const char *why)
{
	struct node *n = node_at(snap, i);

	n->state = st;
	n->err = st == NODE_OK ? ERR_OK : ERR_TIMEOUT;
	n->error = snapshot_str(snap, why);
	if (st == NODE_FAILED) {
		n->last_ok_mono_ms = 0;
		for (int id = 0; id < SECTION_COUNT; id++)
			snapshot_set_section(n, (enum section_id)id, NULL, NULL);
	}
	snapshot_count(snap);
}

struct snapshot *snap_advance(const struct snapshot *snap, int64_t ms)
{
	struct snapshot *next = snap_new(snap->n);

	next->generation = snap->generation + 1;
	next->mono_ms = snap->mono_ms + ms;
	next->wall_ms = snap->wall_ms + ms;
	next->mode = snap->mode;
	for (size_t i = 0; i < snap->n; i++) {
		const struct node *from = &snap->nodes[i];
		const struct placement *p = &from->placement;
		struct node *to = &next->nodes[i];

		snap_identity(next, i, from->id, from->instance_type, from->group);
		to->name = snapshot_str(next, from->name);
		to->address = snapshot_str(next, from->address);
		to->error = snapshot_str(next, from->error);
		snap_placement(next, i, p->az, p->spine, p->leaf, p->ultraserver);
		to->state = from->state;
		to->err = from->err;
		to->last_ok_mono_ms = from->last_ok_mono_ms;
		to->answer_ms = from->answer_ms;
		for (int id = 0; id < SECTION_COUNT; id++)
			snapshot_set_section(
				to, (enum section_id)id, from->section[id], from->prev[id]);
	}
	snapshot_count(next);
	return next;
}

char *snap_read_file(const char *path, size_t *len)
{
	struct buf b = BUF_INIT(SECTION_TEXT_MAX);
	struct err e = ERR_INIT;

	if (buf_read_file(&b, path, &e)) {
		buf_release(&b);
		return NULL;
	}
	if (len)
		*len = b.len;
	return buf_detach(&b);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Sorted names in dir without "." and ".."; SIZE_MAX when it is no directory. */
static size_t list_dir(const char *dir, char ***out)
{
	DIR *d = opendir(dir);
	size_t cap = 0;
	size_t n = 0;

	*out = NULL;
	if (!d)
		return SIZE_MAX;
	for (struct dirent *e = readdir(d); e && n < NODES_MAX; e = readdir(d)) {
		if (e->d_name[0] == '.')
			continue;
		xgrow((void **)out, &cap, n, sizeof(**out));
		(*out)[n++] = xstrdup(e->d_name);
	}
	closedir(d);
	if (n)
		qsort(*out, n, sizeof(**out), by_name);
	return n;
}

static void free_names(char **names, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(names[i]);
	free(names);
}

static void read_node(struct snapshot *snap, size_t i, const char *dir)
{
	char **files;
	size_t n = list_dir(dir, &files);

	if (n == SIZE_MAX)
		return;
	for (size_t f = 0; f < n; f++) {
		char path[1024];
		size_t len = 0;
		enum section_id id = section_by_name(span_of(files[f]));
		struct section_meta meta = SECTION_META_INIT;

		if (id == SECTION_COUNT)
			continue;
		snprintf(path, sizeof(path), "%s/%s", dir, files[f]);
		char *text = snap_read_file(path, &len);

		if (!text)
			continue;
		meta.mono_ms = snap->mono_ms;
		meta.wall_ms = snap->wall_ms;
		snap_section_meta(snap, i, id, text, len, meta);
		free(text);
	}
	free_names(files, n);
}

struct snapshot *snap_raw_dir(const char *dir)
{
	char **names;
	size_t n = list_dir(dir, &names);

	if (n == SIZE_MAX)
		return NULL;
	struct snapshot *snap = snap_new(n);

	for (size_t i = 0; i < n; i++) {
		char path[512];

		snprintf(path, sizeof(path), "%s/%s", dir, names[i]);
		snap_identity(snap, i, names[i], NULL, NULL);
		read_node(snap, i, path);
	}
	free_names(names, n);
	return snap;
}

static void demo_section(
	struct snapshot *snap, size_t i, enum section_id id, const struct demo_state *st)
{
	struct buf out = BUF_INIT(SECTION_TEXT_MAX);
	struct demo_answer answer = {0};
	struct section_meta meta = SECTION_META_INIT;

	if (demo_sim_text(st, id, &out, &answer))
		die("a text of the simulation is too long");
	meta.exit_code = answer.exit_code;
	meta.run_ms = demo_sim_run_ms(st, id);
	meta.mono_ms = snap->mono_ms;
	meta.wall_ms = snap->wall_ms;
	snap_section_meta(snap, i, id, buf_str(&out), out.len, meta);
	buf_release(&out);
}

static void demo_node(
	struct snapshot *snap, size_t i, const struct demo_state *st, const struct snapshot *prev)
{
	const struct demo_node *n = st->node;

	snap_identity(snap, i, n->name, n->group->type->name, n->group->name);
	snap_placement(snap, i, n->group->az, n->group->spine, n->leaf,
		n->group->ultraserver[0] ? n->group->ultraserver : NULL);
	if (st->contact != DEMO_ANSWERS) {
		snap_state(snap, i, NODE_FAILED, "no answer within 10 s");
		return;
	}
	for (int id = 0; id < SECTION_COUNT; id++) {
		const struct section *before =
			prev && i < prev->n ? prev->nodes[i].section[id] : NULL;

		snapshot_set_section(&snap->nodes[i], (enum section_id)id, before, NULL);
		demo_section(snap, i, (enum section_id)id, st);
	}
}

struct snapshot *snap_demo(
	const char *scenario, int64_t t_ms, size_t max, const struct snapshot *prev)
{
	struct demo_scenario *sc = NULL;
	struct demo_state *st = xmalloc(sizeof(*st));

	if (demo_scenario_load(&sc, scenario, NULL))
		die("no such scenario");
	size_t n = max && max < sc->n ? max : sc->n;
	struct snapshot *snap = snap_new(n);

	snap->mode = SOURCE_DEMO;
	snap->generation = prev ? prev->generation + 1 : 1;
	snap->mono_ms += t_ms;
	snap->wall_ms += t_ms;
	for (size_t i = 0; i < n; i++) {
		demo_state_at(st, sc, i, t_ms, SNAP_NOW_WALL_MS);
		demo_node(snap, i, st, prev);
	}
	snapshot_count(snap);
	demo_scenario_free(sc);
	free(st);
	return snap;
}
