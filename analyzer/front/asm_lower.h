/* Inline PTX to IR: barriers, warp collectives, asynchronous copies, plain memory accesses, register moves and simple
 * arithmetic (ptx.def). Shared by the front ends.
 *
 * The statement is translated instruction by instruction. If any instruction, a label or a predicated effect is not
 * understood, what follows the same statement is kept as one `asm` instruction with all inputs, and every output that
 * was not computed yet becomes opaque: nothing is invented and no effect disappears. */
#ifndef CW_FRONT_ASM_LOWER_H
#define CW_FRONT_ASM_LOWER_H

#include "ir/ir.h"

/* One operand of an asm statement, in the order of its number: %0, %1, … (outputs first). */
struct cw_asm_operand {
    const char *name;       /* symbolic name of `[name] "r"(x)`, or NULL */
    const char *constraint; /* "=r", "+f", "l", "n" … */
    enum cw_type type;      /* of the C++ expression, a scalar */
    cw_ref value;           /* inputs: the value; outputs: CW_NONE */
    cw_ref address;         /* outputs: where the result goes; inputs: CW_NONE */
};

struct cw_asm {
    const char *text; /* the template, string literals joined and unescaped */
    const struct cw_asm_operand *operands;
    uint32_t noperands;
};

/* Appends the translation to `block` (straight-line: PTX control flow is not followed). False: the thread traps, and
 * the caller ends the block. */
bool cw_asm_lower(struct cw_fn *fn, uint32_t block, const struct cw_asm *statement, uint32_t loc);

#endif
