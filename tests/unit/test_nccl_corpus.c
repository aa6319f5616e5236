/*
 * Real benchmark output with the values that a careful reader finds in it:
 * ../shared/corpus/nccl, beside the project. Skipped where it is missing.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "collectors/buf.h"
#include "collectors/bw_reader.h"
#include "collectors/json.h"

#define CORPUS     "../shared/corpus/nccl"
#define TABLES_MAX 16
#define HOSTS_MAX  64

/* A table as it was read, with what its run says. */
struct seen {
	enum bw_tool tool;
	char version[32];
	enum bw_collective collective;
	bool stated;
	struct opt_u64 ranks;
	enum bw_hosts_from hosts_from;
	char hosts[HOSTS_MAX][64];
	size_t n_hosts;
	char dtype[32];
	char redop[32];
	size_t rows;
	size_t rows_of_run;
	struct bw_row largest; /* size 0: none */
	struct opt_f64 avg;
	struct opt_f64 wrong;
	enum bw_status status;
	bool has_why;
};

struct all_seen {
	struct seen t[TABLES_MAX];
	size_t n;
};

static void copy(char *out, size_t size, const char *s)
{
	snprintf(out, size, "%s", s ? s : "");
}

static void see_table(struct all_seen *all, const struct bw_run *run, const struct bw_table *t)
{
	struct seen *s = &all->t[all->n];
	const struct bw_row *largest = t ? bw_table_largest(t) : NULL;

	assert_true(all->n < TABLES_MAX);
	all->n++;
	*s = (struct seen){.tool = run->tool,
		.collective = run->collective,
		.stated = run->collective_stated,
		.ranks = run->ranks,
		.hosts_from = run->hosts_from,
		.n_hosts = run->n_hosts,
		.status = run->status,
		.has_why = run->why != NULL};
	copy(s->version, sizeof(s->version), run->version);
	assert_true(run->n_hosts <= HOSTS_MAX);
	for (size_t i = 0; i < run->n_hosts; i++)
		copy(s->hosts[i], sizeof(s->hosts[i]), run->hosts[i]);
	for (size_t i = 0; i < run->n_tables; i++)
		s->rows_of_run += run->tables[i].n;
	if (!t)
		return;
	copy(s->dtype, sizeof(s->dtype), t->dtype);
	copy(s->redop, sizeof(s->redop), t->redop);
	s->rows = t->n;
	s->avg = t->avg_busbw_gbps;
	if (largest)
		s->largest = *largest;
	for (size_t i = 0; i < t->n; i++)
		if (opt_has(t->rows[i].wrong))
			s->wrong =
				opt_f64((opt_has(s->wrong) ? s->wrong.v : 0) + t->rows[i].wrong.v);
}

static void see_run(void *ctx, const struct bw_run *run)
{
	see_table(ctx, run, run->n_tables ? &run->tables[0] : NULL);
	for (size_t i = 1; i < run->n_tables; i++)
		see_table(ctx, run, &run->tables[i]);
}

static void read_file(const char *file, struct all_seen *all)
{
	struct bw_sink sink = {.ctx = all, .run = see_run};
	struct buf text = BUF_INIT(4u << 20);
	char path[256];
	struct err e;

	snprintf(path, sizeof(path), "%s/%s", CORPUS, file);
	assert_int_equal(buf_read_file(&text, path, &e), ERR_OK);
	struct bw_reader *r = bw_reader_new(path, &sink);

	all->n = 0;
	bw_reader_feed(r, buf_str(&text), text.len);
	bw_reader_end(r);
	bw_reader_free(r);
	buf_release(&text);
}

/* ---- comparing ---- */

/* Expected values that the text of the file alone cannot give, or that it contradicts. */
static const struct {
	const char *file;
	const char *key;
	const char *why;
} known[] = {
	{"036-", "collective_stated", "its command line names all_gather_perf"},
	{"070-", "collective_stated", "so does this one's, for all_reduce_perf"},
	{"102-", "version", "no version is printed; the layout tells it"},
	{"105-", "collective", "one row without figures"},
	{"111-", "collective", "no row"},
	{"119-", "collective", "31/32 is all_gather, reduce_scatter or alltoall"},
};

static bool is_known(const char *file, const char *key)
{
	for (size_t i = 0; i < ARRAY_LEN(known); i++)
		if (strncmp(file, known[i].file, strlen(known[i].file)) == 0 &&
			strcmp(known[i].key, key) == 0)
			return true;
	return false;
}

static const cJSON *get(const cJSON *want, const char *key)
{
	return cJSON_GetObjectItem(want, key);
}

static const char *text_of(const cJSON *want, const char *key)
{
	const char *s = cJSON_GetStringValue(get(want, key));

	return s ? s : "";
}

struct compare {
	const cJSON *want;
	const struct seen *got;
	size_t checks;
	size_t differ;
};

static void check(struct compare *c, const char *key, bool same)
{
	c->checks++;
	if (same || is_known(text_of(c->want, "file"), key))
		return;
	c->differ++;
	char *s = cJSON_PrintUnformatted(get(c->want, key));

	print_error("%s table %.0f %s: want %s\n", text_of(c->want, "file"),
		get(c->want, "table")->valuedouble, key, s);
	free(s);
}

static void check_number(struct compare *c, const char *key, bool has, double v)
{
	const cJSON *want = get(c->want, key);
	bool same = cJSON_IsNull(want)
			    ? !has
			    : has && fabs(v - want->valuedouble) <= 1e-9 * fabs(want->valuedouble);

	check(c, key, same);
	if (!same && !is_known(text_of(c->want, "file"), key))
		print_error("  got %s %.10g\n", has ? "value" : "none", v);
}

static void check_text(struct compare *c, const char *key, const char *got)
{
	bool same = strcmp(text_of(c->want, key), got) == 0;

	check(c, key, same);
	if (!same && !is_known(text_of(c->want, "file"), key))
		print_error("  got \"%s\"\n", got);
}

/* Where the sample's author found no Rank lines, hosts may be known from elsewhere. */
static void check_hosts(struct compare *c)
{
	const cJSON *want = get(c->want, "hosts");
	size_t n = (size_t)cJSON_GetArraySize(want);
	bool same = n == 0 ? c->got->hosts_from != BW_HOSTS_RANKS : n == c->got->n_hosts;

	for (size_t i = 0; same && i < n; i++)
		same = strcmp(cJSON_GetArrayItem(want, (int)i)->valuestring, c->got->hosts[i]) == 0;
	check(c, "hosts", same);
}

static void check_one(struct compare *c)
{
	const struct seen *g = c->got;
	bool several = cJSON_IsArray(get(c->want, "redop"));
	const struct bw_row *r = &g->largest;
	const char *tool = text_of(c->want, "tool");

	/* RCCL's are the same program. */
	check(c, "tool",
		strcmp(bw_tool_name(g->tool), strcmp(tool, "rccl-tests") ? tool : "nccl-tests") ==
			0);
	check_text(c, "version", g->version);
	check_text(c, "collective",
		g->collective == BW_COLL_UNKNOWN ? "" : bw_collective_name(g->collective));
	check(c, "collective_stated", cJSON_IsTrue(get(c->want, "collective_stated")) == g->stated);
	check_number(c, "ranks", opt_has(g->ranks), (double)g->ranks.v);
	check_hosts(c);
	check_text(c, "dtype", g->dtype);
	if (!several)
		check_text(c, "redop", g->redop);
	check_number(c, "rows", true, (double)(several ? g->rows_of_run : g->rows));
	check_number(c, "max_size_bytes", r->size_bytes > 0, (double)r->size_bytes);
	check_number(
		c, "busbw_at_max_out_of_place", opt_has(r->oop_busbw_gbps), r->oop_busbw_gbps.v);
	check_number(c, "busbw_at_max_in_place", opt_has(r->ip_busbw_gbps), r->ip_busbw_gbps.v);
	check_number(c, "avg_busbw", opt_has(g->avg), g->avg.v);
	check_number(c, "wrong_total", opt_has(g->wrong), g->wrong.v);
	check_text(c, "status", bw_status_name(g->status));
	assert_int_equal(g->has_why, g->status != BW_OK);
}

/* Of the objects of its file. 104 is one run of two operations: two tables. */
static bool is_last(const cJSON *want)
{
	const char *file = text_of(want, "file");

	return !cJSON_IsArray(get(want, "redop")) &&
	       (!want->next || strcmp(file, text_of(want->next, "file")) != 0);
}

static void test_corpus(void **state)
{
	struct err e;
	struct all_seen *all = calloc(1, sizeof(*all));
	struct compare c = {0};
	const cJSON *want;
	size_t tables = 0;

	(void)state;
	if (access(CORPUS "/expected.json", R_OK) != 0) {
		free(all);
		skip();
	}
	cJSON *list = json_read_file(CORPUS "/expected.json", 4u << 20, &e);

	assert_non_null(list);
	cJSON_ArrayForEach(want, list)
	{
		size_t i = (size_t)get(want, "table")->valuedouble;

		if (i == 0)
			read_file(text_of(want, "file"), all);
		if (i >= all->n) {
			print_error("%s: table %zu of %zu\n", text_of(want, "file"), i, all->n);
			c.differ++;
			continue;
		}
		if (i + 1 == all->n || !is_last(want))
			tables++;
		else
			c.differ++, print_error("%s: %zu tables\n", text_of(want, "file"), all->n);
		c.want = want;
		c.got = &all->t[i];
		check_one(&c);
	}
	print_message("%zu tables, %zu values, %zu differ\n", tables, c.checks, c.differ);
	assert_int_equal(c.differ, 0);
	cJSON_Delete(list);
	free(all);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_corpus)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
