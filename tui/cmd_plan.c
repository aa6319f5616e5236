#include "tui/cmd.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collectors/text.h"
#include "collectors/xmalloc.h"
#include "rules/sweep_text.h"
#include "tui/plan_json.h"
#include "tui/plan_nodes.h"

enum key {
	KEY_NODES = CLI_OWN_KEY,
	KEY_STRATEGY,
	KEY_RUNNER,
	KEY_ROUNDS,
	KEY_SUSPECTS,
	KEY_LINKS,
	KEY_FROM,
	KEY_PARTNERS,
	KEY_LEAVE_OUT,
	KEY_BUSY,
	KEY_BUSY_NODES,
	KEY_PLACEMENT,
	KEY_TYPE,
	KEY_GPUS,
	KEY_COLLECTIVE,
	KEY_MIN_SIZE,
	KEY_MAX_SIZE,
	KEY_ITERATIONS,
	KEY_PAIR_TIMEOUT,
	KEY_DIR,
	KEY_BINARY_DIR,
	KEY_IMAGE,
	KEY_PARTITION,
	KEY_ARRAY,
	KEY_NAMESPACE,
	KEY_JSON,
	KEY_OUTPUT
};

static const struct args_option options[] = {
	{"nodes", 0, false, KEY_NODES, "N|HOSTLIST",
		"the nodes: ip-10-1-[0-3]-[1-64], or how many; with a source: of it, only these"},
	{"strategy", 0, false, KEY_STRATEGY, "HOW",
		"full: every pair; fast: few rounds with mixed partners (the default); suspects: "
		"those suspected again, against others"},
	{"runner", 0, false, KEY_RUNNER, "WHAT",
		"slurm (the default), mpi (mpirun over ssh), or k8s (MPIJobs of the Kubeflow "
		"operator)"},
	{"rounds", 0, false, KEY_ROUNDS, "N", "so many rounds (fast: 7 to 9; full: all)"},
	{"suspects", 0, false, KEY_SUSPECTS, "HOSTLIST", "nodes to measure again"},
	{"links", 0, false, KEY_LINKS, "A:B,...", "pairs to measure again, with both ends"},
	{"from", 0, false, KEY_FROM, "FILE",
		"suspects and links of `pairs --json`; its nodes too, unless told otherwise"},
	{"partners", 0, false, KEY_PARTNERS, "N", "partners of each suspect (5)"},
	{"leave-out", 0, false, KEY_LEAVE_OUT, "HOSTLIST", "nodes that are not to be in it"},
	{"busy", 0, false, KEY_BUSY, "HOSTLIST", "nodes that run a job: they are warned about"},
	{"busy-nodes", 0, false, KEY_BUSY_NODES, "HOW",
		"skip (the default where a source shows them), warn or include them"},
	{"placement", 0, false, KEY_PLACEMENT, "FILE",
		"where nodes stand: CSV with node,az,spine,leaf,ultraserver,instance_type"},
	{"instance-type", 0, false, KEY_TYPE, "TYPE", "p5.48xlarge; of a source, only these"},
	{"gpus", 0, false, KEY_GPUS, "N", "GPUs a node (that of the type, else 8)"},
	{"collective", 0, false, KEY_COLLECTIVE, "NAME", "all_reduce (the default), sendrecv ..."},
	{"min-size", 0, false, KEY_MIN_SIZE, "BYTES", "smallest message (512M on p4d, p5, p6)"},
	{"max-size", 0, false, KEY_MAX_SIZE, "BYTES", "largest message (4G on p4d, p5, p6)"},
	{"iterations", 0, false, KEY_ITERATIONS, "N", "of each size (20)"},
	{"pair-timeout", 0, false, KEY_PAIR_TIMEOUT, "S",
		"end a pair after S s (three times its estimate, 180 or more)"},
	{"dir", 0, false, KEY_DIR, "DIR",
		"where the script writes (pairwise; suspects: pairwise-again)"},
	{"binary-dir", 0, false, KEY_BINARY_DIR, "DIR",
		"where all_reduce_perf is on the nodes or in the image"},
	{"image", 0, false, KEY_IMAGE, "IMAGE", "container image: k8s, or Slurm with Pyxis"},
	{"partition", 0, false, KEY_PARTITION, "NAME", "of Slurm"},
	{"array", 0, false, KEY_ARRAY, NULL, "Slurm: a job array, one task a round, one at a time"},
	{"namespace", 0, false, KEY_NAMESPACE, "NAME", "of Kubernetes (default)"},
	{"json", 0, false, KEY_JSON, NULL, "the rounds as one JSON object instead of a script"},
	{"output", 'o', false, KEY_OUTPUT, "FILE", "write it to FILE, whole or not at all"},
	{.name = NULL},
};

struct wish {
	struct plan_wish nodes;
	struct sweep_text text;
	const char *strategy;
	const char *suspects;
	const char *links;
	const char *from;
	const char *file;
	uint64_t rounds;
	uint64_t partners;
	bool json;
};

/* ---- options ---- */

static enum err_code read_count(
	const char *option, const char *value, uint64_t most, uint64_t *out, struct err *e)
{
	uint64_t v = 0;

	if (!span_u64(span_of(value), &v) || v < 1 || v > most)
		return err_set(e, ERR_USAGE, "--%s: \"%.40s\" is not a number from 1 to %llu",
			option, value, (unsigned long long)most);
	*out = v;
	return ERR_OK;
}

static enum err_code read_unsigned(
	const char *option, const char *value, unsigned most, unsigned *out, struct err *e)
{
	uint64_t v = 0;
	enum err_code rc = read_count(option, value, most, &v, e);

	if (rc == ERR_OK)
		*out = (unsigned)v;
	return rc;
}

static enum err_code read_size(const char *option, const char *value, uint64_t *out, struct err *e)
{
	double kib = 0;

	if (!span_size_kib(span_of(value), &kib) || kib < 1 || kib > 64.0 * 1024 * 1024)
		return err_set(e, ERR_USAGE,
			"--%s: \"%.40s\" is not a message size from 1K to 64G (such as 512M, 8G)",
			option, value);
	*out = (uint64_t)(kib * 1024);
	return ERR_OK;
}

static enum err_code read_busy_nodes(enum plan_busy *out, const char *value, struct err *e)
{
	static const char *const names[] = {
		[PLAN_BUSY_SKIP] = "skip",
		[PLAN_BUSY_WARN] = "warn",
		[PLAN_BUSY_INCLUDE] = "include",
	};

	for (size_t i = PLAN_BUSY_SKIP; i < ARRAY_LEN(names); i++)
		if (strcmp(names[i], value) == 0) {
			*out = (enum plan_busy)i;
			return ERR_OK;
		}
	return err_set(e, ERR_USAGE, "--busy-nodes %.40s: one of skip, warn, include", value);
}

/* Options whose value is kept as it is. */
static const char **text_of(struct wish *w, int key)
{
	switch (key) {
	case KEY_NODES:
		return &w->nodes.nodes;
	case KEY_STRATEGY:
		return &w->strategy;
	case KEY_SUSPECTS:
		return &w->suspects;
	case KEY_LINKS:
		return &w->links;
	case KEY_FROM:
		return &w->from;
	case KEY_LEAVE_OUT:
		return &w->nodes.leave_out;
	case KEY_BUSY:
		return &w->nodes.busy;
	case KEY_PLACEMENT:
		return &w->nodes.placement;
	case KEY_COLLECTIVE:
		return &w->text.collective;
	case KEY_DIR:
		return &w->text.output_dir;
	case KEY_BINARY_DIR:
		return &w->text.binary_dir;
	case KEY_IMAGE:
		return &w->text.image;
	case KEY_PARTITION:
		return &w->text.partition;
	case KEY_NAMESPACE:
		return &w->text.name_space;
	case KEY_OUTPUT:
		return &w->file;
	default:
		return NULL;
	}
}

static enum err_code read_value(
	struct wish *w, const struct args_option *opt, const char *value, struct err *e)
{
	switch (opt->key) {
	case KEY_RUNNER:
		return sweep_runner_by_name(value, &w->nodes.runner)
			       ? ERR_OK
			       : err_set(e, ERR_USAGE, "--runner %.40s: one of slurm, mpi, k8s",
					 value);
	case KEY_ROUNDS:
		return read_count(opt->name, value, SWEEP_NODES_MAX, &w->rounds, e);
	case KEY_PARTNERS:
		return read_count(opt->name, value, SWEEP_NODES_MAX, &w->partners, e);
	case KEY_BUSY_NODES:
		return read_busy_nodes(&w->nodes.busy_nodes, value, e);
	case KEY_GPUS:
		return read_unsigned(opt->name, value, 1024, &w->text.gpus_per_node, e);
	case KEY_MIN_SIZE:
		return read_size(opt->name, value, &w->text.min_bytes, e);
	case KEY_MAX_SIZE:
		return read_size(opt->name, value, &w->text.max_bytes, e);
	case KEY_ITERATIONS:
		return read_unsigned(opt->name, value, 100000, &w->text.iterations, e);
	case KEY_PAIR_TIMEOUT:
		return read_unsigned(opt->name, value, 86400, &w->text.timeout_s, e);
	case KEY_TYPE:
		w->nodes.instance_type = strncmp(value, "ml.", 3) == 0 ? value + 3 : value;
		break;
	case KEY_ARRAY:
		w->text.array = true;
		break;
	case KEY_JSON:
		w->json = true;
		break;
	}
	return ERR_OK;
}

static enum err_code own(void *ctx, const struct args_option *opt, const char *value, struct err *e)
{
	struct wish *w = ctx;
	const char **text;

	if (!opt)
		return err_set(
			e, ERR_USAGE, "%.60s: not expected here (name nodes with --nodes)", value);
	text = text_of(w, opt->key);
	if (!text)
		return read_value(w, opt, value, e);
	*text = value;
	return ERR_OK;
}

static enum err_code read_strategy(const struct wish *w, enum sweep_strategy *out, struct err *e)
{
	*out = w->suspects || w->links || w->from ? SWEEP_SUSPECTS : SWEEP_FAST;
	if (w->strategy && !sweep_strategy_by_name(w->strategy, out))
		return err_set(
			e, ERR_USAGE, "--strategy %.40s: one of full, fast, suspects", w->strategy);
	if (*out != SWEEP_SUSPECTS && (w->suspects || w->links))
		return err_set(e, ERR_USAGE,
			"--%s: only with --strategy suspects (%s measures everybody)",
			w->suspects ? "suspects" : "links", sweep_strategy_name(*out));
	return ERR_OK;
}

/* ---- suspects ---- */

struct suspects {
	size_t *node;
	size_t n;
	size_t cap;
	struct sweep_pair *link;
	size_t n_links;
	size_t links_cap;
	struct sweep_pair *met; /* measured before */
	size_t n_met;
};

static enum err_code add_suspect(struct suspects *s, const struct plan_nodes *nodes,
	const char *name, const char *option, struct err *e)
{
	size_t at = 0;
	enum err_code rc = plan_nodes_index(nodes, name, option, &at, e);

	if (rc)
		return rc;
	xgrow((void **)&s->node, &s->cap, s->n, sizeof(*s->node));
	s->node[s->n++] = at;
	return ERR_OK;
}

static enum err_code add_link(struct suspects *s, const struct plan_nodes *nodes, const char *a,
	const char *b, const char *option, struct err *e)
{
	size_t x = 0;
	size_t y = 0;
	enum err_code rc = plan_nodes_index(nodes, a, option, &x, e);

	if (rc == ERR_OK)
		rc = plan_nodes_index(nodes, b, option, &y, e);
	if (rc)
		return rc;
	if (x == y)
		return err_set(
			e, ERR_USAGE, "%s %.60s:%.60s: both ends are the same node", option, a, b);
	xgrow((void **)&s->link, &s->links_cap, s->n_links, sizeof(*s->link));
	s->link[s->n_links++] = (struct sweep_pair){
		(uint16_t)(x < y ? x : y),
		(uint16_t)(x < y ? y : x),
	};
	return ERR_OK;
}

/* "a:b,c:d". */
static enum err_code add_links(
	struct suspects *s, const struct plan_nodes *nodes, const char *list, struct err *e)
{
	struct span rest = span_of(list);
	struct span field;
	enum err_code rc = ERR_OK;

	while (rc == ERR_OK && span_field(&rest, ',', &field)) {
		const char *colon = field.n ? memchr(field.p, ':', field.n) : NULL;

		if (!colon)
			return err_set(e, ERR_USAGE,
				"--links %.80s: wanted two nodes with a colon between (A:B,C:D)",
				list);
		char *a = xstrndup(field.p, (size_t)(colon - field.p));
		char *b = xstrndup(colon + 1, (size_t)(field.p + field.n - colon) - 1);

		rc = add_link(s, nodes, a, b, "--links", e);
		free(a);
		free(b);
	}
	return rc;
}

static enum err_code find_suspects(struct suspects *s, const struct wish *w,
	const struct plan_from *from, const struct plan_nodes *nodes, struct err *e)
{
	struct plan_names names = {NULL, 0, 0};
	enum err_code rc = ERR_OK;

	if (w->suspects)
		rc = plan_expand("--suspects", w->suspects, &names, e);
	for (size_t i = 0; i < names.n && rc == ERR_OK; i++)
		rc = add_suspect(s, nodes, names.v[i], "--suspects", e);
	plan_expand_release(&names);
	if (rc == ERR_OK && w->links)
		rc = add_links(s, nodes, w->links, e);
	for (size_t i = 0; i < from->suspects.n && rc == ERR_OK; i++)
		rc = add_suspect(s, nodes, from->suspects.v[i], "--from", e);
	for (size_t i = 0; i + 1 < from->links.n && rc == ERR_OK; i += 2)
		rc = add_link(s, nodes, from->links.v[i], from->links.v[i + 1], "--from", e);
	return rc;
}

/* What was measured before, of nodes that are in this plan too. */
static void find_met(
	struct suspects *s, const struct plan_from *from, const struct plan_nodes *nodes)
{
	size_t *position = plan_nodes_positions(nodes);

	s->met = xcalloc(from->n_pairs + 1, sizeof(*s->met));
	for (size_t i = 0; i < from->n_pairs; i++) {
		size_t a = fleet_find(nodes->fleet, span_of(from->nodes.v[2 * i]));
		size_t b = fleet_find(nodes->fleet, span_of(from->nodes.v[2 * i + 1]));

		if (a == FLEET_NONE || b == FLEET_NONE || position[a] == SIZE_MAX ||
			position[b] == SIZE_MAX)
			continue;
		s->met[s->n_met++] =
			(struct sweep_pair){(uint16_t)position[a], (uint16_t)position[b]};
	}
	free(position);
}

/* ---- the plan ---- */

static enum err_code make_plan(struct sweep_plan **out, const struct wish *w,
	enum sweep_strategy strategy, const struct plan_from *from, const struct plan_nodes *nodes,
	struct err *e)
{
	struct suspects s = {.node = NULL};
	enum err_code rc = ERR_OK;

	if (strategy == SWEEP_SUSPECTS)
		rc = find_suspects(&s, w, from, nodes, e);
	if (rc == ERR_OK && strategy == SWEEP_SUSPECTS)
		find_met(&s, from, nodes);
	if (rc == ERR_OK) {
		const struct sweep_request req = {
			.n = nodes->n,
			.strategy = strategy,
			.rounds = (size_t)w->rounds,
			.group = nodes->group,
			.suspects = s.node,
			.n_suspects = s.n,
			.links = s.link,
			.n_links = s.n_links,
			.partners = (size_t)w->partners,
			.met = s.met,
			.n_met = s.n_met,
		};
		rc = sweep_plan_make(out, &req, e);
	}
	free(s.node);
	free(s.link);
	free(s.met);
	return rc;
}

static enum err_code write_plan(struct buf *out, const struct wish *w, const struct sweep_plan *p,
	const struct plan_nodes *nodes, struct err *e)
{
	struct sweep_text t = w->text;
	enum sweep_runner runner = w->nodes.runner;
	enum err_code rc;

	/* Beside the sweep before, whose healthy pairs are what these are compared with. */
	if (!t.output_dir && p->strategy == SWEEP_SUSPECTS)
		t.output_dir = "pairwise-again";
	t.names = (const char *const *)nodes->names;
	t.n_names = nodes->n;
	t.instance_type = w->nodes.instance_type ? w->nodes.instance_type : nodes->instance_type;
	t.placeholders = nodes->placeholders;
	t.busy_known = nodes->busy_known;
	t.busy = nodes->busy[0] ? nodes->busy : NULL;
	t.left_out = nodes->left_out[0] ? nodes->left_out : NULL;
	rc = sweep_text_fill(&t, runner, e);
	if (rc)
		return rc;
	if (!w->json)
		return sweep_plan_text(out, p, runner, &t, e);
	rc = plan_json(out, p, runner, &t, nodes);
	return rc ? err_set(e, rc, "the plan as JSON: %s", err_code_name(rc)) : ERR_OK;
}

/* What there is to know beside the plan: on standard error, so that the script stays one. */
static void say_notes(const struct buf *notes)
{
	struct span rest = {notes->data, notes->len};
	struct span line;

	while (span_line(&rest, &line)) {
		char clean[PLAN_FOLD_MAX + 200];

		text_printable(clean, sizeof(clean), line.p, line.n);
		fprintf(stderr, "hyperpod-perf: plan: %s\n", clean);
	}
}

static int run_parsed(struct cli *c, struct wish *w)
{
	struct plan_from from = {.root = NULL};
	struct plan_nodes nodes = {.fleet = NULL};
	struct sweep_plan *plan = NULL;
	struct buf out = BUF_INIT(SWEEP_TEXT_MAX);
	struct buf notes = BUF_INIT(64u << 10);
	struct err e = ERR_INIT;
	enum sweep_strategy strategy = SWEEP_FAST;
	enum err_code rc = read_strategy(w, &strategy, &e);
	int status;

	if (rc == ERR_OK)
		rc = cli_open_log(c, &e);
	if (rc == ERR_OK && w->from)
		rc = plan_from_read(&from, w->from, &e);
	w->nodes.from = w->from ? &from : NULL;
	if (rc == ERR_OK)
		rc = plan_nodes_find(&nodes, &w->nodes, c, &notes, &e);
	say_notes(&notes);
	if (rc == ERR_OK)
		rc = make_plan(&plan, w, strategy, &from, &nodes, &e);
	if (rc == ERR_OK)
		rc = write_plan(&out, w, plan, &nodes, &e);
	status = rc ? cmd_fail(&e, CMD_USAGE) : cmd_write(&out, w->file, CMD_OK);
	sweep_plan_free(plan);
	if (nodes.fleet)
		plan_nodes_release(&nodes);
	plan_from_release(&from);
	buf_release(&out);
	buf_release(&notes);
	return status;
}

static int run(const struct cmd *self, int argc, char **argv)
{
	struct cli c;
	struct wish w = {.nodes = {.runner = SWEEP_SLURM}};
	int status;

	if (cmd_begin(self, argc, argv, &c, own, &w, &status)) {
		status = run_parsed(&c, &w);
		cli_release(&c);
	}
	return status;
}

const struct cmd *cmd_plan(void)
{
	static const struct cmd self = {
		.name = "plan",
		.summary = "write a script that measures bandwidth pair by pair",
		.synopsis = "--nodes N|HOSTLIST [--strategy full|fast|suspects] [--runner "
			    "slurm|mpi|k8s] [-o FILE]\n"
			    "SOURCE [OPTIONS]\n"
			    "--from pairs.json [--strategy suspects]",
		.about = "Writes a script that measures the bandwidth between nodes pair by pair, "
			 "in rounds in which no node is twice. It is for you to run: this program "
			 "runs no benchmark. The script uses all accelerators of its nodes while "
			 "it runs, and says so, with an estimate of the time. With a source, nodes "
			 "are read once for their type, their place and whether they run a job.\n\n"
			 "Read what it wrote with `hyperpod-perf pairs DIR`, then plan suspects "
			 "again with --from.\n\n"
			 "Exit status: 0 written, 2 usage or configuration error.",
		.own_title = "Plan",
		.own = options,
		.shared = CLI_GROUP_SOURCE | CLI_GROUP_REACH,
		.run = run,
	};

	return &self;
}
