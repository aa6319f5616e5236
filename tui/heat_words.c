#include "tui/heat_words.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "collectors/compiler.h"

char *heat_size_words(char *out, size_t size, uint64_t bytes)
{
	static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
	uint64_t v = bytes;
	size_t u = 0;

	while (v >= 1024 && v % 1024 == 0 && u + 1 < ARRAY_LEN(units)) {
		v /= 1024;
		u++;
	}
	/* Rounded to a multiple of the ranks: not whole, but near enough to be called so. */
	if (v >= 10240) {
		double d = (double)bytes;

		for (u = 0; d >= 1024 && u + 1 < ARRAY_LEN(units); u++)
			d /= 1024;
		snprintf(out, size, "%.2f %s", d, units[u]);
	} else {
		snprintf(out, size, "%" PRIu64 " %s", v, units[u]);
	}
	return out;
}

static void ATTR_PRINTF(3, 4) add(char *out, size_t size, const char *fmt, ...)
{
	size_t len = strlen(out);
	va_list ap;

	va_start(ap, fmt);
	if (len < size && vsnprintf(out + len, size - len, fmt, ap) < 0)
		out[len] = '\0';
	va_end(ap);
}

char *heat_key_words(char *out, size_t size, const struct pair_key *key, const char *sep)
{
	char bytes[32];

	out[0] = '\0';
	if (key->tool == BW_CSV)
		add(out, size, "table of pairs");
	else if (key->collective == BW_COLL_UNKNOWN)
		add(out, size, "collective not known");
	else
		add(out, size, "%s", bw_collective_name(key->collective));
	if (key->ranks)
		add(out, size, " %s %" PRIu32 " ranks", sep, key->ranks);
	if (key->size_bytes)
		add(out, size, " %s %s", sep,
			heat_size_words(bytes, sizeof(bytes), key->size_bytes));
	if (key->tool == BW_NCCOM)
		add(out, size, " %s nccom-test", sep);
	return out;
}

char *heat_left_out_words(char *out, size_t size, const struct pair_left_out *l)
{
	const struct {
		size_t n;
		const char *words;
	} parts[] = {
		{l->failed, "failed"},
		{l->wrong, "with wrong values"},
		{l->truncated, "cut off"},
		{l->running, "still running"},
		{l->one_rank, "of one rank each (built without MPI?)"},
		{l->not_a_pair, "not of two nodes"},
		{l->no_hosts, "without host names"},
		{l->ambiguous, "of nodes that share a short name"},
		{l->no_size, "without that size"},
		{l->no_figure, "without that figure"},
		{l->other_set, "measured otherwise"},
		{l->unread, "not understood"},
	};

	out[0] = '\0';
	for (size_t i = 0; i < ARRAY_LEN(parts); i++)
		if (parts[i].n)
			add(out, size, "%s%zu %s", out[0] ? ", " : "", parts[i].n, parts[i].words);
	return out;
}
