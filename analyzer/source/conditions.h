/* Preprocessor conditions solved for definitions: under which `-DNAME=VALUE` does `#if HAVE_X == 1 && defined(B)`
 * hold?
 *
 * Understood are names, numbers, `defined`, `!`, `&&`, `||`, parentheses and comparisons of a name with a number. A
 * name that is not defined counts as 0, as for the preprocessor. Of alternatives the first that can be solved is
 * taken. */
#ifndef CW_SOURCE_CONDITIONS_H
#define CW_SOURCE_CONDITIONS_H

#include "base/str.h"
#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

struct cw_definition {
    const char *name;
    int64_t value;
};

struct cw_definitions {
    struct cw_definition *at;
    uint32_t n, cap;
};

/* May the name be defined to solve a condition? */
typedef bool cw_may_define(const char *name);

/* Adds to `out`, in arena memory, what makes the condition hold (or not hold) together with what is in `out`
 * already. False, with `out` as it was: it cannot be solved, or is not understood. Cost: linear in the condition but
 * for nested alternatives, at most 4096 steps. */
bool cw_condition_solve(struct cw_arena *a, cw_str condition, bool holds, cw_may_define *may,
                        struct cw_definitions *out);
/* The same for the condition `defined(name)`. */
bool cw_condition_define(struct cw_arena *a, cw_str name, bool is_defined, cw_may_define *may,
                         struct cw_definitions *out);

#endif
