/* Mounts, their capacity, and the counters of filesystem clients of a simulated node. */
#include "collectors/demo_sim.h"

#include <stdio.h>
#include <string.h>

#define BLOCK 4096

/* Options with the client's address filled in and, where a fault says so, one left out. */
static void options_of(
	const struct demo_state *st, const struct demo_mount *m, char *out, size_t size)
{
	const char *p = m->options;
	size_t used = 0;

	out[0] = '\0';
	while (*p) {
		size_t n = strcspn(p, ",");
		bool address = n == strlen("clientaddr=%s") && memcmp(p, "clientaddr=", 11) == 0;
		bool dropped = m->drop_option && n == strlen(m->drop_option) &&
			       memcmp(p, m->drop_option, n) == 0;

		if (!dropped && used < size) {
			int w = snprintf(out + used, size - used, "%s%.*s%s", used ? "," : "",
				address ? 11 : (int)n, p, address ? st->node->ip : "");

			used += w > 0 ? (size_t)w : 0;
		}
		p += n + (p[n] == ',');
	}
}

void demo_text_mounts(struct demo_text *t)
{
	const struct demo_state *st = t->st;
	char options[400];

	for (int i = 0; i < st->mounts; i++) {
		const struct demo_mount *m = &st->mount[i];

		if (m->missing)
			continue;
		options_of(st, m, options, sizeof(options));
		demo_add(t, "%s %s %s %s 0 0\n", m->source, m->mnt, m->fstype, options);
	}
	if (st->shm_kib)
		demo_add(t, "tmpfs /dev/shm tmpfs rw,nosuid,nodev,size=%lluk,inode64 0 0\n",
			(unsigned long long)st->shm_kib);
}

static void answer_of(struct demo_text *t, const struct demo_mount *m)
{
	uint64_t blocks = m->size_kib / (BLOCK / 1024);
	uint64_t avail = (uint64_t)((double)blocks * (100 - m->used_pct) / 100);
	uint64_t inodes_free = (uint64_t)((double)m->inodes * (100 - m->inodes_used_pct) / 100);

	demo_add(t, "= %s %d %llu %llu %llu %llu %llu %d\n", m->mnt, BLOCK,
		(unsigned long long)blocks, (unsigned long long)avail, (unsigned long long)avail,
		(unsigned long long)m->inodes, (unsigned long long)inodes_free, m->answer_ms);
}

void demo_text_capacity(struct demo_text *t)
{
	const struct demo_state *st = t->st;

	for (int i = 0; i < st->mounts; i++)
		if (!st->mount[i].missing)
			demo_add(t, "? %s %s %s\n", st->mount[i].fstype, st->mount[i].source,
				st->mount[i].mnt);
	for (int i = 0; i < st->mounts; i++)
		if (!st->mount[i].missing && !st->mount[i].hung)
			answer_of(t, &st->mount[i]);
	/* the first time there is just no answer; later the probe knows better than to ask */
	for (int i = 0; st->mounts_known_hung && i < st->mounts; i++)
		if (!st->mount[i].missing && st->mount[i].hung)
			demo_add(t, "~ %s still not answering\n", st->mount[i].mnt);
}

static const struct demo_mount *lustre_of(const struct demo_state *st)
{
	for (int i = 0; i < st->mounts; i++)
		if (strcmp(st->mount[i].fstype, "lustre") == 0 && !st->mount[i].missing)
			return &st->mount[i];
	return NULL;
}

/* One target line of `lfs df`. */
static void target_line(
	struct demo_text *t, const char *kind, int i, double size_kib, double pct, const char *mnt)
{
	double used = size_kib * pct / 100;

	demo_add(t, "x4k7dbev-%s%04x_UUID %12.0f %12.0f %12.0f %3.0f%% %s[%s:%d]\n", kind,
		(unsigned)i, size_kib, used, size_kib - used, pct, mnt, kind, i);
}

void demo_text_lustre_df(struct demo_text *t)
{
	const struct demo_state *st = t->st;
	const struct demo_mount *m = lustre_of(st);
	double ost_kib = m ? (double)m->size_kib / st->osts : 0;
	double used = 0;

	if (!m) {
		return;
	}
	if (m->hung) {
		demo_add(t, "#! %s: skipped, the mount does not answer\n", m->mnt);
		t->answer.exit_code = 124;
		return;
	}
	demo_add(t, "UUID                   1K-blocks        Used   Available Use%% Mounted on\n");
	target_line(t, "MDT", 0, 2e9, 7, m->mnt);
	for (int i = 0; i < st->osts; i++) {
		target_line(t, "OST", i, ost_kib, st->ost_pct[i], m->mnt);
		used += ost_kib * st->ost_pct[i] / 100;
	}
	demo_add(t, "\nfilesystem_summary: %12llu %12.0f %12.0f %3.0f%% %s\n",
		(unsigned long long)m->size_kib, used, (double)m->size_kib - used,
		100 * used / (double)m->size_kib, m->mnt);
}

#define LLITE "x4k7dbev-ffff9d2f4a3b8000"

static void llite_stats(struct demo_text *t)
{
	const struct demo_state *st = t->st;
	unsigned long long read = demo_counter(st, 1.9e8, 2e6, 0x71);
	unsigned long long written = demo_counter(st, 4e5, 2.4e9, 0x72);
	unsigned long long opens = demo_counter(st, 9, 30, 0x73);

	demo_add(t, "#@ llite " LLITE "\nsnapshot_time             %.9f secs.nsecs\n",
		(double)st->wall_ms / 1000);
	demo_add(t, "read_bytes                %llu samples [bytes] 1 4194304 %llu\n",
		read / 1048576, read);
	demo_add(t, "write_bytes               %llu samples [bytes] 1 4194304 %llu\n",
		written / 4194304, written);
	demo_add(t,
		"open                      %llu samples [reqs]\n"
		"close                     %llu samples [reqs]\n"
		"getattr                   %llu samples [reqs]\n",
		opens, opens, (unsigned long long)demo_counter(st, 40, 60, 0x74));
}

static void import_of(struct demo_text *t, const char *kind, int i, bool lost)
{
	demo_add(t, "%s.x4k7dbev-%s%04x-%s-ffff9d2f4a3b8000.import=\nimport:\n",
		strcmp(kind, "OST") == 0 ? "osc" : "mdc", kind, (unsigned)i,
		strcmp(kind, "OST") == 0 ? "osc" : "mdc");
	demo_add(t,
		"    name: x4k7dbev-%s%04x-%s-ffff9d2f4a3b8000\n    target: x4k7dbev-%s%04x_UUID\n",
		kind, (unsigned)i, strcmp(kind, "OST") == 0 ? "osc" : "mdc", kind, (unsigned)i);
	demo_add(t,
		"    state: %s\n    connection:\n"
		"       connection_attempts: %d\n",
		lost ? "DISCONN" : "FULL", lost ? 41 : 1);
	demo_add(t,
		"    rpcs:\n       inflight: %d\n       timeouts: %d\n       avg_waittime: %d "
		"usec\n",
		lost ? 8 : 0, lost ? 40 : 0, 410 + 7 * i);
}

static void nfs_stats(struct demo_text *t, const struct demo_mount *m)
{
	const struct demo_state *st = t->st;
	unsigned long long read = demo_counter(st, 3e5, 1e5, 0x81);
	unsigned long long written = demo_counter(st, 2e5, 1e5, 0x82);
	unsigned long long reads = read / 131072;
	unsigned long long writes = written / 131072;

	demo_add(t,
		"device %s mounted on %s with fstype nfs4 "
		"statvers=1.1\n\topts:\t%s\n\tage:\t%.0f\n",
		m->source, m->mnt,
		"rw,vers=4.2,rsize=1048576,wsize=1048576,namlen=255,hard,nconnect=16",
		st->uptime_ms / 1000);
	demo_add(t,
		"\tbytes:\t%llu %llu 0 0 %llu %llu %llu %llu\n\txprt:\ttcp 0 0 2 0 11 %llu %llu 0 "
		"0 0\n",
		read, written, read, written, read / 4096, written / 4096, reads + writes,
		reads + writes);
	demo_add(t, "\tper-op statistics\n");
	demo_add(t, "\t        READ: %llu %llu 0 %llu %llu %llu %llu %llu 0\n", reads, reads,
		reads * 200, read, reads / 10, reads * 9 / 10, reads);
	demo_add(t, "\t       WRITE: %llu %llu 0 %llu %llu %llu %llu %llu 0\n", writes, writes,
		written, writes * 180, writes / 10, writes * 12 / 10, writes * 13 / 10);
	demo_add(t, "\t     GETATTR: %llu %llu 0 %llu %llu 2 300 310 0\n\n", reads * 3, reads * 3,
		reads * 600, reads * 700);
}

void demo_text_client_io(struct demo_text *t)
{
	const struct demo_state *st = t->st;
	const struct demo_mount *lustre = lustre_of(st);

	if (lustre) {
		llite_stats(t);
		demo_add(t, "#@ import\n");
		import_of(t, "MDT", 0, lustre->hung);
		for (int i = 0; i < st->osts; i++)
			import_of(t, "OST", i, lustre->hung);
	}
	demo_add(t, "#@ mountstats\n");
	for (int i = 0; i < st->mounts; i++)
		if (strcmp(st->mount[i].fstype, "nfs4") == 0 && !st->mount[i].missing)
			nfs_stats(t, &st->mount[i]);
}
