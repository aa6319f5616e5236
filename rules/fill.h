/*
 * Texts with placeholders: "{part} at {value} C".
 *
 * A placeholder whose value is not known stays visible as <cluster-name>, so
 * that nobody runs a command with a gap in it. In commands every value that a
 * shell could misread is quoted: names come from the nodes.
 */
#ifndef RULES_FILL_H
#define RULES_FILL_H

#include <stdbool.h>
#include <stddef.h>

#include "collectors/arena.h"

/* P(ID, name, what stands there when the value is not known) */
#define PLACEHOLDERS(P)                                      \
	P(SUBJECT, "subject", "<subject>")                   \
	P(NODE, "node", "<node>")                            \
	P(NODES, "nodes", "<nodes>")                         \
	P(HOSTS, "hosts", "<hostlist>")                      \
	P(INSTANCE_ID, "instance_id", "<instance-id>")       \
	P(INSTANCE_TYPE, "instance_type", "<instance-type>") \
	P(GROUP, "group", "<instance-group>")                \
	P(CLUSTER, "cluster", "<cluster-name>")              \
	P(REGION, "region", "<region>")                      \
	P(PART, "part", "")                                  \
	P(PART_ID, "part_id", "<id>")                        \
	P(VALUE, "value", "?")                               \
	P(UPTO, "upto", "")                                  \
	P(THRESHOLD, "threshold", "?")                       \
	P(UNIT, "unit", "")                                  \
	P(EXPECTED, "expected", "?")                         \
	P(WORDS, "words", "no details")                      \
	P(PEERS, "peers", "the cluster")                     \
	P(SUMMARY, "summary", "")                            \
	P(DISTINCT, "distinct", "?")                         \
	P(COUNTS, "counts", "")                              \
	P(DIFFERING, "differing", "")

#define FILL_ENUM(ID, name, gap) FILL_##ID,
enum fill_id { PLACEHOLDERS(FILL_ENUM) FILL_COUNT };
#undef FILL_ENUM

/* Values by placeholder; NULL not known. */
struct fill {
	const char *values[FILL_COUNT];
};

/*
 * The text with its placeholders filled in, in a; NULL when a is full. shell:
 * quote values. Text in braces that is no placeholder stays as it is.
 */
const char *fill_text(struct arena *a, const char *text, const struct fill *f, bool shell);

/* The first placeholder of text that does not exist, into out; false when all do. */
bool fill_find_unknown(const char *text, char *out, size_t size);

#endif
