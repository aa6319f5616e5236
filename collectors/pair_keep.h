/*
 * How pair_store keeps what it read: files, their runs, their readings. For
 * pair_store*.c only.
 */
#ifndef COLLECTORS_PAIR_KEEP_H
#define COLLECTORS_PAIR_KEEP_H

#include "collectors/bw_reader.h"
#include "collectors/pair_store.h"
#include "collectors/strpool.h"

/* A figure of two hosts. 16 bytes: there may be half a million, three times over. */
struct kept_reading {
	uint16_t a; /* hosts' numbers */
	uint16_t b;
	uint16_t key;
	uint16_t table; /* of the run; for messages */
	float busbw_gbps;
	uint32_t run; /* of the file; UINT32_MAX: a row of a CSV */
};

struct kept_trouble {
	enum bw_trouble what;
	uint32_t run;
	uint32_t host;    /* who printed it; STRPOOL_NONE not known */
	const char *line; /* NULL */
};

struct kept_file {
	char *path;
	int64_t wall_ms;
	bool growing;
	bool nothing; /* of a benchmark in it */
	struct pair_run *runs;
	size_t n_runs, runs_cap;
	float *other; /* one a run: the half that was not selected; NAN none */
	struct kept_reading *readings;
	size_t n_readings, readings_cap;
	struct kept_trouble *troubles;
	size_t n_troubles, troubles_cap;
	size_t no_size;
	size_t no_figure;
	size_t unread;
};

/* A host as a file prints it. The same name may be another instance in another file. */
struct kept_host {
	uint32_t name;     /* in the pool */
	uint32_t instance; /* in the pool: "i-..."; STRPOOL_NONE not told */
};

struct pair_file {
	struct pair_store *store;
	struct bw_reader *reader;
	struct kept_file now;      /* takes the place of what the path said before */
	struct kept_host *mapping; /* "host: i-..." lines of this file */
	size_t n_mapping, mapping_cap;
};

struct pair_store {
	struct pair_select select;
	struct kept_file **files; /* by path */
	size_t n_files, files_cap;
	struct strpool pool; /* every string that is kept */
	struct kept_host *hosts;
	size_t n_hosts, hosts_cap;
	struct strpool host_keys; /* "name\tinstance": finds hosts; the same numbers */
	struct pair_key *keys;
	size_t n_keys, keys_cap;
	struct pair_note notes[PAIR_NOTES_MAX];
	size_t n_notes;
	uint64_t generation;
	struct pair_file open;
	bool is_open;
};

/* Puts what a reader understands into f->now. */
struct bw_sink pair_take_sink(struct pair_file *f);

#endif
