/*
 * What parse_nccl.c, nccl_log.c and nccl_run.c share. Of no interest elsewhere.
 */
#ifndef COLLECTORS_NCCL_STATE_H
#define COLLECTORS_NCCL_STATE_H

#include "collectors/bw_build.h"
#include "collectors/nccl_fast.h"
#include "collectors/nccl_row.h"
#include "collectors/parse_nccl.h"

/* What a command line says of the run that it starts. */
struct nccl_command {
	enum bw_collective collective;
	bool nccom;
	struct opt_u64 ranks; /* nccom-test -r */
	struct bw_hosts hosts;
	bool wraps; /* ends in a backslash: the next line continues it */
};

/* The run that is being read; the zero value is "nothing yet". */
struct nccl_run {
	unsigned first_line;
	bool has_version;
	bool has_start; /* "Collective test starting" */
	size_t banners; /* "nThread" */
	size_t headings;
	size_t footers; /* "Out of bounds values" or "Avg bus bandwidth", one a table */
	bool has_bounds;
	bool bounds_last;  /* the last footer line was of out-of-bounds values */
	size_t open_table; /* the first table without a footer */
	size_t rank_zeros;
	uint64_t rank_zero_pid;
	uint64_t max_rank;
	uint64_t group;      /* of the first Rank line */
	size_t in_group;     /* Rank lines of it */
	bool several_groups; /* NCCL_TESTS_SPLIT */
	bool has_ranks;
	bool command_since; /* a command line came after its first line */
	bool failed;
	bool launcher_failed;
	const char *failure; /* the first line that says so */
	const char *launcher;
	bool saw_socket; /* the network in use, as log lines tell */
	bool saw_network;
	bool saw_gdr;        /* on a host that is not named */
	bool mapping_is_old; /* an earlier run had the same list */
	bool has_root;       /* of its rows */
	bool ip_wrong_na;    /* the in-place half alone is not checked: alltoall, sendrecv */
	struct opt_u64 command_ranks;
};

struct nccl {
	struct bw_sink sink;
	char *name;
	unsigned line;
	struct nccl_layout layout;
	struct nccl_fast fast; /* ready only between rows of one table */
	struct nccl_row begun; /* a row whose figures are still to come */
	bool has_begun;
	struct bw_build build;
	struct nccl_run run;
	struct nccl_command command;   /* the last one seen, until a run takes it */
	struct bw_hosts command_hosts; /* of the run's own command */
	struct bw_hosts nodelist;      /* of the job: for every run of the input */
	struct bw_hosts mapping;       /* "host: i-..." lines, for runs to come */
	bool mapping_used;             /* by a run: the next line begins another list */
	struct bw_hosts run_mapping;   /* of the run */
	struct bw_hosts spoke;         /* hosts whose log lines tell of GPUDirect, of the run */
	bool seen;
	enum bw_tool seen_tool;
	char scratch[BW_SCRATCH];
};

/* nccl_run.c: gives the run to the sink, if there is one, and forgets it. */
void nccl_run_flush(struct nccl *p);
/* The first line of something that belongs to a run. */
void nccl_run_touch(struct nccl *p);

/* nccl_log.c: a line that is no part of nccl-tests' own output, without its wrapper. */
void nccl_log_line(struct nccl *p, struct span line);

/* nccl_command.c: lines in which a word was found at `at`, for the run that comes next. */
void nccl_on_command(struct nccl *p, struct span line, size_t at);
void nccl_on_nccom(struct nccl *p, struct span line, size_t at);
void nccl_on_program(struct nccl *p, struct span line, size_t at);
void nccl_on_running(struct nccl *p, struct span line, size_t at);
void nccl_on_nodelist(struct nccl *p, struct span line, size_t at);
void nccl_on_instance(struct nccl *p, struct span line, size_t at);
/* Options and arguments; the last character tells whether the next line goes on. */
void nccl_read_command(struct nccl *p, struct span line);

#endif
