/*
 * Values that carry their validity.
 *
 * Unknown is never 0. The four states:
 *   OPT_UNKNOWN      nobody told us (the field was not printed)
 *   OPT_OK           v holds what was read
 *   OPT_UNSUPPORTED  the source says that there is no such value ("[N/A]")
 *   OPT_ERROR        the source failed to read it ("ERR!", "[Unknown Error]")
 * The zero value of every type is OPT_UNKNOWN.
 *
 * Packed to 9 bytes instead of 16: a thousand nodes print some two million values. So
 * no pointer to a member may be taken; read into a variable, then set the whole.
 */
#ifndef COLLECTORS_OPT_H
#define COLLECTORS_OPT_H

#include <stdbool.h>
#include <stdint.h>

#include "collectors/compiler.h"

enum opt_state { OPT_UNKNOWN = 0, OPT_OK, OPT_UNSUPPORTED, OPT_ERROR };

/* What every one of them begins with. */
struct opt_any {
	enum opt_state state : 8;
} ATTR_PACKED;
struct opt_u64 {
	enum opt_state state : 8;
	uint64_t v;
} ATTR_PACKED;
struct opt_i64 {
	enum opt_state state : 8;
	int64_t v;
} ATTR_PACKED;
struct opt_f64 {
	enum opt_state state : 8;
	double v;
} ATTR_PACKED;
struct opt_bool {
	enum opt_state state : 8;
	bool v;
} ATTR_PACKED;
/* v: printable, terminated, owned by the arena of the section that it is in. */
struct opt_str {
	enum opt_state state : 8;
	const char *v;
} ATTR_PACKED;

static inline struct opt_u64 opt_u64(uint64_t v)
{
	return (struct opt_u64){OPT_OK, v};
}
static inline struct opt_i64 opt_i64(int64_t v)
{
	return (struct opt_i64){OPT_OK, v};
}
static inline struct opt_f64 opt_f64(double v)
{
	return (struct opt_f64){OPT_OK, v};
}
static inline struct opt_bool opt_bool(bool v)
{
	return (struct opt_bool){OPT_OK, v};
}

/* True when o (any of the types above) holds a value. */
#define opt_has(o) ((o).state == OPT_OK)

#endif
