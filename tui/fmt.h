/*
 * Numbers as people read them, in few cells. Every function fills out (at least
 * FMT_MAX bytes) and returns it. What is not known is "-", never 0.
 */
#ifndef TUI_FMT_H
#define TUI_FMT_H

#include <stddef.h>
#include <stdint.h>

#include "collectors/opt.h"
#include "collectors/schema.h"
#include "tui/theme.h"

#define FMT_MAX 64

/* "3s" "12m" "5h" "8d"; "-" for a negative (not known) age. At most 4 cells up to 999 days. */
char *fmt_age(char *out, int64_t ms);

/* "8 s ago", "12 min ago", "never" for negative: in running text. */
char *fmt_ago(char *out, int64_t ms);

/* "37%", "0.4%" below 10 where it is not whole. NAN is "-". */
char *fmt_pct(char *out, double pct);

/* A plain number: no exponent, at most one decimal below 100. NAN is "-". */
char *fmt_number(char *out, double v);

/* "1.5T", "94G", "512K", "17B": 1024 steps. NAN is "-". */
char *fmt_bytes(char *out, double bytes);

/* "3d 04h", "2h 05m", "41s". NAN is "-". */
char *fmt_duration(char *out, double seconds);

/* A value with its unit, as a detail panel shows it; sizes and times in human steps. */
char *fmt_value(char *out, size_t size, const struct value *v, const char *unit);

/* Text of a field name: "mem_total_kib" with unit KiB is "mem total". */
char *fmt_label(char *out, size_t size, const char *name, const char *unit);

/* NAN unless o holds a value. */
double fmt_f64(struct opt_f64 o);
double fmt_u64(struct opt_u64 o);

/* One cell for v between lo and hi; the "no value" glyph for NAN. */
const char *fmt_spark(const struct glyphs *gl, double v, double lo, double hi);

#endif
