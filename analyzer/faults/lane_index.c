/* See lane_index.h. */
#include "faults/lane_index.h"

#include "lanes/facts_print.h"
#include "uniformity/reachable_ops.h"

#include <inttypes.h>

enum {
    MAX_DEPTH = 8,       /* operands followed from a use back to the index */
    MAX_THREAD_DEPTH = 6 /* operands followed back to a thread index */
};

/* ---- threadIdx.x % 32 ---- */

static bool is_thread_x(const struct cw_fn *fn, cw_ref ref) {
    const struct cw_ins *i = cw_ins_of(fn, ref);
    while (i != NULL && (i->op == CW_OP_ZEXT || i->op == CW_OP_SEXT || i->op == CW_OP_TRUNC)) {
        ref = cw_arg(fn, i, 0);
        i = cw_ins_of(fn, ref);
    }
    return ref.tag == CW_REF_SREG && ref.index == CW_TID_X;
}

static bool is_narrow_index(const struct cw_fn *fn, const struct cw_ins *ins) {
    int64_t by;
    bool remainder = ins->op == CW_OP_UREM || ins->op == CW_OP_SREM;
    return (remainder || ins->op == CW_OP_AND) && cw_ref_const(fn, cw_arg(fn, ins, 1), &by) &&
           by == (remainder ? 32 : 31) && is_thread_x(fn, cw_arg(fn, ins, 0));
}

static bool depends_on(const struct cw_fn *fn, cw_ref ref, uint32_t on, uint32_t depth) {
    const struct cw_ins *i = cw_ins_of(fn, ref);
    if (i == NULL || depth == MAX_DEPTH)
        return false;
    if (ref.index == on)
        return true;
    if (!(cw_op_flags(i->op) & CW_OP_P) || i->op == CW_OP_PHI)
        return false;
    for (uint32_t k = 0; k < i->narg; k++)
        if (depends_on(fn, cw_arg(fn, i, k), on, depth + 1))
            return true;
    return false;
}

/* A collective of the whole warp (not of narrower segments). */
static bool is_warp_wide(const struct cw_fn *fn, const struct cw_ins *ins) {
    int64_t width;
    return (cw_op_flags(ins->op) & CW_OP_C) && ins->narg > 0 && cw_ref_type(fn, cw_arg(fn, ins, 0)) != CW_GROUP &&
           ins->op != CW_OP_SYNCWARP &&
           (ins->op != CW_OP_SHFL || !cw_ref_const(fn, cw_arg(fn, ins, 3), &width) || width == 32);
}

/* Does a branch on `index == constant` pick the leader behind the collective? */
static bool picks_leader(const struct cw_fn *fn, uint32_t collective, uint32_t index) {
    for (uint32_t b = 0; b < fn->blocks.n; b++) {
        const struct cw_ins *test = cw_ins_of(fn, fn->blocks.at[b].jump.value);
        if (fn->cfg->rpo_index[b] != CW_NO_BLOCK && test != NULL && (test->op == CW_OP_EQ || test->op == CW_OP_NE) &&
            depends_on(fn, cw_arg(fn, test, 0), index, 0) &&
            (fn->ins.at[collective].block == b || cw_cfg_reaches(fn, fn->ins.at[collective].block, b)))
            return true;
    }
    return false;
}

static bool used_as_lane(const struct cw_fn *fn, uint32_t index, uint32_t *use) {
    for (*use = 0; *use < fn->ins.n; ++*use) {
        const struct cw_ins *i = &fn->ins.at[*use];
        if (i->op == CW_OP_HOLE || !is_warp_wide(fn, i))
            continue;
        if (depends_on(fn, cw_arg(fn, i, 0), index, 0) || picks_leader(fn, *use, index) ||
            (i->op == CW_OP_SHFL && depends_on(fn, cw_arg(fn, i, 2), index, 0)))
            return true;
    }
    return false;
}

/* A thread whose index is not its lane, and an operation that takes it for one. */
static bool is_mistaken(const struct cw_kernel_query *query, uint32_t ins, struct cw_narrow_index *out) {
    for (uint32_t k = 0; k < query->launches->n; k++) {
        struct cw_lanes *l = query->lanes(query->owner, k, 0);
        const struct cw_lane_values *v =
            cw_lanes_eval(l, cw_ref_ins(ins), cw_lanes_first(l, query->fn->ins.at[ins].block));
        for (uint32_t t = 0; t < cw_lanes_count(l); t++) {
            if (v->known[t] != CW_EXACT || v->value[t] == t % 32)
                continue;
            *out = (struct cw_narrow_index){.ins = ins, .lanes = l, .lane = t % 32, .value = v->value[t]};
            return used_as_lane(query->fn, ins, &out->use);
        }
    }
    return false;
}

struct cw_narrow_indices cw_narrow_indices_of(const struct cw_kernel_query *query) {
    struct cw_narrow_indices found = {{0}};
    for (uint32_t k = 0; query->launches->from_facts && k < query->fn->ins.n; k++) {
        struct cw_narrow_index index;
        if (query->fn->ins.at[k].op != CW_OP_HOLE && is_narrow_index(query->fn, &query->fn->ins.at[k]) &&
            is_mistaken(query, k, &index))
            cw_vec_push(query->arena, &found.at, index);
    }
    return found;
}

/* ---- 32 where warpSize is meant ---- */

static bool comes_from_thread(const struct cw_fn *fn, cw_ref ref, uint32_t depth) {
    const struct cw_ins *i = cw_ins_of(fn, ref);
    if (ref.tag == CW_REF_SREG)
        return ref.index <= CW_TID_Z;
    if (i == NULL || depth == MAX_THREAD_DEPTH)
        return false;
    bool sum = i->op == CW_OP_ADD || i->op == CW_OP_MUL || i->op == CW_OP_ZEXT || i->op == CW_OP_SEXT ||
               i->op == CW_OP_TRUNC;
    for (uint32_t k = 0; sum && k < i->narg; k++)
        if (comes_from_thread(fn, cw_arg(fn, i, k), depth + 1))
            return true;
    return false;
}

static bool is_warp_arithmetic(const struct cw_fn *fn, const struct cw_ins *ins) {
    int64_t by;
    if (ins->narg != 2 || !cw_ref_const(fn, cw_arg(fn, ins, 1), &by))
        return false;
    switch (ins->op) {
    case CW_OP_SDIV: case CW_OP_UDIV: case CW_OP_SREM: case CW_OP_UREM:
        return by == 32;
    case CW_OP_AND:
        return by == 31;
    case CW_OP_LSHR: case CW_OP_ASHR:
        return by == 5;
    default:
        return false;
    }
}

static bool is_warp_size_use(const struct cw_fn *fn, const struct cw_ins *ins) {
    return is_warp_arithmetic(fn, ins) && comes_from_thread(fn, cw_arg(fn, ins, 0), 0);
}

struct cw_vec_u32 cw_warp_size_uses(const struct cw_fn *fn, struct cw_arena *a) {
    return cw_reachable_where(fn, is_warp_size_use, a);
}

/* ---- text form ---- */

void cw_narrow_indices_print(const struct cw_facts_print *to, const struct cw_narrow_indices *indices) {
    for (uint32_t k = 0; k < indices->at.n; k++) {
        const struct cw_narrow_index *index = &indices->at.at[k];
        cw_facts_begin(to, true, "index taken for a lane");
        cw_facts_ins(to, "", index->ins);
        cw_facts_ins(to, "used by", index->use);
        cw_facts_part(to, "in lane 0x%08" PRIx32 " it is %" PRId64, UINT32_C(1) << index->lane, index->value);
        cw_facts_evaluator(to, index->lanes);
        cw_facts_end(to);
    }
}
