/* See warp_access.h. */
#include "lanes/warp_access.h"

/* The copy's other pieces: as many bytes as it moves. */
static uint32_t bytes_of_copy(const struct cw_fn *fn, const struct cw_ins *ins, uint32_t size) {
    const struct cw_block *b = &fn->blocks.at[ins->block];
    uint32_t pieces = 0;
    for (uint32_t k = 0; k < b->ins.n; k++) {
        const struct cw_ins *j = &fn->ins.at[b->ins.at[k]];
        pieces += j->op == ins->op && j->loc == ins->loc && (j->flags & CW_INS_IMPLICIT);
    }
    return pieces * size;
}

/* Whole vectors and records are copied field by field in the IR, but by one instruction of the machine where their
 * alignment allows it. How many bytes that takes; at least `size`. Memory that is declared as something smaller, and
 * read as vectors by a cast, is taken to be aligned for them. */
static uint32_t copied_together(const struct cw_fn *fn, const struct cw_ins *ins, cw_ref base, uint32_t size) {
    uint32_t element = 0, align = 16;
    if (!(ins->flags & CW_INS_IMPLICIT))
        return size;
    if (base.tag == CW_REF_OBJECT) {
        element = fn->objects.at[base.index].element;
        align = fn->objects.at[base.index].align != 0 ? fn->objects.at[base.index].align : align;
    } else if (base.tag == CW_REF_PARAM) {
        element = fn->params.at[base.index].pointee_bytes;
    }
    if (element <= size) {
        element = bytes_of_copy(fn, ins, size);
        align = 16;
    }
    for (uint32_t bytes = 16; bytes > size; bytes /= 2)
        if (element % bytes == 0 && align % bytes == 0)
            return bytes;
    return size;
}

static int64_t round_down(int64_t offset, uint32_t to) {
    return offset >= 0 ? offset - offset % to : offset - (to - 1 + (offset + 1) % to);
}

static bool add_lane(struct cw_warp_access *out, const struct cw_lane_value *places, uint32_t t, bool sure) {
    struct cw_lane_place p = cw_lanes_place(places, t);
    if (p.known > CW_SAMPLED || p.base.tag == CW_REF_NONE || p.base.tag == CW_REF_CONST)
        return false;
    if (out->lanes != 0 && (!cw_ref_eq(out->base, p.base) || out->token != p.token))
        return false;
    out->base = p.base;
    out->token = p.token;
    out->offset[t % 32] = p.offset;
    out->known = p.known > out->known ? p.known : out->known;
    out->lanes |= 1u << t % 32;
    out->sure |= sure ? 1u << t % 32 : 0;
    return true;
}

bool cw_warp_access_of(struct cw_lanes *lanes, const struct cw_fn *fn, uint32_t ins, const struct cw_access *access,
                       const struct cw_context *context, uint32_t warp, struct cw_warp_access *out) {
    const uint8_t *reach = cw_lanes_reach(lanes, fn->ins.at[ins].block, context);
    const struct cw_lane_value *places = cw_lanes_places(lanes, access->pointer, context);
    uint32_t end = warp * 32 + 32 < cw_lanes_count(lanes) ? warp * 32 + 32 : cw_lanes_count(lanes);
    *out = (struct cw_warp_access){.base = CW_NONE, .size = (uint32_t)access->size, .known = CW_EXACT};
    if (places == NULL || access->size == 0 || access->size > 16)
        return false;
    for (uint32_t t = warp * 32; t < end; t++) {
        if (reach[t] == CW_REACH_UNKNOWN)
            return false;
        if (reach[t] != CW_REACH_NO && !add_lane(out, places, t, reach[t] == CW_REACH_YES))
            return false;
    }
    out->size = copied_together(fn, &fn->ins.at[ins], out->base, out->size);
    for (uint32_t lane = 0; lane < 32; lane++)
        out->offset[lane] = out->size > access->size ? round_down(out->offset[lane], out->size) : out->offset[lane];
    return true;
}

uint32_t cw_inner_trips(struct cw_lanes *lanes, const struct cw_fn *fn, uint32_t block, uint32_t max) {
    const struct cw_context *first = cw_lanes_first(lanes, block);
    uint32_t loop = fn->cfg->loop_of[block];
    int32_t most = 0;
    if (loop == CW_NO_LOOP || first == NULL)
        return 0;
    const int32_t *trips = cw_lanes_trips(lanes, loop, first->outer);
    for (uint32_t t = 0; t < cw_lanes_count(lanes); t++) {
        if (trips[t] < 0)
            return 0;
        most = trips[t] > most ? trips[t] : most;
    }
    return (uint32_t)most <= max ? (uint32_t)most : 0;
}

static bool somebody_comes(struct cw_lanes *lanes, uint32_t block, const struct cw_context *context) {
    const uint8_t *reach = cw_lanes_reach(lanes, block, context);
    for (uint32_t t = 0; t < cw_lanes_count(lanes); t++)
        if (reach[t] != CW_REACH_NO)
            return true;
    return false;
}

uint32_t cw_inner_runs(struct cw_lanes *lanes, const struct cw_fn *fn, uint32_t block, uint32_t max) {
    const struct cw_context *first = cw_lanes_first(lanes, block);
    uint32_t trips = cw_inner_trips(lanes, fn, block, max + 1), runs = 0;
    while (runs < trips && somebody_comes(lanes, block, cw_lanes_context(lanes, first->outer, first->loop, runs)))
        runs++;
    return runs;
}

const char *cw_iteration_text(struct cw_lanes *lanes, const struct cw_fn *fn, const struct cw_context *context,
                              uint32_t thread, struct cw_arena *a) {
    if (context == NULL)
        return NULL;
    const struct cw_loop *loop = &fn->cfg->loops.at[context->loop];
    for (uint32_t k = 0; k < loop->inductions.n; k++) {
        uint32_t phi = fn->cfg->inductions.at[loop->inductions.at[k]].phi;
        const struct cw_ins *i = &fn->ins.at[phi];
        const struct cw_lane_values *v =
            cw_type_is_int((enum cw_type)i->type) ? cw_lanes_eval(lanes, cw_ref_ins(phi), context) : NULL;
        if (i->name != NULL && v != NULL && v->known[thread] <= CW_SAMPLED)
            return cw_arena_printf(a, "%s = %lld", i->name, (long long)v->value[thread]);
    }
    return NULL;
}
