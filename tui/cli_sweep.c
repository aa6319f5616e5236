/* The sweep of cli.h: from settings to feeds. */
#include "tui/cli.h"

#include <stdlib.h>
#include <string.h>

#include "collectors/demo_sweep.h"
#include "collectors/fleet.h"
#include "collectors/pair_remote.h"
#include "collectors/pair_watch.h"
#include "collectors/text.h"
#include "collectors/xmalloc.h"

/*
 * Length of HOST in "HOST:DIR", 0 for a local path. As scp has it: a colon before
 * the first slash; "./a:b" is local. An IPv6 address stands in brackets.
 */
static size_t host_length(const char *place)
{
	const char *from = place[0] == '[' ? strchr(place, ']') : place;
	const char *colon = from ? strchr(from, ':') : NULL;
	const char *slash = strchr(place, '/');

	if (!colon || colon == place || !colon[1] || (slash && slash < colon))
		return 0;
	return (size_t)(colon - place);
}

static enum err_code feed_new(
	struct cli *c, const char *place, struct pair_feed **out, struct err *e)
{
	size_t n = host_length(place);
	struct source *src = NULL;

	if (!n)
		return pair_watch_new(out, place, e);
	char *host = xstrndup(place, n);
	enum err_code rc = cli_source_one(c, host, &src, e);

	free(host);
	return rc ? rc : pair_remote_new(out, src, place + n + 1, place, e);
}

static enum err_code read_size(const char *text, uint64_t *out, struct err *e)
{
	static const char units[] = "KMGT";
	struct span rest = SPAN_INIT;
	uint64_t v = 0;
	unsigned shift = 0;

	if (span_lead_u64(span_of(text), &v, &rest) && rest.n) {
		const char *unit = strchr(units, rest.p[0] & ~0x20);

		shift = unit ? 10 * (unsigned)(unit - units + 1) : 64;
		rest = (struct span){rest.p + 1, rest.n - 1};
		if (span_ieq(rest, "iB") || span_ieq(rest, "B"))
			rest.n = 0;
	}
	if (!v || rest.n || shift > 40 || v > UINT64_MAX >> shift)
		return err_set(e, ERR_USAGE,
			"--size: \"%.40s\" is not a message size (give bytes, or 512M, 8G)", text);
	*out = v << shift;
	return ERR_OK;
}

enum err_code cli_pair_select(const char *size, const char *collective, bool in_place,
	struct pair_select *out, struct err *e)
{
	enum err_code rc = ERR_OK;

	*out = (struct pair_select){.in_place = in_place};
	if (size)
		rc = read_size(size, &out->size_bytes, e);
	if (rc == ERR_OK && collective) {
		out->collective = bw_collective_by_name(span_of(collective));
		if (out->collective == BW_COLL_UNKNOWN)
			rc = err_set(e, ERR_USAGE,
				"--collective: \"%.40s\" is none (all_reduce, all_gather, "
				"reduce_scatter, alltoall, sendrecv, broadcast ...)",
				collective);
	}
	return rc;
}

enum err_code cli_sweep_new(struct cli *c, struct cli_sweep *out, struct err *e)
{
	enum err_code rc;

	*out = (struct cli_sweep){.n = 0};
	rc = cli_pair_select(c->size, c->collective, c->in_place, &out->select, e);
	if (rc == ERR_OK && c->source == CLI_DEMO) {
		rc = demo_sweep_new(&out->feeds[0], c->demo, e);
		out->n = rc == ERR_OK && out->feeds[0] ? 1 : 0;
	}
	for (size_t i = 0; i < c->pairs.n && rc == ERR_OK; i++) {
		if (out->n == CLI_PAIRS_MAX)
			rc = err_set(e, ERR_USAGE,
				"--pairs: at most %d places (name a directory above them)",
				CLI_PAIRS_MAX);
		else
			rc = feed_new(c, c->pairs.item[i], &out->feeds[out->n], e);
		out->n += rc == ERR_OK;
	}
	if (rc == ERR_OK && c->placement) {
		out->fleet = fleet_new();
		rc = fleet_read_csv(out->fleet, c->placement, e);
	}
	if (rc)
		cli_sweep_release(out);
	return rc;
}

void cli_sweep_release(struct cli_sweep *s)
{
	for (size_t i = 0; i < s->n; i++)
		s->feeds[i]->ops->free(s->feeds[i]);
	fleet_free(s->fleet);
	*s = (struct cli_sweep){.n = 0};
}
