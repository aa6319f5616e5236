/*
 * Reads the reports of nccl-tests (-J FILE, since 2.17.4) and of nccom-test
 * (--report-to-json-file). A report that is cut off gives the rows that are whole. Nothing
 * of "env", which holds the whole environment, is kept.
 */
#ifndef COLLECTORS_PARSE_NCCL_JSON_H
#define COLLECTORS_PARSE_NCCL_JSON_H

#include "collectors/bandwidth.h"

struct nccl_json;

/* name, sink: as of bw_reader_new. */
struct nccl_json *nccl_json_new(const char *name, const struct bw_sink *sink);
void nccl_json_feed(struct nccl_json *p, const char *bytes, size_t len);
void nccl_json_end(struct nccl_json *p);
void nccl_json_free(struct nccl_json *p); /* NULL is allowed */

/* Whether a report was seen, and of which tool. */
bool nccl_json_seen(const struct nccl_json *p, enum bw_tool *tool);

#endif
