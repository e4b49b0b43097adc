/* Static members that are named through `this` in a constant expression. */
#ifndef CW_FRONT_CLANG_THIS_CONSTANTS_H
#define CW_FRONT_CLANG_THIS_CONSTANTS_H

#include "front/clang/lower.h"

/* `if constexpr (this->has_payload)`: nvcc and P2280 take it, clang before version 20 does not evaluate `this`. Looks
 * through the errors of a parse for such places. Adds the files to `unit->options->remade`, with `__cw::` in place of
 * `this->` there, so that every other place stays where it was. False: there is no such place. Cost: linear in the
 * number of errors, and in the size of files that have such places. */
bool cw_clang_remake_this(struct cw_unit *unit);

/* The argument that says what `__cw` is: the class of `this`. */
#define CW_THIS_ARGUMENT "-D__cw=decltype(static_cast<auto(*)()->__typeof__(*this)>(nullptr)())"

#endif
