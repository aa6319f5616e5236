#include "tui/fmt.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "collectors/compiler.h"

static char *unknown(char *out)
{
	snprintf(out, FMT_MAX, "-");
	return out;
}

char *fmt_age(char *out, int64_t ms)
{
	long long s = (long long)(ms / 1000);

	if (ms < 0)
		return unknown(out);
	if (s < 120)
		snprintf(out, FMT_MAX, "%llds", s);
	else if (s < 120 * 60)
		snprintf(out, FMT_MAX, "%lldm", s / 60);
	else if (s < 48 * 3600)
		snprintf(out, FMT_MAX, "%lldh", s / 3600);
	else
		snprintf(out, FMT_MAX, "%lldd", s / 86400);
	return out;
}

char *fmt_ago(char *out, int64_t ms)
{
	long long s = (long long)(ms / 1000);

	if (ms < 0)
		snprintf(out, FMT_MAX, "never");
	else if (s < 120)
		snprintf(out, FMT_MAX, "%lld s ago", s);
	else if (s < 120 * 60)
		snprintf(out, FMT_MAX, "%lld min ago", s / 60);
	else if (s < 48 * 3600)
		snprintf(out, FMT_MAX, "%lld h ago", s / 3600);
	else
		snprintf(out, FMT_MAX, "%lld days ago", s / 86400);
	return out;
}

char *fmt_pct(char *out, double pct)
{
	if (!isfinite(pct))
		return unknown(out);
	/* 0.04 must not look like 0, nor 99.96 like 100. */
	if (fabs(pct) >= 9.95 || pct == floor(pct))
		snprintf(out, FMT_MAX, "%.0f%%", pct > 99 && pct < 100 ? 99 : pct);
	else if (fabs(pct) < 0.1)
		snprintf(out, FMT_MAX, "<0.1%%");
	else
		snprintf(out, FMT_MAX, "%.1f%%", pct);
	return out;
}

char *fmt_number(char *out, double v)
{
	if (!isfinite(v))
		return unknown(out);
	if (v == floor(v) || fabs(v) >= 100)
		snprintf(out, FMT_MAX, "%.0f", v);
	else if (fabs(v) >= 1)
		snprintf(out, FMT_MAX, "%.1f", v);
	else
		snprintf(out, FMT_MAX, "%.3g", v);
	return out;
}

char *fmt_bytes(char *out, double bytes)
{
	static const char steps[] = "BKMGTPE";
	size_t i = 0;

	if (!isfinite(bytes))
		return unknown(out);
	while (fabs(bytes) >= 1023.5 && i + 2 < sizeof(steps)) {
		bytes /= 1024;
		i++;
	}
	if (i > 0 && fabs(bytes) < 9.95)
		snprintf(out, FMT_MAX, "%.1f%c", bytes, steps[i]);
	else
		snprintf(out, FMT_MAX, "%.0f%c", bytes, steps[i]);
	return out;
}

char *fmt_duration(char *out, double seconds)
{
	long long s;

	if (!isfinite(seconds) || seconds < 0 || seconds > 1e12)
		return unknown(out);
	s = (long long)seconds;
	if (s >= 86400)
		snprintf(out, FMT_MAX, "%lldd %02lldh", s / 86400, s / 3600 % 24);
	else if (s >= 3600)
		snprintf(out, FMT_MAX, "%lldh %02lldm", s / 3600, s / 60 % 60);
	else if (s >= 60)
		snprintf(out, FMT_MAX, "%lldm %02llds", s / 60, s % 60);
	else
		snprintf(out, FMT_MAX, "%llds", s);
	return out;
}

char *fmt_value(char *out, size_t size, const struct value *v, const char *unit)
{
	static const struct {
		const char *unit;
		double factor;
	} sizes[] = {{"B", 1}, {"KiB", 1024}, {"MiB", 1024.0 * 1024}, {"GB", 1e9}};
	char text[FMT_MAX];
	double n;

	if (v->state == OPT_UNSUPPORTED || v->state == OPT_ERROR) {
		snprintf(out, size, "%s", v->state == OPT_ERROR ? "error" : "n/a");
		return out;
	}
	if (!value_number(v, &n) || v->type == FIELD_FLAG || v->type == FIELD_HEX)
		return value_text(v, out, size);
	for (size_t i = 0; i < ARRAY_LEN(sizes); i++)
		if (strcmp(unit, sizes[i].unit) == 0) {
			snprintf(out, size, "%s", fmt_bytes(text, n * sizes[i].factor));
			return out;
		}
	if (strcmp(unit, "s") == 0 && n >= 60) {
		snprintf(out, size, "%s", fmt_duration(text, n));
		return out;
	}
	if (strcmp(unit, "%") == 0) {
		snprintf(out, size, "%s", fmt_pct(text, n));
		return out;
	}
	if (strcmp(unit, "lanes") == 0)
		snprintf(out, size, "x%s", fmt_number(text, n));
	else
		snprintf(out, size, "%s%s%s", fmt_number(text, n), unit[0] ? " " : "", unit);
	return out;
}

char *fmt_label(char *out, size_t size, const char *name, const char *unit)
{
	static const char *const suffixes[] = {
		"_kib", "_mib", "_pct", "_s", "_ms", "_c", "_w", "_mhz", "_bytes", "_gbps", "_gb"};
	size_t n = strlen(name);

	for (size_t i = 0; unit[0] && i < ARRAY_LEN(suffixes); i++) {
		size_t len = strlen(suffixes[i]);

		if (n > len && strcmp(name + n - len, suffixes[i]) == 0) {
			n -= len;
			break;
		}
	}
	if (n >= size)
		n = size - 1;
	for (size_t i = 0; i < n; i++)
		out[i] = name[i] == '_' ? ' ' : name[i];
	out[n] = '\0';
	return out;
}

double fmt_f64(struct opt_f64 o)
{
	return opt_has(o) ? o.v : (double)NAN;
}

double fmt_u64(struct opt_u64 o)
{
	return opt_has(o) ? (double)o.v : (double)NAN;
}

const char *fmt_spark(const struct glyphs *gl, double v, double lo, double hi)
{
	int steps = (int)ARRAY_LEN(gl->spark) - 1;

	if (!isfinite(v) || hi <= lo)
		return gl->spark[0];
	int i = (int)((v - lo) / (hi - lo) * steps);

	return gl->spark[1 + (i < 0 ? 0 : i >= steps ? steps - 1 : i)];
}
