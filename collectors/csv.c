#include "collectors/csv.h"

#include <string.h>

size_t csv_split(struct span line, struct span *cells, size_t max)
{
	struct span cell;
	size_t n = 0;

	while (span_field(&line, ',', &cell)) {
		if (n < max)
			cells[n] = span_trim(cell);
		n++;
	}
	return n;
}

bool csv_join(struct span *cells, size_t n, size_t want, size_t at)
{
	if (n == want)
		return true;
	if (n < want || at >= want || n > CSV_CELLS_MAX)
		return false;
	size_t surplus = n - want;
	const struct span *last = &cells[at + surplus];

	cells[at].n = (size_t)(last->p + last->n - cells[at].p);
	memmove(&cells[at + 1], &cells[at + 1 + surplus], (want - at - 1) * sizeof(*cells));
	return true;
}
