/*
 * governor: CPU frequency policy, one line a CPU: "path/scaling_governor:word"
 * or the bare word. Many EC2 types expose none, which is not a fault.
 */
#include "collectors/section.h"

#include "collectors/marks.h"

#define KINDS_MAX 8

struct tally {
	struct span word[KINDS_MAX];
	uint64_t count[KINDS_MAX];
	size_t n;
	uint64_t total;
	bool unclear; /* a line that could not be read: totals are not known */
};

static void tally_add(struct tally *t, struct span word)
{
	size_t i = 0;

	t->total++;
	while (i < t->n && !marks_same(t->word[i], word))
		i++;
	if (i == KINDS_MAX) {
		t->unclear = true;
		return;
	}
	if (i == t->n) {
		t->n++;
		t->word[i] = word;
		t->count[i] = 0;
	}
	t->count[i]++;
}

/* Governors are short lower-case words: "schedutil", "performance". */
static bool is_governor(struct span word)
{
	if (word.n == 0 || word.n > 24)
		return false;
	for (size_t i = 0; i < word.n; i++)
		if (!((word.p[i] >= 'a' && word.p[i] <= 'z') || word.p[i] == '_'))
			return false;
	return true;
}

static void read_line(struct section *s, struct tally *t, struct span line)
{
	struct governor_reading *r = s->mutable_reading;
	struct span path;
	struct span value;

	if (!marks_path(line, &path, &value)) {
		value = line;
	} else if (span_ends(path, "/scaling_driver")) {
		if (!opt_has(r->driver))
			r->driver = section_str(s, value);
		return;
	} else if (!span_ends(path, "/scaling_governor")) {
		return;
	}
	if (is_governor(value)) {
		tally_add(t, value);
	} else if (!marks_missing(line)) {
		section_unread(s, "governor", "\"%.*s\"", (int)(line.n > 80 ? 80 : line.n), line.p);
		t->unclear = true;
	}
}

static void set_result(struct section *s, const struct tally *t)
{
	struct governor_reading *r = s->mutable_reading;
	size_t most = 0;
	uint64_t other = 0;
	char list[KINDS_MAX * 26];
	size_t used = 0;

	r->cpus = opt_u64(t->total);
	if (t->n == 0) {
		r->governor.state = OPT_UNSUPPORTED;
		r->governors.state = OPT_UNSUPPORTED;
		r->not_performance.state = OPT_UNSUPPORTED;
		return;
	}
	for (size_t i = 0; i < t->n; i++) {
		if (t->count[i] > t->count[most])
			most = i;
		if (!span_eq(t->word[i], "performance"))
			other += t->count[i];
		if (i)
			list[used++] = ',';
		for (size_t k = 0; k < t->word[i].n; k++)
			list[used++] = t->word[i].p[k];
	}
	r->governor = section_str(s, t->word[most]);
	r->governors = section_str(s, (struct span){list, used});
	r->not_performance = opt_u64(other);
}

void parse_governor(struct section *s, struct span text)
{
	struct tally t = {.n = 0};
	struct span line;
	bool cut;

	text = marks_whole_lines(s, text, &cut);
	while (span_line(&text, &line)) {
		line = span_trim(line);
		if (line.n && line.p[0] != '#')
			read_line(s, &t, line);
	}
	if (!cut && !t.unclear && s->status != SECTION_TIMEOUT)
		set_result(s, &t);
}
