/*
 * Compiler attributes used in contracts. Empty where the compiler has none.
 */
#ifndef COLLECTORS_COMPILER_H
#define COLLECTORS_COMPILER_H

#if defined(__GNUC__)
#define ATTR_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#define ATTR_MUST_CHECK        __attribute__((warn_unused_result))
#define ATTR_NORETURN          __attribute__((noreturn))
/* Members without gaps; their addresses must not be taken. */
#define ATTR_PACKED __attribute__((packed))
#else
#define ATTR_PRINTF(fmt, args)
#define ATTR_MUST_CHECK
#define ATTR_NORETURN
#define ATTR_PACKED
#endif

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

#endif
