/*
 * Reads what nccl-tests (any version, RCCL's and DCGM's too) and nccom-test print on a
 * terminal, line by line: banners, Rank lines, tables, footers, failures, and the log lines
 * and commands around them. Several runs may follow each other.
 *
 * A run begins with a banner, a Rank line, or a table without either; it is given to the
 * sink when the next one begins or the text ends. What begins a run and what only continues
 * it is in parse_nccl.c.
 */
#ifndef COLLECTORS_PARSE_NCCL_H
#define COLLECTORS_PARSE_NCCL_H

#include "collectors/bandwidth.h"

struct nccl;

/* name, sink: as of bw_reader_new. */
struct nccl *nccl_new(const char *name, const struct bw_sink *sink);
/* One line without its end, of at most BW_LINE_MAX bytes. number: of the input, from 1. */
void nccl_line(struct nccl *p, struct span line, unsigned number);
/* Ends the run that is being read. */
void nccl_end(struct nccl *p);
void nccl_free(struct nccl *p); /* NULL is allowed */

/* Whether a run was seen, and of which tool the last one was. */
bool nccl_seen(const struct nccl *p, enum bw_tool *tool);

/* For parsers of JSON, which have names of files too. */
enum bw_collective nccl_collective_of_name(const char *name);

#endif
