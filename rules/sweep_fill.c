/* What a plan's text needs to know: defaults by instance type, checks, estimates. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "collectors/bandwidth.h"
#include "rules/instance_type.h"
#include "rules/sweep_text.h"

#define GIB ((uint64_t)1 << 30)
#define MIB ((uint64_t)1 << 20)

/*
 * Network line rates, Gb/s: the EC2 instance type pages (accelerated computing). Sizes: at
 * which busbw is near its best (two p5: 465 of 487 GB/s at 4 GiB, README of nccl-tests in
 * awsome-distributed-training), and that fit the memory of the GPU three times.
 */
static const struct speed {
	const char *type; /* or how its name begins */
	double line_gbit_s;
	uint64_t min_bytes;
	uint64_t max_bytes;
} speeds[] = {
	{"p3dn.", 100, 128 * MIB, 1 * GIB},
	{"p4d", 400, 512 * MIB, 4 * GIB},
	{"p5", 3200, 512 * MIB, 4 * GIB},
	{"p6-b200.", 3200, 512 * MIB, 4 * GIB},
	{"p6-b300.", 6400, 512 * MIB, 4 * GIB},
	{"p6e-", 1600, 512 * MIB, 4 * GIB},
	{"g6e.48xlarge", 400, 128 * MIB, 1 * GIB},
	{"g6e.24xlarge", 200, 128 * MIB, 1 * GIB},
	{"g6e.12xlarge", 100, 128 * MIB, 1 * GIB},
	{"g5.48xlarge", 100, 128 * MIB, 1 * GIB},
	{"g6.48xlarge", 100, 128 * MIB, 1 * GIB},
	{"g5.24xlarge", 50, 128 * MIB, 1 * GIB},
	{"g6.24xlarge", 50, 128 * MIB, 1 * GIB},
	{"g", 10, 64 * MIB, 256 * MIB},
	{"trn1.32xlarge", 800, 128 * MIB, 1 * GIB},
	{"trn1n.", 1600, 128 * MIB, 1 * GIB},
	{"trn2.48xlarge", 3200, 128 * MIB, 1 * GIB},
	/* Not known: slow enough that no timeout comes too early. */
	{"", 100, 512 * MIB, 4 * GIB},
};

/* Ranks that nccom-test starts on a node: NeuronCores, on trn2 two physical ones each. */
static const struct {
	const char *type;
	unsigned ranks;
} neuron_ranks[] = {{"trn1.2xlarge", 2}, {"trn1", 32}, {"trn2", 64}};

#define GPUS_ASSUMED 8

static const struct speed *speed_of(const char *type)
{
	size_t i = 0;

	while (strncmp(type, speeds[i].type, strlen(speeds[i].type)) != 0)
		i++;
	return &speeds[i];
}

static unsigned neuron_ranks_of(const char *type)
{
	for (size_t i = 0; i < ARRAY_LEN(neuron_ranks); i++)
		if (strncmp(type, neuron_ranks[i].type, strlen(neuron_ranks[i].type)) == 0)
			return neuron_ranks[i].ranks;
	return 0;
}

static void fill_type(struct sweep_text *t)
{
	const struct instance_type *type = instance_type_find(t->instance_type);
	bool known = type && (type->gpus || type->neuron);
	const struct speed *speed = speed_of(known ? type->name : "");

	t->type_assumed = !known;
	t->trainium = known && type->neuron;
	/* Unknown: as if it had EFA, since a missing one is passed over by NCCL's plugin. */
	t->efa_devices = known ? type->efa : 1;
	t->line_gbit_s = speed->line_gbit_s;
	if (!t->gpus_per_node)
		t->gpus_per_node = !known        ? GPUS_ASSUMED
				   : t->trainium ? neuron_ranks_of(type->name)
						 : type->gpus;
	if (!t->max_bytes)
		t->max_bytes = speed->max_bytes > t->min_bytes ? speed->max_bytes : t->min_bytes;
	if (!t->min_bytes)
		t->min_bytes = speed->min_bytes < t->max_bytes ? speed->min_bytes : t->max_bytes;
}

/* ---- checks ---- */

bool sweep_name_ok(const char *name)
{
	size_t n =
		strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-");

	/* 253: RFC 1035; also keeps file names with two of them within what systems allow. */
	return n > 0 && n <= 253 && name[n] == '\0' && name[0] != '-' && name[0] != '.' &&
	       name[n - 1] != '-' && !strstr(name, "--");
}

static enum err_code check_names(const struct sweep_text *t, struct err *e)
{
	for (size_t i = 0; i < t->n_names; i++)
		if (!sweep_name_ok(t->names[i]))
			return err_set(e, ERR_USAGE,
				"node \"%.80s\": not a name that can stand in a script (letters, "
				"digits, \".\", \"_\" and single \"-\" can)",
				t->names[i]);
	return ERR_OK;
}

static enum err_code check_word(
	const char *value, const char *option, const char *extra, struct err *e)
{
	char allowed[128];

	if (!value)
		return ERR_OK;
	snprintf(allowed, sizeof(allowed), "%s%s",
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-", extra);
	if (value[0] && value[0] != '-' && strlen(value) <= 1024 &&
		value[strspn(value, allowed)] == '\0')
		return ERR_OK;
	return err_set(e, ERR_USAGE,
		"%s %.80s: not something that can stand in a script (letters, digits, \"._-%s\" "
		"can)",
		option, value, extra);
}

static enum err_code check_words(const struct sweep_text *t, struct err *e)
{
	const struct {
		const char *value;
		const char *option;
		const char *extra;
	} words[] = {
		{t->output_dir, "--dir", "/+=@,%:"},
		{t->image, "--image", "/+=@,%:#"},
		{t->binary_dir, "--binary-dir", "/+=@,%"},
		{t->partition, "--partition", ","},
		{t->name_space, "--namespace", ""},
	};
	enum err_code rc = ERR_OK;

	for (size_t i = 0; i < ARRAY_LEN(words) && rc == ERR_OK; i++)
		rc = check_word(words[i].value, words[i].option, words[i].extra, e);
	return rc;
}

static bool nccom_knows(enum bw_collective c)
{
	return c == BW_ALL_REDUCE || c == BW_ALL_GATHER || c == BW_REDUCE_SCATTER ||
	       c == BW_SENDRECV || c == BW_ALLTOALL;
}

static enum err_code check_collective(struct sweep_text *t, struct err *e)
{
	enum bw_collective c = bw_collective_by_name(span_of(t->collective));

	if (c == BW_COLL_UNKNOWN || c == BW_ALLTOALLV || (t->trainium && !nccom_knows(c)))
		return err_set(e, ERR_USAGE,
			"--collective %.40s: %s has none of that name (all_reduce, all_gather, "
			"reduce_scatter, alltoall and sendrecv are there)",
			t->collective, t->trainium ? "nccom-test" : "nccl-tests");
	t->collective = bw_collective_name(c);
	return ERR_OK;
}

static enum err_code check_runner(const struct sweep_text *t, enum sweep_runner r, struct err *e)
{
	if (r == SWEEP_K8S && t->type_assumed)
		return err_set(e, ERR_USAGE,
			"--runner k8s: pods ask for all GPUs and EFA devices of a node, and how "
			"many is not known (add --instance-type, such as p5.48xlarge)");
	if (r == SWEEP_K8S && t->trainium)
		return err_set(e, ERR_USAGE,
			"--runner k8s with %.40s: nccom-test has no MPIJob form that is "
			"documented (use --runner mpi or slurm)",
			t->instance_type);
	if (r == SWEEP_MPI && t->image)
		return err_set(e, ERR_USAGE,
			"--image: mpirun over ssh starts no container (use --runner slurm or k8s, "
			"or --binary-dir)");
	if (t->array && r != SWEEP_SLURM)
		return err_set(e, ERR_USAGE, "--array: of Slurm only (drop it, or --runner slurm)");
	return ERR_OK;
}

static enum err_code check_sizes(const struct sweep_text *t, struct err *e)
{
	/* nccl-tests prints rows of size 0 below 4 bytes a rank. */
	if (t->min_bytes < 1024 || t->max_bytes > 64 * GIB || t->min_bytes > t->max_bytes)
		return err_set(e, ERR_USAGE,
			"sizes from %llu to %llu bytes: wanted 1K <= --min-size <= --max-size <= "
			"64G",
			(unsigned long long)t->min_bytes, (unsigned long long)t->max_bytes);
	return ERR_OK;
}

/* In Kubernetes the first pod on a node has the image to fetch, of several gigabytes. */
#define IMAGE_S 600

/* Three times what is expected, in half minutes, and never less than three minutes. */
static unsigned default_timeout(const struct sweep_text *t, enum sweep_runner r)
{
	double seconds = fmax(180, ceil(3 * sweep_pair_seconds(t) / 30) * 30);

	return (unsigned)seconds + (r == SWEEP_K8S ? IMAGE_S : 0);
}

enum err_code sweep_text_fill(struct sweep_text *t, enum sweep_runner r, struct err *e)
{
	enum err_code rc;

	fill_type(t);
	if (!t->collective)
		t->collective = "all_reduce";
	if (!t->iterations)
		t->iterations = 20;
	if (!t->output_dir)
		t->output_dir = "pairwise";
	if (!t->image && r == SWEEP_K8S)
		t->image = "public.ecr.aws/hpc-cloud/nccl-tests:latest";
	if (!t->name_space)
		t->name_space = "default";
	rc = check_names(t, e);
	if (rc == ERR_OK)
		rc = check_words(t, e);
	if (rc == ERR_OK)
		rc = check_collective(t, e);
	if (rc == ERR_OK)
		rc = check_runner(t, r, e);
	if (rc == ERR_OK)
		rc = check_sizes(t, e);
	if (rc == ERR_OK && !t->timeout_s)
		t->timeout_s = default_timeout(t, r);
	return rc;
}

/* ---- estimates ---- */

/* Assumed: 16 ranks load CUDA, meet over MPI and set up EFA; nccom-test compiles first. */
#define START_S      30.0
#define NEURON_START 90.0
#define END_S        5.0

/* Assumed: between two rounds a step is made, a connection opened, or pods come and go. */
static const double between_s[] = {[SWEEP_SLURM] = 3, [SWEEP_MPI] = 3, [SWEEP_K8S] = 60};

double sweep_start_seconds(const struct sweep_text *t)
{
	return t->trainium ? NEURON_START : START_S;
}

double sweep_pair_seconds(const struct sweep_text *t)
{
	enum bw_collective c = bw_collective_by_name(span_of(t->collective));
	double factor = bw_factor(c, 2 * (uint64_t)t->gpus_per_node);
	double bytes_s = t->line_gbit_s * 1e9 / 8;
	/* nccl-tests measures each size twice (out of place, in place), and checks it once. */
	double times = (t->trainium ? 1 : 2) * (t->iterations + SWEEP_WARMUPS + 1.0);
	double sum = sweep_start_seconds(t) + END_S;

	for (uint64_t size = t->min_bytes; size && size <= t->max_bytes; size *= 2)
		sum += times * (double)size * factor / bytes_s;
	return sum;
}

double sweep_plan_seconds(
	const struct sweep_plan *p, enum sweep_runner r, const struct sweep_text *t)
{
	return (double)p->rounds * (sweep_pair_seconds(t) + between_s[r]);
}

double sweep_plan_most_seconds(const struct sweep_plan *p, const struct sweep_text *t)
{
	/* 30 s until what does not listen is killed, and as much to start the next. */
	return (double)p->rounds * (t->timeout_s + 60.0);
}

void sweep_size_text(uint64_t bytes, char out[24])
{
	static const char units[] = "KMGT";
	size_t unit = 0;

	while (bytes && bytes % 1024 == 0 && unit < 4) {
		bytes /= 1024;
		unit++;
	}
	snprintf(out, 24, "%llu%.*s", (unsigned long long)bytes, unit ? 1 : 0,
		units + (unit ? unit - 1 : 0));
}

void sweep_time_text(double seconds, char out[32])
{
	unsigned long minutes = (unsigned long)ceil(seconds / 60);

	if (seconds < 90)
		snprintf(out, 32, "%.0f s", seconds);
	else if (minutes < 120)
		snprintf(out, 32, "%lu min", minutes);
	else
		snprintf(out, 32, "%lu h %lu min", minutes / 60, minutes % 60);
}
