#include "rules/robust.h"

#include <math.h>
#include <stdlib.h>

/* Of a normal distribution: 1 / the 0.75 quantile. */
#define MAD_TO_SD 1.4826
/* What is cut off at 2.5 standard deviations makes the rest look this much narrower. */
#define CUT        2.5
#define CUT_SHRINK 0.9546
/* Half of a normal distribution lies within this many standard deviations, both sides together. */
#define HALF_WIDTH 1.349

static int by_value(const void *a, const void *b)
{
	float x = *(const float *)a;
	float y = *(const float *)b;

	return (x > y) - (x < y);
}

static void swap(float *a, float *b)
{
	float t = *a;

	*a = *b;
	*b = t;
}

/* Puts the median of first, middle and last in the middle. */
static float pivot_of(float *v, size_t lo, size_t hi)
{
	size_t mid = lo + (hi - lo) / 2;

	if (v[mid] < v[lo])
		swap(&v[mid], &v[lo]);
	if (v[hi] < v[mid]) {
		swap(&v[hi], &v[mid]);
		if (v[mid] < v[lo])
			swap(&v[mid], &v[lo]);
	}
	return v[mid];
}

void robust_select(float *v, size_t n, size_t k)
{
	size_t lo = 0;
	size_t hi = n - 1;
	/* Values arranged against us would make it quadratic: then a sort ends it. */
	unsigned rounds = 64;

	while (lo < hi) {
		float pivot = pivot_of(v, lo, hi);
		size_t i = lo;
		size_t j = hi;

		if (rounds-- == 0) {
			qsort(v + lo, hi - lo + 1, sizeof(*v), by_value);
			return;
		}
		for (;;) {
			while (v[i] < pivot)
				i++;
			while (v[j] > pivot)
				j--;
			if (i >= j)
				break;
			swap(&v[i++], &v[j--]);
		}
		/* [lo, i) is at most the pivot, (j, hi] at least. */
		if (i == j) {
			if (k == i)
				return;
			if (k < i)
				hi = i - 1;
			else
				lo = i + 1;
		} else if (k <= j) {
			hi = j;
		} else {
			lo = i;
		}
	}
}

/* The smallest of v[k + 1] and later, after robust_select. */
static float next_of(const float *v, size_t n, size_t k)
{
	float best = v[k + 1];

	for (size_t i = k + 2; i < n; i++)
		if (v[i] < best)
			best = v[i];
	return best;
}

double robust_quantile(float *v, size_t n, double q)
{
	double at;
	double part;
	size_t k;

	if (n == 0)
		return NAN;
	at = q * (double)(n - 1);
	k = (size_t)at;
	part = at - (double)k;
	robust_select(v, n, k);
	if (part == 0 || k + 1 >= n)
		return v[k];
	return v[k] + part * ((double)next_of(v, n, k) - v[k]);
}

double robust_median(float *v, size_t n)
{
	return robust_quantile(v, n, 0.5);
}

double robust_upper(float *v, size_t n, double q)
{
	size_t k;

	if (n == 0)
		return NAN;
	k = (size_t)ceil(q * (double)(n - 1));
	robust_select(v, n, k);
	return v[k];
}

double robust_mean(float *v, size_t n, double reach)
{
	double median = robust_median(v, n);
	double sum = 0;
	size_t count = 0;

	for (size_t i = 0; i < n; i++) {
		if (fabs(v[i] - median) > reach)
			continue;
		sum += v[i];
		count++;
	}
	return count ? sum / (double)count : median;
}

double robust_spread(float *v, size_t n, double centre)
{
	double mad;
	double sum = 0;
	size_t count = 0;

	for (size_t i = 0; i < n; i++)
		v[i] = (float)fabs(v[i] - centre);
	mad = robust_median(v, n) * MAD_TO_SD;
	for (size_t i = 0; i < n; i++) {
		if (v[i] > CUT * mad)
			continue;
		sum += (double)v[i] * v[i];
		count++;
	}
	return count ? sqrt(sum / (double)count) / CUT_SHRINK : mad;
}

double robust_shortest_half(float *v, size_t n)
{
	size_t half = n / 2 + 1;
	double best = INFINITY;

	if (n == 0)
		return NAN;
	if (n == 1)
		return 0;
	qsort(v, n, sizeof(*v), by_value);
	for (size_t i = 0; i + half <= n; i++)
		if (v[i + half - 1] - v[i] < best)
			best = v[i + half - 1] - v[i];
	return best / HALF_WIDTH;
}
