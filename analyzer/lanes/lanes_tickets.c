/* What the schedule decides, where the caller chooses it.
 *
 * Tickets: `if (threadIdx.x == 0) tile = atomicAdd(next, 1);`.
 *
 * Which number a block draws is up to the schedule, and no number is known. Where two blocks are compared that work on
 * what their tickets say, the caller chooses the schedule: the first block has drawn 0, the second 1, from a counter
 * that begins at zero; where several threads draw, the two blocks take turns. Then the places that follow from a ticket
 * are numbers, as those that follow from blockIdx.
 *
 * requires: an evaluator of one block (cw_lanes_new_in_block). Cost: once per atomic that is asked for. */
#include "lanes/lanes_internal.h"

#include "uniformity/alias.h"

void cw_lanes_draw(struct cw_lanes *lanes, uint32_t ticket) {
    lanes->draws = true;
    lanes->ticket = ticket;
}

void cw_lanes_choose_exits(struct cw_lanes *lanes, const struct cw_bitset *blocks) {
    lanes->waits = blocks;
}

static bool is_in_device_memory(const struct cw_fn *fn, cw_ref pointer) {
    struct cw_bases bases = cw_memory_bases(fn, pointer);
    const struct cw_base *base = &bases.at[0];
    return bases.n == 1 && (base->root.tag == CW_REF_PARAM || (base->root.tag == CW_REF_OBJECT &&
           (base->is_read || fn->objects.at[base->root.index].space == CW_SPACE_GLOBAL)));
}

/* Is there a draw from the same counter in front of it? Then the number is a later one. */
static bool is_drawn_again(const struct cw_fn *fn, const struct cw_ins *ins) {
    struct cw_bases bases = cw_memory_bases(fn, cw_arg(fn, ins, 0));
    for (uint32_t k = 0; k < fn->ins.n; k++) {
        const struct cw_ins *i = &fn->ins.at[k];
        if (i == ins || i->op != CW_OP_ATOMIC || (i->aux & 0xff) != CW_ATOMIC_ADD ||
            !cw_cfg_ins_dominates(fn, k, (uint32_t)(ins - fn->ins.at)))
            continue;
        struct cw_bases others = cw_memory_bases(fn, cw_arg(fn, i, 0));
        const struct cw_base *mine = &bases.at[0], *other = &others.at[0];
        if (others.n != 1 || (cw_base_is_one_memory(other, mine) &&
                              !(other->exact && mine->exact && other->offset != mine->offset)))
            return true;
    }
    return false;
}

/* Does it count up by one, in the first iteration of all loops around it? A later one draws another number. */
static bool counts_once(const struct cw_fn *fn, const struct cw_ins *ins, const struct cw_context *context) {
    int64_t by;
    for (; context; context = context->outer)
        if (context->iteration > 0)
            return false;
    return ins->narg > 1 && (ins->aux & 0xff) == CW_ATOMIC_ADD && cw_ref_const(fn, cw_arg(fn, ins, 1), &by) &&
           by == 1 && is_in_device_memory(fn, cw_arg(fn, ins, 0)) && !is_drawn_again(fn, ins);
}

const struct cw_lane_value *cw_lanes_ticket(struct cw_lanes *lanes, uint32_t ins, const struct cw_context *context) {
    const struct cw_ins *i = &lanes->fn->ins.at[ins];
    uint32_t drawn = 0;
    if (!lanes->draws || !counts_once(lanes->fn, i, context))
        return NULL;
    const struct cw_lane_cond *reach = cw_lane_cond_reach(lanes, i->block, context);
    for (uint32_t t = 0; t < lanes->threads; t++)
        drawn += cw_lane_cond_at(reach, t) != CW_BDD_FALSE;
    if (drawn < 2)
        return drawn ? cw_lane_value_one(lanes, (struct cw_cell){CW_NUMBER, lanes->ticket}) : NULL;
    for (uint32_t t = 0, k = 0; t < lanes->threads; t++) {
        bool draws = cw_lane_cond_at(reach, t) != CW_BDD_FALSE;
        lanes->scratch.known[t] = draws ? CW_NUMBER : CW_OPAQUE;
        lanes->scratch.value[t] = draws ? (int64_t)(2 * k + lanes->ticket) : CW_NO_TOKEN;
        k += draws;
    }
    return cw_lane_value_seal(lanes, lanes->threads, false);
}
