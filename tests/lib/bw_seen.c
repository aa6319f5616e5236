#include "tests/lib/bw_seen.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void add(struct bw_seen *s, const char *text)
{
	if (buf_add_str(&s->text, text) != ERR_OK)
		abort();
}

static void add_value(struct bw_seen *s, const char *what, struct opt_f64 v)
{
	char text[64];

	if (opt_has(v))
		snprintf(text, sizeof(text), " %s %.10g", what, v.v);
	else
		snprintf(text, sizeof(text), " %s -", what);
	add(s, text);
}

static void add_count(struct bw_seen *s, const char *what, struct opt_u64 v)
{
	add_value(s, what, opt_has(v) ? opt_f64((double)v.v) : (struct opt_f64){OPT_UNKNOWN, 0});
}

static void see_table(struct bw_seen *s, const struct bw_table *t)
{
	char text[128];
	const struct bw_row *r = bw_table_largest(t);

	snprintf(text, sizeof(text), "table %s %s %zu", t->dtype ? t->dtype : "-",
		t->redop ? t->redop : "-", t->n);
	add(s, text);
	add_value(s, "avg", t->avg_busbw_gbps);
	if (r) {
		add_value(s, "max", opt_f64((double)r->size_bytes));
		add_value(s, "oop", r->oop_busbw_gbps);
		add_value(s, "ip", r->ip_busbw_gbps);
		add_value(s, "wrong", r->wrong);
	}
	add(s, "\n");
}

static void see_run(void *ctx, const struct bw_run *run)
{
	struct bw_seen *s = ctx;
	char text[160];

	snprintf(s->why, sizeof(s->why), "%s", run->why ? run->why : "");
	snprintf(text, sizeof(text), "run %s %s %s%s %s", bw_tool_name(run->tool),
		run->version ? run->version : "-", bw_collective_name(run->collective),
		run->collective_stated ? "" : "?", bw_status_name(run->status));
	add(s, text);
	add_count(s, "ranks", run->ranks);
	add_count(s, "per", run->ranks_per_host);
	snprintf(text, sizeof(text), " hosts %d:", (int)run->hosts_from);
	add(s, text);
	for (size_t i = 0; i < run->n_hosts; i++) {
		add(s, " ");
		add(s, run->hosts[i]);
	}
	add(s, "\n");
	for (size_t i = 0; i < run->n_tables; i++)
		see_table(s, &run->tables[i]);
	for (unsigned t = 0; t < BW_TROUBLE_COUNT; t++)
		if (run->trouble & 1u << t) {
			snprintf(text, sizeof(text), "trouble %s %s\n",
				bw_trouble_name((enum bw_trouble)t),
				run->trouble_host[t] ? run->trouble_host[t] : "-");
			add(s, text);
		}
}

static void see_pair(void *ctx, const struct bw_pair *pair)
{
	char text[400];

	snprintf(text, sizeof(text), "pair %.*s %.*s %.10g %llu %s\n", (int)pair->a.n, pair->a.p,
		(int)pair->b.n, pair->b.p, pair->busbw_gbps, (unsigned long long)pair->size_bytes,
		bw_collective_name(pair->collective));
	add(ctx, text);
}

static void see_instance(void *ctx, struct span host, struct span id)
{
	char text[400];

	snprintf(text, sizeof(text), "instance %.*s %.*s\n", (int)host.n, host.p, (int)id.n, id.p);
	add(ctx, text);
}

static void see_unread(void *ctx, unsigned line, const char *what, const char *why)
{
	char text[200];

	(void)why;
	snprintf(text, sizeof(text), "unread %u %s\n", line, what);
	add(ctx, text);
}

void bw_seen_read(struct bw_seen *s, const char *name, const char *text, size_t len, size_t piece)
{
	struct bw_sink sink = {s, see_run, see_pair, see_instance, see_unread};
	struct bw_reader *r = bw_reader_new(name, &sink);

	buf_reset(&s->text);
	s->why[0] = '\0';
	for (size_t i = 0; i < len;) {
		size_t n = piece && piece < len - i ? piece : len - i;
		/* An exact copy, so that a read past the end is seen. */
		char *copy = malloc(n);

		if (!copy)
			abort();
		memcpy(copy, text + i, n);
		bw_reader_feed(r, copy, n);
		free(copy);
		i += n;
	}
	bw_reader_end(r);
	s->kind = bw_reader_kind(r);
	bw_reader_free(r);
}

void bw_seen_fixture(struct bw_seen *s, const char *file, size_t piece)
{
	struct buf text = BUF_INIT(1u << 20);
	char path[200];
	struct err e;

	snprintf(path, sizeof(path), "tests/fixtures/nccl/%s", file);
	if (buf_read_file(&text, path, &e) != ERR_OK) {
		fprintf(stderr, "%s: %s\n", path, e.msg);
		abort();
	}
	bw_seen_read(s, path, buf_str(&text), text.len, piece);
	buf_release(&text);
}

void bw_seen_release(struct bw_seen *s)
{
	buf_release(&s->text);
}
