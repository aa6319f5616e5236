#include "rules/verdict.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "collectors/hostlist.h"

/* s is one of the comma-separated list. */
static bool in_list(const char *list, const char *s)
{
	for (const char *item = list;; item++) {
		const char *p = s;

		while (*p && *p == *item) {
			p++;
			item++;
		}
		if (*p == '\0' && (*item == ',' || *item == '\0'))
			return true;
		while (*item && *item != ',')
			item++;
		if (*item == '\0')
			return false;
	}
}

static bool string_fires(const struct rule *r, const char *s)
{
	const char *t = r->threshold_text ? r->threshold_text : "";

	switch (r->compare) {
	case COMPARE_EQ:
		return strcmp(s, t) == 0;
	case COMPARE_NE:
		return strcmp(s, t) != 0;
	case COMPARE_IN:
		return in_list(t, s);
	case COMPARE_NOT_IN:
		return !in_list(t, s);
	case COMPARE_LT:
		return hostlist_compare(s, t) < 0;
	case COMPARE_LE:
		return hostlist_compare(s, t) <= 0;
	case COMPARE_GT:
		return hostlist_compare(s, t) > 0;
	case COMPARE_GE:
		return hostlist_compare(s, t) >= 0;
	case COMPARE_DIFFERS:
		break;
	}
	return false;
}

static bool number_fires(const struct rule *r, double v)
{
	switch (r->compare) {
	case COMPARE_GT:
		return v > r->threshold;
	case COMPARE_GE:
		return v >= r->threshold;
	case COMPARE_LT:
		return v < r->threshold;
	case COMPARE_LE:
		return v <= r->threshold;
	case COMPARE_EQ:
		return v == r->threshold;
	case COMPARE_NE:
		return v != r->threshold;
	case COMPARE_IN:
	case COMPARE_NOT_IN:
	case COMPARE_DIFFERS:
		break;
	}
	return false;
}

enum verdict verdict_of(const struct rule *r, const struct value *v)
{
	double number;
	bool fires;

	if (v->state == OPT_UNSUPPORTED)
		return VERDICT_NOT_APPLICABLE;
	if (v->state != OPT_OK)
		return VERDICT_UNKNOWN;
	if (v->type == FIELD_STR)
		fires = string_fires(r, v->str ? v->str : "");
	else
		fires = value_number(v, &number) && number_fires(r, number);
	return fires ? VERDICT_FIRED : VERDICT_OK;
}

bool verdict_worse(const struct rule *r, const struct value *a, const struct value *b)
{
	double x;
	double y;

	if (!value_number(a, &x) || !value_number(b, &y))
		return false;
	return r->compare == COMPARE_LT || r->compare == COMPARE_LE ? x < y : x > y;
}

char *verdict_value_text(const struct value *v, char *out, size_t size)
{
	if (v->state == OPT_OK && v->type == FIELD_F64) {
		bool whole = fabs(v->f64) >= 100 || fabs(v->f64 - round(v->f64)) < 0.05;

		snprintf(out, size, whole ? "%.0f" : "%.1f", v->f64);
		return out;
	}
	if (v->state == OPT_OK && v->type == FIELD_HEX) {
		snprintf(out, size, "0x%llx", (unsigned long long)v->u64);
		return out;
	}
	return value_text(v, out, size);
}

char *verdict_threshold_text(const struct rule *r, char *out, size_t size)
{
	if (r->threshold_text)
		snprintf(out, size, "%s", r->threshold_text);
	else
		snprintf(out, size, "%.10g", r->threshold);
	return out;
}

char *verdict_expected_text(const struct rule *r, char *out, size_t size)
{
	const char *t = r->threshold_text;

	if (r->compare != COMPARE_EQ && r->compare != COMPARE_IN)
		return verdict_threshold_text(r, out, size);
	if (t && (strcmp(t, "yes") == 0 || strcmp(t, "no") == 0))
		snprintf(out, size, "%s", t[0] == 'y' ? "no" : "yes");
	else if (t)
		snprintf(out, size, "not %s", t);
	else
		snprintf(out, size, "not %.10g", r->threshold);
	return out;
}
