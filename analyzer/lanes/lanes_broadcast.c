/* What one thread has stored for the others: `if (threadIdx.x == 0) s = n; __syncthreads(); … s`.
 *
 * All threads find the number, or the datum, that the one has stored, if no other store may go to the element: thus a
 * thread that still has it in a register, and those that read it, have one value.
 *
 * requires: a load that is ordered with all stores to the array. Cost: the places of all stores. */
#include "lanes/lanes_internal.h"

enum { DEPTH_MAX = 200, STORES_MAX = 16 };

struct broadcast {
    const struct cw_ins *store;
    const struct cw_context *context; /* the loops around the store, all of them around the load as well */
    uint32_t writer;
};

/* Does no thread's store touch bytes of the load? `is_same`: or does every thread write those very bytes? */
static bool is_apart(struct cw_lanes *lanes, const struct cw_ins *store, const struct cw_context *context,
                     const struct cw_lane_value *places, bool *is_same) {
    const struct cw_lane_value *to = cw_lanes_places(lanes, cw_arg(lanes->fn, store, 1), context);
    struct cw_cell read = cw_lane_value_cell(places, 0);
    bool apart = to != NULL;
    *is_same = to != NULL && !to->mask && !to->base_mask;
    for (uint32_t t = 0; to && t < (to->mask || to->base_mask ? lanes->threads : 1); t++) {
        struct cw_cell at = cw_lane_value_cell(to, t);
        int64_t distance;
        bool is_known = cw_cell_numeric(at) && cw_lane_value_base(to, t).token == cw_lane_value_base(places, 0).token &&
                        !__builtin_sub_overflow(at.value, read.value, &distance);
        *is_same &= is_known && distance == 0;
        apart &= is_known && (distance >= (int64_t)store->aux || -distance >= (int64_t)store->aux);
    }
    return apart;
}

/* The one store of the load's type that may go to the element. */
static bool find_store(struct cw_lanes *lanes, const struct cw_ins *load, const struct cw_context *context,
                       const struct cw_lane_value *places, struct broadcast *out) {
    const struct cw_lane_memory *memory = cw_lanes_memory(lanes);
    uint32_t slot = places->base[0].root.index;
    const struct cw_lane_writers *writers = &memory->writers[slot];
    if (memory->escapes[slot] || cw_lanes_is_exposed(lanes, slot) || writers->n > STORES_MAX)
        return false;
    for (uint32_t k = 0; k < writers->n; k++) {
        const struct cw_ins *i = &lanes->fn->ins.at[writers->at[k].ins];
        const struct cw_context *around = cw_context_at(lanes, context, i->block);
        bool is_same = false;
        if (i->op != CW_OP_STORE || i->aux == 0 || cw_context_missing(lanes, around, i->block) != CW_NO_LOOP)
            return false;
        if (is_apart(lanes, i, around, places, &is_same))
            continue;
        if (out->store || !is_same || i->aux != load->aux ||
            cw_ref_type(lanes->fn, writers->at[k].stored) != load->type)
            return false;
        out->store = i;
        out->context = around;
    }
    return out->store != NULL;
}

/* Is there one thread that comes to the store, and has it come there whenever a thread is at the load? */
static bool find_writer(struct cw_lanes *lanes, const struct cw_ins *load, const struct cw_context *context,
                        struct broadcast *out) {
    const struct cw_lane_cond *stores = cw_lane_cond_reach(lanes, out->store->block, out->context);
    const struct cw_lane_cond *loads = cw_lane_cond_reach(lanes, load->block, context);
    uint32_t writers = 0, last = CW_BDD_FALSE;
    for (uint32_t t = 0; t < lanes->threads; t++)
        if (cw_lane_cond_at(stores, t) != CW_BDD_FALSE) {
            out->writer = t;
            writers++;
        }
    if (writers != 1)
        return false;
    uint32_t never = cw_bdd_not(cw_lane_cond_at(stores, out->writer));
    for (uint32_t t = 0; t < lanes->threads; t++) {
        uint32_t f = cw_lane_cond_at(loads, t);
        if (f != last && cw_bdd_and(&lanes->f, f, never) != CW_BDD_FALSE)
            return false;
        last = f;
    }
    return true;
}

const struct cw_lane_value *cw_lanes_find_broadcast(struct cw_lanes *lanes, uint32_t load,
                                                    const struct cw_context *context,
                                                    const struct cw_lane_value *places) {
    const struct cw_ins *i = &lanes->fn->ins.at[load];
    const struct cw_cfg *cfg = lanes->fn->cfg;
    struct broadcast found = {0};
    context = cw_context_at(lanes, context, i->block);
    if (cfg->is_irreducible || places->mask || places->base_mask || i->type == CW_PTR || i->type == CW_I1 ||
        !cw_cell_numeric(cw_lane_value_cell(places, 0)) || lanes->depth > DEPTH_MAX ||
        cw_context_missing(lanes, context, i->block) != CW_NO_LOOP || !find_store(lanes, i, context, places, &found) ||
        cfg->rpo_index[found.store->block] >= cfg->rpo_index[i->block] || !find_writer(lanes, i, context, &found))
        return NULL;
    const struct cw_lane_value *stored = cw_lane_value_of(lanes, cw_arg(lanes->fn, found.store, 0), found.context);
    struct cw_cell cell = cw_lane_value_cell(stored, found.writer);
    return cw_cell_numeric(cell) || (cell.known == CW_FREE && cell.value != CW_NO_TOKEN)
               ? cw_lane_value_one(lanes, cell)
               : NULL;
}
