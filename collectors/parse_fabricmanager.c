/*
 * The fabric manager service (systemctl is-active, LoadState) and, where it was asked for,
 * the fabric state of each GPU.
 */
#include "collectors/section.h"

#include "collectors/answer.h"
#include "collectors/fabric_smi.h"

/* Every answer of `systemctl is-active` (systemd unit active states). */
static bool is_active_state(struct span line)
{
	static const char *const states[] = {"active", "reloading", "inactive", "failed",
		"activating", "deactivating", "maintenance", "refreshing"};

	for (size_t i = 0; i < ARRAY_LEN(states); i++)
		if (span_eq(line, states[i]))
			return true;
	return false;
}

/* True when the line was one of systemd's. */
static bool service_line(struct section *s, struct fabricmanager_reading *r, struct span line)
{
	struct span key;
	struct span value = line;

	if (is_active_state(line)) {
		r->state = section_str(s, line);
		return true;
	}
	if (!span_field(&value, '=', &key) || !value.p)
		return false;
	if (span_eq(key, "ActiveState") && is_active_state(span_trim(value)))
		r->state = section_str(s, value);
	else if (span_eq(key, "LoadState"))
		r->load_state = section_str(s, value);
	return span_ends(key, "State");
}

static void say_error(struct section *s, struct fabricmanager_reading *r, struct span line)
{
	if (opt_has(r->error))
		return;
	r->error = section_str(s, line);
	/* A container has no systemd to ask; that is no fault of the node. */
	if (span_find(line, "has not been booted with systemd") >= 0 ||
		span_find(line, "Failed to connect to bus") >= 0)
		section_set_status(s, SECTION_UNAVAILABLE);
	else
		section_unread(s, "state", "%.*s", (int)(line.n < 150 ? line.n : 150), line.p);
}

void parse_fabricmanager(struct section *s, struct span text)
{
	struct fabricmanager_reading *r = s->mutable_reading;
	struct marks_piece piece;
	struct marks pieces;
	struct span line;

	if (answer_is_missing(s, text, &line)) {
		r->error = section_str(s, line);
		return;
	}
	pieces = answer_pieces(s, text);
	while (marks_next(&pieces, &piece)) {
		if (fabric_smi_read(s, piece.body))
			continue;
		while (span_line(&piece.body, &line)) {
			line = span_trim(line);
			if (line.n && !service_line(s, r, line))
				say_error(s, r, line);
		}
	}
	if (!opt_has(r->state) && !opt_has(r->error) && r->gpu_n == 0)
		section_unread(s, "state", "nothing was printed");
}
