#include "collectors/bw_build.h"

#include <stdlib.h>
#include <string.h>

#include "collectors/bw_reader.h"
#include "collectors/xmalloc.h"

#define TEXT_MAX   241
#define TABLES_MAX 1024
/* Of one run: names of types, lines that show a trouble, the sentence why. */
#define TEXT_CAP (256u << 10)

void bw_build_init(struct bw_build *b)
{
	*b = (struct bw_build){0};
	bw_hosts_init(&b->ranks);
	bw_hosts_init(&b->info);
	arena_init(&b->text, TEXT_CAP);
}

void bw_build_release(struct bw_build *b)
{
	free(b->rows);
	free(b->tables);
	free(b->table_begin);
	free(b->host_names);
	bw_hosts_release(&b->ranks);
	bw_hosts_release(&b->info);
	arena_release(&b->text);
	*b = (struct bw_build){0};
}

void bw_build_reset(struct bw_build *b)
{
	b->run = (struct bw_run){0};
	b->n_rows = 0;
	b->n_tables = 0;
	b->rows_lost = false;
	b->table_open = false;
	bw_hosts_reset(&b->ranks);
	bw_hosts_reset(&b->info);
	arena_release(&b->text);
}

const char *bw_build_text(struct bw_build *b, struct span s)
{
	char out[TEXT_MAX];
	size_t n = text_printable(out, sizeof(out), s.p, s.n);

	return arena_strndup(&b->text, out, n);
}

void bw_build_close_table(struct bw_build *b)
{
	b->table_open = false;
}

static bool is_same(const char *have, struct span s)
{
	return have ? strncmp(have, s.p ? s.p : "", s.n) == 0 && have[s.n] == '\0' : s.n == 0;
}

struct bw_table *bw_build_table(struct bw_build *b, struct span dtype, struct span redop)
{
	struct bw_table *t = b->n_tables ? &b->tables[b->n_tables - 1] : NULL;

	if (t && b->table_open && is_same(t->dtype, dtype) && is_same(t->redop, redop))
		return t;
	if (b->n_tables >= TABLES_MAX)
		return NULL;
	xgrow((void **)&b->tables, &b->tables_cap, b->n_tables, sizeof(b->tables[0]));
	xgrow((void **)&b->table_begin, &b->begin_cap, b->n_tables, sizeof(b->table_begin[0]));
	t = &b->tables[b->n_tables];
	*t = (struct bw_table){0};
	t->dtype = dtype.n ? bw_build_text(b, dtype) : NULL;
	t->redop = redop.n ? bw_build_text(b, redop) : NULL;
	b->table_begin[b->n_tables++] = b->n_rows;
	b->table_open = true;
	return t;
}

void bw_build_row(struct bw_build *b, const struct bw_row *row)
{
	if (b->n_rows >= BW_ROWS_MAX) {
		b->rows_lost = true;
		return;
	}
	xgrow((void **)&b->rows, &b->rows_cap, b->n_rows, sizeof(b->rows[0]));
	b->rows[b->n_rows++] = *row;
	b->tables[b->n_tables - 1].n++;
}

void bw_build_trouble(struct bw_build *b, enum bw_trouble t, struct span line, struct span host)
{
	if (b->run.trouble & 1u << t)
		return;
	b->run.trouble |= 1u << t;
	b->run.trouble_line[t] = bw_build_text(b, line);
	b->run.trouble_host[t] = host.n ? bw_build_text(b, host) : NULL;
}

void bw_build_no_trouble(struct bw_build *b, enum bw_trouble t)
{
	b->run.trouble &= ~(1u << t);
	b->run.trouble_line[t] = b->run.trouble_host[t] = NULL;
}

/* By rank; those without one, and of the same rank, as they came. */
static int by_rank(const void *pa, const void *pb)
{
	const struct bw_host *a = pa;
	const struct bw_host *b = pb;

	return a->first_rank < b->first_rank ? -1 : a->first_rank > b->first_rank;
}

/* An insertion sort: stable, and the lines come in order as a rule. */
static void sort_hosts(struct bw_hosts *h)
{
	size_t i = 1;

	while (i < h->n && by_rank(&h->v[i - 1], &h->v[i]) <= 0)
		i++;
	if (i >= h->n)
		return;
	if (h->n > 256) {
		/* Hosts in disorder by the thousand: quickly rather than stable. */
		qsort(h->v, h->n, sizeof(h->v[0]), by_rank);
		return;
	}
	for (; i < h->n; i++) {
		struct bw_host host = h->v[i];
		size_t k = i;

		for (; k > 0 && by_rank(&h->v[k - 1], &host) > 0; k--)
			h->v[k] = h->v[k - 1];
		h->v[k] = host;
	}
}

struct bw_run *bw_build_finish(struct bw_build *b, struct bw_hosts *hosts)
{
	size_t n = hosts ? hosts->n : 0;

	if (n) {
		sort_hosts(hosts);
		if (n > b->names_cap) {
			b->host_names = xreallocarray(b->host_names, n, sizeof(b->host_names[0]));
			b->names_cap = n;
		}
		for (size_t i = 0; i < n; i++)
			b->host_names[i] = hosts->v[i].name;
	}
	b->run.hosts = n ? b->host_names : NULL;
	b->run.n_hosts = n;
	for (size_t i = 0; i < b->n_tables; i++)
		b->tables[i].rows = b->tables[i].n ? b->rows + b->table_begin[i] : NULL;
	b->run.tables = b->n_tables ? b->tables : NULL;
	b->run.n_tables = b->n_tables;
	return &b->run;
}
