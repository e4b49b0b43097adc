/* Does a function of the module, or one that it calls, hold an operation that orders threads? For calls that could not
 * be inlined: a recursion, one beyond the budget, one through a pointer whose targets are known.
 *
 * requires: lowered functions. computes: an answer per function, by a walk over the calls, each function once.
 * preserves: everything. */
#ifndef CW_IR_CALLEE_SYNCS_H
#define CW_IR_CALLEE_SYNCS_H

#include "ir/ir.h"

enum cw_callee_syncs {
    CW_CALLEE_UNKNOWN, /* it reaches a call or asm of which nothing is known */
    CW_CALLEE_SYNCFREE,
    CW_CALLEE_SYNCS
};

/* known: answers found so far, by function; made with cw_map_init, lives as long as the module. */
enum cw_callee_syncs cw_callee_syncs_of(const struct cw_module *m, const struct cw_fn *callee, struct cw_map *known,
                                        struct cw_arena *scratch);
/* The flag of an OPCALL that says the answer: CW_INS_SYNCFREE, CW_INS_SYNCS or 0. */
uint16_t cw_callee_syncs_flag(enum cw_callee_syncs answer);

/* Calls through pointers, after `simplify` has found what the pointers are. A call whose pointer is one function's
 * becomes a CALL; true: there is one, and inlining is worth another round. Any other call takes the answer of all
 * functions of its shape whose address the module takes, or of all that override a virtual method, where they agree.
 * requires: the module holds all its
 * functions; they are listed once. */
bool cw_indirect_calls(struct cw_fn *fn, struct cw_arena *scratch);

#endif
