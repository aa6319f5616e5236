/* Words for sizes, sets and pairs that the heatmap and the pairs report share. */
#ifndef TUI_HEAT_WORDS_H
#define TUI_HEAT_WORDS_H

#include <stddef.h>
#include <stdint.h>

#include "collectors/pair_set.h"

/* "8 GiB", "512 KiB", "1000 B": 1024 steps where they come out whole. Returns out. */
char *heat_size_words(char *out, size_t size, uint64_t bytes);

/* "all_reduce · 16 ranks · 8 GiB": what a set's readings have in common; sep between them. */
char *heat_key_words(char *out, size_t size, const struct pair_key *key, const char *sep);

/* "3 failed, 1 cut off, 2 not of two nodes": what is in no matrix; "" nothing. */
char *heat_left_out_words(char *out, size_t size, const struct pair_left_out *l);

#endif
