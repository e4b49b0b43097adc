/* Sizes that lie in device memory: how long this block's segment is, where its rows begin.
 *
 * As input such a number is a formula, and nobody knows where a loop ends that it bounds. In the samples with
 * CW_SAMPLE_DATA it is chosen instead, as a parameter is: one number for each address, so that all who read it there
 * agree. Of two neighbours in memory the later one is larger: offsets of segments.
 *
 * requires: a load of device memory that the kernel does not write, at one place for the whole block. computes: the
 * number. cost: an entry of a table by address. preserves: what a condition asks for by `==` stays a formula, since a
 * number that is chosen blindly is never the one that is asked for. */
#include "lanes/lanes_internal.h"

enum {
    WALK_MAX = 8,
    NAMED_MAX = 6 /* choices that a witness names */
};

/* The load behind casts, offsets and bits that are cut out; NULL: there is none. */
static const struct cw_ins *load_behind(const struct cw_fn *fn, cw_ref ref) {
    const struct cw_ins *i = cw_ins_of(fn, ref);
    for (uint32_t step = 0; step < WALK_MAX && i && i->op != CW_OP_LOAD; step++) {
        bool is_unary = i->narg == 1 && (cw_op_flags((enum cw_op)i->op) & CW_OP_P);
        bool has_number = i->narg == 2 && cw_ref_const(fn, cw_arg(fn, i, 1), NULL) &&
                          (cw_op_flags((enum cw_op)i->op) & CW_OP_P) && !cw_is_compare(i->op);
        i = is_unary || has_number ? cw_ins_of(fn, cw_arg(fn, i, 0)) : NULL;
    }
    return i && i->op == CW_OP_LOAD ? i : NULL;
}

static void find_codes(struct cw_lanes *lanes) {
    const struct cw_fn *fn = lanes->fn;
    lanes->memo.codes = cw_bitset_new(lanes->a, fn->ins.n + 1);
    for (uint32_t k = 0; k < fn->ins.n; k++) {
        const struct cw_ins *i = &fn->ins.at[k];
        if (i->op != CW_OP_EQ && i->op != CW_OP_NE)
            continue;
        for (uint32_t n = 0; n < 2; n++) {
            const struct cw_ins *load =
                cw_ref_const(fn, cw_arg(fn, i, 1 - n), NULL) ? load_behind(fn, cw_arg(fn, i, n)) : NULL;
            if (load)
                cw_bitset_add(&lanes->memo.codes, (uint32_t)(load - fn->ins.at));
        }
    }
    for (uint32_t b = 0; b < fn->blocks.n; b++) {
        const struct cw_ins *load =
            fn->blocks.at[b].jump.kind == CW_JUMP_SWITCH ? load_behind(fn, fn->blocks.at[b].jump.value) : NULL;
        if (load)
            cw_bitset_add(&lanes->memo.codes, (uint32_t)(load - fn->ins.at));
    }
}

/* Is it a kind, a flag or a mark, of which the code asks whether it is a certain number? */
static bool is_code(struct cw_lanes *lanes, uint32_t ins) {
    if (!lanes->memo.codes.word)
        find_codes(lanes);
    return cw_bitset_has(&lanes->memo.codes, ins);
}

bool cw_lanes_reads_data_sizes(struct cw_lanes *lanes) {
    const struct cw_fn *fn = lanes->fn;
    for (uint32_t k = 0; k < fn->ins.n; k++) {
        const struct cw_ins *i = &fn->ins.at[k];
        if (i->op == CW_OP_LOAD && cw_type_is_int(i->type) && cw_type_bits(i->type) >= 16 &&
            cw_lanes_scope(lanes, cw_arg(fn, i, 0)) == CW_UNI_BLOCK && !is_code(lanes, k))
            return true;
    }
    return false;
}

static uint64_t key_of(struct cw_lane_base base, int64_t offset) {
    return cw_mix(cw_mix(29, (uint64_t)base.token), (uint64_t)offset);
}

/* The number at the address; between its neighbours', where these are chosen already. */
static int64_t choose(struct cw_lanes *lanes, uint32_t ins, struct cw_lane_base base, int64_t offset, int64_t bytes) {
    uint64_t key = key_of(base, offset), known;
    if (cw_map_get(lanes->memo.sizes, key, &known))
        return (int64_t)known;
    int64_t v = cw_type_wrap(lanes->fn->ins.at[ins].type, cw_lanes_size_in_memory(lanes, ins, (uint32_t)(key % 97)));
    if (cw_map_get(lanes->memo.sizes, key_of(base, offset - bytes), &known))
        v += (int64_t)known;
    else if (cw_map_get(lanes->memo.sizes, key_of(base, offset + bytes), &known))
        v = (int64_t)known > v ? (int64_t)known - v : 0;
    cw_map_put(lanes->memo.sizes, key, (uint64_t)v);
    return v;
}

static const char *name_of(struct cw_lanes *lanes, cw_ref root, int64_t index) {
    const struct cw_fn *fn = lanes->fn;
    const char *name = root.tag == CW_REF_PARAM ? fn->params.at[root.index].name
                     : root.tag == CW_REF_INS   ? fn->ins.at[root.index].name
                     : root.tag == CW_REF_OBJECT ? fn->objects.at[root.index].name
                                                 : NULL;
    return name ? cw_arena_printf(lanes->a, "%s[%lld]", name, (long long)index) : NULL;
}

const struct cw_lane_value *cw_lanes_data_size(struct cw_lanes *lanes, uint32_t ins,
                                               const struct cw_lane_value *places) {
    const struct cw_ins *i = &lanes->fn->ins.at[ins];
    struct cw_lane_base base = cw_lane_value_base(places, 0);
    struct cw_cell at = cw_lane_value_cell(places, 0);
    int64_t bytes = cw_type_bits(i->type) / 8;
    bool is_object = base.root.tag == CW_REF_OBJECT && lanes->fn->objects.at[base.root.index].space != CW_SPACE_GLOBAL;
    if (bytes < 2 || is_object || base.token == CW_NO_TOKEN || !cw_cell_numeric(at) ||
        cw_lanes_scope(lanes, cw_arg(lanes->fn, i, 0)) > CW_UNI_BLOCK || is_code(lanes, ins) ||
        cw_lanes_is_spread(lanes, base.root))
        return NULL;
    bool is_new = !cw_map_get(lanes->memo.sizes, key_of(base, at.value), NULL);
    int64_t v = choose(lanes, ins, base, at.value, bytes);
    if (is_new && lanes->scratch.choices.n < NAMED_MAX)
        cw_lanes_chose(lanes, name_of(lanes, base.root, at.value / bytes), v);
    return cw_lane_value_one(lanes, (struct cw_cell){CW_SAMPLE, v});
}
