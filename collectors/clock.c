#include "collectors/clock.h"

#include <stdio.h>
#include <time.h>

static int64_t read_ms(clockid_t id)
{
	struct timespec ts;

	if (clock_gettime(id, &ts) != 0)
		return 0;
	return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

int64_t clock_mono_ms(void)
{
	return read_ms(CLOCK_MONOTONIC);
}

int64_t clock_wall_ms(void)
{
	return read_ms(CLOCK_REALTIME);
}

char *clock_format_utc(int64_t wall_ms, char *out, size_t size)
{
	time_t t = (time_t)(wall_ms / 1000);
	struct tm tm;

	if (!gmtime_r(&t, &tm) || strftime(out, size, "%Y-%m-%dT%H:%M:%SZ", &tm) == 0)
		snprintf(out, size, "unknown");
	return out;
}
