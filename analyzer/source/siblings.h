/* Places in like code of which one lacks what the others have.
 *
 * Functions are strings of symbols in which *marks* stand. The surroundings of a mark are the symbols on both sides of
 * it, with names told apart by the order in which they appear and not by what they are called: parameterized matching,
 * after B. S. Baker, "A theory of parameterized pattern matching" (STOC 1993). A place without a mark between two
 * statements with the same surroundings as several marked ones is a deviant, after D. Engler et al., "Bugs as deviant
 * behavior" (SOSP 2001): copies of one piece of code, one of which was not mended or was mended too far.
 *
 * All marks are few and looked up by a hash of their surroundings, so the time is that of reading the symbols a few
 * dozen times over. */
#ifndef CW_SOURCE_SIBLINGS_H
#define CW_SOURCE_SIBLINGS_H

#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

enum cw_symbol_kind {
    CW_SYMBOL_FIXED, /* equal only to itself */
    CW_SYMBOL_NAME,  /* may be called otherwise elsewhere */
    CW_SYMBOL_MARK   /* what a place may have or lack; a statement of its own */
};

struct cw_symbol {
    uint64_t text; /* a hash of it */
    uint8_t kind;
    bool ends;     /* a statement, or opens or closes a block: a mark could stand behind it */
};

struct cw_symbols { struct cw_symbol *at; uint32_t n, cap; };

enum { CW_SIBLINGS_TOLD = 3 };

struct cw_sibling_place {
    uint32_t function, symbol; /* of a mark: itself; of a place that lacks one: the symbol behind it */
};

struct cw_sibling {
    struct cw_sibling_place lacks;
    struct cw_sibling_place have[CW_SIBLINGS_TOLD]; /* the first ones */
    uint32_t n;                                     /* how many have it */
};

struct cw_siblings { struct cw_sibling *at; uint32_t n, cap; };

/* Places that lack a mark which at least `least` like places have, all of them the same mark, and that are alone in
 * that; in the order of functions and symbols. */
struct cw_siblings cw_siblings_of(struct cw_arena *a, const struct cw_symbols *functions, uint32_t n, uint32_t least);

#endif
