/*
 * mounts: /proc/self/mounts ("source mount type options 0 0", blanks as \040)
 * or the output of mount ("source on mount type fs (options)").
 *
 * Kernel pseudo filesystems are counted but get no row: a node with containers
 * has hundreds, and they say nothing about storage.
 */
#include "collectors/section.h"

#include "collectors/marks.h"

#define PATH_BYTES 1024

struct mount_line {
	struct span source, mount, fstype, options;
};

static bool read_mount_form(struct span line, struct mount_line *m)
{
	static const char on[] = " on /";
	static const char type[] = " type ";

	if (!span_ends(line, ")"))
		return false;
	ptrdiff_t at = span_find(line, on);

	if (at <= 0)
		return false;
	m->source = (struct span){line.p, (size_t)at};
	struct span rest = {line.p + at + 4, line.n - (size_t)at - 4};
	ptrdiff_t t = span_find(rest, type);

	if (t <= 0)
		return false;
	m->mount = (struct span){rest.p, (size_t)t};
	rest = (struct span){rest.p + t + 6, rest.n - (size_t)t - 6};
	if (!span_word(&rest, &m->fstype))
		return false;
	rest = span_trim(rest);
	if (!span_starts(rest, "("))
		return false;
	m->options = (struct span){rest.p + 1, rest.n - 2};
	return true;
}

static bool read_proc_form(struct span line, struct mount_line *m)
{
	return span_word(&line, &m->source) && span_word(&line, &m->mount) &&
	       m->mount.p[0] == '/' && span_word(&line, &m->fstype) &&
	       span_word(&line, &m->options);
}

/* Value of "name=value", or of the bare word "name" (empty value). */
static bool option(struct span options, const char *name, struct span *value)
{
	struct span one;

	while (span_field(&options, ',', &one)) {
		struct span key = one;
		struct span rest = one;

		if (span_field(&rest, '=', &key) && span_eq(key, name)) {
			*value = rest;
			return true;
		}
	}
	return false;
}

static bool has_option(struct span options, const char *name)
{
	struct span unused;

	return option(options, name, &unused);
}

static struct opt_u64 number_option(struct span options, const char *name)
{
	struct span value;

	return option(options, name, &value) ? marks_u64(value) : (struct opt_u64){OPT_UNKNOWN, 0};
}

/* OPT_UNKNOWN when neither word is there. */
static struct opt_bool choice(struct span options, const char *yes, const char *no)
{
	if (has_option(options, yes))
		return opt_bool(true);
	if (has_option(options, no))
		return opt_bool(false);
	return (struct opt_bool){OPT_UNKNOWN, false};
}

/* "NID[,NID][:NID]:/fsname[/directory]" */
static void set_lustre(struct section *s, struct mounts_row *row, const struct mount_line *m)
{
	ptrdiff_t at = span_find(m->source, ":/");

	if (at > 0) {
		struct span rest = {m->source.p + at + 2, m->source.n - (size_t)at - 2};
		struct span name;

		row->nid = section_str(s, (struct span){m->source.p, (size_t)at});
		if (span_field(&rest, '/', &name))
			row->fsname = section_str(s, name);
	}
	/* Only "flock" is coherent between clients; the kernel prints it when it is on. */
	row->flock = opt_bool(has_option(m->options, "flock"));
}

static void set_nfs(struct section *s, struct mounts_row *row, const struct mount_line *m)
{
	ptrdiff_t at = span_find(m->source, ":/");
	struct span vers;

	if (at > 0)
		row->server = section_str(s, (struct span){m->source.p, (size_t)at});
	if (option(m->options, "vers", &vers) || option(m->options, "nfsvers", &vers))
		row->vers = section_str(s, vers);
	row->rsize = number_option(m->options, "rsize");
	row->wsize = number_option(m->options, "wsize");
	row->nconnect = number_option(m->options, "nconnect");
	row->hard = choice(m->options, "hard", "soft");
}

static bool is_pseudo(struct span fstype)
{
	static const char *const types[] = {"proc", "sysfs", "cgroup", "cgroup2", "devpts",
		"securityfs", "debugfs", "tracefs", "pstore", "bpf", "configfs", "mqueue",
		"hugetlbfs", "autofs", "binfmt_misc", "fusectl", "rpc_pipefs", "nsfs", "efivarfs",
		"selinuxfs", "overlay", "ramfs", "fuse.lxcfs", "fuse.snapfuse"};

	for (size_t i = 0; i < ARRAY_LEN(types); i++)
		if (span_eq(fstype, types[i]))
			return true;
	return false;
}

static void add_row(struct section *s, const struct mount_line *m)
{
	static const char *const atimes[] = {"noatime", "relatime", "strictatime"};
	struct mounts_reading *r = s->mutable_reading;
	struct mounts_row *row = SECTION_ROW(s, r, mount);
	char path[PATH_BYTES];

	if (!row)
		return;
	row->mount = section_str(s, marks_unescape(m->mount, path, sizeof(path)));
	row->source = section_str(s, marks_unescape(m->source, path, sizeof(path)));
	row->fstype = section_str(s, m->fstype);
	row->options = section_str(s, m->options);
	for (size_t i = 0; i < ARRAY_LEN(atimes) && !opt_has(row->atime); i++)
		if (has_option(m->options, atimes[i]))
			row->atime = section_str(s, span_of(atimes[i]));
	row->read_only = choice(m->options, "ro", "rw");
	if (span_eq(m->fstype, "lustre"))
		set_lustre(s, row, m);
	else if (span_eq(m->fstype, "nfs") || span_eq(m->fstype, "nfs4"))
		set_nfs(s, row, m);
}

void parse_mounts(struct section *s, struct span text)
{
	struct mounts_reading *r = s->mutable_reading;
	uint64_t lustre = 0;
	uint64_t nfs = 0;
	uint64_t all = 0;
	struct span line;
	bool unclear;

	text = marks_whole_lines(s, text, &unclear);
	while (span_line(&text, &line)) {
		struct mount_line m = {.source = SPAN_INIT};

		line = span_trim(line);
		if (!line.n || span_starts(line, "#@"))
			continue;
		if (!read_mount_form(line, &m) && !read_proc_form(line, &m)) {
			section_unread(
				s, "line", "\"%.*s\"", (int)(line.n > 80 ? 80 : line.n), line.p);
			unclear = true;
			continue;
		}
		all++;
		lustre += span_eq(m.fstype, "lustre");
		nfs += span_eq(m.fstype, "nfs") || span_eq(m.fstype, "nfs4");
		if (!is_pseudo(m.fstype))
			add_row(s, &m);
	}
	/* Every process has mounts: an empty list is no answer. */
	if (all == 0 && s->unread_n == 0 && s->status == SECTION_OK)
		section_unread(s, "mounts", "nothing was printed");
	if (unclear || all == 0)
		return;
	r->lustre = opt_u64(lustre);
	r->nfs = opt_u64(nfs);
	r->mounts = opt_u64(all);
}
