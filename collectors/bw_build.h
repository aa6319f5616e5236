/*
 * A run of a benchmark while it is read: the rows, tables, hosts and strings of a
 * struct bw_run, bounded by BW_ROWS_MAX and BW_HOSTS_MAX.
 */
#ifndef COLLECTORS_BW_BUILD_H
#define COLLECTORS_BW_BUILD_H

#include "collectors/arena.h"
#include "collectors/bandwidth.h"

/* A host's name as printed, and what is known of it. */
struct bw_host {
	const char *name;
	uint64_t first_rank; /* the lowest that was seen on it */
	uint32_t ranks;
	bool gdr; /* a log line of it shows GPUDirect RDMA in use */
};

/* Host names, each once, in the order in which they came. */
struct bw_hosts {
	struct bw_host *v;
	size_t n;
	size_t cap;
	uint32_t *slots; /* hash table: index + 1 */
	size_t n_slots;
	size_t last; /* the one that was found last */
	struct arena names;
};

void bw_hosts_init(struct bw_hosts *h);
void bw_hosts_release(struct bw_hosts *h);
void bw_hosts_reset(struct bw_hosts *h);
/* The host of that name; NULL for no name and beyond BW_HOSTS_MAX. Valid until the next add. */
struct bw_host *bw_hosts_add(struct bw_hosts *h, struct span name);
/* Names separated by commas or blanks, "a:8" and "gpu[1-4]" too. */
void bw_hosts_add_list(struct bw_hosts *h, struct span list);
void bw_hosts_copy(struct bw_hosts *to, const struct bw_hosts *from);

struct bw_build {
	struct bw_run run; /* what needs no room: the parser sets it */
	struct bw_row *rows;
	size_t n_rows;
	size_t rows_cap;
	bool rows_lost; /* beyond BW_ROWS_MAX */
	struct bw_table *tables;
	size_t *table_begin; /* its first row */
	size_t n_tables;
	size_t tables_cap;
	size_t begin_cap;
	bool table_open;
	const char **host_names;
	size_t names_cap;
	struct bw_hosts ranks; /* of Rank lines */
	struct bw_hosts info;  /* of log lines */
	struct arena text;
};

void bw_build_init(struct bw_build *b);
void bw_build_release(struct bw_build *b);
/* Nothing is known; memory is kept. */
void bw_build_reset(struct bw_build *b);

/* A printable copy of at most 240 bytes; NULL when there is no room. */
const char *bw_build_text(struct bw_build *b, struct span s);
/* What follows is in another table. */
void bw_build_close_table(struct bw_build *b);
/*
 * The open table for rows of a type and operation (empty: not printed); a new one when
 * there is none, or its rows have others. NULL when there is no room.
 */
struct bw_table *bw_build_table(struct bw_build *b, struct span dtype, struct span redop);
/* To the table that bw_build_table gave. */
void bw_build_row(struct bw_build *b, const struct bw_row *row);
/* First line that shows a trouble. */
void bw_build_trouble(struct bw_build *b, enum bw_trouble t, struct span line, struct span host);
/* It was none after all. */
void bw_build_no_trouble(struct bw_build *b, enum bw_trouble t);

/* Gives the run its rows, tables and hosts, in order of rank. */
struct bw_run *bw_build_finish(struct bw_build *b, struct bw_hosts *hosts);

#endif
