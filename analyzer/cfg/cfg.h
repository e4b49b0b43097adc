/* Control-flow facts of one function in SSA: orders, dominance, control dependence, loops, induction variables.
 *
 * requires: fn with linked preds. computes: fn->cfg. preserves: everything; a change of blocks or jumps makes it stale.
 * Dominators: Cooper, Harvey, Kennedy, "A Simple, Fast Dominance Algorithm" (2001), also on the reversed graph with a
 * virtual exit that every RETURN and TRAP jumps to (and one block of each endless loop). Control dependence: Ferrante,
 * Ottenstein, Warren (1987). */
#ifndef CW_CFG_CFG_H
#define CW_CFG_CFG_H

#include "base/bitset.h"
#include "ir/ir.h"

#define CW_NO_BLOCK UINT32_MAX
#define CW_NO_LOOP UINT32_MAX

/* One edge of the graph: succ[which] of `block`. */
struct cw_edge {
    uint32_t block, which;
};

struct cw_vec_edge {
    struct cw_edge *at;
    uint32_t n, cap;
};

struct cw_loop {
    uint32_t header, parent /* loop index or CW_NO_LOOP */, depth /* 1 = outermost */;
    struct cw_bitset blocks;
    struct cw_vec_u32 latches;  /* blocks in the loop that jump to the header */
    struct cw_vec_edge exits;   /* edges from a block in the loop to one outside */
    struct cw_vec_u32 inductions; /* indices into cfg->inductions */
};

/* A header phi whose next value is `op(phi, step)` with a step that does not change in the loop:
 * value in iteration k is closed: init + k*step (ADD/SUB), init >> (k*step) (ASHR, LSHR), init * step^k, and so on;
 * op: ADD SUB MUL SHL LSHR ASHR SDIV UDIV, or PTRADD for a pointer that walks. All arithmetic is in the phi's type,
 * although `next` may compute in a wider one (a `short` counter). The step may be wider too (use its low bits), and it
 * may be a pure instruction inside the loop whose operands do not change there. */
struct cw_induction {
    uint32_t phi;  /* instruction index */
    uint32_t loop;
    cw_ref init, step, next;
    enum cw_op op;
};

struct cw_cfg {
    uint32_t nblocks;        /* the virtual exit is block number nblocks in ipdom */
    uint32_t *rpo;           /* reachable blocks in reverse post-order, rpo[0] == 0 */
    uint32_t nrpo;
    uint32_t *rpo_index;     /* block -> position, CW_NO_BLOCK when unreachable */
    uint32_t *idom;          /* CW_NO_BLOCK for the entry and unreachable blocks */
    uint32_t *ipdom;         /* nblocks: the virtual exit */
    struct cw_vec_edge *control; /* block -> the branch edges that decide whether it runs (direct dependence) */
    CW_VEC(struct cw_loop) loops;  /* outer loops before inner ones */
    uint32_t *loop_of;       /* innermost loop of a block, or CW_NO_LOOP */
    CW_VEC(struct cw_induction) inductions;
    bool is_irreducible;     /* some cycle has two entries; its blocks are in no loop */
    uint32_t *first_edge;    /* edge (b, which) has the number first_edge[b] + which; nblocks + 1 entries */
    struct cw_vec_u32 endless; /* blocks that got a pseudo edge to the virtual exit: one per endless cycle */
    /* The same without the blocks from which every way ends in a TRAP: a failed assertion ends the whole grid, so it
     * parts no threads. `dies`: block -> is such a block; those have no live_ipdom and no live_control. */
    uint8_t *dies;
    uint32_t *live_ipdom;
    struct cw_vec_edge *live_control;
    /* internal: intervals of the dominator trees, positions of instructions, rows of the reachability relation */
    uint32_t *dom_in, *dom_size, *pdom_in, *pdom_size;
    uint32_t *position, nposition;
    struct cw_bitset *reach;
    size_t reach_bytes;
    uint32_t *equivalent;        /* block -> 1 + its control equivalent, 0: not asked for yet */
    struct cw_vec_edge **exits_before; /* block -> its exits, NULL: not asked for yet */
    uint32_t *stamp, *stack, now; /* of graph walks: by block when it was last met, and blocks to look at */
};

struct cw_cfg *cw_cfg_build(struct cw_fn *fn);

bool cw_cfg_dominates(const struct cw_cfg *cfg, uint32_t a, uint32_t b);      /* a dom b, reflexive */
bool cw_cfg_postdominates(const struct cw_cfg *cfg, uint32_t a, uint32_t b);  /* a pdom b, reflexive */
bool cw_cfg_in_loop(const struct cw_cfg *cfg, uint32_t loop, uint32_t block);
bool cw_cfg_reaches(const struct cw_fn *fn, uint32_t from, uint32_t to);      /* a path of at least one edge */
/* Which way of the branch at the end of `from` every path from there to the block takes: 0 when its condition is true,
 * 1 when it is false, -1 when it may be either or there is no branch. */
int cw_cfg_way_to(const struct cw_fn *fn, uint32_t from, uint32_t block);
/* Does instruction a come before b on every path to b? Same block: by position. */
bool cw_cfg_ins_dominates(const struct cw_fn *fn, uint32_t a, uint32_t b);

/* The one edge over which a thread leaves the loop that no trap stops; false: there are several, or none. */
bool cw_cfg_only_exit(const struct cw_fn *fn, uint32_t loop, struct cw_edge *out);

/* Does every way from `first`, which dominates `last`, come to `last` in the same iteration of the loop around `last`,
 * that loop's header and exits not passed on the way? */
bool cw_cfg_always_follows(const struct cw_fn *fn, uint32_t first, uint32_t last);
/* The farthest dominator in the same innermost loop that the block always follows in the same iteration, or the block
 * itself: a thread that executes one of the two executes the other. Kept for the function; constant time when asked
 * again. */
uint32_t cw_cfg_control_equivalent(const struct cw_fn *fn, uint32_t block);
/* The same for threads that no trap stops. Cost: a walk over the blocks between the two. */
uint32_t cw_cfg_survivor_equivalent(const struct cw_fn *fn, uint32_t block);

/* The edges over which a thread exits that others, who come to `block`, do not take: those that lead to a trap, or to a
 * return on ways where nobody synchronises and which nobody who comes to `block` shares. Kept for the function;
 * constant time when asked again. */
const struct cw_vec_edge *cw_cfg_exits_before(const struct cw_fn *fn, uint32_t block);
/* Does this way (successor `which` of the branch) leave the function by a `return` of the branch's own function, with
 * nothing left to do but to end? Behind a `return` in a helper that is the kernel's last call, a thread is as good as
 * exited. */
bool cw_cfg_way_ends(const struct cw_fn *fn, uint32_t branch, uint32_t which);

/* Innermost-first walk over the transitive control dependences of a block: calls `visit` for each deciding edge once;
 * stops when it returns false. */
void cw_cfg_controls(const struct cw_fn *fn, uint32_t block, bool (*visit)(void *, struct cw_edge), void *ctx);

/* The same walk over cfg->live_control. */
void cw_cfg_live_controls(const struct cw_fn *fn, uint32_t block, bool (*visit)(void *, struct cw_edge), void *ctx);

/* The edge that phi operand `k` of the block comes over: the same block may be a predecessor twice. */
struct cw_edge cw_cfg_incoming(const struct cw_fn *fn, uint32_t block, uint32_t k);

static inline uint32_t cw_cfg_edge_target(const struct cw_fn *fn, struct cw_edge edge) {
    return fn->blocks.at[edge.block].jump.succ[edge.which];
}

/* Does the value stay the same during one run of the loop? Constants, parameters, values from outside, and pure
 * functions of such. */
bool cw_cfg_is_invariant(const struct cw_fn *fn, uint32_t loop, cw_ref r);

struct cw_buf;
void cw_cfg_print(const struct cw_fn *fn, struct cw_buf *out); /* --dump=cfg */

#endif
