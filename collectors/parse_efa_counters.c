/*
 * efa_counters: hw_counters of every RDMA port ("path:value", or "device name
 * value"). A counter that the driver is too old for is absent, and stays
 * unknown. RDMA devices without any EFA counter are listed but not summed.
 */
#include "collectors/section.h"

#include <stddef.h>

#include "collectors/efa_device.h"
#include "collectors/marks.h"

struct counter {
	const char *name;
	size_t in_row;
	size_t in_total;
};

#define COUNTER(type, name, unit, help)                  \
	{#name, offsetof(struct efa_counters_row, name), \
		offsetof(struct efa_counters_reading, name)},
static const struct counter counters[] = {EFA_COUNTER_NAMES(COUNTER)};
#undef COUNTER

static const struct counter *find_counter(struct span name)
{
	for (size_t i = 0; i < ARRAY_LEN(counters); i++)
		if (span_eq(name, counters[i].name))
			return &counters[i];
	return NULL;
}

bool efa_only_counter(struct span name)
{
	/* Verbs counters of other drivers use plain names such as tx_bytes, too. */
	return find_counter(name) && !span_eq(name, "tx_bytes") && !span_eq(name, "rx_bytes") &&
	       !span_eq(name, "tx_pkts") && !span_eq(name, "rx_pkts") && !span_eq(name, "rx_drops");
}

static struct efa_counters_row *device_row(struct section *s, struct span dev)
{
	struct efa_counters_reading *r = s->mutable_reading;

	for (size_t i = 0; i < r->device_n; i++)
		if (opt_has(r->device[i].dev) && span_eq(dev, r->device[i].dev.v))
			return &r->device[i];
	if (r->device_n >= EFA_DEVICES_MAX)
		return NULL;
	struct efa_counters_row *row = SECTION_ROW(s, r, device);

	if (row) {
		row->dev = section_str(s, dev);
		row->counters = opt_u64(0);
	}
	return row;
}

static struct opt_u64 *row_counter(struct efa_counters_row *row, const struct counter *c)
{
	return (struct opt_u64 *)((char *)row + c->in_row);
}

static void set_counter(struct section *s, struct span dev, struct span name, struct span v)
{
	struct efa_counters_row *row = device_row(s, dev);
	const struct counter *c = find_counter(name);
	struct opt_u64 value = marks_u64(v);

	if (!row)
		return;
	if (value.state != OPT_OK)
		section_unread(
			s, c ? c->name : "counter", "\"%.*s\"", (int)(v.n > 40 ? 40 : v.n), v.p);
	if (span_eq(name, "lifespan"))
		row->lifespan_ms = value;
	else if (span_eq(name, "keep_alive_rcvd"))
		row->keep_alive_rcvd = value;
	else if (c)
		*row_counter(row, c) = value;
}

static void count_counter(struct section *s, struct span dev, struct span name, struct span v)
{
	struct efa_counters_row *row = device_row(s, dev);

	if (row && !span_eq(name, "lifespan") && marks_u64(v).state == OPT_OK)
		row->counters.v++;
}

/* "device name value"; the words of a port's state are not counters. */
static bool read_short(struct section *s, struct span line)
{
	struct span dev;
	struct span name;

	if (!span_word(&line, &dev) || dev.p[dev.n - 1] == ':' || !span_word(&line, &name))
		return false;
	line = span_trim(line);
	if (marks_u64(line).state == OPT_OK) {
		set_counter(s, dev, name, line);
		count_counter(s, dev, name, line);
	}
	return true;
}

/* "grep: FILE: words": that counter of that device could not be read; the others stand. */
static bool read_failure(struct section *s, struct span line)
{
	static const char grep[] = "grep: ";
	struct span path;
	struct span words;
	struct span dev;
	struct span name;
	struct span below;

	if (!span_starts(line, grep))
		return false;
	line = (struct span){line.p + sizeof(grep) - 1, line.n - (sizeof(grep) - 1)};
	if (!marks_path(line, &path, &words) || !marks_item(path, "/infiniband/", &dev, &below) ||
		!marks_item(path, "/hw_counters/", &name, &below))
		return false;
	struct efa_counters_row *row = device_row(s, dev);
	const struct counter *c = find_counter(name);

	if (row && c)
		row_counter(row, c)->state = OPT_ERROR;
	return row && c;
}

static void read_line(struct section *s, struct span line, bool *unclear)
{
	struct span path;
	struct span value;
	struct span dev;
	struct span below;
	struct span port;
	struct span name;

	if (marks_path(line, &path, &value)) {
		if (!marks_item(path, "/infiniband/", &dev, &below) ||
			!marks_item(path, "/hw_counters/", &name, &port))
			return;
		set_counter(s, dev, name, value);
		if (span_starts(below, "ports/"))
			count_counter(s, dev, name, value);
		return;
	}
	if (marks_missing(line) || read_short(s, line))
		return;
	section_unread(s, "line", "\"%.*s\"", (int)(line.n > 120 ? 120 : line.n), line.p);
	*unclear = *unclear || !read_failure(s, line);
}

static bool has_efa_counter(struct efa_counters_row *row)
{
	for (size_t i = 0; i < ARRAY_LEN(counters); i++)
		if (row_counter(row, &counters[i])->state != OPT_UNKNOWN)
			return true;
	return false;
}

/* Unknown when one EFA device lacks the counter, or the sum leaves 64 bits. */
static struct opt_u64 sum_of(struct efa_counters_reading *r, const struct counter *c)
{
	struct opt_u64 sum = opt_u64(0);

	for (size_t i = 0; i < r->device_n; i++) {
		const struct opt_u64 *v = row_counter(&r->device[i], c);

		if (!has_efa_counter(&r->device[i]))
			continue;
		if (!opt_has(*v) || v->v > UINT64_MAX - sum.v)
			return (struct opt_u64){OPT_UNKNOWN, 0};
		sum.v += v->v;
	}
	return sum;
}

static void set_totals(struct section *s)
{
	struct efa_counters_reading *r = s->mutable_reading;
	uint64_t devices = 0;
	uint64_t all = 0;

	for (size_t i = 0; i < r->device_n; i++) {
		devices += has_efa_counter(&r->device[i]);
		all += r->device[i].counters.v;
	}
	r->devices = opt_u64(devices);
	r->counters = opt_u64(all);
	if (devices == 0)
		return;
	for (size_t i = 0; i < ARRAY_LEN(counters); i++)
		*(struct opt_u64 *)((char *)r + counters[i].in_total) = sum_of(r, &counters[i]);
}

void parse_efa_counters(struct section *s, struct span text)
{
	struct efa_counters_reading *r = s->mutable_reading;
	struct span line;
	bool cut;
	bool unclear = false;

	text = marks_whole_lines(s, text, &cut);
	while (span_line(&text, &line)) {
		line = span_trim(line);
		if (line.n && line.p[0] != '#')
			read_line(s, line, &unclear);
	}
	if (!cut && !unclear && r->device_n < EFA_DEVICES_MAX && s->status != SECTION_TIMEOUT) {
		set_totals(s);
		return;
	}
	/* The last device may go on after the cut. */
	if (cut && r->device_n)
		r->device[r->device_n - 1].counters.state = OPT_UNKNOWN;
}
