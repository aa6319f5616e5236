#include "tui/report_pairs.h"

#include <math.h>
#include <string.h>

#include "tui/cmd.h"

const char *report_pairs_verdict(const struct report_pairs *r, size_t a, size_t b)
{
	size_t n;

	pair_set_readings(r->set, a, b, &n);
	if (n == 0)
		return "failed";
	if (attribution_pair_low(r->at, a, b))
		return "slow";
	for (size_t i = 0; i < r->at->n_transients; i++) {
		const struct transient *t = &r->at->transients[i];

		if ((t->a == a && t->b == b) || (t->a == b && t->b == a))
			return t->retest ? "retest" : "transient";
	}
	return "ok";
}

int report_pairs_status(const struct report_pairs *r)
{
	const struct attribution *at = r->at;

	if (!r->set->measured && !r->set->left_out.failed && !r->set->left_out.wrong)
		return CMD_NOTHING;
	if (at->n_nodes || at->n_links || at->topology != TOPOLOGY_NONE ||
		r->set->left_out.failed || r->set->left_out.wrong)
		return CMD_CONCERNS;
	return CMD_OK;
}

/* ---- CSV ---- */

/* A name in quotes where a reader of CSV needs them. */
static enum err_code add_cell(struct buf *out, const char *s)
{
	enum err_code rc = ERR_OK;

	if (!strpbrk(s, ",\"\r\n"))
		return buf_add_str(out, s);
	rc = buf_add_str(out, "\"");
	for (; *s && rc == ERR_OK; s++)
		rc = *s == '"' ? buf_add_str(out, "\"\"") : buf_add(out, s, 1);
	return rc ? rc : buf_add_str(out, "\"");
}

static enum err_code add_number(struct buf *out, double v)
{
	return isfinite(v) ? buf_addf(out, ",%.2f", v) : buf_add_str(out, ",");
}

static enum err_code add_pair(struct buf *out, const struct report_pairs *r, size_t a, size_t b)
{
	double busbw = pair_set_busbw(r->set, a, b);
	double expected = attribution_expected(r->at, a, b);
	size_t n;
	enum err_code rc = add_cell(out, r->set->nodes[a].name);

	pair_set_readings(r->set, a, b, &n);
	if (!rc)
		rc = buf_add_str(out, ",");
	if (!rc)
		rc = add_cell(out, r->set->nodes[b].name);
	if (!rc)
		rc = add_number(out, busbw);
	if (!rc)
		rc = add_number(out, expected);
	if (!rc)
		rc = add_number(out, 100 * (1 - busbw / expected));
	return rc ? rc : buf_addf(out, ",%zu,%s\n", n, report_pairs_verdict(r, a, b));
}

enum err_code report_pairs_csv(struct buf *out, const struct report_pairs *r)
{
	enum err_code rc = buf_add_str(
		out, "node_a,node_b,busbw_gbps,expected_gbps,deficit_pct,readings,verdict\n");
	size_t p = 0;

	for (size_t a = 0; a < r->set->n; a++)
		for (size_t b = a + 1; b < r->set->n && !rc; b++, p++)
			if (r->set->first[p + 1] > r->set->first[p])
				rc = add_pair(out, r, a, b);
	return rc;
}
