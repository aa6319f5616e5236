/*
 * cpu: /proc/stat (two of them in one text give an interval), pressure files,
 * or iostat's report. Of iostat's reports the last one counts: the first is
 * since boot (iostat(1)).
 */
#include "collectors/section.h"

#include <stddef.h>

#include "collectors/marks.h"

/* Fields of the "cpu" line in order, proc(5); guest time is inside user time. */
enum tick { T_USER, T_NICE, T_SYSTEM, T_IDLE, T_IOWAIT, T_IRQ, T_SOFTIRQ, T_STEAL, TICKS };

struct stat_block {
	struct opt_u64 tick[TICKS];
	uint64_t cpus;
	bool cpus_whole; /* a line after the cpuN lines was seen */
};

enum share { S_USER, S_NICE, S_SYSTEM, S_IOWAIT, S_STEAL, S_IDLE, SHARES };

struct report {
	struct opt_f64 share[SHARES];
};

struct cpu_parse {
	struct section *s;
	struct cpu_reading *r;
	struct stat_block first, last;
	size_t blocks;
	struct report first_report, last_report;
	size_t reports;
	enum share column[SHARES * 2];
	size_t columns; /* of the avg-cpu header; 0 when no values line is awaited */
	bool cut;
};

static void read_ticks(struct cpu_parse *p, struct span rest)
{
	struct stat_block b = {.cpus = 0};
	struct span word;

	for (size_t i = 0; i < TICKS && span_word(&rest, &word); i++) {
		b.tick[i] = marks_u64(word);
		if (!opt_has(b.tick[i]))
			section_unread(p->s, "cpu line", "\"%.*s\"",
				(int)(word.n > 40 ? 40 : word.n), word.p);
	}
	p->last = b;
	if (p->blocks++ == 0)
		p->first = b;
}

/* "cpu0 ...", "cpu17 ..." */
static bool is_one_cpu(struct span word)
{
	uint64_t n;
	struct span rest = {word.p + 3, word.n > 3 ? word.n - 3 : 0};

	return span_starts(word, "cpu") && span_u64(rest, &n);
}

static bool read_stat_line(struct cpu_parse *p, struct span line)
{
	static const struct {
		const char *key;
		size_t offset;
	} keys[] = {
		{"btime", offsetof(struct cpu_reading, btime)},
		{"procs_running", offsetof(struct cpu_reading, procs_running)},
		{"procs_blocked", offsetof(struct cpu_reading, procs_blocked)},
	};
	static const char *const others[] = {"intr", "ctxt", "processes", "softirq"};
	struct span key;

	if (!span_word(&line, &key))
		return false;
	if (span_eq(key, "cpu")) {
		read_ticks(p, line);
		return true;
	}
	if (is_one_cpu(key)) {
		p->last.cpus++;
		return true;
	}
	for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
		if (!span_eq(key, keys[i].key))
			continue;
		*(struct opt_u64 *)((char *)p->r + keys[i].offset) = marks_u64(line);
		p->last.cpus_whole = true;
		return true;
	}
	for (size_t i = 0; i < ARRAY_LEN(others); i++) {
		if (span_eq(key, others[i])) {
			p->last.cpus_whole = true;
			return true;
		}
	}
	return false;
}

/* "/proc/pressure/io:some avg10=0.12 avg60=..." */
static bool read_pressure(struct cpu_parse *p, struct span line)
{
	static const struct {
		const char *file, *kind;
		size_t offset;
	} keys[] = {
		{"/pressure/cpu", "some", offsetof(struct cpu_reading, psi_cpu_some10)},
		{"/pressure/io", "some", offsetof(struct cpu_reading, psi_io_some10)},
		{"/pressure/io", "full", offsetof(struct cpu_reading, psi_io_full10)},
		{"/pressure/memory", "some", offsetof(struct cpu_reading, psi_mem_some10)},
	};
	static const char avg10[] = "avg10=";
	struct span path;
	struct span value;
	struct span kind;
	struct span word;

	if (!marks_path(line, &path, &value))
		return false;
	if (!span_word(&value, &kind) || !span_word(&value, &word) || !span_starts(word, avg10))
		return true;
	word = (struct span){word.p + sizeof(avg10) - 1, word.n - (sizeof(avg10) - 1)};
	for (size_t i = 0; i < ARRAY_LEN(keys); i++)
		if (span_ends(path, keys[i].file) && span_eq(kind, keys[i].kind))
			*(struct opt_f64 *)((char *)p->r + keys[i].offset) = marks_f64(word);
	return true;
}

static void read_header(struct cpu_parse *p, struct span rest)
{
	static const char *const names[SHARES] = {
		[S_USER] = "%user",
		[S_NICE] = "%nice",
		[S_SYSTEM] = "%system",
		[S_IOWAIT] = "%iowait",
		[S_STEAL] = "%steal",
		[S_IDLE] = "%idle",
	};
	struct span word;

	p->columns = 0;
	while (p->columns < ARRAY_LEN(p->column) && span_word(&rest, &word)) {
		p->column[p->columns] = SHARES;
		for (size_t i = 0; i < SHARES; i++)
			if (span_eq(word, names[i]))
				p->column[p->columns] = (enum share)i;
		p->columns++;
	}
}

static void read_report(struct cpu_parse *p, struct span line)
{
	struct report rep = {.share = {{OPT_UNKNOWN, 0}}};
	struct span word;
	double v;

	for (size_t i = 0; i < p->columns && span_word(&line, &word); i++) {
		if (p->column[i] == SHARES)
			continue;
		if (span_f64_locale(word, &v) && v >= 0 && v <= 100.5)
			rep.share[p->column[i]] = opt_f64(v);
		else
			section_unread(p->s, "avg-cpu", "\"%.*s\"",
				(int)(word.n > 40 ? 40 : word.n), word.p);
	}
	p->columns = 0;
	p->last_report = rep;
	if (p->reports++ == 0)
		p->first_report = rep;
}

/* "Linux 6.1.0 (node0) 12/01/26 _x86_64_ (2 CPU)" */
static bool read_banner(struct cpu_parse *p, struct span line)
{
	ptrdiff_t open = span_find(line, " CPU)");
	uint64_t n;

	if (!span_starts(line, "Linux ") || open < 0)
		return false;
	size_t at = (size_t)open;

	while (at && line.p[at - 1] != '(')
		at--;
	if (span_u64((struct span){line.p + at, (size_t)open - at}, &n))
		p->r->cpus = opt_u64(n);
	return true;
}

static void read_line(struct cpu_parse *p, struct span line)
{
	static const char avg[] = "avg-cpu:";

	if (line.n == 0 || line.p[0] == '#')
		return;
	if (span_starts(line, avg)) {
		read_header(p, (struct span){line.p + sizeof(avg) - 1, line.n - (sizeof(avg) - 1)});
		return;
	}
	if (p->columns) {
		read_report(p, line);
		return;
	}
	if (read_banner(p, line) || read_pressure(p, line) || read_stat_line(p, line))
		return;
	if (marks_missing(line)) {
		p->r->error = section_str(p->s, line);
		section_set_status(p->s, SECTION_UNAVAILABLE);
	} else if (p->reports == 0) { /* else: iostat's device table */
		section_unread(p->s, "line", "\"%.*s\"", (int)(line.n > 80 ? 80 : line.n), line.p);
	}
}

static struct opt_f64 pct(uint64_t ticks, double total)
{
	return opt_f64(100 * (double)ticks / total);
}

/* A counter may step back a little (iowait does): that is no time at all. */
static bool interval(
	const struct stat_block *a, const struct stat_block *b, uint64_t d[TICKS], double *total)
{
	*total = 0;
	for (size_t i = 0; i < TICKS; i++) {
		if (!opt_has(a->tick[i]) || !opt_has(b->tick[i]))
			return false;
		d[i] = b->tick[i].v > a->tick[i].v ? b->tick[i].v - a->tick[i].v : 0;
		*total += (double)d[i];
	}
	return *total > 0;
}

static void set_interval(struct cpu_parse *p)
{
	uint64_t d[TICKS];
	double total;

	if (p->blocks < 2 || !interval(&p->first, &p->last, d, &total))
		return;
	p->r->user_pct = pct(d[T_USER], total);
	p->r->nice_pct = pct(d[T_NICE], total);
	p->r->system_pct = pct(d[T_SYSTEM] + d[T_IRQ] + d[T_SOFTIRQ], total);
	p->r->iowait_pct = pct(d[T_IOWAIT], total);
	p->r->steal_pct = pct(d[T_STEAL], total);
	p->r->idle_pct = pct(d[T_IDLE], total);
}

static void set_ticks(struct cpu_parse *p)
{
	struct cpu_reading *r = p->r;
	struct opt_u64 *const out[TICKS] = {&r->user_ticks, &r->nice_ticks, &r->system_ticks,
		&r->idle_ticks, &r->iowait_ticks, &r->irq_ticks, &r->softirq_ticks,
		&r->steal_ticks};
	double total = 0;
	bool all = p->blocks > 0;

	for (size_t i = 0; i < TICKS; i++) {
		*out[i] = p->last.tick[i];
		all = all && opt_has(p->last.tick[i]);
		total += (double)p->last.tick[i].v;
	}
	if (all && total > 0)
		r->iowait_boot_pct = opt_f64(100 * (double)p->last.tick[T_IOWAIT].v / total);
	if (p->last.cpus && (p->last.cpus_whole || !p->cut))
		r->cpus = opt_u64(p->last.cpus);
}

static void set_reports(struct cpu_parse *p)
{
	struct cpu_reading *r = p->r;
	const struct report *last = &p->last_report;

	if (p->reports == 0)
		return;
	r->iowait_boot_pct = p->first_report.share[S_IOWAIT];
	/* The last report that arrived need not be the last one. */
	if (p->cut)
		return;
	r->reports = opt_u64(p->reports);
	r->user_pct = last->share[S_USER];
	r->nice_pct = last->share[S_NICE];
	r->system_pct = last->share[S_SYSTEM];
	r->iowait_pct = last->share[S_IOWAIT];
	r->steal_pct = last->share[S_STEAL];
	r->idle_pct = last->share[S_IDLE];
	if (p->reports == 1)
		section_unread(p->s, "interval",
			"iostat gave one report, which may be since boot and not of now");
}

void parse_cpu(struct section *s, struct span text)
{
	struct cpu_parse p = {.s = s, .r = s->mutable_reading};
	struct span line;

	text = marks_whole_lines(s, text, &p.cut);
	while (span_line(&text, &line))
		read_line(&p, span_trim(line));
	if (p.blocks)
		set_ticks(&p);
	set_interval(&p);
	set_reports(&p);
	if (p.blocks == 0 && p.reports == 0 && s->unread_n == 0 && s->status == SECTION_OK)
		section_unread(s, "cpu", "nothing was printed");
}
