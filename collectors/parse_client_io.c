/*
 * client_io: what the clients themselves count since the mount.
 *   #@ llite NAME      Lustre: llite.*.stats
 *   #@ import [NAME]   Lustre: osc / mdc import
 *   #@ mountstats      NFS: /proc/self/mountstats
 * or the bare text of the first two. Sums exceed 32 bits within hours.
 */
#include "collectors/section.h"

#include <stddef.h>
#include <string.h>

#include "collectors/marks.h"
#include "collectors/parse_mountstats.h"

/* llite keys that stand for one metadata request of an application. */
static const char *const llite_metadata[] = {"open", "close", "getattr", "setattr", "create",
	"link", "unlink", "symlink", "mkdir", "rmdir", "mknod", "rename", "readdir", "statfs",
	"truncate", "setxattr", "getxattr", "listxattr", "removexattr"};

static struct opt_u64 sum_word(struct span rest, size_t skip)
{
	struct span word;

	for (size_t i = 0; i < skip; i++)
		if (!span_word(&rest, &word))
			return (struct opt_u64){OPT_ERROR, 0};
	if (!span_word(&rest, &word))
		return (struct opt_u64){OPT_ERROR, 0};
	return marks_u64(word);
}

/* "write_bytes  89467810 samples [bytes] 4096 1048576 93813797294080": min, max, sum. */
static bool read_llite_line(struct section *s, struct client_io_row *row, struct span line)
{
	struct span key;
	struct span rest;
	struct span word;

	if (!span_word(&line, &key))
		return false;
	rest = line;
	if (!span_word(&rest, &word) || marks_u64(word).state != OPT_OK ||
		!span_word(&rest, &word) || !span_eq(word, "samples"))
		return false;
	struct opt_u64 samples = sum_word(line, 0);

	if (span_eq(key, "read_bytes") || span_eq(key, "write_bytes")) {
		bool read = span_eq(key, "read_bytes");
		struct opt_u64 sum = sum_word(line, 5);

		if (!opt_has(sum))
			section_unread(s, "llite", "no sum in \"%.*s\"",
				(int)(line.n > 60 ? 60 : line.n), line.p);
		*(read ? &row->read_samples : &row->write_samples) = samples;
		*(read ? &row->read_bytes : &row->write_bytes) = sum;
		return true;
	}
	if (span_eq(key, "open"))
		row->open = samples;
	else if (span_eq(key, "close"))
		row->close = samples;
	else if (span_eq(key, "getattr"))
		row->getattr = samples;
	for (size_t i = 0; i < ARRAY_LEN(llite_metadata); i++)
		if (span_eq(key, llite_metadata[i]))
			row->metadata_ops.v += samples.v;
	return true;
}

/* A key appears with its first use: absent from a whole list, it has counted nothing. */
static void set_absent(struct opt_u64 *v)
{
	if (v->state == OPT_UNKNOWN)
		*v = opt_u64(0);
}

static void read_llite(struct section *s, const struct marks_piece *piece)
{
	struct client_io_reading *r = s->mutable_reading;
	struct span text = piece->body;
	struct span line;
	bool stats = false;
	struct client_io_row *row = SECTION_ROW(s, r, mount);

	if (!row)
		return;
	row->kind = section_str(s, span_of("lustre"));
	row->fs = section_str(s, piece->args);
	while (span_line(&text, &line)) {
		line = span_trim(line);
		if (span_starts(line, "snapshot_time"))
			stats = true;
		else if (line.n && !read_llite_line(s, row, line) &&
			 !span_starts(line, "start_time") && !span_starts(line, "elapsed_time"))
			section_unread(
				s, "llite", "\"%.*s\"", (int)(line.n > 80 ? 80 : line.n), line.p);
	}
	if (!piece->whole || !stats)
		return;
	row->metadata_ops.state = OPT_OK;
	set_absent(&row->read_samples);
	set_absent(&row->read_bytes);
	set_absent(&row->write_samples);
	set_absent(&row->write_bytes);
}

static bool field_of(struct span line, const char *key, struct span *value)
{
	size_t n = strlen(key);

	if (!span_starts(line, key))
		return false;
	*value = span_trim((struct span){line.p + n, line.n - n});
	return true;
}

static void read_import_line(struct section *s, struct client_io_import *row, struct span line)
{
	const struct {
		const char *key;
		struct opt_u64 *out;
	} numbers[] = {
		{"timeouts:", &row->timeouts},
		{"inflight:", &row->inflight},
		{"connection_attempts:", &row->connection_attempts},
	};
	struct span value;
	struct span word;

	if (field_of(line, "target:", &value))
		row->target = section_str(s, value);
	else if (field_of(line, "state:", &value))
		row->state = section_str(s, value);
	else if (field_of(line, "avg_waittime:", &value) && span_word(&value, &word))
		row->avg_waittime_usec = marks_u64(word);
	for (size_t i = 0; i < ARRAY_LEN(numbers); i++)
		if (field_of(line, numbers[i].key, &value))
			*numbers[i].out = marks_u64(value);
}

static void read_imports(struct section *s, const struct marks_piece *piece)
{
	struct client_io_reading *r = s->mutable_reading;
	struct client_io_import *row = NULL;
	struct span text = piece->body;
	struct span line;

	while (span_line(&text, &line)) {
		line = span_trim(line);
		if (span_eq(line, "import:"))
			row = SECTION_ROW(s, r, import);
		else if (row)
			read_import_line(s, row, line);
	}
}

/* Text without a mark is one of the two that lctl prints. */
static void read_bare(struct section *s, const struct marks_piece *piece)
{
	struct span body = span_trim(piece->body);

	if (span_starts(body, "import:") || span_find(body, "\nimport:") >= 0)
		read_imports(s, piece);
	else if (span_starts(body, "device ") || span_find(body, "\ndevice ") >= 0)
		mountstats_read(s, piece);
	else if (span_find(body, "snapshot_time") >= 0 || span_find(body, " samples [") >= 0)
		read_llite(s, piece);
	else if (!marks_missing(body))
		section_unread(s, "text", "\"%.*s\"", (int)(body.n > 80 ? 80 : body.n), body.p);
}

/* One sum over all mounts; unknown when one of them does not tell. */
static struct opt_u64 sum_rows(const struct client_io_reading *r, size_t offset)
{
	struct opt_u64 sum = {r->mount_n ? OPT_OK : OPT_UNKNOWN, 0};

	for (size_t i = 0; i < r->mount_n; i++) {
		const struct opt_u64 *v =
			(const struct opt_u64 *)((const char *)&r->mount[i] + offset);

		if (!opt_has(*v) || v->v > UINT64_MAX - sum.v)
			return (struct opt_u64){OPT_UNKNOWN, 0};
		sum.v += v->v;
	}
	return sum;
}

static void set_totals(struct client_io_reading *r)
{
	uint64_t bad = 0;
	uint64_t retrans = 0;
	bool told = r->import_n > 0;
	size_t nfs = 0;

	r->read_bytes = sum_rows(r, offsetof(struct client_io_row, read_bytes));
	r->write_bytes = sum_rows(r, offsetof(struct client_io_row, write_bytes));
	r->metadata_ops = sum_rows(r, offsetof(struct client_io_row, metadata_ops));
	for (size_t i = 0; i < r->import_n; i++) {
		const struct opt_str *state = &r->import[i].state;

		told = told && opt_has(*state);
		bad += opt_has(*state) && strcmp(state->v, "FULL") != 0 &&
		       strcmp(state->v, "IDLE") != 0;
	}
	if (told)
		r->imports_bad = opt_u64(bad);
	for (size_t i = 0; i < r->mount_n; i++) {
		const struct client_io_row *row = &r->mount[i];

		if (!opt_has(row->kind) || strcmp(row->kind.v, "nfs") != 0)
			continue;
		if (!opt_has(row->retrans))
			return;
		nfs++;
		retrans += row->retrans.v;
	}
	if (nfs)
		r->nfs_retrans = opt_u64(retrans);
}

void parse_client_io(struct section *s, struct span text)
{
	static const struct {
		const char *name;
		void (*read)(struct section *s, const struct marks_piece *piece);
	} pieces[] = {
		{"llite", read_llite},
		{"import", read_imports},
		{"mountstats", mountstats_read},
	};
	struct marks m;
	struct marks_piece piece;
	bool missing = false;

	/* No text at all: neither Lustre nor NFS is mounted, and nothing is wrong. */
	marks_init(&m, s, text);
	while (marks_next(&m, &piece)) {
		if (!piece.mark.n)
			read_bare(s, &piece);
		missing = !piece.mark.n && marks_missing(piece.body);
		for (size_t i = 0; i < ARRAY_LEN(pieces); i++)
			if (span_eq(piece.name, pieces[i].name))
				pieces[i].read(s, &piece);
	}
	if (missing)
		section_set_status(s, SECTION_UNAVAILABLE);
	if (!m.cut)
		set_totals(s->mutable_reading);
}
