/*
 * Reads benchmark output of any kind as it comes, in pieces of any length: looks
 * at its beginning, then hands it to the parser that knows it (nccl-tests text or
 * JSON, nccom-test text or JSON, CSV or pair tables).
 *
 *   r = bw_reader_new(path, &sink); bw_reader_feed(r, ...)...; bw_reader_end(r)
 *
 * Memory is bounded by BW_ROWS_MAX rows and BW_HOSTS_MAX hosts of one run, not
 * by the length of the input. Any thread, one at a time.
 */
#ifndef COLLECTORS_BW_READER_H
#define COLLECTORS_BW_READER_H

#include <stddef.h>

#include "collectors/bandwidth.h"

#define BW_ROWS_MAX  65536
#define BW_HOSTS_MAX 16384
/* Longer lines are read up to here; the rest of the line is passed over. */
#define BW_LINE_MAX 4096

enum bw_kind {
	BW_KIND_UNKNOWN,
	BW_KIND_NCCL,
	BW_KIND_NCCL_JSON,
	BW_KIND_NCCOM,
	BW_KIND_NCCOM_JSON,
	BW_KIND_CSV,
	BW_KIND_PAIR_TABLE
};

struct bw_reader;

/*
 * Never NULL. name: of the file, for the pair's nodes where the output lacks
 * them, and the collective where nobody says it; NULL for standard input. Copied.
 * sink: copied, its ctx borrowed until bw_reader_free.
 */
struct bw_reader *bw_reader_new(const char *name, const struct bw_sink *sink);
void bw_reader_feed(struct bw_reader *r, const char *bytes, size_t len);
/* The end of the input: gives the last run to the sink. Nothing may be fed afterwards. */
void bw_reader_end(struct bw_reader *r);
void bw_reader_free(struct bw_reader *r); /* NULL is allowed */

/* What the input turned out to be; BW_KIND_UNKNOWN: nothing in it was understood (so far). */
enum bw_kind bw_reader_kind(const struct bw_reader *r);

#endif
