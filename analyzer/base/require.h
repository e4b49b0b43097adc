/* States what a function requires of its caller. Checked in builds without NDEBUG (the preset dev, fuzzing); elsewhere
 * it costs nothing and evaluates nothing. For mistakes of this program only: bad input gets a message. */
#ifndef CW_BASE_REQUIRE_H
#define CW_BASE_REQUIRE_H

#include <assert.h>

#ifdef NDEBUG
#define cw_require(condition) ((void)sizeof(condition))
#else
#define cw_require(condition) assert(condition)
#endif

#endif
