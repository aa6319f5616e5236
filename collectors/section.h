/*
 * A section: one parsed answer of the probe, immutable once parsed, shared.
 *
 * Life: section_parse makes one (one reference); snapshots share it by
 * section_ref / section_unref, which any thread may call. The content never
 * changes after the collector has published it.
 *
 * To add a section: a line in SECTIONS below, its fields in reading.h, its
 * tables in section_schema.c, parse_<name>.c, and sec_<name> in probe.sh.
 */
#ifndef COLLECTORS_SECTION_H
#define COLLECTORS_SECTION_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "collectors/arena.h"
#include "collectors/err.h"
#include "collectors/reading.h"
#include "collectors/schema.h"
#include "collectors/text.h"

/*
 * S(ID, name, cadence, title): the order is the order in which a probe runs
 * them, cheap and safe ones first, those that may wait for a deadline last.
 * Cadence: how often a live session asks (CADENCE_FAST: seconds, CADENCE_SLOW:
 * a minute, CADENCE_ONCE: once a session).
 */
#define SECTIONS(S)                                                    \
	S(CPU, cpu, CADENCE_FAST, "CPU")                               \
	S(HOST, host, CADENCE_SLOW, "Host")                            \
	S(EFA_COUNTERS, efa_counters, CADENCE_FAST, "EFA counters")    \
	S(EFA, efa, CADENCE_SLOW, "EFA devices")                       \
	S(GOVERNOR, governor, CADENCE_SLOW, "CPU governor")            \
	S(MOUNTS, mounts, CADENCE_SLOW, "Mounts")                      \
	S(SHM, shm, CADENCE_SLOW, "Shared memory")                     \
	S(CLIENT_IO, client_io, CADENCE_FAST, "Filesystem clients")    \
	S(FABRICMANAGER, fabricmanager, CADENCE_SLOW, "NVLink fabric") \
	S(STACK, stack, CADENCE_ONCE, "Software stack")                \
	S(XID, xid, CADENCE_SLOW, "Kernel log (Xid)")                  \
	S(GPU, gpu, CADENCE_FAST, "GPUs")                              \
	S(NVLINK, nvlink, CADENCE_SLOW, "NVLink")                      \
	S(GPU_TOPO, gpu_topo, CADENCE_ONCE, "GPU topology")            \
	S(NEURON, neuron, CADENCE_SLOW, "Neuron devices")              \
	S(RAS, ras, CADENCE_SLOW, "NCCL status")                       \
	S(CAPACITY, capacity, CADENCE_SLOW, "Mount capacity")          \
	S(LUSTRE_DF, lustre_df, CADENCE_SLOW, "Lustre targets")

enum section_cadence { CADENCE_FAST, CADENCE_SLOW, CADENCE_ONCE };

#define SECTION_ENUM(ID, name, cadence, title) SECTION_##ID,
enum section_id { SECTIONS(SECTION_ENUM) SECTION_COUNT };
#undef SECTION_ENUM

enum section_status {
	SECTION_OK,
	SECTION_PARTIAL,     /* some of it could not be read: see unread */
	SECTION_UNAVAILABLE, /* the node has no such command or device; not an error */
	SECTION_FAILED,      /* the command failed or its text could not be understood */
	SECTION_TIMEOUT      /* the command did not end within its deadline */
};

/* One thing that could not be read, and why; printable. */
struct unread {
	const char *what;
	const char *why;
};

/* What the frame around a section told. */
struct section_meta {
	int exit_code;   /* of the command; -1 when not known (raw files) */
	int64_t run_ms;  /* how long it ran; -1 when not known */
	bool cut;        /* over the probe's byte cap, or the end mark is missing */
	int64_t mono_ms; /* when it arrived, our monotonic clock */
	int64_t wall_ms; /* when it arrived, Unix time */
};

#define SECTION_META_INIT                     \
	{                                     \
		.exit_code = -1, .run_ms = -1 \
	}

struct section {
	atomic_uint refs;
	enum section_id id;
	enum section_status status;
	struct section_meta meta;
	const struct unread *unread;
	size_t unread_n;
	const void *reading; /* struct <name>_reading; zero values when nothing was read */
	struct arena arena;
	bool compact;          /* moved to exactly as much memory as it takes */
	void *mutable_reading; /* same as reading; for the parser only */
};

/* Most bytes of one section's text; the probe's own caps are below it. */
#define SECTION_TEXT_MAX (1u << 20)
/* Most memory that one parsed section may take. */
#define SECTION_ARENA_MAX (1u << 20)
/* Most rows of one table: 16 GPUs or 64 NICs are real, thousands are an attack. */
#define SECTION_ROWS_MAX 4096

struct section_desc {
	const char *name;  /* as in the probe, the raw layout and JSON */
	const char *title; /* for people */
	enum section_cadence cadence;
	struct schema schema;
	/*
	 * Pure: reads text (escapes already stripped, stderr marks removed) into
	 * s->mutable_reading, notes what it could not read. Never fails.
	 */
	void (*parse)(struct section *s, struct span text);
};

const struct section_desc *section_desc(enum section_id id);

/* SECTION_COUNT when no section has that name. Also knows the aliases of section_alias. */
enum section_id section_by_name(struct span name);

/*
 * Other names under which `parse` takes a section: the command that prints it
 * ("nvidia-smi-query", "df"). Returns the i-th pair, or false after the last.
 */
bool section_alias(size_t i, const char **alias, enum section_id *id);

/*
 * Parses text into a new section with one reference. Never fails: what could
 * not be understood is in status and unread. Copies text.
 */
struct section *section_parse(enum section_id id, struct span text, struct section_meta meta);

struct section *section_ref(const struct section *s); /* NULL gives NULL */
void section_unref(struct section *s);                /* NULL is allowed */

/* Short word for a status ("ok", "partial" ...); static. */
const char *section_status_name(enum section_status st);

/* ---- for parsers ---- */

/* Notes that `what` could not be read. At most 64 notes are kept. */
void section_unread(struct section *s, const char *what, const char *why_fmt, ...)
	ATTR_PRINTF(3, 4);

/* Sets the status; a worse one already set stays. Order: as in the enum. */
void section_set_status(struct section *s, enum section_status st);

/* Printable copy in the section's arena; OPT_UNKNOWN when v is empty, OPT_ERROR over the cap. */
struct opt_str section_str(struct section *s, struct span v);
struct opt_str section_strf(struct section *s, const char *fmt, ...) ATTR_PRINTF(2, 3);

/*
 * Appends one zeroed row to a table and returns it; NULL over the caps (noted).
 *   struct gpu_row *row = SECTION_ROW(s, r, gpu);
 */
#define SECTION_ROW(s, reading, table) \
	section_row(                   \
		(s), (void **)&(reading)->table, &(reading)->table##_n, sizeof(*(reading)->table))
void *section_row(struct section *s, void **rows, size_t *n, size_t size);

/* ---- typed access: reading_gpu(section), NULL for NULL or another section ---- */
#define SECTION_ACCESS(ID, name, cadence, title)                                           \
	static inline const struct name##_reading *reading_##name(const struct section *s) \
	{                                                                                  \
		return s && s->id == SECTION_##ID ? s->reading : NULL;                     \
	}
SECTIONS(SECTION_ACCESS)
#undef SECTION_ACCESS

#define SECTION_PARSE_PROTO(ID, name, cadence, title) \
	void parse_##name(struct section *s, struct span text);
SECTIONS(SECTION_PARSE_PROTO)
#undef SECTION_PARSE_PROTO

#endif
