/*
 * libFuzzer target for the reader of benchmark output. The first byte of an input chooses
 * the length of the pieces that are fed and whether there is a file name; the rest is the
 * input. Everything that is given to the sink is looked at.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collectors/bw_reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static volatile size_t looked_at;

static void check_text(const char *s)
{
	if (!s)
		return;
	for (const char *c = s; *c; c++)
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			abort(); /* not printable */
	looked_at += strlen(s);
}

static void check_span(struct span s)
{
	for (size_t i = 0; i < s.n; i++)
		looked_at += (unsigned char)s.p[i];
}

static void check_figure(struct opt_f64 v)
{
	if (opt_has(v) && !(v.v >= 0))
		abort();
}

static void check_table(const struct bw_table *t)
{
	check_text(t->dtype);
	check_text(t->redop);
	check_figure(t->avg_busbw_gbps);
	check_figure(t->out_of_bounds);
	for (size_t i = 0; i < t->n; i++) {
		const struct bw_row *r = &t->rows[i];

		check_figure(r->oop_busbw_gbps);
		check_figure(r->oop_algbw_gbps);
		check_figure(r->ip_busbw_gbps);
		check_figure(r->ip_algbw_gbps);
		check_figure(r->wrong);
	}
	bw_table_largest(t);
}

static void on_run(void *ctx, const struct bw_run *run)
{
	(void)ctx;
	check_text(run->version);
	check_text(run->why);
	if ((run->status == BW_OK) == (run->why != NULL))
		abort();
	if ((run->n_hosts == 0) != (run->hosts_from == BW_HOSTS_UNKNOWN) &&
		run->hosts_from != BW_HOSTS_RANKS)
		abort();
	for (size_t i = 0; i < run->n_hosts; i++)
		check_text(run->hosts[i]);
	for (size_t i = 0; i < run->n_tables; i++)
		check_table(&run->tables[i]);
	for (size_t i = 0; i < BW_TROUBLE_COUNT; i++) {
		check_text(run->trouble_line[i]);
		check_text(run->trouble_host[i]);
	}
}

static void on_pair(void *ctx, const struct bw_pair *pair)
{
	(void)ctx;
	check_span(pair->a);
	check_span(pair->b);
	check_figure(opt_f64(pair->busbw_gbps));
}

static void on_instance(void *ctx, struct span host, struct span id)
{
	(void)ctx;
	check_span(host);
	check_span(id);
}

static void on_unread(void *ctx, unsigned line, const char *what, const char *why)
{
	(void)ctx;
	(void)line;
	check_text(what);
	check_text(why);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct bw_sink sink = {NULL, on_run, on_pair, on_instance, on_unread};

	if (size == 0)
		return 0;
	size_t piece = data[0] & 0x3f;
	struct bw_reader *r =
		bw_reader_new(data[0] & 0x40 ? "nccl_N2_G8_gpu-1_gpu-2.log" : NULL, &sink);

	for (size_t i = 1; i < size;) {
		size_t n = piece && piece < size - i ? piece : size - i;
		/* An exact copy, so that a read past the end is seen. */
		char *copy = malloc(n);

		if (!copy)
			break;
		memcpy(copy, data + i, n);
		bw_reader_feed(r, copy, n);
		free(copy);
		i += n;
	}
	bw_reader_end(r);
	looked_at += (size_t)bw_reader_kind(r);
	bw_reader_free(r);
	return 0;
}
