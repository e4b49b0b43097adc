/* See buffer_parts.h. */
#include "races/buffer_parts.h"

#include "races/data_places.h"

static const struct cw_ins *ins_at(const struct cw_buffer_parts *parts, uint32_t step) {
    const struct cw_step *s = &parts->trace->steps.at[step];
    return s->kind == CW_STEP_ACCESS ? &parts->trace->roles->fn->ins.at[s->ins] : NULL;
}

/* Do all threads store, each its own element, with no byte between the first and the last left out? */
static struct cw_part find_part(const struct cw_buffer_parts *parts, uint32_t step) {
    const struct cw_step *s = &parts->trace->steps.at[step];
    const struct cw_ins *i = ins_at(parts, step);
    struct cw_part part = {.is_known = true};
    struct cw_access acc[2];
    uint32_t n = cw_lanes_count(parts->lanes);
    if (!i || i->op != CW_OP_STORE || cw_memory_accesses(parts->trace->roles->fn, i, acc) != 1 || acc[0].size == 0)
        return part;
    const struct cw_lane_value *places = cw_lanes_places(parts->lanes, acc[0].pointer, s->context);
    const uint8_t *reach = cw_lanes_reach(parts->lanes, i->block, s->context);
    int64_t first = INT64_MAX, last = INT64_MIN;
    for (uint32_t t = 0; places && t < n; t++) {
        struct cw_lane_place place = cw_lanes_place(places, t);
        if (reach[t] == CW_REACH_NO || place.known > CW_SAMPLED || place.base.tag != CW_REF_OBJECT ||
            (t > 0 && !cw_ref_eq(place.base, part.object)))
            return part;
        part.object = place.base;
        first = place.offset < first ? place.offset : first;
        last = place.offset > last ? place.offset : last;
    }
    if (!places || first > last || (uint64_t)(last - first) != (n - 1) * acc[0].size)
        return part;
    part.from = first;
    part.to = last + (int64_t)acc[0].size;
    return part;
}

static const struct cw_part *part_of(struct cw_buffer_parts *parts, uint32_t step) {
    if (!parts->of_step)
        parts->of_step = CW_NEW_ARRAY(parts->arena, struct cw_part, parts->trace->steps.n);
    if (!parts->of_step[step].is_known)
        parts->of_step[step] = find_part(parts, step);
    return &parts->of_step[step];
}

enum { PLACE_DEPTH = 16 /* operations between a place and the number of the block in it */ };

/* Is the place computed from blockIdx.x, other than by way of data? */
static bool depends_on_block(const struct cw_fn *fn, cw_ref ref, uint32_t depth) {
    const struct cw_ins *i = cw_ins_of(fn, ref);
    if (ref.tag == CW_REF_SREG)
        return ref.index == CW_CTAID_X;
    for (uint32_t k = 0; i && depth && (cw_op_flags((enum cw_op)i->op) & CW_OP_P) && k < i->narg; k++)
        if (depends_on_block(fn, cw_arg(fn, i, k), depth - 1))
            return true;
    return false;
}

/* What data of 0 stand for: the first element, or where the place counts them from the block's first thread in the
 * grid, as in `s[key - blockIdx.x * blockDim.x]`, that thread. */
static bool find_beginning(const struct cw_buffer_parts *parts, cw_ref pointer, const struct cw_stride *at,
                           int64_t *from) {
    const struct cw_fn *fn = parts->trace->roles->fn;
    cw_ref index = cw_ref_of(CW_REF_SREG, CW_CTAID_X);
    *from = at->rest;
    if (!depends_on_block(fn, pointer, PLACE_DEPTH))
        return true;
    struct cw_cell block = cw_lane_value_cell(cw_lane_value_of(parts->lanes, index, NULL), 0);
    int64_t first;
    return cw_cell_numeric(block) &&
           !__builtin_mul_overflow(block.value, (int64_t)cw_lanes_count(parts->lanes), &first) &&
           !__builtin_mul_overflow(first, at->factor, &first) && !__builtin_add_overflow(*from, first, from);
}

/* Does a part as long as the one that is filled, and apart from it, begin there? */
static bool begins_other_part(struct cw_buffer_parts *parts, uint32_t placed, int64_t from) {
    struct cw_part filled = *part_of(parts, placed);
    int64_t size = filled.to - filled.from;
    if (from < filled.to && from > filled.from - size)
        return false;
    for (uint32_t k = 0; k < parts->trace->steps.n; k++) {
        const struct cw_part *other = part_of(parts, k);
        if (other->from != other->to && cw_ref_eq(other->object, filled.object) && other->from == from &&
            other->to - other->from == size)
            return true;
    }
    return false;
}

bool cw_is_in_other_part(struct cw_buffer_parts *parts, uint32_t chosen, uint32_t thread, uint32_t placed) {
    const struct cw_ins *i = ins_at(parts, chosen);
    const struct cw_part *filled = part_of(parts, placed);
    struct cw_access acc[2];
    int64_t from;
    if (filled->from == filled->to || !i || cw_memory_accesses(parts->trace->roles->fn, i, acc) != 1)
        return false;
    struct cw_stride at =
        cw_stride_of(parts->lanes, acc[0].pointer, parts->trace->steps.at[chosen].context, thread);
    return at.datum.tag != CW_REF_NONE && at.factor > 0 && find_beginning(parts, acc[0].pointer, &at, &from) &&
           begins_other_part(parts, placed, from);
}
