/* Which values, and which decisions, are the same for all threads of a block or warp; in one pass over SSA.
 *
 *      CONST < GRID < BLOCK < WARP < DIVERGENT          ("same for all threads of a …"; docs/internals/uniformity.md)
 *
 * Control divergence (a phi where threads arrive over different edges) and temporal divergence (a value of a loop that
 * threads leave in different iterations, used outside it) both count, as in LLVM's uniformity analysis. */
#ifndef CW_UNIFORMITY_UNIFORMITY_H
#define CW_UNIFORMITY_UNIFORMITY_H

#include "cfg/cfg.h"

enum cw_uni { CW_UNI_CONST, CW_UNI_GRID, CW_UNI_BLOCK, CW_UNI_WARP, CW_UNI_DIVERGENT };

/* What is known of the block shape, for `threadIdx.x / 32` and `threadIdx.y`. */
struct cw_shape_facts {
    bool x_multiple_of_32; /* blockDim.x % 32 == 0 in every launch considered */
    bool one_dimensional;  /* blockDim.y == blockDim.z == 1 in every launch considered */
    bool two_dimensional;  /* blockDim.z == 1 in every launch considered */
    uint32_t block[3];     /* an extent that is the same in every launch considered, else 0 */
};


struct cw_uniformity {
    const struct cw_fn *fn;
    uint8_t *ins;        /* enum cw_uni of each instruction's result */
    uint8_t *control;    /* block -> scope in which all threads agree to reach it (all or none); unconditional: GRID */
    /* Why a value is not uniform: the operand or branch that brought the divergence; see cw_uni_explain. */
    cw_ref *cause;
    uint32_t *cause_branch; /* block whose branch made a phi divergent, or lets threads leave a loop in different
                             * iterations whose value is used outside; CW_NO_BLOCK */
    /* Loads whose value may differ although the address is uniform, because another thread may write meanwhile. */
    struct cw_bitset unstable;
    struct cw_bitset escaped; /* objects whose address went to memory, a call or an integer (alias.h) */
    /* Like `control`, but threads that have returned from the kernel do not count: a block with divergent control and
     * uniform control_live is missed only by threads that exited (`if (i >= n) return;`). At most `control`. */
    uint8_t *control_live;
    uint32_t *control_branch; /* block whose branch set `control`, or CW_NO_BLOCK when that is GRID */
    struct cw_shape_facts facts;
    struct cw_bitset indexed; /* results of plain arithmetic on thread indices or lanes; see warp_forms.h */
};

/* requires: SSA, fn->cfg. */
struct cw_uniformity *cw_uniformity(struct cw_fn *fn, struct cw_shape_facts facts, struct cw_arena *a);

enum cw_uni cw_uni_of(const struct cw_uniformity *u, cw_ref r);

/* The steps from a divergent value back to its source (threadIdx, a load, an atomic's result): refs, at most `max`,
 * the value itself first. Returns how many. */
uint32_t cw_uni_explain(const struct cw_uniformity *u, cw_ref r, cw_ref *steps, uint32_t max);

const char *cw_uni_text(enum cw_uni u);
void cw_uniformity_print(const struct cw_uniformity *u, struct cw_buf *out); /* --dump=uniformity */

#endif
