/*
 * Comparisons for expected values that are not simply one field.
 *
 * arg: what the table in corpus_keys.c gives, a path of fields or a name. n: the number in place
 * of '#' in the key. False after corpus_differs.
 */
#ifndef TESTS_LIB_CORPUS_CHECKS_H
#define TESTS_LIB_CORPUS_CHECKS_H

#include "tests/lib/corpus.h"

typedef bool corpus_check_fn(
	struct corpus_entry *e, const char *arg, unsigned n, const cJSON *want);

corpus_check_fn corpus_check_index;
corpus_check_fn corpus_check_index_field;
corpus_check_fn corpus_check_objects;
corpus_check_fn corpus_check_mounts;
corpus_check_fn corpus_check_row_count;
corpus_check_fn corpus_check_bus;
corpus_check_fn corpus_check_missing_index;
corpus_check_fn corpus_check_whole_rows;
corpus_check_fn corpus_check_link_errors;
corpus_check_fn corpus_check_nic_map;
corpus_check_fn corpus_check_nearest;
corpus_check_fn corpus_check_links_each;
corpus_check_fn corpus_check_lost_gpu;
corpus_check_fn corpus_check_segfault;
corpus_check_fn corpus_check_version;
corpus_check_fn corpus_check_df_rows;
corpus_check_fn corpus_check_df;
corpus_check_fn corpus_check_df_errors;
corpus_check_fn corpus_check_boot_mib;
corpus_check_fn corpus_check_mount_pct;
corpus_check_fn corpus_check_listed;
corpus_check_fn corpus_check_shm_twice;
corpus_check_fn corpus_check_size;
corpus_check_fn corpus_check_reports;
corpus_check_fn corpus_check_available;
corpus_check_fn corpus_check_ticks;

#endif
