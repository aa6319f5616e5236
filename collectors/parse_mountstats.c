#include "collectors/parse_mountstats.h"

#include <string.h>

/* Columns of a per-op line (kernel: rpc_print_iostats); times in ms. */
enum op {
	OP_OPS,
	OP_TRANS,
	OP_TIMEOUTS,
	OP_SENT,
	OP_RECV,
	OP_QUEUE,
	OP_RTT,
	OP_EXECUTE,
	OP_COLUMNS
};

/* Words of the "bytes:" line: what the server carried (kernel: nfs_show_stats). */
#define BYTES_SERVER_READ  4
#define BYTES_SERVER_WRITE 5

/* One NFS mount while its lines are read; its sums count only when its block is whole. */
struct block {
	struct client_io_row *row;
	uint64_t retrans;
	uint64_t metadata;
	uint64_t opens;
	bool ops;     /* "per-op statistics" was seen */
	bool unclear; /* a line of it could not be read */
};

static const char *const metadata_ops[] = {"GETATTR", "SETATTR", "LOOKUP", "LOOKUPP", "ACCESS",
	"READLINK", "CREATE", "MKDIR", "SYMLINK", "MKNOD", "REMOVE", "RMDIR", "RENAME", "LINK",
	"READDIR", "READDIRPLUS", "FSSTAT", "STATFS", "FSINFO", "PATHCONF", "OPEN", "OPEN_NOATTR",
	"OPEN_CONFIRM", "OPEN_DOWNGRADE", "CLOSE", "GETACL", "SETACL"};

static void finish(struct block *b)
{
	if (!b->row || !b->ops || b->unclear)
		return;
	b->row->retrans = opt_u64(b->retrans);
	b->row->metadata_ops = opt_u64(b->metadata);
	b->row->open = opt_u64(b->opens);
}

/* "device SOURCE mounted on MOUNT with fstype nfs4 statvers=1.1" */
static void start(struct section *s, struct block *b, struct span line)
{
	struct client_io_reading *r = s->mutable_reading;
	ptrdiff_t on = span_find(line, " mounted on ");
	ptrdiff_t with = span_find(line, " with fstype nfs");
	char path[1024];

	*b = (struct block){.row = NULL};
	if (on < 0 || with < on + 12)
		return;
	/* "nfs" or "nfs4", but not "nfsd". */
	struct span type = {line.p + with + 13, line.n - (size_t)with - 13};
	struct span word;

	if (!span_word(&type, &word) || (!span_eq(word, "nfs") && !span_eq(word, "nfs4")))
		return;
	b->row = SECTION_ROW(s, r, mount);
	if (!b->row)
		return;
	struct span mount = {line.p + on + 12, (size_t)(with - on - 12)};

	b->row->kind = section_str(s, span_of("nfs"));
	b->row->fs = section_str(s, marks_unescape(mount, path, sizeof(path)));
}

static void read_bytes(struct block *b, struct span rest)
{
	struct span word;

	for (size_t i = 0; span_word(&rest, &word); i++) {
		if (i == BYTES_SERVER_READ)
			b->row->read_bytes = marks_u64(word);
		else if (i == BYTES_SERVER_WRITE)
			b->row->write_bytes = marks_u64(word);
	}
}

static void set_io(struct span name, const uint64_t v[OP_COLUMNS], struct client_io_row *row)
{
	bool read = span_eq(name, "READ");
	struct opt_u64 *bytes = read ? &row->read_bytes : &row->write_bytes;

	*(read ? &row->read_samples : &row->write_samples) = opt_u64(v[OP_OPS]);
	/* Kernels always print the "bytes:" line; the RPC sizes include headers. */
	if (!opt_has(*bytes))
		*bytes = opt_u64(read ? v[OP_RECV] : v[OP_SENT]);
	if (v[OP_OPS])
		*(read ? &row->read_rtt_ms : &row->write_rtt_ms) =
			opt_f64((double)v[OP_RTT] / (double)v[OP_OPS]);
}

/* "READ: ops transmissions timeouts sent received queue rtt execute [errors]" */
static void read_op(struct section *s, struct block *b, struct span line)
{
	uint64_t v[OP_COLUMNS];
	struct span rest = line;
	struct span name;
	struct span word;

	if (!span_field(&rest, ':', &name) || !rest.p)
		return;
	name = span_trim(name);
	for (size_t i = 0; i < OP_COLUMNS; i++) {
		if (!span_word(&rest, &word) || !span_u64(word, &v[i])) {
			b->unclear = true;
			section_unread(s, "mountstats", "\"%.*s\"",
				(int)(line.n > 80 ? 80 : line.n), line.p);
			return;
		}
	}
	if (v[OP_TRANS] > v[OP_OPS])
		b->retrans += v[OP_TRANS] - v[OP_OPS];
	if (span_eq(name, "READ") || span_eq(name, "WRITE"))
		set_io(name, v, b->row);
	else if (span_eq(name, "GETATTR"))
		b->row->getattr = opt_u64(v[OP_OPS]);
	else if (span_eq(name, "CLOSE"))
		b->row->close = opt_u64(v[OP_OPS]);
	else if (span_eq(name, "OPEN") || span_eq(name, "OPEN_NOATTR"))
		b->opens += v[OP_OPS];
	for (size_t i = 0; i < ARRAY_LEN(metadata_ops); i++)
		if (span_eq(name, metadata_ops[i]))
			b->metadata += v[OP_OPS];
}

void mountstats_read(struct section *s, const struct marks_piece *piece)
{
	static const char bytes[] = "bytes:";
	struct block b = {.row = NULL};
	struct span text = piece->body;
	struct span line;

	while (span_line(&text, &line)) {
		line = span_trim(line);
		if (span_starts(line, "device ")) {
			finish(&b);
			start(s, &b, line);
		} else if (!b.row || !line.n) {
			continue;
		} else if (b.ops) {
			read_op(s, &b, line);
		} else if (span_starts(line, bytes)) {
			read_bytes(
				&b, (struct span){line.p + strlen(bytes), line.n - strlen(bytes)});
		} else if (span_starts(line, "per-op statistics")) {
			b.ops = true;
		}
	}
	if (piece->whole)
		finish(&b);
}
