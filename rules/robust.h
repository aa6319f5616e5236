/*
 * Middle and spread of numbers of which a good part may be wrong. Linear time: a
 * quickselect, no sort. Functions reorder v; no NAN may be in it.
 */
#ifndef RULES_ROBUST_H
#define RULES_ROBUST_H

#include <stddef.h>

/* Puts the k-th smallest (k < n) at v[k], nothing larger before it, nothing smaller after it. */
void robust_select(float *v, size_t n, size_t k);

/* Mean of the two in the middle when n is even. NAN when n is 0. */
double robust_median(float *v, size_t n);

/* The value that a share q (0..1) of the others does not pass; between two values their mix. */
double robust_quantile(float *v, size_t n, double q);

/* As robust_quantile, but always one of the values: the upper one. */
double robust_upper(float *v, size_t n, double q);

/*
 * The mean of those within `reach` of the median: the median's safety with nearly the
 * mean's precision. NAN when n is 0.
 */
double robust_mean(float *v, size_t n, double reach);

/*
 * Standard deviation of the healthy majority about `centre`: from the median absolute
 * deviation, then from what lies within 2.5 of these. Changes the values in v. NAN when n is 0.
 */
double robust_spread(float *v, size_t n, double centre);

/*
 * Standard deviation as the shortest interval that holds half of all values tells it:
 * works where up to half of the values lie off on one side. Sorts. NAN when n is 0.
 */
double robust_shortest_half(float *v, size_t n);

#endif
