/*
 * What the output of a bandwidth benchmark says: the words that every parser of
 * such output (parse_nccl, parse_nccom, parse_pairs_csv) shares.
 *
 * busbw, algbw: GB/s with GB = 1e9 bytes, as nccl-tests prints them; see
 * nccl-tests doc/PERFORMANCE.md for busbw = algbw x factor. oop is the
 * out-of-place half of a row, ip the in-place half: both are real measurements.
 */
#ifndef COLLECTORS_BANDWIDTH_H
#define COLLECTORS_BANDWIDTH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collectors/opt.h"
#include "collectors/text.h"

enum bw_tool { BW_NCCL_TESTS, BW_NCCOM, BW_CSV, BW_TOOL_COUNT };

enum bw_status {
	BW_OK,        /* a footer is there and clean */
	BW_FAILED,    /* failure text, FAILED, or wrong values */
	BW_TRUNCATED, /* ends without a footer and without failure text */
	BW_NONE, /* nothing that could be a measurement of its hosts: N one-rank runs side by side */
	BW_STATUS_COUNT
};

/*
 * Collectives. UNKNOWN first: no name was printed and none can be inferred.
 */
enum bw_collective {
	BW_COLL_UNKNOWN,
	BW_ALL_REDUCE,
	BW_ALL_GATHER,
	BW_REDUCE_SCATTER,
	BW_ALLTOALL,
	BW_ALLTOALLV,
	BW_BROADCAST,
	BW_REDUCE,
	BW_GATHER,
	BW_SCATTER,
	BW_SENDRECV,
	BW_HYPERCUBE,
	BW_COLL_COUNT
};

/*
 * Transport trouble that log lines of a run show; each becomes a finding.
 * Bits of bw_run.trouble.
 */
enum bw_trouble {
	BW_TROUBLE_SOCKET,      /* NET/Socket is the network in use */
	BW_TROUBLE_OFI_TCP,     /* NET/OFI with a TCP (or sockets) provider */
	BW_TROUBLE_NO_PLUGIN,   /* the OFI plugin could not be loaded or was not found */
	BW_TROUBLE_NO_PROVIDER, /* the plugin found no EFA device or provider */
	BW_TROUBLE_NO_GDR,      /* no GPUDirect RDMA: data is staged in host memory */
	BW_TROUBLE_MEMLOCK,     /* memory could not be registered or locked */
	BW_TROUBLE_SHM,         /* shared memory could not be made: /dev/shm */
	BW_TROUBLE_TIMEOUT,     /* the run was ended by a watchdog or a retry limit */
	BW_TROUBLE_COUNT
};

/* One printed row. Values that were not printed, or are N/A or nan, are not OPT_OK. */
struct bw_row {
	uint64_t size_bytes;
	struct opt_f64 oop_busbw_gbps;
	struct opt_f64 ip_busbw_gbps;
	struct opt_f64 oop_algbw_gbps;
	struct opt_f64 ip_algbw_gbps;
	struct opt_f64 wrong; /* wrong elements of both halves; OPT_UNSUPPORTED where not checked */
};

/* One table: the rows from a header to its footer, of one type and operation. */
struct bw_table {
	const char *dtype;         /* "float"; NULL not known. Of the first row. */
	const char *redop;         /* "sum", "none"; NULL not printed. Of the first row. */
	const struct bw_row *rows; /* as printed: repeated sizes and size 0 included */
	size_t n;
	struct opt_f64 avg_busbw_gbps; /* "Avg bus bandwidth", as printed */
	struct opt_f64 out_of_bounds;  /* "Out of bounds values" */
};

/* Where the hosts of a run are known from. */
enum bw_hosts_from {
	BW_HOSTS_UNKNOWN,
	BW_HOSTS_RANKS,     /* Rank lines, or devices[] of the JSON */
	BW_HOSTS_INFO,      /* NCCL INFO prefixes or failure lines: only those that spoke */
	BW_HOSTS_MAPPING,   /* "host: i-..." lines at the top of the file */
	BW_HOSTS_NODELIST,  /* SLURM_JOB_NODELIST */
	BW_HOSTS_COMMAND,   /* -H, --host or --hosts of a command line */
	BW_HOSTS_FILE_NAME, /* "nccl_N2_G8_a_b.log" */
	BW_HOSTS_COLUMNS    /* node_a,node_b of a CSV */
};

/*
 * One run of a benchmark. Borrowed by a sink's call; strings are printable.
 * The first n_tables tables are in the order in which they were printed.
 */
struct bw_run {
	enum bw_tool tool;
	const char *version; /* of the tool; NULL not printed */
	enum bw_collective collective;
	bool collective_stated;        /* false: inferred (see nccl-format.md, pitfall 29) */
	struct opt_u64 ranks;          /* of the communicator */
	struct opt_u64 ranks_per_host; /* where every host has as many */
	const char *const *hosts;      /* as printed, in order of rank, each once */
	size_t n_hosts;
	enum bw_hosts_from hosts_from;
	const struct bw_table *tables;
	size_t n_tables;
	enum bw_status status;
	const char *why;  /* one sentence for status other than BW_OK; NULL */
	unsigned trouble; /* bits 1 << enum bw_trouble */
	const char *trouble_line[BW_TROUBLE_COUNT]; /* the first line that shows it; NULL */
	const char *trouble_host[BW_TROUBLE_COUNT]; /* who printed it; NULL not known */
	unsigned first_line;                        /* of the input, from 1 */
};

/* A row of a table that names both nodes itself. */
struct bw_pair {
	struct span a;
	struct span b;
	double busbw_gbps;
	uint64_t size_bytes; /* 0 not told */
	enum bw_collective collective;
	unsigned line;
};

/* Where a parser puts what it understood. ctx is the owner's. Functions may be NULL. */
struct bw_sink {
	void *ctx;
	/* A run has ended. */
	void (*run)(void *ctx, const struct bw_run *run);
	void (*pair)(void *ctx, const struct bw_pair *pair);
	/* "host: i-0123..." lines: the instance behind a host name. */
	void (*instance)(void *ctx, struct span host, struct span instance_id);
	/* Something that should have been understood and was not; line from 1. */
	void (*unread)(void *ctx, unsigned line, const char *what, const char *why);
};

/* "nccl-tests" "nccom-test" "csv"; static. */
const char *bw_tool_name(enum bw_tool t);
/* "ok" "failed" "truncated" "none"; static. */
const char *bw_status_name(enum bw_status s);
/* "all_reduce" ...; "unknown"; static. */
const char *bw_collective_name(enum bw_collective c);
/* "all_reduce", "allreduce", "all_reduce_perf", "AllReduce", nccom's "allr"; BW_COLL_UNKNOWN. */
enum bw_collective bw_collective_by_name(struct span name);
/* busbw / algbw with n ranks; 0 when there is none (n below 1, unknown collective). */
double bw_factor(enum bw_collective c, uint64_t ranks);
/* Short id of a trouble ("nccl-net-socket": the id of its rule too); static. */
const char *bw_trouble_name(enum bw_trouble t);

/* The first row of the largest size above 0 that has a busbw; NULL when there is none. */
const struct bw_row *bw_table_largest(const struct bw_table *t);

#endif
