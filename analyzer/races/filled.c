/* See filled.h. */
#include "races/filled.h"

#include "races/data_places.h"

#include <stdlib.h>

static int by_place(const void *one, const void *other) {
    const struct cw_filled *a = one, *b = other;
    if (a->token != b->token)
        return a->token < b->token ? -1 : 1;
    return a->from < b->from ? -1 : a->from > b->from;
}

/* All threads of a step together, if they store what may be an array's elements side by side. */
static bool find_filled(const struct cw_event_trace *trace, const struct cw_step *step, struct cw_filled *out) {
    const struct cw_fn *fn = trace->roles->fn;
    struct cw_access access[2];
    uint32_t n = cw_lanes_count(trace->lanes);
    if (fn->ins.at[step->ins].op != CW_OP_STORE || cw_memory_accesses(fn, &fn->ins.at[step->ins], access) != 1 ||
        access[0].size == 0)
        return false;
    const struct cw_lane_value *places = cw_lanes_places(trace->lanes, access[0].pointer, step->context);
    *out = (struct cw_filled){.from = INT64_MAX, .to = INT64_MIN};
    for (uint32_t t = 0; places && t < n; t++) {
        struct cw_lane_base base = cw_lane_value_base(places, t);
        struct cw_cell offset = cw_lane_value_cell(places, t);
        if (base.token == CW_NO_TOKEN || !cw_cell_numeric(offset) || (t > 0 && base.token != out->token))
            return false;
        out->token = base.token;
        out->from = offset.value < out->from ? offset.value : out->from;
        out->to = offset.value + (int64_t)access[0].size > out->to ? offset.value + (int64_t)access[0].size : out->to;
    }
    return places && n > 1 && out->to - out->from >= (int64_t)(n * access[0].size);
}

struct cw_filled_list cw_filled_of(const struct cw_event_trace *trace, struct cw_arena *a) {
    struct cw_filled_list list = {{0}};
    struct cw_filled filled;
    uint32_t kept = 0;
    for (uint32_t k = 0; k < trace->steps.n; k++)
        if (trace->steps.at[k].kind == CW_STEP_ACCESS && find_filled(trace, &trace->steps.at[k], &filled))
            cw_vec_push(a, &list.at, filled);
    if (list.at.n)
        qsort(list.at.at, list.at.n, sizeof *list.at.at, by_place);
    for (uint32_t k = 0; k < list.at.n; k++) {
        struct cw_filled *last = kept ? &list.at.at[kept - 1] : NULL, *f = &list.at.at[k];
        if (last && last->token == f->token && f->from <= last->to)
            last->to = f->to > last->to ? f->to : last->to;
        else
            list.at.at[kept++] = *f;
    }
    list.at.n = kept;
    return list;
}

bool cw_filled_excludes(const struct cw_filled_list *list, struct cw_lanes *lanes, cw_ref pointer,
                        const struct cw_context *context, uint32_t thread, int64_t token, int64_t offset) {
    struct cw_stride stride = cw_stride_of(lanes, pointer, context, thread);
    if (stride.datum.tag == CW_REF_NONE || stride.factor <= 0)
        return false;
    for (uint32_t k = 0; k < list->at.n; k++) {
        const struct cw_filled *f = &list->at.at[k];
        if (f->token == token && f->from <= stride.rest && stride.rest < f->to)
            return offset < f->from || offset >= f->to;
    }
    return false;
}
