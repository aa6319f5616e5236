#include "collectors/parse_fi_info.h"

#include <string.h>

#define DOMAINS_MAX 256
/* ENODATA: libfabric found no such provider. */
#define FI_ENODATA_NUMBER 61

/* mpirun puts "[1,0]<stdout>:" in front of each line. */
static struct span without_tag(struct span line)
{
	ptrdiff_t at = line.n && line.p[0] == '[' ? span_find(line, ">:") : -1;

	return span_trim(at < 0 ? line : (struct span){line.p + at + 2, line.n - (size_t)at - 2});
}

bool fi_info_like(struct span text)
{
	struct span line;

	while (span_line(&text, &line)) {
		line = without_tag(line);
		if (span_starts(line, "provider:") || span_starts(line, "fi_getinfo:"))
			return true;
	}
	return false;
}

/* "rdmap47s0-rdm" and "rdmap47s0-dgrm" are the same NIC. */
static struct span domain_stem(struct span v)
{
	static const char *const tails[] = {"-rdm", "-dgrm"};

	for (size_t i = 0; i < ARRAY_LEN(tails); i++)
		if (span_ends(v, tails[i]))
			v.n -= strlen(tails[i]);
	return v;
}

struct listing {
	struct span domains[DOMAINS_MAX];
	size_t domain_n;
	uint64_t entries;
	bool plain; /* the block's provider is efa itself, not one layered on it */
};

static void add_domain(struct listing *l, struct span v)
{
	v = domain_stem(v);
	for (size_t i = 0; i < l->domain_n; i++)
		if (marks_same(l->domains[i], v))
			return;
	if (l->domain_n < DOMAINS_MAX)
		l->domains[l->domain_n++] = v;
}

/* Since libfabric 1.11 the provider counts its version as major * 100 + minor. */
static void set_version(struct section *s, struct span v)
{
	struct efa_reading *r = s->mutable_reading;
	uint64_t n;

	if (opt_has(r->provider_version))
		return;
	r->provider_version = section_str(s, v);
	if (span_lead_u64(v, &n, NULL) && n >= 100)
		r->libfabric = section_strf(s, "%u.%u", (unsigned)(n / 100), (unsigned)(n % 100));
}

static bool value_of(struct span line, const char *key, struct span *value)
{
	size_t n = strlen(key);

	if (!span_starts(line, key))
		return false;
	*value = span_trim((struct span){line.p + n, line.n - n});
	return true;
}

/* "fi_getinfo: -61 (No data available)" */
static void set_failure(struct section *s, struct span line, struct span v)
{
	struct efa_reading *r = s->mutable_reading;
	int64_t n;
	struct span word;

	r->error = section_str(s, line);
	if (span_word(&v, &word) && span_i64(word, &n) && n < 0)
		r->provider_errno = opt_u64((uint64_t)-n);
}

static void read_line(struct section *s, struct listing *l, struct span line)
{
	struct span v;

	if (value_of(line, "provider:", &v)) {
		l->plain = span_eq(v, "efa");
		l->entries++;
	} else if (value_of(line, "domain:", &v)) {
		add_domain(l, v);
	} else if (value_of(line, "version:", &v) && l->plain) {
		set_version(s, v);
	} else if (value_of(line, "fi_getinfo:", &v)) {
		set_failure(s, line, v);
	}
}

static void read_exit(struct section *s, struct span args)
{
	struct efa_reading *r = s->mutable_reading;
	int64_t code;
	struct span word;

	if (!span_word(&args, &word) || !span_word(&args, &word) || !span_i64(word, &code)) {
		section_unread(s, "fi_info", "exit status not told");
	} else if (code == 0) {
		r->provider_ok = opt_bool(true);
	} else if (code == 127) {
		r->provider_ok.state = OPT_UNSUPPORTED;
	} else if (code == 124 || code == 126 || code >= 128) {
		r->provider_ok.state = OPT_ERROR;
		section_unread(s, "fi_info", "did not end by itself (exit %d)", (int)code);
	} else {
		r->provider_ok = opt_bool(false);
	}
}

void fi_info_read(struct section *s, const struct marks_piece *piece)
{
	struct efa_reading *r = s->mutable_reading;
	struct listing l = {.entries = 0};
	struct span text = piece->body;
	struct span line;

	if (span_starts(piece->args, "exit")) {
		read_exit(s, piece->args);
		return;
	}
	while (span_line(&text, &line))
		read_line(s, &l, without_tag(line));
	if (!piece->whole || (l.entries == 0 && !opt_has(r->provider_errno)))
		return;
	r->provider_entries = opt_u64(l.entries);
	r->provider_devices = opt_u64(l.domain_n);
}

void fi_info_finish(struct section *s)
{
	struct efa_reading *r = s->mutable_reading;

	if (opt_has(r->provider_errno)) {
		/* Another error may be one of fi_info's own; only this one means "none found". */
		if (r->provider_errno.v == FI_ENODATA_NUMBER || opt_has(r->provider_ok))
			r->provider_ok = opt_bool(false);
		return;
	}
	if (r->provider_ok.state == OPT_UNKNOWN && opt_has(r->provider_entries))
		r->provider_ok = opt_bool(r->provider_entries.v > 0);
	if (opt_has(r->provider_ok) && r->provider_ok.v && !opt_has(r->provider_entries)) {
		r->provider_ok.state = OPT_UNKNOWN;
		section_unread(s, "fi_info", "ended well but listed no provider");
	}
}
