/* Elements of shared memory that one thread alone writes: `s[threadIdx.x] = in[i]; if (s[threadIdx.x] > 0) …` reads
 * what the thread itself has stored, with or without a barrier between.
 *
 * Every store to the array must go to the very element that the load reads, as expressions of thread and block indices
 * and of values from outside of loops, and no two threads may share a byte of theirs. */
#include "lanes/lanes_internal.h"
#include "uniformity/polynomial.h"

#include <stdlib.h>

/* Is it the same in every iteration? */
static bool is_steady(const struct cw_fn *fn, const struct cw_polynomial *polynomial) {
    for (uint32_t k = 0; k < polynomial->n; k++)
        for (uint32_t a = 0; a < polynomial->at[k].n; a++) {
            const struct cw_ins *i = cw_ins_of(fn, polynomial->at[k].atom[a]);
            if (i && (fn->cfg->is_irreducible || fn->cfg->loop_of[i->block] != CW_NO_LOOP))
                return false;
        }
    return true;
}

static bool is_zero(const struct cw_polynomial *polynomial) {
    for (uint32_t k = 0; k < polynomial->n; k++)
        if (polynomial->at[k].factor != 0)
            return false;
    return !polynomial->is_lost;
}

/* Do all stores to the array go to the element of the load, and does nothing else change it? */
static bool is_stored_by_owner(struct cw_lanes *lanes, const struct cw_ins *load) {
    const struct cw_lane_memory *memory = cw_lanes_memory(lanes);
    struct cw_polynomial read, written;
    uint32_t object, other;
    if (!cw_polynomial_of_pointer(lanes->fn, cw_arg(lanes->fn, load, 0), &object, &read) ||
        !is_steady(lanes->fn, &read) || memory->escapes[object] || cw_lanes_is_exposed(lanes, object))
        return false;
    for (uint32_t k = 0; k < memory->writers[object].n; k++) {
        const struct cw_ins *store = &lanes->fn->ins.at[memory->writers[object].at[k].ins];
        if (store->op != CW_OP_STORE || store->aux != load->aux ||
            !cw_polynomial_of_pointer(lanes->fn, cw_arg(lanes->fn, store, 1), &other, &written) || other != object)
            return false;
        written = cw_polynomial_sum(&written, &read, -1);
        if (!is_zero(&written))
            return false;
    }
    return true;
}

static int compare_offsets(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

static bool are_apart(struct cw_lanes *lanes, const struct cw_lane_value *places, uint32_t bytes) {
    int64_t *offset = CW_NEW_ARRAY(lanes->a, int64_t, lanes->threads);
    if (!places->mask || places->base_mask)
        return false;
    for (uint32_t t = 0; t < lanes->threads; t++) {
        struct cw_cell c = cw_lane_value_cell(places, t);
        if (!cw_cell_numeric(c))
            return false;
        offset[t] = c.value;
    }
    qsort(offset, lanes->threads, sizeof *offset, compare_offsets);
    for (uint32_t t = 1; t < lanes->threads; t++)
        if (offset[t] - offset[t - 1] < (int64_t)bytes)
            return false;
    return true;
}

bool cw_lanes_loads_own(struct cw_lanes *lanes, uint32_t load, const struct cw_lane_value *places) {
    const struct cw_ins *i = &lanes->fn->ins.at[load];
    if (!lanes->memo.own.word) {
        lanes->memo.own = cw_bitset_new(lanes->a, lanes->fn->ins.n);
        lanes->memo.not_own = cw_bitset_new(lanes->a, lanes->fn->ins.n);
    }
    if (!cw_bitset_has(&lanes->memo.own, load) && !cw_bitset_has(&lanes->memo.not_own, load)) {
        enum cw_space space = places->base && places->base[0].root.tag == CW_REF_OBJECT
                                  ? lanes->fn->objects.at[places->base[0].root.index].space
                                  : CW_SPACE_UNKNOWN;
        bool is_own = (space == CW_SPACE_SHARED || space == CW_SPACE_DYNSHARED) &&
                      is_stored_by_owner(lanes, i) && are_apart(lanes, places, i->aux);
        cw_bitset_add(is_own ? &lanes->memo.own : &lanes->memo.not_own, load);
    }
    return cw_bitset_has(&lanes->memo.own, load);
}
