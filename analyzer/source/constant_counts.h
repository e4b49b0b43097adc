/* Counts that calls fix by what stands there. */
#ifndef CW_SOURCE_CONSTANT_COUNTS_H
#define CW_SOURCE_CONSTANT_COUNTS_H

#include "base/str.h"

/* Does the text call a function of that name with an argument that is a constant, as it is written, and may be a count:
 * `name(x, 1)`, `name<T>(x, 2 * kRows)`? A definition's parameters are none. Cost: one pass over the text. */
bool cw_passes_constant_count(cw_str text, cw_str name);

#endif
