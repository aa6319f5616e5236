/*
 * Reads tables that name both nodes of a pair themselves:
 *
 *   node_a,node_b,busbw_gbps,...     columns by name, in any order; others are passed over
 *   ,gpu1,gpu2                       a square of figures: names across and down
 *   gpu1,,48.2
 *   gpu2,48.1,
 *
 * Cells are separated by commas, semicolons or tabs, as the heading has them; quotes are
 * those of RFC 4180. Lines that begin with "#" are comments. A column whose name says so is
 * read in its unit: "MB/s", "Gbit/s", "Gb/s"; GB/s otherwise.
 */
#ifndef COLLECTORS_PARSE_PAIRS_CSV_H
#define COLLECTORS_PARSE_PAIRS_CSV_H

#include "collectors/bandwidth.h"

struct pairs_csv;

/* sink: as of bw_reader_new. */
struct pairs_csv *pairs_csv_new(const struct bw_sink *sink);
void pairs_csv_free(struct pairs_csv *p); /* NULL is allowed */

/* What the first lines of an input are. */
enum pairs_csv_guess {
	PAIRS_CSV_NO,    /* nothing that this module reads */
	PAIRS_CSV_MAYBE, /* the next line tells: a square begins like this */
	PAIRS_CSV_YES
};

/* One line in order, without its end; number from 1. Says what the input is so far. */
enum pairs_csv_guess pairs_csv_line(struct pairs_csv *p, struct span line, unsigned number);

/* Whether it is a square of figures rather than a list of pairs. */
bool pairs_csv_is_square(const struct pairs_csv *p);

#endif
