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

bool cw_is_in_other_part(struct cw_buffer_parts *parts, uint32_t chosen, uint32_t thread, uint32_t placed) {
    const struct cw_ins *i = ins_at(parts, chosen);
    const struct cw_part *filled = part_of(parts, placed);
    struct cw_access acc[2];
    if (filled->from == filled->to || !i || cw_memory_accesses(parts->trace->roles->fn, i, acc) != 1)
        return false;
    struct cw_stride at =
        cw_stride_of(parts->lanes, acc[0].pointer, parts->trace->steps.at[chosen].context, thread);
    int64_t size = filled->to - filled->from;
    if (at.datum.tag == CW_REF_NONE || at.factor <= 0 || (at.rest < filled->to && at.rest > filled->from - size))
        return false;
    for (uint32_t k = 0; k < parts->trace->steps.n; k++) {
        const struct cw_part *other = k == placed ? filled : part_of(parts, k);
        if (other->from != other->to && cw_ref_eq(other->object, filled->object) && other->from == at.rest &&
            other->to - other->from == size)
            return true;
    }
    return false;
}
