/*
 * What is told before a run: command lines, the job's list of nodes, the instances behind
 * host names.
 */
#include <ctype.h>
#include <string.h>

#include "collectors/compiler.h"
#include "collectors/nccl_state.h"

static struct span after(struct span s, size_t n)
{
	return (struct span){s.p + n, s.n - n};
}

/* What a command says is for the run that comes next. */
static void begin_command(struct nccl *p)
{
	if (p->run.first_line)
		p->run.command_since = true;
	p->command.collective = BW_COLL_UNKNOWN;
	p->command.ranks.state = OPT_UNKNOWN;
	bw_hosts_reset(&p->command.hosts);
}

/* The host list of an option: "-H a:8,b:8", "--host=a,b", "--hosts A B". */
static void read_hosts(struct nccl *p, struct span rest, bool several)
{
	struct span word;

	if (!span_word(&rest, &word))
		return;
	bw_hosts_add_list(&p->command.hosts, word);
	while (several && span_word(&rest, &word) && word.p[0] != '-')
		bw_hosts_add(&p->command.hosts, word);
}

static void read_option(struct nccl *p, struct span word, struct span rest)
{
	static const char *const names[] = {"-H", "--host", "-host", "--hosts", "-hosts"};
	struct span value;
	struct span next = rest;
	uint64_t n;

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (span_eq(word, names[i])) {
			read_hosts(p, rest, span_ends(word, "hosts"));
			return;
		}
	if (span_starts(word, "--host="))
		bw_hosts_add_list(&p->command.hosts, after(word, 7));
	else if (p->command.nccom && span_eq(word, "-r") && span_word(&next, &value) &&
		 bw_line_u64(value, &n))
		p->command.ranks = opt_u64(n);
	else if (span_eq(word, "-t") && span_word(&next, &value) &&
		 bw_collective_by_name(value) != BW_COLL_UNKNOWN)
		p->command.collective = bw_collective_by_name(value);
}

/* "./build/all_reduce_perf" and, for nccom-test, "allr". */
static void read_argument(struct nccl *p, struct span word)
{
	enum bw_collective c;
	size_t i = word.n;

	while (i > 0 && word.p[i - 1] != '/')
		i--;
	word = after(word, i);
	while (word.n && !isalnum((unsigned char)word.p[word.n - 1]))
		word.n--;
	if (!span_ends(word, "_perf") && !p->command.nccom)
		return;
	c = bw_collective_by_name(word);
	if (c != BW_COLL_UNKNOWN)
		p->command.collective = c;
}

void nccl_read_command(struct nccl *p, struct span line)
{
	struct span rest = line;
	struct span word;

	while (span_word(&rest, &word)) {
		if (word.p[0] == '-')
			read_option(p, word, rest);
		else
			read_argument(p, word);
	}
	p->command.wraps = line.n && line.p[line.n - 1] == '\\';
}

void nccl_on_command(struct nccl *p, struct span line, size_t at)
{
	if (!p->command.wraps)
		begin_command(p);
	p->command.nccom = false;
	nccl_read_command(p, after(line, at));
}

void nccl_on_nccom(struct nccl *p, struct span line, size_t at)
{
	if (at + 11 > line.n || line.p[at + 10] != ' ')
		return;
	if (!p->command.wraps)
		begin_command(p);
	p->command.nccom = true;
	nccl_read_command(p, after(line, at + 11));
}

/* "all_reduce_perf" on a line of its own command: a program that no launcher starts. */
void nccl_on_program(struct nccl *p, struct span line, size_t at)
{
	size_t end = at;

	while (end < line.n && (isalnum((unsigned char)line.p[end]) || line.p[end] == '_'))
		end++;
	struct span word = {line.p + at, end - at};

	if (!span_ends(word, "_perf") || bw_collective_by_name(word) == BW_COLL_UNKNOWN)
		return;
	if (!p->command.wraps && p->command.collective != BW_COLL_UNKNOWN)
		begin_command(p);
	p->command.collective = bw_collective_by_name(word);
}

/* "Running NCCL allreduce test in container with split mask 0x0" */
void nccl_on_running(struct nccl *p, struct span line, size_t at)
{
	struct span rest = after(line, at + strlen("Running NCCL "));
	struct span word;

	if (!span_word(&rest, &word) || bw_collective_by_name(word) == BW_COLL_UNKNOWN)
		return;
	begin_command(p);
	p->command.collective = bw_collective_by_name(word);
}

void nccl_on_nodelist(struct nccl *p, struct span line, size_t at)
{
	struct span rest = after(line, at);
	struct span word;

	while (rest.n && rest.p[0] != '=' && rest.p[0] != ':')
		rest = after(rest, 1);
	if (rest.n < 2)
		return;
	rest = after(rest, 1);
	if (!span_word(&rest, &word))
		return;
	while (word.n && (word.p[0] == '"' || word.p[0] == '\''))
		word = after(word, 1);
	while (word.n && (word.p[word.n - 1] == '"' || word.p[word.n - 1] == '\''))
		word.n--;
	bw_hosts_reset(&p->nodelist);
	bw_hosts_add_list(&p->nodelist, word);
}

/* ---- "ip-10-1-2-3: i-0123456789abcdef0" ---- */

static size_t instance_length(struct span s)
{
	size_t n = 2;

	while (n < s.n && isxdigit((unsigned char)s.p[n]))
		n++;
	/* A label of the API: i-[a-f0-9]{8}(?:[a-f0-9]{9})? */
	if (n != 10 && n != 19)
		return 0;
	return n == s.n || s.p[n] == ' ' || s.p[n] == '|' || s.p[n] == '\t' ? n : 0;
}

/* Three ways of AWS's scripts: "host: i-", "host ➡️ i-", "hostname=host ➡️ i- | ...". */
void nccl_on_instance(struct nccl *p, struct span line, size_t at)
{
	static const char *const marks[] = {"\xe2\x9e\xa1\xef\xb8\x8f", "\xe2\x9e\xa1", "->", ":"};
	size_t n = instance_length(after(line, at));
	struct span host = span_trim((struct span){line.p, at});
	size_t i = 0;

	if (n == 0)
		return;
	while (i < ARRAY_LEN(marks) && !span_ends(host, marks[i]))
		i++;
	if (i == ARRAY_LEN(marks))
		return;
	host = span_trim((struct span){host.p, host.n - strlen(marks[i])});
	if (span_starts(host, "hostname="))
		host = after(host, 9);
	for (i = 0; i < host.n; i++)
		if (!isalnum((unsigned char)host.p[i]) && !strchr("-._", host.p[i]))
			return;
	if (host.n == 0 || span_ifind(host, "instance") >= 0)
		return;
	/* Behind its footer a run is over: what follows is said of the next one. */
	if (p->run.footers)
		nccl_run_flush(p);
	/* Before the run's first row it is of the run; behind its rows a new list begins. */
	if (p->run.first_line && p->build.n_rows == 0) {
		bw_hosts_add(&p->run_mapping, host);
	} else if (p->mapping_used) {
		bw_hosts_reset(&p->mapping);
		p->mapping_used = false;
	}
	bw_hosts_add(&p->mapping, host);
	if (p->sink.instance)
		p->sink.instance(p->sink.ctx, host, (struct span){line.p + at, n});
}
