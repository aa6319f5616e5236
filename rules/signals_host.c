/* Derived signals of the node itself, its CPUs, mounts and filesystems. */
#include "rules/signals.h"

#include <stdio.h>
#include <string.h>

static struct sample *last(const struct signal_ctx *c)
{
	return &c->out->items[c->out->n - 1];
}

static struct opt_str text_or_unknown(const char *s)
{
	return (struct opt_str){s && s[0] ? OPT_OK : OPT_UNKNOWN, s};
}

void signal_unreachable(const struct signal_ctx *c)
{
	enum node_state st = c->node->state;
	struct opt_bool v = opt_bool(st == NODE_FAILED || st == NODE_STALE);

	if (!v.v && st != NODE_OK)
		v.state = OPT_UNKNOWN; /* not tried yet */
	sample_flag(c, NULL, v);
	last(c)->detail = c->node->error;
}

void signal_instance_type(const struct signal_ctx *c)
{
	sample_str(c, NULL, text_or_unknown(c->facts->type_name));
}

void signal_az(const struct signal_ctx *c)
{
	const struct host_reading *h = reading_host(c->node->section[SECTION_HOST]);
	const char *az = c->node->placement.az;

	if (!az && h && opt_has(h->az))
		az = h->az.v;
	sample_str(c, NULL, text_or_unknown(az));
}

/* Layers that no inventory told: nothing to compare, and no loss. */
static void layer(const struct signal_ctx *c, const char *name)
{
	struct opt_str v = text_or_unknown(name);

	if (!opt_has(v))
		v.state = OPT_UNSUPPORTED;
	sample_str(c, NULL, v);
}

void signal_leaf(const struct signal_ctx *c)
{
	layer(c, c->node->placement.leaf);
}

void signal_spine(const struct signal_ctx *c)
{
	layer(c, c->node->placement.spine);
}

void signal_ultraserver(const struct signal_ctx *c)
{
	layer(c, c->node->placement.ultraserver);
}

/* Captured files were not read at the moment they were taken: nothing to compare with. */
void signal_clock_skew(const struct signal_ctx *c)
{
	const struct section *s = c->node->section[SECTION_HOST];
	const struct host_reading *h = reading_host(s);
	struct opt_f64 v = {h->now_unix_s.state, 0};

	if (c->snap->mode == SOURCE_RAW)
		v.state = OPT_UNSUPPORTED;
	else if (opt_has(h->now_unix_s))
		v = opt_f64(h->now_unix_s.v - (double)s->meta.wall_ms / 1000.0);
	sample_f64(c, s, v);
}

/* Not a loss in reading: the mounts hang, which is a finding of its own. */
static bool told_why(const struct section *s)
{
	const struct lustre_df_reading *l = reading_lustre_df(s);

	return s->id == SECTION_LUSTRE_DF && opt_has(l->skipped) && l->skipped.v > 0;
}

void signal_unread(const struct signal_ctx *c)
{
	for (int i = 0; i < SECTION_COUNT; i++) {
		const struct section *s = c->node->section[i];

		if (!s || s->status == SECTION_UNAVAILABLE)
			continue;
		uint64_t n = s->unread_n;

		if (n == 0 && s->status != SECTION_OK && !told_why(s))
			n = 1;
		if (n == 0)
			continue;
		sample_u64(c, s, opt_u64(n));
		last(c)->name = section_desc((enum section_id)i)->title;
		last(c)->row = s;
	}
	if (c->out->n == 0 && c->facts->reached)
		sample_u64(c, NULL, opt_u64(0));
	else if (c->out->n == 0)
		sample_u64(c, NULL, (struct opt_u64){OPT_UNKNOWN, 0});
}

void describe_unread(const struct sample *s, char *out, size_t size)
{
	const struct section *sec = s->row;

	if (sec && sec->unread_n)
		snprintf(out, size, "%s: %s", sec->unread[0].what, sec->unread[0].why);
	else if (sec)
		snprintf(out, size, "%s", section_status_name(sec->status));
}

void signal_governor(const struct signal_ctx *c)
{
	const struct section *s = c->node->section[SECTION_GOVERNOR];
	const struct governor_reading *r = reading_governor(s);
	struct opt_u64 v = r->not_performance;

	if (!opt_has(v) || (opt_has(r->cpus) && r->cpus.v == 0))
		v.state = OPT_UNSUPPORTED; /* most EC2 types expose none */
	sample_u64(c, s, v);
	last(c)->detail = opt_has(r->governors)  ? r->governors.v
			  : opt_has(r->governor) ? r->governor.v
						 : NULL;
}

void signal_iowait(const struct signal_ctx *c)
{
	const struct section *s = c->node->section[SECTION_CPU];
	struct opt_f64 v = node_iowait_pct(c->node);

	/* One answer of a counter has no interval yet: that is no failure to read. */
	if (!opt_has(v) && !c->node->prev[SECTION_CPU] && opt_has(reading_cpu(s)->iowait_ticks))
		v.state = OPT_UNSUPPORTED;
	sample_f64(c, s, v);
}

static bool in_list(const char *s, const char *const *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(s, list[i]) == 0)
			return true;
	return false;
}

static bool is_shared(const struct capacity_row *m)
{
	return opt_has(m->fstype) &&
	       (strcmp(m->fstype.v, "lustre") == 0 || strncmp(m->fstype.v, "nfs", 3) == 0);
}

/* Kept in memory, read-only images, or views of another filesystem. */
static bool is_pseudo(const struct capacity_row *m)
{
	static const char *const data[] = {"lustre", "nfs4", "ext4", "xfs"};
	static const char *const types[] = {"tmpfs", "devtmpfs", "ramfs", "squashfs", "iso9660",
		"overlay", "proc", "sysfs", "efivarfs", "vfat", "autofs", "fuse.lxcfs", "cgroup2"};
	static const char *const sources[] = {
		"tmpfs", "devtmpfs", "udev", "overlay", "none", "shm", "efivarfs", "proc"};

	if (opt_has(m->fstype) && in_list(m->fstype.v, data, ARRAY_LEN(data)))
		return false;
	if (opt_has(m->fstype) && in_list(m->fstype.v, types, ARRAY_LEN(types)))
		return true;
	if (!opt_has(m->source))
		return false;
	return in_list(m->source.v, sources, ARRAY_LEN(sources)) ||
	       strncmp(m->source.v, "/dev/loop", 9) == 0;
}

static bool is_root(const struct capacity_row *m)
{
	return opt_has(m->mount) && strcmp(m->mount.v, "/") == 0;
}

/* Mounts that do not answer have findings of their own. */
static bool is_data(const struct capacity_row *m)
{
	static const char *const boot[] = {"/boot", "/boot/efi", "/run", "/dev", "/dev/shm"};

	if (!opt_has(m->mount) || (opt_has(m->state) && strcmp(m->state.v, "ok") != 0))
		return false;
	return !is_pseudo(m) && !in_list(m->mount.v, boot, ARRAY_LEN(boot));
}

static void mount_pct(const struct signal_ctx *c, const struct capacity_row *m, struct opt_f64 v)
{
	sample_f64(c, c->node->section[SECTION_CAPACITY], v);
	last(c)->name = m->mount.v;
	last(c)->detail = opt_has(m->source) ? m->source.v : NULL;
}

static void used_of(const struct signal_ctx *c, bool shared)
{
	const struct capacity_reading *r = reading_capacity(c->node->section[SECTION_CAPACITY]);

	for (size_t i = 0; i < r->mount_n; i++) {
		const struct capacity_row *m = &r->mount[i];

		if (is_shared(m) == shared && !is_root(m) && is_data(m))
			mount_pct(c, m, m->used_pct);
	}
}

void signal_shared_used(const struct signal_ctx *c)
{
	used_of(c, true);
}

void signal_local_used(const struct signal_ctx *c)
{
	used_of(c, false);
}

void signal_inodes_used(const struct signal_ctx *c)
{
	const struct capacity_reading *r = reading_capacity(c->node->section[SECTION_CAPACITY]);

	for (size_t i = 0; i < r->mount_n; i++) {
		const struct capacity_row *m = &r->mount[i];
		struct opt_f64 v = m->inodes_used_pct;

		if (!is_data(m))
			continue;
		if (!opt_has(v))
			v.state = OPT_UNSUPPORTED; /* FSx for OpenZFS and others count none */
		mount_pct(c, m, v);
	}
}

static void targets(const struct signal_ctx *c, const char *kind)
{
	const struct section *s = c->node->section[SECTION_LUSTRE_DF];
	const struct lustre_df_reading *r = reading_lustre_df(s);

	for (size_t i = 0; i < r->target_n; i++) {
		const struct lustre_df_row *t = &r->target[i];

		if (!opt_has(t->kind) || strcmp(t->kind.v, kind) != 0)
			continue;
		struct opt_f64 v = t->used_pct;

		if (!opt_has(v) && opt_has(t->available) && !t->available.v)
			v.state = OPT_UNSUPPORTED; /* silent targets have a finding of their own */
		sample_f64(c, s, v);
		last(c)->name = opt_has(t->target) ? t->target.v : "not named";
		last(c)->detail = opt_has(t->mount) ? t->mount.v : NULL;
	}
}

void signal_ost_used(const struct signal_ctx *c)
{
	targets(c, "OST");
}

void signal_mdt_used(const struct signal_ctx *c)
{
	targets(c, "MDT");
}

/*
 * Lustre weighs OSTs by free space once they are uneven, so a filesystem that
 * is far from full evens out by itself: for information below this use.
 */
#define SPREAD_MATTERS_PCT 50

static bool same_mount(struct opt_str a, struct opt_str b)
{
	return opt_has(a) == opt_has(b) && (!opt_has(a) || strcmp(a.v, b.v) == 0);
}

/* Spread over the OSTs of the filesystem that row first is the first of; rows are grouped. */
static void spread_of(const struct signal_ctx *c, const struct lustre_df_reading *r, size_t first)
{
	double low = 0;
	double high = 0;
	size_t n = 0;

	for (size_t i = first; i < r->target_n; i++) {
		const struct lustre_df_row *t = &r->target[i];

		if (!same_mount(t->mount, r->target[first].mount) || !opt_has(t->kind) ||
			strcmp(t->kind.v, "OST") != 0 || !opt_has(t->used_pct))
			continue;
		low = n == 0 || t->used_pct.v < low ? t->used_pct.v : low;
		high = n == 0 || t->used_pct.v > high ? t->used_pct.v : high;
		n++;
	}
	if (n < 2)
		return;
	sample_f64(c, c->node->section[SECTION_LUSTRE_DF], opt_f64(high - low));
	last(c)->minor = high < SPREAD_MATTERS_PCT;
	last(c)->name = opt_has(r->target[first].mount) ? r->target[first].mount.v : "lustre";
}

void signal_ost_spread(const struct signal_ctx *c)
{
	const struct lustre_df_reading *r = reading_lustre_df(c->node->section[SECTION_LUSTRE_DF]);

	for (size_t i = 0; i < r->target_n; i++) {
		bool seen = false;

		for (size_t j = 0; j < i && !seen; j++)
			seen = same_mount(r->target[i].mount, r->target[j].mount);
		if (!seen)
			spread_of(c, r, i);
	}
}

void signal_ost_unavailable(const struct signal_ctx *c)
{
	const struct section *s = c->node->section[SECTION_LUSTRE_DF];
	const struct lustre_df_reading *r = reading_lustre_df(s);
	bool named = false;

	for (size_t i = 0; i < r->target_n; i++) {
		const struct lustre_df_row *t = &r->target[i];
		bool silent = opt_has(t->available) && !t->available.v;

		named = named || silent;
		sample_flag(c, s, (struct opt_bool){t->available.state, silent});
		last(c)->name = opt_has(t->target) ? t->target.v : "not named";
		last(c)->detail = opt_has(t->error) ? t->error.v : NULL;
	}
	if (!named && opt_has(r->unavailable_n) && r->unavailable_n.v) {
		sample_flag(c, s, opt_bool(true));
		last(c)->name = opt_has(r->unavailable) ? r->unavailable.v : "not named";
	}
}

static bool is_shared_mount(const struct mounts_row *m)
{
	return opt_has(m->fstype) && opt_has(m->mount) &&
	       (strcmp(m->fstype.v, "lustre") == 0 || strncmp(m->fstype.v, "nfs", 3) == 0);
}

void signal_noflock(const struct signal_ctx *c)
{
	const struct section *s = c->node->section[SECTION_MOUNTS];
	const struct mounts_reading *r = reading_mounts(s);

	for (size_t i = 0; i < r->mount_n; i++) {
		const struct mounts_row *m = &r->mount[i];

		if (!is_shared_mount(m) || strcmp(m->fstype.v, "lustre") != 0)
			continue;
		sample_flag(
			c, s, (struct opt_bool){m->flock.state, opt_has(m->flock) && !m->flock.v});
		last(c)->name = m->mount.v;
		last(c)->detail = opt_has(m->options) ? m->options.v : NULL;
	}
}

void signal_mount_options(const struct signal_ctx *c)
{
	const struct section *s = c->node->section[SECTION_MOUNTS];
	const struct mounts_reading *r = reading_mounts(s);

	for (size_t i = 0; i < r->mount_n; i++) {
		const struct mounts_row *m = &r->mount[i];

		if (!is_shared_mount(m))
			continue;
		sample_str(c, s, m->options);
		last(c)->name = m->mount.v;
	}
}

void signal_shm_missing(const struct signal_ctx *c)
{
	const struct section *s = c->node->section[SECTION_SHM];
	const struct shm_reading *r = reading_shm(s);

	sample_flag(
		c, s, (struct opt_bool){r->present.state, opt_has(r->present) && !r->present.v});
	last(c)->detail = opt_has(r->error) ? r->error.v : NULL;
}

void signal_shm_size(const struct signal_ctx *c)
{
	const struct section *s = c->node->section[SECTION_SHM];
	const struct shm_reading *r = reading_shm(s);
	struct opt_f64 v = {r->size_kib.state, (double)r->size_kib.v / (1024.0 * 1024.0)};

	if (opt_has(r->present) && !r->present.v)
		v.state = OPT_UNSUPPORTED; /* missing is a finding of its own */
	sample_f64(c, s, v);
}

void normalize_options(const char *text, char *out, size_t size)
{
	static const char *const drop[] = {"addr=", "clientaddr=", "mountaddr=", "mountport="};
	struct span rest = span_of(text);
	struct span option;
	size_t used = 0;

	out[0] = '\0';
	while (span_field(&rest, ',', &option)) {
		bool skip = false;

		for (size_t i = 0; i < ARRAY_LEN(drop); i++)
			skip = skip || span_starts(option, drop[i]);
		if (skip || used + option.n + 2 > size)
			continue;
		if (used)
			out[used++] = ',';
		memcpy(out + used, option.p, option.n);
		used += option.n;
		out[used] = '\0';
	}
}
