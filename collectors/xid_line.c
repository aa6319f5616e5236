#include "collectors/xid_line.h"

#include <ctype.h>
#include <string.h>

static struct span after(struct span s, size_t n)
{
	return (struct span){s.p + n, s.n - n};
}

static bool is_alnum(char c)
{
	return isalnum((unsigned char)c) != 0;
}

/* Takes a literal off the front. */
static bool take(struct span *s, const char *literal)
{
	if (!span_starts(*s, literal))
		return false;
	*s = after(*s, strlen(literal));
	return true;
}

/* Takes what stands before a literal, and the literal. */
static bool take_until(struct span *s, const char *literal, struct span *out)
{
	ptrdiff_t at = span_find(*s, literal);

	if (at < 0)
		return false;
	*out = (struct span){s->p, (size_t)at};
	*s = after(*s, (size_t)at + strlen(literal));
	return true;
}

/* Position of a word in any case, on its own: "fatal" is not in "Nonfatal". */
static ptrdiff_t find_word(struct span s, const char *word)
{
	size_t n = strlen(word);
	size_t from = 0;

	while (from < s.n) {
		ptrdiff_t at = span_ifind(after(s, from), word);

		if (at < 0)
			return -1;
		size_t i = from + (size_t)at;

		if ((i == 0 || !is_alnum(s.p[i - 1])) && (i + n == s.n || !is_alnum(s.p[i + n])))
			return (ptrdiff_t)i;
		from = i + 1;
	}
	return -1;
}

static void read_fatal(struct span text, struct opt_bool *fatal)
{
	if (find_word(text, "nonfatal") >= 0 || find_word(text, "non-fatal") >= 0)
		*fatal = opt_bool(false);
	else if (find_word(text, "fatal") >= 0)
		*fatal = opt_bool(true);
}

/* "Link 03", "link 6(0x10000", "Link -1" */
static void read_link(struct span text, struct opt_i64 *link)
{
	ptrdiff_t at = find_word(text, "link");
	uint64_t v;

	while (at >= 0) {
		struct span rest = after(text, (size_t)at + 4);
		bool negative;

		if (take(&rest, " ")) {
			negative = take(&rest, "-");
			if (span_lead_u64(rest, &v, &rest) && v <= INT32_MAX) {
				*link = opt_i64(negative ? -(int64_t)v : (int64_t)v);
				return;
			}
		}
		text = after(text, (size_t)at + 4);
		at = find_word(text, "link");
	}
}

static void read_said(struct span text, struct xid_text *said)
{
	read_fatal(text, &said->fatal);
	read_link(text, &said->link);
}

/* "pid='<unknown>'", "pid=<unknown>", "pid=1234", each with ", " behind. */
static void read_pid(struct span *rest, struct opt_i64 *pid)
{
	struct span value;
	struct span at = *rest;
	int64_t v;

	if (!take(&at, "pid="))
		return;
	if (!take_until(&at, ", ", &value)) {
		value = at;
		at = (struct span){at.p + at.n, 0};
	}
	if (span_i64(value, &v) && v >= 0)
		*pid = opt_i64(v);
	else
		pid->state = OPT_UNSUPPORTED;
	*rest = at;
}

static void read_name(struct span *rest, struct span *name)
{
	struct span at = *rest;

	if (!take(&at, "name=") || !take_until(&at, ", ", name))
		return;
	if (span_eq(*name, "<unknown>") || span_eq(*name, "'<unknown>'"))
		*name = (struct span)SPAN_INIT;
	*rest = at;
}

/* "GPU recovery action changed from 0x0 (None) to 0x4 (Drain and Reset)" */
static void read_action(struct span text, struct xid_line *x)
{
	struct span rest = text;
	struct span word;
	uint64_t v;

	if (!take_until(&rest, "changed from ", &word) || !span_word(&rest, &word) ||
		!span_hex(word, &v))
		return;
	x->action_from = opt_u64(v);
	if (!take_until(&rest, ") to ", &word) || !span_word(&rest, &word) || !span_hex(word, &v))
		return;
	x->action_to = opt_u64(v);
	if (take_until(&rest, "(", &word) && take_until(&rest, ")", &word))
		x->action = word;
}

static void read_cause(struct span text, struct opt_u64 *caused_by)
{
	static const char words[] = "caused by previous Xid ";
	ptrdiff_t at = span_ifind(text, words);
	uint64_t v;

	if (at >= 0 && span_lead_u64(after(text, (size_t)at + sizeof(words) - 1), &v, NULL))
		*caused_by = opt_u64(v);
}

/* "PCI:0000:01:00 GPU-I:05" between the parentheses. */
static void read_address(struct span inside, struct xid_line *x)
{
	struct span word;
	uint64_t v;

	take(&inside, "PCI:");
	if (!span_word(&inside, &x->bdf))
		return;
	while (span_word(&inside, &word))
		if (take(&word, "GPU-I:") && span_lead_u64(word, &v, NULL))
			x->gpu_instance = opt_u64(v);
}

bool xid_line_read(struct span line, struct xid_line *x)
{
	struct span rest = line;
	struct span inside;
	struct xid_line found = {0};
	ptrdiff_t at = find_word(rest, "Xid");

	/* The same line may tell of "previous Xid 149" further on: the first one counts. */
	if (at < 0)
		return false;
	rest = after(rest, (size_t)at);
	if (!take(&rest, "Xid (") || !take_until(&rest, "): ", &inside))
		return false;
	read_address(inside, &found);
	if (!span_lead_u64(rest, &found.code, &rest) || found.bdf.n == 0)
		return false;
	take(&rest, ", ");
	read_pid(&rest, &found.pid);
	read_name(&rest, &found.name);
	found.text = span_trim(rest);
	read_said(found.text, &found.said);
	read_cause(found.text, &found.caused_by);
	if (found.code == 154)
		read_action(found.text, &found);
	*x = found;
	return true;
}

static enum sxid_kind sxid_kind(struct span text)
{
	if (span_starts(text, "Fatal") || span_starts(text, "Non-fatal") ||
		span_starts(text, "Nonfatal"))
		return SXID_EVENT;
	if (span_starts(text, "Severity"))
		return SXID_SEVERITY;
	return span_starts(text, "Data") ? SXID_DATA : SXID_OTHER;
}

bool sxid_line_read(struct span line, struct sxid_line *x)
{
	static const char driver[] = "nvidia-nvswitch";
	struct sxid_line found = {0};
	struct span inside;
	struct span rest = line;
	ptrdiff_t at = find_word(line, "SXid");
	ptrdiff_t sw = span_find(line, driver);
	uint64_t v;

	if (at < 0)
		return false;
	rest = after(rest, (size_t)at);
	if (!take(&rest, "SXid (") || !take_until(&rest, "): ", &inside))
		return false;
	take(&inside, "PCI:");
	found.bdf = span_trim(inside);
	if (!span_lead_u64(rest, &found.code, &rest))
		return false;
	take(&rest, ", ");
	if (sw >= 0 && span_lead_u64(after(line, (size_t)sw + sizeof(driver) - 1), &v, NULL))
		found.switch_index = opt_u64(v);
	found.text = span_trim(rest);
	found.kind = sxid_kind(found.text);
	read_said(found.text, &found.said);
	*x = found;
	return true;
}

size_t xid_bdf_normal(struct span bdf, char *out, size_t size)
{
	struct span rest = span_trim(bdf);
	struct span domain;
	struct span bus;
	struct span dev;
	size_t n = 0;

	if (size)
		out[0] = '\0';
	if (!span_field(&rest, ':', &domain) || !span_field(&rest, ':', &bus) || !rest.p)
		return 0;
	span_field(&rest, '.', &dev);
	while (domain.n > 4 && domain.p[0] == '0')
		domain = after(domain, 1);
	const struct span parts[] = {domain, bus, dev};

	for (size_t i = 0; i < 3; i++) {
		if (n + parts[i].n + 2 > size)
			return 0;
		if (i)
			out[n++] = ':';
		for (size_t j = 0; j < parts[i].n; j++)
			out[n++] = (char)tolower((unsigned char)parts[i].p[j]);
	}
	out[n] = '\0';
	return n;
}
