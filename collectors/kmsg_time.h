/*
 * The time at the start of a kernel log line, in every form that dmesg, journalctl,
 * syslog and /dev/kmsg give it.
 */
#ifndef COLLECTORS_KMSG_TIME_H
#define COLLECTORS_KMSG_TIME_H

#include "collectors/section.h"

/* What the node's clocks said when the log was read; not OPT_OK when not told. */
struct kmsg_now {
	struct opt_f64 uptime_s;
	struct opt_f64 unix_s;
	int64_t zone_s; /* the node's offset from UTC; 0 unless told */
};

struct kmsg_time {
	struct opt_f64 uptime_s;
	struct opt_f64 unix_s;
	char text
		[40]; /* "2025-02-23 16:24:18" local, "...T...Z" UTC, "123.456"; "" when there is none */
	bool kmsg; /* a /dev/kmsg record: */
	uint64_t prio;
	uint64_t seq;
	uint64_t usec;
};

/*
 * Reads the time of line into *t and returns what follows it. A stamp without a year
 * gets the year that puts it into the past of now.
 */
struct span kmsg_time_read(struct span line, const struct kmsg_now *now, struct kmsg_time *t);

/* How long before now; OPT_UNKNOWN when it cannot be told or lies ahead of it. */
struct opt_f64 kmsg_time_age(const struct kmsg_time *t, const struct kmsg_now *now);

/*
 * Reads what the probe printed of the node's clock: seconds since 1970 with an optional
 * "+hhmm", or an ISO stamp.
 */
void kmsg_now_read_date(struct kmsg_now *now, struct span text);
/* /proc/uptime, or its first number. */
void kmsg_now_read_uptime(struct kmsg_now *now, struct span text);

#endif
