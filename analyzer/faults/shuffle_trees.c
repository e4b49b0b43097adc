/* See shuffle_trees.h. */
#include "faults/shuffle_trees.h"

enum { MAX_STEPS = 6 /* 32 is halved five times */ };

uint32_t cw_shuffle_written_width(const struct cw_fn *fn, const struct cw_ins *ins) {
    const struct cw_ins *group = cw_ins_of(fn, cw_arg(fn, ins, 0));
    int64_t width = 0;
    if (group != NULL && group->op == CW_OP_GROUP)
        cw_ref_const(fn, group->aux == CW_GROUP_TILE ? cw_arg(fn, group, 1) : CW_NONE, &width);
    else if (!(ins->flags & CW_INS_DEFAULT_WIDTH))
        cw_ref_const(fn, cw_arg(fn, ins, 3), &width);
    return width > 1 && width < 32 && (width & (width - 1)) == 0 ? (uint32_t)width : 0;
}

/* The distance in an iteration of the innermost loop, of the first thread that comes; 0: unknown. */
static uint32_t distance_in(struct cw_lanes *lanes, const struct cw_fn *fn, const struct cw_ins *ins,
                            const struct cw_context *context) {
    const uint8_t *comes = cw_lanes_reach(lanes, ins->block, context);
    const struct cw_lane_values *v = cw_lanes_eval(lanes, cw_arg(fn, ins, 2), context);
    for (uint32_t t = 0; t < cw_lanes_count(lanes); t++)
        if (comes[t] == CW_REACH_YES)
            return v->known[t] == CW_EXACT && v->value[t] > 0 && v->value[t] < 32 ? (uint32_t)v->value[t] : 0;
    return 0;
}

/* Where a loop that halves the distance down to 1 begins; 0: it is no such loop. */
static uint32_t halved_from(struct cw_lanes *lanes, const struct cw_fn *fn, const struct cw_ins *ins,
                            const struct cw_context *first) {
    uint32_t begin = 0, expected = 0;
    for (uint32_t k = 0; first != NULL && k < MAX_STEPS; k++) {
        uint32_t by = distance_in(lanes, fn, ins, cw_lanes_context(lanes, first->outer, first->loop, k));
        if (by == 0 || (k > 0 && by != expected))
            return 0;
        begin = k == 0 ? by : begin;
        expected = by / 2;
        if (by == 1)
            return begin;
    }
    return 0;
}

/* The same in a loop around it: one that begins elsewhere each time, as in a bitonic sort, is no tree. */
static uint32_t tree_begin(struct cw_lanes *lanes, const struct cw_fn *fn, const struct cw_ins *ins) {
    const struct cw_context *first = cw_lanes_first(lanes, ins->block);
    uint32_t begin = halved_from(lanes, fn, ins, first);
    if (begin == 0 || first->outer == NULL)
        return begin;
    const struct cw_context *next =
        cw_lanes_context(lanes, first->outer->outer, first->outer->loop, first->outer->iteration + 1);
    uint32_t again = halved_from(lanes, fn, ins, cw_lanes_context(lanes, next, first->loop, 0));
    return again == 0 || again == begin ? begin : 0;
}

/* Somebody whom the tree does not reach comes with a value, and not just with a constant such as zero. */
static bool leaves_out(struct cw_lanes *lanes, const struct cw_fn *fn, const struct cw_ins *ins, uint32_t begin,
                       uint32_t width) {
    const struct cw_context *c = cw_lanes_first(lanes, ins->block);
    const uint8_t *comes = cw_lanes_reach(lanes, ins->block, c);
    const struct cw_lane_values *v = cw_lanes_eval(lanes, cw_arg(fn, ins, 1), c);
    bool some = false;
    for (uint32_t t = 0; t < cw_lanes_count(lanes); t++) {
        if (t % width < 2 * begin || comes[t] == CW_REACH_NO)
            continue;
        if (v->known[t] == CW_EXACT)
            return false;
        some = true;
    }
    return some;
}

/* A shuffle by itself, before or after the loop, may be the tree's missing step. */
static bool may_complete(struct cw_lanes *lanes, const struct cw_fn *fn, const struct cw_ins *tree, uint32_t width) {
    for (uint32_t k = 0; k < fn->cfg->nrpo; k++) {
        const struct cw_block *b = &fn->blocks.at[fn->cfg->rpo[k]];
        for (uint32_t j = 0; j < b->ins.n; j++) {
            const struct cw_ins *i = &fn->ins.at[b->ins.at[j]];
            if (i->op == CW_OP_SHFL && i != tree && cw_shuffle_written_width(fn, i) == width &&
                tree_begin(lanes, fn, i) == 0)
                return true;
        }
    }
    return false;
}

uint32_t cw_shuffle_low_begin(struct cw_lanes *lanes, const struct cw_fn *fn, uint32_t ins) {
    const struct cw_ins *i = &fn->ins.at[ins];
    uint32_t width = cw_shuffle_written_width(fn, i), begin = tree_begin(lanes, fn, i);
    bool low = begin > 1 && begin < width / 2 && leaves_out(lanes, fn, i, begin, width);
    return low && !may_complete(lanes, fn, i, width) ? begin : 0;
}
