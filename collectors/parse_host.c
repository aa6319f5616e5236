/*
 * host: who the node says it is. One piece a source (see `pieces`); a bare
 * /proc/meminfo is read as well. Where two sources tell the same, the firmware
 * comes first, then cloud-init, then HyperPod's resource_config.json.
 */
#include "collectors/section.h"

#include "collectors/host_identity.h"
#include "collectors/marks.h"

static void note(struct section *s, const char *what, struct span text)
{
	text = span_trim(text);
	section_unread(s, what, "\"%.*s\"", (int)(text.n > 80 ? 80 : text.n), text.p ? text.p : "");
}

static void set_u64(struct section *s, const char *what, struct opt_u64 *out, struct span v)
{
	*out = marks_u64(v);
	if (out->state == OPT_ERROR)
		note(s, what, v);
}

static void set_f64(struct section *s, const char *what, struct opt_f64 *out, struct span v)
{
	*out = marks_f64(v);
	if (out->state == OPT_ERROR)
		note(s, what, v);
}

/* uname -snrm */
static void read_uname(struct host_parse *p, const struct marks_piece *piece)
{
	struct span rest = piece->body;
	struct span word[4];

	for (size_t i = 0; i < ARRAY_LEN(word); i++) {
		if (!span_word(&rest, &word[i])) {
			note(p->s, "uname", piece->body);
			return;
		}
	}
	p->r->hostname = section_str(p->s, word[1]);
	p->r->kernel = section_str(p->s, word[2]);
	p->r->arch = section_str(p->s, word[3]);
}

static void read_uptime(struct host_parse *p, const struct marks_piece *piece)
{
	struct span rest = piece->body;
	struct span word;

	if (span_word(&rest, &word))
		set_f64(p->s, "uptime", &p->r->uptime_s, word);
}

static void read_date(struct host_parse *p, const struct marks_piece *piece)
{
	set_f64(p->s, "date", &p->r->now_unix_s, piece->body);
}

static void read_os(struct host_parse *p, const struct marks_piece *piece)
{
	struct span text = piece->body;
	struct span line;
	struct span key;
	struct span value;

	while (span_line(&text, &line)) {
		if (!marks_key_value(line, '=', &key, &value))
			continue;
		if (span_eq(key, "PRETTY_NAME") || (span_eq(key, "NAME") && !opt_has(p->r->os)))
			p->r->os = section_str(p->s, value);
	}
}

/* "MemTotal:  15666184 kB"; the counts of huge pages have no unit. */
static void read_meminfo(struct host_parse *p, const struct marks_piece *piece)
{
	struct host_reading *r = p->r;
	const struct {
		const char *key;
		struct opt_u64 *out;
	} keys[] = {
		{"MemTotal", &r->mem_total_kib},
		{"MemAvailable", &r->mem_available_kib},
		{"MemFree", &r->mem_free_kib},
		{"Cached", &r->mem_cached_kib},
		{"Shmem", &r->mem_shmem_kib},
		{"HugePages_Total", &r->hugepages_total},
	};
	struct span text = piece->body;
	struct span line;
	struct span key;
	struct span value;

	while (span_line(&text, &line)) {
		if (!marks_key_value(line, ':', &key, &value))
			continue;
		for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
			if (!span_eq(key, keys[i].key))
				continue;
			if (span_ends(value, " kB"))
				value.n -= 3;
			set_u64(p->s, keys[i].key, keys[i].out, value);
		}
	}
}

/* "0.00 0.01 0.05 1/123 4567" */
static void read_loadavg(struct host_parse *p, const struct marks_piece *piece)
{
	struct span rest = piece->body;
	struct span word;
	struct span running;

	if (!span_word(&rest, &word))
		return;
	set_f64(p->s, "loadavg", &p->r->load1, word);
	for (size_t i = 0; i < 3; i++)
		if (!span_word(&rest, &word))
			return;
	if (span_field(&word, '/', &running))
		set_u64(p->s, "loadavg", &p->r->procs_running, running);
}

/* CPUs in a list such as "0-95,97"; 0 when it is none. */
static uint64_t count_list(struct span list)
{
	struct span part;
	uint64_t n = 0;

	while (span_field(&list, ',', &part)) {
		struct span rest;
		uint64_t first;
		uint64_t last;

		if (!span_lead_u64(part, &first, &rest))
			return 0;
		last = first;
		if (rest.n && (rest.p[0] != '-' ||
				      !span_u64((struct span){rest.p + 1, rest.n - 1}, &last)))
			return 0;
		if (last < first || last - first > 65536)
			return 0;
		n += last - first + 1;
	}
	return n;
}

/* The first "model name" line, and the list of CPUs online; or all of /proc/cpuinfo. */
static void read_cpuinfo(struct host_parse *p, const struct marks_piece *piece)
{
	struct span text = piece->body;
	struct span line;
	struct span key;
	struct span value;
	uint64_t cpus = 0;

	while (span_line(&text, &line)) {
		if (marks_path(line, &key, &value) && span_ends(key, "/cpu/online")) {
			if (count_list(value))
				p->r->cpus = opt_u64(count_list(value));
			continue;
		}
		if (!marks_key_value(line, ':', &key, &value))
			continue;
		cpus += span_eq(key, "processor");
		if (span_eq(key, "model name") && !opt_has(p->r->cpu_model))
			p->r->cpu_model = section_str(p->s, value);
	}
	if (cpus && piece->whole)
		p->r->cpus = opt_u64(cpus);
}

/* chronyc tracking: "System time     : 0.000012 seconds slow of NTP time" */
static void read_chrony(struct host_parse *p, const struct marks_piece *piece)
{
	struct span text = piece->body;
	struct span line;
	struct span key;
	struct span value;
	struct opt_f64 offset = {OPT_UNKNOWN, 0};
	bool unsynchronised = false;

	while (span_line(&text, &line)) {
		struct span tail;
		double v;

		if (!marks_key_value(line, ':', &key, &value))
			continue;
		if (span_eq(key, "Leap status"))
			unsynchronised = span_ifind(value, "not sync") >= 0;
		if (!span_eq(key, "System time") || !span_lead_f64(value, &v, &tail))
			continue;
		if (span_find(tail, " slow") >= 0)
			offset = opt_f64(-v);
		else if (span_find(tail, " fast") >= 0)
			offset = opt_f64(v);
	}
	/* Without a source chrony still prints an offset, of nothing. */
	if (unsynchronised)
		section_unread(p->s, "clock_offset_s", "chrony is not synchronised");
	else
		p->r->clock_offset_s = offset;
}

static void read_ulimit(struct host_parse *p, const struct marks_piece *piece)
{
	struct span word = span_trim(piece->body);
	uint64_t unused;

	if (span_eq(word, "unlimited") || span_u64(word, &unused))
		p->r->memlock = section_str(p->s, word);
	else if (word.n)
		note(p->s, "ulimit", word);
}

static void read_vmstat(struct host_parse *p, const struct marks_piece *piece)
{
	struct span text = piece->body;
	struct span line;
	struct span key;

	while (span_line(&text, &line))
		if (span_word(&line, &key) && span_eq(key, "oom_kill"))
			set_u64(p->s, "oom_kill", &p->r->oom_kills, line);
}

static const struct {
	const char *name;
	void (*read)(struct host_parse *p, const struct marks_piece *piece);
} pieces[] = {
	{"uname", read_uname},
	{"uptime", read_uptime},
	{"date", read_date},
	{"os-release", read_os},
	{"meminfo", read_meminfo},
	{"loadavg", read_loadavg},
	{"cpuinfo", read_cpuinfo},
	{"dmi", host_read_dmi},
	{"resource_config", host_read_resource_config},
	{"cloud-init", host_read_cloud_init},
	{"chrony", read_chrony},
	{"ulimit", read_ulimit},
	{"vmstat", read_vmstat},
};

void parse_host(struct section *s, struct span text)
{
	struct host_parse p = {.s = s, .r = s->mutable_reading};
	struct marks m;
	struct marks_piece piece;
	bool any = false;

	marks_init(&m, s, text);
	while (marks_next(&m, &piece)) {
		any = true;
		if (!piece.mark.n)
			read_meminfo(&p, &piece);
		for (size_t i = 0; i < ARRAY_LEN(pieces); i++)
			if (span_eq(piece.name, pieces[i].name))
				pieces[i].read(&p, &piece);
	}
	host_set_group(&p);
	if (!any && s->unread_n == 0 && s->status == SECTION_OK)
		section_unread(s, "host", "nothing was printed");
}
