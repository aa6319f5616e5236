#include "collectors/kmsg_time.h"

#include <stdio.h>
#include <string.h>

/* A clock may step back a little between the log line and the reading of the clock. */
#define AHEAD_MAX_S 60.0

static const char *const months[] = {
	"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

/* A date and time of day as written, without zone. */
struct civil {
	int64_t year;
	uint64_t month; /* 1 to 12 */
	uint64_t day;
	uint64_t hour;
	uint64_t minute;
	double second;
};

/* Days since 1970-01-01 in the Gregorian calendar (years from March, 400-year cycles). */
static int64_t days_from_civil(int64_t y, uint64_t month, uint64_t day)
{
	y -= month <= 2;
	int64_t era = (y >= 0 ? y : y - 399) / 400;
	int64_t yoe = y - era * 400;
	int64_t m = (int64_t)month;
	int64_t doy = (153 * (m + (m > 2 ? -3 : 9)) + 2) / 5 + (int64_t)day - 1;
	int64_t doe = yoe * 365 + yoe / 4 - yoe / 100 + doy;

	return era * 146097 + doe - 719468;
}

static double civil_unix(const struct civil *c)
{
	int64_t days = days_from_civil(c->year, c->month, c->day);

	return (double)days * 86400.0 + (double)c->hour * 3600.0 + (double)c->minute * 60.0 +
	       c->second;
}

static int64_t year_of_unix(double unix_s)
{
	int64_t year = 1970 + (int64_t)(unix_s / 31556952.0);

	while (days_from_civil(year + 1, 1, 1) * 86400 <= (int64_t)unix_s)
		year++;
	while (days_from_civil(year, 1, 1) * 86400 > (int64_t)unix_s)
		year--;
	return year;
}

static bool skip_char(struct span *s, char c)
{
	if (s->n == 0 || s->p[0] != c)
		return false;
	s->p++;
	s->n--;
	return true;
}

static void skip_blanks(struct span *s)
{
	while (skip_char(s, ' '))
		;
}

static bool number(struct span *s, uint64_t max, uint64_t *out)
{
	struct span rest;
	uint64_t v;

	if (!span_lead_u64(*s, &v, &rest) || v > max)
		return false;
	*out = v;
	*s = rest;
	return true;
}

/* "16:24:18", "04:41:44,283302", "19:02:39.123" */
static bool clock_time(struct span *s, struct civil *c)
{
	struct span rest = *s;
	uint64_t second;
	double fraction = 0;
	double scale = 0.1;

	if (!number(&rest, 23, &c->hour) || !skip_char(&rest, ':') ||
		!number(&rest, 59, &c->minute) || !skip_char(&rest, ':') ||
		!number(&rest, 60, &second))
		return false;
	if (rest.n > 1 && (rest.p[0] == '.' || rest.p[0] == ',') && rest.p[1] >= '0' &&
		rest.p[1] <= '9') {
		rest = (struct span){rest.p + 1, rest.n - 1};
		for (; rest.n && rest.p[0] >= '0' && rest.p[0] <= '9'; rest.p++, rest.n--) {
			fraction += scale * (rest.p[0] - '0');
			scale /= 10;
		}
	}
	c->second = (double)second + fraction;
	*s = rest;
	return true;
}

static bool month_day(struct span *s, struct civil *c)
{
	struct span rest = *s;

	for (unsigned i = 0; i < ARRAY_LEN(months); i++) {
		if (!span_starts(rest, months[i]))
			continue;
		rest = (struct span){rest.p + 3, rest.n - 3};
		if (!skip_char(&rest, ' '))
			return false;
		skip_blanks(&rest);
		c->month = i + 1;
		if (!number(&rest, 31, &c->day) || c->day == 0 || !skip_char(&rest, ' '))
			return false;
		skip_blanks(&rest);
		*s = rest;
		return true;
	}
	return false;
}

/* "Z", "+00:00", "+0000", "-0730" */
static bool zone(struct span *s, int64_t *offset_s)
{
	struct span rest = *s;
	bool west;
	uint64_t v;

	if (skip_char(&rest, 'Z')) {
		*offset_s = 0;
		*s = rest;
		return true;
	}
	west = rest.n && rest.p[0] == '-';
	if (!skip_char(&rest, '+') && !skip_char(&rest, '-'))
		return false;
	struct span digits = {rest.p, rest.n < 2 ? rest.n : 2};
	uint64_t hours;

	if (!span_u64(digits, &hours) || hours > 14)
		return false;
	rest = (struct span){rest.p + digits.n, rest.n - digits.n};
	skip_char(&rest, ':');
	digits = (struct span){rest.p, rest.n < 2 ? rest.n : 2};
	if (!span_u64(digits, &v) || v > 59)
		return false;
	*offset_s = (int64_t)(hours * 3600 + v * 60) * (west ? -1 : 1);
	*s = (struct span){rest.p + digits.n, rest.n - digits.n};
	return true;
}

static void say_local(struct kmsg_time *t, const struct civil *c)
{
	snprintf(t->text, sizeof(t->text), "%04u-%02u-%02u %02u:%02u:%02u",
		(unsigned)(c->year % 10000), (unsigned)c->month % 100, (unsigned)c->day % 100,
		(unsigned)c->hour % 100, (unsigned)c->minute % 100, (unsigned)c->second % 100);
}

/* "2025-01-21T04:41:44.283302Z": in UTC, with its fraction only when it has one. */
static void say_utc(struct kmsg_time *t, double unix_s, bool fraction)
{
	int64_t whole = (int64_t)unix_s;
	int64_t day = whole / 86400;
	int64_t second = whole % 86400;
	int64_t year = year_of_unix((double)whole);
	uint64_t month = 12;
	unsigned micro = (unsigned)((unix_s - (double)whole) * 1e6 + 0.5) % 1000000;
	char tail[12] = "";

	while (month > 1 && days_from_civil(year, month, 1) > day)
		month--;
	if (fraction)
		snprintf(tail, sizeof(tail), ".%06u", micro);
	snprintf(t->text, sizeof(t->text), "%04u-%02u-%02uT%02u:%02u:%02u%sZ",
		(unsigned)(year % 10000), (unsigned)month,
		(unsigned)(day - days_from_civil(year, month, 1) + 1) % 100,
		(unsigned)(second / 3600), (unsigned)(second / 60 % 60), (unsigned)(second % 60),
		tail);
}

/* "2025-01-21T04:41:44,283302+00:00"; a stamp without zone is local. */
static bool iso_stamp(struct span *s, const struct kmsg_now *now, struct kmsg_time *t)
{
	struct span rest = *s;
	struct civil c = {0};
	uint64_t year;
	int64_t offset_s = 0;

	if (!number(&rest, 9999, &year) || year < 1970 || !skip_char(&rest, '-') ||
		!number(&rest, 12, &c.month) || c.month == 0 || !skip_char(&rest, '-') ||
		!number(&rest, 31, &c.day) || c.day == 0 ||
		(!skip_char(&rest, 'T') && !skip_char(&rest, ' ')) || !clock_time(&rest, &c))
		return false;
	c.year = (int64_t)year;
	bool zoned = zone(&rest, &offset_s);
	double unix_s = civil_unix(&c) - (double)(zoned ? offset_s : now->zone_s);

	t->unix_s = opt_f64(unix_s);
	if (zoned)
		say_utc(t, unix_s, c.second > (double)(unsigned)c.second);
	else
		say_local(t, &c);
	*s = rest;
	return true;
}

/* "Sun Feb 23 16:24:18 2025" between brackets (dmesg -T): local time. */
static bool ctime_stamp(struct span s, const struct kmsg_now *now, struct kmsg_time *t)
{
	struct span rest = s;
	struct span weekday;
	struct civil c = {0};
	uint64_t year;

	if (!span_word(&rest, &weekday) || weekday.n != 3)
		return false;
	skip_blanks(&rest);
	if (!month_day(&rest, &c) || !clock_time(&rest, &c))
		return false;
	skip_blanks(&rest);
	if (!number(&rest, 9999, &year) || year < 1970)
		return false;
	c.year = (int64_t)year;
	t->unix_s = opt_f64(civil_unix(&c) - (double)now->zone_s);
	say_local(t, &c);
	return true;
}

/* "May 18 19:02:39" (syslog): no year. */
static bool syslog_stamp(struct span *s, const struct kmsg_now *now, struct kmsg_time *t)
{
	struct span rest = *s;
	struct civil c = {0};

	if (!month_day(&rest, &c) || !clock_time(&rest, &c))
		return false;
	snprintf(t->text, sizeof(t->text), "%.*s", (int)(s->n - rest.n < 30 ? s->n - rest.n : 30),
		s->p);
	*s = rest;
	if (!opt_has(now->unix_s))
		return true;
	double local_now = now->unix_s.v + (double)now->zone_s;

	c.year = year_of_unix(local_now);
	if (civil_unix(&c) > local_now + AHEAD_MAX_S)
		c.year--;
	t->unix_s = opt_f64(civil_unix(&c) - (double)now->zone_s);
	say_local(t, &c);
	return true;
}

/* "[ 1843.308]" or "[Fri Mar  3 04:27:08 2023]" */
static bool bracket_stamp(struct span *s, const struct kmsg_now *now, struct kmsg_time *t)
{
	struct span rest = *s;
	ptrdiff_t end = span_find(rest, "]");
	double v;

	if (!skip_char(&rest, '[') || end < 1)
		return false;
	struct span inside = {rest.p, (size_t)end - 1};

	if (span_f64(inside, &v) && v >= 0) {
		t->uptime_s = opt_f64(v);
		if (!t->text[0])
			snprintf(t->text, sizeof(t->text), "%.*s",
				(int)(span_trim(inside).n < 30 ? span_trim(inside).n : 30),
				span_trim(inside).p);
	} else if (!ctime_stamp(inside, now, t)) {
		return false;
	}
	*s = (struct span){s->p + end + 1, s->n - (size_t)end - 1};
	return true;
}

/* "6,3973,227996636,-;": priority, sequence number, microseconds since boot. */
static bool kmsg_stamp(struct span *s, struct kmsg_time *t)
{
	struct span rest = *s;
	uint64_t prio;
	uint64_t seq;
	uint64_t usec;

	if (!number(&rest, 1024, &prio) || !skip_char(&rest, ',') ||
		!number(&rest, UINT64_MAX, &seq) || !skip_char(&rest, ',') ||
		!number(&rest, UINT64_MAX, &usec) || rest.n == 0 || rest.p[0] != ',')
		return false;
	ptrdiff_t end = span_find(rest, ";");

	if (end < 0)
		return false;
	t->kmsg = true;
	t->prio = prio;
	t->seq = seq;
	t->usec = usec;
	t->uptime_s = opt_f64((double)usec / 1e6);
	snprintf(t->text, sizeof(t->text), "%.6f", t->uptime_s.v < 1e12 ? t->uptime_s.v : 1e12);
	*s = (struct span){rest.p + end + 1, rest.n - (size_t)end - 1};
	return true;
}

/* "1732400000.123456 host kernel: ..." (journalctl -o short-unix) */
static bool unix_stamp(struct span *s, struct kmsg_time *t)
{
	struct span rest;
	double v;

	/* Anything below is not a time since 1970 that a GPU node can print. */
	if (!span_lead_f64(*s, &v, &rest) || v < 1e9 || v > 1e11 || !skip_char(&rest, ' '))
		return false;
	t->unix_s = opt_f64(v);
	say_utc(t, v, v > (double)(int64_t)v);
	*s = rest;
	return true;
}

/* "kern  :warn  : " (dmesg --decode) and "<4>" (dmesg --raw). */
static void skip_level(struct span *s)
{
	struct span rest = *s;
	struct span word;
	uint64_t level;

	if (skip_char(&rest, '<') && number(&rest, 1024, &level) && skip_char(&rest, '>')) {
		*s = rest;
		return;
	}
	rest = *s;
	if (!span_field(&rest, ':', &word) || !rest.p || span_trim(word).n > 8)
		return;
	if (!span_starts(word, "kern") && !span_starts(word, "user") &&
		!span_starts(word, "daemon"))
		return;
	if (!span_field(&rest, ':', &word) || !rest.p || span_trim(word).n > 8 || word.n == 0 ||
		word.p[0] == ' ')
		return;
	*s = rest;
	skip_blanks(s);
}

struct span kmsg_time_read(struct span line, const struct kmsg_now *now, struct kmsg_time *t)
{
	struct span rest = line;

	*t = (struct kmsg_time){0};
	skip_level(&rest);
	if (kmsg_stamp(&rest, t) || bracket_stamp(&rest, now, t) || iso_stamp(&rest, now, t) ||
		unix_stamp(&rest, t))
		return span_trim(rest);
	if (!syslog_stamp(&rest, now, t))
		return span_trim(rest);
	/* Syslog files keep the kernel's own stamp behind "host kernel:". */
	ptrdiff_t kernel = span_find(rest, "kernel: [");

	if (kernel >= 0) {
		struct span inner = {rest.p + kernel + 8, rest.n - (size_t)kernel - 8};

		bracket_stamp(&inner, now, t);
	}
	return span_trim(rest);
}

struct opt_f64 kmsg_time_age(const struct kmsg_time *t, const struct kmsg_now *now)
{
	double age;

	/* The wall clock first: a stamp since boot may be of an earlier boot in a syslog file. */
	if (opt_has(t->unix_s) && opt_has(now->unix_s))
		age = now->unix_s.v - t->unix_s.v;
	else if (opt_has(t->uptime_s) && opt_has(now->uptime_s) && !opt_has(t->unix_s))
		age = now->uptime_s.v - t->uptime_s.v;
	else
		return (struct opt_f64){OPT_UNKNOWN, 0};
	if (age < -AHEAD_MAX_S)
		return (struct opt_f64){OPT_ERROR, 0};
	return opt_f64(age < 0 ? 0 : age);
}

void kmsg_now_read_date(struct kmsg_now *now, struct span text)
{
	struct kmsg_time t = {0};
	struct span rest;
	double v;

	text = span_trim(text);
	if (iso_stamp(&text, now, &t)) {
		now->unix_s = t.unix_s;
		return;
	}
	if (!span_lead_f64(text, &v, &rest) || v < 1e9 || v > 1e11)
		return;
	now->unix_s = opt_f64(v);
	rest = span_trim(rest);
	zone(&rest, &now->zone_s);
}

void kmsg_now_read_uptime(struct kmsg_now *now, struct span text)
{
	struct span word;
	double v;

	if (span_word(&text, &word) && span_f64(word, &v) && v >= 0)
		now->uptime_s = opt_f64(v);
}
