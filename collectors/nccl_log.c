/*
 * Lines around a benchmark's own output: NCCL's log, failures, what launchers say.
 */
#include <ctype.h>
#include <string.h>

#include "collectors/compiler.h"
#include "collectors/nccl_state.h"

static struct span after(struct span s, size_t n)
{
	return (struct span){s.p + n, s.n - n};
}

/* ---- NCCL's own log: "HOST:pid:tid [dev] NCCL INFO ..." ---- */

/* Position of needle in s, or -1: by its rarest byte rather than its first. */
static ptrdiff_t find_by(struct span s, const char *needle, size_t rare)
{
	size_t n = strlen(needle);
	size_t i = rare;

	while (i + n - rare <= s.n) {
		const char *hit = memchr(s.p + i, needle[rare], s.n - i - (n - rare) + 1);

		if (!hit)
			return -1;
		i = (size_t)(hit - s.p);
		if (hit[-(ptrdiff_t)rare] == needle[0] && memcmp(hit - rare, needle, n) == 0)
			return (ptrdiff_t)(i - rare);
		i++;
	}
	return -1;
}

/* Messages that show a trouble. Sources: NCCL's and aws-ofi-nccl's own texts. */
static const struct {
	const char *text;
	enum bw_trouble trouble;
} messages[] = {
	{"NET/OFI Using TCP", BW_TROUBLE_OFI_TCP},
	{"Selected Provider is tcp", BW_TROUBLE_OFI_TCP},
	{"Selected Provider is sockets", BW_TROUBLE_OFI_TCP},
	{"Selected provider is tcp", BW_TROUBLE_OFI_TCP},
	{"Selected provider is sockets", BW_TROUBLE_OFI_TCP},
	{"Could not find: libnccl-net", BW_TROUBLE_NO_PLUGIN},
	{"No plugin found (libnccl-net", BW_TROUBLE_NO_PLUGIN},
	{"libnccl-net.so: cannot open shared object", BW_TROUBLE_NO_PLUGIN},
	{"No eligible providers were found", BW_TROUBLE_NO_PROVIDER},
	{"OFI fi_getinfo() call failed", BW_TROUBLE_NO_PROVIDER},
	{"aws-ofi-nccl initialization failed", BW_TROUBLE_NO_PROVIDER},
	{"Unable to find a protocol that worked", BW_TROUBLE_NO_PROVIDER},
	{"ibv_reg_mr failed", BW_TROUBLE_MEMLOCK},
	{"ibv_reg_mr_iova2 failed", BW_TROUBLE_MEMLOCK},
	{"failed with error Cannot allocate memory", BW_TROUBLE_MEMLOCK},
	{"Unable to register memory", BW_TROUBLE_MEMLOCK},
	{"creating shared memory segment", BW_TROUBLE_SHM},
	{"failed to extend /dev/shm", BW_TROUBLE_SHM},
	{"IBV_WC_RETRY_EXC_ERR", BW_TROUBLE_TIMEOUT},
	{"status=12", BW_TROUBLE_TIMEOUT},
	{"collective operation timeout", BW_TROUBLE_TIMEOUT},
};

/* "HOST" of "HOST:pid:tid [dev] NCCL ...", empty when the line is not so. */
static struct span log_host(struct span line)
{
	struct span none = SPAN_INIT;
	size_t host = 0;
	size_t i;

	while (host < line.n && line.p[host] != ':' && (unsigned char)line.p[host] > ' ')
		host++;
	i = host;
	for (int part = 0; part < 2; part++) {
		if (i + 1 >= line.n || line.p[i] != ':' || !isdigit((unsigned char)line.p[i + 1]))
			return none;
		for (i++; i < line.n && isdigit((unsigned char)line.p[i]);)
			i++;
	}
	return i < line.n && line.p[i] == ' ' ? (struct span){line.p, host} : none;
}

/* A number at the end of a text is the whole number: 12 is not in 120. */
static bool says(struct span said, const char *text)
{
	ptrdiff_t at = span_find(said, text);
	size_t end = at < 0 ? 0 : (size_t)at + strlen(text);

	return at >= 0 && !(isdigit((unsigned char)text[strlen(text) - 1]) && end < said.n &&
				  isdigit((unsigned char)said.p[end]));
}

static void check_messages(struct nccl *p, struct span line, struct span said, struct span host)
{
	for (size_t i = 0; i < ARRAY_LEN(messages); i++)
		if (says(said, messages[i].text))
			bw_build_trouble(&p->build, messages[i].trouble, line, host);
}

/*
 * A host that has GPUDirect RDMA on some channels goes without it on others when its GPUs and
 * NICs lie far apart: no trouble. One host's does not speak for another's.
 */
static bool has_gdr(struct nccl *p, struct span host)
{
	struct bw_host *h = host.n ? bw_hosts_add(&p->spoke, host) : NULL;

	return h ? h->gdr : p->run.saw_gdr;
}

static void on_gdr(struct nccl *p, struct span host)
{
	struct bw_host *h = host.n ? bw_hosts_add(&p->spoke, host) : NULL;
	const char *blamed = p->build.run.trouble_host[BW_TROUBLE_NO_GDR];

	if (h)
		h->gdr = true;
	else
		p->run.saw_gdr = true;
	if (p->build.run.trouble & 1u << BW_TROUBLE_NO_GDR &&
		(blamed ? span_eq(host, blamed) : host.n == 0))
		bw_build_no_trouble(&p->build, BW_TROUBLE_NO_GDR);
}

/* "Channel 00/0 : 1[0] -> 8[0] [send] via NET/AWS Libfabric/1/GDRDMA" */
static void on_channel(struct nccl *p, struct span line, struct span said, struct span host)
{
	ptrdiff_t at = find_by(said, " via NET/", 5);

	if (at < 0)
		return;
	said = after(said, (size_t)at);
	p->run.saw_network = true;
	if (span_starts(said, " via NET/Socket")) {
		p->run.saw_socket = true;
		bw_build_trouble(&p->build, BW_TROUBLE_SOCKET, line, host);
	} else if (span_find(said, "GDRDMA") >= 0) {
		on_gdr(p, host);
	} else if (!has_gdr(p, host)) {
		bw_build_trouble(&p->build, BW_TROUBLE_NO_GDR, line, host);
	}
}

static void on_info(struct nccl *p, struct span line, struct span said, struct span host)
{
	if (said.n == 0 || !strchr("CUN", said.p[0]))
		return;
	if (span_starts(said, "Channel ")) {
		on_channel(p, line, said, host);
	} else if (span_starts(said, "Using network ")) {
		p->run.saw_network = true;
		if (!span_starts(said, "Using network Socket"))
			return;
		p->run.saw_socket = true;
		bw_build_trouble(&p->build, BW_TROUBLE_SOCKET, line, host);
	} else if (span_starts(said, "NET/")) {
		check_messages(p, line, said, host);
	}
}

static void on_nccl(struct nccl *p, struct span line, size_t at)
{
	struct span said = after(line, at);
	struct span host = log_host(line);

	if (host.n && !p->run.has_ranks)
		bw_hosts_add(&p->build.info, host);
	if (span_starts(said, " NCCL INFO "))
		on_info(p, line, after(said, 11), host);
	else if (span_starts(said, " NCCL WARN ") || span_starts(said, " NCCL ERROR "))
		check_messages(p, line, said, host);
}

/* ---- failures ---- */

static void note_failure(struct nccl *p, struct span line, size_t at)
{
	struct span host = SPAN_INIT;
	struct span rest = line;
	struct span word;

	(void)at;
	nccl_run_touch(p);
	p->run.failed = true;
	if (!p->run.failure)
		p->run.failure = bw_build_text(&p->build, line);
	/* "HOST: Test NCCL failure ...", " .. HOST pid 7: Test failure ..." */
	if (!span_word(&rest, &word))
		return;
	if (span_eq(word, "..")) {
		if (span_word(&rest, &word))
			host = word;
	} else if (word.n > 1 && word.p[word.n - 1] == ':') {
		host = (struct span){word.p, word.n - 1};
	}
	if (host.n && !p->run.has_ranks)
		bw_hosts_add(&p->build.info, host);
	if (span_find(line, "Test timeout") >= 0)
		bw_build_trouble(&p->build, BW_TROUBLE_TIMEOUT, line, host);
}

/* Of an old version, which says no host. */
static void on_plain_failure(struct nccl *p, struct span line, size_t at)
{
	if (at == 0)
		note_failure(p, line, at);
}

static void on_launcher(struct nccl *p, struct span line, size_t at)
{
	(void)at;
	if (!p->run.first_line)
		return;
	p->run.launcher_failed = true;
	if (!p->run.launcher)
		p->run.launcher = bw_build_text(&p->build, line);
}

static void on_time_limit(struct nccl *p, struct span line, size_t at)
{
	struct span nobody = SPAN_INIT;

	on_launcher(p, line, at);
	bw_build_trouble(&p->build, BW_TROUBLE_TIMEOUT, line, nobody);
}

static void on_memlock(struct nccl *p, struct span line, size_t at)
{
	struct span nobody = SPAN_INIT;

	(void)at;
	bw_build_trouble(&p->build, BW_TROUBLE_MEMLOCK, line, nobody);
}

static void on_message(struct nccl *p, struct span line, size_t at)
{
	struct span nobody = SPAN_INIT;

	check_messages(p, line, after(line, at), nobody);
}

/* ---- words that are looked for, where a word begins ---- */

static const struct {
	const char *text;
	void (*on)(struct nccl *p, struct span line, size_t at);
} words[] = {
	{"Test NCCL failure", note_failure},
	{"Test CUDA failure", note_failure},
	{"Test HIP failure", note_failure},
	{"Test failure ", note_failure},
	{"Test timeout ", note_failure},
	{"NCCL failure ", on_plain_failure},
	{"Cuda failure ", on_plain_failure},
	{"Failure running neuron-bench", note_failure},
	{"errors found - test failed", note_failure},
	{"exited on signal ", on_launcher},
	{"Primary job ", on_launcher},
	{"mpirun noticed ", on_launcher},
	{"mpirun was unable ", on_launcher},
	{"prterun noticed ", on_launcher},
	{"srun: error:", on_launcher},
	{"slurmstepd: error:", on_launcher},
	{"command terminated with ", on_launcher},
	{"Segmentation fault", on_launcher},
	{"DUE TO TIME LIMIT", on_time_limit},
	{"RLIMIT_MEMLOCK", on_memlock},
	{"Error while creating shared memory", on_message},
	{"Watchdog caught collective", on_message},
	{"mpirun -", nccl_on_command},
	{"mpiexec -", nccl_on_command},
	{"mpiexec.hydra -", nccl_on_command},
	{"srun -", nccl_on_command},
	{"run_nccl_tests.sh ", nccl_on_command},
	{"nccom-test", nccl_on_nccom},
	{"Running NCCL ", nccl_on_running},
	{"SLURM_JOB_NODELIST", nccl_on_nodelist},
	{"SLURM_NODELIST", nccl_on_nodelist},
	{"i-", nccl_on_instance},
	{"all_", nccl_on_program},
	{"alltoall", nccl_on_program},
	{"broadcast_perf", nccl_on_program},
	{"gather_perf", nccl_on_program},
	{"hypercube_perf", nccl_on_program},
	{"reduce_", nccl_on_program},
	{"scatter_perf", nccl_on_program},
	{"sendrecv_perf", nccl_on_program},
};

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_';
}

static void find_words(struct nccl *p, struct span line)
{
	/* First letters of the words above. */
	static const bool first['z' + 1] = {['C'] = true,
		['D'] = true,
		['E'] = true,
		['F'] = true,
		['N'] = true,
		['P'] = true,
		['R'] = true,
		['S'] = true,
		['T'] = true,
		['W'] = true,
		['a'] = true,
		['b'] = true,
		['c'] = true,
		['e'] = true,
		['g'] = true,
		['h'] = true,
		['i'] = true,
		['m'] = true,
		['n'] = true,
		['p'] = true,
		['r'] = true,
		['s'] = true};
	bool inside = false;

	for (size_t i = 0; i < line.n; i++) {
		bool begins = !inside && is_word(line.p[i]);

		inside = is_word(line.p[i]);
		if (!begins || !first[(unsigned char)line.p[i]])
			continue;
		for (size_t k = 0; k < ARRAY_LEN(words); k++)
			if (words[k].text[0] == line.p[i] && i + 1 < line.n &&
				words[k].text[1] == line.p[i + 1] &&
				span_starts(after(line, i), words[k].text)) {
				words[k].on(p, line, i);
				break;
			}
	}
}

/* "INFO", "WARN" ... behind " NCCL "; "Test NCCL failure" is none of them. */
static bool is_level(struct span said)
{
	return said.n > 6 && (said.p[6] == 'I' || said.p[6] == 'W' || said.p[6] == 'T' ||
				     said.p[6] == 'E' || said.p[6] == 'V');
}

void nccl_log_line(struct nccl *p, struct span line)
{
	ptrdiff_t at = find_by(line, " NCCL ", 1);
	bool wrapped = p->command.wraps;

	if (at >= 0 && is_level(after(line, (size_t)at))) {
		on_nccl(p, line, (size_t)at);
		return;
	}
	find_words(p, line);
	/* "-x NCCL_DEBUG=INFO \" of a command that goes on. */
	if (wrapped && p->command.wraps)
		nccl_read_command(p, line);
}
