/* The text of a plan: a head that says what it is, its settings, its pairs, then the script. */
#include "rules/sweep_text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "collectors/bandwidth.h"

extern const char embed_sweep_main_sh[];
extern const char embed_sweep_local_sh[];
extern const char embed_sweep_nccl_sh[];
extern const char embed_sweep_nccom_sh[];
extern const char embed_sweep_slurm_sh[];
extern const char embed_sweep_mpi_sh[];
extern const char embed_sweep_k8s_sh[];

/* sbatch refuses longer scripts: slurm.conf(5), SchedulerParameters max_script_size. */
#define SBATCH_MAX (4u << 20)
/* Processes that one machine starts for a round without anybody asking why. */
#define MANY_PAIRS 128

/* An output that remembers that it is full. */
struct text {
	struct buf *out;
	const struct sweep_plan *plan;
	const struct sweep_text *t;
	enum sweep_runner runner;
	enum err_code rc;
};

ATTR_PRINTF(2, 3) static void put(struct text *x, const char *fmt, ...)
{
	char line[1200];
	va_list ap;
	int n;

	if (x->rc)
		return;
	va_start(ap, fmt);
	n = vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	if (n < 0 || (size_t)n >= sizeof(line))
		x->rc = ERR_TOOBIG;
	else
		x->rc = buf_add(x->out, line, (size_t)n);
}

static void put_str(struct text *x, const char *s)
{
	if (x->rc == ERR_OK)
		x->rc = buf_add_str(x->out, s);
}

/* ---- the head ---- */

static size_t most_at_once(const struct sweep_plan *p)
{
	size_t most = 0;

	for (size_t r = 0; r < p->rounds; r++)
		if (p->first[r + 1] - p->first[r] > most)
			most = p->first[r + 1] - p->first[r];
	return most;
}

static void what(struct text *x)
{
	const struct sweep_plan *p = x->plan;
	const struct sweep_text *t = x->t;

	put(x, "# Pairwise bandwidth sweep, strategy %s: %zu nodes, %zu rounds, %zu pairs",
		sweep_strategy_name(p->strategy), p->n, p->rounds, p->n_pairs);
	put(x, p->complete ? " (every pair of them).\n" : " (%zu are possible).\n",
		p->n * (p->n - 1) / 2);
	put(x, "# Written by hyperpod-perf plan, which runs none of it: run this yourself, when "
	       "the "
	       "nodes\n# may be taken from their users.\n#\n");
	if (t->placeholders)
		put(x, "# THE NAMES ARE PLACEHOLDERS, made up from a number. Plan again with the "
		       "real "
		       "ones\n# (--nodes 'ip-10-1-[0-3]-[1-64]').\n#\n");
	if (t->trainium)
		put(x,
			"# %.40s has Neuron devices: nccom-test (Neuron tools) in place of "
			"nccl-tests. "
			"Its figures\n# do not compare with those of GPUs.\n#\n",
			t->instance_type);
}

static void blast(struct text *x)
{
	char likely[32];
	char most[32];

	sweep_time_text(sweep_plan_seconds(x->plan, x->runner, x->t), likely);
	sweep_time_text(sweep_plan_most_seconds(x->plan, x->t), most);
	put(x,
		"# Blast radius: uses all accelerators and the whole network of every node in it, "
		"for "
		"about\n# %s (at most %s, if every round has a pair that hangs). Jobs that run on "
		"these\n# nodes meanwhile become slower, may fail for lack of GPU memory, and "
		"spoil "
		"the figures.\n",
		likely, most);
	put(x, "# It writes %s/ where it runs, and changes nothing else.\n#\n", x->t->output_dir);
}

static void look_first(struct text *x)
{
	static const char *const commands[] = {
		[SWEEP_SLURM] = "squeue --states=running --Format=JobID,UserName,NodeList",
		[SWEEP_MPI] = "hyperpod-perf snapshot --hosts FILE --sections gpu",
		[SWEEP_K8S] = "kubectl get pods -A -o wide --field-selector status.phase=Running",
	};

	put(x, "#   %s\n", commands[x->runner]);
}

static void busy(struct text *x)
{
	const struct sweep_text *t = x->t;

	if (t->left_out)
		put(x, "# Left out: %.900s\n", t->left_out);
	if (t->busy)
		put(x, "# BUSY, and in this plan: %.900s\n#\n", t->busy);
	if (t->busy_known == SWEEP_BUSY_SEEN)
		put(x, "# Whether nodes run a job was read when this was planned (loaded GPUs). "
		       "Look "
		       "again before:\n");
	else
		put(x,
			"# Which %snodes run a job is not known here. Look first (this only "
			"reads):\n",
			t->busy || t->left_out ? "other " : "");
	look_first(x);
	put_str(x, "#\n");
}

static void estimate(struct text *x)
{
	const struct sweep_text *t = x->t;
	char pair[32];
	char min[24];
	char max[24];

	sweep_time_text(sweep_pair_seconds(t), pair);
	sweep_size_text(t->min_bytes, min);
	sweep_size_text(t->max_bytes, max);
	put(x,
		"# Estimate: %s a pair: the ranks come up, then %s from %s to %s, doubling,\n"
		"# %u times each, at %.0f Gb/s a node, then the end.\n",
		pair, t->collective, min, max, t->iterations, t->line_gbit_s);
	if (t->type_assumed)
		put(x,
			"# Assumed, since the instance type is not known (--instance-type): that "
			"rate, and\n# %u GPUs a node.\n",
			t->gpus_per_node);
	else
		put(x, "# That is the line rate of %.40s; a start of %.0f s is assumed.\n",
			t->instance_type, sweep_start_seconds(t));
	put(x, "# A pair that is not done after %u s is ended; the round goes on without it.\n#\n",
		t->timeout_s);
}

/* The pairs are most of a long text; a little room for the rest. */
static bool is_too_long(const struct text *x)
{
	const struct sweep_plan *p = x->plan;
	size_t bytes = 64u << 10;

	for (size_t i = 0; i < p->n_pairs; i++)
		bytes +=
			strlen(x->t->names[p->pairs[i].a]) + strlen(x->t->names[p->pairs[i].b]) + 8;
	return bytes > SBATCH_MAX;
}

static void then(struct text *x)
{
	const char *before = x->plan->strategy == SWEEP_SUSPECTS ? "EARLIER_DIR " : "";

	put_str(x, "# Then, also while it runs");
	put_str(x, *before ? ", with the sweep before, to compare with:\n" : ":\n");
	put(x, "#   hyperpod-perf pairs %s%s\n", before, x->t->output_dir);
	put(x, "#   hyperpod-perf pairs %s%s --json -o pairs.json\n", before, x->t->output_dir);
	put(x,
		"# and suspects again, with other partners:\n"
		"#   hyperpod-perf plan --strategy suspects --from pairs.json --runner %s\n",
		sweep_runner_name(x->runner));
}

static void how(struct text *x)
{
	static const char *const runs[] = {
		[SWEEP_SLURM] = "sbatch FILE                  all rounds, one after the other\n"
				"#   sbatch FILE 3 5              these rounds only",
		[SWEEP_MPI] =
			"bash FILE                    on a machine that reaches every node by "
			"ssh; all rounds\n"
			"#   bash FILE 3 5                these rounds only",
		[SWEEP_K8S] =
			"MANIFESTS=1 bash FILE        what would be applied, to look at\n"
			"#   bash FILE                    apply, wait, collect, remove: round by "
			"round\n"
			"#   bash FILE 3 5                these rounds only",
	};
	bool slurm = x->runner == SWEEP_SLURM;

	put(x, "# Run it:\n#   %s\n", runs[x->runner]);
	if (slurm && x->t->array)
		put(x, "# It is a job array: one task a round, one at a time, so that rounds never "
		       "overlap and\n# other jobs may run in between.\n");
	else if (slurm)
		put(x,
			"#   sbatch --array=1-%zu%%1 FILE   one task a round: nodes are free in "
			"between\n",
			x->plan->rounds);
	if (slurm && is_too_long(x))
		put_str(x,
			"# Longer than the 4 MB that sbatch takes unless max_script_size says "
			"otherwise: put it on a\n# shared filesystem, and submit what starts it, "
			"with the #SBATCH options above:\n"
			"#   sbatch OPTIONS --wrap 'bash FILE'\n");
	if (x->runner != SWEEP_K8S && most_at_once(x->plan) > MANY_PAIRS)
		put(x,
			"# %zu pairs are started at once from one machine: see that ulimit -u and "
			"-n "
			"allow it.\n",
			most_at_once(x->plan));
	then(x);
}

/* ---- settings ---- */

static void sbatch_lines(struct text *x)
{
	const struct sweep_plan *p = x->plan;
	const struct sweep_text *t = x->t;
	size_t rounds = t->array ? p->rounds : 1;
	double seconds = sweep_plan_most_seconds(p, t) / (double)rounds;

	put(x, "#SBATCH --job-name=pairwise\n#SBATCH --nodes=%zu\n#SBATCH --exclusive\n", p->n);
	put_str(x, "#SBATCH --nodelist=");
	for (size_t i = 0; i < p->n; i++)
		put(x, "%s%s", i ? "," : "", t->names[i]);
	put(x, "\n#SBATCH --time=%.0f\n#SBATCH --output=pairwise-%s.out\n", seconds / 60 + 1,
		t->array ? "%A_%a" : "%j");
	if (t->partition)
		put(x, "#SBATCH --partition=%s\n", t->partition);
	if (t->array)
		put(x, "#SBATCH --array=1-%zu%%1\n", p->rounds);
	if (!t->trainium)
		put(x,
			"# Where jobs see GPUs only when they ask for them, take away one #:\n"
			"##SBATCH --gres=gpu:%u\n",
			t->gpus_per_node);
}

static void nccl_options(struct text *x)
{
	char min[24];
	char max[24];

	sweep_size_text(x->t->min_bytes, min);
	sweep_size_text(x->t->max_bytes, max);
	put(x, "program=%s_perf\ntest_options=(-b %s -e %s -f 2 -g 1 -c 1 -n %u -w %d)\n",
		x->t->collective, min, max, x->t->iterations, SWEEP_WARMUPS);
	put(x, "gpus=%u\nefa=%u\n", x->t->gpus_per_node,
		x->runner == SWEEP_K8S ? x->t->efa_devices : x->t->efa_devices > 0);
}

/* nccom-test's names: its user guide, "collective operations". */
static const char *nccom_name(const char *collective)
{
	static const char *const names[] = {
		[BW_ALL_REDUCE] = "allr",
		[BW_ALL_GATHER] = "allg",
		[BW_REDUCE_SCATTER] = "redsct",
		[BW_ALLTOALL] = "alltoall",
		[BW_SENDRECV] = "sendrecv",
	};

	return names[bw_collective_by_name(span_of(collective))];
}

static void nccom_options(struct text *x)
{
	put(x, "runner=%s\n", sweep_runner_name(x->runner));
	/* Plain bytes: its own suffixes are not those of nccl-tests. */
	put(x, "test_options=(-r %u -N 2 -b %llu -e %llu -f 2 -n %u -w %d -d fp32 %s)\n",
		2 * x->t->gpus_per_node, (unsigned long long)x->t->min_bytes,
		(unsigned long long)x->t->max_bytes, x->t->iterations, SWEEP_WARMUPS,
		nccom_name(x->t->collective));
}

static void settings(struct text *x)
{
	const struct sweep_text *t = x->t;

	put(x, "\nset -u\nrounds=%zu\nlimit_s=%u # of one pair\nout=${OUT:-'%s'}\n",
		x->plan->rounds, t->timeout_s, t->output_dir);
	put(x, "binary_dir=${BINARY_DIR:-'%s'}\n", t->binary_dir ? t->binary_dir : "");
	if (t->trainium) {
		nccom_options(x);
		return;
	}
	nccl_options(x);
	put(x, "image='%s'\n", t->image ? t->image : "");
	if (x->runner == SWEEP_SLURM)
		put_str(x, "mpi=${SRUN_MPI:-pmix} # srun --mpi=list tells what there is\n");
	else if (x->runner == SWEEP_MPI)
		put_str(x, "mpirun=${MPIRUN:-}\n");
	else
		put(x, "name_space='%s'\npoll_s=5\n", t->name_space);
}

static void pairs(struct text *x)
{
	const struct sweep_plan *p = x->plan;

	put_str(x, "\n# Round and nodes, a line a pair. No node is in a round twice.\n"
		   "plan() {\n\tcat <<'END_OF_PLAN'\n");
	for (size_t r = 0; r < p->rounds; r++)
		for (size_t i = p->first[r]; i < p->first[r + 1]; i++)
			put(x, "%zu %s %s\n", r + 1, x->t->names[p->pairs[i].a],
				x->t->names[p->pairs[i].b]);
	put_str(x, "END_OF_PLAN\n}\n");
}

static void script(struct text *x)
{
	if (x->runner == SWEEP_K8S) {
		put_str(x, embed_sweep_k8s_sh);
	} else {
		put_str(x, embed_sweep_local_sh);
		put_str(x, x->t->trainium ? embed_sweep_nccom_sh : embed_sweep_nccl_sh);
		if (!x->t->trainium)
			put_str(x, x->runner == SWEEP_SLURM ? embed_sweep_slurm_sh
							    : embed_sweep_mpi_sh);
	}
	put_str(x, embed_sweep_main_sh);
}

enum err_code sweep_plan_text(struct buf *out, const struct sweep_plan *p, enum sweep_runner r,
	const struct sweep_text *t, struct err *e)
{
	struct text x = {out, p, t, r, ERR_OK};

	put_str(&x, "#!/bin/bash\n");
	if (r == SWEEP_SLURM)
		sbatch_lines(&x);
	put_str(&x, "#\n");
	what(&x);
	blast(&x);
	busy(&x);
	estimate(&x);
	how(&x);
	settings(&x);
	pairs(&x);
	script(&x);
	return x.rc ? err_set(e, x.rc, "the plan's text: %s (plan fewer nodes or rounds)",
			      err_code_name(x.rc))
		    : ERR_OK;
}
