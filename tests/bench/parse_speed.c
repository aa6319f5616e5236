/*
 * Reads files of benchmark output, for parse_speed.py:
 *
 *   parse_speed FILE...    files, runs, rows and the sum of the out-of-place busbw
 *   parse_speed -          the names of files are on standard input, one a line
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "collectors/bw_reader.h"

#define PIECE (256u << 10)

struct totals {
	size_t files;
	size_t runs;
	size_t rows;
	double busbw;
};

static char piece[PIECE];

static void count_run(void *ctx, const struct bw_run *run)
{
	struct totals *t = ctx;

	t->runs++;
	for (size_t i = 0; i < run->n_tables; i++)
		for (size_t k = 0; k < run->tables[i].n; k++) {
			const struct bw_row *r = &run->tables[i].rows[k];

			t->rows++;
			if (opt_has(r->oop_busbw_gbps))
				t->busbw += r->oop_busbw_gbps.v;
		}
}

static void read_file(const char *path, struct totals *t)
{
	struct bw_sink sink = {.ctx = t, .run = count_run};
	struct bw_reader *r;
	int fd = open(path, O_RDONLY);
	ssize_t n;

	if (fd < 0) {
		perror(path);
		return;
	}
	r = bw_reader_new(path, &sink);
	while ((n = read(fd, piece, sizeof(piece))) > 0)
		bw_reader_feed(r, piece, (size_t)n);
	bw_reader_end(r);
	bw_reader_free(r);
	close(fd);
	t->files++;
}

int main(int argc, char **argv)
{
	struct totals t = {0};
	char path[4096];

	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "-") != 0) {
			read_file(argv[i], &t);
			continue;
		}
		while (fgets(path, sizeof(path), stdin)) {
			path[strcspn(path, "\n")] = '\0';
			read_file(path, &t);
		}
	}
	printf("%zu %zu %zu %.0f\n", t.files, t.runs, t.rows, t.busbw);
	return 0;
}
