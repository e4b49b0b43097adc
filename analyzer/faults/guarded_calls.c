/* See guarded_calls.h for requires / computes / preserves. */
#include "faults/guarded_calls.h"

#include "uniformity/index_values.h"

/* The one edge, of those that decide directly about the block, whose branch parts the threads of a warp. */
static bool find_branch(const struct cw_kernel_query *query, uint32_t block, struct cw_edge *out) {
    const struct cw_vec_edge *control = &query->fn->cfg->live_control[block];
    uint32_t found = 0;
    for (uint32_t k = 0; k < control->n; k++) {
        const struct cw_jump *jump = &query->fn->blocks.at[control->at[k].block].jump;
        if (jump->kind == CW_JUMP_BRANCH && cw_uni_of(query->uniformity, jump->value) <= CW_UNI_WARP)
            continue;
        *out = control->at[k];
        found++;
    }
    return found == 1 && query->fn->blocks.at[out->block].jump.kind == CW_JUMP_BRANCH &&
           cw_index_condition(query->fn, query->uniformity, query->fn->blocks.at[out->block].jump.value) != 0;
}

/* Does who takes the other way stay in the kernel, and in the loops around the call? */
static bool comes_back(const struct cw_fn *fn, uint32_t block, struct cw_edge edge) {
    uint32_t other = fn->blocks.at[edge.block].jump.succ[1 - edge.which], loop = fn->cfg->loop_of[block];
    return fn->cfg->loop_of[edge.block] == loop && (loop == CW_NO_LOOP || cw_cfg_in_loop(fn->cfg, loop, other)) &&
           fn->cfg->ipdom[edge.block] != fn->cfg->nblocks && !cw_cfg_way_ends(fn, edge.block, 1 - edge.which);
}

bool cw_find_guarded_call(const struct cw_kernel_query *query, struct cw_masks *masks, uint32_t warp,
                          struct cw_guarded_call *out) {
    struct cw_lanes *l = cw_masks_lanes(masks);
    uint32_t block = query->fn->ins.at[cw_masks_ins(masks)].block, n = cw_lanes_count(l), first = n;
    int64_t mask;
    if (!cw_ref_const(query->fn, cw_arg(query->fn, &query->fn->ins.at[cw_masks_ins(masks)], 0), &mask) ||
        !find_branch(query, block, &out->edge) || !comes_back(query->fn, block, out->edge))
        return false;
    const struct cw_context *c = cw_masks_context(masks);
    const struct cw_lane_values *v = cw_lanes_eval(l, query->fn->blocks.at[out->edge.block].jump.value, c);
    const uint8_t *reach = cw_lanes_reach(l, out->edge.block, c);
    uint32_t away = 0;
    for (uint32_t t = warp * 32; t < n && t < warp * 32 + 32; t++) {
        if (v->known[t] != CW_EXACT || reach[t] == CW_REACH_NO)
            continue;
        if ((v->value[t] != 0) != (out->edge.which == 0))
            away |= 1u << t % 32;
        else if (first == n)
            first = t;
    }
    if (first == n)
        return false;
    out->thread = first;
    out->lanes = away & (uint32_t)mask;
    return out->lanes != 0;
}
