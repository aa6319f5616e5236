/*
 * Values that carry their validity.
 *
 * Unknown is never 0. The four states:
 *   OPT_UNKNOWN      nobody told us (the field was not printed)
 *   OPT_OK           v holds what was read
 *   OPT_UNSUPPORTED  the source says that there is no such value ("[N/A]")
 *   OPT_ERROR        the source failed to read it ("ERR!", "[Unknown Error]")
 * The zero value of every type is OPT_UNKNOWN.
 */
#ifndef COLLECTORS_OPT_H
#define COLLECTORS_OPT_H

#include <stdbool.h>
#include <stdint.h>

enum opt_state { OPT_UNKNOWN = 0, OPT_OK, OPT_UNSUPPORTED, OPT_ERROR };

struct opt_u64 {
	enum opt_state state;
	uint64_t v;
};
struct opt_i64 {
	enum opt_state state;
	int64_t v;
};
struct opt_f64 {
	enum opt_state state;
	double v;
};
struct opt_bool {
	enum opt_state state;
	bool v;
};
/* v: printable, terminated, owned by the arena of the section that it is in. */
struct opt_str {
	enum opt_state state;
	const char *v;
};

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
