#include "collectors/bandwidth.h"

#include <ctype.h>
#include <string.h>

#include "collectors/compiler.h"

/* busbw / algbw of n ranks: nccl-tests doc/PERFORMANCE.md. */
enum factor { FACTOR_NONE, FACTOR_ONE, FACTOR_SHARE, FACTOR_TWICE };

static const struct {
	const char *name;
	enum factor factor;
} collectives[BW_COLL_COUNT] = {
	[BW_COLL_UNKNOWN] = {"unknown", FACTOR_NONE},
	[BW_ALL_REDUCE] = {"all_reduce", FACTOR_TWICE},
	[BW_ALL_GATHER] = {"all_gather", FACTOR_SHARE},
	[BW_REDUCE_SCATTER] = {"reduce_scatter", FACTOR_SHARE},
	[BW_ALLTOALL] = {"alltoall", FACTOR_SHARE},
	[BW_ALLTOALLV] = {"alltoallv", FACTOR_SHARE},
	[BW_BROADCAST] = {"broadcast", FACTOR_ONE},
	[BW_REDUCE] = {"reduce", FACTOR_ONE},
	[BW_GATHER] = {"gather", FACTOR_SHARE},
	[BW_SCATTER] = {"scatter", FACTOR_SHARE},
	[BW_SENDRECV] = {"sendrecv", FACTOR_ONE},
	[BW_HYPERCUBE] = {"hypercube", FACTOR_ONE},
};

/*
 * Letters of other names; the names above are found by their own letters. nccom-test's
 * are in its documentation (neuron-sys-tools/nccom-test.rst): allr, allg, redsct, ...
 */
static const struct {
	const char *letters;
	enum bw_collective collective;
} aliases[] = {
	{"allr", BW_ALL_REDUCE},
	{"allg", BW_ALL_GATHER},
	{"redsct", BW_REDUCE_SCATTER},
	{"reducescat", BW_REDUCE_SCATTER},
	{"alltoallpersonalized", BW_ALLTOALL},
	{"all2all", BW_ALLTOALL},
	{"a2a", BW_ALLTOALL},
	{"alltoallv", BW_ALLTOALLV},
	{"all2allv", BW_ALLTOALLV},
	{"bcast", BW_BROADCAST},
	{"sendreceive", BW_SENDRECV},
	{"sr", BW_SENDRECV},
};

static const char *const tools[BW_TOOL_COUNT] = {
	[BW_NCCL_TESTS] = "nccl-tests",
	[BW_NCCOM] = "nccom-test",
	[BW_CSV] = "csv",
};

static const char *const statuses[BW_STATUS_COUNT] = {
	[BW_OK] = "ok",
	[BW_FAILED] = "failed",
	[BW_TRUNCATED] = "truncated",
	[BW_NONE] = "none",
};

static const char *const troubles[BW_TROUBLE_COUNT] = {
	[BW_TROUBLE_SOCKET] = "nccl-net-socket",
	[BW_TROUBLE_OFI_TCP] = "nccl-ofi-tcp",
	[BW_TROUBLE_NO_PLUGIN] = "nccl-no-plugin",
	[BW_TROUBLE_NO_PROVIDER] = "nccl-no-provider",
	[BW_TROUBLE_NO_GDR] = "nccl-no-gdr",
	[BW_TROUBLE_MEMLOCK] = "nccl-memlock",
	[BW_TROUBLE_SHM] = "nccl-shm",
	[BW_TROUBLE_TIMEOUT] = "nccl-timeout",
};

const char *bw_tool_name(enum bw_tool t)
{
	return (size_t)t < BW_TOOL_COUNT ? tools[t] : "unknown";
}

const char *bw_status_name(enum bw_status s)
{
	return (size_t)s < BW_STATUS_COUNT ? statuses[s] : "unknown";
}

const char *bw_collective_name(enum bw_collective c)
{
	return collectives[(size_t)c < BW_COLL_COUNT ? c : BW_COLL_UNKNOWN].name;
}

const char *bw_trouble_name(enum bw_trouble t)
{
	return (size_t)t < BW_TROUBLE_COUNT ? troubles[t] : "unknown";
}

/* "all_reduce", "AllReduce", "all-reduce" and "all reduce" have the same letters. */
static bool same_letters(const char *name, const char *letters)
{
	for (; *name; name++) {
		if (*name == '_')
			continue;
		if (*letters++ != *name)
			return false;
	}
	return *letters == '\0';
}

static bool is_suffix(const char *letters, size_t n, const char *suffix)
{
	size_t k = strlen(suffix);

	return n > k && memcmp(letters + n - k, suffix, k) == 0;
}

enum bw_collective bw_collective_by_name(struct span name)
{
	char letters[32];
	size_t n = 0;

	name = span_trim(name);
	for (size_t i = 0; i < name.n; i++) {
		if (name.p[i] == '_' || name.p[i] == '-' || name.p[i] == ' ')
			continue;
		if (n + 1 >= sizeof(letters))
			return BW_COLL_UNKNOWN;
		letters[n++] = (char)tolower((unsigned char)name.p[i]);
	}
	if (is_suffix(letters, n, "perf"))
		n -= 4;
	letters[n] = '\0';
	for (size_t i = BW_COLL_UNKNOWN + 1; i < BW_COLL_COUNT; i++)
		if (same_letters(collectives[i].name, letters))
			return (enum bw_collective)i;
	for (size_t i = 0; i < ARRAY_LEN(aliases); i++)
		if (strcmp(aliases[i].letters, letters) == 0)
			return aliases[i].collective;
	return BW_COLL_UNKNOWN;
}

double bw_factor(enum bw_collective c, uint64_t ranks)
{
	double n = (double)ranks;

	if ((size_t)c >= BW_COLL_COUNT || ranks < 1)
		return 0;
	switch (collectives[c].factor) {
	case FACTOR_ONE:
		return 1;
	case FACTOR_SHARE:
		return (n - 1) / n;
	case FACTOR_TWICE:
		return 2 * (n - 1) / n;
	case FACTOR_NONE:
		break;
	}
	return 0;
}

const struct bw_row *bw_table_largest(const struct bw_table *t)
{
	const struct bw_row *best = NULL;

	for (size_t i = 0; i < t->n; i++) {
		const struct bw_row *r = &t->rows[i];

		if (r->size_bytes == 0 ||
			(!opt_has(r->oop_busbw_gbps) && !opt_has(r->ip_busbw_gbps)))
			continue;
		if (!best || r->size_bytes > best->size_bytes)
			best = r;
	}
	return best;
}
