/* The branches of preprocessor conditionals: which of them a place lies in, and which of them exclude each other. */
#ifndef CW_SOURCE_BRANCHES_H
#define CW_SOURCE_BRANCHES_H

#include "base/str.h"
#include "base/vec.h"
#include "source/conditions.h"

#include <stdbool.h>
#include <stdint.h>

struct cw_branch {
    uint32_t from, to;    /* bytes of the text, from its directive to the next one of the conditional */
    uint32_t conditional; /* the same for all branches of one #if */
    uint32_t outer;       /* index plus 1 of the branch that the conditional lies in, 0: none */
    cw_str word;          /* "if", "ifdef", "ifndef", "elif", "else" … */
    cw_str condition;     /* what stands behind it on its line */
    uint32_t before;      /* index plus 1 of the conditional's branch before, 0: this is its first */
};

struct cw_branches {
    struct cw_branch *at;
    uint32_t n, cap;
};

/* Of the whole text; at most 65536, and 256 inside of each other: what is deeper belongs to the branch around it. */
struct cw_branches cw_branches_read(struct cw_arena *a, const char *text, size_t size);

/* Index plus 1 of the innermost branch that holds the byte, 0 for none. */
uint32_t cw_branch_at(const struct cw_branches *b, uint32_t offset);
/* Do the two (as cw_branch_at gives them) lie in different branches of one conditional? */
bool cw_branches_exclude(const struct cw_branches *b, uint32_t x, uint32_t y);

/* Definitions that make the branch and those around it active: its own condition holds, those of the branches before
 * it do not. Added to `out`; false when a condition cannot be solved (see source/conditions.h). */
bool cw_branch_wants(struct cw_arena *a, const struct cw_branches *b, uint32_t branch, cw_may_define *may,
                     struct cw_definitions *out);

/* Macros without which the branch is not active, whatever is around it, as far as its condition is nothing but
 * names: #ifdef A, #if A, #if defined(A) && B, the #else of an #ifndef. False when it is more than that. */
struct cw_branch_names {
    const char **at;
    uint32_t n, cap;
};
bool cw_branch_requires(struct cw_arena *a, const struct cw_branches *b, uint32_t branch, struct cw_branch_names *out);

#endif
